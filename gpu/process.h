/* Child processes that answer requests: the executable occutune-worker from libexec, which either holds a GPU
 * or compiles.
 *
 * A child lives in a process group of its own, so that Ctrl-C reaches only the controller, and ends by itself
 * when the controller does, however that ends. */
#ifndef GPU_PROCESS_H
#define GPU_PROCESS_H

#include "base/err.h"

#include <sys/types.h>

struct process {
    pid_t pid; /* 0: none */
    int fd;    /* the controller's end of the socket */
};

/* Starts `executable` (null: OCCUTUNE_WORKER, then occutune-worker in ../libexec/occutune of the program or
 * library this code is in, then where it was installed) with two words, such as "device" "0". ERR_MISSING
 * when it is not found. */
int process_start(struct process *out, const char *executable, const char *what, const char *argument,
                  struct err *err);

/* Ends the child at once and reaps it; harmless for a process with pid 0. Returns its wait status. */
int process_kill(struct process *process);

/* Closes the socket, which tells the child to end, and reaps it; kills it when it takes longer than a second. */
void process_stop(struct process *process);

/* In the child, whose arguments are `what argument controller` and whose end of the socket is descriptor 3:
 * watches the controller from a thread, and ends the process when the controller is gone. */
enum { PROCESS_FD = 3 };
int process_watch_controller(int fd, pid_t controller, struct err *err);

#endif

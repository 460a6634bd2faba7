/* Workers elsewhere, as the controller sees them: started by commands of the user's, dropped when they fail, started
 * again when that makes sense.
 *
 * A command runs through the shell and speaks over its standard input and output. Nothing here ever waits but
 * fleet_open() and fleet_turn(). */
#ifndef TUNER_REMOTE_FLEET_H
#define TUNER_REMOTE_FLEET_H

#include "base/err.h"
#include "base/key.h"
#include "base/turns.h"
#include "gpu/message.h"
#include "gpu/pace.h"
#include "model/device/device.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A GPU of a worker's. */
struct host_gpu {
    struct device device;
    struct gpu_pace pace;
    size_t kind;   /* of those that the job tunes for; where it measures */
    bool measures; /* for this job: it is of one of its kinds, not set aside and has not failed */
    bool failed;
    size_t waiting; /* trials that are with it; the user's of the fleet */
};

/* What a host has done for one kind of GPU. */
struct host_work {
    unsigned most_cores; /* so far */
    size_t most_gpus;
    uint64_t compiled, timed;
    double compile_s, measure_s; /* core and GPU seconds of that */
};

/* One worker. The name is its host's, with a number where several are on one. */
struct host {
    const char *command;
    char name[280];
    bool up;        /* offers what follows */
    unsigned cores; /* that compile and predict */
    struct host_gpu *gpus;
    size_t gpu_count;       /* of all kinds */
    struct host_work *work; /* for each kind that the job tunes for, since host_begin_work() */
    unsigned drops;
    char reason[512];  /* of the last drop; "": none */
    struct link *link; /* the fleet's own */
};

struct fleet;

struct fleet_options {
    const char *const *commands; /* borrowed */
    size_t count;
    const char *version; /* of this program: workers of another are dropped */
    const char *nvrtc;   /* version: workers with another compile nothing; null: nobody compiles */
    void (*message)(void *context,
                    const char *text); /* what becomes of workers, one line each; may be null */
    void *context;
    const volatile sig_atomic_t *stop; /* ends the waiting for answers once it is not 0; may be null */
    double wait_s;                     /* for them, at most; 0 or more than FLEET_OPEN_S: that */
};

/* Starts all and waits until each has answered or failed once, FLEET_OPEN_S at most: who comes later joins
 * then. Whom that takes longer than a moment is told. */
enum { FLEET_OPEN_S = 60 };
int fleet_open(struct fleet **out, const struct fleet_options *options, struct err *err);
void fleet_close(struct fleet *fleet); /* also null; ends the workers */

size_t fleet_count(const struct fleet *fleet);
struct host *fleet_host(const struct fleet *fleet, size_t index);

/* A number for a request that no other has, of whatever search: answers may come after the search that asked. */
int64_t fleet_new_id(struct fleet *fleet);

/* The kinds of GPU that this job tunes for (borrowed), each a number from here on, and their usual paces (zeros: not
 * known): GPUs of other kinds do not measure, nor those that are off (tuner/remote/pace.h). Once, before any work. */
int fleet_know_kinds(struct fleet *fleet, const struct device *kinds, const struct gpu_pace *usual,
                     size_t count, struct err *err);

/* Whether a GPU of a kind measures, or one may come with a worker that has not answered yet. */
bool fleet_may_measure(const struct fleet *fleet, size_t kind);

/* GPUs of a host's that measure, of a kind; what it does for that kind is counted from now on. */
size_t host_measuring(const struct host *host, size_t kind);
void host_begin_work(struct host *host, size_t kind);

/* A GPU failed for reasons of its host: it measures no more until its worker comes back. */
void host_gpu_failed(struct host *host, size_t gpu);

/* Sends to a host that is up. Where that fails the host is dropped at the next turn. */
void host_send(struct host *host, const char *head, size_t length); /* JSON */

/* Sends bytes unless the host has them. */
void host_give(struct host *host, struct key key, const void *bytes, size_t size);
/* The same of bytes that are compressed already, of `size` when they are not. */
void host_give_packed(struct host *host, struct key key, struct part packed, size_t size);
void host_has(struct host *host, struct key key); /* notes that it does */
void host_forget_contents(struct host *host);     /* it says that it has not */

/* Who is told of all answers, his and others', and of hosts that were dropped. An answer that makes no sense is an error,
 * for which its host is dropped. */
struct fleet_listener {
    int (*answered)(void *context, struct host *host, struct message *message, struct err *err);
    void (*dropped)(void *context, struct host *host); /* with all that it had not answered */
    void (*freed)(void *context); /* a code is compiled that it asked for, and another had claimed */
    void *context;
    bool waits; /* in fleet_turn(), and does not have the turn: what others do does not wake it */
    struct pollfd *signs;
    struct fleet_listener *next; /* the fleet's own, as `signs` is */
};

/* Kinds of GPU of one architecture have the same code. False: another who listens is compiling it. Each claim is given up
 * when the code is there, or will not come. */
bool fleet_claim(struct fleet *fleet, struct key code);
void fleet_give_up_claim(struct fleet *fleet, struct key code);

/* From now on, until fleet_forget(); a listener that is not there is forgotten, too. */
int fleet_listen(struct fleet *fleet, struct fleet_listener *listener, struct err *err);
void fleet_forget(struct fleet *fleet, struct fleet_listener *listener);

/* Waits up to `timeout_s` for any host, or the descriptor `other` (-1: none), and does what is due. Others who have the
 * turn may use the fleet while it waits, and wait, too (`turns`; null: there are no others). */
int fleet_turn(struct fleet *fleet, double timeout_s, int other, struct fleet_listener *listener,
               struct turns *turns, struct err *err);

#endif

/* A command of the user's that leads to a worker: a process group with its standard input and output on a socket,
 * and its errors on a pipe. For fleet.c. */
#ifndef TUNER_REMOTE_LINK_H
#define TUNER_REMOTE_LINK_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

struct command {
    pid_t pid;                 /* 0: none */
    pid_t ending;              /* one before it, which was asked to end; 0: none */
    int fd;                    /* of input and output */
    int errors;                /* -1: closed */
    char line[256], last[256]; /* of what it wrote there: being read, and the last that was whole */
    size_t length;
};

void command_init(struct command *command); /* none */
int command_start(struct command *command, const char *text, struct err *err);

/* Asks all of it to end (SIGTERM), so that a launcher can take back what it started elsewhere; what has not ended is
 * killed by the next command_start(), or command_close(). Also none. */
void command_end(struct command *command);

/* Closes their input, at which a worker ends. Those that have not a second later are asked to end, and killed after three
 * seconds more. */
void command_close(struct command *commands[], size_t count);

/* Reads what it says of errors; the last line, "" for none. */
void command_listen(struct command *command);
void command_said(char *out, size_t size, struct command *command);

#endif

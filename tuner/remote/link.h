/* A command of the user's that leads to a worker: a process group with its standard input and output on a socket,
 * and its errors on a pipe. For fleet.c. */
#ifndef TUNER_REMOTE_LINK_H
#define TUNER_REMOTE_LINK_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

struct command {
    pid_t pid;                 /* 0: none */
    int fd;                    /* of input and output */
    int errors;                /* -1: closed */
    char line[256], last[256]; /* of what it wrote there: being read, and the last that was whole */
    size_t length;
};

void command_init(struct command *command); /* none */
int command_start(struct command *command, const char *text, struct err *err);
/* Closes its input, at which a worker ends; kills, a second later, what has not. Also none. */
void command_close(struct command *commands[], size_t count);
void command_end(struct command *command); /* kills all of it; also none */

/* Reads what it says of errors; the last line, "" for none. */
void command_listen(struct command *command);
void command_said(char *out, size_t size, struct command *command);

#endif

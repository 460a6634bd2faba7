/* What controller and worker say to each other: a JSON head and bytes, over a stream socket. */
#ifndef GPU_MESSAGE_H
#define GPU_MESSAGE_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct message {
    struct json *head; /* owned; an object */
    unsigned char *payload;
    size_t payload_bytes; /* owned; null and 0 when there is none */
};

/* A stretch of payload; a message is sent from several without copying them together. */
struct part {
    const void *bytes;
    size_t size;
};

/* How long the other process is waited for, to take and to say something. A child that a signal has stopped
 * is given up after PATIENCE_STOPPED_S: it will say nothing, and that is as little its own doing as SIGKILL. */
enum { PATIENCE_STOPPED_S = 3 };
struct patience {
    double timeout_s; /* negative: for ever */
    pid_t child;      /* 0: not known, or no child */
    double core_s;    /* of a core, which the child may spend meanwhile; 0: any */
};

/* Sends `head` (borrowed) and the parts. ERR_STOPPED when the time is over: a process that does not read
 * blocks whoever sends more than a socket holds. ERR_SYSTEM when the other side is gone. */
int message_send(int fd, const struct json *head, const struct part *parts, size_t part_count,
                 struct patience patience, struct err *err);

/* Receives one message. ERR_STOPPED when the time is over, ERR_SYSTEM when the other side is gone, ERR_FORMAT
 * when the bytes are no message. */
int message_receive(struct message *out, int fd, struct patience patience, struct err *err);
void message_release(struct message *message);

/* Whether a signal has stopped the child (0: none). */
bool child_is_stopped(pid_t child);

#endif

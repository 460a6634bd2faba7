/* What controller and worker say to each other: a JSON head and bytes, over a stream socket. */
#ifndef GPU_MESSAGE_H
#define GPU_MESSAGE_H

#include "base/err.h"
#include "base/json.h"

#include <stddef.h>
#include <stdint.h>

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

/* Sends `head` (borrowed) and the parts. ERR_SYSTEM when the other side is gone. */
int message_send(int fd, const struct json *head, const struct part *parts, size_t part_count,
                 struct err *err);

/* Receives one message within `timeout_s` (negative: waits for ever). ERR_STOPPED when the time is over,
 * ERR_SYSTEM when the other side is gone, ERR_FORMAT when the bytes are no message. */
int message_receive(struct message *out, int fd, double timeout_s, struct err *err);
void message_release(struct message *message);

double clock_seconds(void); /* monotonic */

#endif

/* One end of a connection between a controller and a worker elsewhere: frames over two descriptors, pipes or
 * sockets, on which nothing ever waits.
 *
 * A frame is 24 bytes ("OCCT", packed size, size, size of what is not packed, hash of all that follows;
 * little-endian), what is packed (the size of a JSON head, the head, the payload) and, in the payload's place, what is
 * not packed because its sender did that before; and a newline, for launchers that pass on whole lines (srun does, but for
 * --unbuffered). What is short, as most requests and answers are, is packed as what it repeats of short ones before it
 * (base/repeats.h); what is longer than REPEATS_MOST is a piece of a stream of compressed data (base/compress.h), since
 * variants of one kernel are much alike. The first of each direction is such a piece whatever its size, in all versions:
 * it says which version speaks. Sizes are limited, and memory grows with what has come. */
#ifndef TUNER_REMOTE_WIRE_H
#define TUNER_REMOTE_WIRE_H

#include "base/compress.h"
#include "base/err.h"
#include "base/json.h"
#include "base/repeats.h"
#include "gpu/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_HEADER_BYTES = 24 };
#define WIRE_BYTES_MOST      ((size_t)1 << 30) /* of a frame, unpacked */
#define WIRE_HEAD_BYTES_MOST ((size_t)1 << 24) /* of its head */

enum { WIRE_LINES_MOST = 64, WIRE_LINE_BYTES_MOST = 4096 };

struct wire_bytes {
    unsigned char *bytes;
    size_t begin, end, capacity; /* what counts is [begin, end) */
};

struct wire {
    int in, out;
    struct wire_bytes received, queued;
    struct repeats sent, heard;
    struct compress_stream packing, unpacking;
    uint64_t sent_total;
    bool
        skips; /* what stands before the first frame, WIRE_LINES_MOST lines of it: a launcher greets, or warns */
    bool gathers; /* frames wait for wire_flush(), so that several go at once */
    bool begun;   /* a frame has come, */
    bool spoken;  /* and one was put */
    unsigned skipped;
    char greeting[61]; /* the first line that was skipped, as far as it is text; "": none */
};

/* The descriptors stay the caller's, and no longer block. */
void wire_init(struct wire *wire, int in, int out);
void wire_release(struct wire *wire);

/* Queues a frame of `head` (borrowed) and the parts, and sends what can be sent. */
int wire_put(struct wire *wire, const struct json *head, const struct part *parts, size_t part_count,
             struct err *err);

/* The same with a payload that is compressed already, and is not compressed again. */
int wire_put_packed(struct wire *wire, const struct json *head, struct part payload, struct err *err);

/* The same of a head that is text already. */
int wire_put_text(struct wire *wire, struct part head, const struct part *parts, size_t part_count,
                  struct err *err);
int wire_put_packed_text(struct wire *wire, struct part head, struct part payload, struct err *err);

/* Sends what can be sent now. ERR_SYSTEM: the other side is gone. */
int wire_flush(struct wire *wire, struct err *err);
bool wire_has_more(const struct wire *wire); /* to send */

/* Receives what is there. ERR_SYSTEM: the other side is gone. */
int wire_receive(struct wire *wire, struct err *err);

/* The next frame that is here, if it is `whole`; release it then. ERR_FORMAT: the bytes are no frame. */
int wire_next(struct message *out, bool *whole, struct wire *wire, struct err *err);

#endif

/* Streams of FFMA whose operands and control fields are written into the machine code itself: what a compiler
 * would choose differently. */
#ifndef MICRO_STREAMS_H
#define MICRO_STREAMS_H

#include "micro/bench.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    STREAM_LENGTH = 256,       /* FFMA of a pass */
    STREAM_THREADS = 512,      /* of an SM's block: four warps a sub-partition */
    STREAM_ONE_WARP_EACH = 128 /* one */
};

/* What one FFMA after another reads, over and over, and how it is scheduled. */
struct stream {
    unsigned registers[6][3];
    size_t count;
    bool reuse;
    unsigned threads; /* of an SM's block */
    unsigned stall; /* cycles until the warp's next FFMA may issue, 1 to 11; 0: as compiled, and yields too */
    bool yields;    /* the scheduler is told to take another warp next */
};

/* The kernel `banks` of banks.cu with the FFMAs of its timed part made the stream's. It takes in, sink, spans
 * and the number of passes. ERR_FORMAT where the code is not as meant. */
int stream_compile(struct micro_code *out, const struct micro *micro, const struct stream *stream,
                   struct err *err);

#endif

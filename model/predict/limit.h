/* What limits a kernel: the one answer that everything which names a limit gives. */
#ifndef MODEL_LIMIT_H
#define MODEL_LIMIT_H

#include "model/machine/throughput.h"

enum limited_by {
    LIMITED_RESOURCE, /* the tightest resource is full */
    LIMITED_LATENCY,  /* too few warps are resident to hide it */
    LIMITED_CLOSEST,  /* no single limit; the tightest resource comes closest */
    LIMITED_DISPATCH, /* blocks end faster than others are sent */
    LIMITED_BLOCK,    /* one block by itself, which ends when all others are done */
    LIMITED_COUNT
};

/* In a word or three, "latency"; the name of `limiter` where a resource is the answer. */
const char *limited_text(enum limited_by limited, enum resource limiter);

#endif

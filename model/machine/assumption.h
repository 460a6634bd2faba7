/* What a prediction had to assume. */
#ifndef MODEL_ASSUMPTION_H
#define MODEL_ASSUMPTION_H

/* Printed with the prediction. */
enum predict_assumption {
    PREDICT_ASSUMED_LATENCY = 1,       /* a class without a measured latency was given another's */
    PREDICT_ASSUMED_CAPACITY = 2,      /* likewise a throughput */
    PREDICT_ASSUMED_HIT_RATE = 4,      /* cache hits come from footprints */
    PREDICT_ASSUMED_ATOMIC = 8,        /* a branch depended on an atomic's answer */
    PREDICT_ASSUMED_EQUAL_BLOCKS = 16, /* only some blocks were looked at */
    PREDICT_ASSUMED_PUBLISHED = 32,    /* the profile holds values not measured on this GPU */
    PREDICT_ASSUMED_TABLES = 64,       /* how far apart warps walk through tables (model/memory/tables.h) */
    PREDICT_ASSUMED_WANDERING = 128,   /* addresses in long loops were sampled (model/emulate/wander.h) */
    PREDICT_ASSUMED_CONSTANTS = 256,   /* that LDC with a vector register never misses */
    PREDICT_LIKELY_BLOCKS = 512,       /* the lower bound is likely, not proved: a sample of blocks tells, */
    PREDICT_LIKELY_ADDRESSES = 1024,   /* or one of addresses (model/emulate/wander.h) */
    PREDICT_ASSUMED_COPIES = 2048,     /* that copies of neighbours meet, and others wait their share of L2 */
    PREDICT_ASSUMED_SKIPS = 4096,      /* that branches by values which cannot be known skip what they can */
    PREDICT_ASSUMED_CLUSTERS =
        8192, /* that blocks of a cluster do alike at the same time, though they differ */
    PREDICT_ASSUMED_TICKETS = 16384,  /* that blocks take the numbers of a counter in turn */
    PREDICT_ASSUMED_SHARING = 32768,  /* how much of what blocks touch is the same */
    PREDICT_ASSUMED_CLOCK = 65536,    /* that tensor cores and the power limit leave the full clock */
    PREDICT_ASSUMED_POLLING = 131072, /* that no block waits for what another stores (model/sass/spin.h) */
    PREDICT_ASSUMED_CLUSTER_SMS = 262144,   /* that clusters of this size leave no SM out */
    PREDICT_ASSUMED_CLUSTER_COUNT = 524288, /* that as many clusters run as on the GPU of the profile */
    PREDICT_ASSUMED_PARTS = 1048576,        /* which elements are left out of sectors written in part */
    PREDICT_ASSUMED_ARRIVALS = 2097152,     /* which blocks come last to a counter (emulate/arrival.h) */
    PREDICT_ASSUMED_ONE_PLACE =
        4194304, /* that lanes read one place of constant memory (LDC), or what that costs */
    PREDICT_ASSUMED_PARTED = 8388608,  /* that lanes which leave a loop before others meet them again */
    PREDICT_ASSUMED_STORED = 16777216, /* that blocks see nothing of what others store (emulate/told.h) */
    PREDICT_ASSUMED_WHEREABOUTS = 33554432, /* what clock, SM and slot a warp finds */
    PREDICT_ASSUMPTIONS_END = 67108864
};

/* With one of these, nothing is to be cut by the lower bound. */
#define PREDICT_BOUND_NOT_PROVED (PREDICT_LIKELY_BLOCKS | PREDICT_LIKELY_ADDRESSES | PREDICT_ASSUMED_PARTED)

#endif

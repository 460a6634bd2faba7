/* Sizes that are the same on every GPU from sm_75 on. They are defined here and nowhere else (tests/headers). */
#ifndef MODEL_SASS_ARCH_GEOMETRY_H
#define MODEL_SASS_ARCH_GEOMETRY_H

enum {
    LANES = 32,         /* of a warp: its threads */
    SUB_PARTITIONS = 4, /* of an SM: each has a warp scheduler and a quarter of the lanes */
    BANKS = 32,         /* of shared memory, ... */

    /* Bytes. */
    BANK_WIDTH = 4,     /* ... each a word wide */
    SECTOR = 32,        /* of L1 and L2: what they fetch and count */
    LINE = 128,         /* of L1 and L2: four sectors under one tag; also what a wavefront moves at most */
    CONSTANT_LINE = 64, /* of the caches for constants */
    DRAM_GRANULE = 512  /* that come from DRAM together (benchmarks/micro/spread.c) */
};

#endif

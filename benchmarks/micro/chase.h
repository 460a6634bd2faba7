/* A pointer chase over global memory, one SM after the other with all others asleep: what far.c and
 * carveout.c measure with. */
#ifndef MICRO_CHASE_H
#define MICRO_CHASE_H

#include "micro/bench.h"

#define CHASE_CA    "ld.global.u64"
#define CHASE_CG    "ld.global.cg.u64" /* past L1 */
#define CHASE_NC    "ld.global.nc.u64"
#define CHASE_ARRAY (UINT64_C(1) << 32) /* bytes; one size for most, so that it is allocated once */

struct chase {
    const char *load;
    unsigned blocks;
    unsigned count;   /* elements of the cycle */
    uint64_t spacing; /* bytes between them */
    unsigned warm;    /* steps before the samples */
    uint64_t flush;
    bool strided;    /* the next element in memory instead of a random one */
    unsigned shared; /* dynamic shared memory of a block, bytes */
    int carveout;    /* per cent of shared memory asked for; 0: the driver's choice */
    uint64_t array;  /* bytes of memory to chase in; 0: CHASE_ARRAY */
};

/* What pushes everything else out of L2. */
uint64_t chase_flush_bytes(const struct micro *micro);

/* Cycles per step of each block into runs[blocks], and its SM into sms[blocks] (may be null). */
int chase_run(double *runs, unsigned *sms, const struct micro *micro, const struct chase *chase,
              struct err *err);

#endif

/* Where atomic operations of all thread blocks meet. L2 serves those of one place one after another, however
 * many SMs send them: for each sector of a request as many passes as lanes have the same word of it (the
 * microbenchmark behind atomic_global_same; on an NVIDIA H200, 512 bytes lie in one place). */
#ifndef MODEL_EMULATE_CONTENTION_H
#define MODEL_EMULATE_CONTENTION_H

#include "base/err.h"
#include "model/sass/arch/geometry.h"

#include <stddef.h>
#include <stdint.h>

struct contention_address {
    uint64_t number; /* from 1; 0: free */
    size_t blocks, last;
    double passes;
};

struct contention {
    struct contention_address
        *places; /* those of the first block that has atomics: only they can be everybody's */
    size_t count;
    size_t blocks, last; /* blocks with atomics so far, the last one's number */
    double lanes;        /* operations of single lanes */
};

/* Forgets everything. */
void contention_release(struct contention *contention);
/* An atomic request of the lanes `mask` to global memory by a block of this number (from 1, ascending). */
int contention_note(struct contention *contention, size_t block, const uint64_t address[LANES], uint32_t mask,
                    struct err *err);
/* Passes at the busiest place that all blocks use, per operation of a lane anywhere; 0 where there is none or
 * only one block was seen. */
double contention_share(const struct contention *contention);

#endif

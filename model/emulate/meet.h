/* Where atomic operations of all thread blocks meet. L2 serves those of one place one after another, however
 * many SMs send them: for each sector of a request as many passes as lanes have the same word of it (the
 * microbenchmark behind atomic_global_same; on an NVIDIA H200, 512 bytes lie in one place). */
#ifndef MODEL_EMULATE_MEET_H
#define MODEL_EMULATE_MEET_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct meet_place {
    uint64_t number; /* from 1; 0: free */
    size_t blocks, last;
    double passes;
};

struct meet {
    struct meet_place *places; /* those of the first block that has atomics: only they can be everybody's */
    size_t count;
    size_t blocks, last; /* blocks with atomics so far, the last one's number */
    double lanes;        /* operations of single lanes */
};

/* Forgets everything. */
void meet_release(struct meet *meet);
/* An atomic request of the lanes `mask` to global memory by a block of this number (from 1, ascending). */
int meet_note(struct meet *meet, size_t block, const uint64_t address[32], uint32_t mask, struct err *err);
/* Passes at the busiest place that all blocks use, per operation of a lane anywhere; 0 where there is none or
 * only one block was seen. */
double meet_share(const struct meet *meet);

#endif

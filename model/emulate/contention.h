/* Where atomic operations of all thread blocks meet. L2 serves those of one place one after another, however
 * many SMs send them: for each sector of a request as many passes as lanes have the same word of it (the
 * microbenchmark behind atomic_global_same). A place is what one slice of L2 serves of a KB, its first and third 256 bytes or the
 * others: on an NVIDIA H200 words of 2 lines in a row take as long as in one slice, 4 lines half of that, and 8 lines no less, 16
 * a quarter. A sector takes no addition of floating-point numbers before it has done with the one before (float_adds among the
 * assumptions), and what comes to the slice meanwhile waits behind: such passes are also counted by sector. */
#ifndef MODEL_EMULATE_CONTENTION_H
#define MODEL_EMULATE_CONTENTION_H

#include "base/err.h"
#include "model/sass/arch/geometry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CONTENTION_SECTORS = 16, /* of a place */
    CONTENTION_LINES = CONTENTION_SECTORS * SECTOR / LINE,
    CONTENTION_BLOCKS = 64 /* the first ones, of which it is known where each has come */
};

struct contention_line {
    uint64_t seen; /* bit n - 1: block n has come there, of the first ones */
    double passes;
};

struct contention_address {
    uint64_t number; /* from 1; 0: free */
    size_t blocks, last;
    double passes;
    double floats[CONTENTION_SECTORS]; /* of them, those that add floating-point numbers, by sector */
    struct contention_line lines[CONTENTION_LINES];
};

struct contention {
    struct contention_address *places; /* the first ones that blocks come to */
    size_t count;
    size_t blocks, last; /* blocks with atomics so far, the last one's number */
    double lanes;        /* operations of single lanes */
    double passes;       /* at all places ... */
    double sectors;      /* ... and of them, those without which no sector of a request is done with */
};

/* Forgets everything. */
void contention_release(struct contention *contention);
/* An atomic request of the lanes `mask` to global memory by a block of this number (from 1, ascending); `floats`: it adds
 * floating-point numbers. */
int contention_note(struct contention *contention, size_t block, const uint64_t address[LANES], uint32_t mask,
                    bool floats, struct err *err);
/* The busiest place where blocks from all over the grid meet, per operation of a lane anywhere; 0 where there is none or only one
 * block was seen. */
struct contention_busiest {
    double passes;
    double behind; /* of them, those of floats right behind another at the sector, if in any order */
};
struct contention_busiest contention_busiest(const struct contention *contention);
/* Passes anywhere, per operation of a lane. */
double contention_passes(const struct contention *contention);
/* Passes anywhere beyond the first of each sector of a request, per operation of a lane: lanes that have the same word. */
double contention_repeats(const struct contention *contention);
/* How unevenly passes lie over the places: the sum of the squares of their shares, less what it were if all were the same; 0
 * or a little more where they are. Of places where blocks from all over the grid meet. */
double contention_unevenness(const struct contention *contention);

/* Where two blocks both go. */
struct contention_common {
    double lines; /* by how evenly passes lie over them; 0: none, or more than are kept */
    double share; /* of the passes at lines that either of them goes to */
};

/* Where blocks number a and b (from 1, not above CONTENTION_BLOCKS) both go. */
struct contention_common contention_common(const struct contention *contention, size_t a, size_t b);

#endif

/* Counters in global memory that hand out work: each thread block takes the next number with an atomic addition whenever
 * it is ready, until the numbers are beyond the work there is. Executed alone, a block would take all of it.
 *
 * A counter is taken to be one where a single lane adds the same amount to the same place again and again, where
 * what it gets decides which way its block goes, and where all blocks of the grid are resident at once. Its numbers are
 * then dealt out in turn, as if all blocks were equally fast: of n blocks, the one with number b gets b, b + n, b + 2n
 * and so on. So each is taken by one block, and what the blocks of a grid do together is what they do in any
 * other order. The blocks of a cluster count as one. Any other counter is answered from the own block and initial
 * memory, as every atomic is (emulate/atomic.c). */
#ifndef MODEL_EMULATE_TICKET_H
#define MODEL_EMULATE_TICKET_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { TICKET_COUNTERS = 16 /* places where single lanes add that are looked at */ };

struct ticket_counter {
    uint64_t address, amount;
    uint64_t first; /* what it holds before anybody takes from it */
    uint64_t taken; /* times by the block being executed */
    bool hands_out; /* it is one of these */
    bool other;     /* it is not */
};

struct tickets {
    struct ticket_counter list[TICKET_COUNTERS];
    unsigned count;
    uint64_t resident; /* blocks at once on the GPU; 0: all of the grid */
    uint64_t begun;    /* the emulation's clock when the block began */
    bool taken;        /* by the last instruction: it is another warp's turn */
};

struct emulate_block;
struct emulation;
struct request;

/* A block begins, then ends. */
void tickets_begin(struct emulation *emulation);
void tickets_end(struct emulation *emulation, struct emulate_block *block);

/* One lane adds `amount` to a place that holds *old, and *old becomes what it gets; *ticket: whether that is a number
 * handed out. STEP_STOPPED where a counter turns out to hand out work: the block must begin anew. */
int ticket_take(uint64_t *old, bool *ticket, struct emulation *emulation, const struct request *request,
                unsigned lane, uint64_t amount);

#endif

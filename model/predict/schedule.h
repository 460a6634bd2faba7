/* How a grid's thread blocks come to its SMs: waves, the tail, and imbalance. The latter has the three causes
 * of low achieved occupancy in NVIDIA (profiler): unequal warps within a block, unequal blocks, too few
 * blocks. */
#ifndef MODEL_SCHEDULE_H
#define MODEL_SCHEDULE_H

#include "base/err.h"
#include "model/predict/block_order.h"
#include "model/predict/places.h"

#include <stddef.h>

struct schedule {
    double full;         /* waves in which every SM holds as many blocks as fit */
    double rest;         /* blocks of the last, partial wave; 0 when there is none */
    double rest_per_sm;  /* blocks on its fullest SM; 0 when there is none */
    double rest_sms;     /* SMs that would hold the rest at that many each; maybe fractional */
    double count;        /* waves, the partial one counted whole */
    double filled_share; /* of the block places over all waves, those that get a block: 45 of 60 is 0.75 */
};

/* `blocks`, `sms` and `blocks_per_sm` are whole numbers >= 1. */
void schedule_of(struct schedule *out, double blocks, double sms, double blocks_per_sm);

/* Share of the time that a block's place on an SM holds one. A place waits `replace_cycles` for its next
 * block, and the dispatcher sends an SM one block every `dispatch_cycles`: with `places` of them each is
 * served only every so many times that. `period_cycles` > 0 is from a block's start to its successor's, were
 * the dispatcher never late. 0 to 1. */
double schedule_held(double period_cycles, double replace_cycles, double dispatch_cycles, double places);

/* A grid of equal blocks on SMs that share what limits them, and of which some get more of it than the others. */
struct shared_sms {
    double blocks, sms, blocks_per_sm;
    double favoured, favour; /* so many SMs get `favour` times what the others get */
    double wave_cycles;      /* of blocks_per_sm blocks on each SM, were all served alike */
    double alone_cycles;     /* of as many on an SM that shares with few others */
    double block_cycles;     /* of one block alone on it */
};

/* Cycles until the last block has ended. An SM that has done takes the next blocks, and so those that are favoured take most
 * of a wave that is not full, as fast as an SM can. */
double schedule_shared(const struct shared_sms *in);

/* Factors of achieved over theoretical occupancy, each 0 to 1. */
struct imbalance {
    double too_few;        /* places that no block fills */
    double between_blocks; /* places empty because other blocks last longer */
    double within_block;   /* warps gone because another warp of their block lasts longer */
    double achieved;       /* their product */
    double makespan;       /* cycles from the first block's start to the last one's end */
    double stretch;        /* makespan over that of equal blocks of the mean length, >= 1 */
};

/* Lets `blocks` thread blocks go through the places of a GPU (model/predict/places.h). Block b lasts as long as its longest warp
 * of sample b modulo `samples`; cycles[s * warps + w] > 0 is the length of warp w in sample s, alone. Where `order` (may be null)
 * says how long each lasts, it lasts so long. Of grids beyond 32 waves the last 32 only go through them, the mean pace before.
 * ERR_USAGE when a count is 0 or a length is not positive, ERR_MEMORY. */
int imbalance_of(struct imbalance *out, const double *cycles, size_t samples, size_t warps, size_t blocks,
                 const struct places *places, const struct block_order *order, struct err *err);

/* Pieces of work that a block did one after another; `before`: what it did before the first of them. */
struct pieces {
    double before;
    const double *length;
    size_t count;
};

/* Where a counter hands out pieces to `blocks` resident blocks, whoever ends one takes the next: the first of all blocks,
 * then the second of all, and so on. Block b brings those of sample b * samples / blocks. `needed` blocks at work do as
 * much as all of them: what throughput limits is not prolonged while so many are left. Replaces what `imbalance` says
 * of unequal blocks. ERR_MEMORY. */
int imbalance_tickets(struct imbalance *imbalance, const struct pieces *pieces, size_t samples, size_t blocks,
                      double needed, struct err *err);

#endif

/* Counters in global memory at which blocks arrive, and whose last one does more than the others: it adds up what they
 * left behind, say (a sum over the grid, the parts of a tile).
 *
 * What a counter's last number is, is seen by what it is compared with. A block is executed once with a number that
 * nothing else is; where a comparison for equality meets it, the other side says which number the last one gets, and so
 * how many arrive. Of n of them, block b of the grid is then taken to be number b mod n: each n blocks have one that is
 * the last. Which blocks meet at one counter does not matter for that, and when they come nobody knows. Where another block
 * compares with another number, it begins anew with that.
 *
 * Numbers that are compared otherwise stay what the own block and initial memory say (emulate/atomic.c). */
#ifndef MODEL_EMULATE_ARRIVAL_H
#define MODEL_EMULATE_ARRIVAL_H

#include "model/sass/sass.h"

#include <stdbool.h>
#include <stdint.h>

enum { ARRIVAL_COUNTERS = 16 /* instructions that are looked at */ };

enum arrival_state { ARRIVAL_NEW, ARRIVAL_PROBED, ARRIVAL_KNOWN, ARRIVAL_OTHER };

struct arrival {
    uint32_t atomic; /* the instruction that brings the number */
    enum arrival_state state;
    int32_t amount;  /* that one of them adds */
    uint32_t first;  /* what the counter held before any of them came */
    uint32_t before; /* how many come before the last one */
    uint64_t came;   /* times, by the block being executed */

    uint32_t compare; /* the instruction that compares it with the last one's, */
    unsigned side;    /* as this operand, */
    int32_t offset;   /* when so much has been added to it */
};

struct arrivals {
    struct arrival list[ARRIVAL_COUNTERS];
    unsigned count;
    bool probing;               /* the block is executed to see what numbers are compared with */
    bool again;                 /* the block begins anew with other numbers, else as before */
    unsigned corrections;       /* of the block being executed */
    uint64_t executed, counted; /* what had been spent when probing began */
};

struct emulate_result;
struct emulation;
struct request;
struct warp;

/* Another block is to be executed; one begins, for the first time or anew; it has ended, or stopped. */
void arrivals_reset(struct emulation *emulation);
void arrivals_begin(struct emulation *emulation);
void arrivals_end(struct emulation *emulation);

/* Whether the block at `position` comes last of the whole grid. */
bool arrivals_last(const struct emulate_result *result, const unsigned position[3], const unsigned grid[3]);
/* Such a sampled block stands for next to none of the grid's `blocks`: what it does comes after all others. */
void arrivals_set_apart(struct emulate_result *result, double blocks);

/* The lanes of a request add `amount` to a place that holds *old, which becomes what they get; *known: whether that is
 * the number of an arrival. STEP_STOPPED where the block must begin anew. */
int arrival_take(uint32_t *old, bool *known, struct emulation *emulation, const struct request *request,
                 int32_t amount);

/* Whether the instruction compares integers for equality. */
bool arrival_compares(const struct sass *i);
/* To be called before it is executed by the lanes `mask`. STEP_STOPPED where the block must begin anew. */
int arrival_compare(struct emulation *emulation, const struct warp *warp, const struct sass *i,
                    uint32_t mask);

#endif

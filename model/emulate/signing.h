/* While blocks are signed (emulate/signature.h): which lanes of each warp access memory, and how blocks went that were
 * signed before.
 *
 * Where signing a block takes long, the warps of one that was signed whole are told by the ways they went. Of a later
 * block the first and the last warp of each way are executed, the probes; where all of them go as they did, the others
 * are taken to, too. That is no proof: what a quotient of the thread's number decides may differ in between. */
#ifndef MODEL_EMULATE_SIGNING_H
#define MODEL_EMULATE_SIGNING_H

#include "model/emulate/sequence.h"

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { SIGNING_WARPS = 32, SIGNING_KEPT = 4 };

struct emulation;

struct signing {
    struct sequence lanes[SIGNING_WARPS]; /* of each warp; of warps that run together the first one's */
    struct sequence *now;                 /* of the warp that runs */
    bool likens; /* warps beside the probes may be taken to go as in a block before */

    /* The order in which warps are executed, the probes first; no probes before a block was kept. */
    unsigned order[SIGNING_WARPS], probes;
    uint64_t kept[SIGNING_KEPT][SIGNING_WARPS]; /* how the warps of blocks went that were executed whole */
    unsigned kept_count;
    unsigned
        like; /* of the block in progress: the number of the one that it goes as, from 1; 0: it is executed whole */
};

/* The block in progress begins, perhaps anew. */
void signing_begin(struct signing *signing);
/* What was kept counts for nothing any more: another slice is executed. */
void signing_forget(struct signing *signing);
/* The warp to execute `turn`-th, which begins. */
unsigned signing_warp(struct signing *signing, unsigned turn);
/* To be called after every warp, `turn` counted from 0: 1 where the others go as in a block that was kept, which
 * signing->like names, else 0 or an error. */
int signing_probe(struct signing *signing, struct emulation *emulation, unsigned turn);
/* How each warp of the block went, once it is executed whole. */
int signing_ways(uint64_t out[SIGNING_WARPS], const struct signing *signing, struct emulation *emulation);
/* Keeps that; *which: its number, 0 where it is not kept. */
void signing_keep(unsigned *which, struct signing *signing, const uint64_t ways[SIGNING_WARPS],
                  unsigned warps);

#endif

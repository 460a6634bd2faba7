/* Which way a block goes: what its warps execute and, unless loaded values decide it, which of their lanes
 * access memory, without where.
 *
 * Only what decides that is executed (SLICE_LANES, SLICE_CONTROL), so that of a matrix multiplication no more
 * is left than the counters of its loops. Two blocks of the same signature issue the same instructions. */
#ifndef MODEL_EMULATE_SIGNATURE_H
#define MODEL_EMULATE_SIGNATURE_H

#include "model/emulate/signing.h"
#include "model/emulate/state.h"

struct signature {
    uint64_t hash;
    uint64_t issued; /* warp instructions of the block */
    uint64_t cost;   /* of finding it, in instructions executed */
    bool bent;       /* it executed some of the instructions that the signer's `bends` names */
    bool likened;    /* some of its warps were not executed (emulate/signing.h) */
};

/* A block that was signed whole, for those that go as it does. */
struct signed_whole {
    struct signature signature;
    uint64_t *counts; /* owned */
};

/* What one emulation keeps between signatures. */
struct signer {
    struct emulation *emulation;
    struct slice slice;
    struct steady *steady;
    uint64_t *scratch;
    const bool *bends; /* borrowed; null: none */
    bool loaded;       /* loaded values decide which lanes access memory: a signature says nothing of that */
    uint64_t budget;   /* warp instructions for the signature of one block */
    uint64_t dear;     /* warp instructions of a block that others had better be likened to */
    bool spent;        /* some block did not end within that: nobody knows how much it issues */
    uint64_t *counts;  /* warp instructions of the last block signed, by instruction */
    struct signing signing;
    struct signed_whole whole[SIGNING_KEPT];
};

/* The emulation is borrowed until signer_close(), which may be called for what signer_open() left. */
int signer_open(struct signer *out, struct emulation *emulation, struct err *err);
void signer_close(struct signer *signer);

/* Executes the block at `position`, which leaves nothing behind. *known is false where it cannot be followed
 * to its end within `budget` warp instructions. */
int signer_sign(struct signature *out, bool *known, struct signer *signer, const unsigned position[3],
                uint64_t budget, struct err *err);

/* While signing: lanes `mask` of a group of lanes execute a branch or an access. */
void signature_note(struct emulation *emulation, const struct sass *i, uint32_t group, uint32_t mask);
/* While signing, before and behind an instruction: the predicates that it combines, as of a < b && c < d. Two
 * that differ may make up for each other at the corners of a box and not within. */
void signature_note_joined(struct emulation *emulation, const struct warp *warp, const struct sass *i);
/* Whether it combines predicates. */
bool signature_joins(const struct sass *i);

#endif

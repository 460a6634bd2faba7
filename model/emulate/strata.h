/* The blocks of a grid by the way they go: which differ, how many of each there are, what all of them issue.
 *
 * The way may depend on some of a block's coordinates only (emulate/origin.h); along the others one stands
 * for all. Where comparisons divide the grid by planes, boxes are halved until the blocks at the corners go
 * the same way, and so all within. What is left, and all of a grid without that order, is gone through one by
 * one if the budget lets it; else it is divided into cells, of which one block each is looked at. What that
 * proves is kept apart from what it makes likely. */
#ifndef MODEL_EMULATE_STRATA_H
#define MODEL_EMULATE_STRATA_H

#include "model/emulate/origin.h"
#include "model/emulate/signature.h"

/* Blocks of one signature. */
struct stratum {
    uint64_t hash;
    double issued;  /* warp instructions of one of them */
    double cost;    /* of following one, in instructions executed */
    double blocks;  /* how many there are, as far as is known */
    unsigned at[3]; /* one of them */
};

struct strata {
    bool known; /* false: some block cannot be followed; nothing else is set */
    struct stratum *list;
    size_t count;
    double issued;   /* warp instructions of the grid, expected */
    double error;    /* half the width of the interval that holds them, relative; 0 where all are counted */
    double unproven; /* share of the blocks that were neither looked at nor follow from those that were */
    double unseen_each; /* blocks of those to each that was looked at in their place */
    bool likened;       /* of some only a few warps were looked at (emulate/signing.h) */
    bool alike;         /* a box of blocks that go the way of the one in the middle of the grid was found: */
    unsigned from[3], to[3];
    double *certain;  /* warp instructions that the grid certainly issues, by instruction */
    double *expected; /* those of `issued`, by instruction */
    uint64_t cost;    /* in instructions executed */
};

/* `bent`: blocks go past instructions that origin->bends names, so that no planes are looked for. Errors are
 * those of an emulation. To be released in either case. */
int strata_find(struct strata *out, struct signer *signer, const struct origin *origin, bool bent,
                uint64_t budget, struct err *err);
void strata_release(struct strata *strata);

/* The stratum of a signature, or the one whose blocks issue nearly as much. */
size_t strata_nearest(const struct strata *strata, const struct signature *signature);

#endif

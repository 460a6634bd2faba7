/* A grid while it is divided into strata: shared by strata.c, which divides by planes, and strata_cells.c,
 * which draws from what planes do not divide. */
#ifndef MODEL_EMULATE_DIVISION_H
#define MODEL_EMULATE_DIVISION_H

#include "model/emulate/strata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUTS_MOST = 128,  /* blocks signed at most to find where planes divide the grid */
    BOXES_MOST = 128, /* of the grid */
    PILOTS = 6        /* blocks looked at before the cells are made, at most */
};

/* Blocks from[] to to[], both inside. */
struct box {
    unsigned from[3], to[3];
};

struct signed_block {
    unsigned at[3];
    struct signature signature;
};

/* A block that was signed for those of its cell. */
struct looked {
    unsigned at[3];
    size_t box;
    uint64_t cells, cell; /* of how many of the box it is of which one */
    size_t stratum;       /* of the list */
    double blocks;        /* for which it stands, itself included */
    double issued,
        foreseen; /* warp instructions: counted, and by its loops' trip counts (emulate/foresee.h) */
};

struct division {
    struct strata *out;
    struct signer *signer;
    struct err *err;
    unsigned extent[3], middle[3]; /* 1 along an axis that does not matter, where the middle is looked at */
    double column;                 /* blocks that one stands for along those */
    uint64_t budget;
    bool names; /* some comparison may name one block (emulate/origin.h) */
    struct signed_block cuts[CUTS_MOST];
    size_t cut_count;
    struct box boxes[BOXES_MOST]; /* the first `bent` of them cannot be divided by planes */
    size_t box_count, bent;
    struct signed_block pilots[PILOTS]; /* of the box that they are of, one of each of as many cells, */
    uint64_t *pilot_counts;             /* and what their warps issue, as of signer.counts; owned */
    unsigned pilot_count, pilots_wanted;
    size_t piloted;
    uint64_t last_hash;    /* of the block whose counts the signer has */
    struct looked *looked; /* of the cells that were not gone through, in their order; owned */
    size_t looked_count;
    double variance; /* of the sum over cells */
    double jump;     /* the most that neighbours of those cells differ by */
    double rare;     /* warp instructions that blocks too rare to be met may add, beside that */
    double unseen;   /* blocks in those cells that were not looked at */
};

double box_volume(const struct box *box); /* in blocks */

/* So many blocks are known to issue what the block signed last does. */
void division_add_certain(struct division *division, double blocks);
/* The block in the grid that stands for `at`, a position of the axes that matter. */
void division_place(unsigned position[3], const struct division *division, const unsigned at[3]);
/* Signs the block at a position of the axes that matter. */
int division_sign(struct signature *out, struct division *division, const unsigned at[3]);
/* `blocks` blocks are like the one at `at`, which was signed last. */
int division_add_blocks(struct division *division, const struct signature *signature, const unsigned at[3],
                        double blocks);
/* The largest box from `first` on. */
size_t division_largest(const struct division *division, size_t first);

/* Parts the borders of each box from what is inside, along one axis. */
void division_part_borders(struct division *division, unsigned axis);
/* Looks at blocks of all boxes: at all where that is cheap, else at one of each of some cells. */
int division_sample_boxes(struct division *division);
/* A block at random of a cell, the draw-th of it; the first one is looked at. */
void division_pick(unsigned at[3], const struct box *box, uint64_t cells, uint64_t cell, uint64_t draw);
/* Of a sum over cells whose blocks differ by what they issue less `slope` times what was foreseen of them. */
void division_spread(struct division *division, double slope);
/* Where the blocks that were looked at leave the sum in doubt: foresees many more, and corrects the sum by how much these
 * issue more or less (a regression estimate of double sampling: Cochran, Sampling Techniques, 1977, chapter 12). */
int division_foresee(struct division *division);

#endif

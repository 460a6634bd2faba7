/* The box of a tensor that a tensor copy moves, and its bytes.
 *
 * A load fills shared memory with data that seldom decides an address: its bytes are moved once somebody asks
 * for one of them, or before the tensor changes. */
#ifndef MODEL_EMULATE_TENSOR_BOX_H
#define MODEL_EMULATE_TENSOR_BOX_H

#include "model/emulate/state.h"

struct tensor_copy {
    struct emulation *emulation;
    struct warp *warp;
    const struct sass *i;
    const struct tensor_map *map;
    uint64_t map_address, base;        /* the latter of the element at coordinates 0 */
    int64_t first[TENSOR_RANK_MOST];   /* coordinates of the box */
    unsigned extent[TENSOR_RANK_MOST]; /* elements of it along each dimension */
    size_t element;                    /* bytes */
    uint32_t shared, mbarrier;
    uint32_t ranks; /* blocks of the cluster that a load goes to; 0: the one addressed */
};

/* The row of the box with these numbers along dimensions 1 and up: whether any of it is in the tensor; if so
 * from which element of the box on, how many, and the address of the first. */
bool tensor_row_inside(uint64_t *address, int64_t *skipped, int64_t *count, const struct tensor_copy *copy,
                       const unsigned at[TENSOR_RANK_MOST]);
/* The next row; false behind the last. */
bool tensor_next_row(unsigned at[TENSOR_RANK_MOST], const struct tensor_copy *copy);

/* Moves the bytes, from or to shared memory. */
int tensor_move(const struct tensor_copy *copy);
/* Of a load, whose rows are inside of their buffer: does so when it must be. */
int tensor_load(const struct tensor_copy *copy);

/* Moves what was put off and fills some of these bytes of shared memory. */
int tensor_settle(struct emulation *emulation, const unsigned char *bytes, size_t count);
/* Moves what was put off and comes from a region of global memory, which is about to change. */
int tensor_settle_from(struct emulation *emulation, const struct region *region);
/* Shared memory begins anew. */
void tensor_forget(struct emulation *emulation);

#endif

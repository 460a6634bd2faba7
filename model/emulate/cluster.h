/* The thread blocks of a cluster, executed together where one waits for what another does: for arrivals at
 * its mbarriers, multicast copies, stores into its shared memory. One of them is the block that the emulation
 * counts; of its peers nothing is counted. At any time the emulation's fields are those of one block, which
 * was entered. */
#ifndef MODEL_EMULATE_CLUSTER_H
#define MODEL_EMULATE_CLUSTER_H

#include "model/emulate/state.h"

/* Thread blocks of a cluster along each axis: as launched, or else as the kernel requires. */
void cluster_extent(unsigned out[3], const struct launch *launch, const struct cubin_kernel *kernel);

/* Where there are clusters; ERR_MEMORY. */
int cluster_open(struct emulation *emulation, struct err *err);
void cluster_close(struct emulation *emulation);

/* The block's rank in its cluster. */
unsigned cluster_rank(const struct emulation *emulation, const unsigned position[3]);

/* The number of its cluster in the grid; of the block where there are none. */
uint64_t cluster_number(const struct emulation *emulation, const unsigned position[3]);

/* Puts all blocks of the cluster around the one being executed at their beginning. */
int cluster_start(struct emulation *emulation, struct err *err);

/* How many blocks a cluster has; how many run together, 1 where each does by itself. */
unsigned cluster_count(const struct emulation *emulation);
unsigned cluster_running(const struct emulation *emulation);
/* Makes the fields those of the block of that rank; returns which was entered before. */
unsigned cluster_enter(struct emulation *emulation, unsigned rank);
/* The same by an address in shared memory, whose rank stands above 16 MB. No such block runs: nothing. */
unsigned cluster_enter_at(struct emulation *emulation, uint32_t address);
/* Whether another block than the one that is counted was entered. */
bool cluster_is_peer(const struct emulation *emulation);
/* Shared memory of a block that runs, of the same size for all; null where it does not. */
unsigned char *cluster_shared(bool **unknown, const struct emulation *emulation, unsigned rank);

/* Whether the warps of some block of those that run together went another way so far than the same warps of
 * the block that is counted. How often they went round loops, and where each is now, makes no difference. */
bool cluster_differs(const struct emulation *emulation);

/* UCGABAR_ARV, UCGABAR_WAIT, and whether leaving threads are the last that were waited for. */
int cluster_barrier(struct emulation *emulation, struct warp *warp, struct group *group,
                    const struct sass *i);
void cluster_release_barrier(struct emulation *emulation);

/* Whose shared memory an address is in. */
static inline unsigned cluster_rank_at(uint32_t address)
{
    return address >> 24;
}

static inline uint32_t cluster_offset(uint32_t address)
{
    return address & 0xffffff;
}

#endif

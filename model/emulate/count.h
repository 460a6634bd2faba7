/* What one warp-wide request costs the memory system. Pure functions of the lanes' addresses. */
#ifndef MODEL_EMULATE_COUNT_H
#define MODEL_EMULATE_COUNT_H

#include "model/sass/arch/geometry.h"

#include <stdbool.h>
#include <stdint.h>

/* How many different aligned blocks of `size` bytes (a power of two) the lanes of `mask` touch. A request of
 * 8 or 16 bytes a lane goes through in halves or quarters of the warp, and each part counts on its own. Lanes
 * do not cross blocks: accesses are aligned to their width. */
unsigned count_blocks(const uint64_t address[LANES], uint32_t mask, unsigned width, unsigned size);

enum { COUNT_NEAR = 64 * SECTOR };

/* The same of blocks of SECTOR and of LINE bytes, of addresses less than COUNT_NEAR bytes beyond `base`, where a line
 * begins. Most requests are such. */
struct count_near {
    unsigned sectors, lines;
    unsigned parts; /* that have a lane */
};
struct count_near count_near(const uint64_t address[LANES], uint32_t mask, unsigned width, uint64_t base);
/* The same of addresses in one sector. */
struct count_near count_nearest(uint32_t mask, unsigned width);

/* Passes through shared memory's 32 banks of 4 bytes. Lanes that touch the same word share it.
 *
 * Up to 4 bytes a lane: as many passes as the fullest bank has different words. 8 bytes: two halves of the
 * warp, which go together where every lane's neighbour (lane ^ 1, or for all lane ^ 2) reads the same
 * address. 16 bytes: the same for the two quarters of each half. Found by microbenchmarks on GPUs since
 * sm_70. */
unsigned count_wavefronts(const uint64_t address[LANES], uint32_t mask, unsigned width);

/* Passes through L1's banks for global memory, which are the same: every half or quarter goes by itself, also
 * where all lanes read one address. Found by microbenchmarks on an NVIDIA H200 (benchmarks/micro, broadcast). */
unsigned count_passes(const uint64_t address[LANES], uint32_t mask, unsigned width);

/* What a copy past L1 (LDGSTS.BYPASS) asks L2 for beyond the sectors and lines at `from`. A request is of one line there and one
 * of shared memory, at `to`. A sector whose halves go to two sectors of shared memory comes twice, asked for by a request for
 * each half; those that ask for the same are one to L2. So it is by counters of an NVIDIA H200 for rows of 32, 64 and 128
 * bytes, 0, 16 and 32 bytes apart (benchmarks/micro/README.md). */
struct count_askew {
    unsigned sectors, lines;
};
struct count_askew count_askew(const uint64_t from[LANES], const uint64_t to[LANES], uint32_t mask);

/* The lowest and the highest address of a mask's lanes, of which there is one. */
void count_extent(uint64_t *least, uint64_t *most, const uint64_t address[LANES], uint32_t mask);

/* Whether all words of accesses from `least` to `most` have banks of their own, so that each part is one pass. */
bool count_narrow(uint64_t least, uint64_t most, unsigned width);

#endif

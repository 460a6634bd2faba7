/* What one warp-wide request costs the memory system. Pure functions of the lanes' addresses. */
#ifndef MODEL_EMULATE_COUNT_H
#define MODEL_EMULATE_COUNT_H

#include "model/sass/arch/geometry.h"

#include <stdint.h>

/* How many different aligned blocks of `size` bytes (a power of two) the lanes of `mask` touch. A request of
 * 8 or 16 bytes a lane goes through in halves or quarters of the warp, and each part counts on its own. Lanes
 * do not cross blocks: accesses are aligned to their width. */
unsigned count_blocks(const uint64_t address[LANES], uint32_t mask, unsigned width, unsigned size);

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

#endif

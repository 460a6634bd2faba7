/* What L2 lets the waves of a grid fetch of its regions from DRAM. For model/memory/reuse_regions.c. */
#ifndef MODEL_REUSE_FETCH_H
#define MODEL_REUSE_FETCH_H

#include "model/memory/reuse_regions.h"

/* Waves of wave_blocks blocks, in all rounds. */
double reuse_fetch_waves(const struct reuse_regions *reuse_regions);

/* Fills `missed` of all regions: what a wave touches, and what L2 has left of the launch before, is known. */
void reuse_fetch_regions(struct reuse_regions *reuse_regions);

/* Fills `ready` of all regions, by what is missed. */
void reuse_fetch_ready(struct reuse_regions *reuse_regions);

#endif

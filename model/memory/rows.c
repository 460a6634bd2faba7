#include "model/memory/rows.h"

#include <math.h>

/* Whether the two blocks begin to read some region at places whose distance is such a multiple; none does at another. */
static bool far_apart(const struct emulate_result *result, const struct emulate_block *own,
                      const struct emulate_block *next, uint64_t multiple)
{
    bool found = false;

    for (size_t r = 0; r < result->region_count; r++) {
        const struct emulate_region *region = &result->regions[r];
        const uint64_t end = region->address + (region->bytes + SECTOR - 1) / SECTOR * SECTOR;
        uint64_t first, then;

        if (!footprint_first(&first, &own->read, region->address, end) ||
            !footprint_first(&then, &next->read, region->address, end) || first == then)
            continue;
        if ((then > first ? then - first : first - then) % multiple)
            return false;
        found = true;
    }
    return found;
}

/* Whether all sampled blocks read as much, so that they stay in step. */
static bool alike(const struct emulate_result *result)
{
    for (size_t b = 1; b < result->block_count; b++)
        if (result->blocks[b].read.sectors != result->blocks[0].read.sectors)
            return false;
    return true;
}

double rows_slowed(const struct machine *machine, const struct traffic *traffic,
                   const struct emulate_result *result, double under_way)
{
    const struct device_curve *in_step = &machine->device->curves[DEVICE_CURVE_DRAM_IN_STEP];
    const double read = traffic->dram.read, written = traffic->dram.written;
    const int next = emulate_sample_beside(result, 0, EMULATE_X1);

    if (!in_step->count || next < 0 || !alike(result) || !(under_way > 0) || !(read > written))
        return 1;
    if (!far_apart(result, &result->blocks[0], &result->blocks[next],
                   (uint64_t)machine->assumptions.rows_apart))
        return 1;
    /* beside as many writes nothing was lost */
    return 1 + (1 / device_curve_at(in_step, under_way) - 1) * (read - written) / (read + written);
}

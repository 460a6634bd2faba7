#include "model/emulate/told.h"

#include "model/emulate/slice.h"

#include <stdlib.h>

static bool is_issued(const struct emulate_result *result, size_t index)
{
    for (size_t b = 0; b < result->block_count; b++)
        if (result->blocks[b].counts[index].issued > 0)
            return true;
    return false;
}

/* A clock, or the SM and the slot on it: the emulation has a clock of its own and one SM. */
static bool reads_whereabouts(const struct sass *i)
{
    const struct sass_operand *from = &i->sources[0];

    if (!i->source_count || from->kind != SASS_SPECIAL)
        return false;
    return from->value == SASS_SR_VIRTID || from->value == SASS_SR_VIRTUALSMID ||
           (from->value >= SASS_SR_CLOCKLO && from->value <= SASS_SR_GLOBALTIMERHI);
}

static bool is_global_load(const struct sass *i)
{
    const struct sass_access *access = &i->accesses[0];

    return i->access_count == 1 && access->access == SASS_READS &&
           (access->space == SASS_SPACE_GLOBAL || access->space == SASS_SPACE_GENERIC);
}

/* The answer to an atomic that was given from its own block alone. Numbers that counters hand out are not. */
static bool is_answer(const struct emulate_result *result, const struct sass *i)
{
    if (!result->assumed || !i->access_count || !(i->accesses[0].access & SASS_ATOMICALLY) ||
        i->accesses[0].space == SASS_SPACE_SHARED)
        return false;
    return i->pc == result->assumed_pc || !(result->tickets || result->arrivals);
}

/* Whether some sampled block reads of the region what another one writes. */
static bool is_overwritten(const struct emulate_result *result, const struct emulate_region *region)
{
    const uint64_t bytes = (region->bytes + SECTOR - 1) / SECTOR * SECTOR;

    for (size_t a = 0; a < result->block_count; a++)
        for (size_t b = 0; b < result->block_count; b++)
            if (a != b && footprint_shared_in(&result->blocks[a].read, &result->blocks[b].written,
                                              &result->blocks[b].written, region->address, bytes))
                return true;
    return false;
}

/* Those that are, one for each region. */
static bool *find_overwritten(const struct emulate_result *result, struct err *err)
{
    bool *out = calloc(result->region_count + 1, sizeof *out);

    if (!out)
        err_memory(err);
    for (size_t r = 0; out && r < result->region_count; r++)
        out[r] = is_overwritten(result, &result->regions[r]);
    return out;
}

static bool loads_overwritten(const struct emulate_result *result, const bool *overwritten, size_t index)
{
    bool does = false;

    for (size_t b = 0; b < result->block_count && !does; b++) {
        const unsigned region = result->blocks[b].touches[index].region;

        does = region && overwritten[region - 1];
    }
    return does;
}

/* Volatile, relaxed or acquire: nobody asks for that but of memory that others write. */
static bool is_strong(const struct sass *i)
{
    return i->mod[SASS_MOD_ORDER] == SASS_ORDER_STRONG;
}

/* In a loop that waits for others to store: it is named as such. */
static bool is_polled(const struct waiting *waiting, size_t index)
{
    for (unsigned k = 0; k < waiting->count; k++)
        if (index >= waiting->loops[k].first && index < waiting->loops[k].back)
            return true;
    return false;
}

static unsigned kind_of(const struct emulate_result *result, const struct emulation *emulation,
                        const bool *overwritten, size_t index)
{
    const struct sass *i = &emulation->instructions[index];

    if (!is_issued(result, index))
        return 0;
    if (reads_whereabouts(i))
        return EMULATE_TOLD_WHEREABOUTS;
    if (is_answer(result, i))
        return EMULATE_TOLD_ANSWERS;
    if (!is_global_load(i) || is_polled(&emulation->waiting, index))
        return 0;
    return is_strong(i) || loads_overwritten(result, overwritten, index) ? EMULATE_TOLD_STORED : 0;
}

int told_find(struct emulate_result *result, struct emulation *emulation, struct err *err)
{
    const struct slice_code code = emulation_code(emulation);
    bool *const overwritten = find_overwritten(result, err);
    struct slice slice = {0};
    int rc = overwritten ? 0 : ERR_MEMORY;

    for (size_t index = 0; index < emulation->count && !rc; index++) {
        const unsigned kind = kind_of(result, emulation, overwritten, index);

        if (kind && !slice.wanted)
            rc = slice_init(&slice, &code, SLICE_CONTROL, false, false, err);
        if (kind && !rc && slice.wanted[index])
            result->told |= kind;
    }
    if (slice.wanted)
        slice_release(&slice);
    free(overwritten);
    return rc;
}

#include "model/emulate/span.h"

#include "model/emulate/peek.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 1 << 17 }; /* warp instructions to spend on all looks together */

struct rows {
    struct emulate_result *result;
    struct emulation *emulation;
    struct err *err;
    size_t regions;
    uint64_t instructions; /* of a block looked at */
    uint64_t left;         /* to spend */
    bool *wanted;          /* by region, of the axis in hand */
    bool *late;            /* of those, what is read too late for a look */
    uint64_t *first;       /* reads of the middle block, and ... */
    uint64_t *here;        /* of another one */
    uint64_t *same,
        *other; /* by region: the furthest block known to read the same, and the nearest one that does not */
};

static bool is_shared(const struct emulate_result *result, size_t r, int beside)
{
    const struct emulate_region *region = &result->regions[r];
    const struct footprint *own = &result->blocks[0].read;
    const uint64_t all = footprint_shared_in(own, own, own, region->address, region->bytes);

    return beside >= 0 && all > 0 &&
           all == footprint_shared_in(own, &result->blocks[beside].read, &result->blocks[beside].read,
                                      region->address, region->bytes);
}

/* Marks the regions in question; whether there are any. */
static bool find_wanted(struct rows *rows, unsigned axis)
{
    static const enum emulate_slot slots[3] = {EMULATE_X1, EMULATE_Y1, EMULATE_Z1};
    const struct emulate_result *result = rows->result;
    const int beside = emulate_sample_beside(result, 0, slots[axis]);
    bool any = false;

    for (size_t r = 0; r < rows->regions; r++) {
        const bool linear = result->alike.known && result->alike.linear && result->alike.linear[r];

        rows->wanted[r] = !linear && is_shared(result, r, beside);
        any |= rows->wanted[r];
    }
    return any;
}

/* Looks at the block so many away, and notes of which regions it reads the same. */
static int look(struct rows *rows, unsigned axis, int sign, uint64_t distance)
{
    unsigned position[3];
    int rc;

    memcpy(position, rows->result->blocks[0].position, sizeof position);
    position[axis] += (unsigned)(sign * (int)distance);
    memory_forget(&rows->emulation->memory);
    rc = emulation_peek(rows->here, rows->emulation, position, rows->instructions, NULL, rows->err);
    rows->left -= rows->instructions;
    for (size_t r = 0; r < rows->regions && !rc; r++) {
        if (rows->here[r] != rows->first[r])
            rows->other[r] = distance < rows->other[r] ? distance : rows->other[r];
        else if (distance < rows->other[r] && distance > rows->same[r])
            rows->same[r] = distance;
    }
    return rc;
}

/* The block to look at next for some region: twice as far as the last one, then between; 0 where all is known. */
static uint64_t next_distance(const struct rows *rows, uint64_t end)
{
    for (size_t r = 0; r < rows->regions; r++) {
        const uint64_t same = rows->same[r], other = rows->other[r];

        if (!rows->wanted[r] || other - same < 2)
            continue;
        if (other <= end)
            return same + (other - same) / 2;
        return 2 * same + 1 < end ? 2 * same + 1 : end;
    }
    return 0;
}

/* Adds the blocks on one side of the middle one to the spans. Regions of which it is not found out keep none. */
static int add_side(struct rows *rows, unsigned axis, int sign, uint64_t end)
{
    uint64_t distance;
    int rc = 0;

    for (size_t r = 0; r < rows->regions; r++) {
        rows->same[r] = 0;
        rows->other[r] = end + 1;
    }
    while (!rc && (distance = next_distance(rows, end)) && rows->left > rows->instructions)
        rc = look(rows, axis, sign, distance);
    for (size_t r = 0; r < rows->regions; r++) {
        uint64_t *span = &rows->result->spans[3 * r + axis];

        rows->wanted[r] &= rows->other[r] - rows->same[r] <= 1;
        *span = rows->wanted[r] ? *span + rows->same[r] : 0;
    }
    return rc;
}

/* How much of a block is to be looked at: until it has read of all wanted regions, or of those that are read early. */
static int find_reach(struct rows *rows, const unsigned middle[3])
{
    int rc = peek_reach(&rows->instructions, rows->first, rows->emulation, middle, rows->wanted, rows->err);
    bool any = false;

    memset(rows->late, 0, rows->regions * sizeof *rows->late);
    if (rc || rows->instructions)
        return rc;
    for (size_t r = 0; r < rows->regions; r++) {
        rows->late[r] = rows->wanted[r] && !rows->first[r];
        rows->wanted[r] &= !rows->late[r];
        any |= rows->wanted[r];
    }
    memory_forget(&rows->emulation->memory);
    return any ? peek_reach(&rows->instructions, rows->first, rows->emulation, middle, rows->wanted,
                            rows->err)
               : 0;
}

/* What is read late is taken to be shared by as many as the least that is read early. */
static void add_late(struct rows *rows, unsigned axis)
{
    uint64_t *const spans = rows->result->spans;
    uint64_t least = 0;

    for (size_t r = 0; r < rows->regions; r++)
        if (rows->wanted[r] && (!least || spans[3 * r + axis] < least))
            least = spans[3 * r + axis];
    for (size_t r = 0; r < rows->regions; r++)
        if (rows->late[r])
            spans[3 * r + axis] = least;
}

static int find_axis(struct rows *rows, unsigned axis)
{
    const unsigned extent = rows->emulation->launch->grid[axis];
    const unsigned *middle = rows->result->blocks[0].position;
    int rc;

    if (extent < 3 || !find_wanted(rows, axis))
        return 0;
    memory_forget(&rows->emulation->memory);
    rc = find_reach(rows, middle);
    if (rc || !rows->instructions)
        return rc;
    for (size_t r = 0; r < rows->regions; r++)
        rows->result->spans[3 * r + axis] = rows->wanted[r]; /* itself */
    rc = add_side(rows, axis, 1, extent - 1 - middle[axis]);
    if (!rc)
        rc = add_side(rows, axis, -1, middle[axis]);
    if (!rc)
        add_late(rows, axis);
    return rc;
}

int span_find(struct emulate_result *result, struct emulation *emulation, struct err *err)
{
    struct rows rows = {.result = result,
                        .emulation = emulation,
                        .err = err,
                        .regions = result->region_count,
                        .left = LOOKED_AT};
    uint64_t *numbers;
    int rc = 0;

    if (result->end != EMULATE_DONE || result->order.digits > 0 ||
        result->block_count >= launch_blocks(emulation->launch))
        return 0;
    numbers = calloc(4 * rows.regions + 1, sizeof *numbers);
    rows.wanted = calloc(2 * rows.regions + 1, sizeof *rows.wanted);
    result->spans = calloc(3 * rows.regions + 1, sizeof *result->spans);
    if (!numbers || !rows.wanted || !result->spans) {
        rc = err_memory(err);
    } else {
        rows.late = rows.wanted + rows.regions;
        rows.first = numbers;
        rows.here = numbers + rows.regions;
        rows.same = numbers + 2 * rows.regions;
        rows.other = numbers + 3 * rows.regions;
    }
    for (unsigned axis = 0; axis < 3 && !rc; axis++)
        rc = find_axis(&rows, axis);
    free(numbers);
    free(rows.wanted);
    return rc;
}

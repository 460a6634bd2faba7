/* The beginning of a block whose warps were executed one by one, now together: which phases they arrive at and wait for. */
#include "model/emulate/block.h"

#include "model/emulate/cluster.h"
#include "model/emulate/run.h"
#include "model/emulate/steady.h"

#include <string.h>

enum { BEGINNING = 1 << 16 /* instructions of a block: half of what a simulation of an SM takes */ };

/* An earlier block whose warps take the same paths wait for the same phases. */
static bool borrow_events(struct emulate_block *block, const struct emulate_result *result)
{
    for (size_t b = 0; b < result->block_count; b++) {
        const struct emulate_block *other = &result->blocks[b];

        if (other == block || !other->events ||
            memcmp(other->paths, block->paths, block->warps * sizeof *block->paths))
            continue;
        block->events = other->events;
        block->phases = other->phases;
        block->borrows_events = true;
        return true;
    }
    return false;
}

static void cut_events(struct emulation *emulation, struct emulate_block *block)
{
    for (unsigned w = 0; w < block->warps && block->events; w++)
        block->events[w].cut |= emulation->own.warps[w].group_count > 0;
}

/* More is needed of the beginning than its slice has: false where it has all there is. */
static int widen(bool *again, struct emulation *emulation, struct err *err)
{
    const struct slice_code code = emulation_code(emulation);

    *again = emulation->restart && (emulation->mistrust != NOBODY || !emulation->slice.stores);
    if (!*again)
        return 0;
    if (emulation->mistrust != NOBODY)
        return slice_pin(&emulation->slice, &code, emulation->mistrust, err);
    return emulation_slice_as(&emulation->slice, emulation, emulation->slice.aim, true, false, err);
}

/* A slice that holds for whole blocks, warp by warp, may not do so here: then it is made again. */
static int run_beginning(struct emulation *emulation, struct emulate_block *scratch, struct err *err)
{
    bool again;
    int rc;

    do {
        emulation->beginning = emulation->clock + (uint64_t)BEGINNING * cluster_count(emulation);
        steady_reset(emulation->steady);
        memory_forget(&emulation->memory);
        rc = block_start(emulation, scratch, err);
        if (!rc)
            rc = run_block(emulation);
        again = false;
        if (!rc)
            rc = widen(&again, emulation, err);
    } while (!rc && again);
    return rc;
}

/* The block's beginning, its warps together: counts nothing, notes which phases they arrive at and wait for,
 * and finds what can never end. */
static int execute_beginning(struct emulation *emulation, struct emulate_block *block, struct slice *slice,
                             struct err *err)
{
    const struct slice apart = emulation->slice;
    const bool together = emulation->together;
    struct emulate_block scratch = {.warps = block->warps};
    int rc;

    memcpy(scratch.position, block->position, sizeof scratch.position);
    emulation->slice = *slice;
    emulation->together = true;
    emulation->rehearsing = true;
    rc = run_beginning(emulation, &scratch, err);
    cut_events(emulation, &scratch);
    emulation->result->uneven_clusters = cluster_differs(emulation);
    block->events = scratch.events;
    block->phases = scratch.phases;
    emulation->beginning = 0;
    emulation->rehearsing = false;
    emulation->together = together;
    *slice = emulation->slice;
    emulation->slice = apart;
    emulation->block = block;
    return rc;
}

int block_note_beginning(struct emulation *emulation, struct emulate_block *block, struct err *err)
{
    struct emulate_result *const own = emulation->result, result;
    const uint64_t counted = emulation->counted;
    struct slice slice = {0};
    int rc;

    if (borrow_events(block, own))
        return 0;
    rc = emulation_slice_as(&slice, emulation, emulation->slice.aim, false, false, err);
    emulation_begin(&result, emulation);
    emulation->result = &result;
    if (!rc)
        rc = execute_beginning(emulation, block, &slice, err);
    emulation->result = own;
    emulation->counted = counted;
    own->executed += result.executed;
    own->skipped |= result.skipped;
    own->parted |= result.parted;
    own->uneven_clusters |= result.uneven_clusters;
    if (!rc && result.end != EMULATE_DONE) {
        own->end = result.end;
        own->pc = result.pc;
        memcpy(own->position, result.position, sizeof own->position);
        memcpy(own->reason, result.reason, sizeof own->reason);
    }
    emulate_result_release(&result);
    slice_release(&slice);
    return rc;
}

#include "model/emulate/block.h"

#include "base/array.h"
#include "model/emulate/cluster.h"
#include "model/emulate/events.h"
#include "model/emulate/follow.h"
#include "model/emulate/memoize.h"
#include "model/emulate/run.h"
#include "model/emulate/signing.h"
#include "model/emulate/steady.h"
#include "model/emulate/tensor_box.h"
#include "model/emulate/walk.h"

#include <stdlib.h>
#include <string.h>

int emulation_slice_as(struct slice *out, const struct emulation *emulation, enum slice_aim aim, bool stores,
                       bool apart, struct err *err)
{
    const struct slice_code code = emulation_code(emulation);

    slice_release(out);
    return slice_init(out, &code, aim, stores, apart, err);
}

int emulation_slice(struct emulation *emulation, bool stores, struct err *err)
{
    const enum slice_aim aim = emulation->slice.aim;
    const bool apart = emulation->waits && !emulation->together && !stores && aim != SLICE_EVERYTHING;
    int rc = emulation_slice_as(&emulation->slice, emulation, aim, stores, apart, err);

    if (!rc && apart && emulation->slice.reads_shared)
        rc = emulation_slice_as(&emulation->slice, emulation, aim, stores, false, err);
    return rc;
}

static void clear_registers(struct registers *regs, const struct emulation *emulation)
{
    memset(regs->r, 0, emulation->row_count * sizeof(row));
    memset(regs->u, 0, emulation->uniform_count * sizeof(row));
    memset(regs->b, 0, sizeof regs->b);
    for (unsigned k = 0; k < 8; k++)
        regs->p[k] = regs->up[k] = k == SASS_PT ? ALL_LANES : 0;
    if (regs->tainted) {
        memset(regs->r_unknown, 0, sizeof regs->r_unknown);
        memset(regs->u_unknown, 0, sizeof regs->u_unknown);
        memset(regs->p_unknown, 0, sizeof regs->p_unknown);
        memset(regs->up_unknown, 0, sizeof regs->up_unknown);
    }
    if (regs->doubtful)
        memset(regs->stale, 0, sizeof regs->stale);
    regs->tainted = regs->doubtful = false;
}

/* Divides once a warp: a division takes as long as an instruction of all lanes. */
static void place_lanes(struct warp *warp, const unsigned block[3])
{
    const unsigned first = warp->index * LANES;
    unsigned x = first % block[0], y = first / block[0] % block[1], z = first / block[0] / block[1];

    for (unsigned l = 0; l < LANES; l++) {
        warp->tid[0][l] = x;
        warp->tid[1][l] = y;
        warp->tid[2][l] = z;
        if (++x < block[0])
            continue;
        x = 0;
        if (++y < block[1])
            continue;
        y = 0;
        z++;
    }
}

void warp_start(struct emulation *emulation, struct warp *warp)
{
    const unsigned left = emulation->threads - warp->index * LANES;

    clear_registers(warp->regs, emulation);
    warp->exited = left >= LANES ? 0 : ALL_LANES << left;
    place_lanes(warp, emulation->launch->block);
    warp->groups[0] = (struct group){.mask = ~warp->exited};
    warp->group_count = 1;
    warp->turn = 0;
    warp->passed = 0;
    if (warp->local_used)
        memset(warp->local_unknown, 0, emulation->local_bytes * LANES);
    warp->local_used = false;
    trace_clear(&warp->trace);
}

/* Registers for all warps, or for one after another: those of one stay in the caches. */
static int share_registers(struct emulation *emulation, struct err *err)
{
    const unsigned sets = emulation->alone ? 1 : emulation->warp_count;

    if (emulation->register_sets < sets) {
        free(emulation->registers);
        emulation->registers = calloc(sets, sizeof *emulation->registers);
        emulation->register_sets = emulation->registers ? sets : 0;
    }
    if (!emulation->registers)
        return err_memory(err);
    for (unsigned w = 0; w < emulation->warp_count; w++)
        emulation->own.warps[w].regs = &emulation->registers[emulation->alone ? 0 : w];
    return 0;
}

int block_start(struct emulation *emulation, struct emulate_block *block, struct err *err)
{
    const bool sliced = emulation->mode == EMULATE_SLICED;
    int rc;

    emulation->block = block;
    memcpy(emulation->own.position, block->position, sizeof emulation->own.position);
    memset(emulation->leaders, 0, emulation->count);
    memset(emulation->issue_steps, 0, (emulation->count + 1) * sizeof *emulation->issue_steps);
    if (!emulation->lowest && !emulation->beginning) {
        memset(block->counts, 0, emulation->count * sizeof *block->counts);
        memset(block->touches, 0, emulation->count * sizeof *block->touches);
    }
    tickets_begin(emulation);
    arrivals_begin(emulation);
    block->ticket_count = 0;
    reuse_distance_begin(&emulation->distance);
    if (follow_begin(emulation, err))
        return ERR_MEMORY;
    walk_begin(emulation);
    footprint_release(&block->read);
    footprint_release(&block->written);
    emulation->own.shared_tainted = false;
    emulation->restart = emulation->copied = false;
    if (emulation->signing)
        signing_begin(emulation->signing);
    emulation->mistrust = NOBODY;
    emulation->own.alive = emulation->threads;
    emulation->alone = sliced && !emulation->together && !emulation->slice.reads_shared &&
                       !emulation->slice.stores &&
                       (!emulation->waits || emulation->signing || emulation->slice.apart);
    rc = share_registers(emulation, err);
    if (!rc)
        rc = cluster_start(emulation, err);
    if (!rc)
        rc = events_start(emulation, block, err);
    if (rc)
        return rc;
    tensor_forget(emulation);
    if (!emulation->alone) { /* else nobody reads shared memory */
        memset(emulation->own.shared, 0, emulation->shared_bytes);
        memset(emulation->own.shared_unknown, 0, emulation->shared_bytes);
    }
    for (unsigned b = 0; b < BARRIERS; b++)
        emulation->own.barriers[b] = (struct block_barrier){.all = true};
    for (unsigned w = 0; w < emulation->warp_count && !emulation->alone; w++)
        warp_start(emulation, &emulation->own.warps[w]);
    note_change(emulation);
    return 0;
}

static bool paths_equal(const struct emulate_path *path, const struct trace *trace, uint64_t hash)
{
    return path->hash == hash && path->count == (trace->cut ? 0 : trace->count);
}

/* The index of the warp's path among the result's, added if it is new. */
static int add_path(uint32_t *out, struct emulate_result *result, struct trace *trace, struct err *err)
{
    struct emulate_path *path;
    uint64_t hash;
    int rc = trace_finish(&hash, trace, err);

    if (rc)
        return rc;
    for (size_t k = 0; k < result->path_count; k++)
        if (paths_equal(&result->paths[k], trace, hash)) {
            *out = (uint32_t)k;
            return 0;
        }
    rc = ARRAY_GROW(result->paths, result->path_count, err);
    if (rc)
        return rc;
    path = &result->paths[result->path_count];
    *path = (struct emulate_path){.hash = hash, .cut = trace->cut, .count = trace->cut ? 0 : trace->count};
    path->steps = malloc((path->count + 1) * sizeof *path->steps);
    if (!path->steps)
        return err_memory(err);
    memcpy(path->steps, trace->steps, path->count * sizeof *path->steps);
    *out = (uint32_t)result->path_count++;
    return 0;
}

static int finish_block(struct emulation *emulation, struct emulate_block *block, struct err *err)
{
    int64_t issued = 0;

    tickets_end(emulation, block);
    block->last_of_all = arrivals_last(emulation->result, block->position, emulation->launch->grid);
    for (size_t k = 0; k < emulation->count; k++) {
        issued += emulation->issue_steps[k];
        block->counts[k].issued = (uint64_t)issued;
        block->issued += (uint64_t)issued;
    }
    for (unsigned w = 0; w < emulation->warp_count; w++) {
        const int rc = add_path(&block->paths[w], emulation->result, &emulation->own.warps[w].trace, err);

        if (rc)
            return rc;
    }
    return 0;
}

/* More is needed than was thought: warps that wait for each other, what stores leave in memory, or a value
 * that was taken not to be read. What was learned of loops goes with the slice it was learned under. */
static int slice_again(struct emulation *emulation, struct err *err)
{
    const struct slice_code code = emulation_code(emulation);
    int rc;

    memo_forget(emulation->memo);
    if (emulation->signing)
        signing_forget(emulation->signing);
    steady_close(emulation->steady);
    rc = steady_open(&emulation->steady, err);
    if (rc)
        return rc;
    if (emulation->together && emulation->mistrust == NOBODY)
        return emulation->slice.apart ? emulation_slice(emulation, false, err) : 0;
    if (emulation->mistrust == NOBODY)
        return emulation_slice(emulation, true, err);
    rc = slice_pin(&emulation->slice, &code, emulation->mistrust, err);
    if (rc || !emulation->slice.apart || !emulation->slice.reads_shared)
        return rc;
    /* Another slice trusts the same loads again: apart, it would do so for ever. */
    emulation->together = true;
    return emulation_slice(emulation, false, err);
}

/* With other numbers at counters. */
static int begin_again(struct emulation *emulation)
{
    memo_forget(emulation->memo);
    return 0;
}

/* Warps that wait for each other, executed one by one, come to a value that only the others could know. */
static bool is_lost_apart(const struct emulation *emulation)
{
    return emulation->result->end == EMULATE_INCOMPLETE && emulation->alone && emulation->slice.apart &&
           !emulation->signing;
}

static int execute(struct emulation *emulation, struct emulate_block *block, struct err *err)
{
    int rc;

    arrivals_reset(emulation);
    do {
        if (emulation->mode == EMULATE_SLICED)
            memory_forget(&emulation->memory);
        rc = block_start(emulation, block, err);
        if (!rc)
            rc = run_block(emulation);
        if (!rc && is_lost_apart(emulation)) {
            emulation->result->end = EMULATE_DONE;
            emulation->together = emulation->restart = true;
        }
        if (!rc)
            arrivals_end(emulation);
        if (!rc && emulation->restart)
            rc = emulation->arrivals.again ? begin_again(emulation) : slice_again(emulation, err);
    } while (!rc && emulation->restart);
    return rc;
}

int block_execute(struct emulation *emulation, struct emulate_block *block, struct err *err)
{
    const int rc = execute(emulation, block, err);
    const bool waits = emulation->alone && emulation->slice.apart && !emulation->signing;
    int noted = rc;

    if (rc || emulation->lowest || emulation->result->end != EMULATE_DONE)
        return rc;
    if (!emulation->copied)
        noted = finish_block(emulation, block, err);
    return noted || !waits ? noted : block_note_beginning(emulation, block, err);
}

int block_add(struct emulate_block **out, struct emulation *emulation, struct emulate_result *result,
              const unsigned position[3], struct err *err)
{
    struct emulate_block *block;
    const int rc = ARRAY_GROW(result->blocks, result->block_count, err);

    if (rc)
        return rc;
    block = &result->blocks[result->block_count++];
    *block = (struct emulate_block){.weight = 1, .warps = emulation->warp_count};
    memcpy(block->position, position, sizeof block->position);
    block->counts = malloc(emulation->count * sizeof *block->counts); /* cleared when it starts */
    block->touches = malloc(emulation->count * sizeof *block->touches);
    block->paths = calloc(emulation->warp_count, sizeof *block->paths);
    if (!block->counts || !block->touches || !block->paths)
        return err_memory(err);
    *out = block;
    return 0;
}

void block_release(struct emulate_block *block)
{
    if (!block->borrows) {
        free(block->counts);
        free(block->touches);
    }
    events_release(block);
    free(block->tickets);
    free(block->paths);
    footprint_release(&block->read);
    footprint_release(&block->written);
}

#include "model/sm/state.h"

#include "model/sass/arch/geometry.h"
#include "model/sm/async.h"
#include "model/sm/scheduler.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void give_list(const struct sm_state *sm, struct sm_warp *warp, unsigned w)
{
    const struct emulate_block *block = sm->in->blocks[warp->block_slot->block];
    const size_t before = warp->list ? (size_t)(warp->next - warp->list->ops) : 0;

    warp->list = &sm->lists[block->paths[w % sm->per_block]];
    warp->next = warp->list->ops + before;
    warp->end = warp->list->ops + warp->list->count;
    warp->safe = sm->shared_only ? warp->list->ops + warp->list->shared : warp->end - 1;
    if (block->events && !before) {
        const struct emulate_events *events = &block->events[w % sm->per_block];

        warp->event = events->list;
        warp->events_end = events->count ? events->list + events->count : events->list;
        warp->events_cut = events->cut;
    }
}

void sm_begin_block(struct sm_state *sm, struct sm_block_slot *block_slot, double time)
{
    const unsigned own = (unsigned)(block_slot - sm->block_slots), first = own * sm->per_block;
    unsigned w, age = 0;

    while (sm->by_age[age] != own)
        age++;
    memmove(&sm->by_age[age], &sm->by_age[age + 1], (sm->block_slot_count - 1 - age) * sizeof *sm->by_age);
    sm->by_age[sm->block_slot_count - 1] = own;
    *block_slot = (struct sm_block_slot){.block = sm->begun++ % sm->in->block_count};
    sm_async_begin(sm, block_slot);
    for (w = first; w < first + sm->per_block; w++) {
        struct sm_warp *warp;

        if (!sm_is_simulated(sm, w))
            continue;
        warp = sm_warp_at(sm, w);
        block_slot->left++;
        *warp = (struct sm_warp){.block_slot = block_slot,
                                 .past = sm->pasts ? &sm->pasts[warp - sm->warps] : NULL,
                                 .earliest = time,
                                 .group = (w - first) / SUB_PARTITIONS % SM_WARP_GROUPS,
                                 .number = (double)(sm->begun - 1) * sm->per_block + (w - first)};
        give_list(sm, warp, w);
        sm_go(sm, w);
    }
}

int sm_allocate(struct sm_state *sm, unsigned blocks, struct err *err)
{
    const unsigned partitions = sm->in->partitions;
    size_t slots;

    sm->block_slot_count = blocks;
    sm->per_block = sm->in->blocks[0]->warps;
    sm->warp_count = blocks * sm->per_block;
    sm->per_partition = (sm->warp_count + partitions - 1) / partitions;
    if (sm->per_partition > SM_WARPS)
        return err_set(err, ERR_USAGE, "SM simulation: %u warps on a sub-partition; at most %d are simulated",
                       sm->per_partition, SM_WARPS);
    slots = (size_t)sm->per_partition * sm->code->subset.count;
    sm->warps = calloc(slots, sizeof *sm->warps);
    if (sm->code->counts) {
        sm->pasts = calloc(slots, sizeof *sm->pasts);
        if (!sm->pasts)
            return err_memory(err);
    }
    sm->block_slots = calloc(blocks, sizeof *sm->block_slots);
    sm->by_age = calloc(blocks, sizeof *sm->by_age);
    sm->of_block_slots = calloc((size_t)blocks * partitions, sizeof *sm->of_block_slots);
    if (sm->code->async.needed) {
        sm->missing = calloc((size_t)blocks * (sm->code->async.phases + 1), sizeof *sm->missing);
        sm->latest = calloc((size_t)blocks * (sm->code->async.phases + 1), sizeof *sm->latest);
        if (!sm->missing || !sm->latest)
            return err_memory(err);
    }
    if (!sm->warps || !sm->block_slots || !sm->by_age || !sm->of_block_slots)
        return err_memory(err);
    return 0;
}

void sm_release(struct sm_state *sm)
{
    free(sm->warps);
    free(sm->pasts);
    free(sm->block_slots);
    free(sm->by_age);
    free(sm->of_block_slots);
    free(sm->missing);
    free(sm->latest);
}

void sm_give_lists(struct sm_state *sm, const struct sm_list *lists)
{
    sm->lists = lists;
    for (unsigned w = 0; w < sm->warp_count; w++)
        if (sm_is_simulated(sm, w))
            give_list(sm, sm_warp_at(sm, w), w);
}

static double lookahead(const struct sm_state *sm)
{
    const bool meets = sm->in->code->barrier_cycles > 0;
    double barrier = meets ? sm->in->code->barrier_alone - sm->arrival_cycles : INFINITY;

    if (sm->code->async.needed)
        barrier = earlier(barrier, sm->code->async.arrive + sm->code->async.wake);
    return later(sm->replaces ? earlier(barrier, sm->in->replace_cycles) : barrier, 0);
}

static void start_partition(struct sm_state *sm, unsigned p)
{
    sm->partitions[p] =
        (struct sm_partition){.warps = &sm->warps[(size_t)p * sm->per_partition],
                              .of_block_slot = &sm->of_block_slots[(size_t)p * sm->block_slot_count],
                              .of_port = {UINT64_MAX}, /* sm_note_next() moves them from there */
                              .waiting = {{NAN, 0}},
                              .products = sm->in->code->products,
                              .yields = true}; /* the youngest goes first */
}

struct sm_state sm_state_of(const struct sm_input *in, const struct sm_code *code)
{
    const double others = fmax(in->blocks[0]->warps - 1., 1);

    return (struct sm_state){.in = in,
                             .code = code,
                             .enough = UINT_MAX,
                             .read_window = in->machine->read_window,
                             .fence_stored = machine_or_0(in->machine, DEVICE_FENCE_STORED_LATENCY),
                             .fence_copied = machine_or_0(in->machine, DEVICE_FENCE_COPIED_LATENCY),
                             .arrival_cycles = (in->code->barrier_cycles - in->code->barrier_alone) / others *
                                               code->subset.times};
}

/* Whether a place has a warp that is simulated. */
static bool is_used(const struct sm_state *sm, unsigned slot)
{
    for (unsigned w = slot * sm->per_block; w < (slot + 1) * sm->per_block; w++)
        if (sm_is_simulated(sm, w))
            return true;
    return false;
}

int sm_start(struct sm_state *sm, const struct sm_list *lists, unsigned blocks, double stagger,
             struct err *err)
{
    const int rc = sm_allocate(sm, blocks, err);

    if (rc)
        return rc;
    for (unsigned p = 0; p < DEVICE_SUBPARTITIONS; p++)
        sm->next[p] = INFINITY;
    for (unsigned p = 0; p < sm->code->subset.count; p++)
        start_partition(sm, p);
    for (unsigned w = 0; w < sm->warp_count; w++)
        if (sm_is_simulated(sm, w))
            sm->partitions[sm_partition_of(sm, w)].of_block_slot[w / sm->per_block] |=
                UINT64_C(1) << w / sm->in->partitions;
    for (unsigned b = 0; b < blocks; b++)
        sm->by_age[b] = b;
    sm->lists = lists;
    for (unsigned b = 0; b < blocks; b++)
        if (is_used(sm, b)) {
            sm_begin_block(sm, &sm->block_slots[b], stagger * b);
            sm->slots_used++;
        }
    sm->lookahead = lookahead(sm);
    sm->takes_turns = stagger > 0;
    sm_choose_all(sm);
    return 0;
}

void sm_copy(struct sm_state *out, const struct sm_state *from)
{
    const struct sm_state arrays = *out;
    const size_t slots = (size_t)from->per_partition * from->code->subset.count;

    *out = *from;
    out->warps = memcpy(arrays.warps, from->warps, slots * sizeof *from->warps);
    out->pasts = arrays.pasts;
    if (from->pasts)
        memcpy(out->pasts, from->pasts, slots * sizeof *from->pasts);
    out->block_slots =
        memcpy(arrays.block_slots, from->block_slots, from->block_slot_count * sizeof *from->block_slots);
    out->by_age = memcpy(arrays.by_age, from->by_age, from->block_slot_count * sizeof *from->by_age);
    out->of_block_slots = arrays.of_block_slots;
}

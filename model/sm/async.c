#include "model/sm/async.h"

#include "model/sm/scheduler.h"
#include "model/sm/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COPY_BYTES = 8192 /* DEVICE_BULK_ALONE */ };

bool sm_async_applies(const struct sm_input *in)
{
    return in->blocks[0]->events != NULL;
}

/* Phases ------------------------------------------------------------------- */

static void count_arrivals(uint32_t *needed, const struct emulate_block *block)
{
    for (unsigned w = 0; w < block->warps; w++)
        for (size_t e = 0; e < block->events[w].count; e++)
            needed[block->events[w].list[e].phase] += block->events[w].list[e].arrivals;
}

int sm_async_init(struct sm_async *out, const struct sm_input *in, struct err *err)
{
    const struct machine *machine = in->machine;
    const double passed = machine_or_0(machine, DEVICE_MBARRIER_PASSED),
                 shared = machine_or_0(machine, DEVICE_SHARED_LATENCY);

    *out = (struct sm_async){.arrive = fmax(passed - shared, 0),
                             .remote = machine_or_0(machine, DEVICE_REMOTE_LATENCY)};
    out->wake = fmax(machine_or_0(machine, DEVICE_MBARRIER_LATENCY) - out->arrive, 0);
    if (!sm_async_applies(in))
        return 0;
    for (size_t b = 0; b < in->block_count; b++)
        out->phases = in->blocks[b]->phases > out->phases ? in->blocks[b]->phases : out->phases;
    out->needed = calloc(in->block_count * (out->phases + 1), sizeof *out->needed);
    if (!out->needed)
        return err_memory(err);
    for (size_t b = 0; b < in->block_count; b++)
        if (in->blocks[b]->events)
            count_arrivals(out->needed + b * (out->phases + 1), in->blocks[b]);
    return 0;
}

void sm_async_release(struct sm_async *async)
{
    free(async->needed);
    async->needed = NULL;
}

static uint32_t *missing_of(const struct sm_state *sm, const struct sm_block_slot *slot)
{
    return sm->missing + (size_t)(slot - sm->block_slots) * (sm->code->async.phases + 1);
}

static double *latest_of(const struct sm_state *sm, const struct sm_block_slot *slot)
{
    return sm->latest + (size_t)(slot - sm->block_slots) * (sm->code->async.phases + 1);
}

void sm_async_begin(struct sm_state *sm, struct sm_block_slot *slot)
{
    const struct sm_async *async = &sm->code->async;
    const size_t phases = async->phases + 1;

    if (!async->needed)
        return;
    memcpy(missing_of(sm, slot), async->needed + slot->block * phases, phases * sizeof *sm->missing);
    memset(latest_of(sm, slot), 0, phases * sizeof *sm->latest);
}

/* Requests ----------------------------------------------------------------- */

/* A load's latency less the time in which a waiting warp goes on, which the wait adds. */
static double copy_latency(const struct sm_input *in, const struct traffic_count *count)
{
    const struct machine *machine = in->machine;
    const double l2 = machine_or_0(machine, DEVICE_BULK_L2_LATENCY),
                 dram = machine_or_0(machine, DEVICE_BULK_DRAM_LATENCY);
    const double wait =
        machine_or_0(machine, DEVICE_MBARRIER_LATENCY) -
        (machine_or_0(machine, DEVICE_MBARRIER_PASSED) - machine_or_0(machine, DEVICE_SHARED_LATENCY));

    return fmax(l2 + count->waits_dram * (dram - l2) - wait, 0);
}

/* A reduction keeps what adds in L2 busy, of which the SM has its share. */
static void make_reduction(struct sm_request *request, const struct sm_input *in, size_t i)
{
    const struct traffic_count *count = &in->traffic->counts[i];
    const double share = in->busy_sms / (double)in->machine->device->limits.sm_count;

    if (count->issued > 0)
        request->l2 =
            share * machine_reduces(in->machine, &in->sass->instructions[i], count->bytes / count->issued);
}

void sm_async_request(struct sm_request *request, const struct sm_input *in, size_t i)
{
    const struct sass *instruction = &in->sass->instructions[i];
    const struct traffic_count *count = &in->traffic->counts[i];

    if (instruction->op == SASS_UTMACMDFLUSH)
        request->async = SM_FLUSHES;
    if (instruction->op == SASS_STAS)
        request->async = SM_TELLS;
    if (!sass_copies_in_bulk(instruction))
        return;
    request->async = instruction->accesses[0].access == SASS_READS ? SM_LOADS : SM_STORES;
    request->units = request->tags = 0;
    request->interval = machine_or_0(in->machine, DEVICE_BULK_INTERVAL);
    if (instruction->accesses[0].access & SASS_ATOMICALLY)
        make_reduction(request, in, i);
    if (count->issued > 0)
        request->transfer = count->bytes / count->issued / COPY_BYTES *
                            machine_or_0(in->machine, DEVICE_BULK_ALONE) / sm_slowed(in);
    request->latency = request->async == SM_LOADS ? copy_latency(in, count) : 0;
    if (sass_is_bulk_across(instruction)) {
        request->latency = machine_or_0(in->machine, DEVICE_REMOTE_LATENCY);
        return;
    }
    if (request->async == SM_LOADS && count->issued > 0) {
        request->l2 = traffic_l2_reads(count).sectors / count->issued * sm_l2_share(in);
        request->brought = count->dram_read / count->issued;
        request->dram_part = count->waits_dram * machine_or_0(in->machine, DEVICE_DRAM_LATENCY);
    }
}

/* Steps -------------------------------------------------------------------- */

/* The longer of what a copy waits behind the SM's own requests and of what it takes longer beside those of all. */
static double wait_for_dram(struct sm_state *sm, const struct sm_request *request, double time)
{
    const double used = fmin(sm->dram_busy / (time + request->latency), 1);
    const double wait = sm_serve(&sm->dram_free, time, request->dram);

    return later(wait, request->dram_part * (saturation_mixed(&sm->code->dram_copies, used) - 1));
}

/* When a copy to or from `blocks` places has come. */
static double copy_ends(struct sm_state *sm, const struct sm_request *request, unsigned blocks, double time)
{
    const double transfer = request->transfer * (blocks ? blocks : 1);
    double begins = time + sm_serve(&sm->engine_free, time, later(transfer, request->interval));

    begins += sm_serve(&sm->own_free[SM_REMOTE], begins, request->own[SM_REMOTE]);
    begins += sm_serve(request->async == SM_STORES ? &sm->l2_taken : &sm->l2_free, begins, request->l2);
    begins += wait_for_dram(sm, request, begins);
    sm->dram_busy += request->dram;
    sm->engine_busy += later(transfer, request->interval);
    if (request->async == SM_STORES)
        sm->stores_read = later(sm->stores_read, begins + transfer);
    begins += later(transfer, later(request->l2, request->own[SM_REMOTE])) + request->latency;
    if (request->async == SM_LOADS)
        sm->landed = later(sm->landed, begins);
    sm->under_way += request->brought * (begins - time);
    return begins;
}

static bool is_barrier(const struct sm_state *sm, size_t i)
{
    const enum sass_op op = (enum sass_op)sm->in->sass->instructions[i].op;

    return op == SASS_BAR || op == SASS_UCGABAR_ARV || op == SASS_UCGABAR_WAIT;
}

/* From the end of a phase until a warp goes on. */
static double wake_cycles(const struct sm_state *sm, size_t i)
{
    if (sm->in->sass->instructions[i].op == SASS_UCGABAR_WAIT)
        return machine_or_0(sm->in->machine, DEVICE_CLUSTER_BARRIER_LATENCY);
    return is_barrier(sm, i) ? sm->in->code->barrier_alone - sm->arrival_cycles : sm->code->async.wake;
}

/* A warp that waits at instruction i goes on at `time`. */
static void resume(struct sm_state *sm, unsigned w, double time)
{
    struct sm_warp *warp = sm_warp_at(sm, w);
    const struct sm_partition *at = &sm->partitions[sm->turn];
    const size_t i = sm_instruction(sm->code, warp->next[-1]);

    if (!is_barrier(sm, i))
        sm->waited += time - warp->earliest_before;
    warp->waits_for = 0;
    warp->earliest = later(time, warp->earliest_before);
    sm_set_slot(warp, sm->code->requests[i].sets, time);
    if (!sm_has_ended(warp) && warp != &at->warps[at->last]) /* of that one sm_async_step() says it */
        sm_go(sm, w);
}

static void let_go(struct sm_state *sm, struct sm_block_slot *slot, uint32_t phase)
{
    const unsigned first = (unsigned)(slot - sm->block_slots) * sm->per_block;

    for (unsigned w = first; w < first + sm->per_block; w++) {
        const struct sm_warp *warp = sm_warp_at(sm, w);

        if (warp->waits_for == phase)
            resume(sm, w,
                   latest_of(sm, slot)[phase] + wake_cycles(sm, sm_instruction(sm->code, warp->next[-1])));
    }
}

static bool arrive(struct sm_state *sm, struct sm_block_slot *slot, const struct emulate_event *event,
                   double time)
{
    uint32_t *missing = &missing_of(sm, slot)[event->phase];
    double *latest = &latest_of(sm, slot)[event->phase];

    *latest = later(*latest, time);
    *missing -= event->arrivals < *missing ? event->arrivals : *missing;
    if (*missing)
        return false;
    let_go(sm, slot, event->phase);
    return true;
}

/* When what the instruction brings about has come. */
static double takes_effect(struct sm_state *sm, const struct sm_request *request, size_t i,
                           const struct emulate_event *event, double time)
{
    if (request->async == SM_LOADS || request->async == SM_STORES)
        return copy_ends(sm, request, event->arrivals, time);
    if (request->async == SM_TELLS) /* what it stores is on its way */
        return later(time, sm->own_free[SM_REMOTE]) + sm->code->async.remote;
    if (is_barrier(sm, i))
        return sm->barrier_free = later(sm->barrier_free, time) + sm->arrival_cycles;
    return time + sm->code->async.arrive;
}

/* Whether the warp must stay; where the phase is over, when its result is there. */
static bool must_wait(struct sm_state *sm, struct sm_warp *warp, const struct sm_request *request, size_t i,
                      const struct emulate_event *event, double time)
{
    const struct sm_block_slot *slot = warp->block_slot;
    double ready = time + (is_barrier(sm, i) ? 0 : request->latency);

    if (event->phase && missing_of(sm, slot)[event->phase])
        return true;
    if (event->phase)
        ready = later(ready, latest_of(sm, slot)[event->phase] + wake_cycles(sm, i));
    if (!is_barrier(sm, i))
        sm->waited += ready - time - request->latency;
    sm_set_slot(warp, request->sets, ready);
    if (is_barrier(sm, i))
        warp->earliest = later(warp->earliest, ready);
    return false;
}

/* The events of the instruction that the warp issues; false where they are not the next ones noted. */
static bool next_events(struct sm_state *sm, const struct sm_warp *warp, size_t i)
{
    if (warp->event < warp->events_end && warp->event->instruction == i)
        return true;
    if (warp->event == warp->events_end && warp->events_cut)
        sm->starved = true;
    else
        sm->lost = true;
    return false;
}

bool sm_async_step(struct sm_state *sm, struct sm_partition *at, const struct sm_request *request, size_t i,
                   double time)
{
    struct sm_warp *warp = &at->warps[at->last];
    bool changed = false;

    sm->turn = (unsigned)(at - sm->partitions);
    sm->end = later(sm->end, time);
    sm_set_slot(warp, request->sets_read, time + request->read_latency);
    if (request->async == SM_FLUSHES) {
        sm_set_slot(warp, request->sets, later(time, sm->stores_read));
        sm_note_next(sm, at, at->last);
        return false;
    }
    if (request->async == SM_STORES)
        warp->block_slot->stored[warp->group] = time;
    if (request->async == SM_TELLS) {
        sm_use_memory(sm, warp, request, time);
        sm_move_all(sm);
    }
    if (!sm->code->async.needed && request->async) { /* nobody waits for the copy's end */
        if (request->async != SM_TELLS)
            copy_ends(sm, request, 1, time);
        sm_note_next(sm, at, at->last);
        return false;
    }
    if (!next_events(sm, warp, i)) {
        sm_set_slot(warp, request->sets, time + request->latency);
        sm_note_next(sm, at, at->last);
        return false;
    }
    do {
        const struct emulate_event *event = warp->event++;
        const bool copies = request->async == SM_LOADS || request->async == SM_STORES;

        if (event->arrivals || (copies && request->transfer > 0)) {
            const double effect = takes_effect(sm, request, i, event, time);

            if (event->phase && event->arrivals)
                changed |= arrive(sm, warp->block_slot, event, effect);
        }
        if (event->waits && must_wait(sm, warp, request, i, event, time)) {
            warp->waits_for = event->phase;
            warp->earliest_before = warp->earliest;
        }
    } while (!warp->event[-1].last && warp->event < warp->events_end);
    if (warp->waits_for) { /* unless an event behind the one that waits has ended the phase */
        sm_stay(at);
        warp->earliest = INFINITY;
    } else {
        sm_note_next(sm, at, at->last);
    }
    return changed;
}

/* Lists -------------------------------------------------------------------- */

static int walk(struct sm_list *list, const struct sm_input *in, const struct emulate_step *steps,
                size_t count, size_t most, struct err *err)
{
    int rc = 0;

    for (size_t s = 0; s < count && !rc && list->count < most; s += steps[s].body + 1) {
        for (uint64_t k = 0; steps[s].body && k < steps[s].repeats && !rc && list->count < most; k++)
            rc = walk(list, in, steps + s + 1, steps[s].body, most, err);
        if (!steps[s].body && !rc)
            rc = sm_list_run(list, in, steps, s, count, most, err);
    }
    return rc;
}

int sm_async_lists(struct sm_list **out, const struct sm_input *in, size_t most, double *all, struct err *err)
{
    const size_t paths = in->emulation->path_count, warps = in->blocks[0]->warps;
    struct sm_list *lists = calloc(paths + 1, sizeof *lists);
    int rc = lists ? 0 : err_memory(err);

    *all = 0;
    for (size_t w = 0; w < warps * in->block_count && !rc; w++) {
        const uint32_t p = in->blocks[w / warps]->paths[w % warps];
        const struct emulate_path *path = &in->emulation->paths[p];

        if (!lists[p].count) {
            lists[p].all = sm_count_steps(path->steps, path->count);
            rc = walk(&lists[p], in, path->steps, path->count, most, err);
        }
        *all += lists[p].all;
    }
    *out = lists;
    if (!rc)
        return 0;
    sm_lists_free(lists, paths);
    *out = NULL;
    return rc;
}

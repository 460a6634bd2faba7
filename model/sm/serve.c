#include "model/sm/serve.h"

#include <math.h>

/* The square root of two, and the golden ratio, less their whole parts: their multiples spread evenly over a square, those
 * of the latter over a line as evenly as any, so that few loads of a warp are soon of the mean. */
static const double EVEN_X = 0.4142135623730951, EVEN_Y = 0.6180339887498949;

/* Where in the order of all loads, 0 to 1 by how long they take, a warp's next one is: anywhere, but evenly
 * over the warps and over the loads of each, so that few stand for many. What lies together comes together. */
static double place_of_load(struct sm_warp *warp, double granules)
{
    double whole;

    return modf(floor(warp->number * granules) * EVEN_X + warp->loads++ * EVEN_Y, &whole);
}

/* How much longer, or less, a load takes than from an empty DRAM: on the mean the longer of what it waits
 * behind the SM's own requests and of what the loaded latency says at the use of DRAM so far, and spread
 * around that by its latency alone: how far waiting spreads is simulated. */
static double wait_of_load(struct sm_state *sm, struct sm_warp *warp, const struct sm_request *request,
                           double behind, double time)
{
    const struct machine *machine = sm->in->machine;
    const double used = fmin(sm->dram_busy / (time + request->latency), 1);
    const double mean = request->dram_part * saturation_mixed(&sm->code->dram, used);
    const unsigned share = (unsigned)(place_of_load(warp, request->granules) * MACHINE_SPREAD);

    return later(behind, mean - request->dram_part) + request->dram_part * (machine->dram_spread[share] - 1);
}

/* What a request waits in the queue that it stands in; in the other one too, what comes later waits for it. Loads wait for what
 * warps asked for before, and pass the bytes that the copy engine has to fetch, which come that much later: beside copies of 16 to
 * 192 KB of each SM that keep DRAM busy a load takes 811 to 1,056 cycles, alone 775 (NVIDIA H200). */
static double serve_both(double *own, double *other, double time, double cycles)
{
    if (cycles > 0)
        *other = later(*other, time) + cycles;
    return sm_serve(own, time, cycles);
}

/* What a request that comes to L2 at `time` waits there. What is behind a store waits until L2 has taken that, which has one way
 * in. */
static double use_l2(struct sm_state *sm, const struct sm_request *request, double time)
{
    const double cycles = sm->code->subset.times * request->l2,
                 beside = sm->in->machine->assumptions.l2_beside * cycles;
    double wait;

    if (!request->stores) {
        sm_serve(&sm->l2_taken, time, beside);
        return request->waits * serve_both(&sm->l2_warps, &sm->l2_free, time, cycles);
    }
    serve_both(&sm->l2_warps, &sm->l2_free, time, beside);
    wait = request->waits * sm_serve(&sm->l2_taken, time, cycles);
    sm->units_free = later(sm->units_free, sm->l2_taken);
    return wait;
}

/* What a request that comes to DRAM at `time` waits there; what a store displaces goes there behind all. */
static double use_dram(struct sm_state *sm, struct sm_warp *warp, const struct sm_request *request,
                       double time)
{
    const double cycles = request->dram * sm->code->subset.times;
    double *const warps = &sm->dram_warps, *const all = &sm->dram_free;
    const double wait = request->waits_dram * (request->stores ? serve_both(all, warps, time, cycles)
                                                               : serve_both(warps, all, time, cycles));

    sm->dram_busy += cycles;
    return request->dram_part > 0 ? wait_of_load(sm, warp, request, wait, time) : wait;
}

/* What a request waits for those of sub-partitions that one which is simulated stands for, of which half on the mean come
 * before it: their warps are where its own are. */
static double others_wait(const struct sm_state *sm, const struct sm_request *request)
{
    return (sm->code->subset.times - 1) / 2 * (request->units + request->own[SM_CONSTANTS]);
}

/* Copies to shared memory prolong a fence, and those that begin while it lasts are waited for, too: until all that are under
 * way have come when the rest of it is over, which is when what follows it is issued. */
static void wait_for_fence(const struct sm_state *sm, struct sm_warp *warp, const struct sm_request *request,
                           double time)
{
    if (request->fences) /* and until other blocks have what was stored to them */
        warp->earliest = later(warp->earliest, later(sm->landed, sm->own_free[SM_REMOTE]));
    if (request->fences && sm->stored > 0)
        warp->earliest = later(warp->earliest, sm->stored + sm->fence_stored);
    if (request->fences && sm->landed > 0 && sm->landed + sm->fence_copied > time)
        warp->earliest = later(warp->earliest, time + sm->fence_copied);
    if (request->fenced)
        warp->earliest = later(warp->earliest, sm->landed);
}

void sm_use_memory(struct sm_state *sm, struct sm_warp *warp, const struct sm_request *request, double time)
{
    const double queue = sm->in->machine->assumptions.queue_cycles;
    const double times = sm->code->subset.times;
    double delay = sm_serve(&sm->tags_free, time, times * request->tags), ready, taken;

    delay += sm_serve(&sm->units_free, time + delay, times * request->units);
    for (int s = 0; s < SM_SERVERS; s++)
        delay += sm_serve(&sm->own_free[s], time + delay, times * request->own[s]);
    delay += use_l2(sm, request, time + delay);
    wait_for_fence(sm, warp, request, time);
    sm->queue_free[true] = later(sm->units_free, sm->tags_free) - queue;
    taken = request->kind == REPLAY_COPY ? delay : later(sm->units_free - time - queue, 0);
    delay += use_dram(sm, warp, request, time + delay);
    if (request->stores) {
        sm->stored = later(sm->stored, time + delay);
        warp->block_slot->stored[warp->group] = time;
    }
    ready = time + delay + others_wait(sm, request) + request->latency;
    if (request->kind == REPLAY_COPY)
        warp->copied = later(warp->copied, ready);
    if (request->kind == REPLAY_COMMIT)
        ready = later(ready, warp->copied);
    sm_set_slot(warp, request->sets, ready);
    sm_set_slot(warp, request->sets_read, time + request->read_latency + taken);
}

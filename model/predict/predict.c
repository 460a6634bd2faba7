#include "model/predict/predict.h"

#include "model/warp/latency.h"
#include "model/predict/interval.h"
#include "model/predict/schedule.h"

#include "model/machine/assumptions.h"
#include "model/sass/arch/geometry.h"

#include <math.h>

static int check_demand(const struct demand *demand, struct err *err)
{
    enum resource r;

    for (r = 0; r < RESOURCE_COUNT; r++)
        if (!(demand->count[r] >= 0 && demand->least[r] >= 0 &&
              isfinite(demand->count[r] + demand->least[r])))
            return err_set(err, ERR_USAGE,
                           "demand on %s is %g, at least %g: finite and not negative it must be",
                           resource_name(r), demand->count[r], demand->least[r]);
    return 0;
}

static int check(const struct predict_input *in, struct err *err)
{
    const struct residency *at = &in->residency;
    const struct capacities *gpu = &in->capacities;

    if (!(at->blocks >= 1 && at->sms >= 1 && at->blocks_per_sm >= 1 && at->warps_per_block >= 1) ||
        !at->partitions)
        return err_set(
            err, ERR_USAGE,
            "%g blocks of %g warps, %g at once on each of %g SMs with %u sub-partitions: nothing runs",
            at->blocks, at->warps_per_block, at->blocks_per_sm, at->sms, at->partitions);
    if (!(gpu->clock_hz > 0 && gpu->clock_best_hz > 0))
        return err_set(err, ERR_MISSING, "the device profile has no SM clock: calibrate the device");
    if (!(gpu->corner_sharpness >= 1))
        return err_set(err, ERR_USAGE, "the corner's sharpness is %g: 1 or more is meant",
                       gpu->corner_sharpness);
    if (!(in->latency.bound_cycles > 0) || !(in->latency.stretch >= 1) || in->latency.levels > PREDICT_LEVELS)
        return err_set(err, ERR_USAGE, "latency bound %g cycles, stretch %g, %zu levels: out of range",
                       in->latency.bound_cycles, in->latency.stretch, in->latency.levels);
    return check_demand(&in->demand, err);
}

/* The hard bound: all work over all capacity, and with equal blocks that of the SM with most blocks. */
static void bound(struct prediction *out, const struct predict_input *in)
{
    const struct residency *at = &in->residency;
    const double busy = fmin(at->sms, at->blocks);
    struct capacity own[RESOURCE_COUNT];
    struct throughput busiest;
    double cycles;
    enum resource r;

    throughput_bound(&out->at_best, in->demand.least, in->capacities.best, busy, 1);
    cycles = at->blocks * at->warps_per_block / busy * out->at_best.bound_cycles;
    out->bound_limiter = out->at_best.limiter;
    if (at->blocks_equal) {
        for (r = 0; r < RESOURCE_COUNT; r++)
            own[r] = (struct capacity){.per_sm = in->capacities.best[r].per_sm};
        throughput_bound(&busiest, in->demand.least, own, busy, 1);
        busiest.bound_cycles *= ceil(at->blocks / at->sms) * at->warps_per_block;
        if (busiest.bound_cycles > cycles) {
            cycles = busiest.bound_cycles;
            out->bound_limiter = busiest.limiter;
        }
    }
    out->bound_s = cycles / in->capacities.clock_best_hz;
}

static bool has_curve(const struct latency *latency, enum resource resource)
{
    for (size_t i = 0; i < latency->levels; i++)
        if (latency->level[i].resource == resource && latency->level[i].mix.curve.n)
            return true;
    return false;
}

/* Tightest bound among the pipes, or among the other resources whose saturation no curve describes. */
static double tightest_cycles(const struct throughput *throughput, const struct latency *latency, bool pipes)
{
    double cycles = 0;
    enum resource r;

    for (r = 0; r < RESOURCE_COUNT; r++)
        if (resource_is_partitioned(r) == pipes && !has_curve(latency, r))
            cycles = fmax(cycles, throughput->cycles[r] > 0 ? throughput_bottleneck(throughput, r) : 0);
    return cycles;
}

/* Runs `blocks_per_sm` blocks at once on each of `busy` SMs. */
static void run_at(struct saturation *out, struct throughput *throughput, const struct predict_input *in,
                   double blocks_per_sm, double busy)
{
    const double warps = blocks_per_sm * in->residency.warps_per_block;
    struct saturation_level levels[PREDICT_LEVELS + 1];
    size_t i;

    throughput_bound(throughput, in->demand.count, in->capacities.sustained, busy,
                     replay_unevenness(warps, in->residency.partitions));
    for (i = 0; i < in->latency.levels; i++)
        levels[i] = (struct saturation_level){
            .latency_cycles = in->latency.level[i].cycles,
            .bound_cycles = throughput_bottleneck(throughput, in->latency.level[i].resource),
            .mix = in->latency.level[i].mix,
        };
    /* what warps do not wait for, or not in a way that was measured, limits and adds no latency */
    levels[i] = (struct saturation_level){.bound_cycles = tightest_cycles(throughput, &in->latency, false)};
    saturation_solve(out, warps, in->latency.bound_cycles, levels, in->latency.levels + 1,
                     tightest_cycles(throughput, &in->latency, true), in->capacities.corner_sharpness);
}

/* The fullest SM of a wave that is full everywhere, or of the only one there is. */
static double blocks_at_once(const struct residency *at)
{
    return fmin(at->blocks_per_sm, ceil(at->blocks / at->sms));
}

static double estimate_cycles(const struct predict_input *in, const struct schedule *schedule,
                              double full_rate)
{
    const struct residency *at = &in->residency;
    struct throughput throughput;
    struct saturation tail;
    double cycles = schedule->full * at->blocks_per_sm * at->warps_per_block / full_rate;

    if (schedule->rest > 0) {
        run_at(&tail, &throughput, in, schedule->rest_per_sm, schedule->rest_sms);
        cycles += schedule->rest_per_sm * at->warps_per_block / tail.warps_per_cycle;
    }
    return cycles * in->latency.stretch;
}

/* Warps an SM is sent a cycle, when all are sent as many. */
static double dispatched_per_cycle(const struct predict_input *in)
{
    const double between = in->capacities.block_dispatch_s * in->capacities.clock_hz * in->residency.sms;

    return between > 0 ? in->residency.warps_per_block / between : INFINITY;
}

/* Cycles in which a scheduler sends an instruction of a warp: some keep it busy for longer than that. */
static double sending_cycles(const struct prediction *out, const struct predict_input *in)
{
    const double slots = in->demand.count[RESOURCE_ISSUE], cycles = out->at_sustained.cycles[RESOURCE_ISSUE];

    return in->instructions > 0 && slots > 0 ? cycles * in->instructions / slots : cycles;
}

static void share_cycles(struct prediction *out, const struct predict_input *in)
{
    const double rate = fmin(out->warps_per_cycle, dispatched_per_cycle(in));
    const double attained = fmin(rate * out->at_sustained.bound_cycles, 1);

    out->latency_hidden = attained >= assumptions_default.hidden_share;
    out->issued = fmin(rate * sending_cycles(out, in), attained);
    out->stalled_bandwidth = attained - out->issued;
    out->stalled_latency = 1 - attained;
}

/* How far full bottlenecks get into each other's way, between perfect overlap and the norm of their shares: 0
 * or more, relative to the tightest. */
static double contention(const struct throughput *throughput)
{
    double sum = 0;
    enum resource r;

    for (r = 0; r < RESOURCE_COUNT; r++) {
        const double whole = throughput_bottleneck(throughput, r);

        if (throughput->cycles[r] >
            whole / 2) /* of what shares a bottleneck, the larger part stands for it */
            sum += pow(whole / throughput->bound_cycles, assumptions_default.contention_norm);
    }
    return pow(fmax(sum, 1), 1 / assumptions_default.contention_norm) - 1;
}

/* How much of the time the fullest part of the memory system is at work, 0 to 1. */
static double share_of_memory(const struct prediction *p)
{
    const double *cycles = p->at_sustained.cycles;
    const double l1 = fmax(cycles[RESOURCE_L1_DATA], cycles[RESOURCE_L1_TAGS]);
    const double dram = throughput_bottleneck(&p->at_sustained, RESOURCE_DRAM_READ);
    const double l2 = fmax(cycles[RESOURCE_L2], cycles[RESOURCE_L2_WRITE]);
    const double most = fmax(fmax(l1, l2), dram);

    return most > 0 ? fmin(most * p->warps_per_cycle, 1) : 0;
}

static double ratio(double a, double b)
{
    return a > 0 && b > 0 ? fmin(a / b, b / a) : 1;
}

/* What is doubtful of the estimate by its kind: that its two ways disagree, that several bottlenecks are full
 * at once, that it lies where neither latency nor throughput alone decides, that it rests on what caches and
 * DRAM are expected to do: instructions are counted, hits come from footprints; that it leaves out what other
 * blocks store. */
static double confidence_of(const struct prediction *out, const struct predict_input *in,
                            double bounds_cycles)
{
    const double attained = fmin(out->warps_per_cycle * out->at_sustained.bound_cycles, 1);
    const double agree = ratio(bounds_cycles, in->simulated.all_cycles * in->latency.stretch);
    const double corner = ratio(out->had_warps, out->needed_warps);

    return agree * (1 - fmin(attained * contention(&out->at_sustained), 1)) *
           (1 - assumptions_default.corner_doubt * corner) *
           (1 - assumptions_default.memory_doubt * share_of_memory(out)) / interval_reach(in->assumptions);
}

static int refuse_unknown(const struct throughput *throughput, struct err *err)
{
    enum resource r;

    if (throughput->unknown & (UINT32_C(1) << RESOURCE_TEX)) /* no microbenchmark measures it */
        return err_set(err, ERR_MISSING,
                       "the kernel uses textures or surfaces, of which the model knows no rate");
    for (r = 0; r < RESOURCE_COUNT; r++)
        if (throughput->unknown & (UINT32_C(1) << r))
            return err_set(
                err, ERR_MISSING,
                "the kernel uses %s and the device profile has no throughput for it: calibrate the device",
                resource_name(r));
    return 0;
}

/* The clock that tensor cores and the power limit leave, for launches one after another, as they are timed: the tensor cores
 * are busy for a share of `cycles`. */
static double clock_of(struct prediction *out, const struct predict_input *in, double cycles)
{
    const struct residency *at = &in->residency;
    const double warps = at->blocks * at->warps_per_block;
    const double pipes = in->capacities.best[RESOURCE_TENSOR].per_sm;
    const double busy = pipes > 0 ? in->tensor_cycles / pipes * warps / fmin(at->sms, at->blocks) : 0;
    const double *demand = in->demand.count;
    struct clock_load load = {0};

    if (cycles > 0) {
        out->tensor_share = fmin(busy / cycles * fmin(at->blocks / at->sms, 1), 1);
        if (in->tensor_cycles > 0)
            load.warp_share = out->tensor_share * in->warp_tensor_cycles / in->tensor_cycles;
        load.tensor_share = out->tensor_share - load.warp_share;
        load.issued = demand[RESOURCE_ISSUE] * warps / cycles;
        load.l2_bytes = demand[RESOURCE_L2] * SECTOR * warps / cycles;
        load.dram_bytes = (demand[RESOURCE_DRAM_READ] + demand[RESOURCE_DRAM_WRITE]) * warps / cycles;
    }
    return clock_under(&out->power_limited, &in->capacities.clock, &load, in->capacities.clock_hz);
}

/* The same at an SM clock that is lower by `factor`: L2 and DRAM have clocks of their own, so that a cycle of the SMs brings
 * more. Of L2 that was not measured alone: products of 8192^3 at 1.27 GHz get more from it in a cycle of the SMs than any
 * microbenchmark did at 1.98 GHz. */
static void slow_down(struct predict_input *out, const struct predict_input *in, double factor)
{
    static const enum resource apart[] = {RESOURCE_L2, RESOURCE_L2_WRITE, RESOURCE_DRAM_READ,
                                          RESOURCE_DRAM_WRITE};

    *out = *in;
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        out->capacities.sustained[apart[k]].per_gpu *= factor;
        for (size_t i = 0; i < out->latency.levels; i++)
            if (out->latency.level[i].resource == apart[k]) {
                out->latency.bound_cycles -= out->latency.level[i].cycles * (1 - 1 / factor);
                out->latency.level[i].cycles /= factor;
            }
    }
}

/* The cycles that the bounds ask for at a clock. */
static double bounds_at(const struct predict_input *in, const struct schedule *schedule, double clock_hz)
{
    const double together = blocks_at_once(&in->residency);
    const double busy = fmin(in->residency.sms, in->residency.blocks / together);
    struct predict_input slow;
    struct throughput throughput;
    struct saturation full;

    slow_down(&slow, in, in->capacities.clock_hz / clock_hz);
    run_at(&full, &throughput, &slow, together, busy);
    return estimate_cycles(&slow, schedule, full.warps_per_cycle);
}

/* The clock that the power limit leaves depends on the cycles, which depend on the clock: the lower it is, the more L2 and
 * DRAM bring in a cycle, until they limit no more. Sets *bounds_cycles to what the bounds ask for there, and returns the cycles. */
static double settle(struct prediction *out, const struct predict_input *in, double *bounds_cycles)
{
    enum { ROUNDS = 6 };
    struct schedule schedule;
    double all = 0;

    schedule_of(&schedule, in->residency.blocks, in->residency.sms, in->residency.blocks_per_sm);
    out->waves = schedule.count;
    out->clock_hz = in->capacities.clock_hz;
    for (int round = 0; round < ROUNDS; round++) {
        const double before = out->clock_hz;

        *bounds_cycles = bounds_at(in, &schedule, before);
        all = fmax(*bounds_cycles, in->simulated.all_cycles * in->latency.stretch);
        out->clock_hz = clock_of(out, in, all);
        if (out->clock_hz >= before)
            break;
    }
    return all;
}

/* Returns the cycles that the bounds alone ask for. */
static double estimate(struct prediction *out, const struct predict_input *in)
{
    double bounds_cycles;
    const double cycles = settle(out, in, &bounds_cycles);
    const double busy_s =
        fmax(cycles / out->clock_hz, in->residency.blocks * in->capacities.block_dispatch_s);
    const double longest_s = in->latency.longest_cycles / out->clock_hz;

    out->launch_s = in->capacities.launch_s;
    out->longest_s = longest_s > busy_s ? longest_s : 0;
    out->estimate_s = out->launch_s + fmax(busy_s, longest_s) + in->latency.last_cycles / out->clock_hz;
    return bounds_cycles;
}

/* Dispatch where nothing else takes time to speak of. */
static enum limited_by find_limit(const struct prediction *p, const struct predict_input *in)
{
    const double dispatch_s = in->residency.blocks * in->capacities.block_dispatch_s;

    if (dispatch_s > 0 && p->launch_s + dispatch_s > 0.999 * p->estimate_s)
        return LIMITED_DISPATCH;
    if (p->longest_s > 0)
        return LIMITED_BLOCK;
    if (p->latency_hidden)
        return LIMITED_RESOURCE;
    return p->needed_warps > p->had_warps ? LIMITED_LATENCY : LIMITED_CLOSEST;
}

double predict_clock(const struct predict_input *in)
{
    struct prediction out = {0};
    double bounds_cycles;

    settle(&out, in, &bounds_cycles);
    return out.clock_hz;
}

double predict_bounds(const struct predict_input *in)
{
    struct prediction out = {0};
    double bounds_cycles;

    settle(&out, in, &bounds_cycles);
    return bounds_cycles;
}

static int check_finite(struct prediction *out, struct err *err)
{
    const double estimate_s = out->estimate_s, bound_s = out->bound_s;

    if (isfinite(estimate_s) && isfinite(bound_s))
        return 0;
    *out = (struct prediction){0};
    return err_set(err, ERR_USAGE,
                   "the estimate is %g s and the bound %g: the device profile holds values out of range",
                   estimate_s, bound_s);
}

int predict(struct prediction *out, const struct predict_input *in, struct err *err)
{
    const struct residency *at = &in->residency;
    struct saturation full;
    struct throughput throughput;
    double together, bounds_cycles;
    int rc;

    *out = (struct prediction){0};
    if ((rc = check(in, err)) != 0)
        return rc;
    together = blocks_at_once(at);
    run_at(&full, &throughput, in, together, fmin(at->sms, at->blocks / together));
    if (refuse_unknown(&throughput, err))
        return ERR_MISSING;
    bound(out, in);
    out->at_sustained = throughput;
    out->limiter = throughput.limiter;
    out->latency_cycles = in->latency.bound_cycles;
    out->had_warps = together * at->warps_per_block;
    if (at->places > 0)
        out->had_warps = fmin(out->had_warps, at->places);
    out->warps_per_cycle = full.warps_per_cycle;
    if (in->simulated.wave_cycles > 0)
        out->warps_per_cycle =
            fmin(full.warps_per_cycle, together * at->warps_per_block / in->simulated.wave_cycles);
    out->loaded_cycles = out->had_warps / out->warps_per_cycle;
    out->needed_warps = throughput.bound_cycles > 0 ? in->latency.bound_cycles / throughput.bound_cycles : 0;
    bounds_cycles = estimate(out, in);
    share_cycles(out, in);
    out->limited_by = find_limit(out, in);
    out->confidence =
        in->unrated ? 0 : in->known_share / (1 + in->work_error) * confidence_of(out, in, bounds_cycles);
    out->assumptions = in->assumptions;
    return check_finite(out, err);
}

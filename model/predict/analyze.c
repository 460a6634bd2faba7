#include "model/predict/analyze_work.h"

#include "model/machine/assumptions.h"
#include "model/memory/skew.h"
#include "model/memory/tables.h"
#include "model/predict/interval.h"
#include "model/sass/sass_matrix.h"
#include "model/sass/spin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int analyze_refuse(struct analyze_work *work, int rc, const struct err *why)
{
    if (rc == 0 || rc == ERR_MEMORY || rc == ERR_SYSTEM) {
        if (rc)
            err_set(work->err, (enum err_code)rc, "%s", why->text);
        return rc;
    }
    snprintf(work->out->reason, sizeof work->out->reason, "%s", why->text);
    return rc;
}

/* Occupancy ---------------------------------------------------------------- */

static int find_occupancy(struct analyze_work *work)
{
    struct analysis *out = work->out;
    const struct device_limits *limits = &work->machine->device->limits;
    const unsigned cluster = launch_cluster_blocks(work->launch);
    const double cluster_sms = machine_cluster_sms(work->machine, cluster);

    if (!device_can_launch(out->reason, sizeof out->reason, work->machine->device->sm, work->launch) ||
        !occupancy_launchable(out->reason, sizeof out->reason, limits, work->launch,
                              &work->kernel->resources))
        return ERR_USAGE;
    out->block = occupancy_block_of(work->launch, &work->kernel->resources);
    out->local_bytes = work->kernel->resources.local_bytes;
    out->block.at_most = machine_cluster_blocks(work->machine, cluster);
    occupancy_of(&out->occupancy, limits, &out->block);
    out->input.residency = (struct residency){
        .blocks = (double)launch_blocks(work->launch),
        .sms = isnan(cluster_sms) ? (double)limits->sm_count : cluster_sms,
        .blocks_per_sm = out->occupancy.blocks,
        .warps_per_block = out->occupancy.warps_per_block,
        .partitions = (unsigned)limits->subpartitions,
    };
    if (out->occupancy.blocks > 0)
        return 0;
    snprintf(out->reason, sizeof out->reason, "no block fits on an SM");
    return ERR_USAGE;
}

/* Traffic ------------------------------------------------------------------ */

/* Bytes of L1 that hold data: fewer than shared memory leaves it. */
static double l1_bytes(const struct analyze_work *work)
{
    const struct device_curve *curve = &work->machine->device->curves[DEVICE_CURVE_L1_CARVEOUT];
    const double left = (double)work->out->occupancy.l1;

    return curve->count ? fmin(device_curve_at(curve, (double)work->out->occupancy.carveout), left) : left;
}

/* Blocks of an SM at a time: a grid of less than a wave is spread over all SMs. */
static double resident_blocks(const struct analyze_work *work)
{
    const double share = (double)launch_blocks(work->launch) / (double)work->machine->device->limits.sm_count;

    return fmin(work->out->occupancy.blocks, fmax(share, 1));
}

static struct traffic_caches caches_of(const struct analyze_work *work, double skew)
{
    const struct device *device = work->machine->device;
    const double l2 = machine_or_0(work->machine, DEVICE_L2_BYTES);
    const double all = (double)device->limits.l2_bytes;

    return (struct traffic_caches){
        .assumed = &work->machine->assumptions,
        .l1_bytes = l1_bytes(work),
        .l2_bytes = all,
        .l2_holds = fmin(l2 > 0 ? l2 : all, all),
        .l2_holds_once = fmin(machine_or_0(work->machine, DEVICE_L2_BYTES_ONCE), all),
        .l2_evict_first = device_has(device, DEVICE_L2_EVICT_FIRST)
                              ? device_sustained(device, DEVICE_L2_EVICT_FIRST)
                              : INFINITY,
        .local_bytes = work->out->local_bytes,
        .merge_lines = work->machine->merge_lines,
        .schedulers = (double)device->limits.subpartitions,
        .loads_most = device_has(device, DEVICE_LOADS_PER_SM) ? device_sustained(device, DEVICE_LOADS_PER_SM)
                                                              : INFINITY,
        .resident_blocks = resident_blocks(work),
        .sms = (double)device->limits.sm_count,
        .skew = skew,
        .warm = work->options->warm,
    };
}

/* As long as blocks go in step. */
static int count_in_step(struct analyze_work *work)
{
    struct analysis *out = work->out;
    const struct traffic_caches caches = caches_of(work, 0);

    if (traffic_of(&out->traffic, &out->code, &out->emulation, work->launch, &caches, work->err))
        return ERR_MEMORY;
    demands_of(&out->demands, work->machine, &out->code, &out->traffic);
    return 0;
}

/* Skew --------------------------------------------------------------------- */

static double skew_of(const struct analyze_work *work)
{
    const struct analysis *out = work->out;

    return skew_share(&out->demands.demand, work->machine->capacities.sustained, &out->input.residency,
                      out->input.latency.bound_cycles);
}

/* Blocks that have come apart, which the latency and the demand in step decide, fetch more. */
static int count_apart(struct analyze_work *work)
{
    struct analysis *out = work->out;
    const struct traffic_caches caches = caches_of(work, skew_of(work));
    const double in_step = out->traffic.dram.read;

    if (!(caches.skew > 0) || caches.resident_blocks < 2 || out->traffic.touched.wave_read <= caches.l2_holds)
        return 0;
    if (traffic_recount(&out->traffic, &out->code, &out->emulation, work->launch, &caches, work->err))
        return ERR_MEMORY;
    demands_of(&out->demands, work->machine, &out->code, &out->traffic);
    work->apart = out->traffic.dram.read != in_step;
    return 0;
}

/* Who fetches more waits longer. */
static int find_latency_apart(struct analyze_work *work)
{
    return work->apart ? analyze_latency(work) : 0;
}

static int find_tables(struct analyze_work *work)
{
    struct analysis *out = work->out;
    const double kept = machine_or_0(work->machine, DEVICE_CONSTANT_PLACE_LINES);
    const struct tables_walkers walkers =
        tables_walkers_of(&out->input.residency, skew_of(work), work->machine->assumptions.walk_together);

    if (!(kept > 0 && work->machine->capacities.sustained[RESOURCE_CONSTANT].per_sm > 0))
        return 0;
    tables_missed(&out->tables, &out->code, &out->traffic, &walkers, kept);
    out->demands.demand.count[RESOURCE_CONSTANT] = out->tables.expected;
    return 0;
}

/* Prediction --------------------------------------------------------------- */

static void find_achieved(struct analysis *out)
{
    const struct capacities *can = &out->input.capacities;
    const struct residency *at = &out->input.residency;
    const double dispatch_cycles = can->block_dispatch_s * can->clock_hz * at->sms;

    out->held =
        schedule_held(out->prediction.loaded_cycles, out->replace_cycles, dispatch_cycles, at->blocks_per_sm);
    out->achieved = out->occupancy.share * out->imbalance.achieved * out->held;
}

/* The estimate with so many misses in tables of constant memory. */
static double estimate_with(const struct predict_input *in, double missed)
{
    struct predict_input changed = *in;
    struct prediction prediction;
    struct err ignored = {0};

    changed.demand.count[RESOURCE_CONSTANT] = missed;
    return predict(&prediction, &changed, &ignored) ? 0 : prediction.estimate_s;
}

/* Warps in step or all apart: what the estimate is between. The farther these lie from each other the less it is worth. */
static void find_table_ends(struct analysis *out)
{
    out->in_step_s = out->apart_s = out->prediction.estimate_s;
    if (!(out->tables.apart > out->tables.in_step))
        return;
    out->in_step_s = estimate_with(&out->input, out->tables.in_step);
    out->apart_s = estimate_with(&out->input, out->tables.apart);
    if (out->apart_s > assumptions_default.tables_matter * out->in_step_s) {
        out->input.assumptions |= PREDICT_ASSUMED_TABLES;
        out->prediction.assumptions |= PREDICT_ASSUMED_TABLES;
        out->prediction.confidence *= out->in_step_s / out->apart_s;
    }
}

/* Tensor cores lower the clock (but for FP64, as far as the data sheet's rates of an H100 tell). */
static void find_clocks(struct predict_input *out, const struct analyze_work *work)
{
    const struct sass_code *code = &work->out->code;
    struct sass_matrix matrix;
    bool multiplies = false;

    for (size_t i = 0; i < code->count && !multiplies; i++)
        multiplies = work->out->traffic.counts[i].issued > 0 &&
                     sass_matrix(&matrix, &code->instructions[i]) && matrix.factor != SASS_FACTOR_F64;
    if (!multiplies)
        out->capacities.clock = (struct clock_limits){0};
    else if (!(out->capacities.clock.boost_hz > 0) || !(out->capacities.clock.tensor_hz > 0))
        out->assumptions |= PREDICT_ASSUMED_CLOCK;
}

/* What the clock depends on, at which an SM is simulated. */
static int find_input(struct analyze_work *work)
{
    struct analysis *out = work->out;

    out->input.demand = out->demands.demand;
    out->input.tensor_cycles = out->demands.tensor_cycles;
    out->input.warp_tensor_cycles = out->demands.warp_tensor_cycles;
    out->input.capacities = work->machine->capacities;
    out->input.residency.blocks_equal = out->traffic.blocks_equal;
    out->input.latency.stretch = 1;
    out->input.assumptions = 0;
    find_clocks(&out->input, work);
    return 0;
}

static bool is_issued(const struct emulate_result *emulation, size_t instruction)
{
    bool issued = false;

    for (size_t b = 0; b < emulation->block_count; b++)
        issued |= emulation->blocks[b].counts[instruction].issued > 0;
    return issued;
}

/* Whether blocks come to a loop that waits for what others store, or may come to it: where answers of atomics were taken from
 * one block alone, a block that thinks it is the first one may have gone past it. */
static bool waits_for_others(const struct analysis *out)
{
    struct sass_spin loop;
    bool waits = false;

    for (size_t from = 0; !waits && sass_spin(&loop, &out->code, from); from = loop.load + 1)
        waits = out->emulation.assumed || is_issued(&out->emulation, loop.load);
    return waits;
}

/* What decides which way blocks go was told from each block alone: of a block's work nothing is certain but that its warps
 * end, and where a clock or the SM decides, nothing is known of it. */
static void doubt_told(struct analysis *out)
{
    const unsigned told = out->emulation.told;

    if (!told)
        return;
    out->input.assumptions |= (told & EMULATE_TOLD_STORED ? PREDICT_ASSUMED_STORED : 0) |
                              (told & EMULATE_TOLD_WHEREABOUTS ? PREDICT_ASSUMED_WHEREABOUTS : 0);
    memset(out->input.demand.least, 0, sizeof out->input.demand.least);
    out->input.demand.least[RESOURCE_ISSUE] = 1;
    if (told & EMULATE_TOLD_WHEREABOUTS)
        out->input.known_share = 0;
}

static int make_prediction(struct analyze_work *work)
{
    struct analysis *out = work->out;
    const double error = fmax(out->emulation.work_error, out->traffic.access_error);
    const double unsure = out->emulation.parted ? assumptions_default.parted_factor : 1;
    const double told = out->emulation.told ? assumptions_default.answers_factor : 1;
    struct err why = {0};
    int rc;

    out->input.latency.stretch = fmax(out->imbalance.stretch, 1);
    out->input.instructions = out->demands.issued;
    out->input.work_error = error;
    out->input.known_share = out->demands.known_share;
    out->input.assumptions |=
        out->demands.assumptions | (out->emulation.assumed ? PREDICT_ASSUMED_ATOMIC : 0) |
        (out->emulation.tickets ? PREDICT_ASSUMED_TICKETS : 0) |
        (out->emulation.placeless ? PREDICT_ASSUMED_ONE_PLACE : 0) |
        (out->emulation.wandered ? PREDICT_ASSUMED_WANDERING : 0) |
        (out->emulation.skipped ? PREDICT_ASSUMED_SKIPS : 0) |
        (out->emulation.parted ? PREDICT_ASSUMED_PARTED : 0) |
        (out->emulation.uneven_clusters ? PREDICT_ASSUMED_CLUSTERS : 0) |
        (waits_for_others(out) ? PREDICT_ASSUMED_POLLING : 0) |
        (out->emulation.arrivals ? PREDICT_ASSUMED_ARRIVALS : 0) |
        machine_clusters_assumed(work->machine, launch_cluster_blocks(work->launch)) |
        (out->emulation.unproven > 0 || out->emulation.likened || out->traffic.access_error > 0
             ? PREDICT_LIKELY_BLOCKS
             : 0) |
        (out->emulation.wandered ? PREDICT_LIKELY_ADDRESSES : 0);
    out->input.unrated = out->demands.unrated.count > 0;
    doubt_told(out);
    rc = predict(&out->prediction, &out->input, &why);
    if (!rc) {
        find_achieved(out);
        find_table_ends(out);
        interval_find(&out->prediction, out->in_step_s / (1 + error) / unsure / told,
                      out->apart_s * (1 + error) * unsure);
    }
    return analyze_refuse(work, rc, &why);
}

static int run_steps(struct analyze_work *work, int (*const *steps)(struct analyze_work *), size_t count)
{
    int rc = 0;

    for (size_t s = 0; s < count && !rc; s++)
        rc = steps[s](work);
    return rc;
}

static int decode(struct analyze_work *work)
{
    struct err why = {0};
    int rc = sass_read(&work->out->code, work->kernel, &why);

    if (!rc && work->options->account && /* a damaged table says as little as none */
        lines_read(&work->out->lines, work->cubin, work->kernel, NULL) == ERR_MEMORY)
        return err_memory(work->err);
    return analyze_refuse(work, rc, &why);
}

/* The model, from machine code to a time. The first of them need no profile, but for its limits. */
enum { DECODED = 3 };
static int (*const steps[])(struct analyze_work *) = {
    decode,          find_occupancy, analyze_emulation,  count_in_step,
    analyze_latency, count_apart,    find_latency_apart, find_tables,
    analyze_freed,   find_input,     analyze_simulation, analyze_imbalance,
    make_prediction};
enum { STEPS = sizeof steps / sizeof *steps };

static int finish(struct analyze_work *work, int rc)
{
    work->out->predicted = rc == 0;
    replay_code_release(&work->ops);
    free(work->paths);
    return rc && !*work->out->reason ? rc : 0;
}

int analyze(struct analysis *out, const struct machine *machine, const struct cubin *cubin,
            const struct cubin_kernel *kernel, const struct launch *launch,
            const struct analyze_options *options, struct err *err)
{
    struct analyze_work work = {.out = out,
                                .machine = machine,
                                .cubin = cubin,
                                .kernel = kernel,
                                .launch = launch,
                                .options = options,
                                .err = err};

    memset(out, 0, sizeof *out);
    return finish(&work, run_steps(&work, steps, STEPS));
}

int analyze_again(struct analysis *out, const struct analysis *from, const struct machine *machine,
                  const struct launch *launch, const struct analyze_options *options, struct err *err)
{
    struct analyze_work work = {
        .out = out, .machine = machine, .launch = launch, .options = options, .err = err};

    *out = (struct analysis){.borrows = true,
                             .code = from->code,
                             .occupancy = from->occupancy,
                             .block = from->block,
                             .local_bytes = from->local_bytes,
                             .emulation = from->emulation,
                             .input.residency = from->input.residency};
    return finish(&work, run_steps(&work, steps + DECODED, STEPS - DECODED));
}

void analysis_release(struct analysis *analysis)
{
    if (!analysis->borrows) {
        sass_release(&analysis->code);
        emulate_result_release(&analysis->emulation);
    }
    traffic_release(&analysis->traffic);
    replay_account_release(&analysis->account);
    lines_release(&analysis->lines);
    memset(analysis, 0, sizeof *analysis);
}

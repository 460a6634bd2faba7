#include "model/expect.h"

#include "model/crowd.h"
#include "model/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_MOST = 16,  /* thread blocks emulated */
    FEW_WAVES = 20,    /* with more, the last one is a matter of proportion */
    PLAYED_BLOCKS = 64 /* slots that the sampled blocks fill by their weight when unequal ones are played */
};
static const double ORDINARY = 0.1; /* how far the work of an ordinary block is from the mean */

struct work {
    struct expectation *out;
    const struct machine *machine;
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct launch *launch;
    const struct expect_options *options;
    struct replay_code ops;
    struct replay *paths; /* played, one per path of the emulation */
    struct err *err;
};

/* Turns an error into a refusal, except for those that say nothing about the variant. */
static int refuse(struct work *work, int code, const struct err *why)
{
    if (code == 0 || code == ERR_MEMORY || code == ERR_SYSTEM) {
        if (code)
            err_set(work->err, (enum err_code)code, "%s", why->text);
        return code;
    }
    snprintf(work->out->reason, sizeof work->out->reason, "%s", why->text);
    return code;
}

/* Occupancy
 * ---------------------------------------------------------------------------------------------------------
 */

static int find_occupancy(struct work *work)
{
    struct expectation *out = work->out;
    const struct device_limits *limits = &work->machine->device->limits;

    if (!occupancy_launchable(out->reason, sizeof out->reason, limits, work->launch,
                              &work->kernel->resources))
        return ERR_USAGE;
    out->block = occupancy_block_of(work->launch, &work->kernel->resources);
    occupancy_of(&out->occupancy, limits, &out->block);
    out->input.residency = (struct residency){
        .blocks = (double)launch_blocks(work->launch),
        .sms = (double)limits->sm_count,
        .blocks_per_sm = out->occupancy.blocks,
        .warps_per_block = out->occupancy.warps_per_block,
        .partitions = (unsigned)limits->subpartitions,
    };
    if (out->occupancy.blocks > 0)
        return 0;
    snprintf(out->reason, sizeof out->reason, "no block fits on an SM");
    return ERR_USAGE;
}

/* Emulation
 * ---------------------------------------------------------------------------------------------------------
 */

static int emulate(struct work *work)
{
    const uint64_t budget = work->options->budget ? work->options->budget : UINT64_C(1) << 25;
    const struct emulate_options options = {
        .mode = EMULATE_SLICED, .budget = budget, .stop = work->options->stop};
    struct expectation *out = work->out;
    struct emulation *emulation = NULL;
    struct err why = {0};
    int code =
        emulation_open(&emulation, work->cubin, work->kernel, &out->code, work->launch, &options, &why);

    if (!code)
        code = emulate_sample(&out->emulation, emulation, SAMPLE_MOST, &why);
    emulation_close(emulation);
    if (code)
        return refuse(work, code, &why);
    if (out->emulation.end == EMULATE_DONE && out->emulation.block_count)
        return 0;
    snprintf(out->reason, sizeof out->reason, "emulation ended %s at block %u, %u, %u: %s",
             emulate_end_text(out->emulation.end), out->emulation.position[0], out->emulation.position[1],
             out->emulation.position[2], out->emulation.reason);
    out->at_code = true;
    out->pc = out->emulation.pc;
    return ERR_USAGE;
}

static struct traffic_caches caches_of(const struct work *work, double drift)
{
    const struct device *device = work->machine->device;
    const double l2 = machine_or_0(work->machine, DEVICE_L2_BYTES);
    const double all = (double)device->limits.l2_bytes;

    return (struct traffic_caches){
        .l1_bytes = (double)work->out->occupancy.l1,
        .l2_bytes = all,
        .l2_holds = fmin(l2 > 0 ? l2 : all, all),
        .l2_evict_first = device_has(device, DEVICE_L2_EVICT_FIRST)
                              ? device_sustained(device, DEVICE_L2_EVICT_FIRST)
                              : INFINITY,
        .merge_lines = work->machine->merge_lines,
        .resident_blocks = work->out->occupancy.blocks,
        .sms = (double)device->limits.sm_count,
        .drift = drift,
        .warm = work->options->warm,
    };
}

static int count_traffic(struct work *work, const struct traffic_caches *caches)
{
    struct expectation *out = work->out;

    if (traffic_of(&out->traffic, &out->code, &out->emulation, work->launch, caches, work->err))
        return ERR_MEMORY;
    demands_of(&out->demands, work->machine, &out->code, &out->traffic);
    return 0;
}

static int find_traffic(struct work *work)
{
    const struct traffic_caches caches = caches_of(work, 0);

    return count_traffic(work, &caches);
}

/* Latency
 * ---------------------------------------------------------------------------------------------------------
 */

/* Share of all warps that take each path. */
static double path_share(const struct emulate_result *emulation, size_t path)
{
    double taken = 0, warps = 0;
    size_t b;
    unsigned w;

    for (b = 0; b < emulation->block_count; b++) {
        const struct emulate_block *block = &emulation->blocks[b];

        for (w = 0; w < block->warps; w++)
            taken += block->paths[w] == path ? block->weight : 0;
        warps += block->weight * block->warps;
    }
    return taken / warps;
}

static void add_account(struct replay_account *sum, const struct replay_account *own, double share)
{
    size_t i;

    for (i = 0; i < own->count; i++) {
        sum->waited[i] += share * own->waited[i];
        sum->blamed[i] += share * own->blamed[i];
    }
}

static int play_path(struct work *work, size_t p)
{
    struct expectation *out = work->out;
    const double share = path_share(&out->emulation, p);
    struct replay_account account = {0};
    int code = 0, c;

    if (work->options->account)
        code = replay_account_init(&account, out->code.count, work->err);
    if (!code)
        code = replay_path(&work->paths[p], &work->ops, &out->emulation.paths[p],
                           work->options->account ? &account : NULL, work->err);
    if (!code) {
        for (c = 0; c < REPLAY_CAUSES; c++)
            out->waited[c] += share * work->paths[p].waited[c];
        out->waited_shared += share * work->paths[p].waited_level[MACHINE_SHARED];
        out->waited_l2 += share * work->paths[p].waited_level[MACHINE_GLOBAL];
        out->path_cycles += share * work->paths[p].last;
        if (work->options->account)
            add_account(&out->account, &account, share);
    }
    replay_account_release(&account);
    return code;
}

/* Parts the wait for global memory by where the data was: as the latencies weigh. */
static void part_levels(struct work *work)
{
    struct expectation *out = work->out;
    const double waited = out->waited_l2, reads = out->traffic.l1_read + out->traffic.l2_read;
    const double ready = out->traffic.l1_read * out->traffic.l1_ready;
    const double late = fmax(out->traffic.l1_read - ready, out->traffic.l2_read), hit = out->traffic.l2_ready;
    const double l1 = ready * machine_or_0(work->machine, DEVICE_L1_LATENCY);
    const double l2 = late * hit * machine_or_0(work->machine, DEVICE_L2_LATENCY);
    const double dram = late * (1 - hit) * machine_or_0(work->machine, DEVICE_DRAM_LATENCY);

    if (!(reads > 0) || !(l1 + l2 + dram > 0))
        return;
    out->waited_l1 = waited * l1 / (l1 + l2 + dram);
    out->waited_l2 = waited * l2 / (l1 + l2 + dram);
    out->waited_dram = waited * dram / (l1 + l2 + dram);
}

static double longest_path(const struct work *work, const struct emulate_block *block)
{
    double longest = 1;
    unsigned w;

    for (w = 0; w < block->warps; w++)
        longest = fmax(longest, work->paths[block->paths[w]].last);
    return longest;
}

/* Mean over blocks of the time from a block's start to its successor's. */
static double block_cycles(const struct work *work)
{
    const struct emulate_result *emulation = &work->out->emulation;
    double sum = 0, weight = 0;
    size_t b;

    for (b = 0; b < emulation->block_count; b++) {
        const struct emulate_block *block = &emulation->blocks[b];

        sum += block->weight * (longest_path(work, block) + work->out->replace_cycles);
        weight += block->weight;
    }
    return sum / weight;
}

static void add_level(struct latency *latency, enum resource resource, double cycles,
                      const struct saturation_curve *curve)
{
    if (!(cycles > 0))
        return;
    latency->level[latency->levels].resource = resource;
    latency->level[latency->levels].cycles = cycles;
    latency->level[latency->levels].curve = *curve;
    latency->levels++;
}

static void forget_latency(struct work *work)
{
    struct expectation *out = work->out;

    replay_code_release(&work->ops);
    replay_account_release(&out->account);
    free(work->paths);
    work->paths = NULL;
    memset(out->waited, 0, sizeof out->waited);
    out->waited_shared = out->waited_l1 = out->waited_l2 = out->waited_dram = out->path_cycles = 0;
    out->input.latency = (struct latency){0};
}

static int find_latency(struct work *work)
{
    struct expectation *out = work->out;
    struct latency *latency = &out->input.latency;
    struct err why = {0};
    int code;
    size_t p;

    code = replay_code_init(&work->ops, work->machine, &out->code, &out->traffic,
                            out->occupancy.warps_per_block, &why);
    if (code == ERR_MISSING && work->ops.missing_pc) {
        out->at_code = true;
        out->pc = work->ops.missing_pc;
    }
    if (code)
        return refuse(work, code, &why);
    if (work->options->account && replay_account_init(&out->account, out->code.count, work->err))
        return ERR_MEMORY;
    out->demands.assumptions |= work->ops.assumptions;
    work->paths = calloc(out->emulation.path_count + 1, sizeof *work->paths);
    if (!work->paths)
        return err_memory(work->err);
    for (p = 0; p < out->emulation.path_count; p++)
        if ((code = play_path(work, p)) != 0)
            return code;
    part_levels(work);
    out->barrier_cycles = work->ops.barrier_cycles;
    out->replace_cycles = machine_or_0(work->machine, DEVICE_BLOCK_REPLACE);
    latency->bound_cycles = block_cycles(work);
    add_level(latency, RESOURCE_DRAM_READ, out->waited_dram, &work->machine->dram);
    add_level(latency, RESOURCE_L2, out->waited_l2, &work->machine->l2);
    add_level(latency, RESOURCE_SHARED, out->waited_shared, &work->machine->shared);
    return 0;
}

/* Blocks that have drifted apart fetch more, and so wait longer. */
static int find_drift(struct work *work)
{
    struct expectation *out = work->out;
    const double drift = drift_share(&out->demands.demand, work->machine->capacities.sustained,
                                     &out->input.residency, out->input.latency.bound_cycles);
    const struct traffic_caches caches = caches_of(work, drift);
    const double in_step = out->traffic.dram_read;
    int code;

    if (!(caches.drift > 0) || caches.resident_blocks < 2 || out->traffic.wave_read <= caches.l2_holds)
        return 0;
    traffic_release(&out->traffic);
    code = count_traffic(work, &caches);
    if (code || out->traffic.dram_read == in_step)
        return code;
    forget_latency(work);
    return find_latency(work);
}

/* Imbalance
 * ---------------------------------------------------------------------------------------------------------
 */

/* The sampled block that stands for slot s of PLAYED_BLOCKS. */
static const struct emulate_block *slot_block(const struct emulate_result *emulation, double total, int s)
{
    double before = 0;
    size_t b;

    for (b = 0; b + 1 < emulation->block_count; b++) {
        before += emulation->blocks[b].weight;
        if (before > total * (s + 0.5) / PLAYED_BLOCKS)
            break;
    }
    return &emulation->blocks[b];
}

/* Equal warps and blocks lose nothing but the places of the last wave. */
static void no_imbalance(struct work *work)
{
    struct schedule schedule;

    schedule_of(&schedule, work->out->input.residency.blocks, work->out->input.residency.sms,
                work->out->input.residency.blocks_per_sm);
    work->out->imbalance =
        (struct imbalance){.too_few = schedule.filled_share,
                           .between_blocks = 1,
                           .within_block = 1,
                           .achieved = schedule.filled_share,
                           .makespan = schedule.count * work->out->input.latency.bound_cycles,
                           .stretch = 1};
}

/* Whether the warps of a block meet at barriers more than once, so that none ends before the others. */
static bool ends_together(const struct work *work)
{
    const struct traffic *traffic = &work->out->traffic;
    double met = 0;
    size_t i;

    for (i = 0; i < traffic->instruction_count; i++)
        met += work->ops.barriers[i] ? traffic->counts[i].issued : 0;
    return met > 1;
}

static int find_imbalance(struct work *work)
{
    const struct residency *at = &work->out->input.residency;
    const struct emulate_result *emulation = &work->out->emulation;
    const unsigned warps = emulation->blocks[0].warps;
    const bool together = ends_together(work);
    double cycles[PLAYED_BLOCKS * 32], total = 0;
    size_t b;
    unsigned w;
    int s;

    if (emulation->path_count == 1) {
        no_imbalance(work);
        return 0;
    }
    for (b = 0; b < emulation->block_count; b++)
        total += emulation->blocks[b].weight;
    for (s = 0; s < PLAYED_BLOCKS; s++) {
        const struct emulate_block *block = slot_block(emulation, total, s);

        const double longest = longest_path(work, block);

        for (w = 0; w < warps; w++)
            cycles[s * (int)warps + (int)w] = together ? longest : fmax(work->paths[block->paths[w]].last, 1);
    }
    return imbalance_of(&work->out->imbalance, cycles, PLAYED_BLOCKS, warps, (size_t)at->blocks,
                        (size_t)(at->sms * at->blocks_per_sm), work->err);
}

/* All warps together
 * ---------------------------------------------------------------------------------------------------------
 */

static double issued_by(const struct emulate_result *emulation, const struct emulate_block *block)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < emulation->instruction_count; i++)
        sum += (double)block->counts[i].issued;
    return sum;
}

/* Of the sampled blocks that stand for most the first; where that is no ordinary one, the one whose work is
 * nearest to their mean. */
static const struct emulate_block *main_block(const struct emulate_result *emulation)
{
    const struct emulate_block *best = NULL;
    double most = 0, sum = 0, count = 0, nearest = 0;
    size_t b;

    for (b = 0; b < emulation->block_count; b++)
        most = fmax(most, emulation->blocks[b].weight);
    for (b = 0; b < emulation->block_count; b++)
        if (emulation->blocks[b].weight == most) {
            sum += issued_by(emulation, &emulation->blocks[b]);
            count++;
        }
    for (b = 0; b < emulation->block_count; b++) {
        const struct emulate_block *block = &emulation->blocks[b];
        const double off = fmax(fabs(issued_by(emulation, block) / (sum / count) - 1), ORDINARY);

        if (block->weight == most && (!best || off < nearest)) {
            best = block;
            nearest = off;
        }
    }
    return best;
}

/* Full waves, and a partial one at its own occupancy where waves are few. */
static int find_crowd(struct work *work)
{
    struct expectation *out = work->out;
    const struct residency *at = &out->input.residency;
    struct crowd_input in = {.code = &work->ops,
                             .machine = work->machine,
                             .sass = &out->code,
                             .traffic = &out->traffic,
                             .emulation = &out->emulation,
                             .block = main_block(&out->emulation),
                             .replace_cycles = out->replace_cycles,
                             .partitions = at->partitions,
                             .stop = work->options->stop};
    struct crowded *crowded = &out->input.crowded;
    struct crowd wave = {0}, tail = {0};
    struct schedule schedule;
    struct err why = {0};
    int code = 0;

    schedule_of(&schedule, at->blocks, at->sms, at->blocks_per_sm);
    in.busy_sms = at->sms;
    if (schedule.full > 0)
        code = crowd_play(&wave, &in, (unsigned)at->blocks_per_sm, schedule.full > 1, &why);
    if (schedule.full > 0 && schedule.rest_per_sm == at->blocks_per_sm) {
        tail = wave;
    } else if (!code && schedule.rest > 0 && schedule.full < FEW_WAVES) {
        in.busy_sms = fmax(schedule.rest_sms, 1);
        code = crowd_play(&tail, &in, (unsigned)schedule.rest_per_sm, false, &why);
    } else if (schedule.rest > 0) {
        tail.first = wave.further * schedule.rest / (at->sms * at->blocks_per_sm);
    }
    crowded->wave_cycles = schedule.full > 0 ? wave.further : tail.first;
    crowded->all_cycles = wave.first + fmax(schedule.full - 1, 0) * wave.further + tail.first;
    return refuse(work, code, &why);
}

/* Prediction
 * ---------------------------------------------------------------------------------------------------------
 */

static void find_achieved(struct expectation *out)
{
    const struct capacities *can = &out->input.capacities;
    const struct residency *at = &out->input.residency;
    const double dispatch_cycles = can->block_dispatch_s * can->clock_hz * at->sms;

    out->held =
        schedule_held(out->prediction.loaded_cycles, out->replace_cycles, dispatch_cycles, at->blocks_per_sm);
    out->achieved = out->occupancy.share * out->imbalance.achieved * out->held;
}

static int make_prediction(struct work *work)
{
    struct expectation *out = work->out;
    struct err why = {0};
    int code;

    out->input.demand = out->demands.demand;
    out->input.capacities = work->machine->capacities;
    out->input.residency.blocks_equal = out->traffic.blocks_equal;
    out->input.latency.stretch = fmax(out->imbalance.stretch, 1);
    out->input.known_share = out->demands.known_share;
    out->input.assumptions = out->demands.assumptions | (out->emulation.assumed ? PREDICT_ASSUMED_ATOMIC : 0);
    code = predict(&out->prediction, &out->input, &why);
    if (!code)
        find_achieved(out);
    return refuse(work, code, &why);
}

static int run_steps(struct work *work)
{
    static int (*const steps[])(struct work *) = {find_occupancy, emulate,        find_traffic,
                                                  find_latency,   find_drift,     find_imbalance,
                                                  find_crowd,     make_prediction};
    struct err why = {0};
    int code = sass_read(&work->out->code, work->kernel, &why);
    size_t s;

    if (code)
        return refuse(work, code, &why);
    for (s = 0; s < sizeof steps / sizeof *steps && !code; s++)
        code = steps[s](work);
    return code;
}

int expect(struct expectation *out, const struct machine *machine, const struct cubin *cubin,
           const struct cubin_kernel *kernel, const struct launch *launch,
           const struct expect_options *options, struct err *err)
{
    struct work work = {.out = out,
                        .machine = machine,
                        .cubin = cubin,
                        .kernel = kernel,
                        .launch = launch,
                        .options = options,
                        .err = err};
    int code;

    memset(out, 0, sizeof *out);
    code = run_steps(&work);
    out->predicted = code == 0;
    replay_code_release(&work.ops);
    free(work.paths);
    return code && !*out->reason ? code : 0;
}

void expectation_release(struct expectation *expectation)
{
    sass_release(&expectation->code);
    emulate_result_release(&expectation->emulation);
    traffic_release(&expectation->traffic);
    replay_account_release(&expectation->account);
    memset(expectation, 0, sizeof *expectation);
}

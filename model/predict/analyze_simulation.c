#include "model/predict/analyze_work.h"

#include "model/memory/rows.h"
#include "model/predict/mix.h"
#include "model/sm/simulate.h"

#include <math.h>
#include <string.h>

enum {
    FEW_WAVES = 20, /* with more, the last one is a matter of proportion */
    MIXED_WAVES = 4,
    MIXED = 64 /* different blocks that are simulated at most, after one another, too */
};

/* A clock that differs by less is as good, for a simulation. */
static const double CLOCK_MATTERS = 0.02;

/* Whether their warps take the same paths. */
static bool all_alike(const struct emulate_block *const *blocks, size_t n)
{
    for (size_t b = 1; b < n; b++)
        if (memcmp(blocks[b]->paths, blocks[0]->paths, blocks[0]->warps * sizeof *blocks[0]->paths))
            return false;
    return true;
}

/* With few places the blocks of several waves are another mixture than those of one. */
static size_t count_mixed(unsigned block_slots, bool waves)
{
    const size_t n = block_slots * (waves ? MIXED_WAVES : 1);

    return n < MIXED ? n : MIXED;
}

/* Simulates `places` resident blocks as they are mixed in the grid; where they are not of the mean work, the time
 * is in proportion. */
static int simulate(struct sm_cycles *out, struct sm_input *in, unsigned block_slots, bool waves,
                    struct err *err)
{
    const struct emulate_block *blocks[MIXED];
    double share;
    int rc;

    in->blocks = blocks;
    in->block_count = count_mixed(block_slots, waves);
    rc = mix_blocks(blocks, &share, in->emulation, in->block_count, err);
    if (rc)
        return rc;
    if (all_alike(blocks, in->block_count))
        in->block_count = 1;
    rc = sm_simulate(out, in, block_slots, waves, err);
    out->first *= share;
    out->further *= share;
    return rc;
}

/* Warps that never go on in the simulation: its time says nothing. */
static void note_lost(struct analysis *out)
{
    for (size_t i = 0; i < out->code.count; i++)
        if (out->code.instructions[i].op == SASS_SYNCS && out->traffic.counts[i].issued > 0) {
            unrated_add(&out->demands.unrated, &out->code.instructions[i],
                        "which phases of mbarriers its warps wait for", out->traffic.counts[i].issued);
            return;
        }
}

/* Of the resident blocks those that get as much done as all of them: a block alone on the GPU takes its latency, among the
 * others as long as what they share makes it wait. */
static int find_needed(struct analyze_work *work, struct sm_input *in, struct err *err)
{
    const double among = work->out->input.simulated.wave_cycles;
    struct sm_cycles alone = {0};
    int rc = 0;

    work->needed_share = 1;
    if (!work->out->emulation.tickets)
        return 0;
    in->busy_sms = 1;
    rc = simulate(&alone, in, 1, false, err);
    if (!rc && alone.first > 0 && among > 0)
        work->needed_share = fmin(alone.first / among, 1);
    return rc;
}

/* Where copies queue up for DRAM some SMs are served better: they take most of the last wave. */
static int drain_unequally(struct analyze_work *work, struct sm_input *in, const struct sm_cycles *wave,
                           struct err *err)
{
    const struct device *device = work->machine->device;
    const struct residency *at = &work->out->input.residency;
    const struct device_curve *favour = &device->curves[DEVICE_CURVE_DRAM_FAVOUR];
    const double all = (double)device->limits.sm_count;
    struct shared_sms shared = {
        .blocks = at->blocks,
        .sms = at->sms,
        .blocks_per_sm = at->blocks_per_sm,
        .favoured = machine_or_0(work->machine, DEVICE_DRAM_FAVOURED) * at->sms / all,
        .favour =
            favour->count && wave->under_way > favour->x[0] ? device_curve_at(favour, wave->under_way) : 1,
        .wave_cycles = wave->further,
        .block_cycles = work->out->input.latency.bound_cycles,
    };
    struct sm_cycles alone = {0};
    double *cycles = &work->out->input.simulated.all_cycles;
    int rc;

    if (!(shared.favour > 1) || !(shared.favoured >= 1))
        return 0;
    in->busy_sms = shared.favoured;
    rc = simulate(&alone, in, (unsigned)at->blocks_per_sm, false, err);
    shared.alone_cycles = alone.first;
    if (!rc && alone.first > 0)
        *cycles = fmax(*cycles, schedule_shared(&shared));
    return rc;
}

/* Where DRAM limits, and is slower for rows that are walked along in step. */
static void slow_rows(struct analyze_work *work, double under_way)
{
    struct analysis *out = work->out;
    const struct residency *at = &out->input.residency;
    const double held = fmin(at->blocks_per_sm, ceil(at->blocks / at->sms));
    const double slowed = rows_slowed(work->machine, &out->traffic, &out->emulation, under_way / held);
    const double gpu = work->machine->capacities.sustained[RESOURCE_DRAM_READ].per_gpu;
    const double dram =
        gpu > 0 ? out->demands.demand.count[RESOURCE_DRAM_READ] * at->blocks * at->warps_per_block / gpu : 0;
    double *cycles = &out->input.simulated.all_cycles;

    if (dram * slowed > *cycles)
        *cycles += dram * (slowed - 1);
}

/* An SM at a clock of so much less than the highest. */
static int simulate_at(struct analyze_work *work, double slowed, struct err *why)
{
    struct analysis *out = work->out;
    const struct residency *at = &out->input.residency;
    struct sm_input in = {.code = &work->ops,
                          .machine = work->machine,
                          .sass = &out->code,
                          .traffic = &out->traffic,
                          .emulation = &out->emulation,
                          .slowed = slowed,
                          .replace_cycles = out->replace_cycles,
                          .partitions = at->partitions,
                          .stop = work->options->stop};
    struct simulated *simulated = &out->input.simulated;
    struct sm_cycles wave = {0}, tail = {0};
    struct schedule schedule;
    int rc = 0;

    schedule_of(&schedule, at->blocks, at->sms, at->blocks_per_sm);
    in.busy_sms = at->sms;
    if (schedule.full > 0)
        rc = simulate(&wave, &in, (unsigned)at->blocks_per_sm, schedule.full > 1, why);
    if (schedule.full > 0 && schedule.rest_per_sm == at->blocks_per_sm) {
        tail = wave;
    } else if (!rc && schedule.rest > 0 && schedule.full < FEW_WAVES) {
        in.busy_sms = fmax(schedule.rest_sms, 1);
        rc = simulate(&tail, &in, (unsigned)schedule.rest_per_sm, false, why);
    } else if (schedule.rest > 0) {
        tail.first = wave.further * schedule.rest / (at->sms * at->blocks_per_sm);
    }
    if (wave.lost || tail.lost)
        note_lost(out);
    out->mbarrier_share = fmax(wave.first, tail.first) > 0
                              ? fmax(wave.waited / fmax(wave.first, 1), tail.waited / fmax(tail.first, 1))
                              : 0;
    out->copying_share = fmax(wave.copying, tail.copying);
    out->storing_share = fmax(wave.storing, tail.storing);
    simulated->wave_cycles = schedule.full > 0 ? wave.further : tail.first;
    simulated->all_cycles = wave.first + fmax(schedule.full - 1, 0) * wave.further + tail.first;
    if (!rc && schedule.full > 0 && schedule.count > 1 && schedule.full < FEW_WAVES)
        rc = drain_unequally(work, &in, &wave, why);
    slow_rows(work, fmax(wave.under_way, tail.under_way));
    if (!rc)
        rc = find_needed(work, &in, why);
    return rc;
}

/* The clock is found by the bounds, and by the simulation where that takes longer; the simulation depends on it. */
int analyze_simulation(struct analyze_work *work)
{
    struct predict_input *in = &work->out->input;
    const double highest = in->capacities.clock_hz;
    double guess, clock;
    struct err why = {0};
    int rc;

    in->simulated = (struct simulated){0};
    guess = highest > 0 ? predict_clock(in) : 0;
    rc = simulate_at(work, guess > 0 ? highest / guess : 1, &why);
    clock = guess > 0 && !rc ? predict_clock(in) : guess;
    if (!rc && fabs(clock - guess) > CLOCK_MATTERS * guess)
        rc = simulate_at(work, highest / clock, &why);
    return analyze_refuse(work, rc, &why);
}

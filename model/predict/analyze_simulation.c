#include "model/predict/analyze_work.h"

#include "model/sm/simulate.h"

#include <math.h>
#include <string.h>

enum {
    FEW_WAVES = 20, /* with more, the last one is a matter of proportion */
    MIXED = 64      /* different blocks that are simulated together at most */
};

static double issued_by(const struct emulate_result *emulation, const struct emulate_block *block)
{
    double sum = 0;

    for (size_t i = 0; i < emulation->instruction_count; i++)
        sum += (double)block->counts[i].issued;
    return sum;
}

/* The blocks that an SM's `n` places hold: of the sampled ones each as often as its weight asks for. Returns
 * how much work a block of the grid has, relative to the mean of those. */
static double mix_blocks(const struct emulate_block **out, const struct emulate_result *emulation, size_t n)
{
    double work = 0, weight = 0, chosen = 0, before = 0;
    size_t b, c = 0, p;

    for (b = 0; b < emulation->block_count; b++) {
        work += emulation->blocks[b].weight * issued_by(emulation, &emulation->blocks[b]);
        weight += emulation->blocks[b].weight;
    }
    for (p = 0; p < n; p++) {
        while (c + 1 < emulation->block_count &&
               before + emulation->blocks[c].weight <= weight * ((double)p + 0.5) / (double)n)
            before += emulation->blocks[c++].weight;
        out[p] = &emulation->blocks[c];
        chosen += issued_by(emulation, out[p]);
    }
    return work / weight / (chosen / (double)n);
}

/* Whether their warps take the same paths. */
static bool all_alike(const struct emulate_block *const *blocks, size_t n)
{
    for (size_t b = 1; b < n; b++)
        if (memcmp(blocks[b]->paths, blocks[0]->paths, blocks[0]->warps * sizeof *blocks[0]->paths))
            return false;
    return true;
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
    in->block_count = block_slots < MIXED ? block_slots : MIXED;
    share = mix_blocks(blocks, in->emulation, in->block_count);
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

int analyze_simulation(struct analyze_work *work)
{
    struct analysis *out = work->out;
    const struct residency *at = &out->input.residency;
    struct sm_input in = {.code = &work->ops,
                          .machine = work->machine,
                          .sass = &out->code,
                          .traffic = &out->traffic,
                          .emulation = &out->emulation,
                          .replace_cycles = out->replace_cycles,
                          .partitions = at->partitions,
                          .stop = work->options->stop};
    struct simulated *simulated = &out->input.simulated;
    struct sm_cycles wave = {0}, tail = {0};
    struct schedule schedule;
    struct err why = {0};
    int rc = 0;

    schedule_of(&schedule, at->blocks, at->sms, at->blocks_per_sm);
    in.busy_sms = at->sms;
    if (schedule.full > 0)
        rc = simulate(&wave, &in, (unsigned)at->blocks_per_sm, schedule.full > 1, &why);
    if (schedule.full > 0 && schedule.rest_per_sm == at->blocks_per_sm) {
        tail = wave;
    } else if (!rc && schedule.rest > 0 && schedule.full < FEW_WAVES) {
        in.busy_sms = fmax(schedule.rest_sms, 1);
        rc = simulate(&tail, &in, (unsigned)schedule.rest_per_sm, false, &why);
    } else if (schedule.rest > 0) {
        tail.first = wave.further * schedule.rest / (at->sms * at->blocks_per_sm);
    }
    if (wave.lost || tail.lost)
        note_lost(out);
    out->mbarrier_share = fmax(wave.first, tail.first) > 0
                              ? fmax(wave.waited / fmax(wave.first, 1), tail.waited / fmax(tail.first, 1))
                              : 0;
    out->copying_share = fmax(wave.copying, tail.copying);
    simulated->wave_cycles = schedule.full > 0 ? wave.further : tail.first;
    simulated->all_cycles = wave.first + fmax(schedule.full - 1, 0) * wave.further + tail.first;
    if (!rc)
        rc = find_needed(work, &in, &why);
    return analyze_refuse(work, rc, &why);
}

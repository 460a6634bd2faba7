#include "model/expect_work.h"

#include "model/crowd.h"

#include <math.h>

enum { FEW_WAVES = 20 };            /* with more, the last one is a matter of proportion */
static const double ORDINARY = 0.1; /* how far the work of an ordinary block is from the mean */

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

int expect_crowd(struct expect_work *work)
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
    return expect_refuse(work, code, &why);
}

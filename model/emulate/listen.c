/* What a recorded loop is told of what its warp does. */
#include "model/emulate/steady.h"
#include "model/emulate/steady_state.h"

#include <string.h>

bool steady_listens(const struct steady *steady)
{
    return steady && steady->depth;
}

/* Compares it with the record: the same instruction may do the same elsewhere than expected. Of one that is known
 * to wander nobody asks where, but for its steps. */
static void compare(struct recording *recording, size_t k, const struct execution *execution)
{
    struct record *record = &recording->records[k];
    const bool free = record->wanders && recording->phase == PHASE_REHEARSE;

    if (recording->capture && execution->access)
        memcpy(recording->capture[k], execution->values[0], sizeof *recording->capture);
    if (!free && record_follows(record, execution, recording->periods, recording->phase == PHASE_LEARN))
        return;
    if (record_is_alike(record, execution))
        record->wanders = recording->wanders = true;
    else
        recording->disturbed = true;
}

void recording_take(struct recording *recording, const struct execution *execution)
{
    if (recording->disturbed)
        return;
    if (recording->phase == PHASE_RECORD) {
        if (recording->record_count == RECORD_MOST)
            recording->disturbed = true;
        else
            record_first(&recording->records[recording->record_count++], execution);
        return;
    }
    if (recording->next >= recording->record_count)
        recording->disturbed = true;
    else
        compare(recording, recording->next++, execution);
}

static void take(struct steady *steady, const struct execution *execution)
{
    for (unsigned k = 0; k < steady->depth; k++)
        recording_take(&steady->recordings[k], execution);
}

static void disturb(struct steady *steady)
{
    for (unsigned k = 0; k < steady->depth; k++)
        steady->recordings[k].disturbed = true;
}

void steady_access(struct steady *steady, const struct request *request, bool wanted, bool is_stack)
{
    const struct execution execution = {.i = request->i,
                                        .mask = request->mask,
                                        .operand_count = 1,
                                        .values = &request->address,
                                        .access = true,
                                        .fixed = wanted,
                                        .second = request->second,
                                        .space = request->space,
                                        .width = request->width};

    if (wanted && request->access & SASS_WRITES && !is_stack)
        disturb(steady);
    take(steady, &execution);
}

void steady_copy(struct steady *steady, const struct sass *i, const uint64_t values[LANES])
{
    const struct execution execution = {
        .i = i, .mask = ALL_LANES, .operand_count = 1, .values = (const uint64_t(*)[LANES])values};

    take(steady, &execution);
}

static bool reads_clock(const struct sass *i)
{
    return i->source_count && i->sources[0].kind == SASS_SPECIAL && i->sources[0].value >= SASS_SR_CLOCKLO &&
           i->sources[0].value <= SASS_SR_GLOBALTIMERHI;
}

void steady_compute(struct steady *steady, const struct alu *x, uint32_t known)
{
    uint64_t values[RECORD_OPERANDS][LANES];
    struct execution execution = {.i = x->i, .mask = known, .values = (const uint64_t(*)[LANES])values};

    if (reads_clock(x->i))
        disturb(steady);
    if (!x->plan->sets_predicate || !x->plan->source_count)
        return;
    /* LEA has a fourth operand, the shift, an immediate */
    execution.operand_count =
        x->plan->source_count < RECORD_OPERANDS ? x->plan->source_count : RECORD_OPERANDS;
    for (unsigned k = 0; k < execution.operand_count; k++) {
        const bool wide = source_operand(x, k)->count > 1;

        for (unsigned l = 0; l < LANES; l++)
            values[k][l] = x->s[k][0][l] | (wide ? (uint64_t)x->s[k][1][l] << 32 : 0);
    }
    take(steady, &execution);
}

void recording_run(struct recording *recording, const struct record_run *run)
{
    const struct record_run *known = &recording->runs[recording->next_run];

    if (recording->phase == PHASE_RECORD && recording->run_count < RECORD_MOST) {
        recording->runs[recording->run_count++] = *run;
        return;
    }
    if (recording->phase == PHASE_RECORD || recording->next_run >= recording->run_count ||
        known->first != run->first || known->end != run->end || known->times != run->times)
        recording->disturbed = true;
    recording->next_run++;
}

void steady_run(struct steady *steady, uint32_t first, uint32_t end)
{
    const struct record_run run = {first, end, 1};

    for (unsigned k = 0; k < steady->depth; k++)
        recording_run(&steady->recordings[k], &run);
}

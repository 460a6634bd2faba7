/* Nested loops: what an inner loop in steady state does is a few records of the loop around it, whatever its
 * trip count. */
#include "model/emulate/steady_state.h"

#include <string.h>

/* Where a record's operands are in a period: those of an access stay but for its address. */
static void operands_at(uint64_t values[RECORD_OPERANDS][LANES], const struct record *record, uint64_t period)
{
    for (unsigned k = 0; k < record->operand_count; k++)
        for (unsigned l = 0; l < LANES; l++)
            values[k][l] = record->value[k][l] + period * record->delta[k][l];
}

static bool moves(const struct record *record)
{
    bool moved = false;

    for (unsigned k = 0; k < record->operand_count; k++)
        for (unsigned l = 0; l < LANES; l++)
            moved |= record->delta[k][l] != 0;
    return moved;
}

/* The access in `periods` periods from the third on. */
static void fold_access(struct recording *outer, const struct record *record, uint64_t periods)
{
    uint64_t values[RECORD_OPERANDS][LANES];
    struct execution execution = record_execution(record);

    if (record->rank == RECORD_RANKS) {
        outer->disturbed = true;
        return;
    }
    operands_at(values, record, 2);
    memcpy(values[execution.operand_count++], record->delta[0], sizeof *values);
    execution.times[execution.rank++] = periods;
    execution.values = (const uint64_t(*)[LANES])values;
    recording_take(outer, &execution);
}

/* Operands of a comparison advance evenly: between the ends it can turn out no other way than at both. */
static void fold_comparison(struct recording *outer, const struct record *record, uint64_t periods)
{
    uint64_t values[RECORD_OPERANDS][LANES];
    struct execution execution = record_execution(record);

    execution.values = (const uint64_t(*)[LANES])values;
    operands_at(values, record, 2);
    recording_take(outer, &execution);
    if (!moves(record))
        return;
    operands_at(values, record, periods + 1);
    recording_take(outer, &execution);
}

/* A box that a tensor copy moves is no address: of several loops in each other the inner ones are executed. */
static void fold(struct recording *outer, const struct recording *inner, uint64_t periods)
{
    for (size_t k = 0; k < inner->record_count; k++) {
        outer->disturbed |= sass_is_tensor_copy(inner->records[k].i);
        (inner->records[k].access ? fold_access : fold_comparison)(outer, &inner->records[k], periods);
    }
    for (size_t k = 0; k < inner->run_count; k++) {
        struct record_run run = inner->runs[k];

        run.times *= periods;
        recording_run(outer, &run);
    }
}

void fold_into_outer(struct steady *steady, uint64_t periods)
{
    const struct recording *inner = &steady->recordings[steady->depth - 1];

    for (unsigned k = 0; k + 1 < steady->depth; k++)
        fold(&steady->recordings[k], inner, periods);
}

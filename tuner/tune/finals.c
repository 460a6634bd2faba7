#include "tuner/tune/seats.h"
#include "tuner/tune/tuning.h"

#include "base/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_cost(const void *a, const void *b)
{
    const struct candidate *x = *(struct candidate *const *)a, *y = *(struct candidate *const *)b;

    if (candidate_cost(x) != candidate_cost(y))
        return candidate_cost(x) < candidate_cost(y) ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The candidates that ran, best first; malloc'ed. */
static int rank(struct candidate ***out, size_t *count, const struct tuning *tuning, struct err *err)
{
    *count = 0;
    *out = malloc((tuning->candidate_count + 1) * sizeof **out);
    if (!*out)
        return err_memory(err);
    for (size_t i = 0; i < tuning->candidate_count; i++)
        if (tuning->candidates[i]->settled && tuning->candidates[i]->record.outcome == OUTCOME_OK)
            (*out)[(*count)++] = tuning->candidates[i];
    qsort(*out, *count, sizeof **out, by_cost);
    return 0;
}

/* A resumed run whose finalists all stood in the finals already has nothing to measure. */
static bool all_final(struct candidate *const *finalists, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!finalists[i]->record.final)
            return false;
    return true;
}

/* Of the cost. */
static struct stats_interval interval_of(const struct candidate *candidate)
{
    const struct record *record = &candidate->record;

    if (record->sample_count >= 2)
        return finals_interval(candidate, record->samples_s, record->sample_count);
    return (struct stats_interval){candidate_cost(candidate), candidate_cost(candidate)};
}

static bool is_tie(const struct candidate *best, const struct candidate *other, double resolution)
{
    return candidate_cost(other) <= candidate_cost(best) * (1 + resolution) ||
           interval_of(other).low <= interval_of(best).high;
}

/* Of those within noise of the fastest, the one with the fewest registers wins: it leaves most of the SM free. Brings
 * the tied to the front, the winner first. */
static size_t choose(struct candidate **finalists, size_t n, double resolution)
{
    struct candidate *winner;
    size_t tied = 1, best = 0, i;

    while (tied < n && is_tie(finalists[0], finalists[tied], resolution))
        tied++;
    for (i = 1; i < tied; i++)
        if (finalists[i]->record.registers >= 0 &&
            finalists[i]->record.registers < finalists[best]->record.registers)
            best = i;
    winner = finalists[best];
    memmove(finalists + 1, finalists, best * sizeof *finalists);
    finalists[0] = winner;
    return tied;
}

double tuned_cost(const struct tuned_variant *variant)
{
    return variant->weight * variant->record.time_s;
}

int candidate_copy(struct tuned_variant *out, const struct tuning *tuning, const struct candidate *candidate,
                   struct err *err)
{
    const size_t bytes = tuning->spec->parameter_count * sizeof *out->choices;

    out->index = candidate->index;
    out->choices = malloc(bytes);
    if (!out->choices)
        return err_memory(err);
    memcpy(out->choices, candidate->choices, bytes);
    out->weight = candidate->weight;
    out->prediction = candidate->prediction;
    return record_copy(&out->record, &candidate->record, err);
}

/* The default, or the candidate that was timed for it because it has the same code. Null: never tried. */
static const struct candidate *initial_of(const struct tuning *tuning)
{
    const struct candidate *initial = map_find(&tuning->by_index, tuning->out->initial.index);

    return initial && initial->same_as ? initial->same_as : initial;
}

static int copy_out(struct tuning *tuning, struct candidate *const *ranked, size_t n, struct err *err)
{
    struct tuned *out = tuning->out;
    const struct candidate *initial = initial_of(tuning);
    int rc = 0;

    if (initial) {
        out->initial.weight = initial->weight;
        record_release(&out->initial.record);
        rc = record_copy(&out->initial.record, &initial->record, err);
    }
    out->finalists = calloc(n + 1, sizeof *out->finalists);
    if (!out->finalists)
        return err_memory(err);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = candidate_copy(&out->finalists[i], tuning, ranked[i], err);
        out->finalist_count = i + 1;
    }
    return rc;
}

/* Recorded: compiles the winner here and compares its code with the record's. */
static int check_winner(struct tuning *tuning, struct candidate *winner, struct err *err)
{
    struct tuned *out = tuning->out;
    bool same = false;
    int rc;

    if (tuning->out->evaluator->measures || !tuning->environment->compiler || !winner->record.identified)
        return 0;
    rc = candidate_revive(tuning, winner, err);
    if (!rc && winner->work->job.compiled.outcome == OUTCOME_OK) {
        rc = candidate_facts(winner, err);
        same = !rc && winner->work->job.facts.hash == winner->record.code_hash;
    }
    candidate_relax(winner);
    if (rc)
        return rc;
    snprintf(out->nvrtc_here, sizeof out->nvrtc_here, "%s", compiler_version(tuning->environment->compiler));
    out->code_check = same ? TUNE_CHECKED : TUNE_DIFFERS;
    if (!same)
        tuning_message(
            tuning,
            "the winner's code from NVRTC %s here is not the code of NVRTC %s that was measured: 1 of 1 "
            "compared differs",
            out->nvrtc_here, out->nvrtc);
    return 0;
}

int finals_run(struct tuning *tuning, struct err *err)
{
    const struct candidate *initial = initial_of(tuning);
    struct candidate **ranked, *field[SEATS];
    size_t count, n;
    int rc = rank(&ranked, &count, tuning, err);

    if (rc)
        return rc;
    if (!count && initial) /* limits are no failures, but where nothing else is left they are the reason */
        candidate_remember(tuning, initial);
    n = seats_take(field, ranked, count, initial);
    free(ranked);
    if (tuning->out->evaluator->launches && n > 1 && !all_final(field, n) && !tuning_stopped(tuning))
        rc = finals_measure(tuning, field, n, err);
    qsort(field, n, sizeof *field, by_cost);
    if (!rc && n) {
        tuning->out->tied = choose(field, n, finals_resolution(tuning));
        rc = check_winner(tuning, field[0], err);
        if (!rc)
            rc = candidate_foresee(tuning, field[0], err);
    }
    return rc ? rc : copy_out(tuning, field, n, err);
}

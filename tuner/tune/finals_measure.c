/* The fastest once more, in turns, until it is certain which of them is the fastest. */
#include "tuner/tune/seats.h"
#include "tuner/tune/tuning.h"

#include "base/hash.h"
#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double resolution = 0.003, energy_resolution = 0.01;
enum { FINALS_MOVES_MOST = 4 };

double finals_resolution(const struct tuning *tuning)
{
    return tuning->spec->objective.energy ? energy_resolution : resolution;
}

/* Energies vary, and the times beside them hardly. */
struct stats_interval finals_interval(const struct candidate *candidate, const double *samples_s,
                                      size_t count)
{
    const struct record *record = &candidate->record;
    struct stats_interval interval = stats_median_interval(samples_s, count);
    double cost = candidate->weight; /* of a second */

    if (candidate->energy_count) {
        interval = stats_median_interval(candidate->energies_j, candidate->energy_count);
        cost *= record->time_s / record->energy_j; /* of a joule */
    }
    return (struct stats_interval){cost * interval.low, cost * interval.high};
}

static int append_samples(double **all, size_t *count, const struct trial *trial, struct err *err)
{
    double *larger = realloc(*all, (*count + trial->sample_count + 1) * sizeof *larger);

    if (!larger)
        return err_memory(err);
    *all = larger;
    memcpy(larger + *count, trial->samples_s, trial->sample_count * sizeof *larger);
    *count += trial->sample_count;
    return 0;
}

/* Whether the finals are measured on another GPU than before: theirs was lost. */
static bool has_moved(struct tuning *tuning, const struct evaluator_job *job)
{
    char on[sizeof tuning->finals_on];
    bool moved;

    if (!job->host)
        return false;
    snprintf(on, sizeof on, "%.280s GPU %zu", job->host, job->lane);
    moved = *tuning->finals_on && strcmp(on, tuning->finals_on);
    snprintf(tuning->finals_on, sizeof tuning->finals_on, "%s", on);
    return moved;
}

/* One finalist measured once more. What fails now keeps its earlier record: it is said aloud. */
static int measure_again(struct tuning *tuning, struct candidate *candidate, bool sustained, double **all,
                         size_t *count, struct err *err)
{
    struct evaluator_job *job = &candidate->work->job;
    struct trial *trial = &job->trial;
    int failed;

    trial_release(trial);
    job->kind = EVALUATOR_MEASURE;
    job->finals = true;
    job->sustained = sustained;
    job->rival_s = candidate_rival_s(tuning, candidate);
    job->reference = &candidate->work->reference;
    failed = evaluator_submit(tuning->evaluator, job, err);
    if (!failed && evaluator_wait(tuning->evaluator, -1) != job)
        failed = err_set(err, ERR_SYSTEM, "internal error: a finalist was not measured");
    if (!failed && job->err.code)
        failed = err_set(err, (enum err_code)job->err.code, "%s", job->err.text);
    if (failed)
        return failed;
    tuning->out->counts.timed++;
    if (trial->outcome != OUTCOME_OK) {
        tuning_message(tuning, "finalist %s: %s: %s", candidate->record.key, outcome_text(trial->outcome),
                       trial->message);
        return 0;
    }
    if (tuning->spec->objective.energy && candidate->energy_count < TUNE_ENERGY_ROUNDS)
        candidate->energies_j[candidate->energy_count++] = trial->energy_j;
    failed = candidate_note_host(candidate, err);
    return failed ? failed : append_samples(all, count, trial, err);
}

/* Replaces the samples of a finalist by those of the finals and journals it again. */
static int take_finals(struct tuning *tuning, struct candidate *candidate, double *all, size_t count,
                       struct err *err)
{
    int failed;

    if (!count) {
        free(all);
        return 0;
    }
    candidate_take_trial(candidate, &candidate->work->job.trial);
    free(candidate->record.samples_s);
    candidate->record.outcome = OUTCOME_OK;
    candidate->record.samples_s = all;
    candidate->record.sample_count = count;
    candidate->record.time_s = stats_median(all, count);
    candidate->record.final = true;
    candidate->drift = 1; /* all of them were timed at once */
    if (candidate->energy_count)
        candidate->record.energy_j = stats_median(candidate->energies_j, candidate->energy_count);
    failed = energy_weigh(tuning, candidate, err);
    return failed ? failed : candidate_store(tuning, candidate, err);
}

bool tuning_stopped(const struct tuning *tuning)
{
    const struct tune_options *options = tuning->options;

    return (options->stop && *options->stop) || (options->failed && *options->failed);
}

/* The finalists with the samples that they have by now. */
struct field {
    struct candidate *candidates[SEATS];
    double *samples[SEATS];
    size_t counts[SEATS];
    size_t n;
    double resolution;
    bool sustained; /* some were slowed by a limit of power when they were measured first */
};

static void shuffle(struct field *field, uint64_t seed)
{
    struct candidate *candidate;
    double *samples;
    size_t j, count;

    for (size_t i = field->n; i > 1; i--) {
        j = (size_t)(hash_random(seed, i) % i);
        candidate = field->candidates[i - 1], samples = field->samples[i - 1], count = field->counts[i - 1];
        field->candidates[i - 1] = field->candidates[j], field->samples[i - 1] = field->samples[j];
        field->counts[i - 1] = field->counts[j];
        field->candidates[j] = candidate, field->samples[j] = samples, field->counts[j] = count;
    }
}

static struct stats_interval cost_interval(const struct field *field, size_t i)
{
    return finals_interval(field->candidates[i], field->samples[i], field->counts[i]);
}

static double median_cost(const struct field *field, size_t i)
{
    const struct candidate *candidate = field->candidates[i];

    if (candidate->energy_count)
        return candidate_cost(candidate) * stats_median(candidate->energies_j, candidate->energy_count) /
               candidate->record.energy_j;
    return candidate->weight * stats_median(field->samples[i], field->counts[i]);
}

/* The finalist with the lowest median so far; `n` where none was measured. */
static size_t leader(const struct field *field)
{
    double lowest = INFINITY;
    size_t best = field->n, i;

    for (i = 0; i < field->n; i++) {
        if (field->counts[i] && median_cost(field, i) < lowest)
            lowest = median_cost(field, i), best = i;
    }
    return best;
}

/* Slower than the leader beyond doubt. */
static bool is_behind(const struct field *field, size_t best, size_t i)
{
    return i != best && field->counts[i] &&
           cost_interval(field, i).low > cost_interval(field, best).high * (1 + field->resolution);
}

/* Whether more rounds would change nothing: each finalist is behind, or tied with the leader beyond doubt. */
static bool is_decided(const struct field *field)
{
    const size_t best = leader(field);

    for (size_t i = 0; i < field->n; i++)
        if (i != best && field->counts[i] && !is_behind(field, best, i) &&
            cost_interval(field, i).high > cost_interval(field, best).low * (1 + field->resolution))
            return false;
    return best < field->n;
}

/* Whether the first round found what the search had found, at another time: then drift plays no part. Of those that are
 * behind, whose times are less exact, that they are behind again is enough. */
static bool is_confirmed(const struct field *field, const struct tuning *tuning)
{
    const double most = 2 * field->resolution;
    const size_t best = leader(field);

    for (size_t i = 0; i < field->n; i++) {
        const double before = candidate_cost(field->candidates[i]);

        if (!field->counts[i])
            return false;
        if (!is_behind(field, best, i) && fabs(median_cost(field, i) - before) > most * before)
            return false;
    }
    return !tuning->spec->energy;
}

/* Whether so many rounds are enough. A limited clock moves in steps: one round may lie in one of them. */
static bool is_over(const struct field *field, const struct tuning *tuning, unsigned rounds)
{
    return (rounds >= TUNE_FINAL_ROUNDS_LEAST ||
            (rounds == 1 && !field->sustained && is_confirmed(field, tuning))) &&
           is_decided(field);
}

/* One round. False in `*stayed`: another GPU took the place of the one before, and what was measured is void. */
static int measure_round(bool *stayed, struct tuning *tuning, struct field *field, unsigned round,
                         struct err *err)
{
    const size_t best = round < TUNE_FINAL_ROUNDS_LEAST ? field->n : leader(field);
    bool behind[SEATS] = {false};
    int rc = 0;

    for (size_t i = 0; i < field->n && best < field->n; i++)
        behind[i] = is_behind(field, best, i);
    *stayed = true;
    for (size_t i = 0; i < field->n && !rc && *stayed && !tuning_stopped(tuning); i++) {
        if (behind[i])
            continue;
        rc = measure_again(tuning, field->candidates[i], field->sustained, &field->samples[i],
                           &field->counts[i], err);
        *stayed = rc || !has_moved(tuning, &field->candidates[i]->work->job);
    }
    return rc;
}

static void begin_anew(struct field *field)
{
    memset(field->counts, 0, sizeof field->counts);
    for (size_t i = 0; i < field->n; i++)
        field->candidates[i]->energy_count = 0;
}

/* Rounds in fresh order, so that drift of the clock meets all alike, until the order is certain. All on one GPU:
 * where another takes its place they begin anew. */
static int measure_all(struct tuning *tuning, struct field *field, struct err *err)
{
    const unsigned rounds = tuning->spec->energy ? TUNE_ENERGY_ROUNDS : TUNE_FINAL_ROUNDS;
    unsigned round, moves = 0;
    bool stayed;
    int rc = 0;

    for (round = 0; round < rounds && !rc && !tuning_stopped(tuning); round++) {
        if (is_over(field, tuning, round))
            break;
        shuffle(field, hash_u64(tuning->options->seed, round));
        rc = measure_round(&stayed, tuning, field, round, err);
        if (rc || stayed)
            continue;
        tuning_message(tuning, "the GPU that measured the finals is gone: they begin anew on %s",
                       tuning->finals_on);
        begin_anew(field);
        round = (unsigned)-1;
        if (++moves == FINALS_MOVES_MOST)
            rc = err_set(err, ERR_GPU, "no GPU stays long enough to measure the finals");
    }
    return rc;
}

int finals_measure(struct tuning *tuning, struct candidate **finalists, size_t n, struct err *err)
{
    struct field field = {.n = n, .resolution = finals_resolution(tuning)};
    int rc = 0, failed;

    memcpy(field.candidates, finalists, n * sizeof *finalists);
    for (size_t i = 0; i < n && !rc; i++) {
        field.sustained |= finalists[i]->record.throttled;
        rc = candidate_revive(tuning, finalists[i], err);
        if (!rc)
            rc = candidate_set_reference(tuning, finalists[i], err);
    }
    if (!rc)
        rc = measure_all(tuning, &field, err);
    for (size_t i = 0; i < n; i++) {
        failed = rc ? (free(field.samples[i]), 0)
                    : take_finals(tuning, field.candidates[i], field.samples[i], field.counts[i], err);
        rc = rc ? rc : failed;
        candidate_relax(field.candidates[i]);
    }
    return rc;
}

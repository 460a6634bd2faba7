/* How the GPU has changed since the best so far was timed.
 *
 * One that gets hot, or that another program begins to use, is slower from then on, and what was timed before would win by
 * that. The best is the standard: it is timed again once trials have run at another clock. Where it takes another time now, the
 * best of those timed well before it is timed again, too, as witness: at a limit of power a GPU runs at a higher clock for half a
 * second now and then, and the best may be what was timed just then. Where both take another time, that says how earlier times
 * compare with later ones. Between two of the standard's times the change is taken to be steady. */
#include "tuner/tune/tuning.h"

#include <math.h>
#include <stdlib.h>

/* Relatively: what is nearer is the same clock, or the same time. At a limit of power clocks go up and down by 4 %, and the
 * best of many times is one that met a high one. */
static const double clock_moved = 0.05, time_moved = 0.1;

/* Longer than a GPU at its limit of power runs at a higher clock. */
static const double burst_s = 1;

/* Trials at another clock before the best is timed again; twice as many each time that its time has not changed: variants
 * that draw more power have lower clocks of their own. */
enum { TRIALS_LEAST = 8 };

void drift_open(struct drift *drift)
{
    *drift = (struct drift){.spacing = TRIALS_LEAST, .whole = 1};
}

void drift_begin(struct tuning *tuning)
{
    struct drift *drift = &tuning->drift;

    drift->since_s = evaluator_now_s(tuning->evaluator);
    drift->clock_hz = tuning->best->record.clock_hz;
    drift->moved = 0;
}

/* Several GPUs are not compared by one standard. What takes more time may take less energy. */
static bool is_watched(const struct tuning *tuning)
{
    return tuning->out->evaluator->launches && evaluator_gpus(tuning->evaluator) == 1 && !tuning->searched &&
           !energy_wanted(tuning);
}

static int time_again(struct tuning *tuning, struct candidate *best, struct err *err)
{
    struct evaluator_job *job;
    int rc = candidate_revive(tuning, best, err);

    if (!rc)
        rc = candidate_set_reference(tuning, best, err);
    if (rc)
        return rc;
    job = &best->work->job;
    job->kind = EVALUATOR_MEASURE;
    job->reference = &best->work->reference;
    job->sustained = best->record.throttled;
    tuning->drift.timing = best;
    tuning->out->counts.timed++;
    return evaluator_submit(tuning->evaluator, job, err);
}

int drift_note(struct tuning *tuning, const struct candidate *candidate, struct err *err)
{
    struct drift *drift = &tuning->drift;

    if (drift->timing || candidate->trusted || candidate->record.outcome != OUTCOME_OK || !is_watched(tuning))
        return 0;
    drift->moved += fabs(candidate->record.clock_hz - drift->clock_hz) > clock_moved * drift->clock_hz;
    return drift->moved < drift->spacing ? 0 : time_again(tuning, tuning->best, err);
}

/* What is taken now for each second that was taken. */
struct change {
    const struct tuning *tuning;
    const struct candidate *of, *standard; /* has just been timed again; was before it, or null */
    double own, ratio, from_s, to_s;       /* of that one, and of the others */
    bool general;                          /* the others have changed with it */
};

/* What a candidate would take now for each second that counts for it so far. */
static double factor(const struct change *change, const struct candidate *candidate)
{
    const double at_s = candidate->record.timed_at_s;

    if (candidate == change->of)
        return change->own;
    if (!change->general || candidate == change->standard)
        return 1;
    if (candidate->trusted || !(at_s > change->from_s))
        return change->ratio;
    return pow(change->ratio, fmax(0, change->to_s - at_s) / (change->to_s - change->from_s));
}

static double factor_of(const void *context, uint64_t index)
{
    const struct change *change = context;

    return factor(change, map_find(&change->tuning->by_index, index));
}

/* Of the earlier times, and so of which is the best. */
static void correct(struct tuning *tuning, const struct change *change)
{
    for (size_t i = 0; i < tuning->candidate_count; i++) {
        struct candidate *candidate = tuning->candidates[i];

        if (!candidate->settled || candidate->record.outcome != OUTCOME_OK)
            continue;
        if (candidate != change->of) /* whose record has its new time */
            candidate->drift *= factor(change, candidate);
        if (candidate_cost(candidate) < tuning_best_cost(tuning))
            tuning->best = candidate;
    }
    search_correct(tuning->search, factor_of, change);
}

static int take(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    int rc;

    candidate_take_trial(candidate, &candidate->work->job.trial);
    candidate->record.final = false;
    candidate->record.timed_at_s = evaluator_now_s(tuning->evaluator);
    candidate->drift = 1;
    rc = candidate_note_host(candidate, err);
    return rc ? rc : candidate_store(tuning, candidate, err);
}

/* The best but for the standard of those timed in this run before a time; null where there is none. */
static struct candidate *find_witness(const struct tuning *tuning, double before_s)
{
    struct candidate *best = NULL;

    for (size_t i = 0; i < tuning->candidate_count; i++) {
        struct candidate *candidate = tuning->candidates[i];

        if (candidate->settled && candidate->record.outcome == OUTCOME_OK && !candidate->trusted &&
            candidate != tuning->drift.standard && candidate->record.timed_at_s < before_s &&
            (!best || candidate_cost(candidate) < candidate_cost(best)))
            best = candidate;
    }
    return best;
}

/* The standard takes `own` times as long as before. */
static int suspect(struct tuning *tuning, const struct candidate *standard, double own, struct err *err)
{
    struct drift *drift = &tuning->drift;
    struct candidate *witness;

    if (!(fabs(log(own)) > time_moved)) {
        drift->spacing *= 2;
        return 0;
    }
    drift->standard = standard;
    drift->suspected = own;
    witness = find_witness(tuning, drift->since_s - burst_s);
    if (!witness)
        witness = find_witness(tuning, INFINITY);
    if (witness && !tuning_stopped(tuning))
        return time_again(tuning, witness, err);
    drift->standard = NULL;
    return 0;
}

/* The witness was timed again. What both have changed by is the GPU's, no more. */
static void judge(struct tuning *tuning, struct change *change)
{
    struct drift *drift = &tuning->drift;
    const double own = log(change->own), other = log(drift->suspected);

    change->standard = drift->standard;
    change->ratio = fabs(own) < fabs(other) ? change->own : drift->suspected;
    change->general = fabs(own) > time_moved && own * other > 0;
    drift->spacing = change->general ? TRIALS_LEAST : drift->spacing * 2;
    drift->whole *= change->general ? change->ratio : 1;
    drift->standard = NULL;
}

int drift_measured(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    struct drift *drift = &tuning->drift;
    const struct trial *trial = &candidate->work->job.trial;
    const double before = candidate_cost(candidate);
    struct change change = {.tuning = tuning, .of = candidate, .from_s = drift->since_s};
    bool suspects = !drift->standard;
    int rc = 0;

    drift->timing = NULL;
    drift->moved = 0;
    change.to_s = evaluator_now_s(tuning->evaluator);
    if (trial->outcome != OUTCOME_OK) {
        drift->spacing *= 2;
        drift->standard = NULL;
        suspects = false;
        tuning_message(tuning, "one of the best so far, timed again: %s: %s: %s", candidate->record.key,
                       outcome_text(trial->outcome), trial->message);
    } else {
        rc = take(tuning, candidate, err);
        change.own = candidate_cost(candidate) / before;
        drift->times++;
        if (!suspects)
            judge(tuning, &change);
        correct(tuning, &change);
    }
    candidate_relax(candidate);
    if (!rc && suspects) {
        drift->clock_hz = candidate->record.clock_hz;
        rc = suspect(tuning, candidate, change.own, err);
    }
    if (!drift->standard)
        drift->since_s = change.to_s;
    return rc;
}

void drift_say(const struct tuning *tuning)
{
    const struct drift *drift = &tuning->drift;
    const double per_cent = 100 * (drift->whole - 1);

    if (fabs(per_cent) >= 100 * time_moved)
        tuning_message(tuning,
                       "the GPU became %.0f %% %s during the search, by the best so far and another, of "
                       "which %u trials were made again: earlier times are compared with later ones "
                       "accordingly",
                       fabs(per_cent), per_cent > 0 ? "slower" : "faster", drift->times);
}

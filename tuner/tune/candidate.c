#include "tuner/tune/tuning.h"

#include "base/array.h"

#include "space/configuration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Life --------------------------------------------------------------------- */

int candidate_equip(struct candidate *candidate, struct err *err)
{
    if (candidate->work)
        return 0;
    candidate->work = calloc(1, sizeof *candidate->work);
    if (!candidate->work)
        return err_memory(err);
    candidate->work->candidate = candidate;
    return 0;
}

void candidate_relax(struct candidate *candidate)
{
    struct candidate_work *work = candidate->work;

    if (!work)
        return;
    variant_release(&work->variant);
    variant_release(&work->reference_variant);
    compile_result_release(&work->job.compiled);
    code_facts_release(&work->job.facts);
    trial_release(&work->job.trial);
    job_sources_free(work->job.sources);
    free(work);
    candidate->work = NULL;
}

void candidate_free(struct candidate *candidate)
{
    candidate_relax(candidate);
    record_release(&candidate->record);
    free(candidate->choices);
    free(candidate);
}

static int add(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    if (ARRAY_GROW(tuning->candidates, tuning->candidate_count, err) ||
        map_put(&tuning->by_index, candidate->index, candidate, err))
        return ERR_MEMORY;
    tuning->candidates[tuning->candidate_count++] = candidate;
    return 0;
}

int candidate_new(struct candidate **out, struct tuning *tuning, uint64_t index, struct err *err)
{
    struct candidate *candidate = calloc(1, sizeof *candidate);

    *out = NULL;
    if (!candidate)
        return err_memory(err);
    candidate->index = index;
    candidate->drift = 1;
    record_init(&candidate->record);
    candidate->choices = calloc(tuning->spec->parameter_count, sizeof *candidate->choices);
    if (candidate->choices) {
        tuning_choices(candidate->choices, tuning, index);
        candidate->record.key = configuration_key(tuning->spec, candidate->choices);
    }
    if (!candidate->record.key) {
        candidate_free(candidate);
        return err_memory(err);
    }
    if (candidate_equip(candidate, err) || add(tuning, candidate, err)) {
        candidate_free(candidate);
        return ERR_MEMORY;
    }
    *out = candidate;
    return 0;
}

/* Ends --------------------------------------------------------------------- */

int record_explain(struct record *record, const char *text, struct err *err)
{
    free(record->message);
    record->message = text ? strdup(text) : NULL;
    return record->message || !text ? 0 : err_memory(err);
}

int tuning_unwritten(const struct err *why, struct err *err)
{
    return err_set(err, (enum err_code)why->code,
                   why->code == ERR_SYSTEM ? "%s; what it holds is kept, run the same command again to go on"
                                           : "%s",
                   why->text);
}

int candidate_store(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    struct json *parameters;
    struct err why = {0};
    int rc;

    if (!tuning->out->evaluator->measures || !tuning->journal)
        return 0;
    parameters = configuration_json(tuning->spec, candidate->choices);
    if (!parameters)
        return err_memory(err);
    rc = journal_append(tuning->journal, &candidate->record, parameters, &why);
    js_free(parameters);
    tuning_journal_news(tuning);
    return rc ? tuning_unwritten(&why, err) : 0;
}

/* Limits are worked out anew in every run and journalled once; so is the prediction of a record that came
 * without one. */
static bool is_stored(const struct tuning *tuning, const struct candidate *candidate)
{
    const struct record *found =
        tuning->journal ? journal_find(tuning->journal, candidate->record.key) : NULL;

    if (candidate->record.outcome == OUTCOME_SKIPPED)
        return true;
    if (candidate->trusted)
        return !found || found->prediction.predicted || !candidate->record.prediction.predicted;
    return found && found->outcome == OUTCOME_LIMITS && candidate->record.outcome == OUTCOME_LIMITS;
}

void candidate_stamp(double *at_s, const struct tuning *tuning, const struct candidate *candidate)
{
    if (!tuning->out->evaluator->measures || !candidate->trusted || isnan(*at_s))
        *at_s = evaluator_now_s(tuning->evaluator);
}

static bool is_failure(enum outcome outcome)
{
    return outcome == OUTCOME_COMPILE || outcome == OUTCOME_LAUNCH || outcome == OUTCOME_RUNTIME ||
           outcome == OUTCOME_TIMEOUT || outcome == OUTCOME_WRONG || outcome == OUTCOME_UNSTABLE;
}

void candidate_remember(struct tuning *tuning, const struct candidate *candidate)
{
    struct tuned *out = tuning->out;
    char *text;

    if (out->first_failure[0] || candidate->record.outcome == OUTCOME_OK ||
        candidate->record.outcome == OUTCOME_SKIPPED)
        return;
    text = configuration_text(tuning->spec, candidate->choices);
    snprintf(out->first_failure, sizeof out->first_failure, "%s: %s%s%s",
             outcome_text(candidate->record.outcome), text ? text : candidate->record.key,
             candidate->record.message ? ": " : "",
             candidate->record.message ? candidate->record.message : "");
    free(text);
}

double candidate_cost(const struct candidate *candidate)
{
    return candidate->weight * candidate->record.time_s * candidate->drift;
}

double tuning_best_cost(const struct tuning *tuning)
{
    return tuning->best ? candidate_cost(tuning->best) : NAN;
}

/* The best so far. */
static int take_best(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    struct tuned *out = tuning->out;

    tuning->best = candidate;
    drift_begin(tuning);
    if (candidate->audit)
        return 0;
    if (ARRAY_GROW(out->steps, out->step_count, err))
        return ERR_MEMORY;
    out->steps[out->step_count++] = (struct tuned_step){
        evaluator_now_s(tuning->evaluator), out->counts.outcomes[OUTCOME_OK], candidate->record.time_s};
    return 0;
}

/* Those with the same code get the time of the one that was measured. */
static int settle_followers(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    struct candidate *follower, *next;
    int rc = 0;

    for (follower = candidate->followers; follower && !rc; follower = next) {
        next = follower->next_follower;
        rc = candidate_settle(tuning, follower, err);
    }
    candidate->followers = NULL;
    return rc;
}

/* The outcome is known: journal it unless it came from there, count it, let go of what is not needed any
 * more. */
int candidate_settle(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    struct record *record = &candidate->record;
    int rc = 0;

    if (candidate->same_as) {
        record->time_s = candidate->same_as->record.time_s;
        record->energy_j = candidate->same_as->record.energy_j;
        record->power_w = candidate->same_as->record.power_w;
        free(record->same_as);
        record->same_as = strdup(candidate->same_as->record.key);
        if (!record->same_as)
            return err_memory(err);
    }
    if (candidate->submitted && isnan(record->compiled_at_s))
        candidate_stamp(&record->compiled_at_s, tuning, candidate);
    candidate->settled = true;
    tuning->out->counts.outcomes[record->outcome]++;
    if (is_failure(record->outcome)) {
        tuning->failed++;
        candidate_remember(tuning, candidate);
    }
    if (record->outcome == OUTCOME_OK && !(candidate_cost(candidate) >= tuning_best_cost(tuning)))
        rc = take_best(tuning, candidate, err);
    if (!rc && !is_stored(tuning, candidate))
        rc = candidate_store(tuning, candidate, err);
    candidate_relax(candidate);
    return rc ? rc : settle_followers(tuning, candidate, err);
}

int candidate_tell(struct tuning *tuning, const struct candidate *candidate, bool timed, struct err *err)
{
    const struct search_facts facts = {
        .timed = timed,
        .outcome = candidate->record.outcome,
        .shared = candidate->work->job.shared,
        .impossible = !candidate->submitted,
        .time_s = candidate_cost(candidate),
        .spent_s = candidate->submitted ? evaluator_spent_s(&candidate->work->job) : 0,
        .same_as = candidate->same_as ? candidate->same_as->index : 0};

    return search_tell(tuning->search, candidate->index, &facts, err);
}

/* Ends a candidate that will not be timed. */
int candidate_reject(struct tuning *tuning, struct candidate *candidate, enum outcome outcome,
                     const char *why, struct err *err)
{
    int rc;

    candidate->record.outcome = outcome;
    rc = record_explain(&candidate->record, why, err);
    if (!rc)
        rc = candidate_tell(tuning, candidate, false, err);
    return rc ? rc : candidate_settle(tuning, candidate, err);
}

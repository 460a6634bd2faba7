/* From code to a time: what results are compared with, the trial, and what is kept of it. */
#include "tuner/predict/request.h"
#include "tuner/tune/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The default configuration is judged as any other. */
static int judge_reference(const struct tuning *tuning, const struct compile_result *result,
                           const struct variant *variant, struct err *err)
{
    if (result->outcome != OUTCOME_OK)
        return err_set(err, ERR_USAGE, "%s: the reference %s does not compile: %s", variant->source_path,
                       variant->name, result->diagnostic ? result->diagnostic : "no diagnostic");
    return tuning->spec->reference.kind == REFERENCE_KERNEL && result->cubin
               ? code_facts_check(result, variant, "the reference's ", err)
               : 0;
}

/* Here and now; other kinds of GPU are tuned for meanwhile, and the end of their searches does not end it. */
static int compile_now(struct compile_result *out, const struct tuning *tuning, const struct variant *variant,
                       struct err *err)
{
    static const atomic_bool never = false;
    struct compile_request request = request_of(variant, tuning->arch, tuning->options->compile_deadline_s);
    int rc;

    request.given_up = &never;
    turns_leave(tuning->environment->turns);
    rc = compile_cubin(out, tuning->environment->compiler, &request, err);
    turns_enter(tuning->environment->turns);
    return rc;
}

static int compile_reference(struct tuning *tuning, const struct variant *variant, struct err *err)
{
    struct compile_result *result = &tuning->reference_code;
    int rc;

    if (result->cubin)
        return 0;
    if (!tuning->environment->compiler)
        return err_set(err, ERR_MISSING, "%s", tuning->environment->compiler_err.text);
    rc = compile_now(result, tuning, variant, err);
    if (!rc)
        return judge_reference(tuning, result, variant, err);
    err_prefix(err, "reference");
    return rc;
}

/* One whose launch makes no sense for this candidate may never be needed: the trial tells. */
int reference_submit(struct tuning *tuning, const struct candidate *candidate, struct err *err)
{
    struct variant *variant = &tuning->reference_variant;
    struct evaluator_job *job = &tuning->reference_job;
    int rc;

    if (tuning->spec->reference.kind != REFERENCE_KERNEL || job->variant || tuning->reference_code.cubin)
        return 0;
    variant_release(variant);
    rc = variant_reference(variant, tuning->spec, tuning->problem, tuning->out->initial.choices,
                           candidate->choices, err);
    if (rc || variant->outcome != OUTCOME_OK)
        return rc;
    job->kind = EVALUATOR_COMPILE;
    job->variant = variant;
    tuning->reference_pending = true;
    return evaluator_submit(tuning->evaluator, job, err);
}

int reference_compiled(struct tuning *tuning, struct err *err)
{
    struct evaluator_job *job = &tuning->reference_job;

    tuning->reference_pending = false;
    if (job->err.code)
        return err_set(err, (enum err_code)job->err.code, "reference: %s", job->err.text);
    tuning->reference_code = job->compiled;
    job->compiled = (struct compile_result){0};
    return judge_reference(tuning, &tuning->reference_code, &tuning->reference_variant, err);
}

bool reference_is(const struct tuning *tuning, const struct candidate *candidate)
{
    return tuning->spec->reference.kind == REFERENCE_DEFAULT &&
           candidate->index == tuning->out->initial.index;
}

/* Without a reference of its own, the default configuration's result is what others must equal. */
static int default_reference(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    struct variant *variant = &tuning->reference_default;
    uint64_t index;
    unsigned *choices;
    int rc = 0;

    if (!variant->name) {
        choices = calloc(tuning->spec->parameter_count, sizeof *choices);
        rc = choices ? space_default(&index, tuning->space, err) : err_memory(err);
        if (!rc) {
            space_configuration(choices, tuning->space, index);
            rc = variant_make(variant, tuning->spec, tuning->problem, choices, err);
        }
        free(choices);
    }
    if (!rc && variant->outcome != OUTCOME_OK)
        rc = err_set(err, ERR_USAGE, "%s: the default configuration is the reference, but has no launch: %s",
                     tuning->spec->path, variant->message);
    if (!rc)
        rc = compile_reference(tuning, variant, err);
    candidate->work->reference.launch = &variant->launch;
    return rc;
}

static int kernel_reference(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    struct variant *variant = &candidate->work->reference_variant;
    int rc;

    variant_release(variant);
    rc = variant_reference(variant, tuning->spec, tuning->problem, tuning->out->initial.choices,
                           candidate->choices, err);

    if (!rc && variant->outcome != OUTCOME_OK)
        rc = err_set(err, ERR_USAGE, "%s: reference: %s", tuning->spec->path, variant->message);
    if (!rc)
        rc = compile_reference(tuning, variant, err);
    candidate->work->reference.launch = &variant->launch;
    return rc;
}

static void files_reference(struct reference *out, const struct spec_reference *files, size_t problem)
{
    const size_t from = files->file_from ? files->file_from[problem] : 0;
    const size_t to = files->file_from ? files->file_from[problem + 1] : files->file_count;

    out->names = files->buffers + from;
    out->paths = (const char *const *)files->paths + from;
    out->file_count = to - from;
}

int candidate_set_reference(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    const struct spec_reference *reference = &tuning->spec->reference;
    const struct compile_result *compiled = &tuning->reference_code;
    int rc = 0;

    candidate->work->reference = (struct reference){0};
    switch (reference->kind) {
    case REFERENCE_FILES:
        files_reference(&candidate->work->reference, reference, tuning->problem);
        return 0;
    case REFERENCE_KERNEL:
        rc = kernel_reference(tuning, candidate, err);
        break;
    case REFERENCE_NONE:
        return 0;
    case REFERENCE_DEFAULT:
        rc = default_reference(tuning, candidate, err);
        break;
    }
    candidate->work->reference.code = (struct code){compiled->cubin, compiled->cubin_bytes, compiled->entry};
    return rc;
}

double candidate_rival_s(const struct tuning *tuning, const struct candidate *candidate)
{
    return tuning->best && !energy_wanted(tuning) ? tuning_best_cost(tuning) / candidate->weight : 0;
}

/* Racing keeps an exhaustive run complete and saves the others time: what is this much slower cannot win. What is slower
 * may take less energy. */
static double give_up_s(const struct tuning *tuning, const struct candidate *candidate)
{
    return tuning->out->strategy->gives_up_slow ? 2 * candidate_rival_s(tuning, candidate) : 0;
}

int candidate_time(struct tuning *tuning, uint64_t index, bool audit, struct err *err)
{
    struct candidate *candidate = map_find(&tuning->by_index, index);
    int rc = 0;

    candidate->audit = audit;
    candidate->work->job.kind = EVALUATOR_MEASURE;
    candidate->work->job.known = candidate->trusted ? &candidate->record : NULL;
    if (!candidate->trusted && tuning->out->evaluator->launches) {
        rc = candidate_set_reference(tuning, candidate, err);
        if (!rc)
            rc = candidate_reference_hash(&candidate->record.reference_hash, tuning, candidate, err);
        candidate->work->job.reference = &candidate->work->reference;
        candidate->work->job.give_up_s = give_up_s(tuning, candidate);
        candidate->work->job.rival_s = candidate_rival_s(tuning, candidate);
    }
    if (!candidate->trusted && audit)
        tuning->out->counts.audited++;
    else if (!candidate->trusted)
        tuning->out->counts.timed++;
    tuning->waiting_to_time--;
    return rc ? rc : evaluator_submit(tuning->evaluator, &candidate->work->job, err);
}

void candidate_take_trial(struct candidate *candidate, struct trial *trial)
{
    struct record *record = &candidate->record;

    record->outcome = trial->outcome;
    record->time_s = trial->outcome == OUTCOME_OK ? trial->time_s : NAN;
    free(record->samples_s);
    record->samples_s = trial->samples_s;
    record->sample_count = trial->sample_count;
    trial->samples_s = NULL;
    trial->sample_count = 0;
    record->launches = (int)trial->launches;
    record->discarded = (int)trial->discarded;
    record->throttled = trial->throttled;
    record->clock_hz = trial->clock_hz > 0 ? trial->clock_hz : NAN;
    record->energy_j = trial->energy_j > 0 ? trial->energy_j : NAN;
    record->power_w = trial->energy_j > 0 ? trial->power_w : NAN;
    record->energy_window_s = trial->energy_j > 0 ? trial->energy_window_s : NAN;
    record->error_max =
        trial->outcome == OUTCOME_OK || trial->outcome == OUTCOME_WRONG ? trial->error_max : NAN;
    record->verify_s = trial->verify_s;
    record->benchmark_s = trial->benchmark_s;
    record->trial_s = trial->total_s;
}

int candidate_note_host(struct candidate *candidate, struct err *err)
{
    const struct evaluator_job *job = &candidate->work->job;

    free(candidate->record.measured_on);
    candidate->record.measured_on = NULL;
    if (job->host && asprintf(&candidate->record.measured_on, "%s GPU %zu", job->host, job->lane) < 0)
        candidate->record.measured_on = NULL;
    return job->host && !candidate->record.measured_on ? err_memory(err) : 0;
}

/* What is wrong may be the reference: that of a parameter it has two values is not seen in the numbers. */
static int explain_trial(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    const struct trial *trial = &candidate->work->job.trial;
    const char *split = trial->outcome == OUTCOME_WRONG
                            ? spec_reference_split(tuning->spec, tuning->problem, candidate->choices)
                            : NULL;
    char *text;
    int rc;

    if (!split)
        return record_explain(&candidate->record, trial->outcome == OUTCOME_OK ? NULL : trial->message, err);
    if (asprintf(&text,
                 "%s; the reference has the default's %s among its macros and this configuration's in its "
                 "arguments: reference.sizes gives it one value",
                 trial->message, split) < 0)
        return err_memory(err);
    rc = record_explain(&candidate->record, text, err);
    free(text);
    return rc;
}

int candidate_measured(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    int rc = 0;

    if (candidate == tuning->drift.timing)
        return drift_measured(tuning, candidate, err);
    if (!candidate->trusted)
        rc = candidate_note_host(candidate, err);
    if (!rc && !candidate->trusted) {
        candidate_take_trial(candidate, &candidate->work->job.trial);
        rc = explain_trial(tuning, candidate, err);
    }
    if (!rc)
        rc = energy_weigh(tuning, candidate, err);
    candidate_stamp(&candidate->record.timed_at_s, tuning, candidate);
    if (candidate->audit && candidate->record.trial_s > 0)
        tuning->out->audit_s += candidate->record.trial_s;
    if (!rc)
        rc = candidate_tell(tuning, candidate, true, err);
    if (!rc)
        rc = candidate_settle(tuning, candidate, err);
    return rc ? rc : drift_note(tuning, candidate, err);
}

int candidate_revive(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    int rc = candidate_equip(candidate, err);

    if (!rc)
        rc = variant_make(&candidate->work->variant, tuning->spec, tuning->problem, candidate->choices, err);
    if (rc)
        return rc;
    candidate->work->job.variant = &candidate->work->variant;
    return compile_now(&candidate->work->job.compiled, tuning, &candidate->work->variant, err);
}

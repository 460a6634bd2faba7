/* The model's part in a run: what it goes by, and what it says of a candidate. */
#include "tuner/tune/tuning.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool has_profile(const char *folder, const char *name)
{
    char path[4096];

    if (!folder || snprintf(path, sizeof path, "%s/%s.json", folder, name) >= (int)sizeof path)
        return false;
    return !access(path, R_OK);
}

static int load(struct tuning *tuning, struct err *err)
{
    char name[128];
    const char *profile = tuning->options->profile;

    environment_slug(name, sizeof name, tuning->out->device.name);
    if (!profile && !has_profile(tuning->options->profiles, name))
        return err_set(err, ERR_MISSING, "there is no profile of %s: occutune calibrate makes one",
                       tuning->out->device.name);
    if (device_load(&tuning->profile, profile ? profile : name, tuning->options->profiles, err))
        return err->code;
    if (!tuning->out->device.sm) /* another tool's recording does not say: what the profile is of */
        device_target(tuning->arch, tuning->profile.sm);
    if (compiler_check_arch(tuning->environment->compiler, tuning->arch, err))
        return err->code;
    return machine_init(&tuning->machine, &tuning->profile, err);
}

/* Without a profile, or without a compiler whose code could be read, the search has measured times alone.
 * That is an error only for a profile that was asked for. */
int predicting_open(struct tuning *tuning, struct err *err)
{
    const bool asked = tuning->out->strategy->reads_predictions;
    struct err why = {0};

    if (!tuning->environment->compiler)
        err_set(&why, ERR_MISSING, "%s", tuning->environment->compiler_err.text);
    else
        load(tuning, &why);
    tuning->has_machine = !why.code;
    if (why.code && tuning->options->profile && why.code != ERR_MISSING)
        return err_set(err, (enum err_code)why.code, "%s", why.text);
    if (tuning->has_machine)
        snprintf(tuning->out->profile, sizeof tuning->out->profile, "%s", tuning->profile.name);
    if (asked && why.code)
        tuning_message(tuning, "nothing is predicted, measured times alone guide the search: %s", why.text);
    else if (asked && !environment_same_name(tuning->profile.name, tuning->out->device.name))
        tuning_message(tuning,
                       "the profile is of %s, the times are of %s: predictions may mislead until measured "
                       "times have corrected them",
                       tuning->profile.name, tuning->out->device.name);
    return 0;
}

void predicting_close(struct tuning *tuning)
{
    if (tuning->has_machine)
        machine_release(&tuning->machine);
    device_release(&tuning->profile);
}

struct launch *candidate_read(const struct tuning *tuning, struct candidate *candidate)
{
    const bool asked = tuning->out->strategy->reads_predictions;

    return tuning->has_machine && asked && !tuning->searched ? &candidate->work->variant.launch : NULL;
}

/* Whether the code compiled here is the recorded one: what the model read is then what was timed. */
static int compare_code(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    const struct compile_result *compiled = &candidate->work->job.compiled;
    int rc;

    if (!candidate->trusted || !candidate->record.identified || !(compiled->cubin || compiled->packed))
        return 0;
    rc = candidate_facts(candidate, err);
    if (rc)
        return rc;
    tuning->out->counts.read++;
    tuning->out->counts.read_differently += candidate->work->job.facts.hash != candidate->record.code_hash;
    return 0;
}

/* What the record keeps of it. */
static void take_prediction(struct record_prediction *out, const struct variant_prediction *prediction)
{
    *out = (struct record_prediction){
        .predicted = prediction->told.predicted,
        .unrated = prediction->told.unrated,
        .latency_hidden = prediction->latency_hidden,
        .limiter = (int)prediction->told.limiter,
        .bound_s = prediction->told.bound_s,
        .estimate_s = prediction->told.estimate_s,
        .interval_low_s = prediction->interval_low_s,
        .interval_high_s = prediction->interval_high_s,
        .needed_warps = prediction->needed_warps,
        .had_warps = prediction->had_warps,
        .confidence = prediction->confidence,
        .issued = prediction->issued,
        .stalled_bandwidth = prediction->stalled_bandwidth,
        .stalled_latency = prediction->stalled_latency,
    };
    memcpy(out->busy, prediction->busy, sizeof out->busy);
}

int candidate_take_prediction(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    if (!candidate->work->job.read)
        return 0;
    candidate->work->job.read = NULL;
    candidate->prediction = candidate->work->job.prediction;
    if (candidate->prediction.told.predicted)
        take_prediction(&candidate->record.prediction, &candidate->prediction);
    return compare_code(tuning, candidate, err);
}

int candidate_foresee(struct tuning *tuning, struct candidate *candidate, struct err *err)
{
    int rc = 0;

    if (!tuning->has_machine || candidate->prediction.told.predicted || candidate->prediction.reason[0])
        return 0;
    rc = candidate_revive(tuning, candidate, err);
    if (!rc && candidate->work->job.compiled.outcome == OUTCOME_OK)
        rc = predict_compiled(&candidate->prediction, &tuning->machine, &candidate->work->job.compiled,
                              &candidate->work->variant.launch, !tuning->spec->cold, NULL, err);
    if (!rc && candidate->prediction.told.predicted)
        take_prediction(&candidate->record.prediction, &candidate->prediction);
    candidate_relax(candidate);
    return rc;
}

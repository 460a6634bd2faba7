#include "tuner/decision/decision.h"

#include "space/configuration.h"
#include "space/variant.h"
#include "tuner/decision/decision_json.h"
#include "tuner/decision/source_hash.h"
#include "tuner/decision/summary.h"
#include "tuner/journal/metadata.h"

#include <math.h>
#include <stdio.h>

/* A problem ---------------------------------------------------------------- */

static struct json *counts_json(const struct tune_counts *counts)
{
    struct json *object = js_new_object(), *outcomes = js_new_object();
    int failed = !object || !outcomes, i;

    for (i = 0; i < OUTCOME_COUNT && !failed; i++)
        if (counts->outcomes[i])
            failed = json_set_count(outcomes, outcome_text((enum outcome)i), counts->outcomes[i]);
    if (!failed)
        failed = json_set_count(object, "combinations", counts->combinations) |
                 json_set_count(object, "valid", counts->valid) |
                 json_set_count(object, "visited", counts->visited) |
                 json_set_count(object, "compiled", counts->compiled) |
                 json_set_count(object, "cached", counts->cached) |
                 json_set_count(object, "shared", counts->shared) |
                 json_set_count(object, "timed", counts->timed) |
                 json_set_count(object, "audited", counts->audited) |
                 json_set_count(object, "replayed", counts->replayed) |
                 json_set_count(object, "stale", counts->stale) |
                 json_set_count(object, "missing", counts->missing) |
                 json_set_count(object, "distinct_codes", counts->distinct_codes);
    return js_unless(js_set(object, "outcomes", outcomes) | failed, object);
}

static struct json *audit_json(const struct tuned *tuned)
{
    const struct search_summary *s = &tuned->search;
    struct json *object = js_new_object();

    return js_unless(json_set_count(object, "timed", s->audit.timed) |
                         json_set_count(object, "faster", s->audit.faster) |
                         json_set_rounded(object, "nearest", s->audit.nearest) |
                         json_set_rounded(object, "limit", s->audit.limit) |
                         json_set_rounded(object, "spent_s", tuned->audit_s),
                     object);
}

/* How the search went: what was pruned by which rule, and what that may have cost. */
static struct json *search_json(const struct tuned *tuned)
{
    const struct search_summary *s = &tuned->search;
    struct json *object = js_new_object();

    return js_unless(
        js_set_string(object, "ended", search_end_text(s->end)) |
            js_set_string(object, "profile", tuned->profile) |
            json_set_count(object, "compiled", s->compiled) | json_set_count(object, "shared", s->shared) |
            json_set_count(object, "timed", s->timed) | json_set_count(object, "unpredicted", s->refused) |
            json_set_count(object, "cut_bound", s->cut_bound) |
            json_set_count(object, "cut_estimate", s->cut_estimate) |
            json_set_count(object, "compiling", s->compiling) |
            json_set_count(object, "not_compiled", s->not_compiled) |
            json_set_count(object, "promising", s->promising) |
            json_set_rounded(object, "rank_correlation", s->rank_correlation) |
            json_set_rounded(object, "further_gain", s->further_gain) |
            js_set(object, "audit", audit_json(tuned)),
        object);
}

/* When a faster configuration was found. Null when memory ends. */
static struct json *steps_json(const struct tuned *tuned)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t i = 0; i < tuned->step_count && !failed; i++) {
        const struct tuned_step *step = &tuned->steps[i];
        struct json *object = js_new_object();

        failed = !object || json_set_rounded(object, "at_s", step->at_s) ||
                 json_set_count(object, "timed", step->timed) ||
                 json_set_rounded(object, "best_ms", step->best_s * 1e3);
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

static struct json *host_json(const struct tuned_host *host)
{
    struct json *object = js_new_object();

    return js_unless(
        js_set_string(object, "host", host->name) | js_set_integer(object, "cores", host->cores) |
            json_set_count(object, "gpus", host->gpus) | json_set_count(object, "compiled", host->compiled) |
            json_set_count(object, "timed", host->timed) |
            json_set_rounded(object, "compile_s", host->compile_s) |
            json_set_rounded(object, "measure_s", host->measure_s) |
            js_set_integer(object, "dropped", host->drops) |
            (*host->reason ? js_set_string(object, "reason", host->reason) : 0),
        object);
}

static struct json *hosts_json(const struct tuned *tuned)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t i = 0; i < tuned->host_count && !failed; i++)
        failed = js_append(list, host_json(&tuned->hosts[i]));
    return js_unless(failed, list);
}

static struct json *spent_json(const struct tuned *tuned)
{
    struct json *object = js_new_object();

    return js_unless(json_set_rounded(object, "elapsed_s", tuned->elapsed_s) |
                         json_set_rounded(object, "wall_s", tuned->wall_s) |
                         json_set_rounded(object, "compile_busy_s", tuned->compile_busy_s) |
                         json_set_rounded(object, "measure_busy_s", tuned->measure_busy_s) |
                         json_set_rounded(object, "controller_s", tuned->controller_s) |
                         js_set(object, "steps", steps_json(tuned)) |
                         js_set_integer(object, "cores", tuned->cores) |
                         json_set_count(object, "gpus", tuned->gpus) |
                         (tuned->host_count ? js_set(object, "hosts", hosts_json(tuned)) : 0),
                     object);
}

/* What a reader should know before he believes the numbers. */
static struct json *remarks_json(const struct spec *spec, const struct tuned *tuned)
{
    struct json *list = js_new_array();
    char text[1400];
    int failed = !list;

    if (!failed && spec->reference.kind == REFERENCE_DEFAULT && tuned->evaluator->measures)
        failed = js_append(
            list,
            js_new_string("results were compared with the default configuration's: no reference is given"));
    if (!failed && spec->reference.kind == REFERENCE_NONE && tuned->evaluator->measures)
        failed =
            js_append(list, js_new_string("results were not compared: the spec's reference is \"none\""));
    if (!failed && tuned->first_failure[0]) {
        snprintf(text, sizeof text, "first failure: %s", tuned->first_failure);
        failed = js_append(list, js_new_string(text));
    }
    if (!failed && tuned->code_check == TUNE_DIFFERS) {
        snprintf(text, sizeof text,
                 "the winner's code from NVRTC %s differs from the code of NVRTC %s that was measured",
                 tuned->nvrtc_here, tuned->nvrtc);
        failed = js_append(list, js_new_string(text));
    }
    return js_unless(failed, list);
}

static int set_variants(struct json *object, const struct spec *spec, const struct tuned *tuned,
                        struct err *err)
{
    struct json *list = js_new_array(), *variant;
    int rc = list ? 0 : err_memory(err);

    for (size_t i = 0; i < tuned->finalist_count && !rc; i++) {
        rc = decision_variant_json(&variant, spec, tuned, &tuned->finalists[i], err);
        if (!rc && i == 0 && js_set(object, "best", js_copy(variant)))
            rc = err_memory(err);
        if (!rc && js_append(list, variant))
            rc = err_memory(err);
    }
    if (js_set(object, "finalists", list) && !rc)
        rc = err_memory(err);
    if (!rc && tuned->finalist_count == 0 && js_set(object, "best", js_new_null()))
        rc = err_memory(err);
    if (rc || tuned->initial.record.outcome != OUTCOME_OK || isnan(tuned->initial.record.time_s))
        return rc;
    rc = decision_variant_json(&variant, spec, tuned, &tuned->initial, err);
    if (rc)
        return rc;
    if (js_set(object, "initial", variant) ||
        (tuned->finalist_count &&
         json_set_rounded(object, "speedup", tuned_cost(&tuned->initial) / tuned_cost(&tuned->finalists[0]))))
        rc = err_memory(err);
    return rc;
}

/* Those that no other beats in time and energy, fastest first. */
static struct json *front_json(const struct spec *spec, const struct tuned *tuned)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t i = 0; i < tuned->front_count && !failed; i++) {
        const struct tuned_variant *variant = &tuned->front[i];
        struct json *object = js_new_object();

        failed = !object || js_set(object, "configuration", configuration_json(spec, variant->choices)) ||
                 json_set_rounded(object, "time_ms", variant->record.time_s * 1e3) ||
                 json_set_rounded(object, "energy_j", variant->record.energy_j) ||
                 json_set_rounded(object, "power_w", variant->record.power_w);
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

/* Where the rows of a decision are of several kinds of GPU, each says which. */
static int set_device(struct json *object, const struct device *device)
{
    return js_set_string(object, "device", device->name) | js_set_integer(object, "sm", device->sm) |
           js_set_string(object, "driver", device->driver);
}

static int problem_json(struct json **out, const struct spec *spec, const struct tuned *tuned,
                        struct err *err)
{
    struct json *object = js_new_object(), *words = NULL;
    int rc = object ? set_variants(object, spec, tuned, err) : err_memory(err);

    if (!rc)
        rc = summary_new(&words, spec, tuned, SUMMARY_WHOLE, err);
    if (!rc &&
        (js_set(object, "words", words) | js_set(object, "problem", metadata_problem(spec, tuned->problem)) |
         js_set_string(object, "strategy", tuned->strategy->name) |
         (tuned->strategy->prunes ? js_set(object, "search", search_json(tuned)) : 0) |
         js_set_string(object, "journal", tuned->journal) |
         (*tuned->replay ? js_set_string(object, "replay", tuned->replay) : 0) |
         js_set_string(object, "recorded_date", tuned->recorded_date) |
         js_set_string(object, "ended", tune_end_text(tuned->end)) |
         js_set(object, "counts", counts_json(&tuned->counts)) | js_set(object, "spent", spent_json(tuned)) |
         (tuned->front_count ? js_set(object, "front", front_json(spec, tuned)) : 0) |
         json_set_count(object, "tied", tuned->tied) | js_set(object, "remarks", remarks_json(spec, tuned))))
        rc = err_memory(err);
    *out = js_unless(rc, object);
    return rc;
}

/* The whole ---------------------------------------------------------------- */

static int signature_json(struct json **out, const struct spec *spec, const struct tuned *tuned,
                          struct err *err)
{
    struct json *object = js_new_object();
    struct variant variant;
    uint64_t source = 0, profile = 0;
    int rc =
        object ? variant_make(&variant, spec, tuned->problem, tuned->initial.choices, err) : err_memory(err);

    if (!rc) {
        rc = source_hash(&source, &variant, err);
        variant_release(&variant);
    }
    if (!rc)
        rc = device_hash(&profile, &tuned->device, err);
    if (!rc &&
        (json_set_hash(object, "spec_hash", spec->hash) | json_set_hash(object, "source_hash", source) |
         js_set_string(object, "device", tuned->device.name) |
         js_set_integer(object, "sm", tuned->device.sm) |
         js_set_string(object, "driver", tuned->device.driver) |
         js_set_string(object, "nvrtc", tuned->nvrtc) | json_set_hash(object, "profile_hash", profile)))
        rc = err_memory(err);
    *out = js_unless(rc, object);
    return rc;
}

static struct json *expressions(struct expr *const *list, size_t count)
{
    struct json *array = js_new_array();
    int failed = !array;

    for (size_t i = 0; i < count && list[i] && !failed; i++)
        failed = js_append(array, js_new_string(expr_text(list[i])));
    return js_unless(failed, array);
}

/* Nonzero when memory ends; nothing is set where there is no expression. */
static int set_expression(struct json *object, const char *key, const struct expr *expr)
{
    return expr ? js_set_string(object, key, expr_text(expr)) : 0;
}

static struct json *launch_json(const struct spec_launch *launch)
{
    struct json *object = js_new_object();

    return js_unless(
        js_set(object, "grid", expressions(launch->grid, 3)) |
            js_set(object, "block", expressions(launch->block, 3)) |
            (launch->cluster[0] ? js_set(object, "cluster", expressions(launch->cluster, 3)) : 0) |
            set_expression(object, "cooperative", launch->cooperative) |
            set_expression(object, "programmatic", launch->programmatic) |
            js_set_string(object, "shared", launch->shared ? expr_text(launch->shared) : "0"),
        object);
}

static struct json *parameter_names(const struct spec *spec)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t p = 0; p < spec->parameter_count && !failed; p++)
        failed = js_append(list, js_new_string(spec->parameters[p].name));
    return js_unless(failed, list);
}

/* What was minimized or maximized. */
static struct json *objective_json(const struct spec *spec)
{
    struct json *object = js_new_object();
    const bool maximized = spec->objective.kind == OBJECTIVE_MAXIMIZE;
    const char *text = spec->objective.value ? expr_text(spec->objective.value) : "time";

    return js_unless(js_set_string(object, maximized ? "maximize" : "minimize", text), object);
}

int decision_new(struct json **out, const struct spec *spec, const struct tuned *tuned, size_t count,
                 struct err *err)
{
    struct json *object = js_new_object(), *problems = js_new_array(), *part = NULL;
    int rc = object && problems ? 0 : err_memory(err);
    bool same = true;

    *out = NULL;
    for (size_t i = 1; i < count; i++)
        same = same && device_same_kind(&tuned[i].device, &tuned[0].device);
    for (size_t i = 0; i < count && !rc; i++) {
        rc = problem_json(&part, spec, &tuned[i], err);
        if (!rc && !same && set_device(part, &tuned[i].device)) {
            js_free(part);
            rc = err_memory(err);
        }
        if (!rc && js_append(problems, part))
            rc = err_memory(err);
    }
    if (object && js_set(object, "problems", problems) && !rc)
        rc = err_memory(err);
    if (!rc)
        rc = signature_json(&part, spec, &tuned[0], err);
    if (!rc &&
        (js_set(object, "signature", part) | js_set_integer(object, "schema", DECISION_SCHEMA) |
         js_set_string(object, "kernel", spec->kernel.name) |
         js_set_string(object, "level", tuned[0].evaluator->name) |
         js_set(object, "parameters", parameter_names(spec)) |
         js_set(object, "sizes", js_new_strings(spec->names + spec->parameter_count, spec->size_count)) |
         js_set(object, "default", configuration_json(spec, tuned[0].initial.choices)) |
         js_set(object, "launch", launch_json(&spec->launch)) |
         (power_known(&tuned[0].power) ? js_set(object, "power", power_to_json(&tuned[0].power)) : 0) |
         js_set(object, "objective", objective_json(spec))))
        rc = err_memory(err);
    *out = js_unless(rc, object);
    return rc;
}

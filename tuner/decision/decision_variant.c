/* A variant as a decision has it, and the small pieces that all of a decision is made of. */
#include "tuner/decision/decision_json.h"

#include "base/hash.h"
#include "base/stats.h"
#include "space/configuration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int json_set_hash(struct json *object, const char *key, uint64_t hash)
{
    char hex[17];

    hash_hex(hex, hash);
    return js_set_string(object, key, hex);
}

int json_set_count(struct json *object, const char *key, uint64_t count)
{
    return js_set_integer(object, key, count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

static int json_set_known(struct json *object, const char *key, int value)
{
    return value < 0 ? 0 : js_set_integer(object, key, value);
}

/* Milliseconds and shares with as many digits as they can mean. */
int json_set_rounded(struct json *object, const char *key, double value)
{
    char text[32];

    if (!isfinite(value))
        return 0;
    snprintf(text, sizeof text, "%.7g", value);
    return js_set_real(object, key, strtod(text, NULL));
}

static int set_metrics(struct json *object, const struct spec *spec, size_t problem,
                       const struct tuned_variant *variant)
{
    struct json *metrics = js_new_object();
    int failed = !metrics;
    double value;

    for (size_t m = 0; m < spec->metric_count && !failed; m++) {
        if (spec_metric(&value, spec, m, problem, variant->choices, record_measured(&variant->record), NULL))
            continue; /* a metric without a value, such as a division by a size of zero, is left out */
        failed = json_set_rounded(metrics, spec->metrics[m].name, value);
    }
    return js_set(object, "metrics", metrics) | failed;
}

/* What it was judged by, where that is not the time. */
static int set_objective(struct json *object, const struct spec *spec, const struct tuned_variant *variant)
{
    if (spec->objective.kind == OBJECTIVE_TIME)
        return 0;
    return json_set_rounded(object, "objective",
                            spec_objective(spec, variant->weight, variant->record.time_s)) |
           json_set_rounded(object, "weight", variant->weight);
}

static int set_interval(struct json *object, const struct record *record)
{
    const struct stats_interval interval = stats_median_interval(record->samples_s, record->sample_count);
    struct json *list;
    int failed;

    if (record->sample_count < 2)
        return 0;
    list = js_new_array();
    failed = !list || js_append(list, js_new_real(round(interval.low * 1e10) / 1e7)) ||
             js_append(list, js_new_real(round(interval.high * 1e10) / 1e7));
    return js_set(object, "interval_ms", list) | failed;
}

static int set_record(struct json *object, const struct record *record)
{
    return json_set_rounded(object, "time_ms", record->time_s * 1e3) | set_interval(object, record) |
           json_set_count(object, "samples", record->sample_count) |
           json_set_rounded(object, "error_max", record->error_max) |
           json_set_known(object, "registers", record->registers) |
           json_set_known(object, "shared_bytes", record->shared_bytes) |
           json_set_known(object, "spill_instructions", record->spill_instructions) |
           json_set_known(object, "blocks_per_sm", record->blocks_per_sm) |
           json_set_known(object, "carveout", record->carveout) |
           json_set_rounded(object, "occupancy", record->occupancy) |
           json_set_rounded(object, "clock_mhz", record->clock_hz / 1e6) |
           json_set_rounded(object, "energy_j", record->energy_j) |
           json_set_rounded(object, "power_w", record->power_w) |
           (record->identified ? json_set_hash(object, "code_hash", record->code_hash) : 0);
}

static int set_launch(struct json *object, const struct variant *variant, const struct tuned *tuned,
                      const struct record *record)
{
    const struct launch *launch = &variant->launch;
    const uint64_t places =
        (uint64_t)(record->blocks_per_sm > 0 ? record->blocks_per_sm : 0) * tuned->device.limits.sm_count;
    int failed = js_set(object, "options",
                        js_new_strings((const char *const *)variant->options, variant->option_count)) |
                 js_set_string(object, "name", variant->name) |
                 js_set(object, "grid", js_new_counts(launch->grid, 3)) |
                 js_set(object, "block", js_new_counts(launch->block, 3)) |
                 js_set_integer(object, "shared_dynamic_bytes", launch->shared_bytes);

    return places ? failed | json_set_rounded(object, "waves", (double)launch_blocks(launch) / (double)places)
                  : failed;
}

/* Where 80 % of measurements are expected; nothing where the model cannot tell. */
static int set_expected(struct json *object, const struct variant_prediction *prediction)
{
    struct json *ends;

    if (!(prediction->interval_high_s > 0))
        return 0;
    ends = js_new_array();
    return !ends || js_append(ends, js_new_real(round(prediction->interval_low_s * 1e10) / 1e7)) ||
           js_append(ends, js_new_real(round(prediction->interval_high_s * 1e10) / 1e7)) ||
           js_set(object, "interval_ms", ends);
}

/* What the model says of it, where it does. */
static int set_prediction(struct json *object, const struct variant_prediction *prediction)
{
    struct json *value;

    if (!prediction->told.predicted)
        return prediction->reason[0] ? js_set_string(object, "not_predicted", prediction->reason) : 0;
    value = js_new_object();
    if (!value)
        return ERR_MEMORY;
    return json_set_rounded(value, "bound_ms", prediction->told.bound_s * 1e3) |
           json_set_rounded(value, "estimate_ms", prediction->told.estimate_s * 1e3) |
           json_set_rounded(value, "needed_warps", prediction->needed_warps) |
           json_set_rounded(value, "had_warps", prediction->had_warps) |
           json_set_rounded(value, "confidence", prediction->confidence) | set_expected(value, prediction) |
           (*prediction->unrated ? js_set_string(value, "unrated", prediction->unrated) : 0) |
           js_set_string(value, "limited_by",
                         limited_text(prediction->limited_by, prediction->told.limiter)) |
           js_set_string(value, "limiter", resource_name(prediction->told.limiter)) |
           js_set_bool(value, "latency_hidden", prediction->latency_hidden) |
           js_set(object, "predicted", value);
}

int decision_variant_json(struct json **out, const struct spec *spec, const struct tuned *tuned,
                          const struct tuned_variant *found, struct err *err)
{
    struct json *object = js_new_object();
    struct variant variant;
    int rc = object ? variant_make(&variant, spec, tuned->problem, found->choices, err) : err_memory(err);

    *out = NULL;
    if (rc) {
        js_free(object);
        return rc;
    }
    if (js_set(object, "configuration", configuration_json(spec, found->choices)) |
        set_launch(object, &variant, tuned, &found->record) | set_record(object, &found->record) |
        set_objective(object, spec, found) | set_prediction(object, &found->prediction) |
        set_metrics(object, spec, tuned->problem, found))
        rc = err_memory(err);
    variant_release(&variant);
    *out = js_unless(rc, object);
    return rc;
}

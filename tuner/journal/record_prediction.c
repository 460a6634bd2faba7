#include "tuner/journal/record_prediction.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Its numbers: member, place, and how many of the member's unit are one of ours. */
static const struct field {
    const char *name;
    size_t offset;
    double scale;
} fields[] = {
    {"bound_ms", offsetof(struct record_prediction, bound_s), 1e3},
    {"estimate_ms", offsetof(struct record_prediction, estimate_s), 1e3},
    {"needed_warps", offsetof(struct record_prediction, needed_warps), 1},
    {"had_warps", offsetof(struct record_prediction, had_warps), 1},
    {"confidence", offsetof(struct record_prediction, confidence), 1},
    {"issued", offsetof(struct record_prediction, issued), 1},
    {"stalled_bandwidth", offsetof(struct record_prediction, stalled_bandwidth), 1},
    {"stalled_latency", offsetof(struct record_prediction, stalled_latency), 1},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* What a resource is busy less than is left out. */
static const double least_busy = 0.01;

static double *field_of(struct record_prediction *prediction, const struct field *field)
{
    return (double *)((char *)prediction + field->offset);
}

static double rounded(double value, const char *format)
{
    char text[32];

    snprintf(text, sizeof text, format, value);
    return strtod(text, NULL);
}

static int set_fields(struct json *object, const struct record_prediction *prediction)
{
    struct record_prediction copy = *prediction;
    int failed = 0;
    size_t f;

    for (f = 0; f < FIELDS; f++) {
        const double value = *field_of(&copy, &fields[f]) * fields[f].scale;

        if (isfinite(value))
            failed |= js_set_real(object, fields[f].name, rounded(value, "%.5g"));
    }
    return failed;
}

static int set_interval(struct json *object, const struct record_prediction *prediction)
{
    struct json *ends;

    if (!(prediction->interval_high_s > 0))
        return 0;
    ends = js_new_array();
    return !ends || js_append(ends, js_new_real(rounded(prediction->interval_low_s * 1e3, "%.5g"))) ||
           js_append(ends, js_new_real(rounded(prediction->interval_high_s * 1e3, "%.5g"))) ||
           js_set(object, "interval_ms", ends);
}

static int set_busy(struct json *object, const struct record_prediction *prediction)
{
    struct json *busy = js_new_object();
    int failed = !busy, r;

    for (r = 0; r < RESOURCE_COUNT && !failed; r++)
        if (prediction->busy[r] >= least_busy)
            failed = js_set_real(busy, resource_name((enum resource)r), rounded(prediction->busy[r], "%.3g"));
    return js_set(object, "busy", js_unless(failed, busy));
}

struct json *record_prediction_json(const struct record_prediction *prediction)
{
    struct json *object = js_new_object();
    int failed = !object;

    if (!failed)
        failed = set_fields(object, prediction) | set_interval(object, prediction) |
                 js_set_bool(object, "latency_hidden", prediction->latency_hidden) |
                 (prediction->unrated ? js_set_bool(object, "unrated", true) : 0) |
                 (prediction->limiter >= 0
                      ? js_set_string(object, "limiter", resource_name((enum resource)prediction->limiter))
                      : 0) |
                 set_busy(object, prediction);
    return js_unless(failed, object);
}

/* Reading
 * -------------------------------------------------------------------------------------------------------- */

static int get_interval(struct record_prediction *out, const struct js_at *object, struct err *err)
{
    struct js_at ends, low, high;

    if (!js_find(&ends, object, "interval_ms"))
        return 0;
    if (js_expect(&ends, JS_ARRAY, err) || js_count(&ends) != 2)
        return js_fail(&ends, err, "expected two numbers");
    low = js_element(&ends, 0);
    high = js_element(&ends, 1);
    if (js_real(&out->interval_low_s, &low, err) || js_real(&out->interval_high_s, &high, err))
        return ERR_USAGE;
    out->interval_low_s *= 1e-3;
    out->interval_high_s *= 1e-3;
    return 0;
}

static int get_busy(struct record_prediction *out, const struct js_at *object, struct err *err)
{
    struct js_at busy, member = {0};
    double share;

    if (!js_find(&busy, object, "busy"))
        return 0;
    if (js_expect(&busy, JS_OBJECT, err))
        return ERR_USAGE;
    while (js_next(&member, &busy)) {
        const int resource = resource_find(member.key);

        if (js_real(&share, &member, err))
            return ERR_USAGE;
        if (resource >= 0)
            out->busy[resource] = share;
    }
    return 0;
}

static int get_limiter(struct record_prediction *out, const struct js_at *object, struct err *err)
{
    struct js_at at;
    const char *name;

    out->limiter = -1;
    if (!js_find(&at, object, "limiter"))
        return 0;
    if (js_string(&name, &at, err))
        return ERR_USAGE;
    out->limiter = resource_find(name);
    return 0;
}

static int get_flag(bool *out, const struct js_at *object, const char *name, struct err *err)
{
    struct js_at at;

    return js_find(&at, object, name) ? js_bool(out, &at, err) : 0;
}

int record_prediction_read(struct record_prediction *out, const struct js_at *object, struct err *err)
{
    struct js_at at;
    size_t f;

    *out = (struct record_prediction){.interval_low_s = NAN, .interval_high_s = NAN};
    if (js_expect(object, JS_OBJECT, err))
        return ERR_USAGE;
    for (f = 0; f < FIELDS; f++) {
        double *value = field_of(out, &fields[f]);

        *value = NAN;
        if (js_find(&at, object, fields[f].name) && js_real(value, &at, err))
            return ERR_USAGE;
        *value /= fields[f].scale;
    }
    if (get_limiter(out, object, err) || get_interval(out, object, err) || get_busy(out, object, err) ||
        get_flag(&out->latency_hidden, object, "latency_hidden", err) ||
        get_flag(&out->unrated, object, "unrated", err))
        return ERR_USAGE;
    out->predicted = out->estimate_s > 0;
    return 0;
}

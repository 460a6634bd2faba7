#include "tuner/journal/record_prediction.h"

#include "tuner/journal/seal.h"

#include <math.h>
#include <stddef.h>

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

static void put_busy(struct seal *body, const struct record_prediction *prediction)
{
    struct seal busy = {.line = body->line};

    js_line_object(body->line, "busy");
    for (int r = 0; r < RESOURCE_COUNT; r++)
        if (prediction->busy[r] >= least_busy)
            seal_put_real(&busy, resource_name((enum resource)r), prediction->busy[r], 3);
    js_line_close(body->line, '}');
    seal_put_object(body, "busy", &busy);
}

static void put_members(struct seal *body, const struct record_prediction *prediction)
{
    struct record_prediction copy = *prediction;
    const double interval_s[] = {prediction->interval_low_s, prediction->interval_high_s};

    for (size_t f = 0; f < FIELDS; f++) {
        const double value = *field_of(&copy, &fields[f]) * fields[f].scale;

        if (isfinite(value))
            seal_put_real(body, fields[f].name, value, 5);
    }
    if (prediction->interval_high_s > 0)
        seal_put_reals(body, "interval_ms", interval_s, 2, 1e3, 5);
    seal_put_bool(body, "latency_hidden", prediction->latency_hidden);
    if (prediction->unrated)
        seal_put_bool(body, "unrated", true);
    if (prediction->limiter >= 0)
        seal_put_string(body, "limiter", resource_name((enum resource)prediction->limiter));
    put_busy(body, prediction);
}

void record_prediction_write(struct seal *body, const char *key, const struct record_prediction *prediction)
{
    struct seal inner = {.line = body->line};

    js_line_object(body->line, key);
    put_members(&inner, prediction);
    js_line_close(body->line, '}');
    seal_put_object(body, key, &inner);
}

struct json *record_prediction_json(const struct record_prediction *prediction)
{
    struct js_line line = {0};
    struct seal inner = {.line = &line};

    js_line_object(&line, NULL);
    put_members(&inner, prediction);
    js_line_close(&line, '}');
    return js_line_tree(&line);
}

/* Reading ------------------------------------------------------------------ */

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

    *out = (struct record_prediction){.interval_low_s = NAN, .interval_high_s = NAN};
    if (js_expect(object, JS_OBJECT, err))
        return ERR_USAGE;
    for (size_t f = 0; f < FIELDS; f++) {
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

#include "tuner/remote/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int content_set(struct json *object, const char *name, struct key key)
{
    char hex[33];

    key_hex(hex, key);
    return js_set_string(object, name, hex);
}

void content_write(struct js_line *line, const char *name, struct key key)
{
    char hex[33];

    key_hex(hex, key);
    js_line_string(line, name, hex);
}

int content_get(struct key *out, const struct js_at *object, const char *name, struct err *err)
{
    const char *text;
    struct js_at at;

    if (js_member(&at, object, name, err) || js_string(&text, &at, err))
        return ERR_FORMAT;
    return key_from_hex(out, text) ? 0 : js_fail(&at, err, "is no content key");
}

/* Options ------------------------------------------------------------------ */

const char *option_include(const char *option)
{
    static const char *const names[] = {"-I", "--include-path="};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const size_t length = strlen(names[k]);

        if (!strncmp(option, names[k], length) && option[length])
            return option + length + (option[length] == '=');
    }
    return NULL;
}

bool option_is_plain(const char *option)
{
    static const char *const naming[] = {"-I", "--include-path", "-include", "--pre-include", "-isystem"};

    for (size_t k = 0; k < sizeof naming / sizeof *naming; k++)
        if (!strncmp(option, naming[k], strlen(naming[k])))
            return false;
    return !strncmp(option, "-D", 2) || !strncmp(option, "--define-macro=", 15) || !strchr(option, '/');
}

/* Results ------------------------------------------------------------------ */

static int set_exact(struct json *object, const char *key, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%a", value);
    return js_set_string(object, key, text);
}

static int get_exact(double *out, const struct js_at *object, const char *key, struct err *err)
{
    const char *text;
    struct js_at at;
    char *end;

    if (js_member(&at, object, key, err) || js_string(&text, &at, err))
        return ERR_FORMAT;
    *out = strtod(text, &end);
    return end == text || *end ? js_fail(&at, err, "is no number") : 0;
}

int compiled_set(struct json *object, const struct compile_result *compiled)
{
    return js_set_string(object, "outcome", outcome_text(compiled->outcome)) |
           set_exact(object, "compile_s", compiled->compile_s) |
           js_set_bool(object, "cached", compiled->cached) |
           js_set_bool(object, "own_failure", compiled->own_failure) |
           (compiled->packed ? js_set_integer(object, "bytes", (int64_t)compiled->cubin_bytes) |
                                   content_set(object, "content", compiled->content)
                             : 0) |
           (compiled->entry ? js_set_string(object, "entry", compiled->entry) : 0) |
           (compiled->diagnostic ? js_set_string(object, "diagnostic", compiled->diagnostic) : 0);
}

static int get_text(char **out, const struct js_at *object, const char *key, struct err *err)
{
    const char *text;
    struct js_at at;

    *out = NULL;
    if (!js_find(&at, object, key))
        return 0;
    if (js_string(&text, &at, err))
        return ERR_FORMAT;
    *out = strdup(text);
    return *out ? 0 : err_memory(err);
}

static int get_flag(bool *out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;

    return js_member(&at, object, key, err) || js_bool(out, &at, err) ? ERR_FORMAT : 0;
}

/* Machine code, packed where its size is said, or of a failure the log with its zero. */
static int take_payload(struct compile_result *out, const struct js_at *object, void *bytes, size_t count,
                        struct err *err)
{
    struct js_at at;
    uint64_t plain;

    if (out->outcome == OUTCOME_OK && count && out->entry && !js_find(&at, object, "bytes")) {
        out->cubin = bytes;
        out->cubin_bytes = count;
        return 0;
    }
    if (out->outcome == OUTCOME_OK && count && out->entry) {
        out->packed = bytes;
        out->packed_bytes = count;
        if (content_get(&out->content, object, "content", err) || js_member(&at, object, "bytes", err) ||
            js_unsigned(&plain, &at, err))
            return ERR_FORMAT;
        out->cubin_bytes = plain;
        return plain && plain <= REMOTE_CODE_MOST ? 0 : js_fail(&at, err, "so large is no code");
    }
    if (out->outcome == OUTCOME_COMPILE && count && !((const char *)bytes)[count - 1]) {
        out->log = bytes;
        return 0;
    }
    free(bytes);
    return out->outcome == OUTCOME_COMPILE && !count
               ? 0
               : err_set(err, ERR_FORMAT, "the result of a compile is not whole");
}

int compiled_get(struct compile_result *out, const struct js_at *object, void *bytes, size_t count,
                 struct err *err)
{
    const char *text;
    struct js_at at;
    int outcome = -1, rc;

    *out = (struct compile_result){0};
    rc = js_member(&at, object, "outcome", err) || js_string(&text, &at, err) ? ERR_FORMAT : 0;
    if (!rc)
        outcome = outcome_parse(text);
    if (!rc && outcome != OUTCOME_OK && outcome != OUTCOME_COMPILE)
        rc = js_fail(&at, err, "no compile ends so");
    out->outcome = rc ? OUTCOME_COMPILE : (enum outcome)outcome;
    if (!rc)
        rc = get_exact(&out->compile_s, object, "compile_s", err);
    if (!rc)
        rc = get_flag(&out->cached, object, "cached", err);
    if (!rc)
        rc = get_flag(&out->own_failure, object, "own_failure", err);
    if (!rc)
        rc = get_text(&out->entry, object, "entry", err);
    if (!rc)
        rc = get_text(&out->diagnostic, object, "diagnostic", err);
    if (rc)
        free(bytes);
    else
        rc = take_payload(out, object, bytes, count, err);
    if (rc)
        compile_result_release(out);
    return rc;
}

/* Predictions: a row for each real, since all are written and read alike. */
struct real {
    const char *name;
    size_t at;
};
#define REAL(name, member)                                                                                   \
    {                                                                                                        \
        name, offsetof(struct variant_prediction, member)                                                    \
    }
static const struct real reals[] = {REAL("bound_s", told.bound_s),
                                    REAL("estimate_s", told.estimate_s),
                                    REAL("needed_warps", needed_warps),
                                    REAL("had_warps", had_warps),
                                    REAL("confidence", confidence),
                                    REAL("interval_low_s", interval_low_s),
                                    REAL("interval_high_s", interval_high_s),
                                    REAL("predict_s", predict_s),
                                    REAL("efficiency", pareto.efficiency),
                                    REAL("utilization", pareto.utilization)};
enum { REALS = sizeof reals / sizeof *reals };

struct json *prediction_to_json(const struct variant_prediction *prediction)
{
    struct json *object = js_new_object();
    int failed = !object, k;

    for (k = 0; k < REALS && !failed; k++)
        failed = set_exact(object, reals[k].name, *(const double *)((const char *)prediction + reals[k].at));
    if (!failed)
        failed = js_set_bool(object, "predicted", prediction->told.predicted) |
                 js_set_bool(object, "lacks_rate", prediction->told.unrated) |
                 js_set_integer(object, "limiter", prediction->told.limiter) |
                 js_set_integer(object, "bound_limiter", prediction->bound_limiter) |
                 js_set_integer(object, "limited_by", prediction->limited_by) |
                 js_set_bool(object, "latency_hidden", prediction->latency_hidden) |
                 js_set_string(object, "reason", prediction->reason) |
                 js_set_string(object, "unrated", prediction->unrated);
    return js_unless(failed, object);
}

static int get_resource(enum resource *out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;
    int64_t value;

    if (js_member(&at, object, key, err) || js_integer(&value, &at, err))
        return ERR_FORMAT;
    if (value < 0 || value >= RESOURCE_COUNT)
        return js_fail(&at, err, "is no resource");
    *out = (enum resource)value;
    return 0;
}

static int get_limited(enum limited_by *out, const struct js_at *object, struct err *err)
{
    struct js_at at;
    int64_t value;

    if (js_member(&at, object, "limited_by", err) || js_integer(&value, &at, err))
        return ERR_FORMAT;
    if (value < 0 || value >= LIMITED_COUNT)
        return js_fail(&at, err, "is no limit");
    *out = (enum limited_by)value;
    return 0;
}

static int copy_text(char *out, size_t size, const struct js_at *object, const char *key, struct err *err)
{
    const char *text;
    struct js_at at;

    if (js_member(&at, object, key, err) || js_string(&text, &at, err))
        return ERR_FORMAT;
    snprintf(out, size, "%s", text);
    return 0;
}

int prediction_from_json(struct variant_prediction *out, const struct js_at *at, struct err *err)
{
    int k, rc = 0;

    *out = (struct variant_prediction){0};
    for (k = 0; k < REALS && !rc; k++)
        rc = get_exact((double *)((char *)out + reals[k].at), at, reals[k].name, err);
    if (!rc)
        rc = get_flag(&out->told.predicted, at, "predicted", err);
    if (!rc)
        rc = get_flag(&out->told.unrated, at, "lacks_rate", err);
    if (!rc)
        rc = get_flag(&out->latency_hidden, at, "latency_hidden", err);
    if (!rc)
        rc = get_resource(&out->told.limiter, at, "limiter", err);
    if (!rc)
        rc = get_resource(&out->bound_limiter, at, "bound_limiter", err);
    if (!rc)
        rc = get_limited(&out->limited_by, at, err);
    if (!rc)
        rc = copy_text(out->reason, sizeof out->reason, at, "reason", err);
    return rc ? rc : copy_text(out->unrated, sizeof out->unrated, at, "unrated", err);
}

#include "tuner/journal/record.h"

#include "base/hash.h"
#include "tuner/journal/record_check.h"
#include "tuner/journal/record_prediction.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_init(struct record *record)
{
    *record = (struct record){.time_s = NAN,
                              .launches = -1,
                              .discarded = -1,
                              .registers = -1,
                              .shared_bytes = -1,
                              .spill_instructions = -1,
                              .blocks_per_sm = -1,
                              .carveout = -1,
                              .occupancy = NAN,
                              .clock_hz = NAN,
                              .error_max = NAN,
                              .energy_j = NAN,
                              .power_w = NAN,
                              .energy_window_s = NAN,
                              .compile_s = NAN,
                              .verify_s = NAN,
                              .benchmark_s = NAN,
                              .trial_s = NAN,
                              .compiled_at_s = NAN,
                              .timed_at_s = NAN};
}

struct spec_measured record_measured(const struct record *record)
{
    return (struct spec_measured){record->time_s, record->energy_j};
}

void record_release(struct record *record)
{
    free(record->key);
    free(record->message);
    free(record->same_as);
    free(record->measured_on);
    free(record->samples_s);
    record_init(record);
}

static bool copy_text(char **out, const char *text)
{
    *out = text ? strdup(text) : NULL;
    return *out || !text;
}

int record_copy(struct record *out, const struct record *record, struct err *err)
{
    *out = *record;
    out->key = out->message = out->same_as = out->measured_on = NULL;
    out->samples_s = record->sample_count ? malloc(record->sample_count * sizeof *out->samples_s) : NULL;
    if (out->samples_s)
        memcpy(out->samples_s, record->samples_s, record->sample_count * sizeof *out->samples_s);
    if ((out->samples_s || !record->sample_count) && copy_text(&out->key, record->key) &&
        copy_text(&out->message, record->message) && copy_text(&out->same_as, record->same_as) &&
        copy_text(&out->measured_on, record->measured_on))
        return 0;
    record_release(out);
    return err_memory(err);
}

/* Kernel Tuner's names for what went wrong; ours say more and stand beside them in "outcome". */
static const char *const error_names[OUTCOME_COUNT] = {
    [OUTCOME_CONSTRAINT] = "InvalidConfig",        [OUTCOME_LIMITS] = "InvalidConfig",
    [OUTCOME_COMPILE] = "CompilationFailedConfig", [OUTCOME_LAUNCH] = "RuntimeFailedConfig",
    [OUTCOME_RUNTIME] = "RuntimeFailedConfig",     [OUTCOME_TIMEOUT] = "RuntimeFailedConfig",
    [OUTCOME_UNSTABLE] = "RuntimeFailedConfig",    [OUTCOME_WRONG] = "ErrorConfig",
    [OUTCOME_SAME_CODE] = "ErrorConfig",
};

static int error_outcome(const char *name)
{
    if (!strcmp(name, "InvalidConfig"))
        return OUTCOME_LIMITS;
    if (!strcmp(name, "CompilationFailedConfig"))
        return OUTCOME_COMPILE;
    if (!strcmp(name, "RuntimeFailedConfig"))
        return OUTCOME_RUNTIME;
    return strcmp(name, "ErrorConfig") ? -1 : OUTCOME_WRONG;
}

/* Writing ------------------------------------------------------------------ */

/* Times are in milliseconds with six significant digits, which is what a measurement can mean. */

static void put_short(struct seal *body, const char *key, double value, int digits)
{
    if (isfinite(value))
        seal_put_real(body, key, value, digits);
}

static void put_ms(struct seal *body, const char *key, double seconds)
{
    put_short(body, key, seconds * 1e3, 6);
}

static void put_count(struct seal *body, const char *key, int value)
{
    if (value >= 0)
        seal_put_integer(body, key, value);
}

static void put_text(struct seal *body, const char *key, const char *text)
{
    if (text)
        seal_put_string(body, key, text);
}

static void put_hash(struct seal *body, const char *key, uint64_t hash)
{
    char hex[17];

    hash_hex(hex, hash);
    seal_put_string(body, key, hex);
}

static void put_times(struct seal *body, const struct record *record)
{
    if (isfinite(record->time_s))
        put_ms(body, "time", record->time_s);
    else
        put_text(body, "__error__", error_names[record->outcome]);
    if (record->sample_count)
        seal_put_reals(body, "times", record->samples_s, record->sample_count, 1e3, 6);
}

static void put_identity(struct seal *body, const struct record *record)
{
    if (!record->identified)
        return;
    put_hash(body, "build_hash", record->build_hash);
    put_hash(body, "code_hash", record->code_hash);
    put_hash(body, "launch_hash", record->launch_hash);
    if (record->reference_hash)
        put_hash(body, "reference_hash", record->reference_hash);
}

static void put_resources(struct seal *body, const struct record *record)
{
    put_count(body, "launches", record->launches);
    put_count(body, "discarded", record->discarded);
    if (record->throttled)
        seal_put_bool(body, "throttled", true);
    if (record->final)
        seal_put_bool(body, "final", true);
    put_count(body, "registers", record->registers);
    put_count(body, "shared_bytes", record->shared_bytes);
    put_count(body, "spill_instructions", record->spill_instructions);
    put_count(body, "blocks_per_sm", record->blocks_per_sm);
    put_count(body, "carveout", record->carveout);
    put_short(body, "occupancy", record->occupancy, 6);
}

static void put_measured(struct seal *body, const struct record *record)
{
    put_short(body, "clock_mhz", record->clock_hz / 1e6, 5);
    put_short(body, "energy_j", record->energy_j, 5);
    put_short(body, "power_w", record->power_w, 5);
    put_short(body, "energy_window_s", record->energy_window_s, 4);
    put_short(body, "error_max", record->error_max, 4);
    put_ms(body, "compile_time", record->compile_s);
    put_ms(body, "verification_time", record->verify_s);
    put_ms(body, "benchmark_time", record->benchmark_s);
    put_ms(body, "trial_time", record->trial_s);
    put_short(body, "compiled_at_s", record->compiled_at_s, 7);
    put_short(body, "timed_at_s", record->timed_at_s, 7);
}

void record_write(struct js_line *line, const struct record *record, const struct json *parameters)
{
    struct seal body = {.line = line};

    js_line_object(line, record->key);
    seal_put_tree(&body, parameters);
    put_times(&body, record);
    seal_put_string(&body, "outcome", outcome_text(record->outcome));
    put_text(&body, "message", record->message);
    put_text(&body, "same_as", record->same_as);
    put_text(&body, "measured_on", record->measured_on);
    put_identity(&body, record);
    put_resources(&body, record);
    put_measured(&body, record);
    if (record->prediction.predicted)
        record_prediction_write(&body, "predicted", &record->prediction);
    record_seal(&body, record->key);
    js_line_close(line, '}');
}

/* Reading ------------------------------------------------------------------ */

static int get_ms(double *seconds, const struct js_at *body, const char *key, struct err *err)
{
    struct js_at at;
    int rc;

    if (!js_find(&at, body, key) || js_kind(&at) == JS_NULL)
        return 0;
    rc = js_real(seconds, &at, err);
    *seconds *= 1e-3;
    return rc;
}

static int get_real(double *value, const struct js_at *body, const char *key, double scale, struct err *err)
{
    struct js_at at;
    int rc;

    if (!js_find(&at, body, key))
        return 0;
    rc = js_real(value, &at, err);
    *value *= scale;
    return rc;
}

static int get_count(int *value, const struct js_at *body, const char *key, struct err *err)
{
    struct js_at at;
    uint64_t found;

    if (!js_find(&at, body, key))
        return 0;
    if (js_unsigned(&found, &at, err))
        return err ? err->code : ERR_USAGE;
    if (found > INT_MAX)
        return js_fail(&at, err, "%" PRIu64 " is too large", found);
    *value = (int)found;
    return 0;
}

static int get_text(char **text, const struct js_at *body, const char *key, struct err *err)
{
    struct js_at at;
    const char *found;

    if (!js_find(&at, body, key))
        return 0;
    if (js_string(&found, &at, err))
        return ERR_USAGE;
    *text = strdup(found);
    return *text ? 0 : err_memory(err);
}

static int get_flag(bool *flag, const struct js_at *body, const char *key, struct err *err)
{
    struct js_at at;

    return js_find(&at, body, key) ? js_bool(flag, &at, err) : 0;
}

static int get_hash(uint64_t *hash, const struct js_at *body, const char *key, struct err *err)
{
    struct js_at at;
    const char *hex;
    char *end;

    if (js_member(&at, body, key, err) || js_string(&hex, &at, err))
        return ERR_USAGE;
    *hash = strtoull(hex, &end, 16);
    return strlen(hex) == 16 && *end == '\0' ? 0 : js_fail(&at, err, "expected 16 hexadecimal digits");
}

static int get_identity(struct record *out, const struct js_at *body, struct err *err)
{
    struct js_at at;

    out->identified = js_find(&at, body, "launch_hash");
    if (!out->identified)
        return 0;
    if (get_hash(&out->build_hash, body, "build_hash", err) ||
        get_hash(&out->code_hash, body, "code_hash", err) ||
        (js_find(&at, body, "reference_hash") && get_hash(&out->reference_hash, body, "reference_hash", err)))
        return ERR_USAGE;
    return get_hash(&out->launch_hash, body, "launch_hash", err);
}

static int get_samples(struct record *out, const struct js_at *body, struct err *err)
{
    struct js_at times, at;
    size_t count;

    if (!js_find(&times, body, "times") || js_kind(&times) == JS_NULL)
        return 0;
    if (js_expect(&times, JS_ARRAY, err))
        return ERR_USAGE;
    count = js_count(&times);
    out->samples_s = malloc((count ? count : 1) * sizeof *out->samples_s);
    if (!out->samples_s)
        return err_memory(err);
    for (size_t i = 0; i < count; i++) {
        at = js_element(&times, i);
        if (js_kind(&at) == JS_NULL) /* a run that failed */
            continue;
        if (js_real(&out->samples_s[out->sample_count], &at, err))
            return ERR_USAGE;
        out->samples_s[out->sample_count++] *= 1e-3;
    }
    return 0;
}

/* The outcome by our own word, by `__error__`, or by the older custom of an error's name in place of the
 * time. */
static int get_outcome(struct record *out, const struct js_at *body, struct err *err)
{
    struct js_at own, error, time;
    const char *text;
    int outcome;

    if (js_find(&own, body, "outcome")) {
        if (js_string(&text, &own, err))
            return ERR_USAGE;
        outcome = outcome_parse(text);
        if (outcome < 0)
            return js_fail(&own, err, "unknown outcome \"%s\"", text);
        out->outcome = (enum outcome)outcome;
        return get_ms(&out->time_s, body, "time", err);
    }
    if (!js_find(&time, body, "time") && !js_find(&error, body, "__error__"))
        return js_fail(body, err, "neither a time nor an error is recorded");
    if (js_find(&error, body, "__error__"))
        time = error;
    if (js_kind(&time) != JS_STRING) {
        out->outcome = OUTCOME_OK;
        return get_ms(&out->time_s, body, "time", err);
    }
    if (js_string(&text, &time, err))
        return ERR_USAGE;
    outcome = error_outcome(text);
    if (outcome < 0)
        return js_fail(&time, err,
                       "\"%s\" is neither a number of milliseconds nor an error of Kernel Tuner's", text);
    out->outcome = (enum outcome)outcome;
    return 0;
}

/* What Kernel Tuner's own records may hold too. */
static int get_times(struct record *out, const struct js_at *body, struct err *err)
{
    return get_samples(out, body, err) || get_ms(&out->compile_s, body, "compile_time", err) ||
           get_ms(&out->verify_s, body, "verification_time", err) ||
           get_ms(&out->benchmark_s, body, "benchmark_time", err);
}

static int get_facts(struct record *out, const struct js_at *body, struct err *err)
{
    struct js_at predicted;

    return get_text(&out->message, body, "message", err) || get_text(&out->same_as, body, "same_as", err) ||
           get_text(&out->measured_on, body, "measured_on", err) || get_identity(out, body, err) ||
           get_count(&out->launches, body, "launches", err) ||
           get_count(&out->discarded, body, "discarded", err) ||
           get_flag(&out->throttled, body, "throttled", err) || get_flag(&out->final, body, "final", err) ||
           get_count(&out->registers, body, "registers", err) ||
           get_count(&out->shared_bytes, body, "shared_bytes", err) ||
           get_count(&out->spill_instructions, body, "spill_instructions", err) ||
           get_count(&out->blocks_per_sm, body, "blocks_per_sm", err) ||
           get_count(&out->carveout, body, "carveout", err) ||
           get_real(&out->occupancy, body, "occupancy", 1, err) ||
           get_real(&out->clock_hz, body, "clock_mhz", 1e6, err) ||
           get_real(&out->error_max, body, "error_max", 1, err) ||
           get_real(&out->energy_j, body, "energy_j", 1, err) ||
           get_real(&out->power_w, body, "power_w", 1, err) ||
           get_real(&out->energy_window_s, body, "energy_window_s", 1, err) ||
           get_ms(&out->trial_s, body, "trial_time", err) ||
           get_real(&out->compiled_at_s, body, "compiled_at_s", 1, err) ||
           get_real(&out->timed_at_s, body, "timed_at_s", 1, err) ||
           (js_find(&predicted, body, "predicted") &&
            record_prediction_read(&out->prediction, &predicted, err));
}

int record_from_json(struct record *out, const struct js_at *at, struct err *err)
{
    struct js_at own;
    int rc = 0;

    record_init(out);
    if (js_expect(at, JS_OBJECT, err))
        return ERR_USAGE;
    out->key = strdup(at->key);
    if (!out->key)
        return err_memory(err);
    if (get_outcome(out, at, err) || get_times(out, at, err) ||
        (js_find(&own, at, "outcome") && get_facts(out, at, err)))
        rc = err && err->code ? err->code : ERR_USAGE;
    if (!rc && out->outcome == OUTCOME_OK && !(out->time_s > 0))
        rc = js_fail(at, err, "its time is no positive number");
    if (rc)
        record_release(out);
    return rc;
}

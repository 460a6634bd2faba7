#include "gpu/trial.h"

#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void protocol_init(struct protocol *protocol)
{
    *protocol = (struct protocol){.cache = CACHE_WARM,
                                  .relative = 1e-4,
                                  .absolute = 1e-6,
                                  .samples_min = 7,
                                  .samples_max = 50,
                                  .sample_s = 500e-6,
                                  .interval = 0.005,
                                  .deadline_s = 10,
                                  .give_up_s = 0};
}

void protocol_sustain(struct protocol *protocol)
{
    protocol->samples_min = 25;
    protocol->sample_s = 3e-3;
}

static uint64_t hash_real(uint64_t hash, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return hash_u64(hash, bits);
}

uint64_t protocol_hash(const struct protocol *protocol)
{
    uint64_t hash = hash_text(HASH_START, "protocol 1");

    hash = hash_u64(hash, protocol->cache);
    hash = hash_real(hash, protocol->relative);
    hash = hash_real(hash, protocol->absolute);
    hash = hash_u64(hash, protocol->samples_min);
    hash = hash_u64(hash, protocol->samples_max);
    hash = hash_real(hash, protocol->sample_s);
    hash = hash_real(hash, protocol->interval);
    return hash_real(hash, protocol->deadline_s);
}

void trial_release(struct trial *trial)
{
    free(trial->samples_s);
    memset(trial, 0, sizeof *trial);
}

void protocol_write(struct js_line *line, const char *key, const struct protocol *protocol)
{
    js_line_object(line, key);
    js_line_bool(line, "cold", protocol->cache == CACHE_COLD);
    js_line_real(line, "relative", protocol->relative);
    js_line_real(line, "absolute", protocol->absolute);
    js_line_integer(line, "samples_min", protocol->samples_min);
    js_line_integer(line, "samples_max", protocol->samples_max);
    js_line_real(line, "sample_s", protocol->sample_s);
    js_line_real(line, "interval", protocol->interval);
    js_line_real(line, "deadline_s", protocol->deadline_s);
    js_line_real(line, "give_up_s", protocol->give_up_s);
    js_line_real(line, "rival_s", protocol->rival_s);
    js_line_real(line, "energy_s", protocol->energy_s);
    js_line_close(line, '}');
}

struct json *protocol_to_json(const struct protocol *protocol)
{
    struct js_line line = {0};

    protocol_write(&line, NULL, protocol);
    return js_line_tree(&line);
}

static int read_real(double *out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;
    int rc = js_member(&at, object, key, err);

    return rc ? rc : js_real(out, &at, err);
}

static int read_integer(int64_t *out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;
    int rc = js_member(&at, object, key, err);

    return rc ? rc : js_integer(out, &at, err);
}

static int read_bool(bool *out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;
    int rc = js_member(&at, object, key, err);

    return rc ? rc : js_bool(out, &at, err);
}

int protocol_from_json(struct protocol *out, const struct js_at *at, struct err *err)
{
    int64_t least, most;
    bool cold;
    int rc;

    memset(out, 0, sizeof *out);
    rc = read_bool(&cold, at, "cold", err) || read_real(&out->relative, at, "relative", err) ||
         read_real(&out->absolute, at, "absolute", err) || read_integer(&least, at, "samples_min", err) ||
         read_integer(&most, at, "samples_max", err) || read_real(&out->sample_s, at, "sample_s", err) ||
         read_real(&out->interval, at, "interval", err) ||
         read_real(&out->deadline_s, at, "deadline_s", err) ||
         read_real(&out->give_up_s, at, "give_up_s", err) || read_real(&out->rival_s, at, "rival_s", err) ||
         read_real(&out->energy_s, at, "energy_s", err);
    if (rc)
        return err ? err->code : ERR_FORMAT;
    if (least < 1 || most < least || most > 100000)
        return err_set(err, ERR_USAGE, "samples: %lld to %lld make no sense", (long long)least,
                       (long long)most);
    out->cache = cold ? CACHE_COLD : CACHE_WARM;
    out->samples_min = (unsigned)least;
    out->samples_max = (unsigned)most;
    return 0;
}

struct json *trial_to_json(const struct trial *trial)
{
    struct json *json = js_new_object();

    return js_unless(
        js_set_string(json, "outcome", outcome_text(trial->outcome)) ||
            js_set_string(json, "message", trial->message) ||
            js_set(json, "samples_s", js_new_reals(trial->samples_s, trial->sample_count)) ||
            js_set_integer(json, "discarded", (int64_t)trial->discarded) ||
            js_set_integer(json, "launches", trial->launches) || js_set_real(json, "time_s", trial->time_s) ||
            js_set_real(json, "clock_hz", trial->clock_hz) ||
            js_set_bool(json, "throttled", trial->throttled) ||
            js_set_bool(json, "gave_up", trial->gave_up) || js_set_real(json, "energy_j", trial->energy_j) ||
            js_set_real(json, "power_w", trial->power_w) ||
            js_set_real(json, "energy_window_s", trial->energy_window_s) ||
            js_set_real(json, "error_max", trial->error_max) ||
            js_set_real(json, "verify_s", trial->verify_s) ||
            js_set_real(json, "benchmark_s", trial->benchmark_s) ||
            js_set_real(json, "total_s", trial->total_s) || js_set_real(json, "kernel_s", trial->kernel_s) ||
            js_set_integer(json, "registers", trial->registers) ||
            js_set_integer(json, "shared_bytes", trial->shared_bytes) ||
            js_set_integer(json, "local_bytes", trial->local_bytes) ||
            js_set_integer(json, "blocks_per_sm", trial->blocks_per_sm),
        json);
}

static int read_samples(struct trial *out, const struct js_at *object, struct err *err)
{
    struct js_at at;
    size_t n;
    int rc = js_member(&at, object, "samples_s", err);

    if (rc)
        return rc;
    n = js_count(&at);
    out->samples_s = calloc(n + 1, sizeof *out->samples_s);
    if (!out->samples_s)
        return err_memory(err);
    for (size_t i = 0; i < n; i++) {
        struct js_at element = js_element(&at, i);

        rc = js_real(&out->samples_s[i], &element, err);
        if (rc)
            return rc;
    }
    out->sample_count = n;
    return 0;
}

/* An infinite error has no JSON and travels as null. */
static int read_error(double *out, const struct js_at *object, struct err *err)
{
    struct js_at at;
    int rc = js_member(&at, object, "error_max", err);

    if (rc)
        return rc;
    *out = INFINITY;
    return js_kind(&at) == JS_NULL ? 0 : js_real(out, &at, err);
}

int trial_from_json(struct trial *out, const struct js_at *at, struct err *err)
{
    const char *outcome = "", *message = "";
    int64_t discarded, launches, registers, shared_bytes, local_bytes, blocks;
    struct js_at member;
    int rc;

    memset(out, 0, sizeof *out);
    rc = js_member(&member, at, "outcome", err) || js_string(&outcome, &member, err) ||
         js_member(&member, at, "message", err) || js_string(&message, &member, err) ||
         read_samples(out, at, err) || read_integer(&discarded, at, "discarded", err) ||
         read_integer(&launches, at, "launches", err) || read_real(&out->time_s, at, "time_s", err) ||
         read_real(&out->clock_hz, at, "clock_hz", err) || read_bool(&out->throttled, at, "throttled", err) ||
         read_bool(&out->gave_up, at, "gave_up", err) || read_real(&out->energy_j, at, "energy_j", err) ||
         read_real(&out->power_w, at, "power_w", err) ||
         read_real(&out->energy_window_s, at, "energy_window_s", err) ||
         read_error(&out->error_max, at, err) || read_real(&out->verify_s, at, "verify_s", err) ||
         read_real(&out->benchmark_s, at, "benchmark_s", err) ||
         read_real(&out->total_s, at, "total_s", err) || read_real(&out->kernel_s, at, "kernel_s", err) ||
         read_integer(&registers, at, "registers", err) ||
         read_integer(&shared_bytes, at, "shared_bytes", err) ||
         read_integer(&local_bytes, at, "local_bytes", err) ||
         read_integer(&blocks, at, "blocks_per_sm", err);
    if (!rc && outcome_parse(outcome) < 0)
        rc = err_set(err, ERR_FORMAT, "unknown outcome %s", outcome);
    if (rc) {
        trial_release(out);
        return err ? err->code : ERR_FORMAT;
    }
    out->outcome = (enum outcome)outcome_parse(outcome);
    snprintf(out->message, sizeof out->message, "%s", message);
    out->discarded = (size_t)discarded;
    out->launches = (unsigned)launches;
    out->registers = (int)registers;
    out->shared_bytes = (int)shared_bytes;
    out->local_bytes = (int)local_bytes;
    out->blocks_per_sm = (int)blocks;
    return 0;
}

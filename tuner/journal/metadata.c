#include "tuner/journal/metadata.h"

#include "base/hash.h"
#include "space/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct json *metadata_problem(const struct spec *spec, size_t problem)
{
    struct json *object = js_new_object();
    int failed = !object;

    for (size_t s = 0; s < spec->size_count && !failed; s++)
        failed = js_set(object, spec->names[spec->parameter_count + s],
                        value_to_json(&spec->problems[problem][s]));
    return js_unless(failed, object);
}

static int set_problem_size(struct json *head, const struct spec *spec, size_t problem)
{
    struct json *sizes = js_new_array();
    int failed = !sizes;

    for (size_t s = 0; s < spec->size_count && !failed; s++)
        failed = js_append(sizes, value_to_json(&spec->problems[problem][s]));
    return js_set(head, "problem_size", sizes) | failed;
}

static int set_parameters(struct json *head, const struct spec *spec)
{
    struct json *keys = js_new_array(), *lists = js_new_object(), *values;
    int failed = !keys || !lists;

    for (size_t p = 0; p < spec->parameter_count && !failed; p++) {
        values = js_new_array();
        failed = !values;
        for (size_t v = 0; v < spec->parameters[p].value_count && !failed; v++)
            failed = js_append(values, value_to_json(&spec->parameters[p].values[v]));
        failed |= js_append(keys, js_new_string(spec->parameters[p].name));
        failed |= js_set(lists, spec->parameters[p].name, values);
    }
    return js_set(head, "tune_params_keys", keys) | js_set(head, "tune_params", lists) | failed;
}

static struct json *protocol_json(const struct protocol *protocol)
{
    struct json *object = js_new_object();
    const int failed = js_set_string(object, "cache", protocol->cache == CACHE_COLD ? "cold" : "warm") |
                       js_set_real(object, "relative", protocol->relative) |
                       js_set_real(object, "absolute", protocol->absolute) |
                       js_set_integer(object, "samples_min", protocol->samples_min) |
                       js_set_integer(object, "samples_max", protocol->samples_max) |
                       js_set_real(object, "sample_s", protocol->sample_s) |
                       js_set_real(object, "interval", protocol->interval) |
                       js_set_real(object, "deadline_s", protocol->deadline_s) |
                       (protocol->energy_s > 0 ? js_set_real(object, "energy_s", protocol->energy_s) : 0);
    return js_unless(failed, object);
}

static struct json *own_part(const struct spec *spec, size_t problem, const struct device *device,
                             const struct power *power, const char *nvrtc, const struct protocol *protocol)
{
    struct json *own = js_new_object();
    char hex[17], created[32], target[DEVICE_TARGET_BYTES];
    const time_t now = time(NULL);
    struct tm utc;
    int failed;

    if (!own)
        return NULL;
    hash_hex(hex, spec->hash);
    device_target(target, device->sm);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    failed = js_set_integer(own, "schema", JOURNAL_SCHEMA) | js_set_string(own, "created", created) |
             js_set_string(own, "spec_hash", hex) | js_set(own, "problem", metadata_problem(spec, problem)) |
             js_set_string(own, "nvrtc", nvrtc) | js_set_string(own, "target", target) |
             js_set_string(own, "driver", device->driver) | js_set(own, "protocol", protocol_json(protocol)) |
             js_set(own, "device", device_to_json(device)) |
             (power_known(power) ? js_set(own, "power", power_to_json(power)) : 0);
    return js_unless(failed, own);
}

int metadata_new(struct json **out, const struct spec *spec, size_t problem, const struct device *device,
                 const struct power *power, const char *nvrtc, const struct protocol *protocol,
                 struct err *err)
{
    struct json *head = js_new_object(), *objective = js_new_array();
    int failed = js_append(objective, js_new_string("time"));

    failed |= js_set_string(head, "device_name", device->name) |
              js_set_string(head, "kernel_name", spec->kernel.name) | set_problem_size(head, spec, problem) |
              set_parameters(head, spec) | js_set(head, "objective", objective) |
              js_set(head, "occutune", own_part(spec, problem, device, power, nvrtc, protocol));
    *out = js_unless(failed, head);
    return failed ? err_memory(err) : 0;
}

static const char *text_of(const struct js_at *object, const char *key)
{
    struct js_at at;
    const char *text;

    return js_find(&at, object, key) && !js_string(&text, &at, NULL) ? text : "";
}

void metadata_read(struct metadata *out, const struct journal *journal)
{
    const struct js_at head = journal_head(journal);
    const char *device = text_of(&head, "device_name");
    struct js_at own;

    *out = (struct metadata){.device_name = *device ? device : "an unnamed device",
                             .device_named = *device,
                             .kernel_name = text_of(&head, "kernel_name"),
                             .nvrtc = "",
                             .driver = "",
                             .target = ""};
    if (!js_find(&own, &head, "occutune"))
        return;
    out->nvrtc = text_of(&own, "nvrtc");
    out->driver = text_of(&own, "driver");
    out->target = text_of(&own, "target");
    snprintf(out->date, sizeof out->date, "%s", text_of(&own, "created"));
}

int metadata_device(struct device *out, const struct journal *journal, struct err *err)
{
    const struct js_at head = journal_head(journal);
    struct js_at own, device;

    device_init(out);
    if (!js_find(&own, &head, "occutune") || !js_find(&device, &own, "device"))
        return err_set(err, ERR_MISSING, "%s: does not describe its device", journal_path(journal));
    return device_from_json(out, &device, err);
}

void metadata_power(struct power *out, const struct journal *journal)
{
    const struct js_at head = journal_head(journal);
    struct js_at own, power;

    power_init(out);
    if (js_find(&own, &head, "occutune") && js_find(&power, &own, "power") &&
        power_from_json(out, &power, NULL))
        power_init(out);
}

static int same_json(bool *same, const struct json *a, const struct json *b, struct err *err)
{
    char *text_a = js_text(a, JS_PRETTY), *text_b = js_text(b, JS_PRETTY);
    const int rc = text_a && text_b ? 0 : err_memory(err);

    *same = !rc && !strcmp(text_a, text_b);
    free(text_a);
    free(text_b);
    return rc;
}

static int check_parameters(const struct js_at *head, const struct spec *spec, struct err *err)
{
    struct js_at keys, at;
    const char *name;

    if (js_member(&keys, head, "tune_params_keys", err) || js_expect(&keys, JS_ARRAY, err))
        return ERR_USAGE;
    for (size_t p = 0; p < spec->parameter_count || p < js_count(&keys); p++) {
        at = js_element(&keys, p);
        if (p >= js_count(&keys) || p >= spec->parameter_count)
            return js_fail(&keys, err, "has %zu parameters, the spec has %zu", js_count(&keys),
                           spec->parameter_count);
        if (js_string(&name, &at, err))
            return ERR_USAGE;
        if (strcmp(name, spec->parameters[p].name))
            return js_fail(&at, err, "is %s where the spec has %s", name, spec->parameters[p].name);
    }
    return 0;
}

/* " M=1024 N=1024" of {"M": 1024, "N": 1024}, as much as fits. */
static void sizes_text(char *out, size_t size, const struct js_at *sizes)
{
    struct js_at member = {0};
    char *value;
    size_t used = 0;

    *out = '\0';
    while (js_next(&member, sizes) && used < size) {
        value = js_text(member.value, JS_LINE);
        used += (size_t)snprintf(out + used, size - used, " %s=%s", member.key, value ? value : "");
        free(value);
    }
}

static bool is_size(const struct js_at *at, const struct spec *spec, size_t problem)
{
    double value;

    if (js_real(&value, at, NULL) || value == 1)
        return true; /* a text, or a direction that is not used: these tell nothing */
    for (size_t s = 0; s < spec->size_count; s++)
        if (value_real(&spec->problems[problem][s]) == value)
            return true;
    return false;
}

bool metadata_doubt(char *out, size_t size, const struct journal *journal, const struct spec *spec,
                    size_t problem)
{
    const struct js_at head = journal_head(journal);
    struct js_at sizes, at;
    char asked[256], *text;
    bool known;

    if (!journal_foreign(journal) || !js_find(&sizes, &head, "problem_size"))
        return false;
    known = js_kind(&sizes) == JS_ARRAY || is_size(&sizes, spec, problem);
    for (size_t i = 0; known && js_kind(&sizes) == JS_ARRAY && i < js_count(&sizes); i++) {
        at = js_element(&sizes, i);
        known = is_size(&at, spec, problem);
    }
    if (known)
        return false;
    spec_problem_text(asked, sizeof asked, spec, problem);
    text = js_text(sizes.value, JS_LINE);
    snprintf(out, size, "%s: was recorded for the problem size %s: its times are taken for %s",
             journal_path(journal), text ? text : "", *asked ? asked : "one without sizes");
    free(text);
    return true;
}

static int check_problem(const struct journal *journal, const struct js_at *own, const struct spec *spec,
                         size_t problem, struct err *err)
{
    struct json *wanted = metadata_problem(spec, problem);
    char recorded[256], asked[256];
    struct js_at found;
    bool same;
    int rc = 0;

    if (!wanted)
        return err_memory(err);
    spec_problem_text(asked, sizeof asked, spec, problem);
    if (js_member(&found, own, "problem", err))
        rc = ERR_USAGE;
    else
        rc = same_json(&same, found.value, wanted, err);
    if (!rc && !same) {
        sizes_text(recorded, sizeof recorded, &found);
        rc = err_set(err, ERR_USAGE,
                     "%s: is of another problem size,%s, where %s is asked for: give --set the recorded "
                     "sizes or name another recording",
                     journal_path(journal), *recorded ? recorded : " of none", *asked ? asked : "none");
    }
    js_free(wanted);
    return rc;
}

int metadata_check(const struct journal *journal, const struct spec *spec, size_t problem, struct err *err)
{
    const struct js_at head = journal_head(journal);
    struct js_at own;
    int rc = check_parameters(&head, spec, err);

    if (rc || !js_find(&own, &head, "occutune"))
        return rc;
    if (strcmp(text_of(&head, "kernel_name"), spec->kernel.name))
        return err_set(err, ERR_USAGE, "%s: is of kernel %s, the spec of %s", journal_path(journal),
                       text_of(&head, "kernel_name"), spec->kernel.name);
    return check_problem(journal, &own, spec, problem, err);
}

#include "tuner/report/report_data.h"

#include "tuner/report/report_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool find(struct js_at *out, const struct js_at *object, const char *key)
{
    return object->value && js_find(out, object, key);
}

static const char *text_of(const struct js_at *object, const char *key)
{
    struct js_at at;
    const char *text;

    return find(&at, object, key) && !js_string(&text, &at, NULL) ? text : "";
}

static int set_copy(struct json *out, const char *key, const struct json *value)
{
    return value ? js_set(out, key, js_copy(value)) : 0;
}

/* The GPU's curves --------------------------------------------------------- */

static int add_curve(struct json *list, const char *name, const struct device_curve *curve)
{
    struct json *object;

    if (!curve->count)
        return 0;
    object = js_new_object();
    return js_set_string(object, "name", name) | js_set(object, "x", js_new_reals(curve->x, curve->count)) |
           js_set(object, "y", js_new_reals(curve->y, curve->count)) | js_append(list, object);
}

static int set_profile(struct json *out, const struct device *profile)
{
    struct json *curves = js_new_array();
    int failed = !curves;

    if (profile && !failed)
        failed = add_curve(curves, "FFMA, dependent", &profile->ops[DEVICE_OP_FFMA].roofline) ||
                 add_curve(curves, "DRAM read", &profile->curves[DEVICE_CURVE_DRAM_READ_WARPS]) ||
                 add_curve(curves, "DRAM copy", &profile->curves[DEVICE_CURVE_DRAM_COPY_WARPS]) ||
                 js_set_string(out, "profile", profile->name) ||
                 js_set_integer(out, "warps_most", (int64_t)profile->limits.warps_per_sm);
    return js_set(out, "curves", js_unless(failed, curves)) | failed;
}

/* A problem ---------------------------------------------------------------- */

/* "M=1024 N=1024" of {"M": 1024, "N": 1024}. */
static int set_label(struct json *out, const struct js_at *own)
{
    struct js_at sizes, member = {0};
    char label[256] = "", *value;
    size_t used = 0;

    if (!find(&sizes, own, "problem"))
        return js_set_string(out, "label", "");
    while (js_next(&member, &sizes) && used < sizeof label) {
        value = js_text(member.value, JS_LINE);
        if (!value)
            return ERR_MEMORY;
        used += (size_t)snprintf(label + used, sizeof label - used, "%s%s=%s", used ? " " : "", member.key,
                                 value);
        free(value);
    }
    return js_set_string(out, "label", label);
}

/* Names of the parameters, in the order of keys; none in files that do not say. */
static int set_names(struct json *out, const struct js_at *head)
{
    struct js_at names;

    return js_set(out, "parameters",
                  find(&names, head, "tune_params_keys") && js_kind(&names) == JS_ARRAY ? js_copy(names.value)
                                                                                        : js_new_array());
}

/* The GPU's limits, and what else the journal says of how its times came about. */
static int set_origin(struct json *out, const struct js_at *own)
{
    static const char *const members[] = {"created", "nvrtc",    "driver", "spec_hash",
                                          "power",   "protocol", "target"};
    struct json *origin = js_new_object();
    struct js_at device, at;
    int failed = !origin;

    for (size_t m = 0; m < sizeof members / sizeof *members && !failed; m++)
        if (find(&at, own, members[m]))
            failed = set_copy(origin, members[m], at.value);
    failed |= js_set(out, "origin", js_unless(failed, origin));
    if (!failed && find(&device, own, "device") && js_find(&at, &device, "limits"))
        failed = set_copy(out, "device", at.value);
    return failed;
}

static int set_number(struct json *out, const struct json *not_timed, const char *key)
{
    struct js_at root = js_root((struct json *)not_timed, ""), at;
    int64_t count;

    if (!find(&at, &root, key) || js_integer(&count, &at, NULL))
        return 0;
    return js_set_integer(out, key, count);
}

/* What the page shows of a decision; not where its files lie. */
static int set_decision(struct json *out, const struct json *decision)
{
    static const char *const members[] = {"best",   "initial", "strategy", "ended",  "search",
                                          "counts", "spent",   "words",    "remarks"};
    struct js_at root = js_root((struct json *)decision, ""), at;
    struct json *part;
    int failed = 0;

    if (!decision)
        return 0;
    part = js_new_object();
    failed = !part;
    for (size_t m = 0; m < sizeof members / sizeof *members && !failed; m++)
        if (js_find(&at, &root, members[m]))
            failed = js_set(part, members[m], js_copy(at.value));
    return js_set(out, "decision", js_unless(failed, part));
}

/* A page may be shown to others: where files lie on this machine is not on it. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int problem_data(struct json **out, const struct report_problem *problem, struct json *messages,
                        struct err *err)
{
    struct json *object = js_new_object();
    struct js_at own = {0};
    int rc;

    *out = NULL;
    js_find(&own, &problem->head, "occutune");
    if (!object || set_label(object, &own) ||
        js_set_string(object, "gpu", text_of(&problem->head, "device_name")) ||
        set_names(object, &problem->head) || set_origin(object, &own) ||
        set_profile(object, problem->profile) || set_number(object, problem->not_timed, "not_compiled") ||
        set_decision(object, problem->decision) ||
        js_set_string(object, "journal", base_name(problem->source)) ||
        js_set_bool(object, "replay", problem->replay))
        rc = err_memory(err);
    else
        rc = report_columns(object, problem, messages, err);
    *out = js_unless(rc, object);
    return rc;
}

static int set_problems(struct json *out, const struct report_options *options, struct err *err)
{
    struct json *list = js_new_array(), *messages = js_new_array(), *problem;
    int rc = list && messages ? 0 : err_memory(err);

    for (size_t i = 0; i < options->problem_count && !rc; i++) {
        rc = problem_data(&problem, &options->problems[i], messages, err);
        if (!rc && js_append(list, problem))
            rc = err_memory(err);
    }
    if (js_set(out, "problems", list) | js_set(out, "messages", messages))
        rc = err_memory(err);
    return rc;
}

/* The whole ---------------------------------------------------------------- */

typedef const char *name_of(int number);

static const char *outcome_name(int number)
{
    return outcome_text((enum outcome)number);
}

static const char *resource_text(int number)
{
    return resource_name((enum resource)number);
}

static int set_list(struct json *out, const char *key, name_of *of, int count)
{
    struct json *list = js_new_array();
    int failed = !list, i;

    for (i = 0; i < count && !failed; i++)
        failed = js_append(list, js_new_string(of(i)));
    return js_set(out, key, js_unless(failed, list));
}

static bool is_new(const struct report_options *options, size_t problem)
{
    const char *name = text_of(&options->problems[problem].head, "device_name");

    while (problem-- > 0)
        if (!strcmp(name, text_of(&options->problems[problem].head, "device_name")))
            return false;
    return true;
}

/* "Measured on NVIDIA H200 and NVIDIA A100, 2026-11-21." */
static int set_title(struct json *out, const struct report_options *options)
{
    struct js_at own = {0};
    char devices[400] = "", title[512];
    size_t used = 0;

    for (size_t i = 0; i < options->problem_count && used < sizeof devices; i++) {
        const char *device = text_of(&options->problems[i].head, "device_name");

        if (is_new(options, i))
            used += (size_t)snprintf(devices + used, sizeof devices - used, "%s%s", used ? " and " : "",
                                     *device ? device : "an unnamed device");
    }
    js_find(&own, &options->problems[0].head, "occutune");
    snprintf(title, sizeof title, "Measured on %s%s%.10s.", devices, *text_of(&own, "created") ? ", " : "",
             text_of(&own, "created"));
    return js_set_string(out, "title", title) |
           js_set_string(out, "kernel", text_of(&options->problems[0].head, "kernel_name"));
}

int report_data(struct json **out, const struct report_options *options, struct err *err)
{
    struct json *object = js_new_object();
    int rc = 0;

    *out = NULL;
    if (!object || set_title(object, options) | set_list(object, "outcomes", outcome_name, OUTCOME_COUNT) |
                       set_list(object, "resources", resource_text, RESOURCE_COUNT) |
                       js_set_string(object, "level", options->level) |
                       js_set_string(object, "version", options->version) |
                       js_set_bool(object, "live", options->live) |
                       set_copy(object, "signature", options->signature))
        rc = err_memory(err);
    if (!rc)
        rc = set_problems(object, options, err);
    *out = js_unless(rc, object);
    return rc;
}

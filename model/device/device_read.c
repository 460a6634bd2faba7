/* The profile as JSON: every field is checked on the way in, and holes are simply absent.
 *
 *   {"schema": 1, "name": "...", "sm": 90, "driver": "...", "toolkit": "...", "date": "...", "source": "...",
 *    "limits": {"sm_count": 132, ..., "carveouts": [0, 8192, ...]},
 *    "values": {"dram_latency": {"sustained": 1, "best": 1, "spread": 0, "unit": "cycles", "origin": "..."}},
 *    "operations": {"FFMA": {"latency": {...}, "ilp2": {...}, "ilp4": {...}, "interval": {...}, "pipe":
 * "fma", "ridge_warps": 16, "roofline": {"x": [...], "y": [...], "origin": "..."}}}, "curves":
 * {"loaded_dram": {"x": [...], "y": [...], "origin": "..."}}, "sources": [{"name": "float divide", "fast":
 * false, "instructions": 9, "calls": true, "latency": 1, "interval": 1}], "pairs": {"FFMA+IMAD": 3.0},
 * "notes": ["..."]} */
#include "model/device/device.h"

#include "base/json.h"
#include "model/device/device_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_text(char *out, size_t size, const struct js_at *object, const char *key, struct err *err)
{
    const char *text;
    struct js_at at;
    int rc;

    if (!js_find(&at, object, key))
        return 0;
    rc = js_string(&text, &at, err);
    if (rc)
        return rc;
    if (strlen(text) >= size)
        return js_fail(&at, err, "longer than %zu bytes", size - 1);
    snprintf(out, size, "%s", text);
    return 0;
}

static int read_number(double *out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;
    int rc = js_member(&at, object, key, err);

    if (rc == 0)
        rc = js_real(out, &at, err);
    if (rc == 0 && *out < 0)
        return js_fail(&at, err, "is negative");
    return rc;
}

/* Of something that took time; the model divides by it. */
static int read_rate(double *out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;
    int rc = read_number(out, object, key, err);

    if (rc == 0 && *out == 0 && js_find(&at, object, key))
        return js_fail(&at, err, "is 0, and a rate lies above it: leave out what was not measured");
    return rc;
}

static int check_range(double value, const char *unit, const struct js_at *object, const char *key,
                       struct err *err)
{
    double least, most;
    struct js_at at;

    if (device_in_range(&least, &most, unit, value) || !js_find(&at, object, key))
        return 0;
    return js_fail(&at, err, "is %g, expected %g to %g %s", value, least, most, unit);
}

static int read_value(struct device_value *out, const struct js_at *at, const char *unit, struct err *err)
{
    const bool is_rate = strchr(unit, '/') || strcmp(unit, "Hz") == 0;
    int (*const read)(double *, const struct js_at *, const char *, struct err *) =
        is_rate ? read_rate : read_number;
    static const char *const allowed[] = {"sustained", "best", "spread", "unit", "origin", NULL};
    char found[32] = "";
    struct js_at place;
    int rc = js_expect(at, JS_OBJECT, err);

    if (rc == 0)
        rc = js_only(at, allowed, err);
    if (rc == 0)
        rc = read(&out->sustained, at, "sustained", err);
    if (rc == 0)
        rc = read(&out->best, at, "best", err);
    if (rc == 0)
        rc = check_range(out->sustained, unit, at, "sustained", err);
    if (rc == 0)
        rc = check_range(out->best, unit, at, "best", err);
    if (rc == 0)
        rc = read_number(&out->spread, at, "spread", err);
    if (rc == 0)
        rc = js_member(&place, at, "unit", err);
    if (rc == 0)
        rc = read_text(found, sizeof found, at, "unit", err);
    if (rc == 0 && strcmp(found, unit) != 0)
        return js_fail(&place, err, "is \"%s\", this value is in %s", found, unit);
    if (rc == 0)
        rc = js_member(&place, at, "origin", err);
    if (rc == 0)
        rc = read_text(out->origin, sizeof out->origin, at, "origin", err);
    out->known = rc == 0;
    return rc;
}

static int read_reals(double **out, size_t *count, const struct js_at *object, const char *key, bool above_0,
                      struct err *err)
{
    struct js_at list;
    int rc = js_member(&list, object, key, err);

    if (rc == 0)
        rc = js_expect(&list, JS_ARRAY, err);
    if (rc)
        return rc;
    *count = js_count(&list);
    *out = malloc((*count ? *count : 1) * sizeof **out);
    if (!*out)
        return err_memory(err);
    for (size_t i = 0; rc == 0 && i < *count; i++) {
        struct js_at at = js_element(&list, i);

        rc = js_real(&(*out)[i], &at, err);
        if (rc == 0 && above_0 && (*out)[i] == 0)
            rc = js_fail(&at, err, "is 0, and this curve lies above it: leave out what was not measured");
    }
    return rc;
}

static int read_curve(struct device_curve *out, const struct js_at *at, bool above_0, struct err *err)
{
    static const char *const allowed[] = {"x", "y", "origin", NULL};
    double *x = NULL, *y = NULL;
    size_t nx = 0, ny = 0;
    char origin[sizeof out->origin] = "";
    struct err why = {0};
    int rc = js_expect(at, JS_OBJECT, err);

    if (rc == 0)
        rc = js_only(at, allowed, err);
    if (rc == 0)
        rc = read_text(origin, sizeof origin, at, "origin", err);
    if (rc == 0)
        rc = read_reals(&x, &nx, at, "x", above_0, err);
    if (rc == 0)
        rc = read_reals(&y, &ny, at, "y", above_0, err);
    if (rc == 0 && nx != ny)
        rc = js_fail(at, err, "has %zu values of x and %zu of y", nx, ny);
    if (rc == 0 && device_curve_set(out, x, y, nx, origin, &why))
        rc = why.code == ERR_MEMORY ? err_memory(err) : js_fail(at, err, "%s", why.text);
    free(x);
    free(y);
    return rc;
}

static int read_op(struct device_op *out, const struct js_at *at, struct err *err)
{
    static const char *const allowed[] = {"latency", "ilp2",        "ilp4",     "interval",
                                          "pipe",    "ridge_warps", "roofline", NULL};
    struct js_at part;
    int rc = js_expect(at, JS_OBJECT, err);

    if (rc == 0)
        rc = js_only(at, allowed, err);
    if (rc == 0 && js_find(&part, at, "latency"))
        rc = read_value(&out->latency, &part, "cycles", err);
    if (rc == 0 && js_find(&part, at, "ilp2"))
        rc = read_value(&out->ilp2, &part, "cycles", err);
    if (rc == 0 && js_find(&part, at, "ilp4"))
        rc = read_value(&out->ilp4, &part, "cycles", err);
    if (rc == 0 && js_find(&part, at, "interval"))
        rc = read_value(&out->interval, &part, "cycles", err);
    if (rc == 0)
        rc = read_text(out->pipe, sizeof out->pipe, at, "pipe", err);
    if (rc == 0 && js_find(&part, at, "ridge_warps"))
        rc = read_number(&out->ridge_warps, at, "ridge_warps", err);
    if (rc == 0 && js_find(&part, at, "roofline"))
        rc = read_curve(&out->roofline, &part, true, err);
    return rc;
}

static int read_values(struct device *out, const struct js_at *at, struct err *err)
{
    const char *allowed[DEVICE_VALUE_COUNT + 1] = {0};
    struct js_at member;
    int rc = js_expect(at, JS_OBJECT, err);

    for (size_t i = 0; i < DEVICE_VALUE_COUNT; i++)
        allowed[i] = device_value_info((enum device_value_id)i)->name;
    if (rc == 0)
        rc = js_only(at, allowed, err);
    for (size_t i = 0; rc == 0 && i < DEVICE_VALUE_COUNT; i++)
        if (js_find(&member, at, allowed[i]))
            rc = read_value(&out->values[i], &member, device_value_info((enum device_value_id)i)->unit, err);
    return rc;
}

static int read_ops(struct device *out, const struct js_at *at, struct err *err)
{
    const char *allowed[DEVICE_OP_COUNT + 1] = {0};
    struct js_at member;
    int rc = js_expect(at, JS_OBJECT, err);

    for (size_t i = 0; i < DEVICE_OP_COUNT; i++)
        allowed[i] = device_op_text((enum device_op_id)i);
    if (rc == 0)
        rc = js_only(at, allowed, err);
    for (size_t i = 0; rc == 0 && i < DEVICE_OP_COUNT; i++)
        if (js_find(&member, at, allowed[i]))
            rc = read_op(&out->ops[i], &member, err);
    return rc;
}

static int read_curves(struct device *out, const struct js_at *at, struct err *err)
{
    const char *allowed[DEVICE_CURVE_COUNT + 1] = {0};
    const struct device_curve_info *info;
    struct js_at member;
    int rc = js_expect(at, JS_OBJECT, err);

    for (size_t i = 0; i < DEVICE_CURVE_COUNT; i++)
        allowed[i] = device_curve_info((enum device_curve_id)i)->name;
    if (rc == 0)
        rc = js_only(at, allowed, err);
    for (size_t i = 0; rc == 0 && i < DEVICE_CURVE_COUNT; i++) {
        info = device_curve_info((enum device_curve_id)i);
        if (js_find(&member, at, info->name))
            rc = read_curve(&out->curves[i], &member, info->above_0, err);
    }
    return rc;
}

static int read_pairs(struct device *out, const struct js_at *at, struct err *err)
{
    struct js_at member = {0};
    int rc = js_expect(at, JS_OBJECT, err);

    while (rc == 0 && js_next(&member, at)) {
        const char *plus = strchr(member.key, '+');
        char first[32];
        double cycles;
        int a, b;

        snprintf(first, sizeof first, "%.*s", plus ? (int)(plus - member.key) : 0, member.key);
        a = device_op_find(first);
        b = plus ? device_op_find(plus + 1) : -1;
        if (a < 0 || b < 0)
            return js_fail(&member, err, "is no pair of operations such as FFMA+IMAD");
        rc = read_number(&cycles, at, member.key, err);
        if (rc == 0)
            rc = device_pair_add(out, (enum device_op_id)a, (enum device_op_id)b, cycles, err);
    }
    return rc;
}

static int read_source(struct device *out, const struct js_at *at, struct err *err)
{
    static const char *const allowed[] = {"name",     "fast", "instructions", "calls", "latency",
                                          "interval", NULL};
    struct device_source source = {.fast = false};
    struct js_at part;
    int rc = js_expect(at, JS_OBJECT, err);

    if (rc == 0)
        rc = js_only(at, allowed, err);
    if (rc == 0)
        rc = js_member(&part, at, "name", err);
    if (rc == 0)
        rc = read_text(source.name, sizeof source.name, at, "name", err);
    if (rc == 0)
        rc = read_number(&source.instructions, at, "instructions", err);
    if (rc == 0)
        rc = read_number(&source.latency, at, "latency", err);
    if (rc == 0)
        rc = read_number(&source.interval, at, "interval", err);
    if (rc == 0 && js_find(&part, at, "fast"))
        rc = js_bool(&source.fast, &part, err);
    if (rc == 0 && js_find(&part, at, "calls"))
        rc = js_bool(&source.calls, &part, err);
    return rc ? rc : device_source_add(out, &source, err);
}

static int read_sources(struct device *out, const struct js_at *at, struct err *err)
{
    int rc = js_expect(at, JS_ARRAY, err);

    for (size_t i = 0; rc == 0 && i < js_count(at); i++) {
        struct js_at element = js_element(at, i);

        rc = read_source(out, &element, err);
    }
    return rc;
}

static int read_notes(struct device *out, const struct js_at *at, struct err *err)
{
    int rc = js_expect(at, JS_ARRAY, err);

    for (size_t i = 0; rc == 0 && i < js_count(at); i++) {
        struct js_at element = js_element(at, i);
        const char *text;

        rc = js_string(&text, &element, err);
        if (rc == 0)
            rc = device_note(out, err, "%s", text);
    }
    return rc;
}

static int read_identity(struct device *out, const struct js_at *root, struct err *err)
{
    uint64_t number = 0;
    struct js_at at;
    int rc = js_member(&at, root, "schema", err);

    if (rc == 0)
        rc = js_unsigned(&number, &at, err);
    if (rc == 0 && number != DEVICE_SCHEMA)
        return js_fail(&at, err, "is %llu, this program reads %d: calibrate again",
                       (unsigned long long)number, DEVICE_SCHEMA);
    if (rc == 0)
        rc = js_member(&at, root, "sm", err);
    if (rc == 0)
        rc = js_unsigned(&number, &at, err);
    if (rc == 0 && (number < 10 || number > 999))
        return js_fail(&at, err, "is no architecture: 90 stands for sm_90");
    out->sm = (unsigned)number;
    if (rc == 0)
        rc = js_member(&at, root, "name", err);
    if (rc == 0)
        rc = read_text(out->name, sizeof out->name, root, "name", err);
    if (rc == 0 && !*out->name)
        return js_fail(&at, err, "is empty");
    if (rc == 0)
        rc = read_text(out->driver, sizeof out->driver, root, "driver", err);
    if (rc == 0)
        rc = read_text(out->toolkit, sizeof out->toolkit, root, "toolkit", err);
    if (rc == 0)
        rc = read_text(out->date, sizeof out->date, root, "date", err);
    if (rc == 0)
        rc = read_text(out->source, sizeof out->source, root, "source", err);
    return rc;
}

static int read_device(struct device *out, const struct js_at *root, struct err *err)
{
    static const char *const allowed[] = {"schema", "name",   "sm",     "driver",     "toolkit",
                                          "date",   "source", "limits", "operations", "values",
                                          "curves", "notes",  "pairs",  "sources",    NULL};
    static const struct {
        const char *name;
        int (*read)(struct device *out, const struct js_at *at, struct err *err);
    } parts[] = {{"values", read_values}, {"operations", read_ops},  {"curves", read_curves},
                 {"pairs", read_pairs},   {"sources", read_sources}, {"notes", read_notes}};
    struct js_at at;
    int rc = js_expect(root, JS_OBJECT, err);

    if (rc == 0)
        rc = js_only(root, allowed, err);
    if (rc == 0)
        rc = read_identity(out, root, err);
    if (rc == 0)
        rc = js_member(&at, root, "limits", err);
    if (rc == 0)
        rc = device_read_limits(&out->limits, &at, err);
    for (size_t i = 0; rc == 0 && i < sizeof parts / sizeof *parts; i++)
        if (js_find(&at, root, parts[i].name))
            rc = parts[i].read(out, &at, err);
    return rc;
}

int device_from_json(struct device *out, const struct js_at *at, struct err *err)
{
    int rc;

    device_init(out);
    rc = read_device(out, at, err);
    if (rc)
        device_release(out);
    return rc;
}

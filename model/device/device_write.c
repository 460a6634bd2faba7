/* The profile as JSON on the way out: what device_read.c reads. */
#include "model/device/device.h"

#include "base/hash.h"
#include "base/json.h"
#include "model/device/device_words.h"

#include <stdio.h>
#include <stdlib.h>

static struct json *value_json(const struct device_value *value, const char *unit)
{
    struct json *object = js_new_object();

    return js_unless(
        js_set_real(object, "sustained", value->sustained) || js_set_real(object, "best", value->best) ||
            js_set_real(object, "spread", value->spread) || js_set_string(object, "unit", unit) ||
            js_set_string(object, "origin", value->origin),
        object);
}

/* Nonzero when memory ends; what is not known is left out. */
static int set_known(struct json *object, const char *key, const struct device_value *value, const char *unit)
{
    return value->known ? js_set(object, key, value_json(value, unit)) : 0;
}

/* The same as set_known() of a curve. */
static int set_curve(struct json *object, const char *key, const struct device_curve *curve)
{
    struct json *points = curve->count ? js_new_object() : NULL;

    if (!curve->count)
        return 0;
    return js_set(object, key,
                  js_unless(js_set(points, "x", js_new_reals(curve->x, curve->count)) ||
                                js_set(points, "y", js_new_reals(curve->y, curve->count)) ||
                                js_set_string(points, "origin", curve->origin),
                            points));
}

static struct json *op_json(const struct device_op *op)
{
    struct json *object = js_new_object();

    return js_unless(set_known(object, "latency", &op->latency, "cycles") ||
                         set_known(object, "ilp2", &op->ilp2, "cycles") ||
                         set_known(object, "ilp4", &op->ilp4, "cycles") ||
                         set_known(object, "interval", &op->interval, "cycles") ||
                         (op->pipe[0] && js_set_string(object, "pipe", op->pipe)) ||
                         (op->ridge_warps > 0 && js_set_real(object, "ridge_warps", op->ridge_warps)) ||
                         set_curve(object, "roofline", &op->roofline),
                     object);
}

/* What is not known is left out. */
static struct json *limits_json(const struct device_limits *limits)
{
    struct json *object = js_new_object(), *list = js_new_array();
    int failed = 0;

    for (size_t i = 0; !failed && i < limits->carveout_count; i++)
        failed = js_append(list, js_new_integer((int64_t)limits->carveouts[i]));
    failed |= js_set(object, "carveouts", list);
#define DEVICE_LIMIT(field, range, description)                                                              \
    if (limits->field || (range) == FROM_0)                                                                  \
        failed = failed || js_set_integer(object, #field, (int64_t)limits->field);
#include "model/device/device.def"
#undef DEVICE_LIMIT
    return js_unless(failed, object);
}

static struct json *values_json(const struct device *device)
{
    struct json *object = js_new_object();
    int failed = 0;

    for (size_t i = 0; !failed && i < DEVICE_VALUE_COUNT; i++) {
        const struct device_value_info *info = device_value_info((enum device_value_id)i);

        failed = set_known(object, info->name, &device->values[i], info->unit);
    }
    return js_unless(failed, object);
}

static struct json *operations_json(const struct device *device)
{
    struct json *object = js_new_object();
    int failed = 0;

    for (size_t i = 0; !failed && i < DEVICE_OP_COUNT; i++)
        if (device->ops[i].latency.known || device->ops[i].interval.known)
            failed = js_set(object, device_op_text((enum device_op_id)i), op_json(&device->ops[i]));
    return js_unless(failed, object);
}

static struct json *curves_json(const struct device *device)
{
    struct json *object = js_new_object();
    int failed = 0;

    for (size_t i = 0; !failed && i < DEVICE_CURVE_COUNT; i++)
        failed = set_curve(object, device_curve_info((enum device_curve_id)i)->name, &device->curves[i]);
    return js_unless(failed, object);
}

static struct json *pairs_json(const struct device *device)
{
    struct json *object = js_new_object();
    int failed = 0;

    for (size_t i = 0; !failed && i < device->pair_count; i++) {
        const struct device_pair *pair = &device->pairs[i];
        char key[64];

        snprintf(key, sizeof key, "%s+%s", device_op_text(pair->a), device_op_text(pair->b));
        failed = js_set_real(object, key, pair->cycles);
    }
    return js_unless(failed, object);
}

static struct json *source_json(const struct device_source *source)
{
    struct json *object = js_new_object();

    return js_unless(
        js_set_string(object, "name", source->name) || js_set_bool(object, "fast", source->fast) ||
            js_set_real(object, "instructions", source->instructions) ||
            js_set_bool(object, "calls", source->calls) || js_set_real(object, "latency", source->latency) ||
            js_set_real(object, "interval", source->interval),
        object);
}

static struct json *sources_json(const struct device *device)
{
    struct json *list = js_new_array();
    int failed = 0;

    for (size_t i = 0; !failed && i < device->source_count; i++)
        failed = js_append(list, source_json(&device->sources[i]));
    return js_unless(failed, list);
}

struct json *device_to_json(const struct device *device)
{
    struct json *object = js_new_object();

    return js_unless(
        js_set_integer(object, "schema", DEVICE_SCHEMA) || js_set_string(object, "name", device->name) ||
            js_set_integer(object, "sm", device->sm) || js_set_string(object, "driver", device->driver) ||
            js_set_string(object, "toolkit", device->toolkit) ||
            js_set_string(object, "date", device->date) || js_set_string(object, "source", device->source) ||
            js_set(object, "limits", limits_json(&device->limits)) ||
            js_set(object, "values", values_json(device)) ||
            js_set(object, "operations", operations_json(device)) ||
            js_set(object, "curves", curves_json(device)) ||
            js_set(object, "notes", js_new_strings((const char *const *)device->notes, device->note_count)) ||
            js_set(object, "pairs", pairs_json(device)) || js_set(object, "sources", sources_json(device)),
        object);
}

int device_copy(struct device *out, const struct device *device, struct err *err)
{
    struct json *json = device_to_json(device);
    struct js_at at = js_root(json, "device");
    int rc = json ? device_from_json(out, &at, err) : err_memory(err);

    if (!json)
        device_init(out);
    js_free(json);
    return rc;
}

int device_write(const struct device *device, const char *path, struct err *err)
{
    struct json *json = device_to_json(device);
    int rc = json ? js_write_file(json, path, err) : err_memory(err);

    js_free(json);
    return rc;
}

int device_hash(uint64_t *out, const struct device *device, struct err *err)
{
    struct json *json = device_to_json(device);
    char *text = json ? js_text(json, JS_PRETTY) : NULL;

    js_free(json);
    if (!text)
        return err_memory(err);
    *out = hash_text(HASH_START, text);
    free(text);
    return 0;
}

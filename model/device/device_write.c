/* The profile as JSON on the way out: what device_read.c reads. */
#include "model/device/device.h"

#include "base/hash.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

static struct json *value_json(const struct device_value *value, const char *unit)
{
    struct json *object = js_new_object();

    if (object && (js_set_real(object, "sustained", value->sustained) ||
                   js_set_real(object, "best", value->best) || js_set_real(object, "spread", value->spread) ||
                   js_set_string(object, "unit", unit) || js_set_string(object, "origin", value->origin))) {
        js_free(object);
        return NULL;
    }
    return object;
}

static struct json *reals_json(const double *values, size_t count)
{
    struct json *list = js_new_array();

    for (size_t i = 0; list && i < count; i++) {
        if (js_append(list, js_new_real(values[i]))) {
            js_free(list);
            return NULL;
        }
    }
    return list;
}

static struct json *curve_json(const struct device_curve *curve)
{
    struct json *object = js_new_object();

    if (object && (js_set(object, "x", reals_json(curve->x, curve->count)) ||
                   js_set(object, "y", reals_json(curve->y, curve->count)) ||
                   js_set_string(object, "origin", curve->origin))) {
        js_free(object);
        return NULL;
    }
    return object;
}

static struct json *op_json(const struct device_op *op)
{
    struct json *object = js_new_object();
    int rc = object ? 0 : ERR_MEMORY;

    if (rc == 0 && op->latency.known)
        rc = js_set(object, "latency", value_json(&op->latency, "cycles"));
    if (rc == 0 && op->ilp2.known)
        rc = js_set(object, "ilp2", value_json(&op->ilp2, "cycles"));
    if (rc == 0 && op->ilp4.known)
        rc = js_set(object, "ilp4", value_json(&op->ilp4, "cycles"));
    if (rc == 0 && op->interval.known)
        rc = js_set(object, "interval", value_json(&op->interval, "cycles"));
    if (rc == 0 && op->pipe[0])
        rc = js_set_string(object, "pipe", op->pipe);
    if (rc == 0 && op->ridge_warps > 0)
        rc = js_set_real(object, "ridge_warps", op->ridge_warps);
    if (rc == 0 && op->roofline.count)
        rc = js_set(object, "roofline", curve_json(&op->roofline));
    if (rc) {
        js_free(object);
        return NULL;
    }
    return object;
}

static struct json *limits_json(const struct device_limits *limits)
{
    struct json *object = js_new_object(), *list = js_new_array();
    int rc = object && list ? 0 : ERR_MEMORY;

    for (size_t i = 0; rc == 0 && i < limits->carveout_count; i++)
        rc = js_append(list, js_new_integer((int64_t)limits->carveouts[i]));
    if (rc == 0) {
        rc = js_set(object, "carveouts", list);
        list = NULL;
    }
#define DEVICE_LIMIT(field, description)                                                                     \
    if (rc == 0)                                                                                             \
        rc = js_set_integer(object, #field, (int64_t)limits->field);
#include "model/device/device.def"
#undef DEVICE_LIMIT
    js_free(list);
    if (rc) {
        js_free(object);
        return NULL;
    }
    return object;
}

static int set_groups(struct json *values, struct json *operations, struct json *curves, struct json *notes,
                      const struct device *device)
{
    int rc = values && operations && curves && notes ? 0 : ERR_MEMORY;

    for (size_t i = 0; rc == 0 && i < DEVICE_VALUE_COUNT; i++) {
        const struct device_value_info *info = device_value_info((enum device_value_id)i);

        if (device->values[i].known)
            rc = js_set(values, info->name, value_json(&device->values[i], info->unit));
    }
    for (size_t i = 0; rc == 0 && i < DEVICE_OP_COUNT; i++)
        if (device->ops[i].latency.known || device->ops[i].interval.known)
            rc = js_set(operations, device_op_text((enum device_op_id)i), op_json(&device->ops[i]));
    for (size_t i = 0; rc == 0 && i < DEVICE_CURVE_COUNT; i++)
        if (device->curves[i].count)
            rc = js_set(curves, device_curve_info((enum device_curve_id)i)->name,
                        curve_json(&device->curves[i]));
    for (size_t i = 0; rc == 0 && i < device->note_count; i++)
        rc = js_append(notes, js_new_string(device->notes[i]));
    return rc;
}

static struct json *pairs_json(const struct device *device)
{
    struct json *object = js_new_object();

    for (size_t i = 0; object && i < device->pair_count; i++) {
        const struct device_pair *pair = &device->pairs[i];
        char key[64];

        snprintf(key, sizeof key, "%s+%s", device_op_text(pair->a), device_op_text(pair->b));
        if (js_set_real(object, key, pair->cycles)) {
            js_free(object);
            return NULL;
        }
    }
    return object;
}

static struct json *source_json(const struct device_source *source)
{
    struct json *object = js_new_object();

    if (object &&
        (js_set_string(object, "name", source->name) || js_set_bool(object, "fast", source->fast) ||
         js_set_real(object, "instructions", source->instructions) ||
         js_set_bool(object, "calls", source->calls) || js_set_real(object, "latency", source->latency) ||
         js_set_real(object, "interval", source->interval))) {
        js_free(object);
        return NULL;
    }
    return object;
}

static struct json *sources_json(const struct device *device)
{
    struct json *list = js_new_array();

    for (size_t i = 0; list && i < device->source_count; i++) {
        if (js_append(list, source_json(&device->sources[i]))) {
            js_free(list);
            return NULL;
        }
    }
    return list;
}

static int set_identity(struct json *object, const struct device *device)
{
    int rc = js_set_integer(object, "schema", DEVICE_SCHEMA);

    if (rc == 0)
        rc = js_set_string(object, "name", device->name);
    if (rc == 0)
        rc = js_set_integer(object, "sm", device->sm);
    if (rc == 0)
        rc = js_set_string(object, "driver", device->driver);
    if (rc == 0)
        rc = js_set_string(object, "toolkit", device->toolkit);
    if (rc == 0)
        rc = js_set_string(object, "date", device->date);
    if (rc == 0)
        rc = js_set_string(object, "source", device->source);
    if (rc == 0)
        rc = js_set(object, "limits", limits_json(&device->limits));
    return rc;
}

struct json *device_to_json(const struct device *device)
{
    struct json *object = js_new_object(), *values = js_new_object(), *operations = js_new_object();
    struct json *curves = js_new_object(), *notes = js_new_array();
    int rc = object ? set_identity(object, device) : ERR_MEMORY;

    if (rc == 0)
        rc = set_groups(values, operations, curves, notes, device);
    if (rc == 0) {
        rc = js_set(object, "values", values) | js_set(object, "operations", operations) |
             js_set(object, "curves", curves) | js_set(object, "notes", notes) |
             js_set(object, "pairs", pairs_json(device)) | js_set(object, "sources", sources_json(device));
        values = operations = curves = notes = NULL;
    }
    js_free(values);
    js_free(operations);
    js_free(curves);
    js_free(notes);
    if (rc) {
        js_free(object);
        return NULL;
    }
    return object;
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

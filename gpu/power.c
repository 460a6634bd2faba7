#include "gpu/power.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    size_t offset;
    double unit; /* of the JSON, in ours */
} fields[] = {
    {"idle_w", offsetof(struct power, idle_w), 1},
    {"limit_w", offsetof(struct power, limit_w), 1},
    {"default_limit_w", offsetof(struct power, default_limit_w), 1},
    {"sm_clock_mhz", offsetof(struct power, sm_clock_hz), 1e6},
    {"sm_clock_most_mhz", offsetof(struct power, sm_clock_most_hz), 1e6},
    {"memory_clock_mhz", offsetof(struct power, memory_clock_hz), 1e6},
    {"counter_update_ms", offsetof(struct power, counter_update_s), 1e-3},
    {"locked_sm_mhz", offsetof(struct power, locked_sm_hz), 1e6},
    {"locked_memory_mhz", offsetof(struct power, locked_memory_hz), 1e6},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static double *field_of(const struct power *power, size_t k)
{
    return (double *)((char *)power + fields[k].offset);
}

void power_init(struct power *power)
{
    for (size_t k = 0; k < FIELDS; k++)
        *field_of(power, k) = NAN;
}

bool power_known(const struct power *power)
{
    for (size_t k = 0; k < FIELDS; k++)
        if (isfinite(*field_of(power, k)))
            return true;
    return false;
}

struct json *power_to_json(const struct power *power)
{
    struct json *object = js_new_object();
    int failed = !object;
    char text[32];

    for (size_t k = 0; k < FIELDS && !failed; k++) {
        if (!isfinite(*field_of(power, k)))
            continue;
        snprintf(text, sizeof text, "%.6g", *field_of(power, k) / fields[k].unit);
        failed = js_set_real(object, fields[k].name, strtod(text, NULL));
    }
    return js_unless(failed, object);
}

int power_from_json(struct power *out, const struct js_at *at, struct err *err)
{
    struct js_at member;

    power_init(out);
    if (js_expect(at, JS_OBJECT, err))
        return ERR_USAGE;
    for (size_t k = 0; k < FIELDS; k++) {
        if (!js_find(&member, at, fields[k].name))
            continue;
        if (js_real(field_of(out, k), &member, err))
            return ERR_USAGE;
        *field_of(out, k) *= fields[k].unit;
    }
    return 0;
}

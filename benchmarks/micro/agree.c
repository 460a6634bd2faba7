#include "micro/agree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct comparison {
    FILE *out;
    size_t compared;
};

static void compare(struct comparison *comparison, const char *name, const char *field, const char *unit,
                    const struct device_value *first, const struct device_value *second)
{
    const double x = first->sustained, y = second->sustained;
    const double apart = fabs(x - y), larger = fmax(fabs(x), fabs(y));
    const double allowed =
        fmax((strcmp(unit, "B") ? 0.02 : 0.05) * larger, strcmp(unit, "cycles") ? 0 : 0.01);

    if (!first->known && !second->known)
        return;
    if (first->known != second->known) {
        fprintf(comparison->out, "%s%s: only the %s knows it\n", name, field,
                first->known ? "first" : "second");
        return;
    }
    comparison->compared++;
    if (apart > allowed)
        fprintf(comparison->out, "%s%s: %.5g and %.5g %s, %.1f %% apart\n", name, field, x, y, unit,
                100 * apart / larger);
}

int calibrate_differences(char **out, size_t *compared, const struct device *first,
                          const struct device *second, struct err *err)
{
    size_t size;
    struct comparison comparison = {.out = open_memstream(out, &size)};

    *compared = 0;
    if (!comparison.out)
        return err_memory(err);
    for (int i = 0; i < DEVICE_VALUE_COUNT; i++) {
        const struct device_value_info *info = device_value_info((enum device_value_id)i);

        if (info->full && !(first->values[i].known && second->values[i].known))
            continue; /* one was asked for less */
        compare(&comparison, info->name, "", info->unit, &first->values[i], &second->values[i]);
    }
    for (int i = 0; i < DEVICE_OP_COUNT; i++) {
        const struct device_op *x = &first->ops[i], *y = &second->ops[i];
        const char *name = device_op_text((enum device_op_id)i);

        compare(&comparison, name, " latency", "cycles", &x->latency, &y->latency);
        compare(&comparison, name, " ilp2", "cycles", &x->ilp2, &y->ilp2);
        compare(&comparison, name, " ilp4", "cycles", &x->ilp4, &y->ilp4);
        compare(&comparison, name, " interval", "cycles", &x->interval, &y->interval);
    }
    *compared = comparison.compared;
    return fclose(comparison.out) == 0 ? 0 : err_memory(err);
}

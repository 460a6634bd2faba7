/* The objective: what a configuration is judged by in place of its time. It must be proportional to the time or
 * to its inverse, so that bounds, estimates and intervals of the time hold of the objective as well. */
#include "space/spec_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int evaluate(double *out, const struct spec *spec, struct value *slots, double time_s, struct err *err)
{
    slots[spec->name_count] = (struct value){.kind = VALUE_REAL, .real = time_s};
    return expr_real(out, spec->objective.value, slots, err);
}

/* The objective of one second; ERR_USAGE unless twice the time has twice or half of it. */
static int objective_of_second(double *out, const struct spec *spec, struct value *slots, struct err *err)
{
    const char *text = expr_text(spec->objective.value);
    const bool maximized = spec->objective.kind == OBJECTIVE_MAXIMIZE;
    double twice;

    if (evaluate(out, spec, slots, 1, err) || evaluate(&twice, spec, slots, 2, err))
        return err ? err->code : ERR_USAGE;
    if (!isfinite(*out) || *out <= 0)
        return err_set(err, ERR_USAGE, "\"%s\" is %.6g at a time of 1 s; expected more than 0", text, *out);
    if (fabs(twice / *out * (maximized ? 2 : 0.5) - 1) > 1e-6)
        return err_set(err, ERR_USAGE, "\"%s\" is %.6g at a time of 1 s and %.6g at 2 s; expected %s", text,
                       *out, twice, maximized ? "half, as in work / time" : "twice, as in time / work");
    return 0;
}

int spec_weight(double *out, const struct spec *spec, const struct value *slots, struct err *err)
{
    struct value *own;
    int failed;

    *out = 1;
    if (spec->objective.kind == OBJECTIVE_TIME)
        return 0;
    own = malloc((spec->name_count + 1) * sizeof *own);
    if (!own)
        return err_memory(err);
    memcpy(own, slots, spec->name_count * sizeof *own);
    failed = objective_of_second(out, spec, own, err);
    if (!failed && spec->objective.kind == OBJECTIVE_MAXIMIZE)
        *out = 1 / *out;
    free(own);
    return failed;
}

double spec_objective(const struct spec *spec, double weight, double time_s)
{
    return spec->objective.kind == OBJECTIVE_MAXIMIZE ? 1 / (weight * time_s) : weight * time_s;
}

/* The name of a metric stands for its expression. */
static bool find_metric(struct js_at *out, const struct reader *reader, const struct js_at *at)
{
    const char *name;
    struct js_at metrics;

    return js_kind(at) == JS_STRING && !js_string(&name, at, NULL) && *name &&
           js_find(&metrics, &reader->root, "metrics") && js_find(out, &metrics, name);
}

/* At the default configuration of each problem; a configuration of which it fails is not valid. */
static int check_default(struct reader *reader, const struct js_at *at)
{
    const struct spec *spec = reader->spec;
    struct value *slots = calloc(spec->name_count + 1, sizeof *slots);
    char place[512];
    double weight;
    int failed = slots ? 0 : err_memory(reader->err);
    size_t k;

    for (k = 0; k < spec->problem_count && !failed; k++) {
        spec_slots(slots, spec, k, spec_default(spec, k));
        failed = spec_weight(&weight, spec, slots, reader->err);
    }
    if (failed == ERR_USAGE) {
        js_place(place, sizeof place, at);
        err_prefix(reader->err, "%s", place);
    }
    free(slots);
    return failed;
}

int read_objective(struct reader *reader)
{
    static const char *const fields[] = {"minimize", "maximize", NULL};
    struct spec *spec = reader->spec;
    struct js_at at, text, metric;
    bool maximized;

    if (!js_find(&at, &reader->root, "objective"))
        return 0;
    if (js_expect(&at, JS_OBJECT, reader->err) || js_only(&at, fields, reader->err))
        return ERR_USAGE;
    maximized = js_find(&text, &at, "maximize");
    if (js_count(&at) != 1)
        return js_fail(&at, reader->err, "expected {\"minimize\": EXPRESSION} or {\"maximize\": EXPRESSION}");
    if (!maximized)
        js_find(&text, &at, "minimize");
    if (read_expression(&spec->objective.value, reader, find_metric(&metric, reader, &text) ? &metric : &text,
                        WANTED_NUMBER, (struct scope){.extra = "time"}))
        return reader->err->code;
    spec->objective.kind = maximized ? OBJECTIVE_MAXIMIZE : OBJECTIVE_MINIMIZE;
    return check_default(reader, &text);
}

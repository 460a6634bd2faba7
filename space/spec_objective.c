/* The objective: what a configuration is judged by in place of its time. One without energy must be proportional to
 * the time or to its inverse, so that bounds, estimates and intervals of the time hold of the objective as well. */
#include "space/spec_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum slot { SLOT_TIME, SLOT_ENERGY }; /* behind name_count */

const struct scope scope_measured = {.extra = {"time", "energy"}};

void spec_put_measured(struct value *slots, const struct spec *spec, struct spec_measured measured)
{
    slots[spec->name_count + SLOT_TIME] = (struct value){.kind = VALUE_REAL, .real = measured.time_s};
    slots[spec->name_count + SLOT_ENERGY] = (struct value){.kind = VALUE_REAL, .real = measured.energy_j};
}

static int evaluate(double *out, const struct spec *spec, struct value *slots, struct spec_measured measured,
                    struct err *err)
{
    spec_put_measured(slots, spec, measured);
    return expr_real(out, spec->objective.value, slots, err);
}

static int check_positive(double value, const struct spec *spec, struct spec_measured at, struct err *err)
{
    char energy[48] = "";

    if (isfinite(value) && value > 0)
        return 0;
    if (spec->objective.energy)
        snprintf(energy, sizeof energy, " and an energy of %.6g J", at.energy_j);
    return err_set(err, ERR_USAGE, "\"%s\" is %.6g at a time of %.6g s%s; expected more than 0",
                   expr_text(spec->objective.value), value, at.time_s, energy);
}

/* The objective of one second (and one joule); ERR_USAGE unless twice the time has twice or half of it, where no
 * energy is in it. */
static int objective_of_second(double *out, const struct spec *spec, struct value *slots, struct err *err)
{
    const struct spec_measured one = {1, 1}, two = {2, 1};
    const bool maximized = spec->objective.kind == OBJECTIVE_MAXIMIZE;
    double twice;

    if (evaluate(out, spec, slots, one, err) || check_positive(*out, spec, one, err))
        return err ? err->code : ERR_USAGE;
    if (spec->objective.energy)
        return 0;
    if (evaluate(&twice, spec, slots, two, err))
        return err ? err->code : ERR_USAGE;
    if (fabs(twice / *out * (maximized ? 2 : 0.5) - 1) > 1e-6)
        return err_set(err, ERR_USAGE, "\"%s\" is %.6g at a time of 1 s and %.6g at 2 s; expected %s",
                       expr_text(spec->objective.value), *out, twice,
                       maximized ? "half, as in work / time" : "twice, as in time / work");
    return 0;
}

int spec_weight(double *out, const struct spec *spec, const struct value *slots, struct err *err)
{
    struct value *own;
    int failed;

    *out = 1;
    if (spec->objective.kind == OBJECTIVE_TIME)
        return 0;
    own = malloc((spec->name_count + SPEC_MEASURED) * sizeof *own);
    if (!own)
        return err_memory(err);
    memcpy(own, slots, spec->name_count * sizeof *own);
    failed = objective_of_second(out, spec, own, err);
    if (!failed && spec->objective.kind == OBJECTIVE_MAXIMIZE)
        *out = 1 / *out;
    free(own);
    return failed;
}

int spec_measured_weight(double *out, const struct spec *spec, size_t problem, const unsigned *choices,
                         struct spec_measured measured, struct err *err)
{
    struct value *slots = calloc(spec->name_count + SPEC_MEASURED, sizeof *slots);
    double value;
    int failed;

    *out = 1;
    if (!slots)
        return err_memory(err);
    spec_slots(slots, spec, problem, choices);
    failed = evaluate(&value, spec, slots, measured, err);
    free(slots);
    if (!failed)
        failed = check_positive(value, spec, measured, err);
    if (!failed)
        *out = (spec->objective.kind == OBJECTIVE_MAXIMIZE ? 1 / value : value) / measured.time_s;
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
    struct value *slots = calloc(spec->name_count + SPEC_MEASURED, sizeof *slots);
    char place[512];
    double weight;
    int failed = slots ? 0 : err_memory(reader->err);

    for (size_t k = 0; k < spec->problem_count && !failed; k++) {
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

/* Named objectives: what they are short for; null is the time. */
static const struct {
    const char *name, *minimized;
} named[] = {{"time", NULL}, {"energy", "energy"}, {"energy-delay", "energy * time"}};

static void take(struct spec *spec, struct expr *value, bool maximized)
{
    expr_free(spec->objective.value);
    spec->objective =
        (struct spec_objective){.kind = !value      ? OBJECTIVE_TIME
                                        : maximized ? OBJECTIVE_MAXIMIZE
                                                    : OBJECTIVE_MINIMIZE,
                                .value = value,
                                .energy = value && expr_uses(value, spec->name_count + SLOT_ENERGY)};
    spec->energy |= spec->objective.energy;
}

int spec_set_objective(struct spec *spec, const char *name, struct err *err)
{
    const size_t all = spec->name_count + SPEC_MEASURED;
    struct expr *value = NULL;
    size_t k;

    for (k = 0; k < sizeof named / sizeof *named && strcmp(named[k].name, name); k++)
        ;
    if (k == sizeof named / sizeof *named)
        return err_set(err, ERR_USAGE, "%s is none of time, energy, energy-delay", name);
    memcpy(spec->names + spec->name_count, scope_measured.extra, sizeof scope_measured.extra);
    if (named[k].minimized && expr_parse(&value, named[k].minimized, spec->names, all, err))
        return ERR_USAGE;
    take(spec, value, false);
    if (value && !spec->objective.energy)
        return err_set(err, ERR_USAGE, "%s: `energy` is the name of a parameter or size of this spec", name);
    return 0;
}

static int read_named(struct reader *reader, const struct js_at *at)
{
    const char *name;
    char place[512];

    if (js_string(&name, at, reader->err))
        return ERR_USAGE;
    if (!spec_set_objective(reader->spec, name, reader->err))
        return 0;
    js_place(place, sizeof place, at);
    err_prefix(reader->err, "%s", place);
    return reader->err->code;
}

int read_objective(struct reader *reader)
{
    static const char *const fields[] = {"minimize", "maximize", NULL};
    struct spec *spec = reader->spec;
    struct js_at at, text, metric;
    struct expr *value = NULL;
    bool maximized;

    if (!js_find(&at, &reader->root, "objective"))
        return 0;
    if (js_kind(&at) == JS_STRING)
        return read_named(reader, &at);
    if (js_expect(&at, JS_OBJECT, reader->err) || js_only(&at, fields, reader->err))
        return ERR_USAGE;
    maximized = js_find(&text, &at, "maximize");
    if (js_count(&at) != 1)
        return js_fail(&at, reader->err, "expected {\"minimize\": EXPRESSION} or {\"maximize\": EXPRESSION}");
    if (!maximized)
        js_find(&text, &at, "minimize");
    if (read_expression(&value, reader, find_metric(&metric, reader, &text) ? &metric : &text, WANTED_NUMBER,
                        scope_measured)) {
        expr_free(value);
        return reader->err->code;
    }
    take(spec, value, maximized);
    return check_default(reader, &text);
}

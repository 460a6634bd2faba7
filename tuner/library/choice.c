#include "tuner/library/choice.h"

#include "base/array.h"
#include "base/hash.h"
#include "space/configuration.h"
#include "space/space.h"
#include "tuner/decision/source_hash.h"
#include "tuner/evaluate/environment.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What chooser_init works with. */
struct reading {
    struct chooser *chooser;
    const struct decision_row **kept; /* rows taken over, beside chooser.rows */
    unsigned *choices;                /* scratch */
    void (*message)(void *context, const char *text);
    void *context;
    struct err *err;
};

static void say(const struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct reading *reading, const char *format, ...)
{
    char text[1200];
    va_list args;

    if (!reading->message)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reading->message(reading->context, text);
}

/* Variants ----------------------------------------------------------------- */

/* The number of the configuration in reading->choices, which is new or there already. */
static int take_variant(size_t *out, struct reading *reading)
{
    struct chooser *chooser = reading->chooser;
    const size_t bytes = chooser->spec.parameter_count * sizeof *reading->choices;
    struct chooser_variant *variant;

    for (*out = 0; *out < chooser->variant_count; (*out)++)
        if (!memcmp(chooser->variants[*out].choices, reading->choices, bytes))
            return 0;
    if (ARRAY_GROW(chooser->variants, chooser->variant_count, reading->err))
        return ERR_MEMORY;
    variant = &chooser->variants[chooser->variant_count];
    *variant = (struct chooser_variant){.choices = malloc(bytes)};
    chooser->variant_count++;
    if (!variant->choices)
        return err_memory(reading->err);
    memcpy(variant->choices, reading->choices, bytes);
    variant->text = configuration_text(&chooser->spec, reading->choices);
    if (!variant->text)
        return err_memory(reading->err);
    return variant_make(&variant->variant, &chooser->spec, 0, reading->choices, reading->err);
}

/* The default becomes variant 0. */
static int take_default(struct reading *reading)
{
    const struct spec *spec = &reading->chooser->spec;
    struct space *space;
    uint64_t index;
    size_t variant;
    int rc = 0;

    memcpy(reading->choices, spec_default(spec, 0), spec->parameter_count * sizeof *reading->choices);
    if (!spec->has_default) {
        rc = space_open(&space, spec, 0, reading->err);
        if (!rc)
            rc = space_default(&index, space, reading->err);
        if (!rc)
            space_configuration(reading->choices, space, index);
        space_close(space);
    }
    return rc ? rc : take_variant(&variant, reading);
}

/* Decisions ---------------------------------------------------------------- */

static bool same_sizes(const struct spec *spec, const struct decision *decision)
{
    for (size_t s = 0; decision->size_count == spec->size_count && s < spec->size_count; s++)
        if (strcmp(decision->sizes[s], spec->names[spec->parameter_count + s]))
            return false;
    return decision->size_count == spec->size_count;
}

static int take_row(struct reading *reading, const struct decision_row *from)
{
    struct chooser *chooser = reading->chooser;
    struct chooser_row *row = &chooser->rows[chooser->row_count];
    const size_t bytes = chooser->spec.size_count * sizeof *row->sizes;

    row->sizes = malloc(bytes + 1);
    if (!row->sizes)
        return err_memory(reading->err);
    reading->kept[chooser->row_count++] = from;
    environment_slug(row->device, sizeof row->device, from->device);
    row->sm = from->sm;
    if (bytes)
        memcpy(row->sizes, from->sizes, bytes);
    return take_variant(&row->variant, reading);
}

/* The winner of a problem: its row, or a word about it where the spec no longer has its values. */
static int take_winner(struct reading *reading, const struct js_at *best, const struct decision_row *row)
{
    struct js_at configuration;
    struct err why = {0};
    int rc = js_member(&configuration, best, "configuration", &why);

    if (!rc)
        rc = configuration_read(reading->choices, &reading->chooser->spec, &configuration, &why);
    if (rc == ERR_MEMORY)
        return err_memory(reading->err);
    if (!rc)
        return take_row(reading, row);
    say(reading, "%s; this row is left aside: tune again", why.text);
    return 0;
}

static int take_rows(struct reading *reading, const struct decision *decision)
{
    struct js_at best;
    size_t p, row = 0;
    int rc = 0;

    for (p = 0; p < js_count(&decision->problems) && !rc; p++) {
        if (js_member(&best, &decision->problem_at[p], "best", reading->err))
            return ERR_USAGE;
        if (js_kind(&best) != JS_NULL)
            rc = take_winner(reading, &best, &decision->rows[row++]);
    }
    return rc;
}

static bool is_hash(const char *text, uint64_t hash)
{
    char digits[17];

    hash_hex(digits, hash);
    return !strcmp(text, digits);
}

/* Says when the source is another than the one that was tuned. */
static int check_source(const struct reading *reading, const struct decision *decision)
{
    const struct spec *spec = &reading->chooser->spec;
    struct js_at initial, at;
    struct variant variant;
    const char *then;
    uint64_t now, alone;
    int rc;

    if (!js_find(&at, &decision->signature, "source_hash") || js_string(&then, &at, NULL) ||
        !js_find(&initial, &decision->root, "default"))
        return 0;
    rc = configuration_read(reading->choices, spec, &initial, NULL);
    if (rc)
        return rc == ERR_MEMORY ? err_memory(reading->err) : 0; /* a row that does not fit says it itself */
    rc = variant_make(&variant, spec, 0, reading->choices, reading->err);
    if (rc)
        return rc;
    rc = source_hash(&now, &variant, reading->err);
    if (!rc)
        rc = variant_source_hash(&alone, &variant, reading->err);
    variant_release(&variant);
    if (rc)
        return rc;
    if (!is_hash(then, now) && !is_hash(then, alone)) /* decisions of before know nothing of headers */
        say(reading,
            "%s: %s, its headers or its options have changed since it was tuned; what was best then is used: "
            "tune again",
            decision->path, spec->kernel.path);
    return 0;
}

static int take_decision(struct reading *reading, const struct decision *decision)
{
    const struct spec *spec = &reading->chooser->spec;
    int rc;

    if (strcmp(decision->kernel, spec->kernel.name))
        return err_set(reading->err, ERR_USAGE, "%s: is a decision about kernel %s, not %s", decision->path,
                       decision->kernel, spec->kernel.name);
    if (!same_sizes(spec, decision)) {
        say(reading, "%s: has other problem sizes than %s and is left aside: tune again", decision->path,
            spec->path);
        return 0;
    }
    rc = check_source(reading, decision);
    return rc ? rc : take_rows(reading, decision);
}

static int find_overall(struct reading *reading)
{
    struct chooser *chooser = reading->chooser;
    const size_t count = chooser->spec.parameter_count;
    const char **parameters = calloc(count + 1, sizeof *parameters);

    if (!parameters)
        return err_memory(reading->err);
    memcpy(parameters, chooser->spec.names, count * sizeof *parameters);
    chooser->overall = decision_overall(reading->kept, chooser->row_count, parameters, count);
    free(parameters);
    return 0;
}

static int read_all(struct reading *reading, const struct decision *const *decisions, size_t count)
{
    struct chooser *chooser = reading->chooser;
    size_t i, total = 0;
    int rc;

    for (i = 0; i < count; i++)
        total += decisions[i]->row_count;
    chooser->rows = calloc(total + 1, sizeof *chooser->rows);
    reading->kept = calloc(total + 1, sizeof *reading->kept);
    reading->choices = calloc(chooser->spec.parameter_count, sizeof *reading->choices);
    rc =
        chooser->rows && reading->kept && reading->choices ? take_default(reading) : err_memory(reading->err);
    for (i = 0; i < count && !rc; i++)
        rc = take_decision(reading, decisions[i]);
    return rc ? rc : find_overall(reading);
}

int chooser_init(struct chooser *out, const char *spec_path, const struct decision *const *decisions,
                 size_t count, void (*message)(void *context, const char *text), void *context,
                 struct err *err)
{
    struct err local = {0};
    struct reading reading = {
        .chooser = out, .message = message, .context = context, .err = err ? err : &local};
    int rc;

    *out = (struct chooser){0};
    rc = spec_read(&out->spec, spec_path, SPEC_WHOLE, NULL, 0, reading.err);
    if (rc)
        return rc;
    rc = read_all(&reading, decisions, count);
    free(reading.kept);
    free(reading.choices);
    if (rc)
        chooser_release(out);
    return rc;
}

void chooser_release(struct chooser *chooser)
{
    for (size_t i = 0; i < chooser->row_count; i++)
        free(chooser->rows[i].sizes);
    for (size_t i = 0; i < chooser->variant_count; i++) {
        free(chooser->variants[i].choices);
        free(chooser->variants[i].text);
        variant_release(&chooser->variants[i].variant);
    }
    free(chooser->rows);
    free(chooser->variants);
    spec_release(&chooser->spec);
    *chooser = (struct chooser){0};
}

/* Choosing ----------------------------------------------------------------- */

/* Sizes as the spec's expressions take them: whole numbers are integers. */
static int take_sizes(struct value *out, const struct spec *spec, const double *sizes, struct err *err)
{
    if (!sizes && spec->size_count)
        return err_set(err, ERR_USAGE, "sizes is null: give the problem's, %zu of them", spec->size_count);
    for (size_t s = 0; s < spec->size_count; s++) {
        if (!isfinite(sizes[s]))
            return err_set(err, ERR_USAGE, "problem size %s is not finite",
                           spec->names[spec->parameter_count + s]);
        if (sizes[s] == floor(sizes[s]) && fabs(sizes[s]) < 0x1p63)
            out[s] = (struct value){.kind = VALUE_INTEGER, .integer = (int64_t)sizes[s]};
        else
            out[s] = (struct value){.kind = VALUE_REAL, .real = sizes[s]};
    }
    return 0;
}

/* Makes the choice if the variant is valid at these sizes; `made` holds the reason if not. */
static bool try_variant(struct choice *out, struct variant *made, const struct chooser *chooser,
                        size_t variant, enum choice_fit fit, const struct value *sizes, struct err *err)
{
    if (variant_geometry(made, &chooser->spec, sizes, chooser->variants[variant].choices, err) ||
        made->outcome != OUTCOME_OK)
        return false;
    *out = (struct choice){.fit = fit, .variant = variant, .launch = made->launch};
    return true;
}

/* The nearest row of this device, or else of its architecture, that is valid at these sizes. */
static bool find_row(struct choice *out, const struct chooser *chooser, const char *device, unsigned sm,
                     const double *sizes, const struct value *values, struct err *err)
{
    const size_t size_count = chooser->spec.size_count;
    const struct chooser_row *row;
    struct choice choice;
    struct variant made;
    double nearest = INFINITY, far;
    bool ours, found = false, ours_found = false;

    for (row = chooser->rows; row < chooser->rows + chooser->row_count; row++) {
        ours = !strcmp(row->device, device);
        if (!ours && (!sm || row->sm != sm))
            continue;
        far = decision_distance(row->sizes, sizes, size_count);
        if (found && (ours_found > ours || (ours_found == ours && far >= nearest)))
            continue;
        if (!try_variant(&choice, &made, chooser, row->variant,
                         !ours      ? CHOICE_ARCHITECTURE
                         : far == 1 ? CHOICE_EXACT
                                    : CHOICE_NEAREST,
                         values, err))
            continue;
        *out = choice;
        found = true;
        ours_found = ours;
        nearest = far;
    }
    return found;
}

static int not_valid(const struct chooser *chooser, const double *sizes, const char *reason, struct err *err)
{
    const struct spec *spec = &chooser->spec;
    char text[400] = "";
    size_t s, used = 0;

    for (s = 0; s < spec->size_count && used < sizeof text; s++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s=%.15g",
                                 spec->names[spec->parameter_count + s], sizes[s]);
    return err_set(err, ERR_USAGE,
                   "%s: no configuration that was tuned is valid for%s, and the default is not: %s",
                   spec->path, *text ? text : " this problem", reason);
}

/* Without a device: the default. */
static int find(struct choice *out, const struct chooser *chooser, const char *device, unsigned sm,
                const double *sizes, struct err *err)
{
    struct err local = {0};
    struct value *values = malloc((chooser->spec.size_count + 1) * sizeof *values);
    struct variant made;
    bool found = false;

    if (!values)
        return err_memory(err);
    if (!take_sizes(values, &chooser->spec, sizes, &local)) {
        found = device && find_row(out, chooser, device, sm, sizes, values, &local);
        if (!found && device && chooser->row_count)
            found = try_variant(out, &made, chooser, chooser->rows[chooser->overall].variant, CHOICE_OVERALL,
                                values, &local);
        if (!found)
            found = try_variant(out, &made, chooser, 0, CHOICE_DEFAULT, values, &local);
        if (!found) /* unless memory ended: the first error stays */
            not_valid(chooser, sizes, made.message, &local);
    }
    free(values);
    return local.code ? err_set(err, (enum err_code)local.code, "%s", local.text) : 0;
}

int chooser_find(struct choice *out, const struct chooser *chooser, const char *device, unsigned sm,
                 const double *sizes, struct err *err)
{
    return find(out, chooser, device, sm, sizes, err);
}

int chooser_default(struct choice *out, const struct chooser *chooser, const double *sizes, struct err *err)
{
    return find(out, chooser, NULL, 0, sizes, err);
}

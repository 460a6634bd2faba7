#include "space/spec.h"

#include "base/hash.h"
#include "space/configuration.h"
#include "space/spec_reader.h"
#include "space/t1.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Helpers of the parts ----------------------------------------------------- */

int check_length(const struct js_at *at, const char *name, struct err *err)
{
    enum { MOST = 255 };

    return strlen(name) <= MOST ? 0
                                : js_fail(at, err, "the name %.32s... has %zu characters; use at most %d",
                                          name, strlen(name), MOST);
}

int read_path(char **out, struct reader *reader, const struct js_at *file)
{
    const char *name;
    struct stat status;
    bool folder;

    if (js_string(&name, file, reader->err))
        return ERR_USAGE;
    if (asprintf(out, "%s%s", name[0] == '/' ? "" : reader->spec->directory, name) < 0) {
        *out = NULL;
        return err_memory(reader->err);
    }
    folder = !stat(*out, &status) && S_ISDIR(status.st_mode);
    if (folder || access(*out, R_OK))
        return js_fail(file, reader->err, "%s cannot be read: %s", *out, strerror(folder ? EISDIR : errno));
    return 0;
}

static int expression_text(char **out, const struct js_at *at, struct err *err)
{
    const char *text;
    struct value value;
    char plain[64];

    switch (js_kind(at)) {
    case JS_INTEGER:
    case JS_REAL:
    case JS_BOOL:
        if (value_from_json(&value, at, err))
            return ERR_USAGE;
        value_text(plain, sizeof plain, &value);
        *out = strdup(plain);
        break;
    default:
        if (js_string(&text, at, err))
            return ERR_USAGE;
        *out = strdup(text);
    }
    return *out ? 0 : err_memory(err);
}

static int check_expression(const struct reader *reader, const struct expr *expr, enum wanted wanted,
                            struct scope scope)
{
    enum value_kind kind;

    if (expr_draws(expr) && !scope.draws)
        return err_set(reader->err, ERR_USAGE, "random() is for fills");
    if (expr_check(&kind, expr, reader->kinds, reader->err))
        return ERR_USAGE;
    if (kind == VALUE_STRING || (kind == VALUE_BOOL && wanted == WANTED_NUMBER) ||
        (kind == VALUE_REAL && wanted == WANTED_TRUTH))
        return err_set(reader->err, ERR_USAGE, "\"%s\" is %s, expected %s", expr_text(expr),
                       kind == VALUE_STRING ? "text"
                       : kind == VALUE_BOOL ? "true or false"
                                            : "a number",
                       wanted == WANTED_TRUTH ? "true or false; compare it, as in x != 0" : "a number");
    return 0;
}

int read_expression(struct expr **out, struct reader *reader, const struct js_at *at, enum wanted wanted,
                    struct scope scope)
{
    struct spec *spec = reader->spec;
    char place[512], *text = NULL;
    size_t extra = 0;
    int failed = expression_text(&text, at, reader->err);

    if (failed)
        return failed;
    memcpy(spec->names + spec->name_count, scope.extra, sizeof scope.extra); /* read_names left these free */
    while (extra < SPEC_MEASURED && scope.extra[extra])
        extra++;
    failed = expr_parse(out, text, spec->names, spec->name_count + extra, reader->err);
    if (!failed)
        failed = check_expression(reader, *out, wanted, scope);
    if (failed) {
        js_place(place, sizeof place, at);
        err_prefix(reader->err, "%s", place);
    }
    free(text);
    return failed;
}

/* Reading ------------------------------------------------------------------ */

static int check_fields(const struct reader *reader)
{
    static const char *const fields[] = {"kernel",         "parameters",  "default", "constraints",
                                         "configurations", "problem",     "launch",  "arguments",
                                         "reference",      "tolerance",   "cache",   "metrics",
                                         "objective",      "description", NULL};

    return js_only(&reader->root, fields, reader->err);
}

static int read_limit(double *out, const struct reader *reader, const struct js_at *tolerance,
                      const char *key)
{
    struct js_at at;

    if (!js_find(&at, tolerance, key))
        return 0;
    if (js_real(out, &at, reader->err))
        return ERR_USAGE;
    return *out < 0 ? js_fail(&at, reader->err, "must not be negative") : 0;
}

static int read_protocol(struct reader *reader)
{
    static const char *const fields[] = {"relative", "absolute", NULL};
    struct spec *spec = reader->spec;
    struct js_at at;
    const char *cache = "warm";

    spec->relative = 1e-5;
    spec->absolute = 1e-8;
    if (js_find(&at, &reader->root, "description") && js_string(&spec->description, &at, reader->err))
        return ERR_USAGE;
    if (js_find(&at, &reader->root, "tolerance") &&
        (js_only(&at, fields, reader->err) || read_limit(&spec->relative, reader, &at, "relative") ||
         read_limit(&spec->absolute, reader, &at, "absolute")))
        return ERR_USAGE;
    if (js_find(&at, &reader->root, "cache") && js_string(&cache, &at, reader->err))
        return ERR_USAGE;
    spec->cold = !strcmp(cache, "cold");
    if (!spec->cold && strcmp(cache, "warm"))
        return js_fail(&at, reader->err, "expected \"warm\" or \"cold\", found \"%s\"", cache);
    return 0;
}

static int hash_spec(struct reader *reader)
{
    struct spec *spec = reader->spec;
    char *text = js_text(spec->document, JS_LINE), size[64];

    if (!text)
        return err_memory(reader->err);
    spec->hash = hash_text(HASH_START, text);
    free(text);
    for (size_t k = 0; k < spec->problem_count; k++)
        for (size_t s = 0; s < spec->size_count; s++) {
            value_text(size, sizeof size, &spec->problems[k][s]);
            spec->hash = hash_text(spec->hash, size);
        }
    return 0;
}

static int read_all(struct reader *reader, bool whole)
{
    if (check_fields(reader) || read_parameters(reader) || read_problems(reader) || read_names(reader) ||
        read_constraints(reader) || read_listed(reader) || read_default(reader) ||
        read_kernel(reader, whole) || read_launch(reader, whole) || read_arguments(reader, whole) ||
        read_reference(reader) || read_protocol(reader) || read_metrics(reader) || read_objective(reader) ||
        hash_spec(reader))
        return reader->err->code;
    return drop_repeated_problems(reader->spec, reader->err);
}

static int keep_path(struct spec *spec, const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');

    spec->path = strdup(path);
    spec->directory = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
    return spec->path && spec->directory ? 0 : err_memory(err);
}

/* A T1 file is put in a spec's words; errors that are found later name places of that. */
static int from_t1(struct json **document, char *name, size_t size, const char *path, struct err *err)
{
    struct js_at root = js_root(*document, path);
    struct json *spec;
    int failed;

    snprintf(name, size, "%s", path);
    if (!t1_is(&root))
        return 0;
    failed = t1_to_spec(&spec, &root, err);
    if (failed)
        return failed;
    js_free(*document);
    *document = spec;
    snprintf(name, size, "%.4000s, as a spec", path);
    return 0;
}

/* Takes over `document`. */
static int read_document(struct spec *out, struct json *document, const char *path, enum spec_part part,
                         const char *const *sets, size_t set_count, struct err *err)
{
    struct err own = {0};
    struct reader reader = {.spec = out, .sets = sets, .set_count = set_count, .err = err ? err : &own};
    char name[4096];
    int failed = from_t1(&document, name, sizeof name, path, reader.err);

    *out = (struct spec){.document = document};
    if (!failed)
        failed = keep_path(out, path, reader.err);
    if (!failed) {
        reader.root = js_root(document, name);
        failed = read_all(&reader, part == SPEC_WHOLE);
    }
    free(reader.kinds);
    if (failed)
        spec_release(out);
    return failed;
}

int spec_read(struct spec *out, const char *path, enum spec_part part, const char *const *sets,
              size_t set_count, struct err *err)
{
    struct json *document;
    int failed = js_read_file(&document, path, err);

    *out = (struct spec){0};
    return failed ? failed : read_document(out, document, path, part, sets, set_count, err);
}

int spec_read_text(struct spec *out, const char *text, size_t length, const char *path, enum spec_part part,
                   const char *const *sets, size_t set_count, struct err *err)
{
    struct json *document;
    int failed = js_read_text(&document, text, length, path, err);

    *out = (struct spec){0};
    return failed ? failed : read_document(out, document, path, part, sets, set_count, err);
}

/* Release ------------------------------------------------------------------ */

static void release_launch(struct spec_launch *launch)
{
    for (int k = 0; k < 3; k++) {
        expr_free(launch->grid[k]);
        expr_free(launch->block[k]);
        expr_free(launch->cluster[k]);
    }
    expr_free(launch->shared);
    expr_free(launch->carveout);
    expr_free(launch->cooperative);
    expr_free(launch->programmatic);
}

static void release_reference(struct spec_reference *reference)
{
    for (size_t k = 0; k < reference->file_count; k++)
        free(reference->paths[k]);
    free(reference->paths);
    free(reference->file_from);
    free(reference->buffers);
    free(reference->kernel.path);
    free(reference->passed);
    for (size_t k = 0; k < reference->size_count; k++)
        expr_free(reference->sizes[k].value);
    free(reference->sizes);
    release_launch(&reference->launch);
}

static void release_tensor_map(struct spec_tensor_map *map)
{
    for (size_t d = 0; map && d < TENSOR_RANK_MOST; d++) {
        expr_free(map->dimensions[d]);
        expr_free(map->box[d]);
        expr_free(d ? map->strides[d - 1] : map->offset);
        expr_free(map->element_strides[d]);
    }
    if (map) {
        expr_free(map->interleave);
        expr_free(map->swizzle);
        expr_free(map->l2);
    }
    free(map);
}

static void release_arguments(struct spec_argument *arguments, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        release_arguments(arguments[k].fields, arguments[k].field_count);
        release_tensor_map(arguments[k].tensor_map);
        expr_free(arguments[k].value);
        expr_free(arguments[k].kept);
        expr_free(arguments[k].fill_value);
        fill_release(&arguments[k].fill);
    }
    free(arguments);
}

void spec_release(struct spec *spec)
{
    for (size_t k = 0; k < spec->parameter_count; k++)
        free(spec->parameters[k].values);
    for (size_t k = 0; k < spec->constraint_count; k++)
        expr_free(spec->constraints[k]);
    for (size_t k = 0; k < spec->problem_count; k++)
        free(spec->problems[k]);
    for (size_t k = 0; k < spec->metric_count; k++)
        expr_free(spec->metrics[k].value);
    expr_free(spec->objective.value);
    release_launch(&spec->launch);
    release_reference(&spec->reference);
    free(spec->kernel.path);
    free(spec->kernel.options);
    free(spec->parameters);
    free(spec->constraints);
    listed_release(&spec->listed);
    free(spec->problems);
    free(spec->problem_places);
    release_arguments(spec->arguments, spec->argument_count);
    free(spec->metrics);
    free(spec->defaults);
    free(spec->names);
    free(spec->path);
    free(spec->directory);
    if (spec->document)
        js_free(spec->document);
    *spec = (struct spec){0};
}

/* Use ---------------------------------------------------------------------- */

void spec_slots(struct value *slots, const struct spec *spec, size_t problem, const unsigned *choices)
{
    for (size_t k = 0; choices && k < spec->parameter_count; k++)
        slots[k] = spec->parameters[k].values[choices[k]];
    for (size_t k = 0; k < spec->size_count; k++)
        slots[spec->parameter_count + k] = spec->problems[problem][k];
}

int spec_problem_text(char *out, size_t size, const struct spec *spec, size_t problem)
{
    char value[64];
    int used = 0;

    if (size)
        out[0] = '\0';
    for (size_t k = 0; k < spec->size_count; k++) {
        value_text(value, sizeof value, &spec->problems[problem][k]);
        used +=
            snprintf((size_t)used < size ? out + used : NULL, (size_t)used < size ? size - (size_t)used : 0,
                     "%s%s=%s", k ? " " : "", spec->names[spec->parameter_count + k], value);
    }
    return used;
}

void spec_problem_place(char *out, size_t size, const struct spec *spec, size_t problem)
{
    char sizes[256];

    spec_problem_text(sizes, sizeof sizes, spec, problem);
    snprintf(out, size, "problem[%zu] (%s)", spec->problem_places[problem], sizes);
}

int spec_metric(double *out, const struct spec *spec, size_t metric, size_t problem, const unsigned *choices,
                struct spec_measured measured, struct err *err)
{
    const struct expr *value = spec->metrics[metric].value;
    struct value *slots;
    int failed;

    *out = 0;
    if (!(measured.energy_j > 0) && expr_uses(value, spec->name_count + 1))
        return err_set(err, ERR_USAGE, "the energy is not known");
    slots = calloc(spec->name_count + SPEC_MEASURED, sizeof *slots);
    if (!slots)
        return err_memory(err);
    spec_slots(slots, spec, problem, choices);
    spec_put_measured(slots, spec, measured);
    failed = expr_real(out, value, slots, err);
    free(slots);
    return failed;
}

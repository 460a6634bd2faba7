/* The default of a spec: where a search starts, for each of its problems. */
#include "space/configuration.h"
#include "space/spec_reader.h"

#include <stdlib.h>
#include <string.h>

const unsigned *spec_default(const struct spec *spec, size_t problem)
{
    return spec->defaults + problem * spec->parameter_count;
}

static int check_default(struct reader *reader, const struct js_at *at)
{
    const struct spec *spec = reader->spec;
    struct err why = {0};
    int failed = 0;

    for (size_t k = 0; !failed && k < spec->problem_count; k++)
        failed = configuration_check(spec, k, spec_default(spec, k), &why);
    if (failed == ERR_MEMORY)
        return err_memory(reader->err);
    return failed ? js_fail(at, reader->err, "%s", why.text) : 0;
}

static bool find_choice(unsigned *out, const struct spec_parameter *parameter, const struct value *value)
{
    for (*out = 0; *out < parameter->value_count; (*out)++)
        if (value_equal(value, &parameter->values[*out]))
            return true;
    return false;
}

/* The same for every problem. */
static int read_plain(struct reader *reader, const struct js_at *at, size_t p)
{
    struct spec *spec = reader->spec;
    struct value value;
    char text[128];
    unsigned choice;

    if (value_from_json(&value, at, reader->err))
        return ERR_USAGE;
    if (!find_choice(&choice, &spec->parameters[p], &value)) {
        value_quoted(text, sizeof text, &value);
        return js_fail(at, reader->err, "%s is not among the values of the parameter", text);
    }
    for (size_t k = 0; k < spec->problem_count; k++)
        spec->defaults[k * spec->parameter_count + p] = choice;
    return 0;
}

/* What the expression is for one problem. */
static int choose_for(struct reader *reader, const struct js_at *at, size_t p, const struct expr *expr,
                      size_t k)
{
    struct spec *spec = reader->spec;
    struct value value;
    char text[64], sizes[256];
    int failed = expr_value(&value, expr, spec->problems[k], 0, reader->err);

    if (failed) {
        err_prefix(reader->err, "%s: default.%s", spec->path, at->key);
        return failed;
    }
    if (find_choice(&spec->defaults[k * spec->parameter_count + p], &spec->parameters[p], &value))
        return 0;
    value_quoted(text, sizeof text, &value);
    spec_problem_text(sizes, sizeof sizes, spec, k);
    return js_fail(at, reader->err, "\"%s\" is %s%s%s, not among the values of the parameter",
                   expr_text(expr), text, *sizes ? " at " : "", sizes);
}

/* An expression over the sizes, of a parameter whose values are no text. */
static int read_computed(struct reader *reader, const struct js_at *at, size_t p)
{
    const struct spec *spec = reader->spec;
    struct expr *expr = NULL;
    char place[512];
    const char *text;
    int failed = js_string(&text, at, reader->err);

    if (!failed) {
        failed = expr_parse(&expr, text, spec->names + spec->parameter_count, spec->size_count, reader->err);
        if (!failed && expr_draws(expr))
            failed = err_set(reader->err, ERR_USAGE, "random() is for fills");
        if (failed) {
            js_place(place, sizeof place, at);
            err_prefix(reader->err, "%s", place);
        }
    }
    for (size_t k = 0; k < spec->problem_count && !failed; k++)
        failed = choose_for(reader, at, p, expr, k);
    expr_free(expr);
    return failed;
}

static int read_default_value(struct reader *reader, const struct js_at *at)
{
    const struct spec *spec = reader->spec;
    size_t p = 0;

    while (strcmp(at->key, spec->names[p]))
        p++;
    return js_kind(at) == JS_STRING && spec->parameters[p].values->kind != VALUE_STRING
               ? read_computed(reader, at, p)
               : read_plain(reader, at, p);
}

int read_default(struct reader *reader)
{
    struct spec *spec = reader->spec;
    struct js_at at, member = {0};
    const char **allowed;
    int failed;

    spec->defaults = calloc(spec->parameter_count * spec->problem_count, sizeof *spec->defaults);
    if (!spec->defaults)
        return err_memory(reader->err);
    if (!js_find(&at, &reader->root, "default"))
        return 0;
    spec->has_default = true;
    allowed = calloc(spec->parameter_count + 1, sizeof *allowed);
    failed = allowed ? 0 : err_memory(reader->err);
    if (!failed) {
        memcpy(allowed, spec->names, spec->parameter_count * sizeof *allowed);
        failed = js_only(&at, allowed, reader->err);
    }
    while (!failed && js_next(&member, &at))
        failed = read_default_value(reader, &member);
    if (!failed)
        failed = check_default(reader, &at);
    free(allowed);
    return failed;
}

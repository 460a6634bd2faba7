/* The parts of a spec that make a space: parameters, problem, constraints, default. */
#include "base/hash.h"
#include "base/map.h"
#include "space/configuration.h"
#include "space/spec_option.h"
#include "space/spec_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parameters --------------------------------------------------------------- */

static int check_name(const struct js_at *at, struct err *err)
{
    if (check_length(at->parent, at->key, err))
        return ERR_USAGE;
    if (!expr_name(at->key))
        return js_fail(at, err,
                       "is not a name: use letters, digits and _, and no word of the expression language");
    if (!strcmp(at->key, "i") || !strcmp(at->key, "time"))
        return js_fail(at, err, "the name is taken: i is the index in fills, time the time in metrics");
    return 0;
}

static bool same_kind(const struct value *a, const struct value *b)
{
    return (a->kind == VALUE_INTEGER ? VALUE_REAL : a->kind) ==
           (b->kind == VALUE_INTEGER ? VALUE_REAL : b->kind);
}

static int read_value(struct spec_parameter *parameter, const struct js_at *at, struct err *err)
{
    struct value *value = &parameter->values[parameter->value_count];
    char text[64];

    if (value_from_json(value, at, err) || value_check_line(value, at, err))
        return ERR_USAGE;
    if (!same_kind(value, parameter->values))
        return js_fail(at, err,
                       "differs in type from the value before it; list numbers, truth values or text");
    if (value->kind == VALUE_STRING && strchr(value->string, ','))
        return js_fail(at, err, "has a comma, which separates values in the records' keys");
    for (size_t k = 0; k < parameter->value_count; k++)
        if (value_equal(value, &parameter->values[k])) {
            value_text(text, sizeof text, value);
            return js_fail(at, err, "%s is listed twice", text);
        }
    parameter->value_count++;
    return 0;
}

static int read_values(struct spec_parameter *parameter, const struct js_at *list, struct err *err)
{
    struct js_at element;

    if (js_expect(list, JS_ARRAY, err))
        return ERR_USAGE;
    if (js_count(list) == 0)
        return js_fail(list, err, "the list of values is empty; give at least one");
    if (js_count(list) > UINT16_MAX)
        return js_fail(list, err, "more than %d values", UINT16_MAX);
    parameter->values = calloc(js_count(list), sizeof *parameter->values);
    if (!parameter->values)
        return err_memory(err);
    for (size_t k = 0; k < js_count(list); k++) {
        element = js_element(list, k);
        if (read_value(parameter, &element, err))
            return ERR_USAGE;
    }
    return 0;
}

/* Every option that the values make is checked, since a value may be half of its name. */
static int check_made(const struct spec_parameter *parameter, const struct js_at *at, struct err *err)
{
    const char *place = strchr(parameter->option, '%');
    char value[256], option[1024];

    for (size_t k = 0; k < parameter->value_count; k++) {
        value_text(value, sizeof value, &parameter->values[k]);
        snprintf(option, sizeof option, "%.*s%s%s", (int)(place - parameter->option), parameter->option,
                 value, place + 1);
        if (spec_option_check(at, option, err))
            return ERR_USAGE;
    }
    return 0;
}

static int read_option(struct spec_parameter *parameter, const struct js_at *at, struct err *err)
{
    const bool place = js_string(&parameter->option, at, err) == 0 && strchr(parameter->option, '%');

    if (!parameter->option || spec_option_check(at, parameter->option, err))
        return ERR_USAGE;
    if (parameter->values->kind == VALUE_BOOL)
        return place ? js_fail(at, err, "a truth value adds the option as it is; remove the %%") : 0;
    if (!place)
        return js_fail(at, err, "write %% where the value goes, as in --maxrregcount=%%");
    return check_made(parameter, at, err);
}

static int read_parameter(struct spec_parameter *parameter, const struct js_at *at, struct err *err)
{
    static const char *const fields[] = {"values", "option", "macro", "description", NULL};
    struct js_at member, option;
    bool macro = true;

    parameter->name = at->key;
    if (check_name(at, err))
        return ERR_USAGE;
    if (js_kind(at) == JS_ARRAY)
        return read_values(parameter, at, err);
    if (js_kind(at) != JS_OBJECT)
        return js_fail(at, err, "expected a list of values, or {\"values\": [...], \"option\": ...}");
    if (js_only(at, fields, err) || js_member(&member, at, "values", err) ||
        read_values(parameter, &member, err) ||
        (js_find(&option, at, "option") && read_option(parameter, &option, err)) ||
        (js_find(&member, at, "macro") && js_bool(&macro, &member, err)) ||
        (js_find(&member, at, "description") && js_string(&parameter->description, &member, err)))
        return ERR_USAGE;
    parameter->hidden = !macro;
    if (!macro && parameter->option)
        return js_fail(&option, err, "the parameter has \"macro\": false too; leave one of the two out");
    return 0;
}

int read_parameters(struct reader *reader)
{
    struct spec *spec = reader->spec;
    struct js_at parameters, member = {0};

    if (js_member(&parameters, &reader->root, "parameters", reader->err) ||
        js_expect(&parameters, JS_OBJECT, reader->err))
        return ERR_USAGE;
    if (js_count(&parameters) == 0)
        return js_fail(&parameters, reader->err, "there is nothing to tune; give at least one parameter");
    if (js_count(&parameters) > SPEC_PARAMETERS_MAX)
        return js_fail(&parameters, reader->err, "more than %d parameters", SPEC_PARAMETERS_MAX);
    spec->parameters = calloc(js_count(&parameters), sizeof *spec->parameters);
    if (!spec->parameters)
        return err_memory(reader->err);
    while (js_next(&member, &parameters))
        if (read_parameter(&spec->parameters[spec->parameter_count++], &member, reader->err))
            return ERR_USAGE;
    return 0;
}

/* Problem ------------------------------------------------------------------ */

/* The text after "NAME=" of an override, or null. The last one counts. */
static const char *find_set(const struct reader *reader, const char *name)
{
    const size_t length = strlen(name);

    for (size_t k = reader->set_count; k-- > 0;)
        if (!strncmp(reader->sets[k], name, length) && reader->sets[k][length] == '=')
            return reader->sets[k] + length + 1;
    return NULL;
}

/* A size from text over the sizes before it. */
static int evaluate_size(struct value *out, const struct reader *reader, const char *text,
                         const char *const *names, const struct value *sizes, size_t count)
{
    struct expr *expr;
    int failed = expr_parse(&expr, text, names, count, reader->err);

    if (!failed && expr_draws(expr))
        failed = err_set(reader->err, ERR_USAGE, "random() is for fills");
    if (!failed)
        failed = expr_value(out, expr, sizes, 0, reader->err);
    if (!failed && out->kind != VALUE_INTEGER && out->kind != VALUE_REAL)
        failed = err_set(reader->err, ERR_USAGE, "expected a number");
    expr_free(expr);
    return failed;
}

/* "1e9" on a command line is a count, unless the file has a real there. */
static void make_whole(struct value *value, const struct js_at *at)
{
    const double most = 9007199254740992.; /* 2^53: whole numbers below it are exact */

    if (value->kind == VALUE_REAL && js_kind(at) != JS_REAL && floor(value->real) == value->real &&
        fabs(value->real) < most)
        *value = (struct value){.kind = VALUE_INTEGER, .integer = (int64_t)value->real};
}

static int read_size(struct value *sizes, size_t s, const struct reader *reader, const struct js_at *at,
                     const char *const *names)
{
    const char *text = find_set(reader, names[s]);
    char place[512];
    int failed;

    if (text) {
        failed = evaluate_size(&sizes[s], reader, text, names, sizes, s);
        if (failed)
            err_prefix(reader->err, "--set %s=%s", names[s], text);
        else
            make_whole(&sizes[s], at);
        return failed;
    }
    if (js_kind(at) != JS_STRING)
        return js_expect(at, JS_REAL, reader->err) ? ERR_USAGE : value_from_json(&sizes[s], at, reader->err);
    if (js_string(&text, at, reader->err))
        return ERR_USAGE;
    failed = evaluate_size(&sizes[s], reader, text, names, sizes, s);
    if (failed) {
        js_place(place, sizeof place, at);
        err_prefix(reader->err, "%s", place);
    }
    return failed;
}

static int read_problem(struct reader *reader, const struct js_at *at, const char *const *names)
{
    struct spec *spec = reader->spec;
    struct value *sizes = calloc(spec->size_count + 1, sizeof *sizes);
    struct js_at member;

    if (!sizes)
        return err_memory(reader->err);
    spec->problems[spec->problem_count++] = sizes;
    for (size_t s = 0; s < spec->size_count; s++)
        if (js_member(&member, at, names[s], reader->err) || read_size(sizes, s, reader, &member, names))
            return reader->err->code;
    return 0;
}

static int unknown_size(const struct reader *reader, const char *set, const char *const *names)
{
    char list[256] = "it has none";
    size_t used = 0, s;

    for (s = 0; s < reader->spec->size_count && used < sizeof list; s++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", s ? ", " : "write SIZE=VALUE of ",
                                 names[s]);
    return err_set(reader->err, ERR_USAGE, "--set %s: names no problem size of %s; %s", set,
                   reader->spec->path, list);
}

static int check_sets(const struct reader *reader, const char *const *names)
{
    size_t s;

    for (size_t k = 0; k < reader->set_count; k++) {
        for (s = 0; s < reader->spec->size_count; s++)
            if (!strncmp(reader->sets[k], names[s], strlen(names[s])) &&
                reader->sets[k][strlen(names[s])] == '=')
                break;
        if (s == reader->spec->size_count)
            return unknown_size(reader, reader->sets[k], names);
    }
    return 0;
}

/* The names of the sizes, from the first problem. */
static int read_size_names(const char ***out, struct reader *reader, const struct js_at *first)
{
    struct spec *spec = reader->spec;
    struct js_at member = {0};

    *out = calloc(js_count(first) + 1, sizeof **out);
    if (!*out)
        return err_memory(reader->err);
    while (js_next(&member, first)) {
        if (check_name(&member, reader->err))
            return ERR_USAGE;
        for (size_t p = 0; p < spec->parameter_count; p++)
            if (!strcmp(member.key, spec->parameters[p].name))
                return js_fail(&member, reader->err, "is a parameter too; rename one of them");
        (*out)[spec->size_count++] = member.key;
    }
    return 0;
}

static int read_problem_list(struct reader *reader, const struct js_at *list, const char ***names)
{
    const size_t count = js_kind(list) == JS_ARRAY ? js_count(list) : 1;
    struct js_at element;

    if (count == 0)
        return js_fail(list, reader->err, "the list of problems is empty; give at least one");
    reader->spec->problems = calloc(count, sizeof *reader->spec->problems);
    reader->spec->problem_places = calloc(count, sizeof *reader->spec->problem_places);
    if (!reader->spec->problems || !reader->spec->problem_places)
        return err_memory(reader->err);
    for (size_t k = 0; k < count; k++) {
        reader->spec->problem_places[k] = k;
        element = js_kind(list) == JS_ARRAY ? js_element(list, k) : *list;
        if (js_expect(&element, JS_OBJECT, reader->err) ||
            (k == 0 && (read_size_names(names, reader, &element) || check_sets(reader, *names))) ||
            js_only(&element, *names, reader->err) || read_problem(reader, &element, *names))
            return reader->err->code;
    }
    return 0;
}

int read_problems(struct reader *reader)
{
    struct json *none = js_new_object();
    struct js_at list;
    const char **names = NULL;
    int failed;

    if (!none)
        return err_memory(reader->err);
    if (!js_find(&list, &reader->root, "problem"))
        list = js_root(none, reader->spec->path);
    failed = read_problem_list(reader, &list, &names);
    js_free(none);
    if (!failed) {
        reader->spec->names =
            calloc(reader->spec->parameter_count + reader->spec->size_count + SPEC_MEASURED, sizeof *names);
        failed = reader->spec->names ? 0 : err_memory(reader->err);
    }
    if (!failed)
        memcpy(reader->spec->names + reader->spec->parameter_count, names,
               reader->spec->size_count * sizeof *names);
    free(names);
    return failed;
}

static bool same_sizes(const struct value *a, const struct value *b, size_t count)
{
    bool same = true;

    for (size_t k = 0; k < count; k++)
        same &= value_equal(&a[k], &b[k]);
    return same;
}

/* Of values that are equal as well, though one is an integer and the other is none. */
static uint64_t hash_sizes(const struct value *sizes, size_t count)
{
    uint64_t hash = 0, bits;

    for (size_t k = 0; k < count; k++) {
        const double number = value_real(&sizes[k]) + 0.0; /* -0 is 0 */

        memcpy(&bits, &number, sizeof bits);
        hash = sizes[k].kind == VALUE_STRING ? hash_text(hash, sizes[k].string) : hash_u64(hash, bits);
    }
    return hash;
}

int drop_repeated_problems(struct spec *spec, struct err *err)
{
    struct map met = {0};
    size_t kept = 0;
    int rc = 0;

    if (spec->problem_count == 1 || spec->reference.file_from)
        return 0;
    for (size_t k = 0; k < spec->problem_count; k++) {
        struct value *const sizes = spec->problems[k];
        const uint64_t hash = hash_sizes(sizes, spec->size_count);
        const struct value *first = rc ? NULL : map_find(&met, hash);

        if (first && same_sizes(first, sizes, spec->size_count)) {
            free(sizes);
            continue;
        }
        spec->problem_places[kept] = spec->problem_places[k];
        spec->problems[kept++] = sizes;
        if (!rc)
            rc = map_put(&met, hash, sizes, err);
    }
    spec->problem_count = kept;
    map_release(&met);
    return rc;
}

int read_names(struct reader *reader)
{
    struct spec *spec = reader->spec;

    spec->name_count = spec->parameter_count + spec->size_count;
    reader->kinds = calloc(spec->name_count + SPEC_MEASURED, sizeof *reader->kinds);
    if (!reader->kinds)
        return err_memory(reader->err);
    for (size_t k = 0; k < spec->name_count + SPEC_MEASURED; k++)
        reader->kinds[k] = VALUE_REAL;
    for (size_t k = 0; k < spec->parameter_count; k++) {
        spec->names[k] = spec->parameters[k].name;
        reader->kinds[k] = spec->parameters[k].values[0].kind;
    }
    return 0;
}

/* Constraints -------------------------------------------------------------- */

int read_constraints(struct reader *reader)
{
    struct spec *spec = reader->spec;
    struct js_at list, element;

    if (!js_find(&list, &reader->root, "constraints"))
        return 0;
    if (js_expect(&list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    spec->constraints = calloc(js_count(&list) + 1, sizeof *spec->constraints);
    if (!spec->constraints)
        return err_memory(reader->err);
    for (size_t c = 0; c < js_count(&list); c++) {
        element = js_element(&list, c);
        spec->constraint_count++;
        if (read_expression(&spec->constraints[c], reader, &element, WANTED_TRUTH, (struct scope){0}))
            return reader->err->code;
    }
    return 0;
}

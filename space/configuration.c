#include "space/configuration.h"

#include "base/json_line.h"
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct value *configuration_value(const struct spec *spec, const unsigned *choices, size_t p)
{
    return &spec->parameters[p].values[choices[p]];
}

/* A value of text, for people: what would end the line is written as JSON has it. */
static void put_shown(struct js_line *line, const char *shown)
{
    for (size_t plain; *shown; shown += plain) {
        plain = strcspn(shown, "\n\r\t");
        js_line_more(line, shown, plain);
        if (shown[plain])
            js_line_more(line, shown[plain] == '\n' ? "\\n" : shown[plain] == '\r' ? "\\r" : "\\t", 2);
        plain += shown[plain] != 0;
    }
}

/* All values, each after its name if `named`, with `separator` between them. */
static char *join(const struct spec *spec, const unsigned *choices, bool named, char separator)
{
    struct js_line line = {0};
    const struct value *value;
    const char *shown;
    char number[64], *text;

    js_line_begin(&line);
    for (size_t p = 0; p < spec->parameter_count; p++) {
        value = configuration_value(spec, choices, p);
        shown = value->kind == VALUE_STRING ? value->string : number;
        if (value->kind != VALUE_STRING)
            value_text(number, sizeof number, value);
        if (p)
            js_line_more(&line, &separator, 1);
        if (named)
            js_line_more(&line, spec->parameters[p].name, strlen(spec->parameters[p].name));
        if (named)
            js_line_more(&line, "=", 1);
        if (named)
            put_shown(&line, shown);
        else
            js_line_more(&line, shown, strlen(shown));
    }
    text = js_line_end(&line, NULL) ? NULL : strdup(line.text);
    js_line_release(&line);
    return text;
}

char *configuration_key(const struct spec *spec, const unsigned *choices)
{
    return join(spec, choices, false, ',');
}

/* Whether a key has the value there, in `length` bytes. */
static bool is_keyed(const struct value *value, const char *key, size_t length)
{
    char number[64];
    const char *text = value->kind == VALUE_STRING ? value->string : number;

    if (value->kind != VALUE_STRING)
        value_text(number, sizeof number, value);
    return strlen(text) == length && !memcmp(text, key, length);
}

bool configuration_of_key(unsigned *choices, const struct spec *spec, const char *key)
{
    for (size_t p = 0; p < spec->parameter_count; p++) {
        const struct spec_parameter *parameter = &spec->parameters[p];
        const size_t length = strcspn(key, ",");

        choices[p] = 0;
        while (choices[p] < parameter->value_count && !is_keyed(&parameter->values[choices[p]], key, length))
            choices[p]++;
        if (choices[p] == parameter->value_count || (key[length] == ',') != (p + 1 < spec->parameter_count))
            return false;
        key += length + (key[length] == ',');
    }
    return !*key;
}

char *configuration_text(const struct spec *spec, const unsigned *choices)
{
    return join(spec, choices, true, ' ');
}

struct json *configuration_json(const struct spec *spec, const unsigned *choices)
{
    struct json *json = js_new_object();

    for (size_t p = 0; json && p < spec->parameter_count; p++)
        if (js_set(json, spec->parameters[p].name, value_to_json(configuration_value(spec, choices, p)))) {
            js_free(json);
            return NULL;
        }
    return json;
}

/* Records are written with 15 digits: a real that needs more comes back as its neighbour. */
static bool same_as_written(const struct value *value, const struct value *listed)
{
    char a[40], b[40];

    if (value->kind != VALUE_REAL || listed->kind != VALUE_REAL)
        return value_equal(value, listed);
    snprintf(a, sizeof a, "%.15g", value->real);
    snprintf(b, sizeof b, "%.15g", listed->real);
    return !strcmp(a, b);
}

static bool find_value(unsigned *choice, const struct spec_parameter *parameter, const struct value *value)
{
    for (size_t v = 0; v < parameter->value_count; v++)
        if (same_as_written(value, &parameter->values[v])) {
            *choice = (unsigned)v;
            return true;
        }
    return false;
}

int configuration_read(unsigned *choices, const struct spec *spec, const struct js_at *object,
                       struct err *err)
{
    struct value value;
    struct js_at member;
    char text[128];

    for (size_t p = 0; p < spec->parameter_count; p++) {
        if (js_member(&member, object, spec->parameters[p].name, err) ||
            value_from_json(&value, &member, err))
            return ERR_USAGE;
        if (!find_value(&choices[p], &spec->parameters[p], &value)) {
            value_quoted(text, sizeof text, &value);
            return js_fail(&member, err, "%s is not among the values of the parameter", text);
        }
    }
    return 0;
}

/* Whether `text` of that length is how the value is written: as in a key, as JSON has it, or as the macro. */
static bool matches(const struct value *value, const char *text, size_t length)
{
    char written[128];
    struct value typed = {0};
    char *end;

    if (value->kind == VALUE_STRING)
        return strlen(value->string) == length && !memcmp(value->string, text, length);
    value_text(written, sizeof written, value);
    if (strlen(written) == length && !strncasecmp(written, text, length))
        return true;
    if (value->kind == VALUE_BOOL)
        return length == 1 && *text == (value->integer ? '1' : '0');
    typed.kind = VALUE_REAL;
    typed.real = strtod(text, &end);
    return end == text + length && length && value_equal(value, &typed);
}

static int unknown_parameter(const struct spec *spec, const char *item, size_t length, struct err *err)
{
    char name[64];
    const char *near;

    snprintf(name, sizeof name, "%.*s", (int)length, item);
    near = nearest_word(name, spec->names, spec->parameter_count);
    return err_set(err, ERR_USAGE, "%s: no parameter is called \"%s\"%s%s%s", spec->path, name,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int unknown_value(const struct spec *spec, const struct spec_parameter *parameter, const char *text,
                         size_t length, struct err *err)
{
    const struct value *value;
    char values[256];
    size_t v, used = 0;

    for (v = 0; v < parameter->value_count && used < sizeof values; v++) {
        value = &parameter->values[v];
        used += (size_t)snprintf(values + used, sizeof values - used, "%s", v ? ", " : "");
        if (used < sizeof values && value->kind == VALUE_BOOL) /* as in the spec, not as in a key */
            used += (size_t)snprintf(values + used, sizeof values - used, value->integer ? "true" : "false");
        else if (used < sizeof values)
            used += (size_t)value_text(values + used, sizeof values - used, value);
    }
    return err_set(err, ERR_USAGE, "%s: parameters.%s: \"%.*s\" is none of %s%s", spec->path, parameter->name,
                   (int)length, text, values, used < sizeof values ? "" : "...");
}

/* One NAME=VALUE of `length` bytes. */
static int parse_item(unsigned *choices, bool *given, const struct spec *spec, const char *item,
                      size_t length, struct err *err)
{
    const char *equals = memchr(item, '=', length);
    const size_t name = equals ? (size_t)(equals - item) : 0;
    const struct spec_parameter *parameter;
    size_t p;

    if (!equals)
        return err_set(err, ERR_USAGE, "the configuration \"%.*s\": write NAME=VALUE,NAME=VALUE", (int)length,
                       item);
    for (p = 0; p < spec->parameter_count; p++)
        if (strlen(spec->names[p]) == name && !memcmp(spec->names[p], item, name))
            break;
    if (p == spec->parameter_count)
        return unknown_parameter(spec, item, name, err);
    parameter = &spec->parameters[p];
    for (size_t v = 0; v < parameter->value_count; v++) {
        if (!matches(&parameter->values[v], equals + 1, length - name - 1))
            continue;
        if (given[p] && choices[p] != v)
            return err_set(err, ERR_USAGE, "%s is given twice, with different values", parameter->name);
        given[p] = true;
        choices[p] = (unsigned)v;
        return 0;
    }
    return unknown_value(spec, parameter, equals + 1, length - name - 1, err);
}

int configuration_parse(unsigned *choices, const struct spec *spec, const char *text, struct err *err)
{
    bool given[SPEC_PARAMETERS_MAX] = {false};
    size_t length;

    memcpy(choices, spec_default(spec, 0), spec->parameter_count * sizeof *choices);
    while (*text) {
        length = strcspn(text, ",");
        if (parse_item(choices, given, spec, text, length, err))
            return ERR_USAGE;
        text += length + (text[length] == ',');
    }
    return 0;
}

int configuration_check(const struct spec *spec, size_t problem, const unsigned *choices, struct err *err)
{
    struct value *slots = calloc(spec->name_count + 1, sizeof *slots);
    char sizes[256];
    struct err why = {0};
    bool holds = true;
    size_t c;

    if (!slots)
        return err_memory(err);
    spec_slots(slots, spec, problem, choices);
    for (c = 0; c < spec->constraint_count; c++)
        if (expr_bool(&holds, spec->constraints[c], slots, &why) || !holds)
            break;
    free(slots);
    if (c == spec->constraint_count)
        return listed_has(&spec->listed, choices)
                   ? 0
                   : err_set(err, ERR_USAGE, "is none of the spec's \"configurations\"");
    spec_problem_text(sizes, sizeof sizes, spec, problem);
    return err_set(err, ERR_USAGE, "violates constraints[%zu], \"%s\"%s%s%s%s", c,
                   expr_text(spec->constraints[c]), spec->problem_count > 1 ? " for " : "",
                   spec->problem_count > 1 ? sizes : "", why.code ? ": " : "", why.text);
}

struct json *value_to_json(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INTEGER:
        return js_new_integer(value->integer);
    case VALUE_REAL:
        return js_new_real(value->real);
    case VALUE_BOOL:
        return js_new_bool(value->integer);
    case VALUE_STRING:
        break;
    }
    return js_new_string(value->string);
}

int value_from_json(struct value *out, const struct js_at *at, struct err *err)
{
    bool truth;

    *out = (struct value){0};
    switch (js_kind(at)) {
    case JS_INTEGER:
        out->kind = VALUE_INTEGER;
        return js_integer(&out->integer, at, err);
    case JS_REAL:
        out->kind = VALUE_REAL;
        return js_real(&out->real, at, err);
    case JS_BOOL:
        out->kind = VALUE_BOOL;
        if (js_bool(&truth, at, err))
            return ERR_USAGE;
        out->integer = truth;
        return 0;
    case JS_STRING:
        out->kind = VALUE_STRING;
        return js_string(&out->string, at, err);
    default:
        return js_fail(at, err, "expected a number, true, false or text");
    }
}

int value_check_line(const struct value *value, const struct js_at *at, struct err *err)
{
    const char *c;

    if (value->kind != VALUE_STRING)
        return 0;
    for (c = value->string; *c; c++)
        if (iscntrl((unsigned char)*c))
            return js_fail(at, err, "holds a control character");
    return c > value->string && c[-1] == '\\' ? js_fail(at, err, "ends with a backslash") : 0;
}

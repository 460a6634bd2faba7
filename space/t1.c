#include "space/t1.h"

#include "space/configuration.h"
#include "space/t1_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const axes[] = {"X", "Y", "Z"};

bool t1_is(const struct js_at *root)
{
    struct js_at at;

    return js_kind(root) == JS_OBJECT && js_find(&at, root, "ConfigurationSpace") &&
           js_find(&at, root, "KernelSpecification");
}

static int read_values(struct json **out, struct t1_reader *reader, const struct js_at *parameter)
{
    struct js_at at;
    const char *text;
    char place[512];

    *out = NULL;
    if (js_member(&at, parameter, "Values", reader->err))
        return reader->err->code;
    if (js_kind(&at) == JS_ARRAY) {
        *out = js_copy(at.value);
        return *out ? 0 : t1_memory(reader);
    }
    if (js_string(&text, &at, reader->err) || t1_values(out, text, reader->err)) {
        js_place(place, sizeof place, &at);
        if (!strstr(reader->err->text, place))
            err_prefix(reader->err, "%s", place);
        return reader->err->code;
    }
    return 0;
}

/* One that is no value of the parameter says nothing. */
static int take_default(struct t1_reader *reader, struct json *defaults, const struct js_at *parameter,
                        const char *name, struct json *values)
{
    struct js_at given, list = {.value = values};
    struct value wanted, value;

    if (!js_find(&given, parameter, "Default") || value_from_json(&wanted, &given, NULL))
        return 0;
    for (size_t i = 0; i < js_count(&list); i++) {
        const struct js_at at = js_element(&list, i);

        if (!value_from_json(&value, &at, NULL) && value_equal(&value, &wanted))
            return js_set(defaults, name, js_copy(given.value)) ? t1_memory(reader) : 0;
    }
    return 0;
}

static int read_parameters(struct t1_reader *reader)
{
    struct js_at list;
    struct json *values, *defaults = js_new_object();
    const char *name;
    int failed = defaults ? 0 : t1_memory(reader);

    if (!failed && js_member(&list, &reader->space, "TuningParameters", reader->err))
        failed = reader->err->code;
    if (!failed)
        failed = js_expect(&list, JS_ARRAY, reader->err);
    for (size_t i = 0; !failed && i < js_count(&list); i++) {
        const struct js_at parameter = js_element(&list, i);

        failed = t1_text(&name, reader, &parameter, "Name", NULL);
        if (!failed)
            failed = read_values(&values, reader, &parameter);
        if (!failed)
            failed = take_default(reader, defaults, &parameter, name, values);
        if (!failed && js_set(reader->parameters, name, values))
            failed = t1_memory(reader);
    }
    if (failed || !js_count(&(struct js_at){.value = defaults})) { /* none: the first values */
        js_free(defaults);
        return failed;
    }
    return js_set(reader->spec, "default", defaults) ? t1_memory(reader) : 0;
}

static int read_condition(struct json **out, struct t1_reader *reader, const struct js_at *condition,
                          size_t position)
{
    struct js_at at;

    (void)position;
    return js_member(&at, condition, "Expression", reader->err) ? reader->err->code
                                                                : t1_expression_of(out, reader, &at);
}

static int read_problem(struct t1_reader *reader)
{
    struct json *problem = js_new_object();
    struct js_at at, element;
    size_t count;
    int failed = problem ? 0 : t1_memory(reader);

    if (!failed && js_find(&at, &reader->kernel, "ProblemSize")) {
        count = js_kind(&at) == JS_ARRAY ? js_count(&at) : 1;
        if (count > 3)
            failed = js_fail(&at, reader->err, "expected three sizes at most");
        for (size_t i = 0; !failed && i < count; i++) {
            element = js_kind(&at) == JS_ARRAY ? js_element(&at, i) : at;
            if (js_set(problem, t1_sizes[i], js_copy(element.value)))
                failed = t1_memory(reader);
        }
    }
    if (failed)
        js_free(problem);
    else if (js_set(reader->spec, "problem", problem))
        failed = t1_memory(reader);
    return failed;
}

static int read_source(struct t1_reader *reader)
{
    struct js_at options;
    struct json *kernel;
    const char *language, *file, *name;

    if (t1_text(&language, reader, &reader->kernel, "Language", NULL) ||
        t1_text(&file, reader, &reader->kernel, "KernelFile", NULL) ||
        t1_text(&name, reader, &reader->kernel, "KernelName", NULL))
        return reader->err->code;
    if (strcmp(language, "CUDA")) {
        js_member(&options, &reader->kernel, "Language", NULL);
        return js_fail(&options, reader->err, "%s is not supported: CUDA is", language);
    }
    kernel = js_new_object();
    if (!kernel || js_set_string(kernel, "file", file) | js_set_string(kernel, "name", name) |
                       (js_find(&options, &reader->kernel, "CompilerOptions")
                            ? js_set(kernel, "options", js_copy(options.value))
                            : 0)) {
        js_free(kernel);
        return t1_memory(reader);
    }
    return js_set(reader->spec, "kernel", kernel) ? t1_memory(reader) : 0;
}

/* The product of an axis' divisors, in brackets: a text, a number, or a list of them. */
static int divisor_text(char **out, struct t1_reader *reader, const struct js_at *at)
{
    const size_t count = js_kind(at) == JS_ARRAY ? js_count(at) : 1;
    char *part, *longer, *value;

    *out = strdup("1");
    for (size_t i = 0; *out && i < count; i++) {
        const struct js_at element = js_kind(at) == JS_ARRAY ? js_element(at, i) : *at;
        const char *text = NULL;

        if (js_kind(&element) == JS_STRING && js_string(&text, &element, reader->err))
            break;
        value = text ? NULL : js_text(element.value, JS_LINE);
        part = text || value ? t1_translated(reader, text ? text : value) : NULL;
        if (!part || asprintf(&longer, "%s * (%s)", *out, part) < 0)
            longer = NULL;
        free(part);
        free(value);
        free(*out);
        *out = longer;
    }
    return *out ? 0 : t1_memory(reader);
}

/* The grid that a problem size and what divides it give, or null: T1 has neither. */
static int divided_grid(struct json **out, struct t1_reader *reader, bool *found)
{
    struct js_at problem, divisor, root = js_root(reader->spec, "");
    char key[16], *text, whole[512];
    int failed = 0;

    *found = false;
    *out = js_new_array();
    if (!*out)
        return t1_memory(reader);
    js_find(&problem, &root, "problem");
    for (size_t axis = 0; !failed && axis < js_count(&problem); axis++) {
        snprintf(key, sizeof key, "GridDiv%s", axes[axis]);
        text = NULL;
        if (js_find(&divisor, &reader->kernel, key) && js_kind(&divisor) != JS_NULL) {
            *found = true;
            failed = divisor_text(&text, reader, &divisor);
        }
        snprintf(whole, sizeof whole, "ceil_div(%s, %s)", t1_sizes[axis], text ? text : "1");
        free(text);
        if (!failed && js_append(*out, js_new_string(whole)))
            failed = t1_memory(reader);
    }
    return failed;
}

/* GlobalSize or LocalSize; of the former `threads` (null: it is in blocks) says what divides it. */
static int read_sizes(struct json **out, struct t1_reader *reader, const char *key,
                      const struct js_at *threads)
{
    struct js_at at, axis, block;
    const char *text, *by;
    struct json *item;
    char after[512];
    int failed = js_member(&at, &reader->kernel, key, reader->err);

    *out = js_new_array();
    if (!failed && !*out)
        failed = t1_memory(reader);
    for (size_t k = 0; !failed && k < 3 && js_find(&axis, &at, axes[k]); k++) {
        if (threads && js_find(&block, threads, axes[k]) && js_kind(&axis) == JS_STRING &&
            !js_string(&text, &axis, NULL) && !js_string(&by, &block, NULL)) {
            snprintf(after, sizeof after, ", %s)", by);
            item = t1_expression(reader, "ceil_div(", text, after);
            failed = item ? 0 : t1_memory(reader);
        } else {
            failed = t1_expression_of(&item, reader, &axis);
        }
        if (!failed && js_append(*out, item))
            failed = t1_memory(reader);
    }
    return failed;
}

static int read_grid(struct json **out, struct t1_reader *reader)
{
    struct js_at threads;
    const char *type;
    bool found;
    int failed = divided_grid(out, reader, &found);

    if (failed || found)
        return failed;
    js_free(*out);
    *out = NULL;
    if (t1_text(&type, reader, &reader->kernel, "GlobalSizeType", "CUDA"))
        return reader->err->code;
    return read_sizes(out, reader, "GlobalSize",
                      !strcmp(type, "OpenCL") && js_find(&threads, &reader->kernel, "LocalSize") ? &threads
                                                                                                 : NULL);
}

static int read_launch(struct t1_reader *reader)
{
    struct json *launch = js_new_object(), *grid = NULL, *block = NULL, *shared = NULL;
    struct js_at at;
    int failed = launch ? read_grid(&grid, reader) : t1_memory(reader);

    if (!failed)
        failed = read_sizes(&block, reader, "LocalSize", NULL);
    if (!failed && js_find(&at, &reader->kernel, "SharedMemory"))
        failed = t1_expression_of(&shared, reader, &at);
    if (failed) {
        js_free(grid);
        js_free(block);
        js_free(launch);
        return failed;
    }
    if (js_set(launch, "grid", grid) | js_set(launch, "block", block) |
        (shared ? js_set(launch, "shared", shared) : 0)) {
        js_free(launch);
        return t1_memory(reader);
    }
    return js_set(reader->spec, "launch", launch) ? t1_memory(reader) : 0;
}

int t1_to_spec(struct json **out, const struct js_at *root, struct err *err)
{
    struct err own = {0};
    struct t1_reader reader = {.spec = js_new_object(), .err = err ? err : &own};
    int failed = reader.spec ? 0 : t1_memory(&reader);

    *out = NULL;
    if (!failed && (js_member(&reader.space, root, "ConfigurationSpace", reader.err) ||
                    js_member(&reader.kernel, root, "KernelSpecification", reader.err)))
        failed = reader.err->code;
    if (!failed && js_set(reader.spec, "parameters", js_new_object()))
        failed = t1_memory(&reader);
    if (!failed) {
        struct js_at spec = js_root(reader.spec, ""), parameters;

        js_find(&parameters, &spec, "parameters");
        reader.parameters = parameters.value;
        failed = read_parameters(&reader);
    }
    if (!failed)
        failed = t1_translate_list(&reader, &reader.space, "Conditions", "constraints", read_condition);
    if (!failed)
        failed = read_problem(&reader);
    if (!failed)
        failed = read_source(&reader);
    if (!failed)
        failed = read_launch(&reader);
    if (!failed)
        failed = t1_read_arguments(&reader);
    if (!failed && js_set_string(reader.spec, "reference", "none"))
        failed = t1_memory(&reader);
    if (failed)
        js_free(reader.spec);
    else
        *out = reader.spec;
    return failed;
}

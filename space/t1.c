#include "space/t1.h"

#include "space/configuration.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const axes[] = {"X", "Y", "Z"};
static const char *const sizes[] = {"problem_size_x", "problem_size_y", "problem_size_z"};

struct reader {
    struct js_at space, kernel;
    struct json *parameters; /* of the spec: names and lists of values */
    struct json *spec;
    struct err *err;
};

bool t1_is(const struct js_at *root)
{
    struct js_at at;

    return js_kind(root) == JS_OBJECT && js_find(&at, root, "ConfigurationSpace") &&
           js_find(&at, root, "KernelSpecification");
}

static int memory(struct reader *reader)
{
    return err_memory(reader->err);
}

/* Text of a member, or `standard` (null: it must be there). */
static int text_of(const char **out, struct reader *reader, const struct js_at *object, const char *key,
                   const char *standard)
{
    struct js_at at;

    *out = standard;
    if (standard && !js_find(&at, object, key))
        return 0;
    return js_member(&at, object, key, reader->err) || js_string(out, &at, reader->err) ? reader->err->code
                                                                                        : 0;
}

/* Expressions
 * ------------------------------------------------------------------------------------------------------------------ */

/* max(NAME) and min(NAME) of a parameter are of all its values. */
static int put_extreme(FILE *out, const struct reader *reader, const char *name, size_t length, bool most)
{
    struct js_at root = js_root(reader->parameters, ""), list;
    double best = 0, value;
    char key[256];
    size_t i;

    if (length >= sizeof key)
        return 0;
    memcpy(key, name, length);
    key[length] = '\0';
    if (!js_find(&list, &root, key))
        return 0;
    for (i = 0; i < js_count(&list); i++) {
        const struct js_at at = js_element(&list, i);

        if (js_real(&value, &at, NULL))
            return 0;
        if (!i || (most ? value > best : value < best))
            best = value;
    }
    return fprintf(out, "%.15g", best);
}

/* One of Kernel Tuner's words at `text`, put in a spec's; its length, or 0. */
static size_t put_word(FILE *out, const struct reader *reader, const char *text)
{
    const bool most = !strncmp(text, "max(", 4);
    size_t length;

    if (!strncmp(text, "ProblemSize[", 12) && text[12] >= '0' && text[12] <= '2' && text[13] == ']') {
        fputs(sizes[text[12] - '0'], out);
        return 14;
    }
    if (!most && strncmp(text, "min(", 4))
        return 0;
    for (length = 0; isalnum((unsigned char)text[4 + length]) || text[4 + length] == '_'; length++)
        ;
    return length && text[4 + length] == ')' && put_extreme(out, reader, text + 4, length, most) > 0
               ? length + 5
               : 0;
}

/* A spec's expression, malloc'ed; null when memory ends. */
static char *translated(const struct reader *reader, const char *text)
{
    char *out = NULL;
    size_t size, length;
    FILE *stream = open_memstream(&out, &size);
    bool inside = false; /* of a name or number */

    if (!stream)
        return NULL;
    while (*text) {
        length = inside ? 0 : put_word(stream, reader, text);
        if (!length)
            fputc(*text, stream);
        inside = !length && (isalnum((unsigned char)*text) || *text == '_');
        text += length ? length : 1;
    }
    if (!fclose(stream))
        return out;
    free(out);
    return NULL;
}

static struct json *expression(const struct reader *reader, const char *before, const char *text,
                               const char *after)
{
    char *inner = translated(reader, text), *whole = NULL;
    struct json *json = NULL;

    if (inner && asprintf(&whole, "%s%s%s", before, inner, after) >= 0)
        json = js_new_string(whole);
    else
        whole = NULL;
    free(inner);
    free(whole);
    return json;
}

/* A member that is text or a number, as an expression. */
static int expression_of(struct json **out, struct reader *reader, const struct js_at *at)
{
    const char *text;

    *out = NULL;
    if (js_kind(at) == JS_INTEGER)
        *out = js_copy(at->value);
    else if (js_string(&text, at, reader->err))
        return reader->err->code;
    else
        *out = expression(reader, "", text, "");
    return *out ? 0 : memory(reader);
}

/* The space
 * ------------------------------------------------------------------------------------------------------------------ */

static int read_values(struct json **out, struct reader *reader, const struct js_at *parameter)
{
    struct js_at at;
    const char *text;
    char place[512];

    *out = NULL;
    if (js_member(&at, parameter, "Values", reader->err))
        return reader->err->code;
    if (js_kind(&at) == JS_ARRAY) {
        *out = js_copy(at.value);
        return *out ? 0 : memory(reader);
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
static int take_default(struct reader *reader, struct json *defaults, const struct js_at *parameter,
                        const char *name, struct json *values)
{
    struct js_at given, list = {.value = values};
    struct value wanted, value;
    size_t i;

    if (!js_find(&given, parameter, "Default") || value_from_json(&wanted, &given, NULL))
        return 0;
    for (i = 0; i < js_count(&list); i++) {
        const struct js_at at = js_element(&list, i);

        if (!value_from_json(&value, &at, NULL) && value_equal(&value, &wanted))
            return js_set(defaults, name, js_copy(given.value)) ? memory(reader) : 0;
    }
    return 0;
}

static int read_parameters(struct reader *reader)
{
    struct js_at list;
    struct json *values, *defaults = js_new_object();
    const char *name;
    size_t i;
    int failed = defaults ? 0 : memory(reader);

    if (!failed && js_member(&list, &reader->space, "TuningParameters", reader->err))
        failed = reader->err->code;
    if (!failed)
        failed = js_expect(&list, JS_ARRAY, reader->err);
    for (i = 0; !failed && i < js_count(&list); i++) {
        const struct js_at parameter = js_element(&list, i);

        failed = text_of(&name, reader, &parameter, "Name", NULL);
        if (!failed)
            failed = read_values(&values, reader, &parameter);
        if (!failed)
            failed = take_default(reader, defaults, &parameter, name, values);
        if (!failed && js_set(reader->parameters, name, values))
            failed = memory(reader);
    }
    if (failed || !js_count(&(struct js_at){.value = defaults})) { /* none: the first values */
        js_free(defaults);
        return failed;
    }
    return js_set(reader->spec, "default", defaults) ? memory(reader) : 0;
}

static int read_conditions(struct reader *reader)
{
    struct json *constraints = js_new_array(), *text;
    struct js_at list, at;
    size_t i;
    int failed = constraints ? 0 : memory(reader);

    if (!failed && js_find(&list, &reader->space, "Conditions"))
        failed = js_expect(&list, JS_ARRAY, reader->err);
    else
        list = (struct js_at){0};
    for (i = 0; !failed && list.value && i < js_count(&list); i++) {
        const struct js_at condition = js_element(&list, i);

        failed = js_member(&at, &condition, "Expression", reader->err) || expression_of(&text, reader, &at)
                     ? reader->err->code
                     : 0;
        if (!failed && js_append(constraints, text))
            failed = memory(reader);
    }
    if (failed)
        js_free(constraints);
    else if (js_set(reader->spec, "constraints", constraints))
        failed = memory(reader);
    return failed;
}

/* The kernel
 * ------------------------------------------------------------------------------------------------------------------ */

static int read_problem(struct reader *reader)
{
    struct json *problem = js_new_object();
    struct js_at at, element;
    size_t count, i;
    int failed = problem ? 0 : memory(reader);

    if (!failed && js_find(&at, &reader->kernel, "ProblemSize")) {
        count = js_kind(&at) == JS_ARRAY ? js_count(&at) : 1;
        if (count > 3)
            failed = js_fail(&at, reader->err, "expected three sizes at most");
        for (i = 0; !failed && i < count; i++) {
            element = js_kind(&at) == JS_ARRAY ? js_element(&at, i) : at;
            if (js_set(problem, sizes[i], js_copy(element.value)))
                failed = memory(reader);
        }
    }
    if (failed)
        js_free(problem);
    else if (js_set(reader->spec, "problem", problem))
        failed = memory(reader);
    return failed;
}

static int read_source(struct reader *reader)
{
    struct js_at options;
    struct json *kernel;
    const char *language, *file, *name;

    if (text_of(&language, reader, &reader->kernel, "Language", NULL) ||
        text_of(&file, reader, &reader->kernel, "KernelFile", NULL) ||
        text_of(&name, reader, &reader->kernel, "KernelName", NULL))
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
        return memory(reader);
    }
    return js_set(reader->spec, "kernel", kernel) ? memory(reader) : 0;
}

/* The product of an axis' divisors, in brackets: a text, a number, or a list of them. */
static int divisor_text(char **out, struct reader *reader, const struct js_at *at)
{
    const size_t count = js_kind(at) == JS_ARRAY ? js_count(at) : 1;
    char *part, *longer, *value;
    size_t i;

    *out = strdup("1");
    for (i = 0; *out && i < count; i++) {
        const struct js_at element = js_kind(at) == JS_ARRAY ? js_element(at, i) : *at;
        const char *text = NULL;

        if (js_kind(&element) == JS_STRING && js_string(&text, &element, reader->err))
            break;
        value = text ? NULL : js_text(element.value, JS_LINE);
        part = translated(reader, text ? text : value ? value : "1");
        if (!part || asprintf(&longer, "%s * (%s)", *out, part) < 0)
            longer = NULL;
        free(part);
        free(value);
        free(*out);
        *out = longer;
    }
    return *out ? 0 : memory(reader);
}

/* The grid that a problem size and what divides it give, or null: T1 has neither. */
static int divided_grid(struct json **out, struct reader *reader, bool *found)
{
    struct js_at problem, divisor, root = js_root(reader->spec, "");
    char key[16], *text, whole[512];
    size_t axis;
    int failed = 0;

    *found = false;
    *out = js_new_array();
    if (!*out)
        return memory(reader);
    js_find(&problem, &root, "problem");
    for (axis = 0; !failed && axis < js_count(&problem); axis++) {
        snprintf(key, sizeof key, "GridDiv%s", axes[axis]);
        text = NULL;
        if (js_find(&divisor, &reader->kernel, key) && js_kind(&divisor) != JS_NULL) {
            *found = true;
            failed = divisor_text(&text, reader, &divisor);
        }
        snprintf(whole, sizeof whole, "ceil_div(%s, %s)", sizes[axis], text ? text : "1");
        free(text);
        if (!failed && js_append(*out, js_new_string(whole)))
            failed = memory(reader);
    }
    return failed;
}

/* GlobalSize or LocalSize; of the former `threads` (null: it is in blocks) says what divides it. */
static int read_sizes(struct json **out, struct reader *reader, const char *key, const struct js_at *threads)
{
    struct js_at at, axis, block;
    const char *text, *by;
    struct json *item;
    char after[512];
    size_t k;
    int failed = js_member(&at, &reader->kernel, key, reader->err);

    *out = js_new_array();
    if (!failed && !*out)
        failed = memory(reader);
    for (k = 0; !failed && k < 3 && js_find(&axis, &at, axes[k]); k++) {
        if (threads && js_find(&block, threads, axes[k]) && js_kind(&axis) == JS_STRING &&
            !js_string(&text, &axis, NULL) && !js_string(&by, &block, NULL)) {
            snprintf(after, sizeof after, ", %s)", by);
            item = expression(reader, "ceil_div(", text, after);
            failed = item ? 0 : memory(reader);
        } else {
            failed = expression_of(&item, reader, &axis);
        }
        if (!failed && js_append(*out, item))
            failed = memory(reader);
    }
    return failed;
}

static int read_grid(struct json **out, struct reader *reader)
{
    struct js_at threads;
    const char *type;
    bool found;
    int failed = divided_grid(out, reader, &found);

    if (failed || found)
        return failed;
    js_free(*out);
    *out = NULL;
    if (text_of(&type, reader, &reader->kernel, "GlobalSizeType", "CUDA"))
        return reader->err->code;
    return read_sizes(out, reader, "GlobalSize",
                      !strcmp(type, "OpenCL") && js_find(&threads, &reader->kernel, "LocalSize") ? &threads
                                                                                                 : NULL);
}

static int read_launch(struct reader *reader)
{
    struct json *launch = js_new_object(), *grid = NULL, *block = NULL, *shared = NULL;
    struct js_at at;
    int failed = launch ? read_grid(&grid, reader) : memory(reader);

    if (!failed)
        failed = read_sizes(&block, reader, "LocalSize", NULL);
    if (!failed && js_find(&at, &reader->kernel, "SharedMemory"))
        failed = expression_of(&shared, reader, &at);
    if (failed) {
        js_free(grid);
        js_free(block);
        js_free(launch);
        return failed;
    }
    if (js_set(launch, "grid", grid) | js_set(launch, "block", block) |
        (shared ? js_set(launch, "shared", shared) : 0)) {
        js_free(launch);
        return memory(reader);
    }
    return js_set(reader->spec, "launch", launch) ? memory(reader) : 0;
}

/* Arguments
 * ------------------------------------------------------------------------------------------------------------------ */

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {{"int8", "int8"},     {"uint8", "uint8"},   {"int16", "int16"},
                                           {"uint16", "uint16"}, {"int32", "int32"},   {"uint32", "uint32"},
                                           {"int64", "int64"},   {"uint64", "uint64"}, {"half", "float16"},
                                           {"float", "float32"}, {"double", "float64"}};
    size_t k;

    for (k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(types[k][0], name))
            return types[k][1];
    return NULL;
}

/* A number of the argument, or 0. */
static struct json *number_of(const struct js_at *argument, const char *key)
{
    struct js_at at;

    return js_find(&at, argument, key) && (js_kind(&at) == JS_INTEGER || js_kind(&at) == JS_REAL)
               ? js_copy(at.value)
               : js_new_integer(0);
}

static struct json *random_range(const struct js_at *argument)
{
    struct json *list = js_new_array();
    struct js_at at;
    double most = 1;

    if (!js_find(&at, argument, "FillValue") || js_real(&most, &at, NULL) || !(most > 0))
        most = 1;
    return js_unless(!list || js_append(list, js_new_integer(0)) || js_append(list, js_new_real(most)), list);
}

static int set_fill(struct reader *reader, struct json *out, const struct js_at *argument)
{
    struct json *fill = js_new_object();
    struct js_at seed, at;
    const char *kind;
    int failed = fill ? text_of(&kind, reader, argument, "FillType", "Constant") : memory(reader);

    if (!failed && !strcmp(kind, "Constant"))
        failed = js_set(fill, "constant", number_of(argument, "FillValue")) ? memory(reader) : 0;
    else if (!failed && !strcmp(kind, "Random"))
        failed = js_set(fill, "uniform", random_range(argument)) ||
                         (js_find(&seed, argument, "RandomSeed") && js_set(fill, "seed", js_copy(seed.value)))
                     ? memory(reader)
                     : 0;
    else if (!failed)
        failed = js_find(&at, argument, "FillType")
                     ? js_fail(&at, reader->err, "%s is not supported: Constant and Random are", kind)
                     : ERR_USAGE;
    if (failed) {
        js_free(fill);
        return failed;
    }
    return js_set(out, "fill", fill) ? memory(reader) : 0;
}

static int set_length(struct reader *reader, struct json *out, const struct js_at *argument)
{
    struct json *length = NULL;
    struct js_at at;
    int failed = js_member(&at, argument, "Size", reader->err) ? reader->err->code
                                                               : expression_of(&length, reader, &at);

    return failed ? failed : js_set(out, "length", length) ? memory(reader) : 0;
}

static const char *role_of(const char *access)
{
    return !strcmp(access, "ReadOnly") ? "in" : !strcmp(access, "WriteOnly") ? "out" : "inout";
}

static int fill_vector(struct reader *reader, struct json *out, const struct js_at *argument,
                       const char *type, const char *name, bool symbol)
{
    const char *access;
    int failed = text_of(&access, reader, argument, "AccessType", "ReadWrite");

    if (!failed && symbol)
        failed = js_set_string(out, "symbol", name) | js_set_string(out, "type", type) ? memory(reader) : 0;
    else if (!failed)
        failed = js_set_string(out, "buffer", type) | js_set_string(out, "name", name) |
                         js_set_string(out, "role", role_of(access))
                     ? memory(reader)
                     : 0;
    if (!failed)
        failed = set_length(reader, out, argument);
    if (!failed && (symbol || strcmp(role_of(access), "out")))
        failed = set_fill(reader, out, argument);
    return failed;
}

static int fill_argument(struct reader *reader, struct json *out, const struct js_at *argument,
                         size_t position)
{
    const char *memory_type, *type, *name, *place;
    char standard[32];
    struct js_at at;

    snprintf(standard, sizeof standard, "argument_%zu", position);
    if (text_of(&memory_type, reader, argument, "MemoryType", NULL) ||
        text_of(&type, reader, argument, "Type", NULL) ||
        text_of(&name, reader, argument, "Name", standard) ||
        text_of(&place, reader, argument, "MemType", ""))
        return reader->err->code;
    if (!type_of(type)) {
        js_find(&at, argument, "Type");
        return js_fail(&at, reader->err, "%s is not supported", type);
    }
    if (!strcmp(memory_type, "Scalar"))
        return js_set_string(out, "scalar", type_of(type)) |
                       js_set(out, "value", number_of(argument, "FillValue"))
                   ? memory(reader)
                   : 0;
    if (strcmp(memory_type, "Vector") && strcmp(memory_type, "Symbol")) {
        js_find(&at, argument, "MemoryType");
        return js_fail(&at, reader->err, "%s is not supported: Scalar, Vector and Symbol are", memory_type);
    }
    return fill_vector(reader, out, argument, type_of(type), name,
                       !strcmp(memory_type, "Symbol") || !strcmp(place, "Constant"));
}

static int read_arguments(struct reader *reader)
{
    struct json *list = js_new_array(), *argument;
    struct js_at at;
    size_t i;
    int failed = list ? 0 : memory(reader);

    if (!failed && js_find(&at, &reader->kernel, "Arguments"))
        failed = js_expect(&at, JS_ARRAY, reader->err);
    else
        at = (struct js_at){0};
    for (i = 0; !failed && at.value && i < js_count(&at); i++) {
        const struct js_at element = js_element(&at, i);

        argument = js_new_object();
        failed = argument ? fill_argument(reader, argument, &element, i) : memory(reader);
        if (failed)
            js_free(argument);
        else if (js_append(list, argument))
            failed = memory(reader);
    }
    if (failed)
        js_free(list);
    else if (js_set(reader->spec, "arguments", list))
        failed = memory(reader);
    return failed;
}

int t1_to_spec(struct json **out, const struct js_at *root, struct err *err)
{
    struct err own = {0};
    struct reader reader = {.spec = js_new_object(), .err = err ? err : &own};
    int failed = reader.spec ? 0 : memory(&reader);

    *out = NULL;
    if (!failed && (js_member(&reader.space, root, "ConfigurationSpace", reader.err) ||
                    js_member(&reader.kernel, root, "KernelSpecification", reader.err)))
        failed = reader.err->code;
    if (!failed && js_set(reader.spec, "parameters", js_new_object()))
        failed = memory(&reader);
    if (!failed) {
        struct js_at spec = js_root(reader.spec, ""), parameters;

        js_find(&parameters, &spec, "parameters");
        reader.parameters = parameters.value;
        failed = read_parameters(&reader);
    }
    if (!failed)
        failed = read_conditions(&reader);
    if (!failed)
        failed = read_problem(&reader);
    if (!failed)
        failed = read_source(&reader);
    if (!failed)
        failed = read_launch(&reader);
    if (!failed)
        failed = read_arguments(&reader);
    if (!failed && js_set_string(reader.spec, "reference", "none"))
        failed = memory(&reader);
    if (failed)
        js_free(reader.spec);
    else
        *out = reader.spec;
    return failed;
}

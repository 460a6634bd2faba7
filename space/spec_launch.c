/* The parts of a spec that are run: kernel, launch, arguments, reference, metrics. */
#include "space/spec_argument.h"
#include "space/spec_option.h"
#include "space/spec_reader.h"

#include <stdlib.h>
#include <string.h>

/* Kernel and launch -------------------------------------------------------- */

static int read_options(struct spec_kernel *kernel, const struct js_at *list, struct err *err)
{
    struct js_at element;

    if (js_expect(list, JS_ARRAY, err))
        return ERR_USAGE;
    kernel->options = calloc(js_count(list) + 1, sizeof *kernel->options);
    if (!kernel->options)
        return err_memory(err);
    for (size_t k = 0; k < js_count(list); k++) {
        element = js_element(list, k);
        if (js_string(&kernel->options[k], &element, err) ||
            spec_option_check(&element, kernel->options[k], err))
            return ERR_USAGE;
        kernel->option_count++;
    }
    return 0;
}

static int read_kernel_at(struct spec_kernel *out, struct reader *reader, const struct js_at *kernel)
{
    struct js_at member;

    if (js_member(&member, kernel, "file", reader->err) || read_path(&out->path, reader, &member) ||
        js_member(&member, kernel, "name", reader->err) || js_string(&out->name, &member, reader->err))
        return reader->err->code;
    if (!*out->name)
        return js_fail(&member, reader->err, "is empty; give the name of the __global__ function");
    return 0;
}

int read_kernel(struct reader *reader, bool required)
{
    static const char *const fields[] = {"file", "name", "options", NULL};
    struct spec_kernel *kernel = &reader->spec->kernel;
    struct js_at at, options;

    if (!js_find(&at, &reader->root, "kernel"))
        return required ? js_member(&at, &reader->root, "kernel", reader->err) : 0;
    if (js_only(&at, fields, reader->err) || read_kernel_at(kernel, reader, &at))
        return reader->err->code;
    return js_find(&options, &at, "options") ? read_options(kernel, &options, reader->err) : 0;
}

static int read_dimensions(struct expr *out[3], struct reader *reader, const struct js_at *launch,
                           const char *key)
{
    struct js_at list, element;

    if (js_member(&list, launch, key, reader->err) || js_expect(&list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    if (js_count(&list) < 1 || js_count(&list) > 3)
        return js_fail(&list, reader->err, "expected one to three dimensions, found %zu", js_count(&list));
    for (size_t k = 0; k < js_count(&list); k++) {
        element = js_element(&list, k);
        if (read_expression(&out[k], reader, &element, WANTED_NUMBER, (struct scope){0}))
            return reader->err->code;
    }
    return 0;
}

static int read_launch_at(struct spec_launch *out, struct reader *reader, const struct js_at *launch)
{
    static const char *const fields[] = {"grid",    "block",       "shared",       "carveout",
                                         "cluster", "cooperative", "programmatic", NULL};
    struct js_at member;

    if (js_only(launch, fields, reader->err) || read_dimensions(out->grid, reader, launch, "grid") ||
        read_dimensions(out->block, reader, launch, "block"))
        return reader->err->code;
    if (js_find(&member, launch, "shared") &&
        read_expression(&out->shared, reader, &member, WANTED_NUMBER, (struct scope){0}))
        return reader->err->code;
    if (js_find(&member, launch, "carveout") &&
        read_expression(&out->carveout, reader, &member, WANTED_NUMBER, (struct scope){0}))
        return reader->err->code;
    if (js_find(&member, launch, "cluster") && read_dimensions(out->cluster, reader, launch, "cluster"))
        return reader->err->code;
    if (js_find(&member, launch, "cooperative") &&
        read_expression(&out->cooperative, reader, &member, WANTED_TRUTH, (struct scope){0}))
        return reader->err->code;
    if (js_find(&member, launch, "programmatic") &&
        read_expression(&out->programmatic, reader, &member, WANTED_TRUTH, (struct scope){0}))
        return reader->err->code;
    return 0;
}

int read_launch(struct reader *reader, bool required)
{
    struct js_at at;

    if (!js_find(&at, &reader->root, "launch"))
        return required ? js_member(&at, &reader->root, "launch", reader->err) : 0;
    return read_launch_at(&reader->spec->launch, reader, &at);
}

/* Reference and metrics ---------------------------------------------------- */

static bool gives_size(const struct spec_reference *reference, size_t slot)
{
    for (size_t k = 0; k < reference->size_count; k++)
        if (reference->sizes[k].slot == slot)
            return true;
    return false;
}

static bool is_number(const struct value *value)
{
    return value->kind == VALUE_INTEGER || value->kind == VALUE_REAL;
}

static int read_reference_size(struct spec_size *out, struct reader *reader, const struct js_at *at)
{
    const struct spec *spec = reader->spec;
    size_t p;

    for (out->slot = 0; out->slot < spec->name_count; out->slot++)
        if (!strcmp(spec->names[out->slot], at->key))
            break;
    if (out->slot == spec->name_count)
        return js_fail(at, reader->err, "names no parameter and no problem size");
    p = out->slot;
    if (p < spec->parameter_count && !is_number(&spec->parameters[p].values[0]))
        return js_fail(at, reader->err, "is no number, and sizes are");
    if (read_expression(&out->value, reader, at, WANTED_NUMBER, (struct scope){0}))
        return reader->err->code;
    for (p = 0; p < spec->parameter_count; p++)
        if (expr_uses(out->value, p))
            return js_fail(at, reader->err,
                           "\"%s\" uses the parameter %s; the reference has problem sizes only",
                           expr_text(out->value), spec->names[p]);
    return 0;
}

static int read_reference_sizes(struct spec_reference *reference, struct reader *reader,
                                const struct js_at *sizes)
{
    struct js_at member = {0};

    if (js_expect(sizes, JS_OBJECT, reader->err))
        return ERR_USAGE;
    if (js_count(sizes) > SPEC_PARAMETERS_MAX)
        return js_fail(sizes, reader->err, "more than %d sizes", SPEC_PARAMETERS_MAX);
    reference->sizes = calloc(js_count(sizes) + 1, sizeof *reference->sizes);
    if (!reference->sizes)
        return err_memory(reader->err);
    while (js_next(&member, sizes))
        if (read_reference_size(&reference->sizes[reference->size_count++], reader, &member))
            return reader->err->code;
    return 0;
}

/* Whether its length, its value or its fill does. */
static bool argument_follows(const struct spec_argument *argument, size_t slot)
{
    for (size_t k = 0; k < argument->field_count; k++)
        if (argument_follows(&argument->fields[k], slot))
            return true;
    return (argument->value && expr_uses(argument->value, slot)) ||
           (argument->fill_value && expr_uses(argument->fill_value, slot));
}

static bool reference_follows(const struct spec *spec, size_t slot)
{
    const struct spec_reference *reference = &spec->reference;
    const size_t count = reference->passed ? reference->passed_count : spec->argument_count;

    for (size_t k = 0; k < count; k++)
        if (argument_follows(&spec->arguments[reference->passed ? reference->passed[k] : k], slot))
            return true;
    return false;
}

/* Whether it is a macro of a number, which reference.sizes could give. */
static bool is_numeric_macro(const struct spec_parameter *parameter)
{
    return !parameter->hidden && !parameter->option && is_number(&parameter->values[0]);
}

const char *spec_reference_split(const struct spec *spec, size_t problem, const unsigned *choices)
{
    const unsigned *initial = spec_default(spec, problem);

    for (size_t p = 0; spec->reference.kind == REFERENCE_KERNEL && p < spec->parameter_count; p++)
        if (choices[p] != initial[p] && is_numeric_macro(&spec->parameters[p]) &&
            !gives_size(&spec->reference, p) && reference_follows(spec, p))
            return spec->names[p];
    return NULL;
}

static int check_reference_names(const struct reader *reader, const struct js_at *launch)
{
    const struct spec *spec = reader->spec;
    const struct spec_launch *l = &spec->reference.launch;
    struct expr *const all[] = {l->grid[0],    l->grid[1],     l->grid[2],     l->block[0],   l->block[1],
                                l->block[2],   l->shared,      l->carveout,    l->cluster[0], l->cluster[1],
                                l->cluster[2], l->cooperative, l->programmatic};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (size_t p = 0; all[k] && p < spec->parameter_count; p++)
            if (expr_uses(all[k], p) && !gives_size(&spec->reference, p))
                return js_fail(launch, reader->err,
                               "\"%s\" uses the parameter %s; the reference has problem sizes only, and what "
                               "its sizes give it",
                               expr_text(all[k]), spec->names[p]);
    return 0;
}

/* Names of arguments, in the order in which the reference takes them. */
static int read_reference_arguments(struct spec_reference *reference, struct reader *reader,
                                    const struct js_at *list)
{
    const struct spec *spec = reader->spec;
    struct js_at element;
    const char *name;
    size_t k;

    if (js_expect(list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    reference->passed = calloc(js_count(list) + 1, sizeof *reference->passed);
    if (!reference->passed)
        return err_memory(reader->err);
    for (size_t i = 0; i < js_count(list); i++) {
        element = js_element(list, i);
        if (js_string(&name, &element, reader->err))
            return ERR_USAGE;
        for (k = 0; k < spec->argument_count; k++)
            if (spec->arguments[k].name && !strcmp(spec->arguments[k].name, name))
                break;
        if (k == spec->argument_count)
            return js_fail(&element, reader->err, "\"%s\" names no argument", name);
        for (size_t p = 0; p < reference->passed_count; p++)
            if (reference->passed[p] == k)
                return js_fail(&element, reader->err, "the name \"%s\" is used twice", name);
        reference->passed[reference->passed_count++] = k;
    }
    return 0;
}

static int read_reference_kernel(struct reader *reader, const struct js_at *at)
{
    static const char *const fields[] = {"file", "name", "launch", "arguments", "sizes", NULL};
    struct spec_reference *reference = &reader->spec->reference;
    struct js_at launch, list, sizes;

    reference->kind = REFERENCE_KERNEL;
    if (js_only(at, fields, reader->err) || read_kernel_at(&reference->kernel, reader, at) ||
        js_member(&launch, at, "launch", reader->err) || read_launch_at(&reference->launch, reader, &launch))
        return reader->err->code;
    if (js_find(&list, at, "arguments") && read_reference_arguments(reference, reader, &list))
        return reader->err->code;
    if (js_find(&sizes, at, "sizes") && read_reference_sizes(reference, reader, &sizes))
        return reader->err->code;
    return check_reference_names(reader, &launch);
}

static int read_reference_file(struct reader *reader, const struct js_at *file)
{
    struct spec_reference *reference = &reader->spec->reference;
    const struct spec *spec = reader->spec;
    size_t k;

    for (k = 0; k < spec->argument_count; k++)
        if (spec_argument_is_buffer(&spec->arguments[k]) && !strcmp(spec->arguments[k].name, file->key))
            break;
    if (k == spec->argument_count || !role_is_result(spec->arguments[k].role))
        return js_fail(file, reader->err, "names no buffer with the role out or inout");
    reference->buffers[reference->file_count] = file->key;
    return read_path(&reference->paths[reference->file_count++], reader, file);
}

/* Adds the files of one object. */
static int read_file_object(struct reader *reader, const struct js_at *files)
{
    struct spec_reference *reference = &reader->spec->reference;
    const size_t most = reference->file_count + js_count(files);
    struct js_at member = {0};
    const char **buffers;
    char **paths;

    if (js_expect(files, JS_OBJECT, reader->err))
        return ERR_USAGE;
    if (js_count(files) == 0)
        return js_fail(files, reader->err, "names no file; give {BUFFER: \"expected.npy\"}");
    buffers = reallocarray(reference->buffers, most, sizeof *buffers);
    if (buffers)
        reference->buffers = buffers;
    paths = reallocarray(reference->paths, most, sizeof *paths);
    if (paths)
        reference->paths = paths;
    if (!buffers || !paths)
        return err_memory(reader->err);
    while (js_next(&member, files))
        if (read_reference_file(reader, &member))
            return reader->err->code;
    return 0;
}

/* An object, for all problems, or a list of one for each. */
static int read_reference_files(struct reader *reader, const struct js_at *files)
{
    struct spec_reference *reference = &reader->spec->reference;
    const size_t problems = reader->spec->problem_count;

    reference->kind = REFERENCE_FILES;
    if (js_kind(files) != JS_ARRAY)
        return read_file_object(reader, files);
    if (js_count(files) != problems)
        return js_fail(files, reader->err, "holds %zu for %zu problems; give one for each", js_count(files),
                       problems);
    reference->file_from = calloc(problems + 1, sizeof *reference->file_from);
    if (!reference->file_from)
        return err_memory(reader->err);
    for (size_t k = 0; k < problems; k++) {
        const struct js_at element = js_element(files, k);

        if (read_file_object(reader, &element))
            return reader->err->code;
        reference->file_from[k + 1] = reference->file_count;
    }
    return 0;
}

static int read_no_reference(struct reader *reader, const struct js_at *at)
{
    const char *text;

    if (js_string(&text, at, reader->err))
        return ERR_USAGE;
    if (strcmp(text, "none"))
        return js_fail(at, reader->err, "expected a kernel, files or \"none\", found \"%s\"", text);
    reader->spec->reference.kind = REFERENCE_NONE;
    return 0;
}

int read_reference(struct reader *reader)
{
    static const char *const fields[] = {"files", NULL};
    struct js_at at, files;

    if (!js_find(&at, &reader->root, "reference"))
        return 0;
    if (js_kind(&at) == JS_STRING)
        return read_no_reference(reader, &at);
    if (js_expect(&at, JS_OBJECT, reader->err))
        return ERR_USAGE;
    if (!js_find(&files, &at, "files"))
        return read_reference_kernel(reader, &at);
    return js_only(&at, fields, reader->err) ? ERR_USAGE : read_reference_files(reader, &files);
}

int read_metrics(struct reader *reader)
{
    struct spec *spec = reader->spec;
    struct spec_metric *metric;
    struct js_at at, member = {0};

    if (!js_find(&at, &reader->root, "metrics"))
        return 0;
    if (js_expect(&at, JS_OBJECT, reader->err))
        return ERR_USAGE;
    spec->metrics = calloc(js_count(&at) + 1, sizeof *spec->metrics);
    if (!spec->metrics)
        return err_memory(reader->err);
    while (js_next(&member, &at)) {
        metric = &spec->metrics[spec->metric_count++];
        metric->name = member.key;
        if (check_length(&at, metric->name, reader->err) ||
            read_expression(&metric->value, reader, &member, WANTED_NUMBER, scope_measured))
            return reader->err->code;
        spec->energy |= expr_uses(metric->value, spec->name_count + 1);
    }
    return 0;
}

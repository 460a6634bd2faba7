/* The parts of a spec that are run: kernel, launch, arguments, reference, metrics. */
#include "space/spec_option.h"
#include "space/spec_reader.h"

#include <stdlib.h>
#include <string.h>

/* Kernel and launch
 * --------------------------------------------------------------------------------------------- */

static int read_options(struct spec_kernel *kernel, const struct js_at *list, struct err *err)
{
    struct js_at element;
    size_t k;

    if (js_expect(list, JS_ARRAY, err))
        return ERR_USAGE;
    kernel->options = calloc(js_count(list) + 1, sizeof *kernel->options);
    if (!kernel->options)
        return err_memory(err);
    for (k = 0; k < js_count(list); k++) {
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
    size_t k;

    if (js_member(&list, launch, key, reader->err) || js_expect(&list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    if (js_count(&list) < 1 || js_count(&list) > 3)
        return js_fail(&list, reader->err, "expected one to three dimensions, found %zu", js_count(&list));
    for (k = 0; k < js_count(&list); k++) {
        element = js_element(&list, k);
        if (read_expression(&out[k], reader, &element, WANTED_NUMBER, (struct scope){0}))
            return reader->err->code;
    }
    return 0;
}

static int read_launch_at(struct spec_launch *out, struct reader *reader, const struct js_at *launch)
{
    static const char *const fields[] = {"grid", "block", "shared", "carveout", NULL};
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
    return 0;
}

int read_launch(struct reader *reader, bool required)
{
    struct js_at at;

    if (!js_find(&at, &reader->root, "launch"))
        return required ? js_member(&at, &reader->root, "launch", reader->err) : 0;
    return read_launch_at(&reader->spec->launch, reader, &at);
}

/* Arguments
 * ----------------------------------------------------------------------------------------------------- */

static int read_type(enum element_type *out, const struct js_at *at, struct err *err)
{
    const char *text;
    int type;

    if (js_string(&text, at, err))
        return ERR_USAGE;
    type = element_parse(text);
    if (type < 0)
        return js_fail(at, err,
                       "unknown type \"%s\"; use int8 to int64, uint8 to uint64, float16, bfloat16, float32 "
                       "or float64",
                       text);
    *out = (enum element_type)type;
    return 0;
}

static int read_bytes(struct spec_argument *argument, const struct js_at *value, struct err *err)
{
    if (js_string(&argument->bytes, value, err))
        return ERR_USAGE;
    if (!*argument->bytes || strlen(argument->bytes) % 2 ||
        strspn(argument->bytes, "0123456789abcdefABCDEF") != strlen(argument->bytes))
        return js_fail(value, err, "expected two hexadecimal digits for every byte");
    return 0;
}

static int read_scalar(struct spec_argument *argument, struct reader *reader, const struct js_at *at);

/* The fields of a struct are scalars, structs among them. */
static int read_struct(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    static const char *const known[] = {"scalar", "fields", "name", NULL};
    struct js_at fields;

    if (js_only(at, known, reader->err) || js_member(&fields, at, "fields", reader->err) ||
        js_expect(&fields, JS_ARRAY, reader->err))
        return ERR_USAGE;
    if (js_count(&fields) == 0)
        return js_fail(&fields, reader->err, "a struct has at least one field");
    argument->fields = calloc(js_count(&fields), sizeof *argument->fields);
    if (!argument->fields)
        return err_memory(reader->err);
    while (argument->field_count < js_count(&fields)) {
        const struct js_at field = js_element(&fields, argument->field_count);

        if (js_expect(&field, JS_OBJECT, reader->err) ||
            read_scalar(&argument->fields[argument->field_count++], reader, &field))
            return reader->err->code;
    }
    return 0;
}

static int read_scalar(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    static const char *const fields[] = {"scalar", "value", "name", NULL};
    struct js_at type, value, name;
    const char *text;

    argument->kind = ARGUMENT_SCALAR;
    if (js_member(&type, at, "scalar", reader->err) || js_string(&text, &type, reader->err) ||
        (js_find(&name, at, "name") && js_string(&argument->name, &name, reader->err)))
        return ERR_USAGE;
    if (!strcmp(text, "struct"))
        return read_struct(argument, reader, at);
    if (js_only(at, fields, reader->err) || js_member(&value, at, "value", reader->err))
        return ERR_USAGE;
    if (!strcmp(text, "bytes"))
        return read_bytes(argument, &value, reader->err);
    if (read_type(&argument->type, &type, reader->err))
        return ERR_USAGE;
    return read_expression(&argument->value, reader, &value, WANTED_NUMBER_OR_TRUTH, (struct scope){0});
}

static int read_role(enum role *out, const struct js_at *at, struct err *err)
{
    static const char *const roles[] = {"in", "inout", "out", "scratch"};
    const char *text;
    int k;

    if (js_string(&text, at, err))
        return ERR_USAGE;
    for (k = 0; k < (int)(sizeof roles / sizeof *roles); k++)
        if (!strcmp(text, roles[k])) {
            *out = (enum role)k;
            return 0;
        }
    return js_fail(at, err, "unknown role \"%s\"; use in, inout, out or scratch", text);
}

static int read_length(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    struct js_at length;

    if (js_member(&length, at, "length", reader->err))
        return ERR_USAGE;
    return read_expression(&argument->value, reader, &length, WANTED_NUMBER, (struct scope){0});
}

static int read_buffer(struct spec_argument *argument, struct reader *reader, const struct js_at *at,
                       size_t position)
{
    static const char *const fields[] = {"buffer", "name", "length", "fill", "role", NULL};
    struct js_at type, name, member;

    argument->kind = ARGUMENT_BUFFER;
    if (js_only(at, fields, reader->err) || js_member(&type, at, "buffer", reader->err) ||
        read_type(&argument->type, &type, reader->err) || js_member(&name, at, "name", reader->err) ||
        js_string(&argument->name, &name, reader->err) || read_length(argument, reader, at) ||
        (js_find(&member, at, "role") && read_role(&argument->role, &member, reader->err)))
        return reader->err->code;
    if (js_find(&member, at, "fill"))
        return role_is_filled(argument->role) ? read_fill(argument, reader, &member, position)
                                              : js_fail(&member, reader->err,
                                                        "an output and scratch memory are not filled; remove "
                                                        "the fill, or make the role inout");
    if (role_is_filled(argument->role))
        return js_fail(at, reader->err,
                       "the field \"fill\" is missing: what does the buffer hold before the launch?");
    return 0;
}

static int read_symbol(struct spec_argument *argument, struct reader *reader, const struct js_at *at,
                       size_t position)
{
    static const char *const fields[] = {"symbol", "type", "length", "fill", NULL};
    struct js_at name, type, fill;

    argument->kind = ARGUMENT_SYMBOL;
    if (js_only(at, fields, reader->err) || js_member(&name, at, "symbol", reader->err) ||
        js_string(&argument->name, &name, reader->err) || js_member(&type, at, "type", reader->err) ||
        read_type(&argument->type, &type, reader->err) || read_length(argument, reader, at) ||
        js_member(&fill, at, "fill", reader->err))
        return reader->err->code;
    return read_fill(argument, reader, &fill, position);
}

static int read_argument(struct reader *reader, const struct js_at *at, size_t position)
{
    struct spec *spec = reader->spec;
    struct spec_argument *argument = &spec->arguments[spec->argument_count++];
    struct js_at kind;
    size_t k;
    int failed;

    if (js_expect(at, JS_OBJECT, reader->err))
        return ERR_USAGE;
    if (js_find(&kind, at, "scalar"))
        failed = read_scalar(argument, reader, at);
    else if (js_find(&kind, at, "buffer"))
        failed = read_buffer(argument, reader, at, position);
    else if (js_find(&kind, at, "symbol"))
        failed = read_symbol(argument, reader, at, position);
    else
        failed = js_fail(at, reader->err, "expected one of the fields \"scalar\", \"buffer\" and \"symbol\"");
    for (k = 0; !failed && k + 1 < spec->argument_count; k++)
        if (argument->name && spec->arguments[k].name && !strcmp(argument->name, spec->arguments[k].name))
            failed = js_fail(at, reader->err, "the name \"%s\" is used twice", argument->name);
    return failed;
}

int read_arguments(struct reader *reader, bool required)
{
    struct js_at list, element;
    size_t k;

    if (!js_find(&list, &reader->root, "arguments"))
        return required ? js_member(&list, &reader->root, "arguments", reader->err) : 0;
    if (js_expect(&list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    reader->spec->arguments = calloc(js_count(&list) + 1, sizeof *reader->spec->arguments);
    if (!reader->spec->arguments)
        return err_memory(reader->err);
    for (k = 0; k < js_count(&list); k++) {
        element = js_element(&list, k);
        if (read_argument(reader, &element, k + 1))
            return reader->err->code;
    }
    return 0;
}

/* Reference and metrics
 * ----------------------------------------------------------------------------------------- */

static int check_reference_names(const struct reader *reader, const struct js_at *launch)
{
    const struct spec *spec = reader->spec;
    const struct spec_launch *l = &spec->reference.launch;
    struct expr *const all[] = {l->grid[0],  l->grid[1],  l->grid[2], l->block[0],
                                l->block[1], l->block[2], l->shared,  l->carveout};
    size_t k, p;

    for (k = 0; k < sizeof all / sizeof *all; k++)
        for (p = 0; all[k] && p < spec->parameter_count; p++)
            if (expr_uses(all[k], p))
                return js_fail(launch, reader->err,
                               "\"%s\" uses the parameter %s; the reference has problem sizes only",
                               expr_text(all[k]), spec->names[p]);
    return 0;
}

static int read_reference_kernel(struct reader *reader, const struct js_at *at)
{
    static const char *const fields[] = {"file", "name", "launch", NULL};
    struct spec_reference *reference = &reader->spec->reference;
    struct js_at launch;

    reference->kind = REFERENCE_KERNEL;
    if (js_only(at, fields, reader->err) || read_kernel_at(&reference->kernel, reader, at) ||
        js_member(&launch, at, "launch", reader->err) || read_launch_at(&reference->launch, reader, &launch))
        return reader->err->code;
    return check_reference_names(reader, &launch);
}

static int read_reference_file(struct reader *reader, const struct js_at *file)
{
    struct spec_reference *reference = &reader->spec->reference;
    const struct spec *spec = reader->spec;
    size_t k;

    for (k = 0; k < spec->argument_count; k++)
        if (spec->arguments[k].kind == ARGUMENT_BUFFER && !strcmp(spec->arguments[k].name, file->key))
            break;
    if (k == spec->argument_count || !role_is_result(spec->arguments[k].role))
        return js_fail(file, reader->err, "names no buffer with the role out or inout");
    reference->buffers[reference->file_count] = file->key;
    return read_path(&reference->paths[reference->file_count++], reader, file);
}

static int read_reference_files(struct reader *reader, const struct js_at *files)
{
    struct spec_reference *reference = &reader->spec->reference;
    struct js_at member = {0};

    reference->kind = REFERENCE_FILES;
    if (js_expect(files, JS_OBJECT, reader->err))
        return ERR_USAGE;
    if (js_count(files) == 0)
        return js_fail(files, reader->err, "names no file; give {BUFFER: \"expected.npy\"}");
    reference->buffers = calloc(js_count(files), sizeof *reference->buffers);
    reference->paths = calloc(js_count(files), sizeof *reference->paths);
    if (!reference->buffers || !reference->paths)
        return err_memory(reader->err);
    while (js_next(&member, files))
        if (read_reference_file(reader, &member))
            return reader->err->code;
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
        if (read_expression(&metric->value, reader, &member, WANTED_NUMBER, (struct scope){.extra = "time"}))
            return reader->err->code;
    }
    return 0;
}

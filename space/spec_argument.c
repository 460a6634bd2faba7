/* The list of arguments, whatever their kinds. */
#include "space/spec_argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct spec_argument_ops *const kinds[ARGUMENT_KIND_COUNT] = {
#define ROW(name, suffix) &spec_##suffix,
    ARGUMENT_KINDS(ROW)
#undef ROW
};

bool spec_argument_is_buffer(const struct spec_argument *argument)
{
    const struct argument like = {.kind = argument->kind};

    return argument_is_buffer(&like);
}

int spec_find_buffer(size_t *out, const char *name, const struct reader *reader, const struct js_at *at)
{
    const struct spec *spec = reader->spec;

    for (size_t k = 0; k < spec->argument_count; k++)
        if (spec_argument_is_buffer(&spec->arguments[k]) && !strcmp(spec->arguments[k].name, name)) {
            *out = k;
            return 0;
        }
    return js_fail(at, reader->err, "\"%s\" names no buffer", name);
}

int spec_read_type(enum element_type *out, const struct js_at *at, struct err *err)
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

int spec_read_length(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    struct js_at length;

    if (js_member(&length, at, "length", reader->err))
        return ERR_USAGE;
    return read_expression(&argument->value, reader, &length, WANTED_NUMBER, (struct scope){0});
}

/* "scalar", "buffer" and "symbol" */
static int no_kind(const struct js_at *at, struct err *err)
{
    char list[160] = "";
    size_t k, used = 0;

    for (k = 0; k < ARGUMENT_KIND_COUNT && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"",
                                 !k                            ? ""
                                 : k + 1 < ARGUMENT_KIND_COUNT ? ", "
                                                               : " and ",
                                 kinds[k]->field);
    return js_fail(at, err, "expected one of the fields %s", list);
}

static int read_argument(struct reader *reader, const struct js_at *at, size_t position)
{
    struct spec *spec = reader->spec;
    struct spec_argument *argument = &spec->arguments[spec->argument_count++];
    struct js_at field;
    size_t k;
    int failed;

    if (js_expect(at, JS_OBJECT, reader->err))
        return ERR_USAGE;
    for (k = 0; k < ARGUMENT_KIND_COUNT && !js_find(&field, at, kinds[k]->field); k++)
        continue;
    if (k == ARGUMENT_KIND_COUNT)
        return no_kind(at, reader->err);
    argument->kind = (enum argument_kind)k;
    failed = kinds[k]->read(argument, reader, at, position);
    if (!failed && argument->name)
        failed = check_length(at, argument->name, reader->err);
    for (k = 0; !failed && k + 1 < spec->argument_count; k++)
        if (argument->name && spec->arguments[k].name && !strcmp(argument->name, spec->arguments[k].name))
            failed = js_fail(at, reader->err, "the name \"%s\" is used twice", argument->name);
    return failed;
}

int read_arguments(struct reader *reader, bool required)
{
    struct js_at list, element;
    struct spec *spec = reader->spec;

    if (!js_find(&list, &reader->root, "arguments"))
        return required ? js_member(&list, &reader->root, "arguments", reader->err) : 0;
    if (js_expect(&list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    spec->arguments = calloc(js_count(&list) + 1, sizeof *spec->arguments);
    if (!spec->arguments)
        return err_memory(reader->err);
    for (size_t k = 0; k < js_count(&list); k++) {
        element = js_element(&list, k);
        if (read_argument(reader, &element, k + 1))
            return reader->err->code;
    }
    for (size_t k = 0; k < spec->argument_count; k++) {
        const struct spec_argument_ops *ops = kinds[spec->arguments[k].kind];

        element = js_element(&list, k);
        if (ops->link && ops->link(&spec->arguments[k], reader, &element))
            return reader->err->code;
    }
    return 0;
}

/* Making ------------------------------------------------------------------- */

/* The names an expression fill uses, with their values; no others, so that buffers stay the same where
 * nothing differs. */
static int make_fill_names(struct fill *out, struct maker *maker, const struct expr *expr)
{
    const struct spec *spec = maker->spec;

    out->names = calloc(spec->name_count + 1, sizeof *out->names);
    out->values = calloc(spec->name_count + 1, sizeof *out->values);
    if (!out->names || !out->values)
        return err_memory(maker->err);
    for (size_t k = 0; k < spec->name_count; k++)
        if (expr_uses(expr, k)) {
            out->names[out->name_count] = strdup(spec->names[k]);
            if (!out->names[out->name_count])
                return err_memory(maker->err);
            out->values[out->name_count++] = maker->slots[k];
        }
    return 0;
}

static int make_fill(struct fill *out, struct maker *maker, const struct spec_argument *from)
{
    const struct fill *fill = &from->fill;

    *out = (struct fill){
        .kind = fill->kind, .seed = fill->seed, .a = fill->a, .b = fill->b, .content = fill->content};
    if (fill->path && !(out->path = strdup(fill->path)))
        return err_memory(maker->err);
    if (fill->expression && !(out->expression = strdup(fill->expression)))
        return err_memory(maker->err);
    return from->fill_value ? make_fill_names(out, maker, from->fill_value) : 0;
}

int spec_make_memory(struct argument *out, struct maker *maker, const struct spec_argument *from,
                     const char *place)
{
    const int64_t most = INT64_MAX / (int64_t)element_size(from->type);
    char length[64];
    int64_t count;

    stpcpy(stpcpy(length, place), ".length");
    if (make_integer(&count, maker, from->value, 1, most, length))
        return ERR_USAGE;
    out->type = from->type;
    out->count = (uint64_t)count;
    out->role = from->role;
    return make_fill(&out->fill, maker, from);
}

static int make_argument(struct argument *out, struct maker *maker, const struct spec_argument *from,
                         size_t position)
{
    char place[48];

    out->kind = from->kind;
    if (from->name && !(out->name = strdup(from->name)))
        return err_memory(maker->err);
    make_place(place, "", "arguments", position);
    return kinds[from->kind]->make(out, maker, from, place);
}

int make_arguments(struct maker *maker)
{
    const struct spec *spec = maker->spec;
    struct launch *launch = &maker->variant->launch;
    struct err why = {0};
    int failed;

    launch->arguments = calloc(spec->argument_count + 1, sizeof *launch->arguments);
    if (!launch->arguments)
        return err_memory(maker->err);
    for (size_t k = 0; k < spec->argument_count; k++) {
        launch->argument_count++;
        failed = make_argument(&launch->arguments[k], maker, &spec->arguments[k], k);
        if (failed)
            return failed;
    }
    return launch_check(launch, &why) ? make_unfit(maker, "%s", why.text) : 0;
}

/* The fills of a spec's buffers and symbols. */
#include "launch/npy.h"
#include "space/spec_reader.h"

#include <string.h>

static const char *const fields[] = {"constant", "uniform", "normal",  "expression",
                                     "file",     "seed",    "content", NULL};
static const size_t kind_count = 5; /* in the order of enum fill_kind */

static int read_pair(struct fill *fill, const struct js_at *pair, struct err *err)
{
    struct js_at a, b;

    if (js_expect(pair, JS_ARRAY, err))
        return ERR_USAGE;
    if (js_count(pair) != 2)
        return js_fail(pair, err, "expected two numbers, found %zu", js_count(pair));
    a = js_element(pair, 0);
    b = js_element(pair, 1);
    return js_real(&fill->a, &a, err) || js_real(&fill->b, &b, err) ? ERR_USAGE : 0;
}

static int read_expression_fill(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    const struct scope scope = {.extra = {"i"}, .draws = true};

    if (read_expression(&argument->fill_value, reader, at, WANTED_NUMBER_OR_TRUTH, scope))
        return reader->err->code;
    for (size_t k = 0; k < reader->spec->name_count; k++)
        if (reader->kinds[k] == VALUE_STRING && expr_uses(argument->fill_value, k))
            return js_fail(at, reader->err, "a fill cannot use %s, which is text", reader->spec->names[k]);
    argument->fill.expression = strdup(expr_text(argument->fill_value));
    return argument->fill.expression ? 0 : err_memory(reader->err);
}

static int read_file_fill(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    struct err why = {0};
    int failed = read_path(&argument->fill.path, reader, at);

    if (failed || argument->fill.content)
        return failed;
    failed = npy_hash(&argument->fill.content, argument->fill.path, &why);
    if (failed == ERR_MEMORY)
        return err_memory(reader->err);
    return failed ? js_fail(at, reader->err, "%s", why.text) : 0;
}

static int read_kind(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    struct fill *fill = &argument->fill;
    struct err why = {0};

    switch (fill->kind) {
    case FILL_CONSTANT:
        if (js_real(&fill->a, at, reader->err))
            return ERR_USAGE;
        break;
    case FILL_EXPRESSION:
        return read_expression_fill(argument, reader, at);
    case FILL_FILE:
        return read_file_fill(argument, reader, at);
    case FILL_UNIFORM:
    case FILL_NORMAL:
        if (read_pair(fill, at, reader->err))
            return ERR_USAGE;
        break;
    }
    if (fill->kind == FILL_NORMAL && fill->b < 0)
        return js_fail(at, reader->err, "the standard deviation is negative");
    return fill_prepare(fill, argument->type, 0, &why) ? js_fail(at, reader->err, "%s", why.text) : 0;
}

int read_fill(struct spec_argument *argument, struct reader *reader, const struct js_at *at, size_t position)
{
    struct js_at kind = {0}, member;
    size_t k, found = 0;

    if (js_only(at, fields, reader->err))
        return ERR_USAGE;
    for (k = 0; k < kind_count; k++)
        if (js_find(&member, at, fields[k])) {
            kind = member;
            argument->fill.kind = (enum fill_kind)k;
            found++;
        }
    if (found != 1)
        return js_fail(at, reader->err,
                       "expected exactly one of constant, uniform, normal, expression and file");
    if (js_find(&member, at, "content")) {
        if (argument->fill.kind != FILL_FILE)
            return js_fail(&member, reader->err, "only a file has it");
        if (js_unsigned(&argument->fill.content, &member, reader->err))
            return ERR_USAGE;
    }
    argument->fill.seed = position;
    if (js_find(&member, at, "seed") && js_unsigned(&argument->fill.seed, &member, reader->err))
        return ERR_USAGE;
    return read_kind(argument, reader, &kind);
}

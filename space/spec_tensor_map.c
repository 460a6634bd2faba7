/* Tensor maps: a buffer as the bulk tensor copies see it, all values expressions. */
#include "space/spec_argument.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_optional(struct expr **out, struct reader *reader, const struct js_at *object,
                         const char *key)
{
    struct js_at at;

    return js_find(&at, object, key) ? read_expression(out, reader, &at, WANTED_NUMBER, (struct scope){0})
                                     : 0;
}

/* A list of `count` expressions. */
static int read_list(struct expr **out, struct reader *reader, const struct js_at *list, size_t count)
{
    struct js_at element;

    if (js_expect(list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    if (js_count(list) != count)
        return js_fail(list, reader->err, "expected %zu, found %zu", count, js_count(list));
    for (size_t k = 0; k < count; k++) {
        element = js_element(list, k);
        if (read_expression(&out[k], reader, &element, WANTED_NUMBER, (struct scope){0}))
            return reader->err->code;
    }
    return 0;
}

static int read_lists(struct spec_tensor_map *map, struct reader *reader, const struct js_at *at)
{
    struct js_at list;

    if (js_member(&list, at, "dimensions", reader->err) || js_expect(&list, JS_ARRAY, reader->err))
        return ERR_USAGE;
    map->rank = js_count(&list);
    if (map->rank < 1 || map->rank > TENSOR_RANK_MOST)
        return js_fail(&list, reader->err, "expected one to %d dimensions, found %zu", TENSOR_RANK_MOST,
                       map->rank);
    if (read_list(map->dimensions, reader, &list, map->rank) || js_member(&list, at, "box", reader->err) ||
        read_list(map->box, reader, &list, map->rank))
        return reader->err->code;
    if (js_find(&list, at, "strides") && read_list(map->strides, reader, &list, map->rank - 1))
        return reader->err->code;
    if (js_find(&list, at, "element_strides") && read_list(map->element_strides, reader, &list, map->rank))
        return reader->err->code;
    return 0;
}

static int read_tensor_type(struct spec_tensor_map *map, const struct js_at *at, struct err *err)
{
    const char *text;
    int type;

    if (js_string(&text, at, err))
        return ERR_USAGE;
    type = tensor_type_parse(text);
    if (type < 0)
        return js_fail(at, err,
                       "a tensor map has no type \"%s\"; use uint8, uint16, uint32, int32, uint64, int64, "
                       "float16, bfloat16, float32, float64, float32_ftz, tfloat32 or tfloat32_ftz",
                       text);
    map->type = (enum tensor_type)type;
    map->typed = true;
    return 0;
}

static int read_outside(enum tensor_fill *out, const struct js_at *at, struct err *err)
{
    const char *text;

    if (js_string(&text, at, err))
        return ERR_USAGE;
    *out = !strcmp(text, "nan") ? TENSOR_FILL_NAN : TENSOR_FILL_ZERO;
    return strcmp(text, "nan") && strcmp(text, "zero")
               ? js_fail(at, err, "unknown fill \"%s\"; use zero or nan", text)
               : 0;
}

static int read(struct spec_argument *argument, struct reader *reader, const struct js_at *at,
                size_t position)
{
    static const char *const fields[] = {
        "tensor_map",      "name",       "type",    "offset",       "dimensions", "strides", "box",
        "element_strides", "interleave", "swizzle", "l2_promotion", "fill",       NULL};
    struct spec_tensor_map *map = calloc(1, sizeof *map);
    struct js_at member;

    (void)position;
    argument->tensor_map = map;
    if (!map)
        return err_memory(reader->err);
    if (js_only(at, fields, reader->err) || js_member(&member, at, "tensor_map", reader->err) ||
        js_string(&map->buffer, &member, reader->err) ||
        (js_find(&member, at, "name") && js_string(&argument->name, &member, reader->err)) ||
        (js_find(&member, at, "type") && read_tensor_type(map, &member, reader->err)) ||
        (js_find(&member, at, "fill") && read_outside(&map->fill, &member, reader->err)) ||
        read_lists(map, reader, at) || read_optional(&map->offset, reader, at, "offset") ||
        read_optional(&map->interleave, reader, at, "interleave") ||
        read_optional(&map->swizzle, reader, at, "swizzle") ||
        read_optional(&map->l2, reader, at, "l2_promotion"))
        return reader->err->code;
    return 0;
}

/* Without a type of its own it has its buffer's. Tensor maps know no sign of small integers. */
static int type_of(enum tensor_type *out, enum element_type type)
{
    const char *text = type == ELEMENT_INT8 ? "uint8" : type == ELEMENT_INT16 ? "uint16" : element_text(type);
    const int found = tensor_type_parse(text);

    *out = (enum tensor_type)found;
    return found < 0;
}

static int link(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    struct spec_tensor_map *map = argument->tensor_map;
    struct js_at name;

    if (js_member(&name, at, "tensor_map", reader->err) ||
        spec_find_buffer(&map->index, map->buffer, reader, &name))
        return reader->err->code;
    if (map->typed || !type_of(&map->type, reader->spec->arguments[map->index].type))
        return 0;
    return js_fail(at, reader->err, "a tensor map cannot hold the buffer's type; give it a \"type\"");
}

/* One of 0 and the widths in bytes, as its position among them. */
static int make_width(int *out, struct maker *maker, const struct expr *expr, const int widths[4],
                      const char *place, const char *name)
{
    char inside[96], expected[48];
    int64_t value;
    int count = 0, used = 0;

    *out = 0;
    if (!expr)
        return 0;
    snprintf(inside, sizeof inside, "%s.%s", place, name);
    if (make_integer(&value, maker, expr, INT64_MIN, INT64_MAX, inside))
        return ERR_USAGE;
    for (int k = 0; k < 4; k++)
        if (widths[k] == value) {
            *out = k;
            return 0;
        }
    while (count < 4 && widths[count] >= 0)
        count++;
    for (int k = 0; k < count; k++)
        used += snprintf(expected + used, sizeof expected - (size_t)used, "%s%d",
                         k == 0          ? ""
                         : k + 1 < count ? ", "
                                         : " or ",
                         widths[k]);
    return make_unexpected(maker, inside, expr, value, expected);
}

static int make_number(uint64_t *out, struct maker *maker, const struct expr *expr, uint64_t otherwise,
                       const char *place, const char *name, size_t index)
{
    char inside[96];
    int64_t value;

    *out = otherwise;
    if (!expr)
        return 0;
    snprintf(inside, sizeof inside, "%s.%s[%zu]", place, name, index);
    if (make_integer(&value, maker, expr, 0, INT64_MAX, inside))
        return ERR_USAGE;
    *out = (uint64_t)value;
    return 0;
}

/* The lists; strides are those of packed elements unless they are given. */
static int make_lists(struct tensor_map *out, struct maker *maker, const struct spec_tensor_map *from,
                      const char *place)
{
    uint64_t box, step;

    for (size_t d = 0; d < TENSOR_RANK_MOST; d++) {
        const uint64_t packed =
            d ? out->strides[d - 1] * out->dimensions[d - 1] : tensor_element_bytes(out->type);

        if (make_number(&out->dimensions[d], maker, from->dimensions[d], 1, place, "dimensions", d) ||
            make_number(&box, maker, from->box[d], 1, place, "box", d) ||
            make_number(&step, maker, from->element_strides[d], 1, place, "element_strides", d) ||
            make_number(&out->strides[d], maker, d ? from->strides[d - 1] : NULL, packed, place, "strides",
                        d ? d - 1 : 0))
            return ERR_USAGE;
        out->box[d] = box > UINT32_MAX ? UINT32_MAX : (unsigned)box;
        out->element_strides[d] = step > UINT32_MAX ? UINT32_MAX : (unsigned)step;
    }
    return 0;
}

static int make_offset(uint64_t *out, struct maker *maker, const struct expr *expr, const char *place)
{
    char inside[96];
    int64_t value = 0;

    snprintf(inside, sizeof inside, "%s.offset", place);
    if (expr && make_integer(&value, maker, expr, 0, INT64_MAX, inside))
        return ERR_USAGE;
    *out = (uint64_t)value;
    return 0;
}

static int make(struct argument *out, struct maker *maker, const struct spec_argument *from,
                const char *place)
{
    static const int interleaves[4] = {0, 16, 32, -1}, swizzles[4] = {0, 32, 64, 128},
                     l2[4] = {0, 64, 128, 256};
    const struct spec_tensor_map *map = from->tensor_map;
    struct tensor_map *made = out->tensor_map = calloc(1, sizeof *made);
    int interleave, swizzle, promotion;

    if (!made)
        return err_memory(maker->err);
    made->buffer = map->index;
    made->type = map->type;
    made->rank = (unsigned)map->rank;
    made->fill = map->fill;
    if (make_offset(&made->offset, maker, map->offset, place) || make_lists(made, maker, map, place) ||
        make_width(&interleave, maker, map->interleave, interleaves, place, "interleave") ||
        make_width(&swizzle, maker, map->swizzle, swizzles, place, "swizzle") ||
        make_width(&promotion, maker, map->l2, l2, place, "l2_promotion"))
        return ERR_USAGE;
    made->interleave = (enum tensor_interleave)interleave;
    made->swizzle = (enum tensor_swizzle)swizzle;
    made->l2 = (enum tensor_l2)promotion;
    return 0;
}

const struct spec_argument_ops spec_tensor_map = {
    .field = "tensor_map", .read = read, .link = link, .make = make};

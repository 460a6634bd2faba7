/* Tensor maps: a buffer of the same launch as the bulk tensor copies see it. */
#include "launch/argument_kind.h"
#include "launch/launch.h"

#include <stdlib.h>

static size_t parameter_bytes(const struct argument *argument)
{
    (void)argument;
    return TENSOR_MAP_BYTES;
}

static int parameter(unsigned char *out, const struct argument *argument, size_t index,
                     const struct argument_place *place, struct err *err)
{
    return place->tensor_map(place->context, out, argument->tensor_map, index, err);
}

static uint64_t hash_map(uint64_t hash, const struct argument *argument)
{
    return tensor_map_hash(hash, argument->tensor_map);
}

static int check(const struct argument *argument, const struct launch *launch, struct err *err)
{
    const struct tensor_map *map = argument->tensor_map;

    if (check_buffer(launch, map->buffer, err))
        return ERR_USAGE;
    return tensor_map_check(map, argument_memory_bytes(&launch->arguments[map->buffer]), err);
}

/* All numbers in one row, five for each list, whatever the rank. */
enum { NUMBERS = 8 + 4 * TENSOR_RANK_MOST };

static void write(struct js_line *line, const struct argument *argument)
{
    const struct tensor_map *map = argument->tensor_map;
    uint64_t numbers[NUMBERS] = {map->buffer,
                                 map->offset,
                                 (uint64_t)map->type,
                                 map->rank,
                                 (uint64_t)map->interleave,
                                 (uint64_t)map->swizzle,
                                 (uint64_t)map->l2,
                                 (uint64_t)map->fill};

    for (size_t k = 0; k < TENSOR_RANK_MOST; k++) {
        numbers[8 + 4 * k] = map->dimensions[k];
        numbers[8 + 4 * k + 1] = map->strides[k];
        numbers[8 + 4 * k + 2] = map->box[k];
        numbers[8 + 4 * k + 3] = map->element_strides[k];
    }
    js_line_array(line, "map");
    for (size_t k = 0; k < NUMBERS; k++)
        js_line_integer(line, NULL, (int64_t)numbers[k]);
    js_line_close(line, ']');
}

static void take_numbers(struct tensor_map *map, const uint64_t numbers[NUMBERS])
{
    *map = (struct tensor_map){.buffer = numbers[0],
                               .offset = numbers[1],
                               .type = (enum tensor_type)numbers[2],
                               .rank = (unsigned)numbers[3],
                               .interleave = (enum tensor_interleave)numbers[4],
                               .swizzle = (enum tensor_swizzle)numbers[5],
                               .l2 = (enum tensor_l2)numbers[6],
                               .fill = (enum tensor_fill)numbers[7]};
    for (size_t k = 0; k < TENSOR_RANK_MOST; k++) {
        map->dimensions[k] = numbers[8 + 4 * k];
        map->strides[k] = numbers[8 + 4 * k + 1];
        map->box[k] = (unsigned)numbers[8 + 4 * k + 2];
        map->element_strides[k] = (unsigned)numbers[8 + 4 * k + 3];
    }
}

static int read(struct argument *argument, const struct js_at *at, struct err *err)
{
    uint64_t numbers[NUMBERS];
    struct js_at list;

    if (js_member(&list, at, "map", err) || js_expect(&list, JS_ARRAY, err))
        return ERR_USAGE;
    if (js_count(&list) != NUMBERS)
        return js_fail(&list, err, "expected %d numbers", NUMBERS);
    for (size_t k = 0; k < NUMBERS; k++) {
        const struct js_at element = js_element(&list, k);

        if (js_unsigned(&numbers[k], &element, err))
            return ERR_USAGE;
    }
    if (numbers[2] >= TENSOR_TYPE_COUNT || numbers[4] > TENSOR_INTERLEAVE_32 ||
        numbers[5] > TENSOR_SWIZZLE_128 || numbers[6] > TENSOR_L2_256 || numbers[7] > TENSOR_FILL_NAN)
        return js_fail(&list, err, "holds an unknown type, interleave, swizzle, promotion or fill");
    argument->tensor_map = malloc(sizeof *argument->tensor_map);
    if (!argument->tensor_map)
        return err_memory(err);
    take_numbers(argument->tensor_map, numbers);
    return 0;
}

const struct argument_ops argument_tensor_map = {
    .text = "tensor_map",
    .memory = ARGUMENT_NO_MEMORY,
    .needs_bulk_copies = true,
    .parameter_bytes = parameter_bytes,
    .parameter = parameter,
    .hash = hash_map,
    .check = check,
    .write = write,
    .read = read,
};

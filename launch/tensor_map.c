#include "launch/tensor_map.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static const struct {
    const char *text;
    size_t bytes;
    bool real;
} types[TENSOR_TYPE_COUNT] = {
    [TENSOR_UINT8] = {"uint8", 1, false},
    [TENSOR_UINT16] = {"uint16", 2, false},
    [TENSOR_UINT32] = {"uint32", 4, false},
    [TENSOR_INT32] = {"int32", 4, false},
    [TENSOR_UINT64] = {"uint64", 8, false},
    [TENSOR_INT64] = {"int64", 8, false},
    [TENSOR_FLOAT16] = {"float16", 2, true},
    [TENSOR_FLOAT32] = {"float32", 4, true},
    [TENSOR_FLOAT64] = {"float64", 8, true},
    [TENSOR_BFLOAT16] = {"bfloat16", 2, true},
    [TENSOR_FLOAT32_FTZ] = {"float32_ftz", 4, true},
    [TENSOR_TFLOAT32] = {"tfloat32", 4, true},
    [TENSOR_TFLOAT32_FTZ] = {"tfloat32_ftz", 4, true},
};

static const uint64_t dimension_most = (uint64_t)1 << 32, stride_limit = (uint64_t)1 << 40;
enum { BOX_MOST = 256, ELEMENT_STRIDE_MOST = 8 };

int tensor_type_parse(const char *text)
{
    for (int k = 0; k < TENSOR_TYPE_COUNT; k++)
        if (!strcmp(text, types[k].text))
            return k;
    return -1;
}

size_t tensor_element_bytes(enum tensor_type type)
{
    return types[type].bytes;
}

unsigned tensor_swizzle_bytes(enum tensor_swizzle swizzle)
{
    return swizzle == TENSOR_SWIZZLE_NONE ? 0 : 16u << swizzle;
}

uint64_t tensor_box_bytes(const struct tensor_map *map)
{
    uint64_t elements = map->box[0];

    for (unsigned d = 1; d < map->rank; d++)
        elements *= (map->box[d] + map->element_strides[d] - 1) / map->element_strides[d];
    return elements * types[map->type].bytes;
}

static int check_box(const struct tensor_map *map, struct err *err)
{
    for (unsigned d = 0; d < map->rank; d++) {
        if (map->box[d] < 1 || map->box[d] > BOX_MOST)
            return err_set(err, ERR_USAGE, "box[%u]: is %u, expected 1 to %d elements", d, map->box[d],
                           BOX_MOST);
        if (map->element_strides[d] < 1 || map->element_strides[d] > ELEMENT_STRIDE_MOST)
            return err_set(err, ERR_USAGE, "element_strides[%u]: is %u, expected 1 to %d", d,
                           map->element_strides[d], ELEMENT_STRIDE_MOST);
    }
    return 0;
}

/* The bytes of a box along dimension 0. */
static int check_inner(const struct tensor_map *map, struct err *err)
{
    const size_t inner = map->box[0] * types[map->type].bytes;
    const unsigned row = tensor_swizzle_bytes(map->swizzle);

    if (map->interleave == TENSOR_INTERLEAVE_NONE && inner % 16)
        return err_set(err, ERR_USAGE, "box[0]: takes %zu bytes, expected a multiple of 16", inner);
    if (map->interleave == TENSOR_INTERLEAVE_NONE && row && inner > row)
        return err_set(err, ERR_USAGE, "box[0]: takes %zu bytes, more than the %u of the swizzle", inner,
                       row);
    if (map->interleave == TENSOR_INTERLEAVE_32 && map->swizzle != TENSOR_SWIZZLE_32)
        return err_set(err, ERR_USAGE, "swizzle: must be 32 where interleave is 32");
    return 0;
}

static int check_strides(const struct tensor_map *map, struct err *err)
{
    const uint64_t granule = map->interleave == TENSOR_INTERLEAVE_32 ? 32 : 16;

    if (map->offset % granule)
        return err_set(err, ERR_USAGE, "offset: is %" PRIu64 " bytes, expected a multiple of %" PRIu64,
                       map->offset, granule);
    for (unsigned d = 1; d < map->rank; d++)
        if (!map->strides[d] || map->strides[d] % granule || map->strides[d] >= stride_limit)
            return err_set(err, ERR_USAGE,
                           "strides[%u]: is %" PRIu64 " bytes, expected a multiple of %" PRIu64 " below 2^40",
                           d - 1, map->strides[d], granule);
    return 0;
}

/* Where the last element ends. Dimensions and strides are within their limits: five products of at most 2^72
 * are added as reals where they would not fit, and such a tensor fits in no buffer. */
static int check_extent(const struct tensor_map *map, uint64_t buffer_bytes, struct err *err)
{
    double end = (double)map->offset + (double)types[map->type].bytes;

    for (unsigned d = 0; d < map->rank; d++)
        end += (double)(map->dimensions[d] - 1) * (double)map->strides[d];
    if (end > (double)buffer_bytes)
        return err_set(err, ERR_USAGE,
                       "dimensions: the tensor ends %.17g bytes from the beginning of a buffer of %" PRIu64,
                       end, buffer_bytes);
    return 0;
}

int tensor_map_check(const struct tensor_map *map, uint64_t buffer_bytes, struct err *err)
{
    if (map->rank < 1 || map->rank > TENSOR_RANK_MOST)
        return err_set(err, ERR_USAGE, "dimensions: expected one to five, found %u", map->rank);
    if (map->interleave != TENSOR_INTERLEAVE_NONE && map->rank < 3)
        return err_set(err, ERR_USAGE, "interleave: needs three dimensions or more, there are %u", map->rank);
    for (unsigned d = 0; d < map->rank; d++)
        if (map->dimensions[d] < 1 || map->dimensions[d] > dimension_most)
            return err_set(err, ERR_USAGE, "dimensions[%u]: is %" PRIu64 ", expected 1 to 2^32", d,
                           map->dimensions[d]);
    if (check_box(map, err) || check_inner(map, err) || check_strides(map, err))
        return ERR_USAGE;
    if (map->fill == TENSOR_FILL_NAN && !types[map->type].real)
        return err_set(err, ERR_USAGE, "fill: nan needs a floating-point type, not %s",
                       types[map->type].text);
    return check_extent(map, buffer_bytes, err);
}

uint64_t tensor_map_hash(uint64_t hash, const struct tensor_map *map)
{
    hash = hash_u64(hash_u64(hash_u64(hash_u64(hash, map->buffer), map->offset), map->type), map->rank);
    for (unsigned d = 0; d < map->rank; d++) {
        hash = hash_u64(hash_u64(hash, map->dimensions[d]), map->strides[d]);
        hash = hash_u64(hash_u64(hash, map->box[d]), map->element_strides[d]);
    }
    hash = hash_u64(hash_u64(hash, map->interleave), map->swizzle);
    return hash_u64(hash_u64(hash, map->l2), map->fill);
}

/* A tensor map with every value fixed: what the bulk tensor copies of sm_90 and later (cp.async.bulk.tensor)
 * know of a tensor in global memory. The fields are the arguments of cuTensorMapEncodeTiled, dimension 0 the
 * innermost; the driver makes the 128 bytes of a kernel parameter of them, which nobody else can read. So the
 * emulator gets this struct beside the parameter: `argument->tensor_map` of a launch.
 *
 * What a copy does: the box at coordinates c[] holds, for each k below ceil(box[d] / element_strides[d]) in
 * every dimension d, the element at c[d] + k * element_strides[d] (dimension 0 has no element stride); it
 * lies in memory at the buffer's address + offset + (coordinate 0) * tensor_element_bytes + sum over d > 0 of
 * (coordinate d) * strides[d]. An element outside of [0, dimensions[d]) in any dimension is read as the fill
 * and not written. In shared memory the box is packed, dimension 0 innermost, and then swizzled: of the byte
 * address (which is aligned to the whole pattern: 256, 512 or 1024 bytes for 32, 64 or 128) the bits 4 to 4 +
 * n - 1 are exclusive-or'ed with the bits 7 to 7 + n - 1, where n is 1, 2 or 3 for 32, 64 or 128 bytes. A
 * load completes box elements x tensor_element_bytes at its mbarrier, whatever lies outside. */
#ifndef LAUNCH_TENSOR_MAP_H
#define LAUNCH_TENSOR_MAP_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { TENSOR_RANK_MOST = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGNMENT = 64 };

/* In the order of CUtensorMapDataType. */
enum tensor_type {
    TENSOR_UINT8,
    TENSOR_UINT16,
    TENSOR_UINT32,
    TENSOR_INT32,
    TENSOR_UINT64,
    TENSOR_INT64,
    TENSOR_FLOAT16,
    TENSOR_FLOAT32,
    TENSOR_FLOAT64,
    TENSOR_BFLOAT16,
    TENSOR_FLOAT32_FTZ,
    TENSOR_TFLOAT32,
    TENSOR_TFLOAT32_FTZ,
    TENSOR_TYPE_COUNT
};
/* In the order of the driver's enumerations. */
enum tensor_interleave { TENSOR_INTERLEAVE_NONE, TENSOR_INTERLEAVE_16, TENSOR_INTERLEAVE_32 };
enum tensor_swizzle { TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128 };
enum tensor_l2 { TENSOR_L2_NONE, TENSOR_L2_64, TENSOR_L2_128, TENSOR_L2_256 };
enum tensor_fill { TENSOR_FILL_ZERO, TENSOR_FILL_NAN };

struct tensor_map {
    size_t buffer;   /* which argument of the launch is the memory: a buffer */
    uint64_t offset; /* bytes from its beginning to the element at coordinates 0 */
    enum tensor_type type;
    unsigned rank;                         /* dimensions used; the others are 1 */
    uint64_t dimensions[TENSOR_RANK_MOST]; /* elements */
    uint64_t strides[TENSOR_RANK_MOST];    /* bytes; [0] is the element's size */
    unsigned box[TENSOR_RANK_MOST];        /* elements traversed */
    unsigned element_strides[TENSOR_RANK_MOST];
    enum tensor_interleave interleave;
    enum tensor_swizzle swizzle;
    enum tensor_l2 l2;
    enum tensor_fill fill;
};

/* Of "uint8", "float16", "tfloat32_ftz", ...; -1 when unknown. */
int tensor_type_parse(const char *text);
size_t tensor_element_bytes(enum tensor_type type);
unsigned tensor_swizzle_bytes(enum tensor_swizzle swizzle); /* of the pattern's rows; 0: none */

/* What a box takes in shared memory, and what a load completes at its mbarrier. */
uint64_t tensor_box_bytes(const struct tensor_map *map);

/* Refuses what cuTensorMapEncodeTiled is documented to refuse, and a tensor that reaches beyond a buffer of
 * `buffer_bytes`: ERR_USAGE with the field's name, "box[0]: ...". */
int tensor_map_check(const struct tensor_map *map, uint64_t buffer_bytes, struct err *err);

/* Continues `hash` over everything. */
uint64_t tensor_map_hash(uint64_t hash, const struct tensor_map *map);

#endif

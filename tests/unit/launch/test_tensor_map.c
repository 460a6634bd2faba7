#include "check.h"

#include "launch/tensor_map.h"

/* 64 x 64 of a row-major matrix of 1,000 x 512 halves. */
static struct tensor_map example(void)
{
    return (struct tensor_map){.type = TENSOR_BFLOAT16,
                               .rank = 2,
                               .dimensions = {512, 1000, 1, 1, 1},
                               .strides = {2, 1024},
                               .box = {64, 64, 1, 1, 1},
                               .element_strides = {1, 1, 1, 1, 1},
                               .swizzle = TENSOR_SWIZZLE_128};
}

static const uint64_t whole = 512 * 1000 * 2;

static void a_tensor_that_fits_is_taken(void **state)
{
    struct tensor_map map = example();

    assert_int_equal(tensor_map_check(&map, whole, NULL), 0);
    assert_int_equal(tensor_box_bytes(&map), 8192);
    map.element_strides[1] = 3;
    assert_int_equal(tensor_box_bytes(&map), 22 * 128);
    assert_int_equal(tensor_swizzle_bytes(map.swizzle), 128);
}

#define REFUSED(change, wanted)                                                                              \
    do {                                                                                                     \
        struct tensor_map map = example();                                                                   \
        struct err err = {0};                                                                                \
        change;                                                                                              \
        assert_int_equal(tensor_map_check(&map, whole, &err), ERR_USAGE);                                    \
        assert_string_equal(err.text, wanted);                                                               \
    } while (0)

static void every_limit_has_its_message(void **state)
{
    REFUSED(map.rank = 0, "dimensions: expected one to five, found 0");
    REFUSED(map.rank = 6, "dimensions: expected one to five, found 6");
    REFUSED(map.interleave = TENSOR_INTERLEAVE_16, "interleave: needs three dimensions or more, there are 2");
    REFUSED(map.dimensions[1] = 0, "dimensions[1]: is 0, expected 1 to 2^32");
    REFUSED(map.dimensions[0] = ((uint64_t)1 << 32) + 1, "dimensions[0]: is 4294967297, expected 1 to 2^32");
    REFUSED(map.box[1] = 0, "box[1]: is 0, expected 1 to 256 elements");
    REFUSED(map.box[1] = 257, "box[1]: is 257, expected 1 to 256 elements");
    REFUSED(map.box[0] = 60, "box[0]: takes 120 bytes, expected a multiple of 16");
    REFUSED(map.box[0] = 128, "box[0]: takes 256 bytes, more than the 128 of the swizzle");
    REFUSED((map.box[0] = 24, map.swizzle = TENSOR_SWIZZLE_32),
            "box[0]: takes 48 bytes, more than the 32 of the swizzle");
    REFUSED(map.element_strides[1] = 0, "element_strides[1]: is 0, expected 1 to 8");
    REFUSED(map.element_strides[1] = 9, "element_strides[1]: is 9, expected 1 to 8");
    REFUSED(map.strides[1] = 1000, "strides[0]: is 1000 bytes, expected a multiple of 16 below 2^40");
    REFUSED(map.strides[1] = (uint64_t)1 << 40,
            "strides[0]: is 1099511627776 bytes, expected a multiple of 16 below 2^40");
    REFUSED(map.offset = 8, "offset: is 8 bytes, expected a multiple of 16");
    REFUSED((map.rank = 3, map.strides[2] = 1024000, map.interleave = TENSOR_INTERLEAVE_32),
            "swizzle: must be 32 where interleave is 32");
    REFUSED((map.type = TENSOR_INT32, map.box[0] = 32, map.dimensions[0] = 256, map.fill = TENSOR_FILL_NAN,
             map.strides[0] = 4),
            "fill: nan needs a floating-point type, not int32");
    REFUSED(map.offset = 16,
            "dimensions: the tensor ends 1024016 bytes from the beginning of a buffer of 1024000");
    REFUSED(
        (map.dimensions[1] = (uint64_t)1 << 32, map.strides[1] = ((uint64_t)1 << 40) - 16),
        "dimensions: the tensor ends 4.7223664817014141e+21 bytes from the beginning of a buffer of 1024000");
}

int main(void)
{
    return RUN_TESTS(a_tensor_that_fits_is_taken, every_limit_has_its_message);
}

#include "check.h"

#include "model/emulate/count.h"

enum { ALL = -1 };

/* Groups of `group` lanes share an address, groups lie `apart` bytes from one another. */
static void addresses(uint64_t out[32], unsigned group, unsigned apart)
{
    for (unsigned lane = 0; lane < 32; lane++)
        out[lane] = 4096 + lane / group * apart;
}

/* Cycles of a load by `width` bytes a lane, as an NVIDIA H200 took them from L1 (1.04 to 1.05 of these) and
 * from shared memory (1.00 to 1.09). */
static void passes_are_as_measured(void **state)
{
    static const struct {
        unsigned width, group, apart, l1, shared;
    } cases[] = {
        {4, 32, 0, 1, 1},  {4, 1, 4, 1, 1},     {4, 16, 128, 2, 2}, {4, 8, 128, 4, 4},
        {8, 32, 0, 2, 1},  {8, 4, 8, 2, 1},     {8, 1, 8, 2, 2},    {8, 8, 128, 4, 4},
        {8, 4, 128, 8, 8}, {16, 32, 0, 4, 2},   {16, 2, 16, 4, 2},  {16, 8, 16, 4, 2},
        {16, 1, 16, 4, 4}, {16, 16, 128, 4, 2}, {16, 8, 128, 4, 4}, {16, 4, 128, 8, 8},
    };

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t address[32];

        addresses(address, cases[c].group, cases[c].apart);
        assert_int_equal(count_passes(address, (uint32_t)ALL, cases[c].width), cases[c].l1);
        assert_int_equal(count_wavefronts(address, (uint32_t)ALL, cases[c].width), cases[c].shared);
    }
}

/* A quarter of the warp counts its sectors and lines by itself; lanes off count for nothing. */
static void blocks_count_part_by_part(void **state)
{
    uint64_t address[32];

    (void)state;
    addresses(address, 32, 0);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 4, 32), 1);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 8, 32), 2);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 16, 32), 4);
    assert_int_equal(count_blocks(address, 0xff, 16, 32), 1);
    assert_int_equal(count_passes(address, 0xff, 16), 1);
    addresses(address, 1, 16);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 16, 32), 16);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 16, 128), 4);
    assert_int_equal(count_passes(address, 0, 16), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_as_measured),
        cmocka_unit_test(blocks_count_part_by_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

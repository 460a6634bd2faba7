/* What launches, warps and lines leave for others: single sectors, and how far blocks drift apart. */
#include "check.h"
#include "reuse_fixture.h"

#include "model/memory/skew.h"

/* What the launch before left in L2: of 4 MB that one block each reads, in a cache that holds so many MB of data that
 * all SMs use, and so many of data of one; of 8 MB that rows and columns of blocks share. */
static void launches_find_what_one_sm_read(void **state)
{
    static const struct {
        bool shared;
        double holds, once, l2, left;
    } cases[] = {{false, 3, 0, 6, 2. / 3}, {false, 3, 5, 6, 1},         {false, 2, 4, 6.6, 0.5},
                 {false, 1, 3, 4, 0},      {true, 6, 9, 10, 2.2 / 4.2}, {true, 6, 0, 10, 2. / 3}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;

        if (cases[c].shared) {
            fixture_set_up_square(&f, 1 << 20, 0);
        } else {
            fixture_set_up(&f, 1 << 20, 0);
            f.launch = (struct launch){.grid = {PANELS, 1, 1}, .block = {32, 1, 1}};
            f.result.region_count = 1;
            for (unsigned k = 0; k < BLOCKS; k++) {
                f.blocks[k] = (struct emulate_block){.position = {k, 0, 0}, .weight = 1, .warps = 1};
                assert_int_equal(footprint_mark(&f.blocks[k].read, A + (uint64_t)k * PANEL, PANEL, NULL), 0);
            }
        }
        f.caches.warm = true;
        f.caches.l2_holds = cases[c].holds * (1 << 20);
        f.caches.l2_bytes = cases[c].l2 * (1 << 20);
        f.caches.l2_holds_once = cases[c].once * (1 << 20);
        fixture_missed(&f);
        check_near(f.reuse_regions.left, cases[c].left, 1e-9);
        fixture_tear_down(&f);
    }
}

/* Blocks of 1024 sectors, each alone in its line: a wave of 128 touches the 4 MB of the region, and DRAM
 * brings 64 bytes for each. L2 has a quarter of the region at any time. */
static void sectors_anywhere_come_again(void **state)
{
    struct fixture f;

    fixture_set_up(&f, 1 << 20, 0);
    f.launch = (struct launch){.grid = {PANELS, PANELS, 1}, .block = {32, 1, 1}};
    f.result.region_count = 1;
    for (unsigned k = 0; k < BLOCKS; k++) {
        f.blocks[k] = (struct emulate_block){.position = {k % 3, k / 3, 0}, .weight = 1, .warps = 1};
        for (unsigned i = 0; i < 1024; i++)
            assert_int_equal(footprint_mark(&f.blocks[k].read, A + 256 * (BLOCKS * i + k), 32, NULL), 0);
    }
    check_near(fixture_missed(&f), SIDE + (32 * 2.0 * SIDE - SIDE) * 3 / 4, 1e-9);
    fixture_tear_down(&f);
}

/* One wave: 128 blocks of 4096 sectors, each alone in its line, ask for the 4 MB of the region eight times, 64 bytes at a
 * time. L2 has a quarter of it: after part h of the wave, exp(-8 h) = 3/4. From then on a quarter is found, up to then as
 * much as has been come to; where the launch before has left a quarter, that from the start. */
static void sectors_anywhere_are_lost_within_a_wave(void **state)
{
    struct fixture f;

    fixture_set_up(&f, 1 << 20, 0);
    f.launch = (struct launch){.grid = {16, 8, 1}, .block = {32, 1, 1}};
    f.result.region_count = 1;
    for (unsigned k = 0; k < BLOCKS; k++) {
        f.blocks[k] = (struct emulate_block){.position = {k % 3, k / 3, 0}, .weight = 1, .warps = 1};
        for (unsigned i = 0; i < 4096; i++)
            assert_int_equal(footprint_mark(&f.blocks[k].read, A + 256 * (BLOCKS * i + k), 32, NULL), 0);
    }
    check_near(fixture_missed(&f), SIDE * (8 * 3.0 / 4 + 1 - 3.0 / 4 * (1 + log(4.0 / 3))), 1);
    check_near(f.reuse_regions.reuse_region[1].ready, 1 - (7 - 3.0 / 4 * (1 + log(4.0 / 3))) / 8, 1e-6);
    reuse_regions_release(&f.reuse_regions);
    f.caches.warm = true;
    check_near(fixture_missed(&f), SIDE * 8 * 3.0 / 4, 1);
    fixture_tear_down(&f);
}

/* Blocks read rows of a line each, side by side along x; they write them side by side along y. */
static void lines_of_neighbours_in_x_are_not_alone(void **state)
{
    struct fixture f;

    fixture_set_up(&f, 1 << 20, 0);
    f.launch = (struct launch){.grid = {PANELS, PANELS, 1}, .block = {32, 1, 1}};
    for (unsigned k = 0; k < BLOCKS; k++) {
        const unsigned x = k < 3 ? k : 0, y = k < 3 ? 0 : 1;

        f.blocks[k] = (struct emulate_block){.position = {x, y, 0}, .weight = 1, .warps = 1};
        for (unsigned i = 0; i < 32; i++) {
            const uint64_t from = A + 4096 * (32 * y + i) + 128 * x, to = B + 4096 * (32 * x + i) + 128 * y;

            assert_int_equal(footprint_mark(&f.blocks[k].read, from, 128, NULL), 0);
            assert_int_equal(footprint_mark(&f.blocks[k].written, to, 128, NULL), 0);
        }
    }
    fixture_missed(&f);
    check_near(f.reuse_regions.reuse_region[1].read_lone, 0, 0);
    check_near(f.reuse_regions.reuse_region[2].written_lone, 1, 0);
    fixture_tear_down(&f);
}

/* Blocks write panels in pairs: one that shares all with the next shares nothing with the next but one. */
static void pairs_write_the_same(void **state)
{
    struct fixture f;

    fixture_set_up(&f, 1 << 20, 0);
    f.launch = (struct launch){.grid = {2 * PANELS, 1, 1}, .block = {32, 1, 1}};
    for (unsigned k = 0; k < BLOCKS; k++) {
        const unsigned x = k < 3 ? PANELS + k : 0;

        f.blocks[k] = (struct emulate_block){.position = {x, 0, 0}, .weight = 1, .warps = 1};
        assert_int_equal(footprint_mark(&f.blocks[k].written, A + (uint64_t)(x / 2) * PANEL, PANEL, NULL), 0);
    }
    fixture_missed(&f);
    check_near(f.reuse_regions.unique_written, SIDE, 0.01 * SIDE);
    fixture_tear_down(&f);
}

/* 2 blocks of 4 warps at 100 cycles each take 800. */
static void drift_is_what_latency_leaves(void **state)
{
    static const struct residency at = {
        .blocks = 1000, .sms = 10, .blocks_per_sm = 2, .warps_per_block = 4, .partitions = 4};
    struct capacity capacity[RESOURCE_COUNT] = {
        [RESOURCE_FMA] = {.per_sm = 1}, [RESOURCE_SHARED] = {.per_sm = 1}, [RESOURCE_L2] = {.per_sm = 1}};
    struct demand demand = {.count = {[RESOURCE_FMA] = 100, [RESOURCE_SHARED] = 50}};

    check_near(skew_share(&demand, capacity, &at, 200), 0.75, 1e-12);
    check_near(skew_share(&demand, capacity, &at, 900), 0, 0);
    demand.count[RESOURCE_L2] = 1000; /* all SMs wait for it alike */
    check_near(skew_share(&demand, capacity, &at, 900), 0, 0);
}

int main(void)
{
    return RUN_TESTS(launches_find_what_one_sm_read, sectors_anywhere_come_again,
                     sectors_anywhere_are_lost_within_a_wave, lines_of_neighbours_in_x_are_not_alone,
                     pairs_write_the_same, drift_is_what_latency_leaves);
}

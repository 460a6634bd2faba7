#include "check.h"

#include "model/memory/tables.h"

enum { KEPT = 4, TABLE = 1024 /* bytes: 16 lines */ };

/* A load of c[3] at a uniform register. */
static struct sass load(uint8_t uniform)
{
    return (struct sass){.op = SASS_ULDC,
                         .access_count = 1,
                         .accesses = {{.space = SASS_SPACE_CONSTANT, .uniform = uniform, .bank = 3}}};
}

/* Of `count` instructions, each issued 256 times a warp. */
static double missed(struct sass *instructions, size_t count, const struct tables_walkers *walkers,
                     size_t bytes)
{
    struct traffic_count counts[4] = {{0}};
    const struct sass_code code = {.instructions = instructions, .count = count};
    const struct traffic traffic = {.counts = counts, .instruction_count = count};
    struct cubin_kernel kernel = {.banks = {[3] = {.size = bytes}}};

    assert_in_range(count, 1, 4);
    for (size_t i = 0; i < count; i++)
        counts[i].issued = 256;
    return tables_missed(&code, &kernel, &traffic, walkers, KEPT);
}

static const struct tables_walkers apart = {.groups = 16, .together = 1, .spread = 1};

static void walkers_that_are_apart_miss(void **state)
{
    struct sass one[] = {load(4)};

    (void)state;
    check_near(missed(one, 1, &apart, TABLE), 256 * (1 - 4. / 16), 1e-9);
    check_near(missed(one, 1, &apart, 8 * TABLE), 256 * (1 - 4. / 128), 1e-9);
}

static void who_finds_a_line_does_not(void **state)
{
    const struct tables_walkers few = {.groups = KEPT, .together = 4, .spread = 1},
                                near = {.groups = 16, .together = 1, .spread = 0.25},
                                in_step = {.groups = 16, .together = 1};
    struct sass one[] = {load(4)};

    (void)state;
    check_near(missed(one, 1, &few, TABLE), 0, 0);
    check_near(missed(one, 1, &near, TABLE), 0, 0); /* over 4 lines */
    check_near(missed(one, 1, &in_step, TABLE), 0, 0);
    check_near(missed(one, 1, &apart, 256), 0, 0); /* all of the table is kept */
}

static void warps_of_a_block_help_each_other(void **state)
{
    const struct tables_walkers pairs = {.groups = 8, .together = 2, .spread = 1};
    struct sass one[] = {load(4)};
    const double alone = missed(one, 1, &apart, 8 * TABLE), together = missed(one, 1, &pairs, 8 * TABLE);

    (void)state;
    assert_true(together < alone);
    assert_true(together > alone / 2);
}

static void only_computed_places_count_and_neighbours_once(void **state)
{
    struct sass fixed[] = {load(SASS_URZ)}, beside[] = {load(4), load(4)},
                parted[] = {load(4), {.op = SASS_FMUL}, load(4)}, per_lane[] = {load(SASS_URZ)};

    (void)state;
    per_lane[0].op = SASS_LDC;
    check_near(missed(fixed, 1, &apart, TABLE), 0, 0);
    check_near(missed(per_lane, 1, &apart, TABLE), 0, 0);
    check_near(missed(beside, 2, &apart, TABLE), 192, 1e-9);
    check_near(missed(parted, 3, &apart, TABLE), 384, 1e-9);
}

static void blocks_are_groups_and_drift_with_every_wave(void **state)
{
    const struct residency
        many = {.blocks = 132 * 16 * 4,
                .sms = 132,
                .blocks_per_sm = 16,
                .warps_per_block = 4,
                .partitions = 4},
        large = {.blocks = 132 * 4, .sms = 132, .blocks_per_sm = 4, .warps_per_block = 16, .partitions = 4},
        small = {.blocks = 132 * 32, .sms = 132, .blocks_per_sm = 32, .warps_per_block = 1, .partitions = 4},
        lone = {.blocks = 132, .sms = 132, .blocks_per_sm = 16, .warps_per_block = 4, .partitions = 4};

    (void)state;
    check_near(tables_walkers_of(&many, 0.1).groups, 16, 0);
    check_near(tables_walkers_of(&many, 0.1).spread, 0.4, 1e-9);
    check_near(tables_walkers_of(&many, 0.5).spread, 1, 0);
    check_near(tables_walkers_of(&many, 0).spread, 0, 0);
    check_near(tables_walkers_of(&large, 0.1).groups, 4, 0);
    check_near(tables_walkers_of(&large, 0.1).together, 4, 0);
    check_near(tables_walkers_of(&small, 0.1).groups, 8, 0);
    check_near(tables_walkers_of(&small, 0.1).together, 1, 0);
    check_near(tables_walkers_of(&lone, 0.1).groups, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walkers_that_are_apart_miss),
        cmocka_unit_test(who_finds_a_line_does_not),
        cmocka_unit_test(warps_of_a_block_help_each_other),
        cmocka_unit_test(only_computed_places_count_and_neighbours_once),
        cmocka_unit_test(blocks_are_groups_and_drift_with_every_wave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "check.h"

#include "model/memory/tables.h"

enum { KEPT = 4, LINES = 16, STEPS = 256 };

/* A load of c[3] at a uniform register. */
static struct sass load(void)
{
    return (struct sass){.op = SASS_ULDC,
                         .access_count = 1,
                         .accesses = {{.space = SASS_SPACE_CONSTANT, .uniform = 4, .bank = 3}}};
}

/* A load issued STEPS times a warp, which goes through `lines` once, from line `first` on. */
static struct traffic_count walk(double lines, unsigned first)
{
    return (struct traffic_count){
        .issued = STEPS, .table_lines = lines, .table_moves = lines, .table_first = first};
}

/* `counts` with no lines are of another instruction. */
static struct tables_misses missed(const struct traffic_count *counts, size_t count,
                                   const struct tables_walkers *walkers)
{
    struct traffic_count copy[4];
    struct sass instructions[4] = {load(), load(), load(), load()};
    const struct sass_code code = {.instructions = instructions, .count = count};
    const struct traffic traffic = {.counts = copy, .instruction_count = count};
    struct tables_misses out;

    assert_in_range(count, 1, 4);
    memcpy(copy, counts, count * sizeof *copy);
    tables_missed(&out, &code, &traffic, walkers, KEPT);
    return out;
}

static const struct tables_walkers apart = {.groups = 16, .together = 1, .cohesion = 0.5, .spread = 1};

static void walkers_that_are_apart_miss(void **state)
{
    const struct traffic_count shorter = walk(LINES, 0), longer = walk(8 * LINES, 0);

    check_near(missed(&shorter, 1, &apart).expected, STEPS * (1 - 4. / LINES), 1e-9);
    check_near(missed(&longer, 1, &apart).expected, STEPS * (1 - 4. / (8 * LINES)), 1e-9);
    check_near(missed(&longer, 1, &apart).expected, missed(&longer, 1, &apart).apart, 1e-9);
}

static void lines_that_are_kept_do_not_miss(void **state)
{
    const struct traffic_count small = walk(KEPT, 0);

    check_near(missed(&small, 1, &apart).expected, 0, 0);
    check_near(missed(&small, 1, &apart).apart, 0, 0);
}

/* 16 warps bring each line once, at best. */
static void walkers_near_each_other_share_a_line(void **state)
{
    const struct tables_walkers near = {.groups = 16, .together = 1, .cohesion = 0.5, .spread = 0.25},
                                in_step = {.groups = 16, .together = 1, .cohesion = 0.5};
    const struct traffic_count one = walk(LINES, 0);

    check_near(missed(&one, 1, &near).expected, 1, 1e-9);
    check_near(missed(&one, 1, &in_step).expected, 1, 1e-9);
    check_near(missed(&one, 1, &in_step).in_step, 1, 1e-9);
    check_near(missed(&one, 1, &in_step).apart, missed(&one, 1, &apart).apart, 1e-9);
}

static void few_walkers_bring_their_own_lines(void **state)
{
    const struct tables_walkers few = {.groups = KEPT, .together = 1, .cohesion = 0.5, .spread = 1},
                                large = {.groups = KEPT, .together = 4, .cohesion = 0.5, .spread = 1};
    const struct traffic_count one = walk(LINES, 0);

    check_near(missed(&one, 1, &few).expected, LINES, 1e-9);
    check_near(missed(&one, 1, &few).apart, LINES, 1e-9);
    check_near(missed(&one, 1, &large).expected, LINES / 4, 1e-9);
    assert_true(missed(&one, 1, &large).apart > LINES); /* 16 warps, should they come apart */
}

static void warps_of_a_block_help_each_other(void **state)
{
    const struct tables_walkers pairs = {.groups = 8, .together = 2, .cohesion = 0.5, .spread = 1};
    const struct traffic_count one = walk(8 * LINES, 0);
    const double alone = missed(&one, 1, &apart).expected, together = missed(&one, 1, &pairs).expected;

    assert_true(together < alone);
    assert_true(together > alone / 2);
}

static void loads_beside_each_other_miss_once(void **state)
{
    const struct traffic_count beside[] = {walk(LINES, 0), walk(LINES, 0)},
                               parted[] = {walk(LINES, 0), {.issued = STEPS}, walk(LINES, 0)};

    check_near(missed(beside, 2, &apart).expected, 192, 1e-9);
    check_near(missed(parted, 3, &apart).expected, 384, 1e-9);
}

/* An unrolled loop: what one of its loads brings is there for the others. */
static void loads_that_walk_together_bring_a_line_once(void **state)
{
    const struct tables_walkers few = {.groups = KEPT, .together = 1, .cohesion = 0.5, .spread = 1};
    const struct traffic_count parted[] = {walk(LINES, 0), {.issued = STEPS}, walk(LINES, 0)},
                               elsewhere[] = {walk(LINES, 0), {.issued = STEPS}, walk(LINES, 32)};

    check_near(missed(parted, 3, &few).expected, LINES, 1e-9);
    check_near(missed(elsewhere, 3, &few).expected, 2 * LINES, 1e-9);
}

/* Four loads that look in four of the eight sets: 16 lines are kept for all of the loop, one for each group. */
static void loads_of_other_sets_keep_more_lines(void **state)
{
    static const struct traffic_count counts[] = {
        {.issued = STEPS, .table_lines = LINES, .table_moves = LINES, .table_first = 0},
        {.issued = STEPS, .table_lines = LINES, .table_moves = LINES, .table_first = 0},
        {.issued = STEPS, .table_lines = LINES, .table_moves = LINES, .table_first = 0},
        {.issued = STEPS, .table_lines = LINES, .table_moves = LINES, .table_first = 0}};
    const struct sass_code code = {.instructions = (struct sass[]){load(), load(), load(), load()},
                                   .count = 4};
    struct traffic_count copy[4];
    const struct traffic traffic = {.counts = copy, .instruction_count = 4};
    struct tables_misses out;

    memcpy(copy, counts, sizeof copy);
    tables_missed(&out, &code, &traffic, &apart, KEPT);
    check_near(out.expected, STEPS * (1 - 4. / LINES), 1e-9); /* all in one set: they thrash */
    for (int k = 0; k < 4; k++)
        code.instructions[k].accesses[0].offset = k * 64;
    tables_missed(&out, &code, &traffic, &apart, KEPT);
    check_near(out.expected, LINES, 1e-9);
    for (int k = 0; k < 4; k++)
        code.instructions[k].accesses[0].offset = k * 8 * 64; /* the same set again */
    tables_missed(&out, &code, &traffic, &apart, KEPT);
    check_near(out.expected, STEPS * (1 - 4. / LINES), 1e-9);
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

    check_near(tables_walkers_of(&many, 0.1, 0.5).groups, 16, 0);
    check_near(tables_walkers_of(&many, 0.1, 0.5).spread, 0.4, 1e-9);
    check_near(tables_walkers_of(&many, 0.5, 0.5).spread, 1, 0);
    check_near(tables_walkers_of(&many, 0, 0.5).spread, 0, 0);
    check_near(tables_walkers_of(&large, 0.1, 0.5).groups, 4, 0);
    check_near(tables_walkers_of(&large, 0.1, 0.5).together, 4, 0);
    check_near(tables_walkers_of(&small, 0.1, 0.5).groups, 8, 0);
    check_near(tables_walkers_of(&small, 0.1, 0.5).together, 1, 0);
    check_near(tables_walkers_of(&lone, 0.1, 0.5).groups, 1, 0);
}

int main(void)
{
    return RUN_TESTS(walkers_that_are_apart_miss, lines_that_are_kept_do_not_miss,
                     walkers_near_each_other_share_a_line, few_walkers_bring_their_own_lines,
                     warps_of_a_block_help_each_other, loads_beside_each_other_miss_once,
                     loads_that_walk_together_bring_a_line_once, loads_of_other_sets_keep_more_lines,
                     blocks_are_groups_and_drift_with_every_wave);
}

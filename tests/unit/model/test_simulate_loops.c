#include "check.h"
#include "simulate_fixture.h"

/* A loop of 10 FADDs, 1000 times. */
static void loops_are_extrapolated(void **state)
{
    struct fixture f = {.steps = {{.body = 1, .repeats = 1000}, {.count = 11}, {.first = 11, .count = 1}},
                        .path = {.count = 3}};

    fixture_fill(&f, 12, fixture_plain(SASS_FADD, 4, 0));
    f.code[10] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, 12, 2);
    check_near(fixture_simulate(&f, 1, false).first, 1000 * 50, 100);
}

/* A warp may have four copies under way: the first passes wait for nothing, from then on four of them take as
 * long as L2 and a pass's own instructions. */
static void loops_are_extrapolated_from_where_they_are_steady(void **state)
{
    struct fixture f = {.steps = {{.body = 1, .repeats = 1000}, {.count = 4}, {.first = 4, .count = 1}},
                        .path = {.count = 3}};

    f.code[0] = fixture_load(SASS_LDGSTS, SASS_SPACE_GLOBAL, SASS_NO_BARRIER);
    f.code[1] = fixture_plain(SASS_LDGDEPBAR, 1, 0);
    f.code[1].control.write_barrier = 0;
    f.code[2] = fixture_plain(SASS_DEPBAR, 1, 0);
    f.code[2].source_count = 2;
    f.code[2].sources[0] = (struct sass_operand){.kind = SASS_SCOREBOARD, .index = 0};
    f.code[2].sources[1] = (struct sass_operand){.kind = SASS_IMMEDIATE, .value = 3};
    f.code[3] = fixture_plain(SASS_BRA, 5, 0);
    f.code[4] = fixture_plain(SASS_EXIT, 5, 0);
    fixture_set_up(&f, 5, 1);
    f.counts[0].requests = f.counts[0].sectors = 1;
    check_near(fixture_simulate(&f, 1, false).first, 1000 / 4 * (270 + 11), 700);
}

/* Two blocks go as often round one loop, one of them in parts that are told apart, as turns at a border may be: most of its
 * iterations are in the lists, few of the other's. Both last as long. */
static void blocks_of_like_work_last_as_long(void **state)
{
    enum { PARTS = 20 };
    struct fixture f = {.path = {.count = 3}};
    struct emulate_step whole[3] = {{.body = 1, .repeats = 1000}, {.count = 11}, {.first = 11, .count = 1}},
                        parts[2 * PARTS + 1] = {[2 * PARTS] = {.first = 11, .count = 1}};
    struct emulate_path paths[2] = {{.steps = whole, .count = 3}, {.steps = parts, .count = 2 * PARTS + 1}};
    struct emulate_block other;
    uint32_t others[2] = {1, 1};

    for (unsigned k = 0; k < PARTS; k++) {
        parts[2 * k] = (struct emulate_step){.body = 1, .repeats = 1000 / PARTS};
        parts[2 * k + 1] = (struct emulate_step){.count = 11};
    }
    fixture_fill(&f, 12, fixture_plain(SASS_FADD, 4, 0));
    f.code[10] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, 12, 2);
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    other = f.block;
    other.paths = others;
    f.blocks[1] = &other;
    check_near(fixture_simulate(&f, 4, false).first, 1000 * 50, 1000);
}

/* Of paths too long to be simulated the beginning, without loops but for a slow one: what that costs says nothing of the
 * rest, which issues an instruction a cycle and scheduler. */
static void long_ways_go_on_as_they_begin(void **state)
{
    enum { TURNS = 720, BODY = 50, LOOP = 735, STEPS = TURNS + 5 };
    static struct emulate_step steps[STEPS] = {{.body = 1, .repeats = 40},
                                               {.count = 2},
                                               [STEPS - 3] = {.body = 1, .repeats = LOOP},
                                               {.first = 2, .count = BODY},
                                               {.first = CODE - 1, .count = 1}};
    struct emulate_path paths[2] = {{.steps = steps, .count = STEPS}, {.steps = steps, .count = STEPS - 1}};
    struct fixture f = {.path = {.count = 3}};
    struct emulate_block other;
    const double cycles = 16. * (TURNS + LOOP) * BODY;
    uint32_t others[16];

    for (unsigned k = 0; k < TURNS; k++)
        steps[2 + k] = (struct emulate_step){.first = 2 + k % 2, .count = BODY};
    for (unsigned w = 0; w < 16; w++)
        others[w] = 1;
    fixture_fill(&f, CODE, fixture_plain(SASS_FADD, 1, 0));
    f.code[0] = fixture_load(SASS_LDS, SASS_SPACE_SHARED, 0);
    f.code[1] = fixture_plain(SASS_BRA, 5, 1);
    fixture_set_up(&f, CODE, 16);
    f.counts[0] = (struct traffic_count){.issued = 1, .requests = 1, .wavefronts = 32};
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    other = f.block;
    other.paths = others;
    f.blocks[1] = &other;
    check_near(fixture_simulate(&f, 4, false).first, cycles, cycles / 4);
}

/* A loop of so many instructions that few of its iterations are simulated, by as many warps as there can be:
 * every scheduler issues one instruction a cycle. */
static void long_loops_are_extrapolated_from_few_iterations(void **state)
{
    struct fixture f = {.steps = {{.body = 1, .repeats = 1000}, {.count = 591}, {.first = 591, .count = 1}},
                        .path = {.count = 3}};

    fixture_fill(&f, 592, fixture_plain(SASS_FADD, 1, 0));
    f.code[590] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, 592, 16);
    check_near(fixture_simulate(&f, 4, false).first, 1000. * 590 * 16, 1000. * 590 * 16 / 100);
}

/* Ten slow instructions, then a loop of ten fast ones: what an iteration costs is not in proportion to what
 * of it is simulated. */
static void loops_within_loops_keep_their_share(void **state)
{
    struct fixture f = {.path = {.count = 5}};

    for (unsigned inner = 2; inner <= 16; inner *= 2) {
        f.steps[0] = (struct emulate_step){.body = 3, .repeats = 1000};
        f.steps[1] = (struct emulate_step){.count = 10};
        f.steps[2] = (struct emulate_step){.body = 1, .repeats = inner};
        f.steps[3] = (struct emulate_step){.first = 10, .count = 11};
        f.steps[4] = (struct emulate_step){.first = 21, .count = 1};
        fixture_fill(&f, 22, fixture_plain(SASS_FADD, 1, 0));
        for (unsigned i = 0; i < 10; i++)
            f.code[i] = fixture_plain(SASS_FADD, 15, 0);
        f.code[20] = fixture_plain(SASS_BRA, 5, 0);
        fixture_set_up(&f, 22, 2);
        check_near(fixture_simulate(&f, 1, false).first, 1000 * (150 + inner * 20), 1000);
    }
}

/* The second warp waits for a phase at which the first one arrives at its end. Of such long paths only the
 * beginning is simulated, and what is left of each differs: none may wait for one that was cut short. */
static void long_waits_are_extrapolated(void **state)
{
    enum { LOOPS = 9000, BODY = 10 };
    struct emulate_step paths_steps[2][4] = {
        {{.body = 1, .repeats = LOOPS}, {.count = BODY}, {.first = BODY, .count = 2}},
        {{.first = BODY, .count = 1}, {.body = 1, .repeats = LOOPS}, {.count = BODY}, {BODY + 1, 1, 0, 0}},
    };
    struct emulate_path paths[2] = {{.steps = paths_steps[0], .count = 3},
                                    {.steps = paths_steps[1], .count = 4}};
    struct emulate_event arrival = {.instruction = BODY, .phase = 1, .arrivals = 1, .last = true},
                         wait = {.instruction = BODY, .phase = 1, .waits = true, .last = true};
    struct emulate_events events[2] = {{.list = &arrival, .count = 1}, {.list = &wait, .count = 1}};
    struct fixture f = {.paths = {0, 1}};
    struct sm_cycles out;

    fixture_fill(&f, BODY + 2, fixture_plain(SASS_FADD, 4, 0));
    f.code[BODY] = fixture_plain(SASS_SYNCS, 1, 0);
    fixture_set_up(&f, BODY + 2, 2);
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    f.block.events = events;
    f.block.phases = 1;
    out = fixture_simulate(&f, 1, false);
    assert_false(out.lost);
    check_near(out.first, 2. * LOOPS * BODY * 4, 2000);
}

/* A loop of waits of which only the first `noted` phases are known: as many thousandths of it are simulated. */
static struct sm_cycles waits_noted(unsigned noted)
{
    enum { LOOPS = 1000, BODY = 10, MOST = 500 };
    struct emulate_step steps[] = {
        {.body = 2, .repeats = LOOPS}, {.count = BODY}, {BODY, 1, 0, 0}, {BODY + 1, 1, 0, 0}};
    struct emulate_path path = {.steps = steps, .count = 4};
    struct emulate_event list[2 * MOST];
    struct emulate_events events = {.list = list, .count = 2 * (size_t)noted, .cut = true};
    struct fixture f = {0};

    for (unsigned k = 0; k < noted; k++) {
        list[2 * k] = (struct emulate_event){.instruction = BODY, .phase = k + 1, .waits = true};
        list[2 * k + 1] =
            (struct emulate_event){.instruction = BODY, .phase = k + 1, .arrivals = 1, .last = true};
    }
    fixture_fill(&f, BODY + 2, fixture_plain(SASS_FADD, 4, 0));
    f.code[BODY] = fixture_plain(SASS_SYNCS, 1, 0);
    fixture_set_up(&f, BODY + 2, 1);
    f.emulation = (struct emulate_result){.paths = &path, .path_count = 1};
    f.block.events = &events;
    f.block.phases = noted;
    return fixture_simulate(&f, 1, false);
}

/* From the beginning the rest is extrapolated, from a few phases of it nothing. */
static void a_short_beginning_says_nothing(void **state)
{
    const struct sm_cycles out = waits_noted(500);

    assert_false(out.lost);
    check_near(out.first, 1000 * 41, 2000);
    assert_true(waits_noted(5).lost);
}

/* An instruction waits for a phase that it ends itself, by what it does next: the warp goes on. */
static void what_ends_its_own_wait_goes_on(void **state)
{
    enum { BODY = 10 };
    struct emulate_event own[2] = {{.instruction = BODY, .phase = 1, .waits = true},
                                   {.instruction = BODY, .phase = 1, .arrivals = 1, .last = true}};
    struct emulate_events events[1] = {{.list = own, .count = 2}};
    struct fixture f = {0};
    struct sm_cycles out;

    fixture_fill(&f, BODY + 2, fixture_plain(SASS_FADD, 4, 0));
    f.code[BODY] = fixture_plain(SASS_SYNCS, 1, 0);
    fixture_set_up(&f, BODY + 2, 1);
    f.block.events = events;
    f.block.phases = 1;
    out = fixture_simulate(&f, 1, false);
    assert_false(out.lost);
    check_near(out.first, 4. * BODY, 100);
}

/* A short block and a long one, each with a phase that it ends itself: the first wave on a place alone has a block of the mean
 * work, not the one that comes first. */
static void the_first_wave_is_of_the_mean_work(void **state)
{
    enum { BODY = 10 };
    struct emulate_step steps[2][3];
    struct emulate_path paths[2];
    struct emulate_event own[2] = {{.instruction = BODY, .phase = 1, .waits = true},
                                   {.instruction = BODY, .phase = 1, .arrivals = 1, .last = true}};
    struct emulate_events events[1] = {{.list = own, .count = 2}};
    struct fixture f = {0};
    struct emulate_block other;
    uint32_t others[1] = {1};

    for (unsigned p = 0; p < 2; p++) {
        steps[p][0] = (struct emulate_step){.body = 1, .repeats = p ? 300 : 100};
        steps[p][1] = (struct emulate_step){.count = BODY};
        steps[p][2] = (struct emulate_step){.first = BODY, .count = 2};
        paths[p] = (struct emulate_path){.steps = steps[p], .count = 3};
    }
    fixture_fill(&f, BODY + 2, fixture_plain(SASS_FADD, 4, 0));
    f.code[BODY] = fixture_plain(SASS_SYNCS, 1, 0);
    fixture_set_up(&f, BODY + 2, 1);
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    f.block.events = events;
    f.block.phases = 1;
    other = f.block;
    other.paths = others;
    f.blocks[1] = &other;
    check_near(fixture_simulate(&f, 1, true).first, 200 * BODY * 4, 300);
}

/* Eight warps with a loop of FADDs, and one of `last`, every fourth with `more` in each iteration than the others. */
static struct sm_cycles on_first(unsigned more, enum sass_op last)
{
    enum { BODY = 40 };
    struct fixture f = {0};
    struct emulate_step steps[2][3];
    struct emulate_path paths[2];

    fixture_fill(&f, BODY + more + 2, fixture_plain(SASS_FADD, 1, 0));
    f.code[BODY + more - 1] = fixture_plain(last, 1, 0);
    f.code[BODY + more] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, BODY + more + 2, 8);
    for (unsigned p = 0; p < 2; p++) {
        const uint32_t skipped = p ? 0 : more;

        steps[p][0] = (struct emulate_step){.body = 1, .repeats = 1000};
        steps[p][1] = (struct emulate_step){.first = skipped, .count = BODY + more + 1 - skipped};
        steps[p][2] = (struct emulate_step){.first = BODY + more + 1, .count = 1};
        paths[p] = (struct emulate_path){.steps = steps[p], .count = 3};
    }
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    for (size_t i = 0; i < 8; i++)
        f.paths[i] = i % 4 == 0;
    return fixture_simulate(&f, 1, false);
}

/* Where all four sub-partitions have as much to do, the instructions of one of them are simulated; where one has twice as
 * much, or one may ask the copy engine for something that all need, those of all. */
static void one_sub_partition_stands_for_all(void **state)
{
    const struct sm_cycles even = on_first(4, SASS_FADD), uneven = on_first(40, SASS_FADD),
                           copies = on_first(4, SASS_UTMACMDFLUSH);

    check_near(even.first, 1000. * 2 * 45, 6000);
    check_near(uneven.first, 1000. * 2 * 81, 6000);
    assert_in_range(even.issued, 2 * 8 * 45, 2 * 9 * 45);
    assert_in_range(copies.issued, 8 * (2 * 45 + 6 * 41), 9 * (2 * 45 + 6 * 41));
    assert_in_range(uneven.issued, 8 * (2 * 81 + 6 * 41), 9 * (2 * 81 + 6 * 41));
}

/* Four sub-partitions load at the same time, each as often as the units are free again: one that stands for all of them waits
 * for the others' as well. */
static void one_sub_partition_has_its_share(void **state)
{
    enum { PASSES = 8 };
    struct fixture f = {.steps = {{.body = 1, .repeats = 1000}, {.count = 3}, {.first = 3, .count = 1}},
                        .path = {.count = 3}};

    f.code[0] = fixture_load(SASS_LDS, SASS_SPACE_SHARED, 0);
    f.code[1] = fixture_plain(SASS_FADD, 1, 1);
    f.code[2] = fixture_plain(SASS_BRA, 5, 0);
    f.code[3] = fixture_plain(SASS_EXIT, 5, 0);
    fixture_set_up(&f, 4, 16);
    f.counts[0] = (struct traffic_count){.issued = 1, .requests = 1, .wavefronts = PASSES};
    check_near(fixture_simulate(&f, 1, false).first, 1000. * 16 * PASSES, 1000);
}

int main(void)
{
    return RUN_TESTS(loops_are_extrapolated, blocks_of_like_work_last_as_long, long_ways_go_on_as_they_begin,
                     loops_are_extrapolated_from_where_they_are_steady,
                     long_loops_are_extrapolated_from_few_iterations, loops_within_loops_keep_their_share,
                     long_waits_are_extrapolated, the_first_wave_is_of_the_mean_work,
                     a_short_beginning_says_nothing, what_ends_its_own_wait_goes_on,
                     one_sub_partition_stands_for_all, one_sub_partition_has_its_share);
}

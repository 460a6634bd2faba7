/* Which warp goes next, and when a barrier lets them go. */
#include "check.h"
#include "simulate_fixture.h"

enum { BODY = 500 /* instructions in the innermost of nested loops */ };

/* Two warps of a scheduler, each with 64 FADDs and then a load it waits for, ROUNDS times. Taking turns they
 * wait together; one that goes on leaves the other something to do meanwhile. */
static double rounds(bool yields)
{
    struct fixture f = {0};

    fixture_fill(&f, 66 * ROUNDS + 1, fixture_plain(SASS_FADD, 1, 0));
    for (size_t i = 0; i < 66 * ROUNDS; i++) {
        if (i % 66 == 64)
            f.code[i] = fixture_load(SASS_LDS, SASS_SPACE_SHARED, 0);
        else if (i % 66 == 65)
            f.code[i] = fixture_plain(SASS_FADD, 1, 1);
        f.code[i].control.yield = yields;
    }
    fixture_set_up(&f, 66 * ROUNDS + 1, 8);
    for (size_t i = 64; i < 66 * ROUNDS; i += 66)
        f.counts[i] = (struct traffic_count){.issued = 1, .requests = 1, .wavefronts = 1};
    return fixture_simulate(&f, 1, false).first;
}

static void a_warp_goes_on_unless_it_yields(void **state)
{
    const double turns = rounds(true), goes_on = rounds(false);

    check_near(turns, ROUNDS * (2 * 66 + 29), 80);
    check_near(goes_on, ROUNDS * 2 * 66, 80);
}

/* Blocks that keep the load/store units busy between barriers: if the loads of one scheduler went before
 * those of the others, its warps would come to the barrier first, and the last ones alone would leave the
 * units idle. */
static void sub_partitions_take_turns(void **state)
{
    enum { BATCHES = 16, LOADS = 2, COUNT = BATCHES * (LOADS + 1) + 3, WARPS = 32, BLOCKS = 2 };
    struct fixture f = {
        .steps = {{.body = 1, .repeats = 1000}, {.count = COUNT - 1}, {.first = COUNT - 1, .count = 1}},
        .path = {.count = 3}};

    fixture_fill(&f, COUNT, fixture_plain(SASS_FADD, 4, 1));
    for (unsigned i = 0; i < BATCHES * (LOADS + 1); i++)
        if (i % (LOADS + 1) < LOADS)
            f.code[i] = fixture_load(SASS_LDS, SASS_SPACE_SHARED, 0);
    f.code[COUNT - 3] = fixture_plain(SASS_BAR, 1, 0);
    f.code[COUNT - 2] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, COUNT, WARPS);
    for (unsigned i = 0; i < BATCHES * (LOADS + 1); i++)
        if (i % (LOADS + 1) < LOADS)
            f.counts[i].requests = f.counts[i].wavefronts = 1;
    check_near(fixture_simulate(&f, BLOCKS, false).first, 1000. * BATCHES * LOADS * WARPS * BLOCKS, 20000);
}

/* One of a scheduler's two warps waits for a load at its end. If it goes first, the other fills that time. */
static double waiting_warp(unsigned which)
{
    struct fixture f = {0};
    struct emulate_path paths[2];

    fixture_fill(&f, 103, fixture_plain(SASS_FADD, 1, 0));
    f.code[100] = fixture_load(SASS_LDS, SASS_SPACE_SHARED, 0);
    f.code[101] = fixture_plain(SASS_FADD, 1, 1);
    f.steps[0] = (struct emulate_step){.count = 103};
    f.steps[1] = (struct emulate_step){.count = 100};
    f.steps[2] = (struct emulate_step){.first = 102, .count = 1};
    fixture_set_up(&f, 103, 8);
    f.counts[100] = (struct traffic_count){.issued = 1, .requests = 1, .wavefronts = 1};
    paths[0] = (struct emulate_path){.steps = f.steps, .count = 1};
    paths[1] = (struct emulate_path){.steps = f.steps + 1, .count = 2};
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    for (size_t i = 0; i < 8; i++)
        f.paths[i] = i / 4 != which;
    return fixture_simulate(&f, 1, false).first;
}

static void the_youngest_goes_first(void **state)
{
    check_near(waiting_warp(1), 100 + 1 + 101 + 1 + 5, 5);
    check_near(waiting_warp(0), 101 + 100 + 1 + 29 + 1 + 5, 5);
}

/* Three warps of a scheduler, each with 100 FADDs that it can issue every second cycle. Those of a block take
 * turns. Of blocks the first two leave the third one nothing, unless they yield, and then it is alone. */
static void the_older_block_goes_first(void **state)
{
    static const struct {
        unsigned warps, blocks;
        bool yields;
        double cycles;
    } cases[] = {{12, 1, false, 300}, {4, 3, false, 400}, {4, 3, true, 300}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f = {0};

        fixture_fill(&f, 101, fixture_plain(SASS_FADD, 2, 0));
        for (size_t i = 0; i < 100; i++)
            f.code[i].control.yield = cases[c].yields;
        fixture_set_up(&f, 101, cases[c].warps);
        check_near(fixture_simulate(&f, cases[c].blocks, false).first, cases[c].cycles, 10);
    }
}

/* Four warps of a block, one a scheduler, come to a barrier together, or 50 cycles apart. */
static double meet(bool together)
{
    struct fixture f = {0};
    struct emulate_step steps[4];
    struct emulate_path paths[4];

    fixture_fill(&f, 212, fixture_plain(SASS_FADD, 1, 0));
    f.code[200] = fixture_plain(SASS_BAR, 1, 0);
    fixture_set_up(&f, 212, 4);
    for (size_t w = 0; w < 4; w++) {
        const uint32_t skipped = together ? 0 : 50 * (uint32_t)w;

        steps[w] = (struct emulate_step){.first = skipped, .count = 212 - skipped};
        paths[w] = (struct emulate_path){.steps = &steps[w], .count = 1};
        f.paths[w] = (uint32_t)w;
    }
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 4};
    return fixture_simulate(&f, 1, false).first;
}

static void a_barrier_takes_note_of_one_warp_after_another(void **state)
{
    check_near(meet(true), 200 + 20 + 3 + 10 + 5, 2);
    check_near(meet(false), 200 + 20 + 10 + 5, 2);
}

/* Twelve iterations cost less than twice the eight of the longer cut: all are simulated, once. Two warps of two
 * blocks. */
static void short_loops_are_simulated_whole(void **state)
{
    struct fixture f = {.steps = {{.body = 1, .repeats = 12}, {.count = 11}, {.first = 11, .count = 1}},
                        .path = {.count = 3}};
    struct sm_cycles out;

    fixture_fill(&f, 12, fixture_plain(SASS_FADD, 4, 0));
    f.code[10] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, 12, 2);
    out = fixture_simulate(&f, 2, false);
    assert_int_equal(out.issued, 2 * 2 * (12 * 11 + 1));
}

/* Four loops, one within the other, around BODY instructions; blocks of one warp. */
static struct sm_cycles nested(const unsigned repeats[4], unsigned blocks)
{
    struct fixture f = {.steps = {{.body = 4}, {.body = 3}, {.body = 2}, {.body = 1}, {.count = BODY}},
                        .path = {.count = 5}};

    for (int l = 0; l < 4; l++)
        f.steps[l].repeats = repeats[l];
    fixture_fill(&f, BODY, fixture_plain(SASS_FADD, 4, 0));
    f.code[BODY - 1] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, BODY, 1);
    return fixture_simulate(&f, blocks, false);
}

/* That all iterations of a block cost what a few do, of which nothing is left out. */
static void check_iterations(const unsigned repeats[4])
{
    const double few = nested((unsigned[]){1, 1, 1, 2}, 1).first;
    const double each = nested((unsigned[]){1, 1, 1, 3}, 1).first - few;
    const double all = (double)repeats[0] * repeats[1] * repeats[2] * repeats[3] * each;

    check_near(nested(repeats, 1).first, all, .001 * all);
}

/* 96,000 instructions of a warp cost less than twice the 64,000 of the longer cut, of two blocks. */
static void long_paths_are_simulated_whole_to_their_end(void **state)
{
    assert_int_equal(nested((unsigned[]){1, 1, 12, 16}, 2).issued, 2 * 12 * 16 * BODY);
}

/* 4 times 16 times 4 iterations, and more, have more instructions than are simulated of a path: 4 times 16 times
 * 2 are, in both simulations together little more. */
static void iterations_too_long_for_a_cut_take_the_next(void **state)
{
    const unsigned repeats[4] = {1, 100, 100, 10};

    check_iterations(repeats);
    assert_in_range(nested(repeats, 1).issued, 4 * 16 * 2 * BODY, 4 * 16 * 2 * BODY + BODY);
}

/* So have 2 times 8 times 2 times 8, the fewest. */
static void what_is_left_out_of_a_path_costs_what_the_rest_does(void **state)
{
    check_iterations((unsigned[]){20, 20, 20, 20});
}

/* Of 60 loops one after another, too many for a few iterations of each: those of the first ones stand for all. */
static void loops_that_follow_are_alike(void **state)
{
    const double all = 60. * (190 + 100) / 2 * 61 * 8;
    struct fixture f = {0};
    struct emulate_step steps[2][121];
    struct emulate_path paths[2] = {{.steps = steps[0], .count = 121}, {.steps = steps[1], .count = 121}};
    struct emulate_block shorter;
    uint32_t others[16];
    struct sm_cycles out;

    for (unsigned p = 0; p < 2; p++) {
        for (unsigned k = 0; k < 120; k += 2) {
            steps[p][k] = (struct emulate_step){.body = 1, .repeats = p ? 100 : 190};
            steps[p][k + 1] = (struct emulate_step){.count = 61};
        }
        steps[p][120] = (struct emulate_step){.first = 61, .count = 1};
    }
    for (unsigned w = 0; w < 16; w++)
        others[w] = 1;
    fixture_fill(&f, 62, fixture_plain(SASS_FADD, 4, 0));
    f.code[60] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, 62, 16);
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    shorter = f.block;
    shorter.paths = others;
    f.blocks[1] = &shorter;
    out = fixture_simulate(&f, 2, false);
    check_near(out.first, all, 0.03 * all);
    assert_in_range(out.issued, 1, 500000); /* 431,872 when this was written; 959,428 with all loops */
}

int main(void)
{
    return RUN_TESTS(loops_that_follow_are_alike, a_warp_goes_on_unless_it_yields, sub_partitions_take_turns,
                     the_youngest_goes_first, the_older_block_goes_first,
                     a_barrier_takes_note_of_one_warp_after_another, short_loops_are_simulated_whole,
                     long_paths_are_simulated_whole_to_their_end, iterations_too_long_for_a_cut_take_the_next,
                     what_is_left_out_of_a_path_costs_what_the_rest_does);
}

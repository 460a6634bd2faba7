#include "check.h"
#include "simulate_fixture.h"

/* Dependent FADDs: a warp issues every 4 cycles; four warps on a scheduler fill it, eight take twice as long. */
static void latency_then_throughput(void **state)
{
    static const struct {
        unsigned blocks;
        double cycles;
    } cases[] = {{1, 2000}, {2, 2000}, {8, 2000}, {16, 4000}, {32, 8000}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f = {0};

        fixture_fill(&f, 501, fixture_plain(SASS_FADD, 4, 0));
        fixture_set_up(&f, 501, 2);
        check_near(fixture_simulate(&f, cases[c].blocks, false).first, cases[c].cycles, 40);
    }
}

/* Half-rate instructions of one warp after another: the pipe, not the scheduler, is what they wait for. */
static void a_pipe_is_shared(void **state)
{
    struct fixture f = {0};

    fixture_fill(&f, 501, fixture_plain(SASS_IADD3, 1, 0));
    fixture_set_up(&f, 501, 4);
    check_near(fixture_simulate(&f, 2, false).first, 2 * 500 * 2, 40);
}

/* Among five instructions on pipes that have time, one that takes three slots of issue. */
static void a_scheduler_is_kept(void **state)
{
    struct fixture f = {0};

    fixture_fill(&f, 501, fixture_plain(SASS_FADD, 1, 0));
    for (size_t i = 0; i < 500; i += 5)
        f.code[i].op = SASS_IMAD, f.code[i].mod[SASS_MOD_WIDE] = 1;
    fixture_set_up(&f, 501, 4);
    f.machine.wide.interval = 4;
    check_near(fixture_simulate(&f, 4, false).first, 4 * 100 * (4 + 3), 40);
}

/* Every warp's load takes a cycle of the only load/store units, whichever sub-partition it comes from. */
static void load_store_units_are_shared_by_all(void **state)
{
    struct fixture f = {0};

    fixture_fill(&f, 201, fixture_load(SASS_LDS, SASS_SPACE_SHARED, 0));
    fixture_set_up(&f, 201, 8);
    for (size_t i = 0; i < 200; i++)
        f.counts[i] = (struct traffic_count){.issued = 1, .requests = 1, .wavefronts = 2};
    check_near(fixture_simulate(&f, 1, false).first, 8 * 200 * 2, 80);
}

/* 10 dependent FADDs and a barrier, 20 times: with one block the barrier's latency shows, with many the other
 * blocks hide it. */
static void a_barrier_is_hidden_by_other_blocks(void **state)
{
    struct fixture one = {0}, many;

    fixture_fill(&one, 221, fixture_plain(SASS_FADD, 4, 0));
    for (size_t i = 10; i < 220; i += 11)
        one.code[i] = fixture_plain(SASS_BAR, 1, 0);
    many = one;
    fixture_set_up(&one, 221, 2);
    check_near(fixture_simulate(&one, 1, false).first, 20 * (40 + 21), 60);
    fixture_set_up(&many, 221, 2);
    assert_true(fixture_simulate(&many, 8, false).first < 20 * (40 + 21) * 1.2);
}

/* With barriers that cost less than times this late can tell, too. */
static void a_barrier_may_cost_next_to_nothing(void **state)
{
    struct fixture f = {0};

    fixture_fill(&f, 221, fixture_plain(SASS_FADD, 4, 0));
    for (size_t i = 10; i < 220; i += 11)
        f.code[i] = fixture_plain(SASS_BAR, 1, 0);
    fixture_set_up(&f, 221, 2);
    f.device.values[DEVICE_BARRIER_LATENCY].sustained = 1e-15;
    f.device.values[DEVICE_BARRIER_PER_WARP].sustained = 0;
    check_near(fixture_simulate(&f, 1, false).first, 20 * 40, 30);
}

/* On so many places, whichever is free takes the next block: every other one loops `repeats` times, the rest `fewer` times
 * through `body` instructions of 4 cycles and a branch. */
static double unequal(unsigned places, uint64_t repeats, uint64_t fewer, unsigned body)
{
    struct fixture f = {.path = {.count = 3}};
    struct emulate_step steps[2][3] = {
        {{.body = 1, .repeats = repeats}, {.count = body}, {.first = body, .count = 1}},
        {{.body = 1, .repeats = fewer}, {.count = body}, {.first = body, .count = 1}}};
    struct emulate_path paths[2] = {{.steps = steps[0], .count = 3}, {.steps = steps[1], .count = 3}};
    struct emulate_block shorter;
    uint32_t others[2] = {1, 1};

    fixture_fill(&f, body + 1, fixture_plain(SASS_FADD, 4, 0));
    f.code[body - 1] = fixture_plain(SASS_BRA, 5, 0);
    fixture_set_up(&f, body + 1, 2);
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    shorter = f.block;
    shorter.paths = others;
    f.blocks[1] = &shorter;
    return fixture_simulate(&f, places, false).first;
}

static void unequal_blocks_share_the_places(void **state)
{
    check_near(unequal(2, 1000, 200, 11), (1000 + 200) / 2 * 50, 300);
}

/* Of one place three blocks are simulated after the first, two of them short. */
static void a_place_alone_has_blocks_of_the_mean_work(void **state)
{
    check_near(unequal(1, 4, 1, 550), (4 + 1) / 2.0 * 550 * 4, 200);
}

/* Warps of a block load 512 bytes each from DRAM and meet; half of the loads take `early` times the mean,
 * half as much longer. */
static double met(double early, unsigned warps)
{
    struct fixture f = {0};

    f.code[0] = fixture_load(SASS_LDG, SASS_SPACE_GLOBAL, 0);
    f.code[1] = fixture_plain(SASS_BAR, 1, 1);
    f.code[2] = fixture_plain(SASS_EXIT, 5, 0);
    fixture_set_up(&f, 3, warps);
    for (int i = 0; i < MACHINE_SPREAD; i++)
        f.machine.dram_spread[i] = i < MACHINE_SPREAD / 2 ? early : 2 - early;
    f.counts[0] = (struct traffic_count){
        .issued = 1, .requests = 1, .sectors = 16, .lines = 4, .waits = 1, .waits_dram = 1, .dram_read = 512};
    return fixture_simulate(&f, 1, false).first;
}

static void a_barrier_waits_for_the_slowest_load(void **state)
{
    const double alone = met(1, 1), together = met(1, 4), latency = 680;

    check_near(met(0.8, 1), alone - 0.2 * latency, 1);
    check_near(met(0.8, 4), together + 0.2 * latency, 100);
    check_near(met(0.5, 4), together + 0.5 * latency, 100);
}

/* Where DRAM is full the wait is longer, by then 1,000 cycles, but not what loads differ by. */
static void waiting_does_not_widen_the_spread(void **state)
{
    const double latency = 680;

    assert_true(met(1, 32) > 2 * latency);
    assert_in_range((uint64_t)(met(0.5, 32) - met(1, 32)), 1, (uint64_t)(0.5 * latency));
}

/* Each of four warps waits for 40 loads, one after another: early ones make up for late ones. */
static void a_warp_has_loads_of_all_kinds(void **state)
{
    double cycles[2];

    for (int early = 0; early < 2; early++) {
        struct fixture f = {0};

        fixture_fill(&f, 41, fixture_load(SASS_LDG, SASS_SPACE_GLOBAL, 0));
        for (int i = 1; i < 40; i++)
            f.code[i].control.wait_mask = 1;
        fixture_set_up(&f, 41, 4);
        for (int i = 0; i < MACHINE_SPREAD; i++)
            f.machine.dram_spread[i] = early ? 0.5 + (i + 0.5) / MACHINE_SPREAD : 1;
        for (int i = 0; i < 40; i++)
            f.counts[i] = (struct traffic_count){.issued = 1,
                                                 .requests = 1,
                                                 .sectors = 4,
                                                 .lines = 1,
                                                 .waits = 1,
                                                 .waits_dram = 1,
                                                 .dram_read = 128};
        cycles[early] = fixture_simulate(&f, 1, false).first;
    }
    check_near(cycles[1], cycles[0], 0.03 * cycles[0]);
}

/* A loop of a load from DRAM and a wait for it, 1,000 times, by `warps` warps, which meet at a barrier in each
 * iteration or never; half of the loads take `early` of the mean latency. */
static double looped(double early, unsigned warps, bool meets)
{
    struct fixture f = {.steps = {{.body = 1, .repeats = 1000}, {.count = 3}, {.first = 3, .count = 1}},
                        .path = {.count = 3}};

    f.code[0] = fixture_load(SASS_LDG, SASS_SPACE_GLOBAL, 0);
    f.code[1] = fixture_plain(meets ? SASS_BAR : SASS_FADD, 1, 1);
    f.code[2] = fixture_plain(SASS_BRA, 5, 0);
    f.code[3] = fixture_plain(SASS_EXIT, 5, 0);
    fixture_set_up(&f, 4, warps);
    for (int i = 0; i < MACHINE_SPREAD; i++)
        f.machine.dram_spread[i] = i < MACHINE_SPREAD / 2 ? early : 2 - early;
    f.counts[0] = (struct traffic_count){.issued = 1000,
                                         .requests = 1000,
                                         .sectors = 16000,
                                         .lines = 4000,
                                         .waits = 1,
                                         .waits_dram = 1,
                                         .dram_read = 512000};
    return fixture_simulate(&f, 1, false).first;
}

/* In a loop as well: eight warps that meet wait for one of the late loads nearly every time, and those that do
 * not meet have early loads and late ones. */
static void loops_wait_for_the_slowest_load(void **state)
{
    const double latency = 680;

    check_near(looped(0.5, 8, true), looped(1, 8, true) + 0.5 * 1000 * latency, 0.1 * 1000 * latency);
    check_near(looped(0.5, 8, false), looped(1, 8, false), 0.1 * 1000 * latency);
    check_near(looped(0.5, 1, true), looped(1, 1, true), 0.1 * 1000 * latency);
}

/* A block that loads and waits: the next one on its place begins `replace_cycles` after its end. */
static void waves_follow_each_other(void **state)
{
    struct fixture f = {0};
    struct sm_cycles cycles;

    f.code[0] = fixture_load(SASS_LDS, SASS_SPACE_SHARED, 0);
    f.code[1] = fixture_plain(SASS_EXIT, 5, 1);
    fixture_set_up(&f, 2, 1);
    f.counts[0] = (struct traffic_count){.issued = 1, .requests = 1, .wavefronts = 1};
    cycles = fixture_simulate(&f, 1, true);
    check_near(cycles.first, 29 + 5, 1);
    check_near(cycles.further, 29 + 100, 6);
}

/* 32 warps that each read 20 times 16 sectors from L2: as fast as an SM alone can, were that known; else by
 * its share of what all can have. */
static double reads(double own_bytes)
{
    struct fixture f = {0};
    double cycles;

    fixture_fill(&f, 21, fixture_load(SASS_LDG, SASS_SPACE_GLOBAL, SASS_NO_BARRIER));
    fixture_set_up(&f, 21, 1);
    f.machine.capacities.sustained[RESOURCE_L2].per_sm = own_bytes / 32;
    for (size_t i = 0; i < 20; i++)
        f.counts[i] = (struct traffic_count){.issued = 1,
                                             .requests = 1,
                                             .sectors = 16,
                                             .lines = 4,
                                             .sectors_once = 16,
                                             .lines_once = 4,
                                             .waits = 1};
    cycles = fixture_simulate(&f, 32, false).first;
    return cycles / (32 * 20 * 16);
}

static void l2_is_read_at_the_own_rate(void **state)
{
    check_near(reads(64), 0.5, 0.05);
    check_near(reads(0), 32. / 40, 0.05);
}

/* Stores have the SM's share of L2, which does not slow down with the SMs: a third fewer cycles at two thirds of the clock. */
static double stores(double slowed)
{
    enum { COUNT = 401 };
    struct fixture f = {.slowed = slowed};

    fixture_fill(&f, COUNT, fixture_load(SASS_STG, SASS_SPACE_GLOBAL, SASS_NO_BARRIER));
    for (size_t i = 0; i + 1 < COUNT; i++)
        f.code[i].accesses[0].access = SASS_WRITES;
    fixture_set_up(&f, COUNT, 4);
    for (size_t i = 0; i + 1 < COUNT; i++)
        f.counts[i] =
            (struct traffic_count){.issued = 1, .requests = 1, .sectors = 4, .lines = 1, .bytes = 128};
    f.traffic.stores.sectors = f.traffic.stores.filled = 4;
    return fixture_simulate(&f, 4, false).first;
}

static void l2_keeps_its_clock(void **state)
{
    const double highest = stores(0);

    check_near(stores(1), highest, 0);
    check_near(stores(1.5), highest / 1.5, 0.05 * highest);
}

/* Eight copies of 128 bytes, each through the address register of the one before: 32 cycles each, as one warp's take on an
 * NVIDIA H200; of 16 warps as long as L2 takes to answer what all of them ask for. */
static double copies(unsigned warps, double sectors)
{
    enum { COUNT = 9 };
    struct fixture f = {0};

    fixture_fill(&f, COUNT, fixture_load(SASS_LDGSTS, SASS_SPACE_GLOBAL, SASS_NO_BARRIER));
    for (size_t i = 0; i + 1 < COUNT; i++) {
        f.code[i].control.read_barrier = 0;
        f.code[i].control.wait_mask = i > 0;
    }
    fixture_set_up(&f, COUNT, warps);
    for (size_t i = 0; i + 1 < COUNT; i++)
        f.counts[i] = (struct traffic_count){.issued = 1,
                                             .requests = 1,
                                             .sectors = sectors,
                                             .sectors_once = sectors,
                                             .lines = sectors / 4,
                                             .lines_once = sectors / 4,
                                             .waits = 1};
    return fixture_simulate(&f, 1, false).first / 8;
}

static void copies_keep_their_registers_until_l2_takes_them(void **state)
{
    const double one = copies(1, 4), few = copies(16, 4), many = copies(16, 16);

    check_near(one, 32 * 7. / 8, 2); /* nobody waits for the last */
    assert_true(many > 2 * one);
    assert_true(many > few);
}

/* Three sources of one bank, then two instructions without any. */
static double bursts(double window)
{
    struct fixture f = {0};

    fixture_fill(&f, 598, fixture_plain(SASS_FADD, 1, 0));
    for (size_t i = 0; i < 597; i += 3) {
        f.code[i].source_count = 3;
        for (unsigned s = 0; s < 3; s++)
            f.code[i].sources[s] =
                (struct sass_operand){.kind = SASS_REGISTER, .index = (uint8_t)(4 + 4 * s), .count = 1};
    }
    fixture_set_up(&f, 598, 4);
    f.machine.reads_count = true;
    f.machine.read_window = window;
    return fixture_simulate(&f, 1, false).first;
}

static void operands_are_collected_in_a_window(void **state)
{
    check_near(bursts(3), 600, 10);
    check_near(bursts(2), 800, 10);
    check_near(bursts(1), 1000, 10);
}

/* What a simulation costs is bounded, however long loops and paths are: one loop around another of a thousand
 * instructions, a million times, on a full SM. In step and spread, each with the shorter and the longer cut. */
static void what_it_costs_is_bounded(void **state)
{
    struct fixture f = {0};
    struct sm_cycles out;

    fixture_fill(&f, 501, fixture_plain(SASS_FADD, 4, 0));
    f.steps[0] = (struct emulate_step){.repeats = 1000, .body = 2};
    f.steps[1] = (struct emulate_step){.repeats = 1000, .body = 1};
    f.steps[2] = (struct emulate_step){.first = 0, .count = 500};
    f.steps[3] = (struct emulate_step){.first = 500, .count = 1};
    f.path.count = 4;
    fixture_set_up(&f, 501, 2);
    out = fixture_simulate(&f, 32, true);
    check_near(out.first, 1e6 * 500 * 16, 1e6 * 500);
    assert_in_range(out.issued, 1, 3000000); /* 2,840,284 when this was written */
}

static void can_be_stopped(void **state)
{
    struct fixture straight = {0},
                   loop = {.steps = {{.body = 1, .repeats = 9}, {.count = 500}, {500, 1, 0, 0}}};
    struct sm_cycles out;
    atomic_bool stop;

    atomic_init(&stop, true);
    fixture_fill(&straight, 501, fixture_plain(SASS_FADD, 4, 0));
    fixture_set_up(&straight, 501, 2);
    assert_int_equal(fixture_try(&out, &straight, 32, false, &stop), ERR_STOPPED);

    loop.path.count = 3;
    fixture_fill(&loop, 501, fixture_plain(SASS_FADD, 4, 0));
    fixture_set_up(&loop, 501, 2);
    assert_int_equal(fixture_try(&out, &loop, 32, false, &stop), ERR_STOPPED);
}

int main(void)
{
    return RUN_TESTS(latency_then_throughput, a_pipe_is_shared, a_scheduler_is_kept,
                     load_store_units_are_shared_by_all, a_barrier_is_hidden_by_other_blocks,
                     a_barrier_may_cost_next_to_nothing, unequal_blocks_share_the_places,
                     a_place_alone_has_blocks_of_the_mean_work, a_barrier_waits_for_the_slowest_load,
                     waiting_does_not_widen_the_spread, a_warp_has_loads_of_all_kinds,
                     loops_wait_for_the_slowest_load, waves_follow_each_other, l2_is_read_at_the_own_rate,
                     l2_keeps_its_clock, copies_keep_their_registers_until_l2_takes_them,
                     operands_are_collected_in_a_window, what_it_costs_is_bounded, can_be_stopped);
}

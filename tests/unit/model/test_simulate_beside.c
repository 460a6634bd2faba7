/* Fences, and copies beside the warps. */
#include "check.h"
#include "simulate_fixture.h"

/* A fence takes its time, and longer where the warp has stored just before. */
static void fences_wait_for_stores(void **state)
{
    enum { FENCE = 300, STORED = 700 };

    for (int stored = 0; stored < 2; stored++) {
        struct fixture f = {0};

        fixture_fill(&f, 12, fixture_plain(SASS_FADD, 4, 0));
        f.code[5] = fixture_plain(SASS_MEMBAR, 1, 0);
        f.code[5].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
        f.code[4] = fixture_load(SASS_STG, SASS_SPACE_GLOBAL, SASS_NO_BARRIER);
        f.code[4].accesses[0].access = SASS_WRITES;
        fixture_set_up(&f, 12, 1);
        f.counts[4] = (struct traffic_count){
            .issued = 1, .requests = stored, .sectors = 4, .lines = 1, .sectors_once = 4, .lines_once = 1};
        f.device.values[DEVICE_FENCE_LATENCY] = (struct device_value){true, FENCE, FENCE, 0, "async"};
        f.device.values[DEVICE_FENCE_STORED_LATENCY] =
            (struct device_value){true, STORED, STORED, 0, "async"};
        check_near(fixture_simulate(&f, 1, false).first, stored ? STORED + 40 : FENCE + 40, 20);
    }
}

/* One warp loads `loaded` bytes from DRAM and stores 128 after 40 cycles, another comes to a fence after 80. When that
 * is over. */
static double fence_beside(double loaded)
{
    enum { ADDS = 10, FENCE = 300, STORED = 700 };
    struct emulate_step steps[2][2] = {{{.count = ADDS + 2}, {ADDS + 3, 1, 0, 0}},
                                       {{.body = 1, .repeats = 2}, {.count = ADDS}}};
    struct emulate_step fenced[] = {steps[1][0], steps[1][1], {ADDS + 2, 2, 0, 0}};
    struct emulate_path paths[2] = {{.steps = steps[0], .count = 2}, {.steps = fenced, .count = 3}};
    struct fixture f = {.paths = {0, 1}};

    fixture_fill(&f, ADDS + 4, fixture_plain(SASS_FADD, 4, 0));
    f.code[ADDS] = fixture_load(SASS_LDG, SASS_SPACE_GLOBAL, 0);
    f.code[ADDS + 1] = fixture_load(SASS_STG, SASS_SPACE_GLOBAL, SASS_NO_BARRIER);
    f.code[ADDS + 1].accesses[0].access = SASS_WRITES;
    f.code[ADDS + 2] = fixture_plain(SASS_MEMBAR, 1, 0);
    f.code[ADDS + 2].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
    fixture_set_up(&f, ADDS + 4, 2);
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    f.counts[ADDS] = f.counts[ADDS + 1] = (struct traffic_count){
        .issued = 1, .requests = 1, .sectors = 4, .lines = 1, .sectors_once = 4, .lines_once = 1};
    f.counts[ADDS].dram_read = loaded;
    f.traffic.stores.sectors = 4;
    f.traffic.dram.written = 128;
    f.device.values[DEVICE_FENCE_LATENCY] = (struct device_value){true, FENCE, FENCE, 0, "async"};
    f.device.values[DEVICE_FENCE_STORED_LATENCY] = (struct device_value){true, STORED, STORED, 0, "async"};
    return fixture_simulate(&f, 1, false).first;
}

/* Whoever stored on the SM; a store is taken when DRAM, behind what it was asked for before, has taken what it
 * displaces. */
static void fences_wait_for_stores_of_others(void **state)
{
    check_near(fence_beside(0), 40 + 700, 40);
    assert_true(fence_beside(128000) > fence_beside(0) + 1000);
}

/* A fence waits until the copies to shared memory have come that are under way. */
static void fences_wait_for_copies(void **state)
{
    enum { FENCE = 300, LATENCY = 2000 };

    for (int copied = 0; copied < 2; copied++) {
        struct fixture f = {0};

        fixture_fill(&f, 12, fixture_plain(SASS_FADD, 4, 0));
        f.code[5] = fixture_plain(SASS_MEMBAR, 1, 0);
        f.code[5].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
        f.code[4] = fixture_load(SASS_UBLKCP, SASS_SPACE_GLOBAL, SASS_NO_BARRIER);
        f.code[4].accesses[1] = (struct sass_access){.space = SASS_SPACE_SHARED, .access = SASS_WRITES};
        f.code[4].access_count = 2;
        if (!copied)
            f.code[4] = f.code[3];
        fixture_set_up(&f, 12, 1);
        f.counts[4] = (struct traffic_count){
            .issued = 1, .requests = copied, .bytes = 1024 * copied, .sectors = 32 * copied, .lines = 8};
        f.device.values[DEVICE_FENCE_LATENCY] = (struct device_value){true, FENCE, FENCE, 0, "async"};
        f.device.values[DEVICE_BULK_L2_LATENCY] = (struct device_value){true, LATENCY, LATENCY, 0, "async"};
        check_near(fixture_simulate(&f, 1, false).first, copied ? LATENCY + 40 : FENCE + 40, 60);
    }
}

/* What the copy engine takes of L2 comes at the clock of L2: at half of the SMs' highest one in half as many of their cycles. */
static void copies_keep_the_pace_of_l2(void **state)
{
    enum { ALONE = 1000, PIECES = 16, PIECE = 8192 };

    for (int slowed = 1; slowed <= 2; slowed++) {
        struct fixture f = {.slowed = slowed};

        fixture_fill(&f, 12, fixture_plain(SASS_FADD, 4, 0));
        f.code[4] = fixture_load(SASS_UBLKCP, SASS_SPACE_GLOBAL, SASS_NO_BARRIER);
        f.code[4].accesses[1] = (struct sass_access){.space = SASS_SPACE_SHARED, .access = SASS_WRITES};
        f.code[4].access_count = 2;
        f.code[5] = fixture_plain(SASS_MEMBAR, 1, 0);
        f.code[5].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
        fixture_set_up(&f, 12, 1);
        f.counts[4] = (struct traffic_count){
            .issued = 1, .requests = 1, .bytes = PIECES * PIECE, .sectors = 32, .lines = 8};
        f.device.values[DEVICE_FENCE_LATENCY] = (struct device_value){true, 300, 300, 0, "async"};
        f.device.values[DEVICE_BULK_ALONE] = (struct device_value){true, ALONE, ALONE, 0, "async"};
        check_near(fixture_simulate(&f, 1, false).first, PIECES * ALONE / slowed + 40, 60);
    }
}

/* One warp comes to a fence, another begins to copy to shared memory after `adds` instructions. When what follows the fence is
 * over. */
static double fence_before_copy(unsigned adds)
{
    enum { ADDS = 200, FENCE = 300, COPIED = 600, LATENCY = 2000 };
    struct emulate_step fenced[] = {{ADDS + 1, 3, 0, 0}};
    struct emulate_step copying[] = {{.count = adds}, {ADDS, 1, 0, 0}, {ADDS + 3, 1, 0, 0}};
    struct emulate_path paths[2] = {{.steps = fenced, .count = 1}, {.steps = copying, .count = 3}};
    struct fixture f = {.paths = {0, 1}};

    fixture_fill(&f, ADDS + 4, fixture_plain(SASS_FADD, 4, 0));
    f.code[ADDS] = fixture_load(SASS_UBLKCP, SASS_SPACE_GLOBAL, SASS_NO_BARRIER);
    f.code[ADDS].accesses[1] = (struct sass_access){.space = SASS_SPACE_SHARED, .access = SASS_WRITES};
    f.code[ADDS].access_count = 2;
    f.code[ADDS + 1] = fixture_plain(SASS_MEMBAR, 1, 0);
    f.code[ADDS + 1].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
    f.code[ADDS + 2] = fixture_plain(SASS_ERRBAR, 1, 0);
    fixture_set_up(&f, ADDS + 4, 2);
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    f.counts[ADDS] =
        (struct traffic_count){.issued = 1, .requests = 1, .bytes = 1024, .sectors = 32, .lines = 8};
    f.device.values[DEVICE_FENCE_LATENCY] = (struct device_value){true, FENCE, FENCE, 0, "async"};
    f.device.values[DEVICE_FENCE_COPIED_LATENCY] = (struct device_value){true, COPIED, COPIED, 0, "async"};
    f.device.values[DEVICE_BULK_L2_LATENCY] = (struct device_value){true, LATENCY, LATENCY, 0, "async"};
    return fixture_simulate(&f, 1, false).first;
}

/* And for copies that begin while it lasts, but for none that begin later. */
static void fences_wait_for_later_copies(void **state)
{
    check_near(fence_before_copy(20), 80 + 2000, 100);
    check_near(fence_before_copy(190), 190 * 4, 60);
}

/* And until other blocks of the cluster have what was stored to them: a thousand sectors, two cycles each. */
static void fences_wait_for_other_blocks(void **state)
{
    enum { FENCE = 300, SECTORS = 1000, SECTOR_CYCLES = 2 };

    for (int asks = 0; asks < 2; asks++) {
        struct fixture f = {0};

        fixture_fill(&f, 12, fixture_plain(SASS_FADD, 4, 0));
        f.code[5] = fixture_plain(SASS_MEMBAR, 1, 0);
        f.code[5].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
        f.code[7] = f.code[5]; /* what comes behind the first */
        f.code[4] = fixture_load(SASS_ST, SASS_SPACE_GENERIC, SASS_NO_BARRIER);
        f.code[4].accesses[0].access = SASS_WRITES;
        fixture_set_up(&f, 12, 1);
        f.counts[4] = (struct traffic_count){.issued = 1,
                                             .requests = 1,
                                             .wavefronts = 1,
                                             .remote_lines = SECTORS * asks,
                                             .remote_sectors = SECTORS * asks};
        f.device.values[DEVICE_FENCE_LATENCY] = (struct device_value){true, FENCE, FENCE, 0, "async"};
        f.device.values[DEVICE_REMOTE_SECTOR] =
            (struct device_value){true, SECTOR_CYCLES, SECTOR_CYCLES, 0, "distributed"};
        check_near(fixture_simulate(&f, 1, false).first,
                   (asks ? SECTORS * SECTOR_CYCLES : FENCE) + FENCE + 40, 60);
    }
}

/* One warp loads or copies 128,000 bytes from DRAM, another loads something of which `missed` of the loads are not in L1, and has
 * 8,000 cycles of work then. */
static double load_beside(bool copies, double missed)
{
    enum { ADDS = 20, TURNS = 100 };
    struct emulate_step loading[] = {{ADDS, 1, 0, 0}, {ADDS + 3, 1, 0, 0}};
    struct emulate_step working[] = {
        {ADDS + 1, 2, 0, 0}, {.body = 1, .repeats = TURNS}, {.count = ADDS}, {ADDS + 3, 1, 0, 0}};
    struct emulate_path paths[2] = {{.steps = loading, .count = 2}, {.steps = working, .count = 4}};
    struct fixture f = {.paths = {0, 1}};

    fixture_fill(&f, ADDS + 4, fixture_plain(SASS_FADD, 4, 0));
    f.code[ADDS] = f.code[ADDS + 1] = fixture_load(SASS_LDG, SASS_SPACE_GLOBAL, 0);
    f.code[ADDS + 2] = fixture_plain(SASS_FADD, 4, 1);
    if (copies) {
        f.code[ADDS] = fixture_load(SASS_UBLKCP, SASS_SPACE_GLOBAL, SASS_NO_BARRIER);
        f.code[ADDS].accesses[1] = (struct sass_access){.space = SASS_SPACE_SHARED, .access = SASS_WRITES};
        f.code[ADDS].access_count = 2;
    }
    fixture_set_up(&f, ADDS + 4, 2);
    f.emulation = (struct emulate_result){.paths = paths, .path_count = 2};
    f.counts[ADDS] = (struct traffic_count){.issued = 1,
                                            .requests = 1,
                                            .sectors = 4,
                                            .lines = 1,
                                            .waits = 1,
                                            .waits_dram = 1,
                                            .dram_read = 128000};
    f.counts[ADDS + 1] = f.counts[ADDS];
    f.counts[ADDS + 1].sectors = 4 * missed;
    f.counts[ADDS + 1].waits = missed;
    f.counts[ADDS + 1].dram_read = 128 * missed;
    return fixture_simulate(&f, 1, false).first;
}

/* Few of them come to DRAM's queue, and only those wait there. */
static void loads_that_hit_wait_for_no_others(void **state)
{
    const double rarely = load_beside(false, 0.01), always = load_beside(false, 1);

    check_near(rarely, 8000, 400);
    assert_true(always > rarely + 4000);
}

/* A load passes what the copy engine has to fetch. */
static void loads_pass_copies(void **state)
{
    check_near(load_beside(true, 1), 8000, 1500);
}

/* Eight warps, two a sub-partition, that issue 40 of an instruction each. */
static double forty_each(enum sass_op op, double values)
{
    enum { TIMES = 40, WARPS = 8 };
    struct fixture f = {0};

    fixture_fill(&f, TIMES + 1, fixture_plain(op, 2, 0));
    fixture_set_up(&f, TIMES + 1, WARPS);
    for (unsigned i = 0; i < TIMES; i++)
        f.counts[i] = (struct traffic_count){.issued = 1, .waits = 1, .requests = 1, .wavefronts = values};
    return fixture_simulate(&f, 1, false).first;
}

/* An SM has one way for shuffles, and looks for the values of one MATCH at a time, each in two cycles. */
static void shuffles_and_matches_go_one_by_one(void **state)
{
    check_near(forty_each(SASS_SHFL, 0), 8 * 40, 30);
    check_near(forty_each(SASS_MATCH, 10), 8 * 40 * 20, 100);
    assert_true(forty_each(SASS_IADD3, 0) < 240);
}

int main(void)
{
    return RUN_TESTS(fences_wait_for_stores, fences_wait_for_copies, copies_keep_the_pace_of_l2,
                     fences_wait_for_later_copies, fences_wait_for_other_blocks,
                     fences_wait_for_stores_of_others, loads_that_hit_wait_for_no_others, loads_pass_copies,
                     shuffles_and_matches_go_one_by_one);
}

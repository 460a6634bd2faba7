/* What loops and blocks find in L1 and L2 of what was there before. */
#include "check.h"
#include "model/machine/assumptions.h"
#include "traffic_fixture.h"

/* The share h that random replacement keeps of data `times` as large as the cache: h = exp(-(1 - h) times). */
static double random_hits(double times)
{
    double h = 0;

    for (int k = 0; k < 1000 && times > 1; k++)
        h = exp(-(1 - h) * times);
    return times > 1 ? h : 1;
}

/* A first loop reads 128 bytes a warp, a second one the same again, and stores as many. */
static struct traffic read_twice(struct fixture *f, double l1, double l2, enum sass_evict first,
                                 enum sass_evict second)
{
    static struct emulate_step steps[] = {{0, 0, 1, 10}, {INDEX, 1, 0, 0}, {0, 0, 1, 10}, {GATHER, 2, 0, 0}};

    fixture_set_up(f, 4);
    footprint_release(&f->block.read);
    assert_int_equal(footprint_mark(&f->block.read, 1 << 20, 128, NULL), 0);
    f->code[INDEX].mod[SASS_MOD_EVICT] = first;
    f->code[GATHER].mod[SASS_MOD_EVICT] = second;
    f->touches[GATHER] = (struct emulate_touch){.region = 1, .led = 1};
    f->way = (struct emulate_path){.steps = steps, .count = 4};
    f->result.paths = &f->way;
    f->result.path_count = 1;
    f->caches.l1_bytes = l1;
    f->caches.l2_bytes = f->caches.l2_holds = l2;
    f->caches.l2_evict_first = 1;
    return fixture_find(f);
}

/* Found in L1 where what 32 blocks read and store fits, in L2 where 320 blocks' reads do; else DRAM brings them twice. */
static void a_second_loop_finds_what_fits(void **state)
{
    static const struct {
        double l1, l2;
        bool twice;
    } cases[] = {{8192, 50e6, false}, {4096, 50e6, false}, {2048, 160e3, false}, {2048, 20e3, true}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double hit = random_hits(2 * 32 * 128 / cases[c].l1);
        struct fixture f;
        struct traffic traffic =
            read_twice(&f, cases[c].l1, cases[c].l2, SASS_EVICT_NORMAL, SASS_EVICT_NORMAL);

        check_near(traffic.counts[GATHER].l1_ready, hit, 1e-6);
        check_near(traffic.loads.l1_hit, hit / 2, 1e-6);
        check_near(traffic.dram.read, 128 * (1 + cases[c].twice * (1 - hit)), 1e-3);
        fixture_tear_down(&f, &traffic);
    }
}

/* L2 holds all: what is read for the last time, and says so, was brought to stay. */
static void who_brings_it_says_what_is_evicted_first(void **state)
{
    const double lost = 1 - random_hits(2 * 32 * 128 / 2048.0);
    struct fixture f;
    struct traffic traffic = read_twice(&f, 2048, 50e6, SASS_EVICT_NORMAL, SASS_EVICT_FIRST);

    check_near(traffic.dram.read, 128, 1e-3);
    fixture_tear_down(&f, &traffic);
    traffic = read_twice(&f, 2048, 50e6, SASS_EVICT_FIRST, SASS_EVICT_NORMAL);
    check_near(traffic.dram.read, 128 * (1 + lost), 1e-3);
    fixture_tear_down(&f, &traffic);
}

/* Loops go over 128 bytes that a warp has loaded, beside 512 that it loads once. L2 holds 160000 bytes: with
 * one loop more, all that 320 blocks load lies between, 204800 bytes; with two, half of what is loaded once. */
static void what_many_loops_go_over_stays(void **state)
{
    static struct emulate_step steps[] = {{0, 0, 1, 10}, {1, 1, 0, 0},  {0, 0, 1, 10},
                                          {2, 1, 0, 0},  {0, 0, 1, 10}, {3, 1, 0, 0}};
    const struct emulate_count line = fixture_requests(1, 4, 1, 1);

    for (unsigned more = 1; more <= 2; more++) {
        struct sass code[4];
        struct emulate_count counts[4] = {{.issued = 1,
                                           .requests = 1,
                                           .lanes = 32,
                                           .bytes = 512,
                                           .sectors = 16,
                                           .lines = 4,
                                           .passes = 4,
                                           .sectors_once = 16,
                                           .lines_once = 4},
                                          line,
                                          line,
                                          {0}};
        struct emulate_touch touches[4] = {{16, 16, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
                                           {4, 4, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
                                           {.region = 1, .led = 1}};
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 4);
        for (unsigned i = 0; i < 4; i++)
            code[i] = fixture_access(SASS_LDG, SASS_READS);
        if (more == 2) {
            counts[3] = counts[2];
            touches[3] = touches[2];
        }
        f.sass = (struct sass_code){.instructions = code, .count = 4, .sm = 90};
        f.block.counts = counts;
        f.block.touches = touches;
        f.result.instruction_count = 4;
        assert_int_equal(footprint_mark(&f.block.read, 1 << 24, 512, NULL), 0);
        footprint_release(&f.block.written);
        f.way = (struct emulate_path){.steps = steps, .count = 6};
        f.result.paths = &f.way;
        f.result.path_count = 1;
        f.caches.l1_bytes = 1;
        f.caches.l2_bytes = f.caches.l2_holds = 160e3;
        traffic = fixture_find(&f);
        check_near(traffic.dram.read, 640 + (more == 1 ? 128 * (204.8 / 160 - 1) : 0), 1e-6);
        fixture_tear_down(&f, &traffic);
    }
}

/* Ten times a warp gathers 32 lines, and goes over each in an inner loop: L1 holds what 32 blocks gather in
 * one pass of the outer loop, 33 KB, not what they do in all. */
static void what_was_just_gathered_is_there(void **state)
{
    static struct emulate_step steps[] = {{0, 0, 3, 10}, {GATHER, 1, 0, 0}, {0, 0, 1, 5}, {STORE, 1, 0, 0}};
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 128);
    f.code[STORE] = f.code[GATHER];
    f.counts[INDEX] = (struct emulate_count){0};
    f.touches[INDEX] = (struct emulate_touch){0};
    f.counts[GATHER] = fixture_requests(10, 320, 320, 320);
    f.touches[GATHER] = (struct emulate_touch){320, 320, 2, 10, 10, 0, 0, 0, 0, 0, 0, 0, 0};
    f.counts[STORE] = fixture_requests(50, 320, 320, 320);
    f.touches[STORE] = (struct emulate_touch){.region = 2, .led = 50};
    footprint_release(&f.block.written);
    f.way = (struct emulate_path){.steps = steps, .count = 4};
    f.result.paths = &f.way;
    f.result.path_count = 1;
    f.caches.l1_bytes = 40e3;
    traffic = fixture_find(&f);
    check_near(traffic.counts[STORE].l1_ready, 1, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* A second load of the same pass asks for what the first has just missed: a hit, that waits as long as the
 * first. A later loop finds it there. */
static void what_is_under_way_is_waited_for(void **state)
{
    static struct emulate_step steps[] = {{0, 0, 1, 10}, {INDEX, 1, 0, 0}, {0, 0, 1, 10}, {GATHER, 2, 0, 0}};
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.touches[GATHER] = (struct emulate_touch){.region = 1, .led = 1};
    traffic = fixture_find(&f);
    check_near(traffic.counts[GATHER].l1_hit, 1, 1e-9);
    check_near(traffic.loads.waiting, 2, 1e-9);
    check_near(traffic.loads.waiting_dram, 2, 1e-9);
    traffic_release(&traffic);

    f.way = (struct emulate_path){.steps = steps, .count = 4};
    f.result.paths = &f.way;
    f.result.path_count = 1;
    traffic = fixture_find(&f);
    check_near(traffic.counts[GATHER].l1_hit, 1, 1e-9);
    check_near(traffic.loads.waiting, 1, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* A loop gathers 32 sectors by each of two loads, of which three of four are not new. Side by side, the one has half of what
 * the other asks for. As far apart as twenty passes one in twenty is of the same pass, and L1 has lost the rest; a few that were
 * looked at say nothing. */
static void a_warp_comes_back_to_what_it_gathered(void **state)
{
    static struct emulate_step steps[] = {{0, 0, 1, 32}, {INDEX, 2, 0, 0}};
    static const uint64_t between[] = {0, 1, 40, 40}, looked_at[] = {768, 768, 768, 10};
    static const double ready[] = {0.5, 0.5, 0.5 / 20, 0.5};

    for (size_t c = 0; c < sizeof between / sizeof *between; c++) {
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 128);
        f.counts[GATHER] = fixture_requests(32, 1024, 1024, 32);
        f.touches[GATHER] = (struct emulate_touch){.fresh = 256,
                                                   .own = 256,
                                                   .region = 2,
                                                   .led = 32,
                                                   .late = 32,
                                                   .came_back = looked_at[c],
                                                   .between = looked_at[c] * between[c]};
        f.counts[INDEX] = f.counts[GATHER];
        f.touches[INDEX] = f.touches[GATHER];
        f.way = (struct emulate_path){.steps = steps, .count = 2};
        f.result.paths = &f.way;
        f.result.path_count = 1;
        f.caches.l1_bytes = 1;
        traffic = fixture_find(&f);
        check_near(traffic.counts[GATHER].l1_ready, ready[c], 1e-6);
        fixture_tear_down(&f, &traffic);
    }
}

/* Rows that 32 blocks of two warps read twice, by the lines of a warp's. On an NVIDIA H200 those of 4 KB, which fill 0.53 of
 * 240 KB, hit 0.57, of 8 KB 0.25, of 16 KB nothing; where the second time says that they are to be evicted first 0.97 of 4 KB
 * each. What is gone over again and again stays until it does not fit. */
static void rows_are_read_a_second_time(void **state)
{
    static struct emulate_step steps[] = {{0, 0, 1, 32}, {INDEX, 1, 0, 0}, {0, 0, 1, 32}, {GATHER, 1, 0, 0}};
    static const struct {
        double lines, first;
        enum sass_evict evict;
        double kept, about;
    } cases[] = {{2, 1, SASS_EVICT_NORMAL, 0.95, 0.06},  {16, 1, SASS_EVICT_NORMAL, 0.57, 0.1},
                 {32, 1, SASS_EVICT_NORMAL, 0.25, 0.1},  {64, 1, SASS_EVICT_NORMAL, 0.02, 0.05},
                 {16, 1, SASS_EVICT_FIRST, 0.97, 0.1},   {16, 0, SASS_EVICT_NORMAL, 1, 0.01},
                 {45, 0, SASS_EVICT_NORMAL, 0.02, 0.15}, {0, 0, SASS_EVICT_NORMAL, 1, 1e-6}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct emulate_again again[INSTRUCTIONS] = {{.sectors = {0}}};
        struct fixture f;
        struct traffic traffic;
        int bin = 0;

        frexp(cases[c].lines, &bin);
        fixture_set_up(&f, 128);
        f.block.warps = 2;
        f.code[GATHER].mod[SASS_MOD_EVICT] = (uint8_t)cases[c].evict;
        f.counts[GATHER] = fixture_requests(32, 1024, 1024, 32);
        f.touches[GATHER] = (struct emulate_touch){.region = 2, .led = 32};
        f.counts[INDEX] = f.counts[GATHER];
        f.touches[INDEX] =
            (struct emulate_touch){.region = 2, .led = 32, .fresh = 1024, .own = 1024, .late = 32};
        f.way = (struct emulate_path){.steps = steps, .count = 4};
        f.result.paths = &f.way;
        f.result.path_count = 1;
        again[GATHER].sectors[bin] = 32;
        again[GATHER].lines[bin] = 32 * cases[c].lines;
        again[GATHER].first[bin] = 32 * cases[c].first;
        f.result.again = again;
        f.caches.l1_bytes = 240 << 10;
        traffic = fixture_find(&f);
        check_near(traffic.counts[GATHER].l1_hit, cases[c].kept, cases[c].about);
        fixture_tear_down(&f, &traffic);
    }
}

/* 64 warps share half of what each touches, and come back after 100 lines: more than L1 holds, unless these are the same hundred
 * lines for all, again and again, as the requests between say. */
static void lines_that_all_come_back_to_stay(void **state)
{
    static struct emulate_step steps[] = {{0, 0, 1, 32}, {INDEX, 1, 0, 0}, {0, 0, 1, 32}, {GATHER, 1, 0, 0}};
    static const double hits[] = {0.07, 1};

    for (size_t c = 0; c < sizeof hits / sizeof *hits; c++) {
        struct emulate_returns returns[3] = {{0}};
        struct emulate_again again[INSTRUCTIONS] = {{.sectors = {0}}};
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 128);
        f.block.warps = 2;
        f.counts[GATHER] = fixture_requests(32, 1024, 1024, 32);
        f.touches[GATHER] = (struct emulate_touch){.region = 2, .led = 32};
        f.counts[INDEX] = f.counts[GATHER];
        f.touches[INDEX] =
            (struct emulate_touch){.region = 2, .led = 32, .fresh = 512, .own = 1024, .late = 32};
        f.way = (struct emulate_path){.steps = steps, .count = 4};
        f.result.paths = &f.way;
        f.result.path_count = 1;
        again[GATHER].sectors[7] = 32;
        again[GATHER].lines[7] = 32 * 100;
        again[GATHER].requests[7] = 32 * 10;
        returns[1].first =
            c ? 100 : 10000; /* of 1,000 requests: all new, or a hundred that return every ten */
        returns[1].lines[4] = c ? 10000 : 0;
        returns[1].requests[4] = c ? 10 * 10000 : 0;
        f.result.again = again;
        f.result.returns = returns;
        f.result.followed = 1000;
        f.caches.l1_bytes = 240 << 10;
        traffic = fixture_find(&f);
        check_near(traffic.counts[GATHER].l1_hit, hits[c], 0.05);
        fixture_tear_down(&f, &traffic);
    }
}

/* Four warps load the same sectors: side by side three of them hit, far from each other as much of the region
 * as L1 holds; L2 has the rest. */
static void warps_that_gather_cross(void **state)
{
    static const uint64_t apart[] = {0, 1000};

    for (size_t c = 0; c < sizeof apart / sizeof *apart; c++) {
        const double warps = 32 * 4, between = (double)apart[c] * warps * 32 * 128, l1 = 200e3;
        const double crossing = between > l1 ? 1 - l1 / between : 0, held = l1 / (64 * 32 * warps);
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 128);
        f.block.warps = 4;
        f.block.paths = (uint32_t[4]){0};
        f.counts[INDEX] = (struct emulate_count){0};
        f.touches[INDEX] = (struct emulate_touch){0};
        f.counts[GATHER] = fixture_requests(32, 1024, 1024, 32);
        f.touches[GATHER] = (struct emulate_touch){256, 256, 2, 8, 8, 50, 50 * apart[c], 0, 0, 0, 0, 0, 0};
        f.caches.l1_bytes = l1;
        traffic = fixture_find(&f);
        check_near(traffic.counts[GATHER].l1_hit, 0.75 * (1 - crossing * (1 - held)), 1e-9);
        check_near(traffic.counts[GATHER].l1_ready, 0.75 * crossing * held, 1e-9);
        check_near(traffic.dram.read, 32 * 64 / 4., 1e-6);
        fixture_tear_down(&f, &traffic);
    }
}

/* Lanes that walk lines of their own come to new sectors together or, as often, each at another time: then
 * every request has a lane that misses, and where L1 lost lines, one whose line it was. */
static void a_warp_waits_for_its_last_lane(void **state)
{
    static const struct {
        unsigned late;
        double l1, waits, within;
        double missing; /* lanes of a request that misses, where that is exact */
    } cases[] = {{1, 131072, 1. / 8, 1e-9, 32}, {8, 131072, 1, 1e-9, 4}, {1, 120000, 1, 0.02, 0}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct traffic_count *count;
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 128);
        f.counts[INDEX] = (struct emulate_count){0};
        f.touches[INDEX] = (struct emulate_touch){0};
        f.counts[GATHER] = fixture_requests(8, 256, 256, 8);
        f.touches[GATHER] = (struct emulate_touch){32, 32, 2, 8, cases[c].late, 0, 0, 0, 0, 0, 0, 0, 0};
        f.caches.l1_bytes = cases[c].l1;
        traffic = fixture_find(&f);
        count = &traffic.counts[GATHER];
        check_near(count->waits, cases[c].waits, cases[c].within);
        if (cases[c].missing > 0)
            check_near(count->waits_dram, 1 - pow(count->l2_ready, cases[c].missing), 1e-9);
        fixture_tear_down(&f, &traffic);
    }
}

/* Two loads past L1 of the same lines: in one pass the second merges with the first, in another it does not;
 * through L1 it does not go further. */
static void what_a_pass_asks_for_twice_merges(void **state)
{
    static struct emulate_step steps[] = {{0, 0, 1, 10}, {INDEX, 1, 0, 0}, {0, 0, 1, 10}, {GATHER, 2, 0, 0}};

    for (size_t c = 0; c < 3; c++) {
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 4);
        f.touches[GATHER] = (struct emulate_touch){.region = 1, .led = 1};
        if (c < 2) {
            f.code[GATHER].mod[SASS_MOD_ORDER] = SASS_ORDER_STRONG;
            f.code[GATHER].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
        }
        if (c == 1) {
            f.way = (struct emulate_path){.steps = steps, .count = 4};
            f.result.paths = &f.way;
            f.result.path_count = 1;
        }
        traffic = fixture_find(&f);
        check_near(traffic.counts[INDEX].l2_merged, 0, 0);
        check_near(traffic.counts[GATHER].l2_merged, c == 0, 1e-9);
        fixture_tear_down(&f, &traffic);
    }
}

/* A lane walks its own line, 4 bytes at a time: L1 must hold a line for each, though only a sector of it is
 * in use. 32 warps on an SM: 128 KB of lines. */
static void l1_holds_lines_not_sectors(void **state)
{
    static const double l1[] = {131072, 98304, 65536};

    for (size_t c = 0; c < sizeof l1 / sizeof *l1; c++) {
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 128);
        f.counts[INDEX] = (struct emulate_count){0};
        f.touches[INDEX] = (struct emulate_touch){0};
        f.counts[GATHER] = (struct emulate_count){.issued = 8,
                                                  .requests = 8,
                                                  .lanes = 256,
                                                  .bytes = 1024,
                                                  .sectors = 256,
                                                  .lines = 256,
                                                  .sectors_once = 256,
                                                  .lines_once = 256};
        f.touches[GATHER].led = 8;
        f.caches.l1_bytes = l1[c];
        traffic = fixture_find(&f);
        check_near(traffic.loads.l1_hit, 7.0 / 8 * random_hits(131072 / l1[c]), 1e-4);
        check_near(traffic.dram.read, 2 * 1024 + 128, 128);
        fixture_tear_down(&f, &traffic);
    }
}

/* What neighbours copy, asked of L2 and, of 1000 blocks that go one way, at least: a copy of the same 1024 bytes, one of
 * the next ones, the same one twice, where a neighbour may be at either, and a load, which does not go by the copy engine. Of
 * what many SMs copy each of eight parts of the GPU asks once, unless that is more than an SM can take. */
static void copies_of_neighbours_join(void **state)
{
    static const struct {
        enum sass_op op;
        unsigned moved, times, sms;
        double most, asked, least;
    } cases[] = {{SASS_UBLKCP, 0, 1, 10, 0.5, 16, 16},       {SASS_UBLKCP, 1024, 1, 10, 0.5, 32, 36},
                 {SASS_UBLKCP, 1024, 4, 10, 0.5, 128, 64},   {SASS_UBLKCP, 0, 1, 30, 0.9, 32 * 8 / 30.0, 16},
                 {SASS_UBLKCP, 0, 1, 30, 0.6, 32 * 0.4, 16}, {SASS_UBLKCP, 1024, 1, 30, 0.9, 32, 36},
                 {SASS_LDG, 0, 1, 30, 0.9, 32, 32}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct traffic traffic;
        struct emulate_block blocks[3];
        bool linear[] = {true, true, true};
        struct assumptions assumed = assumptions_default;

        fixture_set_up(&f, 32);
        assumed.joined_most = cases[c].most;
        f.caches.assumed = &assumed;
        f.caches.sms = cases[c].sms;
        f.code[GATHER].op = (uint16_t)cases[c].op;
        f.code[GATHER].access_count = cases[c].op == SASS_UBLKCP ? 2 : 1;
        f.counts[GATHER].sectors *= cases[c].times;
        f.counts[GATHER].sectors_once *= cases[c].times;
        for (unsigned k = 0; k < 3; k++) {
            blocks[k] = f.block;
            blocks[k].position[0] += k;
            if (!k)
                continue;
            blocks[k].read = (struct footprint){0};
            assert_int_equal(footprint_mark(&blocks[k].read, (1 << 20) + 128 * k, 128, NULL), 0);
            assert_int_equal(footprint_mark(&blocks[k].read, (1 << 24) + k * cases[c].moved, 1024, NULL), 0);
        }
        f.result.blocks = blocks;
        f.result.block_count = 3;
        f.result.alike = (struct emulate_alike){.known = true, .to = {999, 0, 0}, .linear = linear};
        traffic = fixture_find(&f);
        check_near(traffic_l2_reads(&traffic.counts[GATHER]).sectors, cases[c].asked, 1e-9);
        if (cases[c].op == SASS_UBLKCP)
            check_near(traffic.least.l2_read, cases[c].least, 1e-9);
        footprint_release(&blocks[1].read);
        footprint_release(&blocks[2].read);
        fixture_tear_down(&f, &traffic);
    }
}

int main(void)
{
    return RUN_TESTS(
        copies_of_neighbours_join, a_second_loop_finds_what_fits, who_brings_it_says_what_is_evicted_first,
        what_many_loops_go_over_stays, what_was_just_gathered_is_there, what_is_under_way_is_waited_for,
        a_warp_comes_back_to_what_it_gathered, rows_are_read_a_second_time, lines_that_all_come_back_to_stay,
        warps_that_gather_cross, a_warp_waits_for_its_last_lane, what_a_pass_asks_for_twice_merges,
        l1_holds_lines_not_sectors);
}

#include "check.h"

#include "model/demands.h"
#include "model/traffic.h"

#include <math.h>

/* One block of one warp: two loads of 4 bytes a lane and a store, as the permutation kernel has them (Volkov,
 * 3.10): an index, the gathered element, the result. */
enum { INDEX, GATHER, STORE, INSTRUCTIONS };

struct fixture {
    struct sass code[INSTRUCTIONS];
    struct sass_code sass;
    struct emulate_count counts[INSTRUCTIONS];
    struct emulate_touch touches[INSTRUCTIONS];
    struct emulate_region regions[3];
    struct emulate_path way;
    uint32_t path;
    struct emulate_block block;
    struct emulate_result result;
    struct argument arguments[3];
    struct launch launch;
    struct traffic_caches caches;
};

static struct sass access(enum sass_op op, unsigned how)
{
    struct sass out = {.op = (uint16_t)op, .sm = 90, .guard = SASS_PT, .access_count = 1};

    out.control.write_barrier = out.control.read_barrier = SASS_NO_BARRIER;
    out.accesses[0] = (struct sass_access){.space = SASS_SPACE_GLOBAL, .access = (uint8_t)how, .bytes = 4};
    return out;
}

/* `stride`: bytes between the elements that neighbouring lanes gather. */
static void set_up(struct fixture *f, unsigned stride)
{
    const uint64_t lines = stride >= 128 ? 32 : stride / 4, sectors = stride >= 32 ? 32 : stride;
    unsigned lane;

    *f = (struct fixture){
        .code = {access(SASS_LDG, SASS_READS), access(SASS_LDG, SASS_READS), access(SASS_STG, SASS_WRITES)},
        .counts = {{1, 1, 32, 128, 4, 1, 0, 1, 0, 4, 1},
                   {1, 1, 32, 128, sectors, lines, 0, lines, 0, sectors, lines},
                   {1, 1, 32, 128, 4, 1, 0, 1, 0, 4, 1}},
        .touches = {{4, 4, 1, 1}, {sectors, sectors, 2, 1}, {4, 4, 3, 1}},
        .regions = {{1 << 20, 15 << 20}, {1 << 24, 48 << 20}, {1 << 26, 256 << 20}}};
    f->sass = (struct sass_code){.instructions = f->code, .count = INSTRUCTIONS, .sm = 90};
    assert_int_equal(footprint_mark(&f->block.read, 1 << 20, 128, NULL), 0);
    for (lane = 0; lane < 32; lane++)
        assert_int_equal(footprint_mark(&f->block.read, (1 << 24) + lane * stride, 4, NULL), 0);
    assert_int_equal(footprint_mark(&f->block.written, 1 << 26, 128, NULL), 0);
    f->block.weight = 1000;
    f->block.warps = 1;
    f->block.counts = f->counts;
    f->block.touches = f->touches;
    f->block.paths = &f->path;
    f->block.position[0] = 500;
    f->result = (struct emulate_result){.blocks = &f->block,
                                        .block_count = 1,
                                        .instruction_count = INSTRUCTIONS,
                                        .regions = f->regions,
                                        .region_count = 3};
    f->arguments[0] = f->arguments[1] = (struct argument){
        .kind = ARGUMENT_BUFFER, .type = ELEMENT_FLOAT32, .count = 1u << 26, .role = ROLE_IN};
    f->arguments[2] = f->arguments[0];
    f->arguments[2].role = ROLE_OUT;
    f->launch = (struct launch){.grid = {1000, 1, 1},
                                .block = {32, 1, 1},
                                .carveout = -1,
                                .arguments = f->arguments,
                                .argument_count = 3};
    f->caches = (struct traffic_caches){.l1_bytes = 200e3,
                                        .l2_bytes = 50e6,
                                        .l2_holds = 50e6,
                                        .resident_blocks = 32,
                                        .sms = 10,
                                        .warm = false};
}

static void tear_down(struct fixture *f, struct traffic *traffic)
{
    traffic_release(traffic);
    footprint_release(&f->block.read);
    footprint_release(&f->block.written);
}

static struct traffic find(struct fixture *f)
{
    struct traffic traffic;

    assert_int_equal(traffic_of(&traffic, &f->sass, &f->result, &f->launch, &f->caches, NULL), 0);
    return traffic;
}

/* 12 sectors a warp for identity, 40 when every lane meets its own sector, 34 lines when its own line. */
static void permutation_traffic(void **state)
{
    struct fixture f;
    struct traffic traffic;

    (void)state;
    set_up(&f, 4);
    traffic = find(&f);
    check_near(traffic.l2_read + traffic.l2_written, 12, 1e-9);
    check_near(traffic.dram_read, 256, 1e-9);
    tear_down(&f, &traffic);

    set_up(&f, 32);
    traffic = find(&f);
    check_near(traffic.l2_read + traffic.l2_written, 40, 1e-9);
    check_near(traffic.dram_read, 128 + 1024, 1e-9);
    tear_down(&f, &traffic);

    set_up(&f, 128);
    traffic = find(&f);
    check_near(traffic.dram_read, 128 + 2 * 1024, 1e-9); /* a lane's sector comes with its neighbour */
    check_near(traffic.counts[INDEX].lines + traffic.counts[GATHER].lines + traffic.counts[STORE].lines, 34,
               1e-9);
    tear_down(&f, &traffic);
}

/* Lanes 128 bytes apart, the other halves of whose 64 bytes neighbours ask for. L2 has them by then, unless
 * they are to be evicted first and it holds next to nothing of such data. */
static void what_is_evicted_first_is_fetched_again(void **state)
{
    static const struct {
        enum sass_evict evict;
        double holds, read;
    } cases[] = {{SASS_EVICT_NORMAL, 1, 128 + 1024},
                 {SASS_EVICT_FIRST, 1e12, 128 + 1024},
                 {SASS_EVICT_FIRST, 1, 128 + 2 * 1024}};
    size_t c;
    unsigned lane;

    (void)state;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct emulate_block blocks[2];
        struct traffic traffic;

        set_up(&f, 128);
        f.code[GATHER].mod[SASS_MOD_EVICT] = cases[c].evict;
        f.caches.l2_evict_first = cases[c].holds;
        blocks[0] = blocks[1] = f.block;
        blocks[1].position[0]++;
        blocks[1].read = (struct footprint){0};
        for (lane = 0; lane < 32; lane++)
            assert_int_equal(footprint_mark(&blocks[1].read, (1 << 24) + lane * 128 + 32, 4, NULL), 0);
        f.result.blocks = blocks;
        f.result.block_count = 2;
        traffic = find(&f);
        check_near(traffic.dram_read, cases[c].read, 1);
        footprint_release(&blocks[1].read);
        tear_down(&f, &traffic);
    }
}

/* A second store to the sectors of the first: together they leave as whole ones, unless even one store has
 * more lines than wait for each other. */
static void parts_of_sectors_merge(void **state)
{
    struct fixture f;
    struct traffic traffic;

    (void)state;
    set_up(&f, 4);
    f.code[GATHER] = f.code[STORE];
    f.touches[GATHER] = (struct emulate_touch){0, 0, 3, 1};
    f.counts[GATHER] = f.counts[STORE];
    f.counts[GATHER].bytes = f.counts[STORE].bytes = 64;
    f.caches.merge_lines = 16;
    traffic = find(&f);
    check_near(traffic.counts[GATHER].again, 4, 0);
    check_near(traffic.counts[STORE].again, 0, 0);
    check_near(traffic.l2_written, 4, 0);
    check_near(traffic.l2_lines, 1, 0);
    check_near(traffic.l2_filled, 4, 0);
    traffic_release(&traffic);
    f.caches.merge_lines = 0.5;
    traffic = find(&f);
    check_near(traffic.l2_written, 8, 0);
    check_near(traffic.l2_filled, 4, 0);
    tear_down(&f, &traffic);
}

/* 256 KB read and 128 KB written: a warm L2 of 50 MB has it all, one of 300 KB some, one of 100 KB nothing.
 */
static void a_warm_cache_keeps_what_fits(void **state)
{
    static const struct {
        double l2_bytes, dram_read, least;
    } cases[] = {{50e6, 0, 0}, {300e3, -1, -1}, {100e3, 256, 256 * (1 - 100e3 / 384e3)}};
    size_t c;

    (void)state;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct traffic traffic;

        set_up(&f, 4);
        f.caches.warm = true;
        f.caches.l2_bytes = f.caches.l2_holds = cases[c].l2_bytes;
        traffic = find(&f);
        if (cases[c].dram_read >= 0) {
            check_near(traffic.dram_read, cases[c].dram_read, 1e-9);
            check_near(traffic.least_dram_read, cases[c].least, 1e-9);
        } else {
            assert_true(traffic.dram_read > 0 && traffic.dram_read < 256);
        }
        assert_true(traffic.least_dram_read <= traffic.dram_read);
        tear_down(&f, &traffic);
    }
}

/* The same sector asked for twice by a block hits L1, unless the load passes it by. */
static void what_is_asked_again_hits_l1(void **state)
{
    struct fixture f;
    struct traffic traffic;

    (void)state;
    set_up(&f, 4);
    f.counts[GATHER].issued = f.counts[GATHER].requests = f.touches[GATHER].led = 10;
    f.counts[GATHER].sectors = f.counts[GATHER].sectors_once = 40;
    traffic = find(&f);
    check_near(traffic.l1_hit, 36.0 / 44, 1e-9);
    check_near(traffic.l2_read, 8, 1e-9);
    traffic_release(&traffic);
    f.code[GATHER].mod[SASS_MOD_ORDER] = SASS_ORDER_STRONG;
    f.code[GATHER].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
    traffic = find(&f);
    assert_true(traffic.l2_read >= 40);
    check_near(traffic.least_l2_read, 40, 1e-9);
    tear_down(&f, &traffic);
}

/* All lanes load the same 16 bytes: four parts, one after another, of which all wait for the one sector. */
static void parts_of_a_request_ask_once(void **state)
{
    struct fixture f;
    struct traffic traffic;

    (void)state;
    set_up(&f, 4);
    f.counts[GATHER] = (struct emulate_count){1, 1, 32, 512, 4, 4, 0, 4, 0, 1, 1};
    f.touches[GATHER] = (struct emulate_touch){1, 1, 2, 1};
    traffic = find(&f);
    check_near(traffic.counts[GATHER].l1_ready, 0, 0);
    check_near(traffic.counts[GATHER].l1_hit, 0, 0);
    check_near(traffic.l2_read, 4 + 1, 1e-9);
    tear_down(&f, &traffic);
}

/* L2 looks up a second time what DRAM brings: whole lines, halves, single sectors with their pair. */
static void misses_are_looked_up_again(void **state)
{
    static const struct {
        double sectors, lines, bytes, misses;
    } cases[] = {{16, 4, 512, 4},    {16, 4, 256, 2}, {8, 4, 256, 4},
                 {32, 32, 2048, 32}, {32, 32, 0, 0},  {0, 0, 0, 0}};

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct traffic_count count = {
            .sectors_once = cases[c].sectors, .lines_once = cases[c].lines, .dram_read = cases[c].bytes};

        check_near(traffic_l2_misses(&count), cases[c].misses, 0);
    }
}

/* Of a block of four warps the first alone loads, twice from the same sectors: it finds the second in L1. */
static void what_one_warp_loads_is_its_own(void **state)
{
    struct fixture f;
    struct traffic traffic;

    (void)state;
    set_up(&f, 4);
    f.block.warps = 4;
    f.block.paths = (uint32_t[4]){0};
    f.counts[GATHER] = (struct emulate_count){2, 2, 64, 256, 8, 2, 0, 2, 0, 8, 2};
    f.touches[GATHER].led = 2;
    traffic = find(&f);
    check_near(traffic.counts[GATHER].own, 4. / 4, 1e-9);
    check_near(traffic.counts[GATHER].l1_ready, 0.5, 1e-9);
    tear_down(&f, &traffic);
}

/* The share h that random replacement keeps of data `times` as large as the cache: h = exp(-(1 - h) times).
 */
static double random_hits(double times)
{
    double h = 0;
    int k;

    for (k = 0; k < 1000 && times > 1; k++)
        h = exp(-(1 - h) * times);
    return times > 1 ? h : 1;
}

/* A first loop reads 128 bytes a warp, a second one the same again, and stores as many: found in L1 where
 * what 32 blocks read and store fits, in L2 where 320 blocks' reads do; else DRAM brings them twice. */
static void a_second_loop_finds_what_fits(void **state)
{
    static const struct {
        double l1, l2;
        bool twice;
    } cases[] = {{8192, 50e6, false}, {4096, 50e6, false}, {2048, 160e3, false}, {2048, 20e3, true}};
    static struct emulate_step steps[] = {{0, 0, 1, 10}, {INDEX, 1, 0, 0}, {0, 0, 1, 10}, {GATHER, 2, 0, 0}};
    size_t c;

    (void)state;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct traffic traffic;
        double hit;

        set_up(&f, 4);
        footprint_release(&f.block.read);
        assert_int_equal(footprint_mark(&f.block.read, 1 << 20, 128, NULL), 0);
        f.touches[GATHER] = (struct emulate_touch){0, 0, 1, 1};
        f.way = (struct emulate_path){.steps = steps, .count = 4};
        f.result.paths = &f.way;
        f.result.path_count = 1;
        f.caches.l1_bytes = cases[c].l1;
        f.caches.l2_bytes = f.caches.l2_holds = cases[c].l2;
        traffic = find(&f);
        hit = random_hits(2 * 32 * 128 / cases[c].l1);
        check_near(traffic.counts[GATHER].l1_ready, hit, 1e-6);
        check_near(traffic.l1_hit, hit / 2, 1e-6);
        check_near(traffic.dram_read, 128 * (1 + cases[c].twice * (1 - hit)), 1e-3);
        tear_down(&f, &traffic);
    }
}

/* A second load of the same pass asks for what the first has just missed: a hit, that waits as long as the
 * first. A later loop finds it there. */
static void what_is_under_way_is_waited_for(void **state)
{
    static struct emulate_step steps[] = {{0, 0, 1, 10}, {INDEX, 1, 0, 0}, {0, 0, 1, 10}, {GATHER, 2, 0, 0}};
    struct fixture f;
    struct traffic traffic;

    (void)state;
    set_up(&f, 4);
    f.touches[GATHER] = (struct emulate_touch){0, 0, 1, 1};
    traffic = find(&f);
    check_near(traffic.counts[GATHER].l1_hit, 1, 1e-9);
    check_near(traffic.waiting, 2, 1e-9);
    check_near(traffic.waiting_dram, 2, 1e-9);
    traffic_release(&traffic);

    f.way = (struct emulate_path){.steps = steps, .count = 4};
    f.result.paths = &f.way;
    f.result.path_count = 1;
    traffic = find(&f);
    check_near(traffic.counts[GATHER].l1_hit, 1, 1e-9);
    check_near(traffic.waiting, 1, 1e-9);
    tear_down(&f, &traffic);
}

/* A lane walks its own line, 4 bytes at a time: L1 must hold a line for each, though only a sector of it is
 * in use. 32 warps on an SM: 128 KB of lines. */
static void l1_holds_lines_not_sectors(void **state)
{
    static const double l1[] = {131072, 98304, 65536};
    size_t c;

    (void)state;
    for (c = 0; c < sizeof l1 / sizeof *l1; c++) {
        struct fixture f;
        struct traffic traffic;

        set_up(&f, 128);
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
        traffic = find(&f);
        check_near(traffic.l1_hit, 7.0 / 8 * random_hits(131072 / l1[c]), 1e-4);
        check_near(traffic.dram_read, 2 * 1024 + 128, 128);
        tear_down(&f, &traffic);
    }
}

/* 64 bytes of a line for each lane. One sector a pass: DRAM brings the second along with the first. Both in
 * one pass: neither is there. */
static void dram_brings_what_the_next_pass_asks_for(void **state)
{
    static const struct {
        uint64_t passes;
        double ready;
    } cases[] = {{2, 0.5}, {1, 0}};
    size_t c;
    unsigned lane;

    (void)state;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint64_t passes = cases[c].passes;
        struct fixture f;
        struct traffic traffic;

        set_up(&f, 128);
        for (lane = 0; lane < 32; lane++)
            assert_int_equal(footprint_mark(&f.block.read, (1 << 24) + lane * 128, 64, NULL), 0);
        f.touches[GATHER] = (struct emulate_touch){64, 64, 2, passes};
        f.counts[GATHER] = (struct emulate_count){.issued = passes,
                                                  .requests = passes,
                                                  .lanes = 32 * passes,
                                                  .bytes = 2048,
                                                  .sectors = 64,
                                                  .lines = 32 * passes,
                                                  .sectors_once = 64,
                                                  .lines_once = 32 * passes};
        traffic = find(&f);
        check_near(traffic.counts[GATHER].l2_ready, cases[c].ready, 1e-9);
        check_near(traffic.counts[INDEX].l2_ready, 0, 1e-9);
        tear_down(&f, &traffic);
    }
}

/* Layers of blocks that each read what the one before has read: fetched once where L2 holds a layer of 1000
 * blocks of 256 bytes and what they store, and by every wave of 320 blocks where it does not. */
static void layers_find_what_l2_holds(void **state)
{
    struct fixture f;
    struct traffic traffic;
    struct emulate_block blocks[2];

    (void)state;
    set_up(&f, 4);
    f.launch.grid[2] = 100;
    f.block.position[2] = 50;
    f.block.weight = 50000;
    blocks[0] = blocks[1] = f.block;
    blocks[1].position[2]++;
    f.result.blocks = blocks;
    f.result.block_count = 2;
    traffic = find(&f);
    check_near(traffic.unique_read, 1000 * 256, 1e-6);
    check_near(traffic.dram_read * traffic.warps, 1000 * 256, 1e-6);
    traffic_release(&traffic);
    f.caches.l2_holds = 100e3;
    traffic = find(&f);
    check_near(traffic.dram_read * traffic.warps, 100 * 1000 * 256, 1e-3);
    tear_down(&f, &traffic);
}

static void demands_follow_the_counts(void **state)
{
    struct fixture f;
    struct traffic traffic;
    struct device device;
    struct machine machine;
    struct demands demands;

    (void)state;
    assert_int_equal(device_read(&device, "tests/data/devices/by-hand.json", NULL), 0);
    assert_int_equal(machine_init(&machine, &device, NULL), 0);
    set_up(&f, 128);
    traffic = find(&f);
    demands_of(&demands, &machine, &f.sass, &traffic);
    check_near(demands.demand.count[RESOURCE_ISSUE], 3, 0);
    check_near(demands.demand.count[RESOURCE_LSU], 3, 0);
    check_near(demands.demand.count[RESOURCE_L1_TAGS], 34, 1e-9);
    check_near(demands.demand.count[RESOURCE_L1_DATA], 1 + 32 + 1, 1e-9); /* all lanes in one bank */
    check_near(demands.demand.count[RESOURCE_DRAM_WRITE], traffic.dram_written, 0);
    check_near(demands.demand.count[RESOURCE_LOADS_IN_FLIGHT],
               traffic.waiting * device_sustained(&device, DEVICE_L2_LATENCY) +
                   traffic.waiting_dram * (device_sustained(&device, DEVICE_DRAM_LATENCY) -
                                           device_sustained(&device, DEVICE_L2_LATENCY)),
               1e-6);
    assert_true(demands.demand.count[RESOURCE_LOADS_IN_FLIGHT] > 0);
    check_near(demands.known_share, 1, 0);
    assert_true(demands.assumptions & PREDICT_ASSUMED_PUBLISHED);
    for (enum resource r = 0; r < RESOURCE_COUNT; r++)
        assert_true(demands.demand.least[r] <= demands.demand.count[r] * (1 + 1e-12));
    tear_down(&f, &traffic);
    machine_release(&machine);
    device_release(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutation_traffic),
        cmocka_unit_test(what_is_evicted_first_is_fetched_again),
        cmocka_unit_test(parts_of_sectors_merge),
        cmocka_unit_test(a_warm_cache_keeps_what_fits),
        cmocka_unit_test(what_is_asked_again_hits_l1),
        cmocka_unit_test(parts_of_a_request_ask_once),
        cmocka_unit_test(misses_are_looked_up_again),
        cmocka_unit_test(what_one_warp_loads_is_its_own),
        cmocka_unit_test(a_second_loop_finds_what_fits),
        cmocka_unit_test(what_is_under_way_is_waited_for),
        cmocka_unit_test(l1_holds_lines_not_sectors),
        cmocka_unit_test(dram_brings_what_the_next_pass_asks_for),
        cmocka_unit_test(layers_find_what_l2_holds),
        cmocka_unit_test(demands_follow_the_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

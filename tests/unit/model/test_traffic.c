#include "check.h"
#include "model/machine/assumptions.h"
#include "traffic_fixture.h"

#include "model/machine/assumption.h"
#include "model/predict/demands.h"
#include "model/memory/turnaround.h"

/* 12 sectors a warp for identity, 40 when every lane meets its own sector, 34 lines when its own line. */
static void permutation_traffic(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    traffic = fixture_find(&f);
    check_near(traffic.loads.l2_read + traffic.stores.sectors, 12, 1e-9);
    check_near(traffic.dram.read, 256, 1e-9);
    fixture_tear_down(&f, &traffic);

    fixture_set_up(&f, 32);
    traffic = fixture_find(&f);
    check_near(traffic.loads.l2_read + traffic.stores.sectors, 40, 1e-9);
    check_near(traffic.dram.read, 128 + 1024, 1e-9);
    fixture_tear_down(&f, &traffic);

    fixture_set_up(&f, 128);
    traffic = fixture_find(&f);
    check_near(traffic.dram.read, 128 + 2 * 1024, 1e-9); /* a lane's sector comes with its neighbour */
    check_near(traffic.counts[INDEX].lines + traffic.counts[GATHER].lines + traffic.counts[STORE].lines, 34,
               1e-9);
    fixture_tear_down(&f, &traffic);
}

/* A count taken again where blocks have come apart says what a fresh one does, whatever the first one's skew was. */
static void a_recount_is_a_count(void **state)
{
    struct fixture f;
    struct traffic fresh, again;

    fixture_set_up(&f, 128);
    f.launch.grid[0] = 4096;
    f.caches.l2_holds = f.caches.l2_bytes = 1 << 14;
    again = fixture_find(&f);
    f.caches.skew = 0.5;
    assert_int_equal(traffic_recount(&again, &f.sass, &f.result, &f.launch, &f.caches, NULL), 0);
    fresh = fixture_find(&f);
    assert_memory_equal(again.counts, fresh.counts, INSTRUCTIONS * sizeof *fresh.counts);
    assert_memory_equal(&again.stores, &fresh.stores, sizeof fresh - offsetof(struct traffic, stores));
    traffic_release(&again);
    fixture_tear_down(&f, &fresh);
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

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct emulate_block blocks[2];
        struct traffic traffic;

        fixture_set_up(&f, 128);
        f.code[GATHER].mod[SASS_MOD_EVICT] = cases[c].evict;
        f.caches.l2_evict_first = cases[c].holds;
        blocks[0] = blocks[1] = f.block;
        blocks[1].position[0]++;
        blocks[1].read = (struct footprint){0};
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(footprint_mark(&blocks[1].read, (1 << 24) + lane * 128 + 32, 4, NULL), 0);
        f.result.blocks = blocks;
        f.result.block_count = 2;
        traffic = fixture_find(&f);
        check_near(traffic.dram.read, cases[c].read, 1);
        footprint_release(&blocks[1].read);
        fixture_tear_down(&f, &traffic);
    }
}

/* 256 bytes read and 128 written by one block: a warm L2 of 50 KB has it all, one of 300 bytes some, one of 100
 * hardly anything. */
static void a_warm_cache_keeps_what_fits(void **state)
{
    static const struct {
        double l2_bytes, dram_read, least;
    } cases[] = {{50e3, 0, 0}, {300, -1, -1}, {100, 256, 256 * (1 - 100. / 384)}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 4);
        f.caches.warm = true;
        f.caches.l2_bytes = f.caches.l2_holds = cases[c].l2_bytes;
        f.launch.grid[0] = 1;
        f.block.weight = 1;
        f.block.position[0] = 0;
        traffic = fixture_find(&f);
        if (cases[c].dram_read >= 0) {
            check_near(traffic.dram.read, cases[c].dram_read, 1e-9);
            check_near(traffic.least.dram_read, cases[c].least, 1e-9);
        } else {
            assert_true(traffic.dram.read > 0 && traffic.dram.read < 256);
        }
        assert_true(traffic.least.dram_read <= traffic.dram.read);
        fixture_tear_down(&f, &traffic);
    }
}

/* The same, launch after launch: what L2 holds of the 128 bytes written is written again there, as far as it holds
 * so many that are written and all 384, half of which lie in both its halves. After a flush nothing of it is there. */
static void launches_write_again_what_is_held(void **state)
{
    static const struct {
        bool warm;
        double holds, once, written;
    } cases[] = {{true, 128, 640, 0},
                 {true, 100, 668, 0.28 * 128},
                 {true, 128, 600, 128 * 20 / 144.8},
                 {false, 128, 640, 128}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct traffic traffic;

        fixture_set_up(&f, 4);
        f.caches.warm = cases[c].warm;
        f.caches.l2_bytes = 800;
        f.caches.l2_holds = cases[c].holds;
        f.caches.l2_holds_once = cases[c].once;
        f.launch.grid[0] = 1;
        f.block.weight = 1;
        f.block.position[0] = 0;
        traffic = fixture_find(&f);
        check_near(traffic.dram.written, cases[c].written, 1e-9);
        fixture_tear_down(&f, &traffic);
    }
}

/* Nothing shows what the blocks of a grid share of which one was looked at: the bound has what that one touches. */
static void a_bound_takes_for_shared_what_is_not_shown(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    traffic = fixture_find(&f);
    check_near(traffic.touched.read, 256e3, 1e-9);
    check_near(traffic.least.read, 256, 1e-9);
    check_near(traffic.least.written, 128, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* The same sector asked for twice by a block hits L1, unless the load passes it by. */
static void what_is_asked_again_hits_l1(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.counts[GATHER].issued = f.counts[GATHER].requests = f.touches[GATHER].led = 10;
    f.counts[GATHER].sectors = f.counts[GATHER].sectors_once = 40;
    traffic = fixture_find(&f);
    check_near(traffic.loads.l1_hit, 36.0 / 44, 1e-9);
    check_near(traffic.loads.l2_read, 8, 1e-9);
    traffic_release(&traffic);
    f.code[GATHER].mod[SASS_MOD_ORDER] = SASS_ORDER_STRONG;
    f.code[GATHER].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
    traffic = fixture_find(&f);
    assert_true(traffic.loads.l2_read >= 40);
    check_near(traffic.least.l2_read, 40, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* All lanes load the same 16 bytes: four parts, one after another, of which all wait for the one sector. */
static void parts_of_a_request_ask_once(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.counts[GATHER] = (struct emulate_count){.issued = 1,
                                              .requests = 1,
                                              .lanes = 32,
                                              .bytes = 512,
                                              .sectors = 4,
                                              .lines = 4,
                                              .passes = 4,
                                              .sectors_once = 1,
                                              .lines_once = 1};
    f.touches[GATHER] = (struct emulate_touch){1, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    traffic = fixture_find(&f);
    check_near(traffic.counts[GATHER].l1_ready, 0, 0);
    check_near(traffic.counts[GATHER].l1_hit, 0, 0);
    check_near(traffic.loads.l2_read, 4 + 1, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* Two passes for every value that a MATCH finds, of those whose values are known: 4 on average. A shuffle
 * takes one, as does a transposition. */
static void a_match_passes_for_each_value(void **state)
{
    const struct sass match = {.op = SASS_MATCH}, shuffle = {.op = SASS_SHFL}, transpose = {.op = SASS_MOVM};
    const struct traffic_count known = {.issued = 10, .requests = 5, .wavefronts = 20},
                               unknown = {.issued = 10};

    check_near(traffic_match_passes(&match, &known), 80, 0);
    check_near(traffic_match_passes(&match, &unknown), 20, 0);
    check_near(traffic_shared_passes(&match, &known), 0, 0); /* which goes on beside it */
    check_near(traffic_shared_passes(&shuffle, &known), 10, 0);
    check_near(traffic_shared_passes(&transpose, &known), 10, 0);
}

/* L2 looks up a second time what DRAM brings: whole lines, halves, single sectors with their pair. */
static void misses_are_looked_up_again(void **state)
{
    static const struct {
        double sectors, lines, bytes, misses;
    } cases[] = {{16, 4, 512, 4},    {16, 4, 256, 2}, {8, 4, 256, 4},
                 {32, 32, 2048, 32}, {32, 32, 0, 0},  {0, 0, 0, 0}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct traffic_count count = {
            .sectors_once = cases[c].sectors, .lines_once = cases[c].lines, .dram_read = cases[c].bytes};
        const struct traffic_l2 l2 = traffic_l2_reads(&count);

        check_near(l2.lines, cases[c].lines + cases[c].misses, 0);
        check_near(l2.sectors, cases[c].sectors, 0);
        check_near(l2.merged, 0, 0);
    }
}

/* Half of what is asked hits L1, of the rest three quarters merge: their sectors come all the same. */
static void merged_requests_get_their_sectors(void **state)
{
    const struct traffic_count count = {
        .sectors_once = 32, .lines_once = 8, .l1_hit = 0.5, .l2_merged = 0.75};
    const struct traffic_l2 l2 = traffic_l2_reads(&count);

    check_near(l2.sectors, 16, 0);
    check_near(l2.lines, 1, 0);
    check_near(l2.merged, 3, 0);
}

/* Of a block of four warps the first alone loads, twice from the same sectors: it finds the second in L1. */
static void what_one_warp_loads_is_its_own(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 4);
    f.block.warps = 4;
    f.block.paths = (uint32_t[4]){0};
    f.counts[GATHER] = fixture_requests(2, 8, 2, 2);
    f.touches[GATHER].led = 2;
    traffic = fixture_find(&f);
    check_near(traffic.counts[GATHER].own, 4. / 4, 1e-9);
    check_near(traffic.counts[GATHER].l1_ready, 0.5, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* The index and what is gathered come before the store; a store between them makes two bursts. */
static void stores_end_bursts(void **state)
{
    struct fixture f;
    struct traffic traffic;

    fixture_set_up(&f, 32);
    f.code[GATHER].mod[SASS_MOD_EVICT] = SASS_EVICT_FIRST;
    f.code[INDEX].mod[SASS_MOD_ORDER] = SASS_ORDER_STRONG;
    f.code[INDEX].mod[SASS_MOD_SCOPE] = SASS_SCOPE_GPU;
    traffic = fixture_find(&f);
    check_near(traffic.bursts.bytes, 128 + 1024, 1e-9);
    check_near(traffic.bursts.narrow, 128. / (128 + 1024), 1e-9);
    check_near(traffic.bursts.past_l1, 128. / (128 + 1024), 1e-9);
    check_near(traffic.bursts.evict_first, 1024. / (128 + 1024), 1e-9);
    fixture_tear_down(&f, &traffic);

    fixture_set_up(&f, 32);
    f.code[GATHER] = fixture_access(SASS_STG, SASS_WRITES);
    f.code[STORE] = f.code[INDEX];
    f.touches[STORE] = f.touches[INDEX];
    traffic = fixture_find(&f);
    assert_true(traffic.counts[STORE].dram_read > 0);
    check_near(traffic.bursts.bytes * traffic.dram.read,
               pow(traffic.counts[INDEX].dram_read, 2) + pow(traffic.counts[STORE].dram_read, 2), 1e-6);
    check_near(traffic.bursts.narrow, 1, 1e-9);
    fixture_tear_down(&f, &traffic);
}

/* A load of whole lines and one of single sectors: L2 reads the former while it looks up the latter. */
static void l2_looks_up_beside_reading(void **state)
{
    static const double alone[] = {20, 5}; /* B/cycle: a lookup takes as long as 2 sectors, as 8 */
    static const double taken[] = {16 + 8, (4 + 8) * 8};
    struct device device;
    struct machine machine;
    struct demands demands;
    struct fixture f;
    struct traffic traffic;

    assert_int_equal(device_read(&device, "tests/data/devices/by-hand.json", NULL), 0);
    device.values[DEVICE_L2_READ].sustained = 40;
    device.values[DEVICE_L2_SCATTERED].known = true;
    assert_int_equal(machine_init(&machine, &device, NULL), 0);
    fixture_set_up(&f, 4);
    traffic = fixture_find(&f);
    traffic.stores.sectors = traffic.stores.lines = traffic.stores.filled = 0;
    traffic.counts[INDEX] = (struct traffic_count){.issued = 4, .sectors_once = 16, .lines_once = 4};
    traffic.counts[GATHER] = (struct traffic_count){.issued = 1, .sectors_once = 8, .lines_once = 8};
    for (size_t c = 0; c < sizeof alone / sizeof *alone; c++) {
        device.values[DEVICE_L2_SCATTERED].sustained = alone[c];
        demands_of(&demands, &machine, &f.sass, &traffic);
        check_near(demands.demand.count[RESOURCE_L2], taken[c], 1e-9);
    }
    fixture_tear_down(&f, &traffic);
    machine_release(&machine);
    device_release(&device);
}

/* The fixture's traffic on the machine described by hand. */
struct by_hand {
    struct device device;
    struct machine machine;
    struct fixture f;
    struct traffic traffic;
};

static void by_hand_set_up(struct by_hand *out)
{
    assert_int_equal(device_read(&out->device, "tests/data/devices/by-hand.json", NULL), 0);
    assert_int_equal(machine_init(&out->machine, &out->device, NULL), 0);
    fixture_set_up(&out->f, 128);
    out->traffic = fixture_find(&out->f);
}

static void by_hand_tear_down(struct by_hand *on)
{
    fixture_tear_down(&on->f, &on->traffic);
    machine_release(&on->machine);
    device_release(&on->device);
}

/* Words 36 bytes apart, in 32 sectors of nine lines, take three cycles of L1, as measured: no bound counts sectors. */
static void lines_take_l1_not_sectors(void **state)
{
    struct by_hand on;
    struct demands demands;

    by_hand_set_up(&on);
    for (size_t i = 0; i < on.traffic.instruction_count; i++)
        on.traffic.counts[i] = (struct traffic_count){0};
    on.traffic.counts[INDEX] = (struct traffic_count){.issued = 1,
                                                      .least_issued = 1,
                                                      .requests = 1,
                                                      .bytes = 128,
                                                      .sectors = 32,
                                                      .sectors_once = 32,
                                                      .lines = 9,
                                                      .lines_once = 9,
                                                      .passes = 3};
    demands_of(&demands, &on.machine, &on.f.sass, &on.traffic);
    check_near(demands.demand.count[RESOURCE_L1_DATA], 3, 1e-9);
    check_near(demands.demand.least[RESOURCE_L1_DATA], 9. / 4, 1e-9);
    by_hand_tear_down(&on);
}

/* What is stored and added comes into L2 after what DRAM brings; beside it L2 answers, but for a part of either. */
static void l2_answers_beside_what_comes(void **state)
{
    struct by_hand on;
    struct demands demands;
    double beside, in, out;

    by_hand_set_up(&on);
    on.device.values[DEVICE_L2_READ].sustained = 40;
    on.device.values[DEVICE_L2_WRITE] = (struct device_value){.known = true, .sustained = 20, .best = 20};
    machine_release(&on.machine);
    assert_int_equal(machine_init(&on.machine, &on.device, NULL), 0);
    beside = on.machine.assumptions.l2_beside;
    on.traffic.stores = (struct traffic_stores){.sectors = 12, .lines = 3, .filled = 12};
    on.traffic.dram.read = 8 * SECTOR;
    on.traffic.least.l2_read = 5;
    on.traffic.least.l2_written = 7;
    for (size_t i = 0; i < on.traffic.instruction_count; i++)
        on.traffic.counts[i] = (struct traffic_count){0};
    on.traffic.counts[INDEX] = (struct traffic_count){.issued = 1, .sectors_once = 32, .lines_once = 8};
    demands_of(&demands, &on.machine, &on.f.sass, &on.traffic);
    in = 2 * 12;
    out = 32;
    check_near(demands.demand.count[RESOURCE_L2], out + beside * in, 1e-9);
    check_near(demands.demand.count[RESOURCE_L2_WRITE], in + 2 * 8 + beside * (out - 8), 1e-9);
    check_near(demands.demand.least[RESOURCE_L2], 5, 0);
    check_near(demands.demand.least[RESOURCE_L2_WRITE], 7, 0);
    on.traffic.stores = (struct traffic_stores){0}; /* what DRAM brings goes by DRAM's own rate */
    demands_of(&demands, &on.machine, &on.f.sass, &on.traffic);
    check_near(demands.demand.count[RESOURCE_L2_WRITE], 0, 0);
    by_hand_tear_down(&on);
}

static void demands_follow_the_counts(void **state)
{
    struct by_hand on;
    struct demands demands;

    by_hand_set_up(&on);
    demands_of(&demands, &on.machine, &on.f.sass, &on.traffic);
    check_near(demands.demand.count[RESOURCE_ISSUE], 3, 0);
    check_near(demands.demand.count[RESOURCE_LSU], 3, 0);
    check_near(demands.demand.count[RESOURCE_L1_TAGS], 34, 1e-9);
    check_near(demands.demand.count[RESOURCE_L1_DATA], 1 + 32 + 1, 1e-9); /* all lanes in one bank */
    check_near(demands.demand.count[RESOURCE_DRAM_WRITE],
               on.traffic.dram.written * turnaround_cost(&on.machine, &on.traffic), 1e-9);
    check_near(demands.demand.count[RESOURCE_LOADS_IN_FLIGHT],
               on.traffic.loads.waiting * device_sustained(&on.device, DEVICE_L2_LATENCY) +
                   on.traffic.loads.waiting_dram * (device_sustained(&on.device, DEVICE_DRAM_LATENCY) -
                                                    device_sustained(&on.device, DEVICE_L2_LATENCY)),
               1e-6);
    assert_true(demands.demand.count[RESOURCE_LOADS_IN_FLIGHT] > 0);
    check_near(demands.known_share, 1, 0);
    assert_true(demands.assumptions & PREDICT_ASSUMED_PUBLISHED);
    for (enum resource r = 0; r < RESOURCE_COUNT; r++)
        assert_true(demands.demand.least[r] <= demands.demand.count[r] * (1 + 1e-12));
    by_hand_tear_down(&on);
}

/* Of three requests one has no place that is known, or no lane; it takes an address, which no bound rests on. */
static void constants_are_asked_for_address_by_address(void **state)
{
    struct sass load = {.op = SASS_LDC,
                        .guard = SASS_PT,
                        .access_count = 1,
                        .accesses = {{.space = SASS_SPACE_CONSTANT, .index = 4, .uniform = SASS_URZ}}};
    struct traffic_count count = {.issued = 3, .least_issued = 3, .requests = 2, .wavefronts = 40};
    const struct sass_code code = {.instructions = &load, .count = 1};
    const struct traffic traffic = {.counts = &count, .instruction_count = 1, .warps = 1};
    struct device device;
    struct machine machine;
    struct demands demands;

    assert_int_equal(device_read(&device, "tests/data/devices/by-hand.json", NULL), 0);
    for (int known = 0; known < 2; known++) {
        device.values[DEVICE_CONSTANT_ADDRESS] =
            (struct device_value){.known = known, .sustained = 2, .best = 2};
        assert_int_equal(machine_init(&machine, &device, NULL), 0);
        demands_of(&demands, &machine, &code, &traffic);
        check_near(demands.demand.count[RESOURCE_CONSTANT_PORT], known ? 41 : 0, 1e-9);
        check_near(demands.demand.least[RESOURCE_CONSTANT_PORT], known ? 40 : 0, 1e-9);
        check_near(demands.demand.count[RESOURCE_SHARED], 0, 0);
        assert_true(demands.assumptions & PREDICT_ASSUMED_CONSTANTS);
        assert_int_equal(!(demands.assumptions & PREDICT_ASSUMED_ONE_PLACE), known);
        machine_release(&machine);
    }
    load.accesses[0].bytes = 16; /* twice as many */
    assert_int_equal(machine_init(&machine, &device, NULL), 0);
    demands_of(&demands, &machine, &code, &traffic);
    check_near(demands.demand.count[RESOURCE_CONSTANT_PORT], 82, 1e-9);
    machine_release(&machine);
    load.accesses[0].index = SASS_RZ; /* a parameter of the kernel */
    count.requests = count.wavefronts = 0;
    assert_int_equal(machine_init(&machine, &device, NULL), 0);
    demands_of(&demands, &machine, &code, &traffic);
    check_near(demands.demand.count[RESOURCE_CONSTANT_PORT], 0, 0);
    assert_false(demands.assumptions & (PREDICT_ASSUMED_CONSTANTS | PREDICT_ASSUMED_ONE_PLACE));
    machine_release(&machine);
    device_release(&device);
}

int main(void)
{
    return RUN_TESTS(permutation_traffic, a_recount_is_a_count, what_is_evicted_first_is_fetched_again,
                     a_warm_cache_keeps_what_fits, launches_write_again_what_is_held,
                     a_bound_takes_for_shared_what_is_not_shown, what_is_asked_again_hits_l1,
                     parts_of_a_request_ask_once, a_match_passes_for_each_value, misses_are_looked_up_again,
                     merged_requests_get_their_sectors, what_one_warp_loads_is_its_own, stores_end_bursts,
                     l2_looks_up_beside_reading, lines_take_l1_not_sectors, l2_answers_beside_what_comes,
                     demands_follow_the_counts, constants_are_asked_for_address_by_address);
}

#include "check.h"

#include "model/machine/assumption.h"
#include "model/machine/machine.h"

/* Of the profile by hand at first. What a test changes in the device, machine_again() has the machine know. */
static struct device device;
static struct machine machine;

static void machine_again(void)
{
    machine_release(&machine);
    assert_int_equal(machine_init(&machine, &device, NULL), 0);
}

static int tear_down(void **state)
{
    machine_release(&machine);
    device_release(&device);
    return 0;
}

static void machine_of(const char *profile)
{
    tear_down(NULL);
    assert_int_equal(device_read(&device, profile, NULL), 0);
    machine_again();
}

static int set_up(void **state)
{
    machine_of("tests/data/devices/by-hand.json");
    return 0;
}

static void capacities_are_per_cycle(void **state)
{
    const struct capacity *sustained = machine.capacities.sustained, *best = machine.capacities.best;

    check_near(sustained[RESOURCE_ISSUE].per_sm, 4, 0);
    check_near(sustained[RESOURCE_SHARED].per_sm, 1, 0);
    check_near(sustained[RESOURCE_DRAM_READ].per_gpu, 4.3e12 / 1.98e9, 1e-6);
    check_near(sustained[RESOURCE_L2].per_gpu, 40 * 132 / 32.0, 1e-9);
    check_near(sustained[RESOURCE_L2].per_sm, 60 / 32.0, 1e-9);
    /* a copy: as many bytes read as written, together at the rate of a copy */
    check_near(
        1 / (0.5 / sustained[RESOURCE_DRAM_READ].per_gpu + 0.5 / sustained[RESOURCE_DRAM_WRITE].per_gpu),
        4.2e12 / 1.98e9, 1e-6);
    assert_true(best[RESOURCE_DRAM_WRITE].per_gpu >= 4.6e12 / 1.98e9);
}

/* The microbenchmark of L1 came to 125.4 bytes a cycle; a matrix multiply whose loads are broadcast was measured
 * at 125.8. The hard bound goes by the width of L1's data, of which no more than all passes in a cycle. */
static void no_wavefront_takes_less_than_a_cycle(void **state)
{
    machine_of("model/device/profiles/nvidia-h200.json");
    assert_true(machine.capacities.best[RESOURCE_L1_DATA].per_sm >= 1);
    assert_true(machine.capacities.sustained[RESOURCE_L1_DATA].per_sm < 1);
    check_near(machine.capacities.sustained[RESOURCE_CONSTANT_PORT].per_sm, 0.5, 0.01);
}

/* GPCs of unequal size: clusters of four leave twelve of an H200's SMs out. */
static void clusters_leave_sms_out(void **state)
{
    machine_of("model/device/profiles/nvidia-h200.json");
    check_near(machine_cluster_sms(&machine, 1), 132, 0);
    check_near(machine_cluster_sms(&machine, 2), 132, 0);
    check_near(machine_cluster_sms(&machine, 4), 120, 0);
    check_near(machine_cluster_sms(&machine, 9), 81, 0);
    check_near(machine_cluster_sms(&machine, 16), 112, 0);
    assert_true(isnan(machine_cluster_sms(&machine, 17)));
    assert_int_equal(machine_cluster_blocks(&machine, 1), 0);
    assert_int_equal(machine_cluster_blocks(&machine, 2), 8);
    assert_int_equal(machine_clusters_assumed(&machine, 1), 0);
    assert_int_equal(machine_clusters_assumed(&machine, 2), 0);
    assert_int_equal(machine_clusters_assumed(&machine, 4), PREDICT_ASSUMED_CLUSTER_COUNT);
    assert_int_equal(machine_clusters_assumed(&machine, 16), PREDICT_ASSUMED_CLUSTER_COUNT);
    assert_int_equal(machine_clusters_assumed(&machine, 17), PREDICT_ASSUMED_CLUSTER_SMS);
    machine_of("model/device/profiles/nvidia-h100.json");
    check_near(machine_cluster_sms(&machine, 1), device.limits.sm_count, 0);
    assert_true(isnan(machine_cluster_sms(&machine, 2)));
}

static void curves_are_factors_over_utilisation(void **state)
{
    check_near(saturation_factor(&machine.l2, 0), 1, 0);
    check_near(saturation_factor(&machine.l2, 0.5), 290.0 / 270, 1e-9);
    check_near(saturation_factor(&machine.shared, 1), 60.0 / 29, 1e-9);
    assert_true(saturation_factor(&machine.dram, 0.99) > 1.5);
}

static void costs_of_instructions(void **state)
{
    struct sass imad = {.op = SASS_IMAD, .sm = 90}, rcp = {.op = SASS_MUFU, .sm = 90},
                s2r = {.op = SASS_S2R, .sm = 90};
    struct machine_cost cost;

    rcp.mod[SASS_MOD_FUNCTION] = SASS_MUFU_RCP;
    check_near(machine_cost_of(&machine, &imad).interval, 2, 0);
    cost = machine_cost_of(&machine, &rcp);
    check_near(cost.interval, 8, 0);
    check_near(cost.latency, 20, 0);
    assert_false(cost.assumed);
    assert_true(machine_cost_of(&machine, &s2r).assumed);
}

/* Two passes through the heavy half of the FMA pipe stop the scheduler, one does not. */
static void a_wide_product_takes_three_slots(void **state)
{
    const struct sass imad = {.op = SASS_IMAD, .sm = 90}, fadd = {.op = SASS_FADD, .sm = 90},
                      wide = {.op = SASS_IMAD, .sm = 90, .mod = {[SASS_MOD_WIDE] = 1}};

    device.ops[DEVICE_OP_IMAD_WIDE].interval = (struct device_value){true, 4, 4, 0, "by hand"};
    machine_again();
    check_near(machine_cost_of(&machine, &wide).slots, 3, 0);
    check_near(machine_cost_of(&machine, &imad).slots, 1, 0);
    check_near(machine_cost_of(&machine, &fadd).slots, 1, 0);
}

/* The last of many places is waited for; where nobody measured that, as for one. */
static void many_places_take_longer(void **state)
{
    const double x[] = {1, 8, 32}, y[] = {770, 970, 1130};

    check_near(machine_places(&machine, 8), 0, 0);
    assert_int_equal(device_curve_set(&device.curves[DEVICE_CURVE_DRAM_PLACES], x, y, 3, "by hand", NULL), 0);
    machine_again();
    check_near(machine_places(&machine, 1), 0, 0);
    check_near(machine_places(&machine, 8), 200, 1e-9);
}

/* Products of 16 rows by DMMA take half as long for their work as those of 8: each kind has a rate of its own, shapes between go by
 * their work. */
static void products_of_more_rows_go_another_way(void **state)
{
    struct sass narrow = {.op = SASS_DMMA, .sm = 90}, wide = narrow, deep = narrow;

    narrow.mod[SASS_MOD_SHAPE] = SASS_M8N8K4;
    wide.mod[SASS_MOD_SHAPE] = SASS_M16N8K8;
    deep.mod[SASS_MOD_SHAPE] = SASS_M16N8K16;
    device.ops[DEVICE_OP_DMMA].interval = (struct device_value){true, 16, 16, 0, "by hand"};
    machine_again();
    check_near(machine_cost_of(&machine, &wide).interval, 64, 0);
    assert_true(machine_cost_of(&machine, &wide).assumed);
    device.ops[DEVICE_OP_DMMA_16].interval = (struct device_value){true, 32, 32, 0, "by hand"};
    device.ops[DEVICE_OP_DMMA_16].latency = (struct device_value){true, 50, 50, 0, "by hand"};
    machine_again();
    check_near(machine_cost_of(&machine, &narrow).interval, 16, 0);
    check_near(machine_cost_of(&machine, &wide).interval, 32, 0);
    check_near(machine_cost_of(&machine, &wide).latency, 50, 0);
    assert_false(machine_cost_of(&machine, &wide).assumed);
    check_near(machine_cost_of(&machine, &deep).interval, 64, 0);
}

/* Requests that merge are lookups where nobody measured them. Sectors asked for four times in a row that come
 * at 40 B/cycle, where single ones take 2 sectors' time: 4 for a run, of which 2 for its first request. */
static void merged_requests_cost_less(void **state)
{
    device.values[DEVICE_L2_SCATTERED].known = device.values[DEVICE_L2_MERGED].known = true;
    device.values[DEVICE_L2_SCATTERED].sustained = 20;
    device.values[DEVICE_L2_MERGED].sustained = 40;
    check_near(machine_reads(&machine, 1, 1, 3, 1000), 2 + 3 * 2. / 3, 1e-9);
}

/* The profile by hand has no scattered rates: sectors then cost as in order. A measured one says how much
 * more, by how many can be under way. */
static void scattered_sectors_cost_more(void **state)
{
    check_near(machine_brings(&machine, 256, 128, 0, 1000), 256, 0);
    check_near(machine_reads(&machine, 4, 4, 0, 1000), 4, 0);
    device.values[DEVICE_DRAM_SCATTERED].known = true;
    device.values[DEVICE_DRAM_SCATTERED].sustained = 4.3e12 / 2;
    device.values[DEVICE_L2_SCATTERED].known = true;
    device.values[DEVICE_L2_SCATTERED].sustained = 20;
    check_near(machine_brings(&machine, 256, 128, 0, 1000), 256 + 128, 1e-9);
    check_near(machine_reads(&machine, 4, 4, 0, 1000), 8, 1e-9);
    check_near(machine_reads(&machine, 4, 1, 0, 1000), 4, 1e-9);
    machine_of("model/device/profiles/nvidia-h200.json");
    assert_true(machine_brings(&machine, 64, 64, 0, 224) > 1.2 * machine_brings(&machine, 64, 64, 0, 480));
    assert_true(machine_brings(&machine, 64, 64, 0, 480) > machine_brings(&machine, 64, 64, 0, 1984));
}

/* A line alone takes as much longer than one of two as it was measured to. */
static void lone_lines_cost_more(void **state)
{
    static const double x[] = {128, 256, 512}, read[] = {4.3e12 / 1.2, 4.3e12 / 1.1, 4.3e12 / 1.05};

    check_near(machine_lone_line(&machine, false), 0, 0);
    check_near(machine_lone_line(&machine, true), 0, 0);
    assert_int_equal(
        device_curve_set(&device.curves[DEVICE_CURVE_DRAM_READ_PIECES], x, read, 3, "a test", NULL), 0);
    check_near(machine_lone_line(&machine, false), 0.1, 1e-9);
    check_near(machine_lone_line(&machine, true), 0, 0);
    check_near(machine_brings(&machine, 256, 0, 128, 1000), 256 + 12.8, 1e-9);
}

static void measure(enum device_value_id id, double value)
{
    device.values[id] = (struct device_value){.known = true, .sustained = value, .best = value};
}

/* L2 takes four whole sectors of a line, the same in part, and both alone in their lines. What was not
 * measured costs what is nearest to it. */
static void written_sectors_cost_by_their_kind(void **state)
{
    measure(DEVICE_L2_READ, 40);
    measure(DEVICE_L2_WRITE, 20);
    machine_again();
    check_near(machine_writes(&machine, 4, 1, 4), 8, 1e-9);
    check_near(machine_writes(&machine, 4, 4, 1), 8, 1e-9);
    assert_true(machine.merge_lines == INFINITY);
    measure(DEVICE_L2_WRITE_PARTIAL, 16);
    measure(DEVICE_L2_SCATTERED_WRITE, 10);
    measure(DEVICE_L2_SCATTERED_PARTIAL, 8);
    measure(DEVICE_STORE_MERGE_LINES, 16);
    machine_again();
    check_near(machine_writes(&machine, 4, 1, 4), 8, 1e-9);
    check_near(machine_writes(&machine, 4, 1, 0), 10, 1e-9);
    check_near(machine_writes(&machine, 4, 1, 2), 9, 1e-9);
    check_near(machine_writes(&machine, 4, 4, 4), 16, 1e-9);
    check_near(machine_writes(&machine, 4, 4, 0), 20, 1e-9);
    check_near(machine_writes(&machine, 0, 0, 0), 0, 0);
    check_near(machine.merge_lines, 16, 0);
}

/* Additions of which 0.98 go to a few words anywhere in 16 MB, on an NVIDIA H200: by how much they are slower than those that go
 * anywhere, 101 G/s. */
static void the_busiest_slice_takes_longest(void **state)
{
    static const struct {
        double words, slower;
    } cases[] = {
        {64, 101 / 27.9}, {200, 101 / 32.8}, {400, 101 / 51.1}, {800, 101 / 66.9}, {3200, 101 / 82.2}};
    double even;

    machine_of("model/device/profiles/nvidia-h200.json");
    even = 1 / machine_busiest_slice(&machine, 1e-12);
    assert_true(even > 60 && even < 100); /* slices; it has 96 */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double slower = machine_busiest_slice(&machine, 0.98 * 0.98 / cases[k].words) * even;

        assert_true(slower > cases[k].slower / 1.3 && slower < cases[k].slower * 1.3);
    }
    check_near(machine_busiest_slice(&machine, 0), 0, 0);
    machine_of("tests/data/devices/by-hand.json");
    check_near(machine_busiest_slice(&machine, 0.01), 0, 0); /* what a lone addition takes is not known */
}

/* Lines in a row that all SMs add to, on an NVIDIA H200: the slice with most of them. */
static void lines_in_a_row_share_slices(void **state)
{
    machine_of("model/device/profiles/nvidia-h200.json");
    check_near(machine_busiest_of_row(&machine, 64) * 64, 4.2, 0.3);
    check_near(machine_busiest_of_row(&machine, 512) * 512, 11.3, 0.5);
    check_near(machine_busiest_of_row(&machine, 0), 0, 0);
    check_near(machine_busiest_of_row(&machine, 8192), 0, 0); /* as good as evenly over all */
    machine_of("tests/data/devices/by-hand.json");
    check_near(machine_busiest_of_row(&machine, 64), 0, 0);
}

/* Loads of an NVIDIA H200 beside streams of which a part is written, over those beside none. */
static void writes_delay_loads(void **state)
{
    static const struct {
        double bytes, written, slower; /* TB/s, share, times */
    } cases[] = {{0.9, 0.125, 806 / 748.}, {0.9, 0.5, 866 / 748.},  {1.7, 0.25, 898 / 748.},
                 {1.7, 1, 1000 / 748.},    {2.5, 0.5, 1057 / 748.}, {2.5, 0.75, 1139 / 748.}};
    struct saturation_mix mix;

    machine_of("model/device/profiles/nvidia-h200.json");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mix = machine_dram_mix(&machine, 1 - cases[k].written, cases[k].written);
        check_near(saturation_mixed(&mix, cases[k].bytes / 4.3) / cases[k].slower, 1, 0.18);
    }
    mix = machine_dram_mix(&machine, 1, 0);
    check_near(saturation_mixed(&mix, 0.4), saturation_factor(&machine.dram, 0.4), 0);
    machine_of("tests/data/devices/by-hand.json"); /* where that was not measured */
    mix = machine_dram_mix(&machine, 0, 1);
    check_near(saturation_mixed(&mix, 0.4), saturation_factor(&machine.dram, 0.4), 0);
}

static struct sass instruction_of(uint64_t low, uint64_t high)
{
    unsigned char bytes[SASS_BYTES];
    struct sass out;

    memcpy(bytes, &low, 8);
    memcpy(bytes + 8, &high, 8);
    sass_decode(&out, bytes, 0, 90);
    return out;
}

/* An atomic takes the more of L2 the more it does: one that answers, one that compares where its line has other sectors, and
 * doubles by the lane. What was not measured costs its lanes. */
static void atomics_cost_by_what_they_do(void **state)
{
    const struct sass add = instruction_of(0x0000000c0200798e, 0x000fe8000c10e184);
    const struct sass answers = instruction_of(0x0000040c020b79a8, 0x000ee200081ee1c4);
    const struct sass dropped = instruction_of(0x0000441102ff79a8, 0x000fe2000c1ee1c4);
    const struct sass compares = instruction_of(0x0000080c020d73a9, 0x000ee200001ee10d);
    const struct sass adds_double = instruction_of(0x00000008060079a6, 0x000fe8000c10ff84);
    const struct machine_added row = {32, 4, 1, 128, 0}, apart = {32, 32, 32, 128, 0},
                               single = {32, 32, 8, 128, 0}, doubles = {32, 8, 2, 256, 0},
                               half = {32, 16, 4, 256, 0}, repeated = {32, 2, 1, 64, 14};

    measure(DEVICE_ATOMIC_GLOBAL_DISTINCT, 8);
    check_near(machine_atomics(&machine, &answers, &row), 32, 0);
    measure(DEVICE_L2_ATOMIC_SINGLE, 10);
    measure(DEVICE_L2_ATOMIC_ROW, 8);
    measure(DEVICE_L2_COMPARE_SINGLE, 6.4);
    measure(DEVICE_L2_COMPARE_ROW, 5);
    measure(DEVICE_L2_ADD_DOUBLE, 8);
    check_near(machine_atomics(&machine, &add, &row), 32, 0);
    check_near(machine_atomics(&machine, &add, &apart), 32, 0);
    check_near(machine_atomics(&machine, &dropped, &row), 32, 0);
    check_near(machine_atomics(&machine, &add, &repeated), 32, 0);
    measure(DEVICE_L2_ADD_SINGLE, 16);
    check_near(machine_atomics(&machine, &add, &repeated), 32 + 14 * 2 * 4, 1e-9);
    check_near(machine_atomics(&machine, &answers, &row), 4 * 4 * 32. / 8, 1e-9);
    check_near(machine_atomics(&machine, &answers, &apart), 32 * 3.2 * 32 / 8, 1e-9);
    check_near(machine_atomics(&machine, &answers, &single), 32 * 3.2 * 32 / 8, 1e-9);
    check_near(machine_atomics(&machine, &compares, &row), 4 * 6.4 * 32 / 8, 1e-9);
    check_near(machine_atomics(&machine, &compares, &apart), 32 * 3.2 * 32 / 8, 1e-9);
    check_near(machine_atomics(&machine, &compares, &single), 32 * 5. * 32 / 8, 1e-9);
    check_near(machine_atomics(&machine, &adds_double, &doubles), 8 * 4. * 32 / 8, 1e-9);
    check_near(machine_atomics(&machine, &adds_double, &half), 16 * 2. * 32 / 8, 1e-9);
}

/* What L2 takes for additions: as stores of parts, but for sectors alone in their line. */
static void additions_cost_as_parts(void **state)
{
    measure(DEVICE_L2_READ, 40);
    measure(DEVICE_L2_WRITE_PARTIAL, 16);
    measure(DEVICE_L2_SCATTERED_PARTIAL, 8);
    machine_again();
    check_near(machine_adds(&machine, 4, 1), 10, 1e-9);
    check_near(machine_adds(&machine, 4, 4), 20, 1e-9);
    measure(DEVICE_L2_ADD_SINGLE, 12.8);
    check_near(machine_adds(&machine, 4, 4), 12.5, 1e-9);
    check_near(machine_adds(&machine, 0, 0), 0, 0);
    /* a copy counts a byte read and one written */
    measure(DEVICE_DRAM_WRITE, 4);
    measure(DEVICE_DRAM_COPY, 4);
    check_near(machine_added_beyond(&machine), 0, 0);
    measure(DEVICE_DRAM_ADD, 1.25);
    check_near(machine_added_beyond(&machine), 4 / 1.25 - 2, 1e-9);
}

/* Shares of loads by how long they take: their mean is 1, and nothing is spread where nobody measured it. */
static void loads_are_spread_as_measured(void **state)
{
    const double x[] = {1 / 32., 31 / 32.}, y[] = {0.5, 1.4};
    double sum = 0;

    check_near(machine.dram_spread[0], 1, 0);
    check_near(machine.dram_spread[MACHINE_SPREAD - 1], 1, 0);
    assert_int_equal(device_curve_set(&device.curves[DEVICE_CURVE_DRAM_SPREAD], x, y, 2, "test", NULL), 0);
    machine_again();
    check_near(machine.dram_spread[0], 0.5, 1e-9);
    check_near(machine.dram_spread[5], 0.8, 1e-9);
    for (int i = 0; i < MACHINE_SPREAD; i++)
        sum += machine.dram_spread[i];
    check_near(sum, MACHINE_SPREAD, 1e-9);
    assert_true(machine.dram_spread[MACHINE_SPREAD - 1] > 1.4);
}

/* The longest code that is supplied best is the measure, also where a profile says that it costs nothing. */
static void code_costs_what_it_takes_beyond_the_best(void **state)
{
    const double x[] = {1024, 4096, 16384}, y[] = {4.5, 4, 6}, nothing[] = {0, 0, 0};
    struct device_curve *curve;

    curve = &device.curves[DEVICE_CURVE_INSTRUCTION_SUPPLY_FULL];
    assert_int_equal(device_curve_set(curve, x, y, 3, "test", NULL), 0);
    machine_again();
    check_near(machine_supply(&machine, 1024), 1, 0);
    check_near(machine_supply(&machine, 10240), 1.25, 1e-9);
    check_near(machine_supply(&machine, 65536), 1.5, 1e-9);
    assert_int_equal(device_curve_set(curve, x, nothing, 3, "test", NULL), 0);
    check_near(machine_supply(&machine, 65536), 1, 0);
}

static void what_is_missing_is_named(void **state)
{
    struct device empty;
    struct err err = {0};
    double value;

    device.values[DEVICE_SHARED_LATENCY].known = false;
    machine_again();
    assert_int_equal(machine_need(&value, &machine, DEVICE_SHARED_LATENCY, &err), ERR_MISSING);
    assert_non_null(strstr(err.text, "shared_latency"));
    assert_non_null(strstr(err.text, "calibrate"));
    machine_release(&machine);
    device.values[DEVICE_DRAM_LATENCY].known = device.values[DEVICE_L2_READ].known = false;
    err_clear(&err);
    assert_int_equal(machine_init(&machine, &device, &err), ERR_MISSING);
    assert_non_null(strstr(err.text, "lacks dram_latency, l2_read, without"));
    device.values[DEVICE_DRAM_LATENCY].known = device.values[DEVICE_L2_READ].known = true;
    device.limits.warps_per_sm = 0;
    err_clear(&err);
    assert_int_equal(machine_init(&machine, &device, &err), ERR_MISSING);
    assert_non_null(strstr(err.text, "limits.warps_per_sm"));
    device_release(&device);

    device_init(&empty);
    err_clear(&err);
    assert_int_equal(machine_init(&machine, &empty, &err), ERR_MISSING);
    assert_non_null(strstr(err.text, "calibrate"));
    device_release(&empty);
}

static void barriers_grow_with_their_warps(void **state)
{
    double one, eight;

    assert_int_equal(machine_barrier(&one, &machine, 1, NULL), 0);
    assert_int_equal(machine_barrier(&eight, &machine, 8, NULL), 0);
    check_near(one, 20, 0);
    check_near(eight, 27, 0);
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, capacities_are_per_cycle, no_wavefront_takes_less_than_a_cycle,
                          clusters_leave_sms_out, curves_are_factors_over_utilisation, costs_of_instructions,
                          a_wide_product_takes_three_slots, many_places_take_longer,
                          products_of_more_rows_go_another_way, merged_requests_cost_less,
                          scattered_sectors_cost_more, atomics_cost_by_what_they_do, additions_cost_as_parts,
                          lone_lines_cost_more, the_busiest_slice_takes_longest, lines_in_a_row_share_slices,
                          writes_delay_loads, written_sectors_cost_by_their_kind,
                          loads_are_spread_as_measured, code_costs_what_it_takes_beyond_the_best,
                          what_is_missing_is_named, barriers_grow_with_their_warps);
}

#include "check.h"

#include <math.h>

#include "model/predict/predict.h"

/* Volkov, 3.8: vector add on Kepler, 8 SMs at 1.124 GHz, 17.1 B/cycle/SM. */
static struct predict_input vector_add(double blocks, double blocks_per_sm)
{
    struct predict_input in = {
        .capacities = {.best = {[RESOURCE_ISSUE] = {4, 0}, [RESOURCE_DRAM_READ] = {0, 17.1 * 8}},
                       .sustained = {[RESOURCE_ISSUE] = {4, 0}, [RESOURCE_DRAM_READ] = {0, 17.1 * 8}},
                       .clock_best_hz = 1.124e9,
                       .clock_hz = 1.124e9,
                       .corner_sharpness = 64},
        .residency = {.blocks = blocks,
                      .sms = 8,
                      .blocks_per_sm = blocks_per_sm,
                      .warps_per_block = 1,
                      .partitions = 1,
                      .blocks_equal = true},
        .latency = {.bound_cycles = 544, .stretch = 1},
        .known_share = 1,
    };

    in.demand.count[RESOURCE_ISSUE] = in.demand.least[RESOURCE_ISSUE] = 8;
    in.demand.count[RESOURCE_DRAM_READ] = in.demand.least[RESOURCE_DRAM_READ] = 384;
    return in;
}

static double gb_per_s(const struct prediction *p)
{
    return p->warps_per_cycle * 384 * 8 * 1.124;
}

static void vector_add_against_occupancy(void **state)
{
    struct predict_input in = vector_add(800, 8);
    struct prediction p;

    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(gb_per_s(&p), 50.8, 0.1);
    check_near(p.needed_warps, 24.2, 0.05);
    check_near(p.had_warps, 8, 0);
    assert_false(p.latency_hidden);
    assert_string_equal(limited_text(p.limited_by, p.limiter), "latency");
    assert_int_equal(p.limiter, RESOURCE_DRAM_READ);
    in = vector_add(64 * 8 * 10, 64);
    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(gb_per_s(&p), 154, 0.5);
    assert_true(p.latency_hidden);
    assert_string_equal(limited_text(p.limited_by, p.limiter), "DRAM read");
    in.capacities.block_dispatch_s = 1e-6;
    assert_int_equal(predict(&p, &in, NULL), 0);
    assert_string_equal(limited_text(p.limited_by, p.limiter), "dispatch of blocks");
    in.latency.longest_cycles = 1e8;
    assert_int_equal(predict(&p, &in, NULL), 0);
    assert_string_equal(limited_text(p.limited_by, p.limiter), "the longest block");
    in = vector_add(64 * 8 * 10, 64);
    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(p.warps_per_cycle * 12, 0.54,
               0.01); /* instructions per cycle: functional units idle, latency hidden */
    check_near(p.estimate_s, p.bound_s, p.bound_s * 0.001);
    check_near(p.confidence, (1 - 24.2 / 64 / 4) / 2, 0.001);
}

static void what_is_no_time_is_an_error(void **state)
{
    struct predict_input in = vector_add(800, 8);
    struct prediction p;
    struct err err = {0};

    in.capacities.sustained[RESOURCE_DRAM_READ].per_gpu = 1e-307;
    in.capacities.clock_hz = 1e-9;
    assert_int_equal(predict(&p, &in, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "the device profile holds values out of range"));
    assert_true(p.estimate_s == 0);
}

/* Where tensor cores work the SMs' clock is lower: what they limit takes longer by that, what DRAM limits as long as before. */
static void tensor_cores_lower_the_clock(void **state)
{
    struct predict_input in = vector_add(64 * 8 * 10, 64);
    struct prediction p, slow;

    in.capacities.best[RESOURCE_TENSOR] = in.capacities.sustained[RESOURCE_TENSOR] = (struct capacity){4, 0};
    in.tensor_cycles = in.demand.count[RESOURCE_TENSOR] = in.demand.least[RESOURCE_TENSOR] = 8;
    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(p.clock_hz, in.capacities.clock_hz, 0);
    in.capacities.clock.boost_hz = 0.9 * in.capacities.clock_hz;
    assert_int_equal(predict(&slow, &in, NULL), 0);
    check_near(slow.clock_hz, in.capacities.clock.boost_hz, 1);
    assert_false(slow.power_limited);
    check_near(slow.estimate_s, p.estimate_s, 0.001 * p.estimate_s);
    check_near(slow.bound_s, p.bound_s, 0);
    in.demand.count[RESOURCE_ISSUE] = 800;
    in.capacities.clock.boost_hz = 0;
    assert_int_equal(predict(&p, &in, NULL), 0);
    in.capacities.clock.boost_hz = 0.9 * in.capacities.clock_hz;
    assert_int_equal(predict(&slow, &in, NULL), 0);
    check_near(slow.estimate_s, p.estimate_s / 0.9, 0.001 * p.estimate_s);
    in.capacities.clock.boost_hz = 2 * in.capacities.clock_hz;
    assert_int_equal(predict(&slow, &in, NULL), 0);
    check_near(slow.estimate_s, p.estimate_s, 0);
}

/* How long tensor cores work, and so the clock, is what is expected, though blocks that were not executed prove nothing. */
static void unproved_products_take_power(void **state)
{
    struct predict_input in = vector_add(64 * 8 * 10, 64);
    struct prediction proved, unproved;

    in.capacities.best[RESOURCE_TENSOR] = in.capacities.sustained[RESOURCE_TENSOR] = (struct capacity){4, 0};
    in.tensor_cycles = in.demand.count[RESOURCE_TENSOR] = in.demand.least[RESOURCE_TENSOR] = 800;
    in.capacities.clock = (struct clock_limits){
        .boost_hz = in.capacities.clock_hz, .tensor_hz = 0.8 * in.capacities.clock_hz, .exponent = 3};
    assert_int_equal(predict(&proved, &in, NULL), 0);
    assert_true(proved.power_limited);
    in.demand.least[RESOURCE_TENSOR] = 0;
    assert_int_equal(predict(&unproved, &in, NULL), 0);
    check_near(unproved.tensor_share, proved.tensor_share, 0.001);
    check_near(unproved.clock_hz, proved.clock_hz, 1e-3 * proved.clock_hz);
    check_near(predict_clock(&in), unproved.clock_hz, 1);
}

/* A lower clock leaves DRAM as fast: there are fewer cycles, of which tensor cores work a larger share, which takes more
 * power. So clock and cycles are those of each other. */
static void clock_and_cycles_agree(void **state)
{
    struct predict_input in = vector_add(64 * 8 * 10, 64);
    struct prediction p, highest;

    in.capacities.best[RESOURCE_TENSOR] = in.capacities.sustained[RESOURCE_TENSOR] = (struct capacity){4, 0};
    assert_int_equal(predict(&highest, &in, NULL), 0);
    in.tensor_cycles = 2 * highest.at_sustained.bound_cycles; /* half of DRAM's time */
    in.capacities.clock = (struct clock_limits){
        .boost_hz = in.capacities.clock_hz, .tensor_hz = 0.6 * in.capacities.clock_hz, .exponent = 3};
    assert_int_equal(predict(&p, &in, NULL), 0);
    assert_true(p.power_limited);
    check_near(p.tensor_share * pow(p.clock_hz / in.capacities.clock.tensor_hz, 3), 1, 0.01);
    check_near(p.tensor_share,
               in.tensor_cycles / 4 * in.residency.blocks * in.residency.warps_per_block /
                   fmin(in.residency.sms, in.residency.blocks) / (p.estimate_s - p.launch_s) / p.clock_hz,
               0.01);
}

/* Volkov, 3.9: 3, 30 and 67 % of a scheduler's cycles at 8 warps; 9, 91 and 0 % at 32. */
static void cycles_by_kind_of_stall(void **state)
{
    struct predict_input in = vector_add(800, 8);
    struct prediction p;

    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(p.issued, 0.03, 0.005);
    check_near(p.stalled_bandwidth, 0.30, 0.005);
    check_near(p.stalled_latency, 0.67, 0.005);
    in = vector_add(3200, 32);
    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(p.issued, 0.09, 0.005);
    check_near(p.stalled_bandwidth, 0.91, 0.005);
    check_near(p.stalled_latency, 0, 0.005);
}

/* Instructions that keep the scheduler busy for longer than they take to be sent are not more instructions. */
static void sends_fewer_than_slots(void **state)
{
    struct predict_input in = vector_add(3200, 32);
    struct prediction p, halved;

    assert_int_equal(predict(&p, &in, NULL), 0);
    in.instructions = in.demand.count[RESOURCE_ISSUE] / 2;
    assert_int_equal(predict(&halved, &in, NULL), 0);
    check_near(halved.issued, p.issued / 2, 1e-9);
    check_near(halved.issued + halved.stalled_bandwidth, p.issued + p.stalled_bandwidth, 1e-9);
    check_near(halved.estimate_s, p.estimate_s, 0);
}

/* 3.10: random permutation needs far less occupancy than the trivial one, writing back lowers it, fewer
 * instructions lower it. */
static double needed(double latency_cycles, double bytes)
{
    struct predict_input in = vector_add(3200, 32);
    struct prediction p;

    in.latency.bound_cycles = latency_cycles;
    in.demand.count[RESOURCE_DRAM_READ] = bytes;
    assert_int_equal(predict(&p, &in, NULL), 0);
    return p.needed_warps;
}

static void needed_occupancy_follows_littles_law(void **state)
{
    assert_true(needed(2 * 900, 4352) < 0.2 * needed(900, 384));
    check_near(needed(560, 256) / needed(544, 128), 0.5 * 560 / 544, 1e-9);
    assert_true(needed(700, 640) < needed(1500, 640));
}

static void a_partial_wave_runs_at_its_own_occupancy(void **state)
{
    struct predict_input in = vector_add(64, 8);
    struct prediction one, more;

    assert_int_equal(predict(&one, &in, NULL), 0);
    in.residency.blocks = 65; /* one block on one SM: latency alone */
    assert_int_equal(predict(&more, &in, NULL), 0);
    check_near(one.estimate_s, 544 / 1.124e9, 1e-12);
    check_near(more.estimate_s, 2 * 544 / 1.124e9, 1e-12);
    check_near(more.waves, 2, 0);
    in.residency.blocks = 3; /* fewer blocks than SMs */
    assert_int_equal(predict(&one, &in, NULL), 0);
    check_near(one.had_warps, 1, 0);
    check_near(one.estimate_s, 544 / 1.124e9, 1e-12);
}

/* Blocks that begin in what others' ended warps left: the warps that run are no more than there are places. */
static void warps_are_no_more_than_places(void **state)
{
    struct predict_input in = vector_add(800, 12);
    struct prediction all, p;

    assert_int_equal(predict(&all, &in, NULL), 0);
    check_near(all.had_warps, 12, 0);
    in.residency.places = 8;
    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(p.had_warps, 8, 0);
    check_near(p.estimate_s, all.estimate_s, 0);
}

static void the_bound_counts_the_busiest_sm(void **state)
{
    struct predict_input in = vector_add(9, 8);
    struct prediction p;

    in.demand.least[RESOURCE_DRAM_READ] = 0;
    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(p.bound_s, 2 * 2 / 1.124e9, 1e-15);
    assert_int_equal(p.bound_limiter, RESOURCE_ISSUE);
    in.residency.blocks_equal = false;
    assert_int_equal(predict(&p, &in, NULL), 0);
    check_near(p.bound_s, 9 * 2 / 8.0 / 1.124e9, 1e-15);
    assert_true(p.bound_s < p.estimate_s);
}

static double confidence(const struct predict_input *in)
{
    struct prediction p;

    assert_int_equal(predict(&p, in, NULL), 0);
    return p.confidence;
}

/* Far from the corner is surer than at it, one full bottleneck than two, two ways that agree than one that
 * takes twice as long, full pipes than full DRAM. */
static void confidence_knows_what_is_doubtful(void **state)
{
    struct predict_input in = vector_add(64 * 8 * 10, 64);
    const double sure = confidence(&in);

    in.residency.blocks_per_sm = 24;
    assert_true(confidence(&in) < sure);
    in.residency.blocks_per_sm = 64;
    in.demand.count[RESOURCE_ISSUE] = 4 * 384 / 17.1;
    check_near(confidence(&in), sure * (2 - pow(2, 0.25)), 0.02);
    in.demand.count[RESOURCE_ISSUE] = 8;
    in.simulated.wave_cycles = 2 * 64 * 384 / 17.1;
    in.simulated.all_cycles = 10 * in.simulated.wave_cycles;
    check_near(confidence(&in), sure / 2 * 0.75 / 0.5, 0.02); /* at half the rate DRAM is half idle */
    in.simulated.all_cycles = in.simulated.wave_cycles = 0;
    in.demand.count[RESOURCE_ISSUE] = 4 * 384 / 17.1;
    in.demand.count[RESOURCE_DRAM_READ] = 0.01 * 384;
    check_near(confidence(&in), 2 * sure, 0.02);
    in.known_share = 0;
    check_near(confidence(&in), 0, 0);
}

static void launch_cost_and_dispatch(void **state)
{
    struct predict_input in = vector_add(800, 8);
    struct prediction bare, launched, dispatched;

    assert_int_equal(predict(&bare, &in, NULL), 0);
    in.capacities.launch_s = 2e-6;
    assert_int_equal(predict(&launched, &in, NULL), 0);
    check_near(launched.estimate_s - bare.estimate_s, 2e-6, 1e-12);
    check_near(launched.bound_s, bare.bound_s, 0);
    in.capacities.block_dispatch_s = 1e-6;
    assert_int_equal(predict(&dispatched, &in, NULL), 0);
    check_near(dispatched.estimate_s, 802e-6, 1e-9);
}

static void a_loaded_curve_and_imbalance_lengthen_the_estimate(void **state)
{
    const double utilisation[] = {0, 0.5, 1}, factor[] = {1, 1.2, 2.5};
    struct predict_input in = vector_add(8 * 24 * 10, 24);
    struct prediction plain, loaded, stretched;

    assert_int_equal(predict(&plain, &in, NULL), 0);
    in.latency.levels = 1;
    in.latency.level[0].resource = RESOURCE_DRAM_READ;
    in.latency.level[0].cycles = 301;
    in.latency.level[0].mix.curve = (struct saturation_curve){3, utilisation, factor};
    assert_int_equal(predict(&loaded, &in, NULL), 0);
    assert_true(loaded.estimate_s > 1.05 * plain.estimate_s);
    assert_true(loaded.loaded_cycles > loaded.latency_cycles);
    in.latency.stretch = 1.5;
    assert_int_equal(predict(&stretched, &in, NULL), 0);
    check_near(stretched.estimate_s, 1.5 * loaded.estimate_s, 1e-12);
    check_near(stretched.bound_s, loaded.bound_s, 0);
}

static void what_cannot_be_known_is_refused(void **state)
{
    struct predict_input in = vector_add(800, 8);
    struct prediction p;
    struct err err = {0};

    in.demand.count[RESOURCE_TENSOR] = 1;
    assert_int_equal(predict(&p, &in, &err), ERR_MISSING);
    assert_string_equal(err.text,
                        "the kernel uses tensor pipe and the device profile has no throughput for it: "
                        "calibrate the device");
    check_near(p.estimate_s, 0, 0);
    in = vector_add(800, 8);
    in.demand.count[RESOURCE_TEX] = 1;
    err_clear(&err);
    assert_int_equal(predict(&p, &in, &err), ERR_MISSING);
    assert_string_equal(err.text, "the kernel uses textures or surfaces, of which the model knows no rate");
    in = vector_add(800, 0);
    assert_int_equal(predict(&p, &in, NULL), ERR_USAGE);
    in = vector_add(800, 8);
    in.demand.count[RESOURCE_L2] = NAN;
    err_clear(&err);
    assert_int_equal(predict(&p, &in, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "demand on L2"));
    in = vector_add(800, 8);
    in.latency.stretch = 0;
    assert_int_equal(predict(&p, &in, NULL), ERR_USAGE);
    in = vector_add(800, 8);
    in.capacities.clock_hz = 0;
    assert_int_equal(predict(&p, &in, NULL), ERR_MISSING);
}

int main(void)
{
    return RUN_TESTS(vector_add_against_occupancy, what_is_no_time_is_an_error, tensor_cores_lower_the_clock,
                     unproved_products_take_power, clock_and_cycles_agree, cycles_by_kind_of_stall,
                     sends_fewer_than_slots, needed_occupancy_follows_littles_law,
                     a_partial_wave_runs_at_its_own_occupancy, warps_are_no_more_than_places,
                     the_bound_counts_the_busiest_sm, launch_cost_and_dispatch,
                     confidence_knows_what_is_doubtful, a_loaded_curve_and_imbalance_lengthen_the_estimate,
                     what_cannot_be_known_is_refused);
}

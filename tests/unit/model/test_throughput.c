#include "check.h"

#include "model/machine/throughput.h"

/* Volkov, Tables 3.2 to 3.4, a hypothetical kernel on Maxwell. */
static const struct capacity maxwell[RESOURCE_COUNT] = {
    [RESOURCE_ISSUE] = {4, 0},  [RESOURCE_FMA] = {4, 0},          [RESOURCE_XU] = {1, 0},
    [RESOURCE_SHARED] = {1, 0}, [RESOURCE_DRAM_READ] = {10.4, 0},
};

static const double mix[RESOURCE_COUNT] = {
    /* 135 instructions: 5 pairs, 125 single, and one reissue for each of the 15 with conflicts or strides */
    [RESOURCE_ISSUE] = 5 + 125 + 15,
    [RESOURCE_FMA] = 100,
    [RESOURCE_XU] = 5,
    [RESOURCE_SHARED] = 10 * 1 + 10 * 2,
    [RESOURCE_DRAM_READ] = 5 * 128 + 5 * 256,
};

static void tables_of_section_3_6(void **state)
{
    struct throughput t;

    throughput_bound(&t, mix, maxwell, 16, 1);
    check_near(mix[RESOURCE_ISSUE], 145, 0);
    check_near(t.cycles[RESOURCE_FMA], 25, 1e-12);
    check_near(t.cycles[RESOURCE_XU], 5, 1e-12);
    check_near(t.cycles[RESOURCE_SHARED], 30, 1e-12);
    check_near(t.cycles[RESOURCE_ISSUE], 36.25, 1e-12);
    check_near(t.cycles[RESOURCE_DRAM_READ], 184.615, 0.001);
    check_near(t.bound_cycles, 184.5, 0.1845);
    check_near(t.warps_per_cycle, 0.00542, 5e-6);
    assert_int_equal(t.limiter, RESOURCE_DRAM_READ);
    assert_int_equal(t.unknown, 0);
}

/* Volkov, 3.8: 8 issue events of vector add over 4 schedulers; 9 CUDA-core instructions are a fluid bound of
 * 6 cycles a scheduler, where counting issue events gives 5 + 2 = 7. */
static void vector_add_on_kepler(void **state)
{
    const struct capacity kepler[RESOURCE_COUNT] = {
        [RESOURCE_ISSUE] = {4, 0}, [RESOURCE_FMA] = {6, 0}, [RESOURCE_DRAM_READ] = {17.1, 0}};
    double count[RESOURCE_COUNT] = {[RESOURCE_ISSUE] = 8, [RESOURCE_FMA] = 9, [RESOURCE_DRAM_READ] = 384};
    struct throughput t;

    throughput_bound(&t, count, kepler, 8, 1);
    check_near(1 / t.cycles[RESOURCE_ISSUE], 0.5, 1e-12);
    check_near(t.cycles[RESOURCE_FMA] * 4, 6, 1e-12);
    check_near(t.warps_per_cycle, 0.0445, 5e-5);
    /* by events: 5 issues with one CUDA-core instruction and 2 with two, one event a cycle and scheduler */
    throughput_bound(&t, (const double[RESOURCE_COUNT]){[RESOURCE_FMA] = 5 + 2},
                     (const struct capacity[RESOURCE_COUNT]){[RESOURCE_FMA] = {4, 0}}, 8, 1);
    check_near(t.cycles[RESOURCE_FMA] * 4, 7, 1e-12);
    count[RESOURCE_DRAM_READ] = 0;
    throughput_bound(&t, count, kepler, 8, 1);
    assert_int_equal(t.limiter, RESOURCE_ISSUE);
}

static void what_shares_a_bottleneck_adds_up(void **state)
{
    const struct capacity capacity[RESOURCE_COUNT] = {
        [RESOURCE_DRAM_READ] = {0, 100}, [RESOURCE_DRAM_WRITE] = {0, 50}, [RESOURCE_ISSUE] = {4, 0}};
    const double count[RESOURCE_COUNT] = {
        [RESOURCE_DRAM_READ] = 128, [RESOURCE_DRAM_WRITE] = 128, [RESOURCE_ISSUE] = 140};
    struct throughput t;

    throughput_bound(&t, count, capacity, 10, 1);
    check_near(t.cycles[RESOURCE_DRAM_READ], 12.8, 1e-12);
    check_near(t.cycles[RESOURCE_DRAM_WRITE], 25.6, 1e-12);
    check_near(t.bound_cycles, 38.4, 1e-12);
    assert_int_equal(t.limiter, RESOURCE_DRAM_WRITE);
    check_near(throughput_bottleneck(&t, RESOURCE_DRAM_READ), 38.4, 1e-12);
}

static void few_busy_sms_are_limited_by_their_own_port(void **state)
{
    const struct capacity capacity[RESOURCE_COUNT] = {[RESOURCE_L2] = {2, 100}};
    const double count[RESOURCE_COUNT] = {[RESOURCE_L2] = 12};
    struct throughput t;

    throughput_bound(&t, count, capacity, 100, 1);
    check_near(t.bound_cycles, 12, 1e-12);
    throughput_bound(&t, count, capacity, 10, 1);
    check_near(t.bound_cycles, 6, 1e-12);
}

static void unevenness_burdens_partitioned_resources_only(void **state)
{
    const struct capacity capacity[RESOURCE_COUNT] = {[RESOURCE_ISSUE] = {4, 0}, [RESOURCE_SHARED] = {1, 0}};
    const double count[RESOURCE_COUNT] = {[RESOURCE_ISSUE] = 40, [RESOURCE_SHARED] = 12};
    struct throughput t;

    throughput_bound(&t, count, capacity, 1, 8.0 / 5);
    check_near(t.cycles[RESOURCE_ISSUE], 16, 1e-12);
    check_near(t.cycles[RESOURCE_SHARED], 12, 1e-12);
    assert_true(resource_is_partitioned(RESOURCE_ISSUE) && !resource_is_partitioned(RESOURCE_SHARED));
    assert_false(resource_is_partitioned(RESOURCE_CONSTANT_PORT));
}

static void an_unknown_capacity_is_named_and_left_out(void **state)
{
    const struct capacity capacity[RESOURCE_COUNT] = {[RESOURCE_ISSUE] = {4, 0}};
    const double count[RESOURCE_COUNT] = {[RESOURCE_ISSUE] = 8, [RESOURCE_FP64] = 1000};
    struct throughput t;

    throughput_bound(&t, count, capacity, 1, 1);
    assert_int_equal(t.unknown, 1u << RESOURCE_FP64);
    check_near(t.bound_cycles, 2, 1e-12);
    throughput_bound(&t, (const double[RESOURCE_COUNT]){0}, capacity, 1, 1);
    check_near(t.bound_cycles, 0, 0);
    assert_true(isinf(t.warps_per_cycle));
}

static void every_resource_has_a_name_and_a_unit(void **state)
{
    enum resource r;

    for (r = 0; r < RESOURCE_COUNT; r++) {
        assert_non_null(resource_name(r));
        assert_non_null(resource_unit(r));
    }
}

int main(void)
{
    return RUN_TESTS(tables_of_section_3_6, vector_add_on_kepler, what_shares_a_bottleneck_adds_up,
                     few_busy_sms_are_limited_by_their_own_port,
                     unevenness_burdens_partitioned_resources_only, an_unknown_capacity_is_named_and_left_out,
                     every_resource_has_a_name_and_a_unit);
}

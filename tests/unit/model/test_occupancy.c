#include "check.h"

#include "model/machine/occupancy.h"

static struct device_limits limits_of(unsigned sm)
{
    struct device_limits limits;

    assert_int_equal(device_limits_of(&limits, sm, NULL), 0);
    return limits;
}

/* NVIDIA (profiler)'s device: nothing reserved, one carve-out. */
static struct device_limits seed_device(void)
{
    struct device_limits limits = limits_of(90);

    limits.blocks_per_sm = 16;
    limits.shared_reserved = 0;
    limits.shared_per_sm = limits.shared_per_block = limits.shared_per_block_optin = 49152;
    limits.carveout_count = 0;
    return limits;
}

static void figures_of_achieved_occupancy(void **state)
{
    static const struct {
        unsigned threads, shared, blocks, warps;
        double share, lanes;
        enum limiter limiter;
    } cases[] = {
        {256, 0, 8, 64, 1, 1, LIMITER_WARPS},         {128, 0, 16, 64, 1, 1, LIMITER_WARPS},
        {32, 0, 16, 16, 0.25, 1, LIMITER_BLOCKS},     {1, 0, 16, 16, 0.25, 1. / 32, LIMITER_BLOCKS},
        {256, 49152, 1, 8, 0.125, 1, LIMITER_SHARED},
    };
    const struct device_limits limits = seed_device();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct occupancy_block block = {
            .threads = cases[i].threads, .shared = cases[i].shared, .carveout = -1};
        struct occupancy occupancy;

        occupancy_of(&occupancy, &limits, &block);
        assert_int_equal(occupancy.blocks, cases[i].blocks);
        assert_int_equal(occupancy.warps, cases[i].warps);
        check_near(occupancy.share, cases[i].share, 1e-12);
        check_near(occupancy.lanes, cases[i].lanes, 1e-12);
        assert_int_equal(occupancy.limiter, cases[i].limiter);
    }
}

static void waves_of_achieved_occupancy(void **state)
{
    const struct occupancy occupancy = {.blocks = 4, .warps = 16, .share = 0.25};
    struct waves waves;

    occupancy_waves(&waves, &occupancy, 15, 45);
    assert_int_equal(waves.capacity, 60);
    assert_int_equal(waves.full, 0);
    assert_int_equal(waves.tail, 45);
    check_near(waves.fill, 0.75, 1e-12);
    check_near(waves.achieved, 0.1875, 1e-12);
    occupancy_waves(&waves, &occupancy, 15, 90);
    check_near(waves.fill, 0.75, 1e-12);
    occupancy_waves(&waves, &occupancy, 15, 120);
    check_near(waves.fill, 1, 0);
    occupancy_waves(&waves, &occupancy, 15, 0);
    check_near(waves.fill, 0, 0);
}

static void largest_block_against_registers(void **state)
{
    static const unsigned sm_90[][2] = {{32, 1024}, {64, 1024}, {72, 896},  {80, 768}, {88, 640},
                                        {96, 640},  {128, 512}, {168, 384}, {255, 256}};
    static const unsigned gt200[][2] = {{32, 512}, {40, 384}, {64, 256}, {88, 128}, {128, 128}};
    struct device_limits limits = limits_of(90);

    for (size_t i = 0; i < sizeof sm_90 / sizeof *sm_90; i++)
        assert_int_equal(occupancy_largest_block(&limits, sm_90[i][0]), sm_90[i][1]);
    /* Wong et al., figure 9: 16,384 registers, rounded to 4 a thread, threads in steps of 64. */
    limits.subpartitions = 2;
    limits.register_granule = 128;
    limits.registers_per_block = 16384;
    limits.threads_per_block = 512;
    for (size_t i = 0; i < sizeof gt200 / sizeof *gt200; i++)
        assert_int_equal(occupancy_largest_block(&limits, gt200[i][0]), gt200[i][1]);
    assert_int_equal(occupancy_largest_block(&limits, 256), 0);
}

/* Yuan et al., table 3 from its table 1 (compute capability 1.3). */
static void resident_blocks_of_yuan(void **state)
{
    static const unsigned cases[][4] = {
        {64, 10, 0, 8}, {256, 10, 0, 4}, {64, 13, 560, 8}, {256, 13, 2096, 4}};
    const struct device_limits limits = {
        .subpartitions = 2,
        .warp_size = 32,
        .warps_per_sm = 32,
        .blocks_per_sm = 8,
        .threads_per_block = 512,
        .registers_per_sm = 16384,
        .registers_per_block = 16384,
        .registers_per_thread = 124,
        .register_granule = 128,
        .shared_per_sm = 16384,
        .shared_per_block = 16384,
        .shared_granule = 512,
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct occupancy_block block = {
            .threads = cases[i][0], .registers = cases[i][1], .shared = cases[i][2], .carveout = -1};
        struct occupancy occupancy;

        occupancy_of(&occupancy, &limits, &block);
        assert_int_equal(occupancy.blocks, cases[i][3]);
    }
}

static void the_carve_out_limits_blocks_and_leaves_l1(void **state)
{
    static const struct {
        int carveout;
        unsigned shared, blocks;
        uint64_t carveout_kb;
    } cases[] = {
        {-1, 0, 8, 8},       /* the reserved kilobytes of eight blocks */
        {-1, 16384, 8, 164}, /* 8 x 17 KB = 136 KB */
        {100, 16384, 8, 228}, {50, 16384, 7, 132}, {0, 16384, 1, 32}, /* 0 per cent does not hold one block */
        {10, 16384, 1, 32},
    };
    const struct device_limits limits = limits_of(90);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct occupancy_block block = {
            .threads = 256, .registers = 32, .shared = cases[i].shared, .carveout = cases[i].carveout};
        struct occupancy occupancy;

        occupancy_of(&occupancy, &limits, &block);
        assert_int_equal(occupancy.blocks, cases[i].blocks);
        assert_int_equal(occupancy.carveout, cases[i].carveout_kb * 1024);
        assert_int_equal(occupancy.l1, (256 - cases[i].carveout_kb) * 1024);
    }
}

static void named_barriers_limit_from_sm_90_on(void **state)
{
    const struct occupancy_block block = {.threads = 64, .registers = 16, .barriers = 6, .carveout = -1};
    struct device_limits limits = limits_of(120);
    struct occupancy occupancy;

    occupancy_of(&occupancy, &limits, &block);
    assert_int_equal(occupancy.blocks, 4);
    assert_int_equal(occupancy.limiter, LIMITER_BARRIERS);
    limits = limits_of(86);
    occupancy_of(&occupancy, &limits, &block);
    assert_int_equal(occupancy.blocks, 16);
}

/* Of clusters, an SM holds fewer blocks than it has places for. */
static void blocks_of_clusters_have_a_limit_of_their_own(void **state)
{
    struct occupancy_block block = {.threads = 128, .registers = 16, .carveout = -1, .at_most = 8};
    const struct device_limits limits = limits_of(90);
    struct occupancy occupancy;

    occupancy_of(&occupancy, &limits, &block);
    assert_int_equal(occupancy.blocks, 8);
    assert_int_equal(occupancy.limiter, LIMITER_BLOCKS);
    block.threads = 512;
    occupancy_of(&occupancy, &limits, &block);
    assert_int_equal(occupancy.blocks, 4);
    assert_int_equal(occupancy.limiter, LIMITER_WARPS);
}

static void launches_are_refused_with_the_reason(void **state)
{
    static const struct {
        struct launch launch;
        struct cubin_resources resources;
        const char *reason;
    } cases[] = {
        {{.grid = {1, 1, 1}, .block = {1024, 1, 1}}, {.registers = 64}, ""},
        {{.grid = {1, 1, 1}, .block = {1024, 2, 1}},
         {.registers = 1},
         "2048 threads a block, the device allows 1024"},
        {{.grid = {1, 65536, 1}, .block = {32, 1, 1}},
         {.registers = 1},
         "grid.y is 65536, the device allows 65535"},
        {{.grid = {1, 1, 1}, .block = {1, 1, 65}}, {.registers = 1}, "block.z is 65, the device allows 64"},
        {{.grid = {0, 1, 1}, .block = {32, 1, 1}}, {.registers = 1}, "grid.x is 0"},
        {{.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = 232448}, {.registers = 1}, ""},
        {{.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = 232448},
         {.registers = 1, .shared_bytes = 4},
         "232452 bytes of shared memory a block, the device allows 232448"},
        {{.grid = {1, 1, 1}, .block = {1024, 1, 1}},
         {.registers = 88},
         "88 registers a thread are too many for 1024 threads: at most 640"},
        {{.grid = {1, 1, 1}, .block = {32, 1, 1}},
         {.registers = 300},
         "300 registers a thread are too many for any block"},
        {{.grid = {1, 1, 1}, .block = {512, 1, 1}},
         {.registers = 32, .max_threads = {256, 1, 1}},
         "512 threads a block, __launch_bounds__ allows 256"},
        {{.grid = {1, 1, 1}, .block = {64, 4, 1}},
         {.registers = 32, .required_threads = {256, 1, 1}},
         "block.x is 64, the kernel requires 256"},
        {{.grid = {3, 1, 1}, .block = {32, 1, 1}, .cluster = {1, 1, 1}},
         {.registers = 32, .cluster = {2, 1, 1}},
         "grid.x is 3, not a multiple of the 2 in the kernel's __cluster_dims__"},
        {{.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 1, 1}},
         {.registers = 32, .cluster = {2, 1, 1}},
         "cluster.x is 4, __cluster_dims__ of the kernel has 2"},
        {{.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}},
         {.registers = 32, .cluster = {2, 1, 1}},
         ""},
        {{.grid = {132, 32, 1}, .block = {64, 1, 1}, .cooperative = true}, {.registers = 32}, ""},
        {{.grid = {133, 32, 1}, .block = {64, 1, 1}, .cooperative = true},
         {.registers = 32},
         "4256 blocks of a cooperative launch, the device holds 4224 at once (32 on each SM)"},
    };
    struct device_limits limits = limits_of(90);

    limits.sm_count = 132;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char reason[128] = "";
        const bool fits =
            occupancy_launchable(reason, sizeof reason, &limits, &cases[i].launch, &cases[i].resources);

        assert_string_equal(reason, cases[i].reason);
        assert_int_equal(fits, cases[i].reason[0] == 0);
    }
}

/* 0 is no limit of 0: each limit alone unknown, and then all of them. */
static void unknown_limits_limit_nothing(void **state)
{
    const struct launch launch = {
        .grid = {70000, 70000, 2}, .block = {32, 32, 32}, .shared_bytes = 300000, .carveout = -1};
    const struct launch plain = {.grid = {1, 1, 1}, .block = {256, 1, 1}, .carveout = 50};
    const struct cubin_resources resources = {.registers = 300, .barriers = 200, .shared_bytes = 1024};
    const struct cubin_resources modest = {.registers = 40, .barriers = 1, .shared_bytes = 1024};
    const struct device_limits whole = limits_of(90), none = {0};
    const size_t count = offsetof(struct device_limits, carveouts) / sizeof(uint64_t);
    const struct occupancy_block block = occupancy_block_of(&plain, &modest);
    struct occupancy full, found;
    char reason[256] = "";

    occupancy_of(&full, &whole, &block);
    for (size_t i = 0; i < count; i++) {
        struct device_limits limits = whole;

        ((uint64_t *)&limits)[i] = 0;
        if (!occupancy_launchable(reason, sizeof reason, &limits, &plain, &modest))
            fail_msg("limit %zu: %s", i, reason);
        occupancy_of(&found, &limits, &block);
        assert_true(found.blocks >= full.blocks);
        assert_true(found.lanes <= 1);
    }
    if (!occupancy_launchable(reason, sizeof reason, &none, &launch, &resources))
        fail_msg("%s", reason);
    occupancy_of(&found, &none, &block);
    assert_int_equal(found.blocks, 0);
    assert_int_equal(found.limiter, LIMITER_NONE);
}

static void curves_pass_through_the_current_point(void **state)
{
    const struct device_limits limits = limits_of(90);
    const struct occupancy_block block = {.threads = 256, .registers = 40, .shared = 20480, .carveout = -1};
    const unsigned at[] = {256, 40, 20480};
    struct occupancy occupancy;

    occupancy_of(&occupancy, &limits, &block);
    for (int axis = 0; axis < 3; axis++) {
        struct occupancy_point points[OCCUPANCY_POINTS];
        const size_t count = occupancy_curve(points, &limits, &block, (enum occupancy_axis)axis);
        bool met = false;

        assert_true(count > 0 && count <= OCCUPANCY_POINTS);
        for (size_t i = 0; i < count; i++) {
            assert_true(i == 0 || points[i].x > points[i - 1].x);
            /* More of a resource a block never lets more warps in; a larger block may. */
            assert_true(axis == OCCUPANCY_THREADS || i == 0 || points[i].warps <= points[i - 1].warps);
            met |= points[i].x == at[axis] && points[i].warps == occupancy.warps;
        }
        assert_true(met);
    }
}

static void shared_memory_sets_the_occupancy(void **state)
{
    static const unsigned architectures[] = {75, 80, 86, 89, 90, 100, 120};

    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        const struct device_limits limits = limits_of(architectures[a]);

        for (unsigned wanted = 2; wanted <= 16; wanted++) {
            const struct occupancy_block block = {.threads = 32,
                                                  .registers = 32,
                                                  .shared = occupancy_shared_for(&limits, wanted),
                                                  .carveout = 100};
            struct occupancy occupancy;

            occupancy_of(&occupancy, &limits, &block);
            assert_int_equal(occupancy.blocks, wanted);
        }
    }
}

int main(void)
{
    return RUN_TESTS(figures_of_achieved_occupancy, waves_of_achieved_occupancy,
                     largest_block_against_registers, resident_blocks_of_yuan,
                     the_carve_out_limits_blocks_and_leaves_l1, named_barriers_limit_from_sm_90_on,
                     blocks_of_clusters_have_a_limit_of_their_own, launches_are_refused_with_the_reason,
                     curves_pass_through_the_current_point, shared_memory_sets_the_occupancy,
                     unknown_limits_limit_nothing);
}

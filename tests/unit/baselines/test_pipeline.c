#include "check.h"

#include "base/hash.h"
#include "baselines/pipeline.h"

static void peaks_and_performance(void **state)
{
    const double gops[] = {249, 363, 388, 125, 27}, cpi[] = {.433, .297, .278, .863, 4.00},
                 printed[] = {.43, .30, .28, .86, 4.0};
    int i;

    (void)state;
    check_near(pipeline_peak(2, 192, 0.9e9, 1), 345.6e9, 1);
    check_near(pipeline_peak(2, 192, 0.9e9, 2), 691.2e9, 1);
    for (i = 0; i < 5; i++) {
        const double found = pipeline_cpi_approximated(gops[i] * 1e9, 32, 3, 1.124e9);

        check_near(found, cpi[i], 0.005);
        check_near(found, printed[i], 0.0051);
    }
    check_near(pipeline_issue_latency(32, 8), 4, 0);
    check_near(pipeline_issue_latency(32, 32), 1, 0);
    check_near(pipeline_issue_latency(32, 192), 1.0 / 6, 1e-12);
}

/* Table III, more independent instructions must not slow the saturated pipe. */
static void independence_does_not_raise_the_saturated_cpi(void **state)
{
    const double one[] = {9.1, 3.2, 1.1, .43}, two[] = {4.7, 2.0, .6, .30}, four[] = {4.7, 1.9, .5, .28};

    (void)state;
    assert_true(pipeline_latencies_of(two, 4).issue <= pipeline_latencies_of(one, 4).issue);
    assert_true(pipeline_latencies_of(four, 4).issue <= pipeline_latencies_of(two, 4).issue);
    check_near(pipeline_latencies_of(one, 4).completion, 9.1, 0);
}

/* Fig. 4: 3 compute units of 2 groups of 3 warps. */
static void corrected_cpi(void **state)
{
    struct pipeline_run run = {.runtime_s = 3e-6,
                               .clock_hz = 1e9,
                               .instructions = 100,
                               .items = 1344,
                               .group_items = 96,
                               .lanes = 32,
                               .cus = 3,
                               .max_groups = 2,
                               .max_warps = 64};
    struct pipeline_cpi cpi;
    struct err err = {0};

    (void)state;
    assert_int_equal(pipeline_cpi_of(&cpi, &run, NULL), 0);
    check_near(cpi.groups, 14, 0);
    check_near(cpi.warps, 42, 1e-12);
    check_near(cpi.runs, 3, 0);
    check_near(cpi.cycles_of_run, 1000, 1e-9);
    check_near(cpi.instructions_of_run, 19200, 1e-9);
    check_near(cpi.per_warp, 1.6667, 5e-5);
    check_near(cpi.approximated, 2.1429, 5e-5);
    run.max_groups = 8; /* 2.9 groups' worth of local memory holds two groups: the floor the paper lacks */
    run.local_bytes = 17000;
    run.max_local_bytes = 49152;
    assert_int_equal(pipeline_cpi_of(&cpi, &run, NULL), 0);
    check_near(cpi.concurrent_groups, 2, 0);
    run.max_warps = 4; /* and so does the limit on warps */
    assert_int_equal(pipeline_cpi_of(&cpi, &run, NULL), 0);
    check_near(cpi.concurrent_groups, 1, 0);
    run.max_warps = 2;
    assert_int_equal(pipeline_cpi_of(&cpi, &run, &err), ERR_USAGE);
    assert_string_equal(err.text, "no work group of 96 items and 17000 bytes fits a compute unit");
}

static const double walk_kb[] = {8, 9, 12, 16, 32, 64}, walk_cycles[] = {48, 52.73, 62.2, 69.3, 79.95, 85.28};

static void varying_size_walk(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < 6; i++)
        check_near(pipeline_walk(walk_kb[i] * 1024, 48, 90.6, 8192), walk_cycles[i], 0.006);
    check_near(pipeline_walk(1024, 48, 90.6, 8192), 48, 0); /* eq. 6 holds beyond the cache only */
}

static void the_walk_is_fitted_back(void **state)
{
    struct pipeline_walk_fit fit;
    double bytes[64], cycles[64];
    uint64_t seed;
    int i;

    (void)state;
    for (seed = 0; seed < 20; seed++) {
        const double noise = seed == 0 ? 0 : 0.02;

        for (i = 0; i < 64; i++) {
            bytes[i] = 1024 * pow(2, 2 + i / 10.0);
            cycles[i] = pipeline_walk(bytes[i], 48, 90.6, 8192) *
                        (1 + noise * (2 * (double)(hash_random(seed, (uint64_t)i) >> 11) * 0x1p-53 - 1));
        }
        assert_int_equal(pipeline_walk_fit_of(&fit, bytes, cycles, 64, NULL), 0);
        check_near(fit.hit, 48, seed ? 0.6 : 1e-3);
        check_near(fit.miss, 90.6, seed ? 1.5 : 1e-3);
        check_near(fit.cache_bytes, 8192, seed ? 300 : 1);
    }
}

static void a_walk_without_sizes_has_no_fit(void **state)
{
    const double same[] = {8, 8, 8, 8};
    struct pipeline_walk_fit fit;

    (void)state;
    assert_int_equal(pipeline_walk_fit_of(&fit, same, same, 4, NULL), ERR_USAGE);
    assert_int_equal(pipeline_walk_fit_of(&fit, walk_kb, walk_cycles, 3, NULL), ERR_USAGE);
}

/* Fig. 5, block of 256. */
static void divergence(void **state)
{
    const unsigned runs[] = {1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128};
    const double arms[] = {4, 4, 4, 4, 3.375, 2, 2, 1, 1.625, 1.375, 1, 1, 1};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof runs / sizeof runs[0]; i++)
        check_near(pipeline_divergent_arms(256, 32, runs[i], 4), arms[i], 1e-12);
}

static void two_pipelines(void **state)
{
    const struct pipeline_class classes[] = {{100, 0.25, 4, 100, 0}, {10, 4, 500, 2, 1}};

    (void)state;
    check_near(pipeline_cycles(classes, 2, 1), 1400, 1e-12);  /* one warp: its chain */
    check_near(pipeline_cycles(classes, 2, 64), 2560, 1e-12); /* many: the memory pipeline */
    check_near(pipeline_cycles(classes, 1, 64), 1600, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks_and_performance),
        cmocka_unit_test(independence_does_not_raise_the_saturated_cpi),
        cmocka_unit_test(corrected_cpi),
        cmocka_unit_test(varying_size_walk),
        cmocka_unit_test(the_walk_is_fitted_back),
        cmocka_unit_test(a_walk_without_sizes_has_no_fit),
        cmocka_unit_test(divergence),
        cmocka_unit_test(two_pipelines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

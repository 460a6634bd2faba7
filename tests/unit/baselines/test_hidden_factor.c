#include "check.h"

#include "base/hash.h"
#include "baselines/hidden_factor.h"

/* The four cases of 2.3, each as printed. */
static double by_cases(const struct hidden_block *b, double next, double warps, double j)
{
    const double ilp = b->compute, bw = b->bandwidth, wait = b->latency + bw;
    const double queued = wait + (j - 1) * (bw - ilp);

    if (ilp >= bw && next >= bw)
        return fmax(0, 1 - (ilp * (warps - j) + (j - 1) * (next - fmax(0, next - ilp))) / wait);
    if (ilp >= bw)
        return fmax(0, 1 - (ilp * (warps - j) + (j - 1) * next) / wait);
    if (next < bw)
        return fmax(0, 1 - (ilp * (warps - j) + (j - 1) * next) / queued);
    return fmax(0, 1 - (ilp * (warps - j) + (j - 1) * bw) / queued);
}

static double uniform(uint64_t seed, uint64_t index, double low, double high)
{
    return low + (high - low) * (double)(hash_random(seed, index) >> 11) * 0x1p-53;
}

static void the_united_formula_equals_its_cases(void **state)
{
    for (uint64_t i = 0; i < 20000; i++) {
        const struct hidden_block b = {uniform(1, i, 1, 150), uniform(2, i, 0, 1000), uniform(3, i, 1, 150),
                                       false};
        const double next = uniform(4, i, 1, 150), warps = 1 + floor(uniform(5, i, 0, 48));
        const double j = 1 + floor(uniform(6, i, 0, warps));

        check_near(hidden_factor(&b, next, warps, j), by_cases(&b, next, warps, j), 1e-12);
    }
}

/* La 550, Bw 50, 8 warps. */
static void each_case_by_numbers(void **state)
{
    static const struct {
        double compute, next, wanted[3];
    } cases[] = {
        {60, 80, {.3, .3, .3}},          {80, 60, {.0667, .1667, .3}},    {60, 40, {.3, .4, .5333}},
        {20, 30, {.7667, .7536, .7407}}, {20, 60, {.7667, .6667, .5679}},
    };
    const double j[] = {1, 4, 8};

    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct hidden_block b = {cases[i].compute, 550, 50, false};

            check_near(hidden_factor(&b, cases[i].next, 8, j[k]), cases[i].wanted[k], 5e-5);
        }
}

/* Bw of 2.3. */
static double bandwidth_cycles(double bytes, double bytes_per_s, double sms, double clock_hz)
{
    return bytes / (bytes_per_s / sms / clock_hz);
}

/* Table 2 and 2.3 on the C1060. */
static void tesla_c1060(void **state)
{
    const double wanted[][2] = {{1, .4258}, {2, .4930}, {8, .7022}, {17, .8160}, {32, .8876}};
    const struct hidden_block b = {12, 550, bandwidth_cycles(256, 102e9, 30, 1.30e9), false};

    check_near(256 / b.bandwidth, 2.615, 5e-4);
    check_near(b.bandwidth, 97.88, 5e-3);
    for (size_t i = 0; i < 5; i++)
        check_near(hidden_factor(&b, 12, 32, wanted[i][0]), wanted[i][1], 5e-5);
}

static void barriers_round_to_whole_blocks(void **state)
{
    const double wanted[] = {.7667, .8333, .8611, .8889, .75, .8095, .8333, .8571};
    const struct hidden_block b = {20, 550, 50, true};

    for (int j = 1; j <= 8; j++)
        check_near(hidden_factor_barrier(&b, 30, 8, j, 4), wanted[j - 1], 5e-5);
    for (uint64_t i = 0; i < 1000; i++) { /* blocks of one warp have no barrier to wait at */
        const struct hidden_block c = {uniform(1, i, 1, 150), 550, uniform(2, i, 1, 150), true};

        check_near(hidden_factor_barrier(&c, 40, 8, 5, 1), hidden_factor(&c, 40, 8, 5), 1e-12);
    }
}

/* Figure 11: the naive multiply has WA + 2 basic blocks. Its time lies above what bandwidth alone allows
 * (25.5 Gflop/s) and computing alone takes. */
static void naive_matrix_multiply(void **state)
{
    enum { WA = 1024 };
    const double bw = bandwidth_cycles(128, 102e9, 30, 1.30e9);
    const struct hidden_block first[] = {{40, 550, 3 * bw, false}}, inner[] = {{12, 550, 2 * bw, false}},
                              last[] = {{4, 0, bw, false}};
    const struct hidden_run runs[] = {{first, 1, 1}, {inner, 1, WA}, {last, 1, 1}};
    const struct hidden_launch launch = {32, 8, (double)WA * WA / 256, 4, 30, 1.30e9};
    struct hidden_time t;
    double shares[3];

    assert_int_equal(hidden_time(&t, shares, runs, 3, &launch, NULL), 0);
    check_near(t.basic_blocks, WA + 2, 0);
    check_near(t.repetitions, 4096.0 / 120, 1e-12);
    check_near(shares[1], hidden_factor(inner, 12, 32, 32), 1e-12);
    assert_true(t.unhidden_share > 0.85 && t.unhidden_share < 0.9);
    check_near(t.compute_cycles, 32 * (40 + 12 * WA + 4), 1e-6);
    assert_true(2.0 * WA * WA * WA / t.time_s < 25.5e9 && 2.0 * WA * WA * WA / t.time_s > 5.7e9);
}

/* Figures 8 and 12: CUBLAS 1.1 has three basic blocks a tile and one to write back. */
static void tiled_matrix_multiply(void **state)
{
    enum { WA = 512, BS = 16 };
    const struct hidden_block tile[] = {{50, 550, 98, false}, {8, 36, 5, true}, {BS * 8, 36, 5, true}},
                              last[] = {{10, 0, 49, false}};
    const struct hidden_run runs[] = {{tile, 3, WA / BS}, {last, 1, 1}};
    const struct hidden_launch launch = {32, 8, 1024, 4, 30, 1.30e9};
    struct hidden_time t;

    assert_int_equal(hidden_time(&t, NULL, runs, 2, &launch, NULL), 0);
    check_near(t.basic_blocks, 3 * WA / BS + 1, 0);
    assert_true(t.unhidden_share >= 0 && t.unhidden_share < 1);
}

static void senseless_kernels_are_refused(void **state)
{
    const struct hidden_block b[] = {{12, 550, 98, false}};
    const struct hidden_run good = {b, 1, 1}, bad = {b, 1, 0};
    struct hidden_launch launch = {32, 8, 1024, 4, 30, 1.30e9};
    struct hidden_time t;
    struct err err = {0};

    assert_int_equal(hidden_time(&t, NULL, NULL, 0, &launch, NULL), ERR_USAGE);
    assert_int_equal(hidden_time(&t, NULL, &bad, 1, &launch, &err), ERR_USAGE);
    assert_string_equal(err.text, "run 0 has 1 basic blocks and repeats 0 times: both at least 1");
    launch.sms = 0;
    assert_int_equal(hidden_time(&t, NULL, &good, 1, &launch, NULL), ERR_USAGE);
}

int main(void)
{
    return RUN_TESTS(the_united_formula_equals_its_cases, each_case_by_numbers, tesla_c1060,
                     barriers_round_to_whole_blocks, naive_matrix_multiply, tiled_matrix_multiply,
                     senseless_kernels_are_refused);
}

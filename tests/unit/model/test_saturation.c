#include "check.h"

#include "model/machine/saturation.h"

/* Wong et al., Figure 6: latency 24, 32 lanes a warp on 8 processors, so 4 cycles an instruction. */
static void pipeline_against_warps(void **state)
{
    const double wanted[] = {1.333, 2.667, 4, 5.333, 6.667, 8, 8, 8};

    for (int n = 1; n <= 8; n++)
        check_near(32 * saturation_two_modes(n, 24, 4), wanted[n - 1], 5e-4);
    for (int n = 1; n <= 24; n++) {
        const double smooth = 32 * saturation_corner(n / 24.0, 1.0 / 4, 12);

        assert_true(smooth <= 32 * saturation_two_modes(n, 24, 4));
        if (n <= 3)
            check_near(smooth, n * 32 / 24.0, 0.001);
        if (n == 6 || n == 7)
            assert_true(smooth < 7.95); /* "6 or 7 warps do not fully use the pipeline" */
        if (n >= 12)
            check_near(smooth, 8, 0.001);
    }
}

/* Volkov, 3.8: min(n x 6.35, 154) GB/s, needed occupancy 24.2 warps. */
static void vector_add_on_kepler(void **state)
{
    const double gb = 384 * 8 * 1.124, bound = 1 / 0.0445;

    check_near(gb * saturation_two_modes(1, 544, bound), 6.35, 0.005);
    check_near(gb * saturation_two_modes(8, 544, bound), 50.8, 0.05);
    check_near(gb * saturation_two_modes(64, 544, bound), 154, 0.5);
    check_near(544 / bound, 24.2, 0.05);
}

static void the_sharpness_is_found_again(void **state)
{
    double warps[32], throughput[32];

    for (int k = 0; k < 3; k++) {
        const double sharpness = (double[]){2, 5, 20}[k];

        for (int i = 0; i < 32; i++) {
            warps[i] = i + 1;
            throughput[i] = saturation_corner(warps[i] / 24, 0.25, sharpness);
        }
        check_near(saturation_fit_sharpness(warps, throughput, 32, 24, 0.25), sharpness, 1e-3);
    }
}

static const double utilisation[] = {0.1, 0.5, 0.9, 1}, factor[] = {1, 1.1, 1.8, 3};
static const struct saturation_curve curve = {4, utilisation, factor};

static void factors_are_interpolated(void **state)
{
    const struct saturation_curve flat = {0};

    check_near(saturation_factor(&curve, 0), 1, 0);
    check_near(saturation_factor(&curve, 0.3), 1.05, 1e-12);
    check_near(saturation_factor(&curve, 0.95), 2.4, 1e-12);
    check_near(saturation_factor(&curve, 2), 3, 0);
    check_near(saturation_factor(&flat, 0.9), 1, 0);
}

static void another_kind_delays_by_its_weight(void **state)
{
    static const double slower[] = {1, 2, 5, 9};
    struct saturation_mix mix = {.curve = {4, utilisation, factor}, .other = {4, utilisation, slower}};
    const double alone = saturation_factor(&mix.curve, 0.8), other = saturation_factor(&mix.other, 0.8);

    assert_true(other > alone);
    check_near(saturation_mixed(&mix, 0.8), alone, 0);
    mix.weight = 0.75;
    check_near(saturation_mixed(&mix, 0.8), 1 + 0.75 * (other - 1), 1e-12);
    mix.weight = 0.01;
    check_near(saturation_mixed(&mix, 0.8), alone, 0);
    mix.other = (struct saturation_curve){0}; /* not measured */
    check_near(saturation_mixed(&mix, 0.8), alone, 0);
}

static void a_loaded_memory_saturates_gradually(void **state)
{
    const struct saturation_level dram = {600, 20, {.curve = {4, utilisation, factor}}};
    struct saturation s;
    double before = 0;

    for (int n = 1; n <= 128; n++) {
        saturation_solve(&s, n, 700, &dram, 1, 0, 8);
        assert_true(s.warps_per_cycle <= saturation_two_modes(n, 700, 20) + 1e-12);
        assert_true(s.warps_per_cycle >= before - 1e-12);
        if (s.warps_per_cycle < 1 / 20.0 - 1e-9) /* still limited by latency: Little's law holds */
            check_near(s.warps_per_cycle * s.latency_cycles, n, 1e-6);
        before = s.warps_per_cycle;
    }
    saturation_solve(&s, 2, 700, &dram, 1, 0, 8);
    check_near(s.warps_per_cycle, 2.0 / 700, 1e-9);
    saturation_solve(&s, 35, 700, &dram, 1, 0, 8);
    assert_true(s.warps_per_cycle < 0.9 / 20);
    saturation_solve(&s, 128, 700, &dram, 1, 0, 8);
    check_near(s.warps_per_cycle, 1.0 / 20, 1e-12);
    check_near(s.latency_cycles, 100 + 3 * 600, 1e-6);
}

static void without_curves_it_is_the_two_modes(void **state)
{
    struct saturation s;

    saturation_solve(&s, 4, 24, NULL, 0, 4, 1e6);
    check_near(s.warps_per_cycle, 4 / 24.0, 1e-9);
    saturation_solve(&s, 40, 24, NULL, 0, 4, 1e6);
    check_near(s.warps_per_cycle, 0.25, 1e-9);
    saturation_solve(&s, 40, 24, NULL, 0, 0, 8);
    check_near(s.warps_per_cycle, 40 / 24.0, 1e-9);
}

int main(void)
{
    return RUN_TESTS(pipeline_against_warps, vector_add_on_kepler, the_sharpness_is_found_again,
                     factors_are_interpolated, another_kind_delays_by_its_weight,
                     a_loaded_memory_saturates_gradually, without_curves_it_is_the_two_modes);
}

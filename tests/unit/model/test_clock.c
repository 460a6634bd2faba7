#include "check.h"

#include "model/machine/assumptions.h"
#include "model/machine/clock.h"

static double l2_x[] = {2e12, 4e12}, l2_hz[2];
static double dram_x[] = {1e12, 2e12}, dram_hz[2], dram_share[] = {1, 0.6};
static double issue_x[2], issue_hz[2], issue_share[] = {0.8, 0.6};

/* An H200 of paper, whose clock at products alone is 1.6 GHz; a TB/s of L2 takes 4 % of the power, of DRAM 10 % more, a
 * hundred warp instructions a cycle 16 %; products of single warps 0.8 times as much as those of warp groups. */
static struct clock_limits limits_by(struct device *device, double exponent)
{
    struct clock_limits out;

    device_init(device);
    for (int i = 0; i < 2; i++) {
        l2_hz[i] = 1.6e9 * cbrt(1 - 0.04e-12 * l2_x[i]);
        dram_hz[i] = 1.6e9 * cbrt((1 - 0.14e-12 * dram_x[i]) / dram_share[i]);
    }
    for (int i = 0; i < 2; i++) {
        const double instructions = 100 + 50 * i;

        issue_hz[i] = 1.6e9 / cbrt(issue_share[i] + 1.6e-3 * instructions);
        issue_x[i] = instructions * issue_hz[i];
    }
    device->values[DEVICE_TENSOR_CLOCK] = (struct device_value){.known = true, .sustained = 1.6e9};
    device->values[DEVICE_TENSOR_WARP_CLOCK] =
        (struct device_value){.known = true, .sustained = 1.6e9 / cbrt(0.8)};
    device->values[DEVICE_TENSOR_BOOST] = (struct device_value){.known = true, .sustained = 1.8e9};
    device->curves[DEVICE_CURVE_TENSOR_CLOCK_L2] = (struct device_curve){.count = 2, .x = l2_x, .y = l2_hz};
    device->curves[DEVICE_CURVE_TENSOR_CLOCK_DRAM] =
        (struct device_curve){.count = 2, .x = dram_x, .y = dram_hz};
    device->curves[DEVICE_CURVE_TENSOR_SHARE_DRAM] =
        (struct device_curve){.count = 2, .x = dram_x, .y = dram_share};
    device->curves[DEVICE_CURVE_TENSOR_CLOCK_ISSUE] =
        (struct device_curve){.count = 2, .x = issue_x, .y = issue_hz};
    device->curves[DEVICE_CURVE_TENSOR_SHARE_ISSUE] =
        (struct device_curve){.count = 2, .x = issue_x, .y = issue_share};
    clock_limits_init(&out, device, exponent);
    return out;
}

static struct clock_limits limits(struct device *device)
{
    return limits_by(device, 3);
}

static void from_a_profile(void **state)
{
    struct device device;
    const struct clock_limits from = limits(&device);
    struct clock_limits none;

    check_near(from.l2, 0.04e-12, 1e-18);
    check_near(from.dram, 0.10e-12, 1e-18);
    check_near(from.issue, 1.6e-3, 1e-9);
    check_near(from.warps, 0.8, 1e-9);
    device_init(&device);
    clock_limits_init(&none, &device, 3);
    assert_true(none.boost_hz == 0 && none.tensor_hz == 0 && none.l2 == 0 && none.dram == 0 &&
                none.issue == 0 && none.warps == 1);
}

/* Tensor cores at work lower the clock, without a limit of power. */
static void by_work(void **state)
{
    struct device device;
    const struct clock_limits from = limits(&device);
    bool limited = true;

    check_near(clock_under(&limited, &from, &(struct clock_load){0}, 1.98e9), 1.98e9, 0);
    assert_false(limited);
    check_near(clock_under(&limited, &from, &(struct clock_load){.tensor_share = 0.5}, 1.98e9), 1.8e9, 0);
    assert_false(limited);
    check_near(clock_under(&limited, &from, &(struct clock_load){.tensor_share = 0.5}, 1.5e9), 1.5e9, 0);
}

static double power(const struct clock_load *load, double hz)
{
    return (load->tensor_share + 0.8 * load->warp_share + 1.6e-3 * load->issued) * pow(hz / 1.6e9, 3) +
           (0.04e-12 * load->l2_bytes + 0.1e-12 * load->dram_bytes) * hz;
}

/* At the limit products, other instructions and bytes take all of the power. */
static void by_power(void **state)
{
    static const struct clock_load loads[] = {
        {.tensor_share = 1},
        {.tensor_share = 0.9, .l2_bytes = 3000},
        {.tensor_share = 0.9, .l2_bytes = 5000, .dram_bytes = 1000},
        {.tensor_share = 0.7, .issued = 200, .l2_bytes = 5000, .dram_bytes = 1000},
        {.tensor_share = 0.6, .warp_share = 0.2, .issued = 200, .l2_bytes = 5000, .dram_bytes = 1000},
    };
    struct device device;
    const struct clock_limits from = limits(&device);
    double before = 1.7e9;

    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        bool limited = false;
        const double hz = clock_under(&limited, &from, &loads[i], 1.98e9);

        assert_true(limited && hz < before);
        check_near(power(&loads[i], hz), 1, 1e-6);
        before = hz;
    }
    check_near(before, 1.4e9, 0.1e9);
}

/* With the term taken out power goes with the clock alone: the clock is still about one that was measured. */
static void without_the_term(void **state)
{
    const struct clock_load load = {.tensor_share = 0.9, .l2_bytes = 3000, .dram_bytes = 500};
    const struct assumption_info *info = assumption_infos;
    struct device device;
    struct clock_limits from;
    bool limited;

    while (strcmp(info->name, "power_exponent"))
        info++;
    from = limits_by(&device, info->neutral);
    check_near(clock_under(&limited, &from, &load, 1.98e9), 1.6e9, 0.2e9);
}

int main(void)
{
    return RUN_TESTS(from_a_profile, by_work, by_power, without_the_term);
}

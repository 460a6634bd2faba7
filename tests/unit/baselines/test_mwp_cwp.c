#include "check.h"

#include "baselines/mwp_cwp.h"

/* The worked example of the paper: a tiled matrix multiply on the FX5600. */
static const struct mwp_cwp_gpu fx5600 = {1e9, 80e9, 420, 4, 10, 4, 16};
static const struct mwp_cwp_kernel example = {27, 0, 6, 32, 128, 6, 4, 80, 5};

static void the_worked_example(void **state)
{
    struct mwp_cwp m;

    assert_int_equal(mwp_cwp_of(&m, &example, &fx5600, NULL), 0);
    check_near(m.memory_latency, 730, 1e-9);
    check_near(m.departure_delay, 320, 1e-9);
    check_near(m.mwp, 2.28, 0.005);
    check_near(m.mwp_peak_bw, 28.57, 0.1); /* printed from a rounded bandwidth per warp */
    check_near(m.compute_cycles, 132, 1e-9);
    check_near(m.memory_cycles, 4380, 1e-9);
    check_near(m.cwp, 20, 0);
    check_near(m.repetitions, 1, 0);
    check_near(m.barrier_cycles, 12288, 20); /* printed from MWP rounded to 2.28 */
    check_near(m.cycles, 50738, 50738 * 0.001);
}

static void each_regime(void **state)
{
    struct mwp_cwp_kernel kernel = example;
    struct mwp_cwp m;

    kernel.coalesced = 2; /* one warp: everything in a row */
    kernel.uncoalesced = kernel.barriers = 0;
    kernel.warps_per_block = kernel.blocks_per_sm = 1;
    kernel.blocks = 16;
    assert_int_equal(mwp_cwp_of(&m, &kernel, &fx5600, NULL), 0);
    check_near(m.mwp, 1, 0);
    check_near(m.cycles, 2 * 420 + 4 * 29, 1e-9);
    kernel.warps_per_block = 20; /* much computing and little memory: hidden */
    kernel.compute = 78;
    kernel.bytes = 32;
    assert_int_equal(mwp_cwp_of(&m, &kernel, &fx5600, NULL), 0);
    assert_true(m.mwp > m.cwp && m.compute_cycles < m.memory_cycles);
    check_near(m.cycles, 420 + 320 * 20, 1e-9);
}

static void what_it_cannot_say_is_refused(void **state)
{
    struct mwp_cwp_kernel kernel = example;
    struct mwp_cwp m;
    struct err err = {0};

    kernel.uncoalesced = 0;
    assert_int_equal(mwp_cwp_of(&m, &kernel, &fx5600, &err), ERR_USAGE);
    assert_string_equal(err.text, "the kernel has no memory instruction: the MWP/CWP model does not apply");
    kernel = example;
    kernel.blocks_per_sm = 0;
    assert_int_equal(mwp_cwp_of(&m, &kernel, &fx5600, NULL), ERR_USAGE);
}

int main(void)
{
    return RUN_TESTS(the_worked_example, each_regime, what_it_cannot_say_is_refused);
}

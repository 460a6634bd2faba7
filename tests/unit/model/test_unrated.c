#include "check.h"

#include "model/sass/sass_rate.h"
#include "model/predict/analyze.h"

enum { BLOCKS = 1320, TIMES = 1024, PIECE = 16384 };

/* The kernels of tests/data/cubin/hopper.cu on a shipped profile. */
struct fixture {
    struct device device;
    struct machine machine;
    struct cubin cubin;
    const struct cubin_kernel *kernel;
    struct launch launch;
    struct analysis out;
};

static void set_up(struct fixture *f, const char *kernel, const char *profile)
{
    struct err err = {0};

    *f = (struct fixture){0};
    check_ok(device_read(&f->device, profile, &err) || machine_init(&f->machine, &f->device, &err) ||
                 cubin_read(&f->cubin, "tests/data/cubin/hopper-sm_90.cubin", &err) ||
                 cubin_find(&f->kernel, &f->cubin, kernel, &err),
             &err);
    launch_init(&f->launch);
    f->launch.grid[0] = BLOCKS;
    f->launch.block[0] = 128;
    f->launch.arguments = calloc(3, sizeof *f->launch.arguments);
}

static void tear_down(struct fixture *f)
{
    analysis_release(&f->out);
    launch_release(&f->launch);
    cubin_release(&f->cubin);
    machine_release(&f->machine);
    device_release(&f->device);
}

static void add_buffer(struct fixture *f, uint64_t floats, enum role role)
{
    struct argument *argument = &f->launch.arguments[f->launch.argument_count++];

    argument->kind = ARGUMENT_BUFFER;
    argument->type = ELEMENT_FLOAT32;
    argument->count = floats;
    argument->role = role;
    argument->fill.kind = FILL_CONSTANT;
}

static void add_scalar(struct fixture *f, size_t size, unsigned char value)
{
    struct argument *argument = &f->launch.arguments[f->launch.argument_count++];

    argument->kind = ARGUMENT_SCALAR;
    argument->size = size;
    argument->bytes = calloc(1, size);
    ((unsigned char *)argument->bytes)[1] = value; /* of a little-endian integer: times 256 */
}

static void run(struct fixture *f)
{
    const struct analyze_options options = {.warm = false};
    struct err err = {0};

    assert_int_equal(launch_prepare(&f->launch, &err), 0);
    check_ok(analyze(&f->out, &f->machine, &f->cubin, f->kernel, &f->launch, &options, &err), &err);
    if (!f->out.predicted)
        fail_msg("%s", f->out.reason);
}

static const struct unrated_op *find(const struct fixture *f, const char *name)
{
    const struct unrated *unrated = &f->out.demands.unrated;

    for (size_t i = 0; i < unrated->count; i++)
        if (!strcmp(unrated->ops[i].name, name))
            return &unrated->ops[i];
    fail_msg("%s is not said to have no rate", name);
    return NULL;
}

/* No tensor core is faster than 4096 multiply-adds of bf16 a cycle and SM, and no H100 or H200 clocks higher
 * than 1.98 GHz: twice the peak is out of the question. */
static struct prediction matrices_take_the_tensor_peak(const char *kernel, unsigned columns,
                                                       const char *profile, bool simulated)
{
    const double work = 64.0 * columns * 16 * TIMES * BLOCKS;
    struct prediction found;
    struct fixture f;

    set_up(&f, kernel, profile);
    add_buffer(&f, BLOCKS * 128, ROLE_OUT);
    add_scalar(&f, 4, TIMES / 256);
    add_scalar(&f, 8, 0);
    run(&f);
    assert_true(f.out.prediction.estimate_s >= work / (2048 * 132 * 1.98e9));
    assert_true(f.out.prediction.bound_s >= 0.98 * work / (2048 * 132 * 1.98e9));
    assert_true(f.out.prediction.bound_s <= f.out.prediction.estimate_s);
    assert_true((f.out.prediction.confidence > 0) == simulated);
    if (!simulated)
        check_near(find(&f, "WARPGROUP")->executed, 4.0 * BLOCKS * 2 * TIMES, 0.2);
    found = f.out.prediction;
    tear_down(&f);
    return found;
}

static void wide_matrices_take_the_tensor_peak(void **state)
{
    matrices_take_the_tensor_peak("matrix_wide", 256, "model/device/profiles/nvidia-h100.json", false);
}

static void narrow_matrices_take_the_tensor_peak(void **state)
{
    matrices_take_the_tensor_peak("matrix_narrow", 8, "model/device/profiles/nvidia-h100.json", false);
}

/* Measured there: 772.9 us at 1.7 GHz and 104.7 us at 1.83 GHz. Their factors are what lay in shared memory; the power limit
 * leaves less of the clock to random ones, so that cycles are compared. */
static void the_h200_measures_what_the_estimate_says(void **state)
{
    static const struct {
        const char *kernel;
        unsigned columns;
        double measured_s, measured_hz, error;
    } rows[] = {{"matrix_wide", 256, 772.9e-6, 1.7e9, 0.17}, {"matrix_narrow", 8, 104.7e-6, 1.83e9, 0.1}};

    for (size_t i = 0; i < 2; i++) {
        const struct prediction p = matrices_take_the_tensor_peak(
            rows[i].kernel, rows[i].columns, "model/device/profiles/nvidia-h200.json", true);
        assert_true(p.bound_s <= rows[i].measured_s);
        assert_true(p.bound_s >= 0.8 * rows[i].measured_s);
        check_near(p.estimate_s * p.clock_hz, rows[i].measured_s * rows[i].measured_hz,
                   rows[i].error * rows[i].measured_s * rows[i].measured_hz);
        assert_true((p.clock_hz < 1.75e9) == (rows[i].columns == 256)); /* power */
    }
}

static void matrices_without_a_rate_are_named(void **state)
{
    struct fixture f;

    set_up(&f, "matrix_wide", "tests/data/devices/by-hand.json");
    add_buffer(&f, BLOCKS * 128, ROLE_OUT);
    add_scalar(&f, 4, TIMES / 256);
    add_scalar(&f, 8, 0);
    run(&f);
    assert_true(f.out.prediction.confidence == 0);
    check_near(find(&f, "HGMMA")->executed, 4.0 * BLOCKS * TIMES, 1e-9);
    assert_non_null(strstr(find(&f, "HGMMA")->missing, "tensor"));
    tear_down(&f);
}

/* 1.07 GB and more never come from or go to DRAM at more than the 4.8 TB/s of its pins. */
static void bulk_copies_take_the_pins_of_dram(void **state)
{
    enum { PIECES = 65536, FLOATS = PIECE / 4 };
    static const char *const kernels[] = {"bulk", "bulk_store"};
    const double measured_s[] = {255.3e-6, 232.1e-6}; /* on an NVIDIA H200 */
    const double bytes = (double)PIECES * PIECE;

    for (size_t i = 0; i < 2; i++) {
        struct fixture f;

        set_up(&f, kernels[i], "model/device/profiles/nvidia-h200.json");
        f.launch.grid[0] = PIECES;
        add_buffer(&f, i ? (uint64_t)PIECES * FLOATS : PIECES * 128, ROLE_OUT);
        if (!i)
            add_buffer(&f, (uint64_t)PIECES * FLOATS, ROLE_IN);
        run(&f);
        assert_true(f.out.prediction.confidence > 0);
        assert_true(f.out.prediction.assumptions & PREDICT_ASSUMED_COPIES);
        assert_true((f.out.mbarrier_share > 0.1) == !i);
        /* most of what they write goes beside other passes through shared memory */
        assert_true(f.out.demands.demand.count[RESOURCE_SHARED] * 4 < 1.3 * PIECE / 128); /* of two passes */
        check_near(f.out.prediction.estimate_s, measured_s[i], 0.1);
        check_near(i ? f.out.traffic.touched.written : f.out.traffic.touched.read, bytes, 0.01);
        assert_true(f.out.prediction.estimate_s >= bytes / 4.9e12);
        assert_true(f.out.prediction.bound_s >= 0.9 * (bytes - 64e6) / 4.9e12);
        assert_true(f.out.prediction.bound_s <= measured_s[i]);
        tear_down(&f);
    }
}

/* Of long paths a part is simulated; the warp that leaves at once comes to the block's barrier in any part. A
 * round of two stages takes the latency of a copy and more. */
static void a_part_of_a_ring_goes_round(void **state)
{
    enum { TIMES_ROUND = 5120 };
    struct fixture f;

    set_up(&f, "ring", "model/device/profiles/nvidia-h200.json");
    f.launch.grid[0] = 1;
    add_buffer(&f, 64, ROLE_OUT);
    add_buffer(&f, 64, ROLE_IN);
    add_scalar(&f, 4, TIMES_ROUND / 256);
    run(&f);
    assert_true(f.out.prediction.confidence > 0);
    assert_true(f.out.input.simulated.all_cycles > TIMES_ROUND / 2 * 322.);
    assert_true(f.out.input.simulated.all_cycles < TIMES_ROUND / 2 * 322. * 2);
    assert_true(f.out.mbarrier_share > 0.2); /* a mean of four warps, one of which has left */
    tear_down(&f);
}

static void a_sleep_is_named(void **state)
{
    struct fixture f;
    char names[64];

    set_up(&f, "sleeps", "model/device/profiles/nvidia-h200.json");
    add_buffer(&f, BLOCKS * 128, ROLE_OUT);
    run(&f);
    assert_true(f.out.prediction.confidence == 0);
    check_near(find(&f, "NANOSLEEP")->executed, 4 * BLOCKS, 1e-9);
    assert_string_equal(unrated_names(names, sizeof names, &f.out.demands.unrated), "NANOSLEEP");
    tear_down(&f);
}

static void what_is_not_decoded_is_named_by_opcode(void **state)
{
    static const struct sass unknown = {.op = SASS_UNKNOWN, .opcode = 0x9c9};
    static const struct sass known = {.op = SASS_SYNCS};
    struct unrated unrated = {0};
    char names[64];

    assert_non_null(sass_rate(SASS_UNKNOWN).why);
    unrated_add(&unrated, &unknown, "a", 2);
    unrated_add(&unrated, &known, "b", 1);
    unrated_add(&unrated, &known, "c", 1);
    unrated_add(&unrated, &unknown, "a", 3);
    assert_int_equal(unrated.count, 3);
    check_near(unrated.ops[0].executed, 5, 1e-12);
    assert_string_equal(unrated_names(names, sizeof names, &unrated), "opcode 0x1c9, SYNCS");
    assert_string_equal(unrated_names(names, 8, &unrated), "opcode ");
    for (int i = 0; i < 2 * UNRATED_MOST; i++)
        unrated_add(&unrated, &(struct sass){.opcode = (uint16_t)i}, "a", 1);
    assert_int_equal(unrated.count, UNRATED_MOST);
    assert_string_equal(unrated.ops[UNRATED_MOST - 1].name, "and others");
}

int main(void)
{
    return RUN_TESTS(wide_matrices_take_the_tensor_peak, narrow_matrices_take_the_tensor_peak,
                     the_h200_measures_what_the_estimate_says, matrices_without_a_rate_are_named,
                     bulk_copies_take_the_pins_of_dram, a_part_of_a_ring_goes_round, a_sleep_is_named,
                     what_is_not_decoded_is_named_by_opcode);
}

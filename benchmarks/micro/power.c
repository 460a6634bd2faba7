/* What tensor instructions and traffic leave of the SM clock.
 *
 * Isolates: products of BF16 of 64 rows and 256 columns on all SMs at once: of zeros, which draw far less than the power
 * limit; of random factors, which do not, alone, beside bulk copies that stay in L2 or come from DRAM, and beside arithmetic
 * of floats and integers by the same warps. The others leave the products less of the time. The same products by mma.sync. A
 * trial lasts about a second, longer than the limiter takes to settle.
 *
 * Unit: Hz; the same against bytes, or warp instructions, per second of the whole GPU; the share of the time that products have.
 *
 * Expected: the clock is lower with zeros already, and with random factors falls to where the power is the limit;
 * with copies further; with other instructions less far than their time alone would leave it; with mma.sync, which is slower,
 * less far.
 *
 * Profile: tensor_boost, tensor_clock, tensor_warp_clock; curves tensor_clock_* and tensor_share_* of l2, dram, issue. */
#include "micro/micro.h"
#include "model/sass/arch/arch.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { THREADS = 256 + 32, LENGTH = 16, SLICES = 4, PIECE = 8 << 10, RING = 12 };
enum { SLICE_BYTES = 6 * 2048, PASSES = 256, WARP_PASSES = 4096, WARPS = 8, WANDER = 16, POINTS = 3 };
#define L2_REGION   (UINT64_C(1) << 24)
#define DRAM_REGION (UINT64_C(1) << 31) /* as dram.c, so that the buffers are filled once */
static const double sample_s = 0.04;

struct load {
    bool random;
    int passes;
    unsigned pause_ns; /* after four passes */
    unsigned copies;   /* of an SM */
    uint64_t region;   /* bytes that they come from; 0 without copies */
    unsigned rounds;   /* of WANDER other instructions of a warp, in a pass */
};

static int compile_beside(struct micro_code *out, const struct micro *micro, struct err *err)
{
    char length[32], slices[32], piece[32];
    const struct micro_kernel kernel = {
        .file = "groups.cu",
        .name = "group_beside",
        .options = {"-arch=sm_90a", "-DSHAPE=\"m64n256k16.f32.bf16.bf16\"", "-DRESULTS=128", "-DREGISTERS=0",
                    "-DELEMENT=float", "-DTYPE=\"f\"", "-DTAIL=\"1, 1, 1, 0, 0\"", length, slices, piece},
    };

    snprintf(length, sizeof length, "-DLENGTH=%d", LENGTH);
    snprintf(slices, sizeof slices, "-DSLICES=%d", SLICES);
    snprintf(piece, sizeof piece, "-DPIECE=%d", PIECE);
    return micro_compile(out, micro, &kernel, err);
}

static void call_load(struct call *call, const struct micro *micro, const struct load *load)
{
    call_init(call, micro->sms, THREADS, SLICES * SLICE_BYTES + RING * PIECE);
    if (load->random)
        call_halves(call, "halves", SLICES * SLICE_BYTES / 2);
    else
        call_zeros(call, "zero_halves", ROLE_IN, SLICES * SLICE_BYTES / 4);
    call_in(call, "in", DRAM_REGION / 4);
    call_sink(call, "sink", micro);
    call_int(call, load->passes);
    call_unsigned(call, load->pause_ns);
    call_unsigned(call, load->copies);
    call_long(call, load->region ? load->region : L2_REGION);
    call_unsigned(call, load->rounds);
}

/* Clock and time of launches; releases the code. */
static int run_call(struct device_value *clock_hz, double *time_s, const struct micro *micro,
                    struct micro_code *code, struct call *call, struct err *err)
{
    struct trial trial;
    int rc = call_time(&trial, micro, code, call, sample_s, err);

    if (rc == 0) {
        *time_s = trial.time_s;
        rc = reduce_runs(clock_hz, &trial.clock_hz, 1, true, "power", err);
    }
    trial_release(&trial);
    micro_code_release(code);
    return rc;
}

static int run_load(struct device_value *clock_hz, double *time_s, const struct micro *micro,
                    const struct load *load, struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_beside(&code, micro, err);

    if (rc)
        return rc;
    call_load(&call, micro, load);
    return run_call(clock_hz, time_s, micro, &code, &call, err);
}

static int products_alone(const struct micro *micro, struct err *err)
{
    const struct load load = {.random = true, .passes = PASSES};
    double time_s;

    return run_load(&micro->device->values[DEVICE_TENSOR_CLOCK], &time_s, micro, &load, err);
}

/* Zeros and short pauses keep the power far from its limit. */
static int products_of_zeros(const struct micro *micro, struct err *err)
{
    const struct load load = {.passes = PASSES, .pause_ns = 2250};
    double time_s;

    return run_load(&micro->device->values[DEVICE_TENSOR_BOOST], &time_s, micro, &load, err);
}

/* Bytes that are copied beside products, or warp instructions, on all SMs. */
static double amount_of(const struct micro *micro, const struct load *load)
{
    const double of_sm =
        load->copies ? (double)load->copies * PIECE : (double)load->rounds * WANDER * load->passes * WARPS;

    return of_sm * micro->sms;
}

/* The clock against what is beside products, and the share of the time that these have: they wait for shared memory and registers
 * that the others use, and pause. By the cycles that they take alone. Alone their clock falls by 2 % as the GPU warms up: clocks
 * beside are held against what it is just then. */
static int against(const struct micro *micro, enum device_curve_id clocks, enum device_curve_id shares,
                   const struct load *loads, size_t count, struct err *err)
{
    static const struct load alone = {.random = true, .passes = PASSES};
    struct device_curve *curves = micro->device->curves;
    const double tensor_hz = micro->device->values[DEVICE_TENSOR_CLOCK].sustained;
    double x[POINTS], hz[POINTS], share[POINTS], time_s, cycles, factor;
    struct device_value clock;
    int rc = run_load(&clock, &time_s, micro, &alone, err);

    cycles = rc ? 0 : time_s * clock.sustained;
    factor = rc || !(tensor_hz > 0) ? 1 : tensor_hz / clock.sustained;
    for (size_t i = 0; i < count && !rc; i++) {
        rc = run_load(&clock, &time_s, micro, &loads[i], err);
        if (rc)
            break;
        x[i] = amount_of(micro, &loads[i]) / time_s;
        hz[i] = clock.sustained * factor;
        share[i] = cycles / (time_s * clock.sustained);
    }
    rc = rc ? rc : device_curve_set(&curves[clocks], x, hz, count, "power", err);
    return rc ? rc : device_curve_set(&curves[shares], x, share, count, "power", err);
}

static int beside_l2(const struct micro *micro, struct err *err)
{
    static const struct load loads[POINTS] = {
        {.random = true, .passes = PASSES, .copies = 700, .region = L2_REGION},
        {.random = true, .passes = PASSES, .copies = 1500, .region = L2_REGION},
        {.random = true, .passes = PASSES, .copies = 2200, .region = L2_REGION},
    };

    return against(micro, DEVICE_CURVE_TENSOR_CLOCK_L2, DEVICE_CURVE_TENSOR_SHARE_L2, loads, POINTS, err);
}

/* More than products without pauses leave time for, up to half of what DRAM gives, takes half of the power. */
static int beside_dram(const struct micro *micro, struct err *err)
{
    static const struct load loads[POINTS] = {
        {.random = true, .passes = PASSES, .copies = 1000, .region = DRAM_REGION},
        {.random = true, .passes = PASSES, .pause_ns = 5000, .copies = 2000, .region = DRAM_REGION},
        {.random = true, .passes = PASSES, .pause_ns = 5000, .copies = 2600, .region = DRAM_REGION},
    };

    return against(micro, DEVICE_CURVE_TENSOR_CLOCK_DRAM, DEVICE_CURVE_TENSOR_SHARE_DRAM, loads, POINTS, err);
}

/* At the most a quarter and half of the issue slots. */
static int beside_instructions(const struct micro *micro, struct err *err)
{
    static const struct load loads[] = {
        {.random = true, .passes = PASSES, .rounds = 32},
        {.random = true, .passes = PASSES, .rounds = 64},
    };

    return against(micro, DEVICE_CURVE_TENSOR_CLOCK_ISSUE, DEVICE_CURVE_TENSOR_SHARE_ISSUE, loads,
                   sizeof loads / sizeof *loads, err);
}

/* Eight warps keep the tensor pipe as busy as mma.sync can. */
static int products_of_warps(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {.file = "power.cu", .name = "warp_products"};
    struct micro_code code;
    struct call call;
    double time_s;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES * WARPS, 0);
    call_halves(&call, "halves", SLICES * SLICE_BYTES / 2);
    call_sink(&call, "sink", micro);
    call_int(&call, WARP_PASSES);
    return run_call(&micro->device->values[DEVICE_TENSOR_WARP_CLOCK], &time_s, micro, &code, &call, err);
}

int micro_power(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"tensor_boost", products_of_zeros, false},      {"tensor_clock", products_alone, false},
        {"tensor_warp_clock", products_of_warps, false}, {"tensor_clock_l2", beside_l2, false},
        {"tensor_clock_dram", beside_dram, false},       {"tensor_clock_issue", beside_instructions, false}};
    const struct arch *arch = arch_of(micro->device->sm);

    return arch && arch->warp_groups ? micro_parts(micro, parts, sizeof parts / sizeof *parts, err) : 0;
}

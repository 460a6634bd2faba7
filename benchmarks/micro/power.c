/* What tensor instructions and traffic leave of the SM clock.
 *
 * Isolates: products of BF16 of 64 rows and 256 columns on all SMs at once: of zeros, which draw far less than the power
 * limit; of random factors, which do not, alone, beside bulk copies that stay in L2 or come from DRAM, and beside multiplications
 * and multiply-adds of floats by the same warps, which leave the products less of the time. A trial lasts about a second, longer
 * than the limiter takes to settle.
 *
 * Unit: Hz; the same against bytes, or warp instructions, per second of the whole GPU; the time that products have.
 *
 * Expected: the clock is lower with zeros already, and with random factors falls to where the power is the limit;
 * with copies further; with other instructions less far than their time alone would leave it.
 *
 * Profile: tensor_boost, tensor_clock; curves tensor_clock_l2, tensor_clock_dram, tensor_clock_issue, tensor_share_issue. */
#include "micro/micro.h"
#include "model/sass/arch/arch.h"

#include <stdio.h>

enum { THREADS = 256 + 32, LENGTH = 16, SLICES = 4, PIECE = 8 << 10, RING = 4 };
enum { SLICE_BYTES = 6 * 2048, PASSES = 256, WARPS = 8, WANDER = 16 };
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

/* Clock and time of a launch. */
static int run_load(struct device_value *clock_hz, double *time_s, const struct micro *micro,
                    const struct load *load, struct err *err)
{
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = compile_beside(&code, micro, err);

    if (rc)
        return rc;
    call_load(&call, micro, load);
    rc = call_time(&trial, micro, &code, &call, sample_s, err);
    if (rc == 0) {
        *time_s = trial.time_s;
        rc = reduce_runs(clock_hz, &trial.clock_hz, 1, true, "power", err);
    }
    trial_release(&trial);
    micro_code_release(&code);
    return rc;
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

static int against_copies(const struct micro *micro, enum device_curve_id curve, uint64_t region,
                          const unsigned copies[2], struct err *err)
{
    double x[2], y[2];

    for (int i = 0; i < 2; i++) {
        const struct load load = {.random = true, .passes = PASSES, .copies = copies[i], .region = region};
        struct device_value clock;
        double time_s;
        int rc = run_load(&clock, &time_s, micro, &load, err);

        if (rc)
            return rc;
        x[i] = (double)copies[i] * PIECE * micro->sms / time_s;
        y[i] = clock.sustained;
    }
    return device_curve_set(&micro->device->curves[curve], x, y, 2, "power", err);
}

/* Up to what fits beside the products, so that these keep the tensor pipe busy throughout. */
static int beside_l2(const struct micro *micro, struct err *err)
{
    static const unsigned copies[] = {700, 1500};

    return against_copies(micro, DEVICE_CURVE_TENSOR_CLOCK_L2, L2_REGION, copies, err);
}

static int beside_dram(const struct micro *micro, struct err *err)
{
    static const unsigned copies[] = {350, 700};

    return against_copies(micro, DEVICE_CURVE_TENSOR_CLOCK_DRAM, DRAM_REGION, copies, err);
}

/* At the most a quarter and half of the issue slots. Products lie in wait for registers that the others use, so that their
 * share of the time is measured, too: by the cycles that they take alone. */
static int beside_instructions(const struct micro *micro, struct err *err)
{
    enum { POINTS = 2 };
    static const unsigned rounds[POINTS + 1] = {0, 32, 64};
    struct device_curve *curves = micro->device->curves;
    double x[POINTS], hz[POINTS], share[POINTS], alone = 0;
    int rc;

    for (int i = 0; i <= POINTS; i++) {
        const struct load load = {.random = true, .passes = PASSES, .rounds = rounds[i]};
        struct device_value clock;
        double time_s;

        rc = run_load(&clock, &time_s, micro, &load, err);
        if (rc)
            return rc;
        if (i == 0) {
            alone = time_s * clock.sustained;
            continue;
        }
        x[i - 1] = (double)rounds[i] * WANDER * PASSES * WARPS * micro->sms / time_s;
        hz[i - 1] = clock.sustained;
        share[i - 1] = alone / (time_s * clock.sustained);
    }
    rc = device_curve_set(&curves[DEVICE_CURVE_TENSOR_CLOCK_ISSUE], x, hz, POINTS, "power", err);
    return rc ? rc
              : device_curve_set(&curves[DEVICE_CURVE_TENSOR_SHARE_ISSUE], x, share, POINTS, "power", err);
}

int micro_power(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"tensor_boost", products_of_zeros, false},
                                        {"tensor_clock", products_alone, false},
                                        {"tensor_clock_l2", beside_l2, false},
                                        {"tensor_clock_dram", beside_dram, false},
                                        {"tensor_clock_issue", beside_instructions, false}};
    const struct arch *arch = arch_of(micro->device->sm);

    return arch && arch->warp_groups ? micro_parts(micro, parts, sizeof parts / sizeof *parts, err) : 0;
}

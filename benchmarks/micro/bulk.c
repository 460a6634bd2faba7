/* Bulk copies (cp.async.bulk), where the architecture has them.
 *
 * Isolates: copies of 1 to 32 KB from global to shared memory, one thread of an SM asking for all, with up to
 * 128 KB of them under way: again and again of 128 KB an SM, which stay in L2, and once of 2 GB. Reductions of 8 KB
 * to an own 64 KB of each SM, which stay in L2, of floats and of doubles; those of 256 bytes, which 16 warps
 * ask for, since one thread needs 80 cycles for each.
 *
 * Unit: bytes per cycle and SM; bytes per second of the whole GPU; cycles from one reduction to the next.
 *
 * Expected: what loads get from L2 and from DRAM, or a little more; less with copies so small that asking for
 * them limits. Reductions are slower than copies into L2, which takes long to add, doubles longest.
 *
 * Profile: bulk_l2_read, bulk_dram_read, bulk_add, bulk_add_double, bulk_add_interval; curves bulk_l2, bulk_dram. */
#include "micro/micro.h"
#include "model/sass/arch/arch.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { THREADS = 32, UNDER_WAY = 128 << 10, STAGES_MOST = 32, OWN = 128 << 10 };
#define BYTES  (UINT64_C(1) << 31) /* as dram.c, so that the buffers are filled once */
#define SAMPLE 1e-3
#define AROUND                                                                                               \
    MICRO_LOOP " SYNCS LOP3 IMAD UIMAD LEA SHF S2UR SEL ULEA ULOP3 USHF R2UR ELECT BSSY BSYNC I2F F2I MUFU " \
               "WARPSYNC UPRMT USEL IABS LDS VOTEU PRMT"
#define AROUND_ADDS " ELECT PLOP3 UTMACMDFLUSH DEPBAR BAR BRA VIADD EXIT CCTL ULDC LDC"

static const unsigned sizes[] = {1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10};
enum { POINTS = sizeof sizes / sizeof *sizes };

static unsigned stages_of(unsigned piece)
{
    return UNDER_WAY / piece < STAGES_MOST ? UNDER_WAY / piece : STAGES_MOST;
}

static int compile_bulk(struct micro_code *out, const struct micro *micro, unsigned piece, struct err *err)
{
    char size[32], stages[32];
    const struct micro_kernel kernel = {
        .file = "bulk.cu",
        .name = "bulk_read",
        .options = {size, stages},
        .body = {.parts = "- | UBLKCP", .bookkeeping = AROUND, .any_order = true},
    };

    snprintf(size, sizeof size, "-DPIECE=%u", piece);
    snprintf(stages, sizeof stages, "-DSTAGES=%u", stages_of(piece));
    return micro_compile(out, micro, &kernel, err);
}

static void call_bulk(struct call *call, const struct micro *micro, unsigned piece, uint64_t bytes_of_sm,
                      unsigned passes)
{
    call_init(call, micro->sms, THREADS, piece * stages_of(piece));
    call_in(call, "in", BYTES / 4);
    call_sink(call, "sink", micro);
    call_spans(call, micro);
    call_unsigned(call, (unsigned)(bytes_of_sm / piece * micro->sms));
    call_unsigned(call, passes);
}

static int run_l2(struct device_value *out, const struct micro *micro, unsigned piece, struct err *err)
{
    enum { PASSES = 64 };
    struct micro_code code;
    struct call call;
    int rc = compile_bulk(&code, micro, piece, err);

    if (rc)
        return rc;
    call_bulk(&call, micro, piece, OWN, PASSES);
    rc = micro_rate_shared(out, micro, &code, &call, (double)OWN * PASSES, 1, "bulk", err);
    micro_code_release(&code);
    return rc;
}

static int run_dram(struct device_value *out, const struct micro *micro, unsigned piece, struct err *err)
{
    const uint64_t own = BYTES / micro->sms / piece * piece;
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = compile_bulk(&code, micro, piece, err);

    if (rc)
        return rc;
    call_bulk(&call, micro, piece, own, 1);
    rc = call_time(&trial, micro, &code, &call, SAMPLE, err);
    for (size_t i = 0; rc == 0 && i < trial.sample_count; i++)
        trial.samples_s[i] = (double)(own * micro->sms) / trial.samples_s[i];
    if (rc == 0)
        rc = reduce_runs(out, trial.samples_s, trial.sample_count, true, "bulk", err);
    trial_release(&trial);
    micro_code_release(&code);
    return rc;
}

static int against_size(const struct micro *micro,
                        int (*run)(struct device_value *, const struct micro *, unsigned, struct err *),
                        enum device_value_id value, enum device_curve_id curve, struct err *err)
{
    struct device_value *most = &micro->device->values[value];
    double x[POINTS], y[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct device_value found;

        rc = run(&found, micro, sizes[i], err);
        if (rc)
            break;
        x[i] = sizes[i];
        y[i] = found.sustained;
        if (i == 0 || found.sustained > most->sustained)
            *most = found;
    }
    return rc ? rc : device_curve_set(&micro->device->curves[curve], x, y, POINTS, "bulk", err);
}

static int from_l2(const struct micro *micro, struct err *err)
{
    return against_size(micro, run_l2, DEVICE_BULK_L2_READ, DEVICE_CURVE_BULK_L2, err);
}

static int from_dram(const struct micro *micro, struct err *err)
{
    return against_size(micro, run_dram, DEVICE_BULK_DRAM_READ, DEVICE_CURVE_BULK_DRAM, err);
}

/* Bytes per cycle and SM that `warps` warps of each SM add in pieces. */
static int run_add(struct device_value *out, const struct micro *micro, const char *type, unsigned piece,
                   unsigned warps, struct err *err)
{
    enum { ADDED = 64 << 10, PASSES = 64 };
    char size[32], own[32], added[32];
    const struct micro_kernel kernel = {
        .file = "bulk.cu",
        .name = "bulk_add",
        .options = {size, own, added, "-DSTAGES=1"},
        .body = {.parts = "- | UBLKRED", .bookkeeping = AROUND AROUND_ADDS, .any_order = true},
    };
    struct micro_code code;
    struct call call;
    int rc;

    snprintf(size, sizeof size, "-DPIECE=%u", piece);
    snprintf(own, sizeof own, "-DOWN=%u", (unsigned)ADDED);
    snprintf(added, sizeof added, "-DTYPE=\"%s\"", type);
    rc = micro_compile(&code, micro, &kernel, err);
    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES * warps, ADDED);
    call_zeros(&call, "words", ROLE_INOUT, (uint64_t)micro->sms * ADDED / 4);
    call_spans(&call, micro);
    call_unsigned(&call, PASSES);
    rc = micro_rate_shared(out, micro, &code, &call, (double)ADDED * PASSES / warps, 1, "bulk", err);
    micro_code_release(&code);
    return rc;
}

static int reductions(const struct micro *micro, struct err *err)
{
    enum { LARGE = 8192, SMALL = 256, ASKING = 16 };
    struct device_value *values = micro->device->values, rate;
    struct device_value *interval = &values[DEVICE_BULK_ADD_INTERVAL];
    int rc = run_add(&values[DEVICE_BULK_ADD], micro, "f32", LARGE, 1, err);

    if (rc == 0)
        rc = run_add(&values[DEVICE_BULK_ADD_DOUBLE], micro, "f64", LARGE, 1, err);
    if (rc == 0)
        rc = run_add(&rate, micro, "f32", SMALL, ASKING, err);
    if (rc)
        return rc;
    *interval = rate;
    interval->sustained = SMALL / rate.sustained;
    interval->best = SMALL / rate.best;
    interval->spread = SMALL * rate.spread / (rate.sustained * rate.sustained);
    return 0;
}

int micro_bulk(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"bulk_l2", from_l2, true}, {"bulk_dram", from_dram, true}, {"bulk_add", reductions, false}};
    const struct arch *arch = arch_of(micro->device->sm);

    return arch && arch->bulk_copies ? micro_parts(micro, parts, sizeof parts / sizeof *parts, err) : 0;
}

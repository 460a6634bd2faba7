/* Bulk copies (cp.async.bulk), where the architecture has them.
 *
 * Isolates: copies of 1 to 32 KB from global to shared memory, one thread of an SM asking for all, with up to
 * 128 KB of them under way: again and again of 128 KB an SM, which stay in L2, and once of 2 GB.
 *
 * Unit: bytes per cycle and SM; bytes per second of the whole GPU.
 *
 * Expected: what loads get from L2 and from DRAM, or a little more; less with copies so small that asking for
 * them limits.
 *
 * Profile: bulk_l2_read, bulk_dram_read; curves bulk_l2, bulk_dram. */
#include "micro/micro.h"
#include "model/sass/arch/arch.h"

#include <stdio.h>

enum { THREADS = 32, UNDER_WAY = 128 << 10, STAGES_MOST = 32, OWN = 128 << 10 };
#define BYTES  (UINT64_C(1) << 31) /* as dram.c, so that the buffers are filled once */
#define SAMPLE 1e-3
#define AROUND                                                                                               \
    MICRO_LOOP " SYNCS LOP3 IMAD UIMAD LEA SHF S2UR SEL ULEA ULOP3 USHF R2UR ELECT BSSY BSYNC I2F F2I MUFU " \
               "WARPSYNC UPRMT USEL IABS LDS VOTEU PRMT"

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

int micro_bulk(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"bulk_l2", from_l2, true}, {"bulk_dram", from_dram, true}};
    const struct arch *arch = arch_of(micro->device->sm);

    return arch && arch->bulk_copies ? micro_parts(micro, parts, sizeof parts / sizeof *parts, err) : 0;
}

/* What runs beside the warps, where the architecture has it: how long a warp waits for it.
 *
 * Isolates: a bulk copy of 128 bytes from L2 and from DRAM, from its announcement until its wait is over; as
 * many copies one behind another as show how often the engine takes one, and how fast one SM alone is served;
 * an arrival at an mbarrier until another warp goes on; asking one whose phase is over; the barrier of two
 * blocks of a cluster; a memory fence of the scope of the GPU, alone, behind a bulk copy and behind a store.
 *
 * Unit: cycles.
 *
 * Expected: a copy takes a little longer than a load from the same level; an mbarrier a little longer than
 * a store and a load of shared memory.
 *
 * Profile: bulk_l2_latency, bulk_dram_latency, bulk_interval, bulk_alone, mbarrier_latency, mbarrier_passed,
 * cluster_barrier_latency, fence_latency, fence_copied_latency, fence_stored_latency. */
#include "micro/micro.h"
#include "model/sass/arch/arch.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum {
    MANY = 32,
    WARPS = 16,
    PIECE = 128,
    LARGE = 8192,
    LARGE_COPIES = 16,
    ROUNDS = 16,
    MEETINGS = 8,
    FAR = 1 << 18
};
#define BYTES (UINT64_C(1) << 31) /* as dram.c, so that the buffers are filled once */
#define AROUND                                                                                               \
    MICRO_LOOP                                                                                               \
    " SYNCS LOP3 IMAD LEA SHF S2UR SEL ULEA ULOP3 USHF R2UR ELECT BSSY BSYNC WARPSYNC UPRMT USEL "           \
    "BRX STG VOTEU PRMT UBLKCP UCGABAR_ARV UCGABAR_WAIT CCTL EXIT MEMBAR FENCE ERRBAR CGAERRBAR"

static int compile_async(struct micro_code *out, const struct micro *micro, const char *name, unsigned piece,
                         unsigned copies, const char *parts, struct err *err)
{
    char size[32], count[32], warps[32];
    const struct micro_kernel kernel = {
        .file = "async.cu",
        .name = name,
        .options = {size, count, warps},
        .body = {.parts = parts, .bookkeeping = AROUND, .any_order = true},
    };

    snprintf(size, sizeof size, "-DPIECE=%u", piece);
    snprintf(count, sizeof count, "-DCOPIES=%u", copies);
    snprintf(warps, sizeof warps, "-DWARPS=%u", WARPS);
    return micro_compile(out, micro, &kernel, err);
}

/* `copies` of `piece` bytes by a thread of each SM, asked for and waited for, by the kernel `name`; apart: from one sample to
 * the next, 0: the same bytes, which stay in L2. */
static int run_copying(struct device_value *out, const struct micro *micro, const char *name, unsigned sms,
                       unsigned piece, unsigned copies, unsigned apart, struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_async(&code, micro, name, piece, copies, NULL, err);

    if (rc)
        return rc;
    call_init(&call, sms, LANES, piece * copies);
    call_in(&call, "in", BYTES / 4);
    call_samples(&call, micro);
    call_unsigned(&call, apart);
    rc = micro_latency(out, micro, &code, &call, 1, "async", err);
    micro_code_release(&code);
    return rc;
}

static int run_copies(struct device_value *out, const struct micro *micro, unsigned sms, unsigned piece,
                      unsigned copies, unsigned apart, struct err *err)
{
    return run_copying(out, micro, "bulk_waited", sms, piece, copies, apart, err);
}

/* From one of `copies` to the next, where the first ends after `one`. */
static void set_apart(struct device_value *out, const struct device_value *many,
                      const struct device_value *one, unsigned copies)
{
    *out = *many;
    out->sustained = (many->sustained - one->sustained) / (copies - 1);
    out->best = (many->best - one->best) / (copies - 1);
    out->spread = many->spread / (copies - 1);
}

static int copy_latencies(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    int rc = run_copies(&values[DEVICE_BULK_L2_LATENCY], micro, micro->sms, PIECE, 1, 0, err);

    if (rc == 0)
        rc = run_copies(&values[DEVICE_BULK_DRAM_LATENCY], micro, micro->sms, PIECE, 1, FAR, err);
    return rc;
}

/* Warps enough that the engine is what all of them wait for. */
static int copies_by_all(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    struct device_value many;
    struct micro_code code;
    struct call call;
    int rc = compile_async(&code, micro, "bulk_by_all", PIECE, MANY, NULL, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES * WARPS, WARPS * MANY * PIECE);
    call_in(&call, "in", BYTES / 4);
    call_samples(&call, micro);
    rc = micro_latency(&many, micro, &code, &call, 1, "async", err);
    micro_code_release(&code);
    if (rc == 0)
        set_apart(&values[DEVICE_BULK_INTERVAL], &many, &values[DEVICE_BULK_L2_LATENCY], WARPS * MANY);
    return rc;
}

/* Few SMs, which do not keep each other waiting: what the first copy takes is subtracted. */
static int copies_alone(const struct micro *micro, struct err *err)
{
    enum { FEW = 8 };
    const unsigned sms = micro->sms < FEW ? micro->sms : FEW;
    struct device_value *rate = &micro->device->values[DEVICE_BULK_ALONE];
    struct device_value one, many;
    int rc = run_copies(&one, micro, sms, LARGE, 1, 0, err);

    if (rc == 0)
        rc = run_copies(&many, micro, sms, LARGE, LARGE_COPIES, 0, err);
    if (rc)
        return rc;
    set_apart(rate, &many, &one, LARGE_COPIES);
    return 0;
}

static int simple(struct device_value *out, const struct micro *micro, const char *name, unsigned threads,
                  double steps, const char *parts, struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_async(&code, micro, name, PIECE, 1, parts, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms / 2 * 2, threads, 0);
    call_samples(&call, micro);
    rc = micro_latency(out, micro, &code, &call, steps, "async", err);
    micro_code_release(&code);
    return rc;
}

static int mbarriers(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    int rc = simple(&values[DEVICE_MBARRIER_LATENCY], micro, "answered", 64, 2 * ROUNDS, NULL, err);

    return rc ? rc : simple(&values[DEVICE_MBARRIER_PASSED], micro, "passed", 32, ROUNDS, NULL, err);
}

static int clusters(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;

    return simple(&values[DEVICE_CLUSTER_BARRIER_LATENCY], micro, "cluster_met", 32, MEETINGS, NULL, err);
}

static int fences(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    int rc = simple(&values[DEVICE_FENCE_LATENCY], micro, "fenced", 32, ROUNDS, NULL, err);

    if (rc == 0)
        rc = run_copying(&values[DEVICE_FENCE_COPIED_LATENCY], micro, "bulk_fenced", micro->sms, LARGE, 1, 0,
                         err);
    return rc ? rc
              : simple(&values[DEVICE_FENCE_STORED_LATENCY], micro, "fenced_stored", 32, ROUNDS, NULL, err);
}

int micro_async(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"bulk_latency", copy_latencies, false}, {"bulk_by_all", copies_by_all, false},
        {"bulk_alone", copies_alone, false},     {"mbarrier", mbarriers, false},
        {"cluster_barrier", clusters, false},    {"fences", fences, false}};
    const struct arch *arch = arch_of(micro->device->sm);

    return arch && arch->bulk_copies ? micro_parts(micro, parts, sizeof parts / sizeof *parts, err) : 0;
}

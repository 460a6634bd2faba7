/* L1 and L2 under load.
 *
 * Isolates: reads and writes of all warps over a window that fits the level: 32 KB for L1 (every SM the
 * same, past L1 with ld.global.cg for L2), 16 MB for L2.
 *
 * Unit: bytes per cycle and SM.
 *
 * Expected: L1 64 to 128 bytes a cycle; L2 by all SMs at once about half of what one SM alone can take.
 *
 * Profile: l1_read, l1_write, l2_read, l2_read_one, l2_write; curve l2_read_warps. */
#include "micro/micro.h"

#include "model/machine/occupancy.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { PASSES = 64, UNROLL = 8, THREADS = 1024, VECTOR = 16 };

#define CACHED "-DREAD(p)=*(p)"
#define PAST   "-DREAD(p)=__ldcg(p)"
/* Addresses, folding and loop. */
#define AROUND MICRO_LOOP " LOP3 IMAD LEA R2UR"

struct window {
    const char *read;   /* CACHED or PAST */
    const char *vector; /* "uint4" */
    unsigned width;     /* its bytes */
    unsigned blocks;    /* on the GPU */
    unsigned resident;  /* on an SM */
    unsigned threads;
    unsigned shared; /* dynamic, to hold others off */
    uint64_t bytes;  /* of the window, a power of two */
    unsigned passes;
};

static int compile_stream(struct micro_code *out, const struct micro *micro, const char *name,
                          const struct window *w, struct err *err)
{
    char vector[32], parts[64];
    const struct micro_kernel kernel = {
        .file = "stream.cu",
        .name = name,
        .options = {w->read, vector, "-DUNROLL=8"},
        .body = {.parts = parts, .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };
    const bool reads = name[7] == 'r';

    snprintf(vector, sizeof vector, "-DVECTOR=%s", w->vector);
    snprintf(parts, sizeof parts, "- | %s*%d", reads ? "LDG" : "STG", UNROLL);
    return micro_compile(out, micro, &kernel, err);
}

/* Bytes per cycle and SM. */
static int run_stream(struct device_value *out, const struct micro *micro, const char *name,
                      const struct window *w, struct err *err)
{
    const bool reads = name[7] == 'r';
    const double work = (double)w->passes * UNROLL * LANES * w->width;
    struct micro_code code;
    struct call call;
    int rc = compile_stream(&code, micro, name, w, err);

    if (rc)
        return rc;
    call_init(&call, w->blocks, w->threads, w->shared);
    if (reads)
        call_in(&call, "data", w->bytes / 4);
    else
        call_zeros(&call, "data", ROLE_OUT, w->bytes / 4);
    if (reads)
        call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, (int)w->passes);
    call_unsigned(&call, w->threads);
    call_unsigned(&call, (unsigned)(w->bytes / w->width - 1));
    call_unsigned(&call, w->bytes > 1 << 20 ? 40961 * 8 : 0); /* where the next block begins */
    rc = micro_rate_shared(out, micro, &code, &call, work, w->resident, name, err);
    micro_code_release(&code);
    return rc;
}

static int l1(const struct micro *micro, struct err *err)
{
    const struct window wide = {CACHED, "uint4", 16, micro->sms, 1, THREADS, 0, 32768, PASSES};

    return run_stream(&micro->device->values[DEVICE_L1_READ], micro, "cached_read", &wide, err);
}

static int l2(const struct micro *micro, struct err *err)
{
    const uint64_t bytes = 16 << 20;
    const struct window all = {PAST, "uint4", 16, 2 * micro->sms, 2, THREADS, 0, bytes, 2 * PASSES};
    const struct window one = {PAST, "uint4", 16, 1, 1, THREADS, 0, bytes / 4, PASSES};
    struct device_value *values = micro->device->values;
    int rc = run_stream(&values[DEVICE_L2_READ], micro, "cached_read", &all, err);

    if (rc == 0)
        rc = run_stream(&values[DEVICE_L2_READ_ONE], micro, "cached_read", &one, err);
    if (rc == 0)
        rc = run_stream(&values[DEVICE_L2_WRITE], micro, "cached_write", &all, err);
    if (rc == 0)
        rc = run_stream(&values[DEVICE_L1_WRITE], micro, "cached_write", &one, err);
    return rc;
}

static int l2_against_warps(const struct micro *micro, struct err *err)
{
    static const unsigned blocks[] = {1, 2, 3, 4, 6, 8, 12, 16};
    enum { POINTS = sizeof blocks / sizeof *blocks, BLOCK = 128 };
    struct device_value *read = &micro->device->values[DEVICE_L2_READ]; /* the best occupancy counts */
    double warps[POINTS], bytes[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const struct window w = {PAST,
                                 "uint4",
                                 16,
                                 blocks[i] * micro->sms,
                                 blocks[i],
                                 BLOCK,
                                 occupancy_shared_for(&micro->device->limits, blocks[i]),
                                 16 << 20,
                                 4 * PASSES};
        struct device_value value;

        rc = run_stream(&value, micro, "cached_read", &w, err);
        warps[i] = blocks[i] * BLOCK / LANES;
        bytes[i] = value.sustained;
        if (rc == 0 && read->known && value.sustained > read->sustained)
            *read = value;
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_L2_READ_WARPS], warps, bytes, POINTS,
                                 "cached_read", err);
}

int micro_caches(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"l1_read", l1, false}, {"l2_read", l2, false}, {"l2_read_warps", l2_against_warps, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

/* Single sectors far apart, and sectors written in part.
 *
 * Isolates: accesses whose lanes have a 32-byte sector each at a random place, in 4 GB (DRAM) or in 16 MB
 * (L2), past L1; stores to random sectors, whole or 4 bytes of them; and stores in order that leave 28 bytes
 * of every sector as they were.
 *
 * Unit: DRAM: bytes per second of the whole GPU, and 64 bytes counted a sector at random, which is what DRAM
 * moves for one; what L2 happens to hold of the footprint is not counted. L2: bytes per cycle and SM, 32 a
 * sector.
 *
 * Expected: DRAM below the rate of long reads, since every 64 bytes may open a row. A sector written in part
 * costs L2 no more than a whole one; going to DRAM it may have to be read first.
 *
 * Profile: dram_scattered, dram_scattered_write, dram_scattered_partial, dram_write_partial, l2_scattered,
 * l2_scattered_write, l2_write_partial; curves dram_scattered_flight, l2_scattered_flight. */
#include "micro/micro.h"

#include <stdio.h>

enum { SECTOR = 32, BURST = 64, WARPS = 64, UNROLL = 4, ACCESSES = 4096 };
#define FAR_BYTES  (UINT64_C(1) << 32)
#define NEAR_BYTES (UINT64_C(16) << 20)
#define SAMPLE     1e-3
#define AROUND     MICRO_LOOP " LOP3 IMAD SHF LEA PRMT R2UR"

struct scattered {
    const char *name; /* kernel, and origin */
    bool writes, whole, random;
    unsigned warps, unroll; /* resident on an SM; accesses a thread has in flight */
    uint64_t bytes;         /* of the footprint, a power of two */
};

static int compile_scattered(struct micro_code *out, const struct micro *micro, const struct scattered *s,
                             struct err *err)
{
    char unroll[32], parts[32];
    const struct micro_kernel kernel = {
        .file = "scattered.cu",
        .name = s->writes ? "scattered_write" : "scattered_read",
        .options = {s->whole ? "-DVECTOR=uint4" : "-DVECTOR=unsigned", s->whole ? "-DLANES=2" : "-DLANES=1",
                    s->random ? "-DPLACE=mixed" : "-DPLACE=ordered", unroll},
        .body = {.parts = parts, .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };

    snprintf(unroll, sizeof unroll, "-DUNROLL=%u", s->unroll);
    snprintf(parts, sizeof parts, "- | %s*%u", s->writes ? "STG" : "LDG", s->unroll);
    return micro_compile(out, micro, &kernel, err);
}

/* Passes, so that every case has as many accesses in all. */
static unsigned passes(const struct scattered *s)
{
    return ACCESSES / (s->warps * s->unroll);
}

static unsigned blocks_per_sm(const struct scattered *s)
{
    return s->warps > 32 ? s->warps / 32 : 1;
}

static void make_call(struct call *call, const struct micro *micro, const struct scattered *s)
{
    const unsigned blocks = blocks_per_sm(s);

    call_init(call, blocks * micro->sms, 32 * s->warps / blocks, 0);
    call_zeros(call, s->bytes == FAR_BYTES ? "far" : "near", ROLE_OUT, s->bytes / 4);
    if (!s->writes)
        call_sink(call, "sink", micro);
    call_spans(call, micro);
    call_int(call, (int)passes(s));
    call_unsigned(call, (unsigned)(s->bytes / SECTOR - 1));
}

/* Sectors a warp touches in one round of the kernel. */
static double sectors(const struct scattered *s)
{
    return (double)passes(s) * s->unroll * (s->whole ? 16 : 32);
}

/* Bytes per second, whole GPU. */
static int through_dram(struct device_value *out, const struct micro *micro, const struct scattered *s,
                        struct err *err)
{
    const double held = s->random ? (double)micro->device->limits.l2_bytes / (double)s->bytes : 0;
    const double moved = 2 * sectors(s) * s->warps * micro->sms * (s->random ? BURST : SECTOR) * (1 - held);
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = compile_scattered(&code, micro, s, err);

    if (rc)
        return rc;
    make_call(&call, micro, s);
    rc = call_time(&trial, micro, &code, &call, SAMPLE, err);
    for (size_t i = 0; rc == 0 && i < trial.sample_count; i++)
        trial.samples_s[i] = moved / trial.samples_s[i];
    if (rc == 0)
        rc = reduce_runs(out, trial.samples_s, trial.sample_count, true, s->name, err);
    trial_release(&trial);
    call_release(&call);
    micro_code_release(&code);
    return rc;
}

/* Bytes per cycle and SM. */
static int within_l2(struct device_value *out, const struct micro *micro, const struct scattered *s,
                     struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_scattered(&code, micro, s, err);

    if (rc)
        return rc;
    make_call(&call, micro, s);
    rc = micro_rate_shared(out, micro, &code, &call, sectors(s) * SECTOR, blocks_per_sm(s), s->name, err);
    call_release(&call);
    micro_code_release(&code);
    return rc;
}

typedef int measure_scattered(struct device_value *out, const struct micro *micro, const struct scattered *s,
                              struct err *err);

/* Reads with more and more sectors in flight; the most that any of them reached is the capacity. */
static int against_flight(const struct micro *micro, enum device_value_id id, enum device_curve_id curve,
                          uint64_t bytes, measure_scattered *measure, struct err *err)
{
    static const unsigned loads[][2] = {{1, 1},  {2, 1},  {4, 1},  {8, 1},  {16, 1},
                                        {32, 1}, {64, 1}, {64, 2}, {64, 4}, {64, 8}};
    enum { POINTS = sizeof loads / sizeof *loads };
    struct device_value *value = &micro->device->values[id];
    double flight[POINTS], rate[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const struct scattered s = {"scattered_read", false, false, true, loads[i][0], loads[i][1], bytes};
        struct device_value found;

        rc = measure(&found, micro, &s, err);
        flight[i] = 32.0 * loads[i][0] * loads[i][1];
        rate[i] = found.sustained;
        if (rc == 0 && (i == 0 || found.sustained > value->sustained))
            *value = found;
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[curve], flight, rate, POINTS, "scattered_read", err);
}

static int dram_read(const struct micro *micro, struct err *err)
{
    return against_flight(micro, DEVICE_DRAM_SCATTERED, DEVICE_CURVE_DRAM_SCATTERED_FLIGHT, FAR_BYTES,
                          through_dram, err);
}

static int l2_read(const struct micro *micro, struct err *err)
{
    return against_flight(micro, DEVICE_L2_SCATTERED, DEVICE_CURVE_L2_SCATTERED_FLIGHT, NEAR_BYTES, within_l2,
                          err);
}

static int dram_writes(const struct micro *micro, struct err *err)
{
    const struct scattered whole = {"scattered_write, whole", true, true, true, WARPS, UNROLL, FAR_BYTES};
    const struct scattered part = {"scattered_write, part", true, false, true, WARPS, UNROLL, FAR_BYTES};
    const struct scattered order = {
        "scattered_write, in order", true, false, false, WARPS, UNROLL, FAR_BYTES};
    struct device_value *values = micro->device->values;
    int rc = through_dram(&values[DEVICE_DRAM_SCATTERED_WRITE], micro, &whole, err);

    if (rc == 0)
        rc = through_dram(&values[DEVICE_DRAM_SCATTERED_PARTIAL], micro, &part, err);
    return rc ? rc : through_dram(&values[DEVICE_DRAM_WRITE_PARTIAL], micro, &order, err);
}

static int l2_writes(const struct micro *micro, struct err *err)
{
    const struct scattered whole = {"scattered_write, whole", true, true, true, WARPS, UNROLL, NEAR_BYTES};
    const struct scattered order = {
        "scattered_write, in order", true, false, false, WARPS, UNROLL, NEAR_BYTES};
    struct device_value *values = micro->device->values;
    int rc = within_l2(&values[DEVICE_L2_SCATTERED_WRITE], micro, &whole, err);

    return rc ? rc : within_l2(&values[DEVICE_L2_WRITE_PARTIAL], micro, &order, err);
}

int micro_scattered(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"dram_scattered", dram_read},
                                        {"dram_scattered_write", dram_writes},
                                        {"l2_scattered", l2_read},
                                        {"l2_scattered_write", l2_writes}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

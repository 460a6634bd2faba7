/* Sectors of L2 and DRAM: in order and at random, whole and in part.
 *
 * Isolates: accesses whose lanes, alone or in pairs, have a 32-byte sector each: at random places or in
 * order, in 4 GB (DRAM) or in 16 MB (L2); stores of whole sectors or of 4 bytes of them. Reads at random with
 * L1 made small by shared memory: a load that misses needs one of its lines until its data comes. Reads past
 * L1 of four words of a sector, one after the other.
 *
 * All are timed from outside, over many times the blocks that fit: an SM far from L2, or one that shares its
 * way there with more others, gets fewer of them, as it does of any kernel. A mean of what each SM reaches
 * with a fixed share of the work is up to a seventh higher: those that have done leave the others alone.
 *
 * Unit: DRAM: bytes per second of the whole GPU, and 64 bytes counted a sector at random, which is what DRAM
 * moves for one; what L2 happens to hold of the footprint is not counted. L2: bytes per cycle and SM, 32 a
 * sector.
 *
 * Expected: DRAM below the rate of long reads, since every 64 bytes may open a row. L2 slower for sectors
 * that are alone in their line, and for those that are written in part; less slow where requests of one
 * sector merge on their way.
 *
 * Profile: dram_scattered, dram_scattered_write, dram_scattered_partial, dram_write_partial, l2_read,
 * l2_write (their best stays what the luckiest SMs reach: caches.c), l2_scattered, l2_merged,
 * l2_scattered_write, l2_scattered_partial, l2_write_partial; curves dram_scattered_flight,
 * l2_scattered_flight. */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

enum { BURST = 64, BLOCKS = 2, ROUNDS = 24, THREADS = 512, UNROLL = 4, PASSES = 8 };
#define FAR_BYTES  (UINT64_C(1) << 32)
#define NEAR_BYTES (UINT64_C(16) << 20)
#define SAMPLE     1e-3
#define AROUND     MICRO_LOOP " LOP3 IMAD SHF LEA PRMT R2UR STG EXIT UIMAD USHF ULOP3 S2UR"

struct scattered {
    const char *name; /* kernel, and origin */
    bool writes, whole, random;
    bool again;        /* every sector UNROLL times in a row */
    uint64_t bytes;    /* of the footprint, a power of two */
    uint64_t carveout; /* of shared memory, 0 for the least */
};

static int compile_scattered(struct micro_code *out, const struct micro *micro, const struct scattered *s,
                             struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "scattered.cu",
        .name = s->writes  ? "scattered_write"
                : s->again ? "repeated_read"
                           : "scattered_read",
        .options = {s->whole ? "-DVECTOR=uint4" : "-DVECTOR=unsigned", s->whole ? "-DLANES=2" : "-DLANES=1",
                    s->random ? "-DPLACE=mixed" : "-DPLACE=ordered", "-DUNROLL=4"},
        .body = {.parts = s->writes ? "STG*4" : "LDG*4", .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };

    return micro_compile(out, micro, &kernel, err);
}

static void make_call(struct call *call, const struct micro *micro, const struct scattered *s)
{
    const struct device_limits *limits = &micro->device->limits;
    const uint64_t reserved = BLOCKS * limits->shared_reserved;
    const uint64_t shared = s->carveout > reserved ? (s->carveout - reserved) / BLOCKS : 0;

    call_init(call, BLOCKS * ROUNDS * micro->sms, THREADS, (unsigned)shared);
    call->launch.carveout = (int)(100 * s->carveout / limits->shared_per_sm);
    call_zeros(call, s->bytes == FAR_BYTES ? "far" : "near", ROLE_OUT, s->bytes / 4);
    if (!s->writes)
        call_sink(call, "sink", micro);
    call_int(call, PASSES);
    call_unsigned(call, (unsigned)(s->bytes / SECTOR - 1));
}

/* Sectors a second, whole GPU. */
static int sectors(struct device_value *out, const struct micro *micro, const struct scattered *s,
                   struct err *err)
{
    const double all = (double)BLOCKS * ROUNDS * micro->sms * THREADS / (s->whole ? 2 : 1) * UNROLL * PASSES;
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = compile_scattered(&code, micro, s, err);

    if (rc)
        return rc;
    make_call(&call, micro, s);
    rc = call_time(&trial, micro, &code, &call, SAMPLE, err);
    for (size_t i = 0; rc == 0 && i < trial.sample_count; i++)
        trial.samples_s[i] = all / trial.samples_s[i];
    if (rc == 0)
        rc = reduce_runs(out, trial.samples_s, trial.sample_count, true, s->name, err);
    trial_release(&trial);
    micro_code_release(&code);
    return rc;
}

static void scale(struct device_value *value, double by)
{
    value->sustained *= by;
    value->best *= by;
    value->spread *= by;
}

/* Bytes per second. */
static int through_dram(struct device_value *out, const struct micro *micro, const struct scattered *s,
                        struct err *err)
{
    const double held = s->random ? (double)micro->device->limits.l2_bytes / (double)s->bytes : 0;
    const int rc = sectors(out, micro, s, err);

    if (rc == 0)
        scale(out, (s->random ? BURST : SECTOR) * (1 - held));
    return rc;
}

/* Bytes per cycle and SM. */
static int within_l2(struct device_value *out, const struct micro *micro, const struct scattered *s,
                     struct err *err)
{
    const struct device_value *clock = &micro->device->values[DEVICE_CLOCK];
    const double hz = clock->known ? clock->sustained : (double)micro->device->limits.sm_clock_hz;
    const int rc = sectors(out, micro, s, err);

    if (rc == 0)
        scale(out, SECTOR / hz / micro->sms);
    return rc;
}

typedef int measure_scattered(struct device_value *out, const struct micro *micro, const struct scattered *s,
                              struct err *err);

/* Reads with L1 at each of its sizes; the most that any of them reached is the capacity. */
static int against_lines(const struct micro *micro, enum device_value_id id, enum device_curve_id curve,
                         uint64_t bytes, measure_scattered *measure, struct err *err)
{
    const struct device_limits *limits = &micro->device->limits;
    struct device_value *value = &micro->device->values[id];
    double lines[DEVICE_CARVEOUTS], rate[DEVICE_CARVEOUTS];
    size_t count = 0;
    int rc = 0;

    for (size_t i = limits->carveout_count; rc == 0 && i-- > 0;) {
        const struct scattered s = {"scattered_read", false, false, true, false, bytes, limits->carveouts[i]};
        struct device_value found;

        if (limits->carveouts[i] < BLOCKS * limits->shared_reserved)
            continue; /* no such blocks have so little */
        rc = measure(&found, micro, &s, err);
        lines[count] = (double)((limits->unified_bytes - limits->carveouts[i]) / LINE);
        rate[count++] = found.sustained;
        if (rc == 0 && (count == 1 || found.sustained > value->sustained))
            *value = found;
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[curve], lines, rate, count, "scattered_read", err);
}

static int dram_read(const struct micro *micro, struct err *err)
{
    return against_lines(micro, DEVICE_DRAM_SCATTERED, DEVICE_CURVE_DRAM_SCATTERED_FLIGHT, FAR_BYTES,
                         through_dram, err);
}

static int l2_scattered(const struct micro *micro, struct err *err)
{
    return against_lines(micro, DEVICE_L2_SCATTERED, DEVICE_CURVE_L2_SCATTERED_FLIGHT, NEAR_BYTES, within_l2,
                         err);
}

static int l2_merged(const struct micro *micro, struct err *err)
{
    const struct scattered s = {"repeated_read", false, false, true, true, NEAR_BYTES, 0};

    return within_l2(&micro->device->values[DEVICE_L2_MERGED], micro, &s, err);
}

/* One value for each way of writing. */
static int writes(const struct micro *micro, const enum device_value_id ids[3], uint64_t bytes,
                  measure_scattered *measure, struct err *err)
{
    const struct scattered ways[] = {{"scattered_write, whole", true, true, true, false, bytes, 0},
                                     {"scattered_write, part", true, false, true, false, bytes, 0},
                                     {"scattered_write, in order", true, false, false, false, bytes, 0}};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof ways / sizeof *ways; i++)
        rc = measure(&micro->device->values[ids[i]], micro, &ways[i], err);
    return rc;
}

static int dram_writes(const struct micro *micro, struct err *err)
{
    static const enum device_value_id ids[] = {DEVICE_DRAM_SCATTERED_WRITE, DEVICE_DRAM_SCATTERED_PARTIAL,
                                               DEVICE_DRAM_WRITE_PARTIAL};

    return writes(micro, ids, FAR_BYTES, through_dram, err);
}

static int l2_writes(const struct micro *micro, struct err *err)
{
    static const enum device_value_id ids[] = {DEVICE_L2_SCATTERED_WRITE, DEVICE_L2_SCATTERED_PARTIAL,
                                               DEVICE_L2_WRITE_PARTIAL};

    return writes(micro, ids, NEAR_BYTES, within_l2, err);
}

/* What all SMs sustain together; the best that was seen stays. */
static int l2_in_order(const struct micro *micro, struct err *err)
{
    static const enum device_value_id ids[] = {DEVICE_L2_READ, DEVICE_L2_WRITE};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof ids / sizeof *ids; i++) {
        const struct scattered s = {i ? "scattered_write, whole in order" : "scattered_read, whole in order",
                                    i == 1,
                                    true,
                                    false,
                                    false,
                                    NEAR_BYTES,
                                    0};
        struct device_value *value = &micro->device->values[ids[i]], found;

        rc = within_l2(&found, micro, &s, err);
        if (rc == 0 && value->known && value->best > found.best)
            found.best = value->best;
        if (rc == 0)
            *value = found;
    }
    return rc;
}

int micro_scattered(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"dram_scattered", dram_read, false}, {"dram_scattered_write", dram_writes, false},
        {"l2_read", l2_in_order, false},      {"l2_scattered", l2_scattered, false},
        {"l2_merged", l2_merged, false},      {"l2_scattered_write", l2_writes, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

/* Atomics of global memory in L2 and in DRAM.
 *
 * Isolates: additions, additions whose result is used, and comparisons: of single lanes, each in a 32-byte sector of its own at
 * random places or in order, and of lanes in a row; in 16 MB, which stay in L2, and additions of lanes in a row in 4 GB. All are
 * timed from outside, over many times the blocks that fit, as in scattered.c.
 *
 * Unit: bytes per cycle and SM, 32 a sector; in DRAM bytes per second of the whole GPU.
 *
 * Expected: what stores of parts take, or longer: L2 reads and writes a sector, and answers. Doubles by their number. DRAM takes
 * longer than for a copy, since it turns around more often.
 *
 * Profile: l2_add_single, l2_add_double, l2_atomic_single, l2_atomic_row, l2_compare_single, l2_compare_row, dram_add. */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

enum {
    BLOCKS = 2,
    ROUNDS = 24,
    THREADS = 512,
    UNROLL = 4,
    PASSES = 8,
    FLOATS = SECTOR / 4,
    DOUBLES = SECTOR / 8
};
#define FAR_BYTES  (UINT64_C(1) << 32)
#define NEAR_BYTES (UINT64_C(16) << 20)
#define SAMPLE     1e-3
#define AROUND                                                                                               \
    MICRO_LOOP " LOP3 IMAD SHF LEA PRMT R2UR STG EXIT UIMAD USHF ULOP3 S2UR MOV ULEA ULDC USEL UMOV IADD3 "  \
               "R2UR UIADD3"

struct way {
    enum device_value_id id;
    const char *action, *type, *place, *lanes, *parts;
    unsigned shared_by; /* as `lanes` */
};

static const struct way ways[] = {
    {DEVICE_L2_ADD_SINGLE, "-DACTION=add", "-DTYPE=unsigned", "-DPLACE=mixed", "-DLANES=1", "REDG/RED*4", 1},
    {DEVICE_L2_ADD_DOUBLE, "-DACTION=add", "-DTYPE=double", "-DPLACE=ordered", "-DLANES=4", "REDG/RED*4",
     DOUBLES},
    {DEVICE_L2_ATOMIC_SINGLE, "-DACTION=answer", "-DTYPE=unsigned", "-DPLACE=mixed", "-DLANES=1",
     "ATOMG/ATOM*4", 1},
    {DEVICE_L2_ATOMIC_ROW, "-DACTION=answer", "-DTYPE=unsigned", "-DPLACE=ordered", "-DLANES=8",
     "ATOMG/ATOM*4", FLOATS},
    {DEVICE_L2_COMPARE_SINGLE, "-DACTION=compare", "-DTYPE=unsigned", "-DPLACE=ordered", "-DLANES=1",
     "ATOMG/ATOM*4", 1},
    {DEVICE_L2_COMPARE_ROW, "-DACTION=compare", "-DTYPE=unsigned", "-DPLACE=ordered", "-DLANES=8",
     "ATOMG/ATOM*4", FLOATS},
};

static int compile_way(struct micro_code *out, const struct micro *micro, const struct way *way,
                       struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "adds.cu",
        .name = "adds",
        .options = {way->action, way->type, way->place, way->lanes, "-DUNROLL=4"},
        .body = {.parts = way->parts, .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };

    return micro_compile(out, micro, &kernel, err);
}

/* Bytes of the whole GPU and second. */
static int run_way(struct device_value *out, const struct micro *micro, const struct way *way, uint64_t bytes,
                   struct err *err)
{
    const double moved =
        (double)BLOCKS * ROUNDS * micro->sms * THREADS / way->shared_by * UNROLL * PASSES * SECTOR;
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = compile_way(&code, micro, way, err);

    if (rc)
        return rc;
    call_init(&call, BLOCKS * ROUNDS * micro->sms, THREADS, 0);
    call_zeros(&call, bytes == FAR_BYTES ? "far" : "near", ROLE_OUT, bytes / 4);
    call_sink(&call, "sink", micro);
    call_int(&call, PASSES);
    call_unsigned(&call, (unsigned)(bytes / SECTOR - 1));
    rc = call_time(&trial, micro, &code, &call, SAMPLE, err);
    for (size_t i = 0; rc == 0 && i < trial.sample_count; i++)
        trial.samples_s[i] = moved / trial.samples_s[i];
    if (rc == 0)
        rc = reduce_runs(out, trial.samples_s, trial.sample_count, true, "adds", err);
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

static int in_l2(const struct micro *micro, struct err *err)
{
    const struct device_value *clock = &micro->device->values[DEVICE_CLOCK];
    const double hz = clock->known ? clock->sustained : (double)micro->device->limits.sm_clock_hz;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof ways / sizeof *ways; i++) {
        struct device_value *value = &micro->device->values[ways[i].id];

        rc = run_way(value, micro, &ways[i], NEAR_BYTES, err);
        if (rc == 0)
            scale(value, 1 / hz / micro->sms);
    }
    return rc;
}

static int in_dram(const struct micro *micro, struct err *err)
{
    static const struct way row = {
        DEVICE_DRAM_ADD, "-DACTION=add", "-DTYPE=unsigned", "-DPLACE=ordered", "-DLANES=8",
        "REDG/RED*4",    FLOATS};

    return run_way(&micro->device->values[row.id], micro, &row, FAR_BYTES, err);
}

int micro_adds(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"adds", in_l2, false}, {"dram_add", in_dram, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

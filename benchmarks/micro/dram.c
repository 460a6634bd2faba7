/* DRAM under load.
 *
 * Isolates: every byte of long arrays once, read, written or copied, timed from outside like any variant.
 * 2 GB are many times L2.
 *
 * Unit: bytes per second of the whole GPU; a copy counts both ways.
 *
 * Expected: 0.80 to 0.97 of the pin bandwidth (2 x memory clock x bus width / 8) for 16 bytes a thread and
 * enough warps; less with few warps, in proportion to them (Little's law). A copy is slower than reading and
 * writing one after another, the more so the more a thread reads before it writes.
 *
 * Shorter arrays show what a launch leaves in L2 for the next: as long as they fit, reading them again takes
 * no DRAM. Each byte is read by one SM. A chase over as many bytes shows less of L2: its pages miss the TLB.
 *
 * Profile: dram_read, dram_write, dram_copy, dram_copy_evict_first, dram_copy_past_l1, dram_driver_copy,
 * dram_pin, l2_bytes_once; curves dram_*_width, dram_*_warps, dram_copy_burst. */
#include "micro/micro.h"

#include "model/machine/occupancy.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 512, GRID_PER_SM = 16 };
#define BYTES  (UINT64_C(1) << 31)
#define SAMPLE 1e-3
#define AROUND                                                                                               \
    MICRO_LOOP " LOP3 IMAD UIMAD LEA SHF S2UR EXIT SEL PRMT STG LDG BSSY BSYNC I2F CS2R HFMA2 ULOP3 USHF"

struct transfer {
    const char *name; /* kernel */
    const char *vector;
    unsigned width;
    unsigned grid; /* 0: as grid_of() says */
    unsigned threads, shared;
    uint64_t bytes;
    const char *read; /* an element from p; null: a plain load */
    unsigned burst;   /* elements a thread reads before it writes them, where nothing loops; 0: one */
};

static unsigned burst_of(const struct transfer *t)
{
    return t->burst ? t->burst : 1;
}

/* Blocks of a transfer that names none: reads go round in a loop, eight loads at a time; writes and copies,
 * which have nothing to fold, take an element or a burst of them a thread. */
static unsigned grid_of(const struct transfer *t, const struct micro *micro, bool loops)
{
    if (t->grid)
        return t->grid;
    return loops ? GRID_PER_SM * micro->sms : (unsigned)(t->bytes / t->width / t->threads / burst_of(t));
}

static int compile_transfer(struct micro_code *out, const struct micro *micro, const struct transfer *t,
                            bool loops, struct err *err)
{
    const unsigned unroll = loops ? 8 : burst_of(t);
    char vector[32], read[32], unrolled[32], loads[32];
    const struct micro_kernel kernel = {
        .file = "stream.cu",
        .name = t->name,
        .options = {read, vector, unrolled},
        .body = {.parts = !strcmp(t->name, "dram_write") ? "STG" : loads, .bookkeeping = AROUND},
    };

    snprintf(vector, sizeof vector, "-DVECTOR=%s", t->vector);
    snprintf(read, sizeof read, "-DREAD(p)=%s", t->read ? t->read : "*(p)");
    snprintf(unrolled, sizeof unrolled, "-DUNROLL=%u", unroll);
    snprintf(loads, sizeof loads, "LDG*%u", unroll);
    return micro_compile(out, micro, &kernel, err);
}

static bool writes(const struct transfer *t)
{
    return strcmp(t->name, "dram_read") != 0;
}

static bool loops(const struct transfer *t)
{
    return t->grid || !writes(t);
}

static int time_transfer(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                         const struct transfer *t, struct err *err)
{
    const bool reads = strcmp(t->name, "dram_write") != 0;
    const double moved = (double)t->bytes * (reads + writes(t));
    struct trial trial;
    struct call call;
    int rc;

    call_init(&call, grid_of(t, micro, loops(t)), t->threads, t->shared);
    if (reads)
        call_in(&call, "in", BYTES / 4); /* the same for all, so that it is filled once */
    if (writes(t))
        call_zeros(&call, "out", ROLE_OUT, BYTES / 4);
    else
        call_sink(&call, "sink", micro);
    call_long(&call, t->bytes / t->width);
    rc = call_time(&trial, micro, code, &call, SAMPLE, err);
    for (size_t i = 0; rc == 0 && i < trial.sample_count; i++)
        trial.samples_s[i] = moved / trial.samples_s[i];
    if (rc == 0)
        rc = reduce_runs(out, trial.samples_s, trial.sample_count, true, t->name, err);
    trial_release(&trial);
    return rc;
}

static int run_transfer(struct device_value *out, const struct micro *micro, const struct transfer *t,
                        struct err *err)
{
    struct micro_code code;
    int rc = compile_transfer(&code, micro, t, loops(t), err);

    if (rc)
        return rc;
    rc = time_transfer(out, micro, &code, t, err);
    micro_code_release(&code);
    return rc;
}

static int against_width(const struct micro *micro, const char *name, enum device_value_id value,
                         enum device_curve_id curve, struct err *err)
{
    static const struct {
        const char *type;
        unsigned bytes;
    } vectors[] = {{"unsigned char", 1}, {"unsigned short", 2}, {"unsigned", 4}, {"uint2", 8}, {"uint4", 16}};
    enum { POINTS = sizeof vectors / sizeof *vectors };
    double width[POINTS], rate[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const struct transfer t = {.name = name,
                                   .vector = vectors[i].type,
                                   .width = vectors[i].bytes,
                                   .threads = THREADS,
                                   .bytes = vectors[i].bytes < 4 ? BYTES / 4 : BYTES};
        struct device_value found;

        rc = run_transfer(&found, micro, &t, err);
        width[i] = vectors[i].bytes;
        rate[i] = found.sustained;
        if (rc == 0 && (i == 0 || found.sustained > micro->device->values[value].sustained))
            micro->device->values[value] = found;
    }
    return rc ? rc : device_curve_set(&micro->device->curves[curve], width, rate, POINTS, name, err);
}

static int read_width(const struct micro *micro, struct err *err)
{
    return against_width(micro, "dram_read", DEVICE_DRAM_READ, DEVICE_CURVE_DRAM_READ_WIDTH, err);
}

static int write_width(const struct micro *micro, struct err *err)
{
    return against_width(micro, "dram_write", DEVICE_DRAM_WRITE, DEVICE_CURVE_DRAM_WRITE_WIDTH, err);
}

static int copy_width(const struct micro *micro, struct err *err)
{
    return against_width(micro, "dram_copy", DEVICE_DRAM_COPY, DEVICE_CURVE_DRAM_COPY_WIDTH, err);
}

/* The grid fills the SMs exactly, so the warps named are there all the time. */
static int against_warps(const struct micro *micro, const char *name, enum device_curve_id curve,
                         struct err *err)
{
    static const unsigned blocks[] = {1, 2, 4, 6, 8, 16};
    enum { POINTS = sizeof blocks / sizeof *blocks, BLOCK = 128 };
    double warps[POINTS], rate[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const struct transfer t = {.name = name,
                                   .vector = "uint4",
                                   .width = 16,
                                   .grid = blocks[i] * micro->sms,
                                   .threads = BLOCK,
                                   .shared = occupancy_shared_for(&micro->device->limits, blocks[i]),
                                   .bytes = BYTES / 2};
        struct device_value found;

        rc = run_transfer(&found, micro, &t, err);
        warps[i] = blocks[i] * BLOCK / LANES;
        rate[i] = found.sustained;
    }
    return rc ? rc : device_curve_set(&micro->device->curves[curve], warps, rate, POINTS, name, err);
}

static int read_warps(const struct micro *micro, struct err *err)
{
    return against_warps(micro, "dram_read", DEVICE_CURVE_DRAM_READ_WARPS, err);
}

static int copy_warps(const struct micro *micro, struct err *err)
{
    return against_warps(micro, "dram_copy", DEVICE_CURVE_DRAM_COPY_WARPS, err);
}

/* By many small blocks, of which one that waits to be replaced leaves enough others. */
static struct transfer burst_copy(unsigned burst, const char *read)
{
    return (struct transfer){.name = "dram_copy_burst",
                             .vector = "uint4",
                             .width = 16,
                             .threads = THREADS / 4,
                             .bytes = BYTES,
                             .read = read,
                             .burst = burst};
}

static int copy_evict_first(const struct micro *micro, struct err *err)
{
    const struct transfer t = burst_copy(DEVICE_POLICY_BURST / 16, "__ldcs(p)");

    return run_transfer(&micro->device->values[DEVICE_DRAM_COPY_EVICT_FIRST], micro, &t, err);
}

static int copy_past_l1(const struct micro *micro, struct err *err)
{
    const struct transfer t = burst_copy(DEVICE_POLICY_BURST / 16, "__ldcg(p)");

    return run_transfer(&micro->device->values[DEVICE_DRAM_COPY_PAST_L1], micro, &t, err);
}

static int copy_burst(const struct micro *micro, struct err *err)
{
    static const unsigned bursts[] = {1, 2, 4, 8, 16};
    enum { POINTS = sizeof bursts / sizeof *bursts };
    double bytes[POINTS], rate[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const struct transfer t = burst_copy(bursts[i], NULL);
        struct device_value found;

        rc = run_transfer(&found, micro, &t, err);
        bytes[i] = t.width * bursts[i];
        rate[i] = found.sustained;
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_DRAM_COPY_BURST], bytes, rate, POINTS,
                                 "dram_copy_burst", err);
}

/* The longest array that is read as fast as those before it, launch after launch. Short ones are slower for the
 * launch itself, so that the rate grows until L2 is full. */
static int l2_once(const struct micro *micro, struct err *err)
{
    enum { STEPS = 32, FIRST = 8, POINTS = 36, BLOCKS = 2 };
    const uint64_t step = micro->device->limits.l2_bytes / STEPS;
    struct transfer t = {.name = "dram_read",
                         .vector = "uint4",
                         .width = 16,
                         .grid = BLOCKS * micro->sms,
                         .threads = 1024,
                         .read = "__ldcg(p)"};
    double rate[POINTS], bytes;
    size_t best = 0, last;
    struct micro_code code;
    int rc = compile_transfer(&code, micro, &t, true, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct device_value found;

        t.bytes = step * (FIRST + i);
        rc = time_transfer(&found, micro, &code, &t, err);
        rate[i] = found.sustained;
        if (rc == 0 && rate[i] > rate[best])
            best = i;
    }
    micro_code_release(&code);
    if (rc)
        return rc;
    for (last = best; last + 1 < POINTS && rate[last + 1] > 0.95 * rate[best];)
        last++;
    bytes = (double)(step * (FIRST + last));
    return reduce_runs(&micro->device->values[DEVICE_L2_BYTES_ONCE], &bytes, 1, true, "dram_read again", err);
}

static int pin(const struct micro *micro, struct err *err)
{
    const struct device_limits *limits = &micro->device->limits;
    const double rate = 2.0 * (double)limits->memory_clock_hz * (double)limits->memory_bus_bits / 8;

    if (rate <= 0)
        return err_set(err, ERR_MISSING, "the driver does not tell memory clock and bus width");
    return reduce_runs(&micro->device->values[DEVICE_DRAM_PIN], &rate, 1, true, "driver", err);
}

/* What the driver itself achieves; a kernel of ours that is slower would not show what the memory can do. */
static int driver_copy(const struct micro *micro, struct err *err)
{
    const struct device_value *ours = &micro->device->values[DEVICE_DRAM_COPY];
    struct device_value *value = &micro->device->values[DEVICE_DRAM_DRIVER_COPY];
    double rates[REDUCE_RUNS_MIN];
    int rc = worker_copy(rates, REDUCE_RUNS_MIN, micro->worker, BYTES, err);

    for (int i = 0; rc == 0 && i < REDUCE_RUNS_MIN; i++)
        rates[i] = 2.0 * (double)BYTES / rates[i];
    if (rc == 0)
        rc = reduce_runs(value, rates, REDUCE_RUNS_MIN, true, "cuMemcpyDtoD", err);
    if (rc == 0 && ours->known && value->sustained > ours->sustained)
        rc = device_note(micro->device, err,
                         "dram_copy: the driver's own copy is faster, %.4g against %.4g B/s",
                         value->sustained, ours->sustained);
    return rc;
}

int micro_dram(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"dram_pin", pin, true},
                                        {"dram_read", read_width, false},
                                        {"dram_write", write_width, false},
                                        {"dram_copy", copy_width, false},
                                        {"dram_copy_evict_first", copy_evict_first, false},
                                        {"dram_copy_past_l1", copy_past_l1, false},
                                        {"dram_copy_burst", copy_burst, false},
                                        {"l2_bytes_once", l2_once, false},
                                        {"dram_driver_copy", driver_copy, true},
                                        {"dram_read_warps", read_warps, false},
                                        {"dram_copy_warps", copy_warps, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

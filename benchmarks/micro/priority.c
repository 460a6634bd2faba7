/* Data marked to be evicted first.
 *
 * Isolates: blocks that read one half of every 64 bytes of a chunk, which is what DRAM brings at once, and
 * then the other, while they write as much; larger and larger chunks. Once with plain loads, once with loads
 * marked to be evicted first, for which whatever is written takes the place of what waits for its second
 * half.
 *
 * Unit: bytes that all blocks together have under way, where half of it is fetched a second time.
 *
 * Expected: a small part of L2, since lines of normal priority win every set; nearly all of L2 for plain
 * loads.
 *
 * Profile: l2_evict_first. */
#include "micro/micro.h"

#include <math.h>

enum { THREADS = 512, RESIDENT = 4, LEAST = 8192, CHUNKS = 6 };
#define BYTES  (UINT64_C(1) << 31)
#define READ   (UINT64_C(1) << 29)
#define SAMPLE 1e-3
#define AROUND MICRO_LOOP " LOP3 IMAD SHF LEA PRMT R2UR STG EXIT UIMAD USHF ULOP3 S2UR ULEA BSSY BSYNC"

/* Seconds, the median over launches. */
static int run_halves(double *out, const struct micro *micro, const char *load, unsigned chunk,
                      struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "priority.cu",
        .name = "halves",
        .options = {load},
        .body = {.parts = "LDG*2", .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };
    struct micro_code code;
    struct device_value value;
    struct trial trial;
    struct call call;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    call_init(&call, (unsigned)(READ / chunk), THREADS, 0);
    call_in(&call, "in", BYTES / 4);
    call_zeros(&call, "out", ROLE_OUT, BYTES / 4);
    call_unsigned(&call, chunk / 4);
    call_unsigned(&call, (unsigned)(BYTES / 4 - 1));
    rc = call_time(&trial, micro, &code, &call, SAMPLE, err);
    if (rc == 0)
        rc = reduce_runs(&value, trial.samples_s, trial.sample_count, false, "halves", err);
    *out = value.sustained;
    trial_release(&trial);
    micro_code_release(&code);
    return rc;
}

/* Where the share that is lost passes a half, between `x` and half of it, on a logarithmic scale. */
static double half_lost(double x, double lost, double lost_before)
{
    return x / exp2((lost - 0.5) / (lost - lost_before));
}

/* Lost is what the marked loads take longer than plain ones of the same chunk, 1 being what they do where
 * nothing is left of the largest. */
static int evict_first(const struct micro *micro, struct err *err)
{
    double x[CHUNKS], plain[CHUNKS], marked[CHUNKS], before = 0;
    int rc = 0;

    for (int i = 0; rc == 0 && i < CHUNKS; i++) {
        const unsigned chunk = (unsigned)LEAST << i;

        x[i] = (double)chunk * RESIDENT * micro->sms;
        rc = run_halves(&plain[i], micro, "-DREAD(p)=*(p)", chunk, err);
        if (rc == 0)
            rc = run_halves(&marked[i], micro, "-DREAD(p)=__ldcs(p)", chunk, err);
    }
    for (int i = 0; rc == 0 && i < CHUNKS; i++) {
        const double lost = (marked[i] - plain[i]) / (marked[CHUNKS - 1] - plain[i]);

        if (lost >= 0.5 && plain[i] < 0.9 * marked[i]) {
            const double bytes = half_lost(x[i], lost, before);

            micro->device->values[DEVICE_L2_EVICT_FIRST] =
                (struct device_value){.known = true, .sustained = bytes, .best = bytes, .origin = "halves"};
            return 0;
        }
        before = lost;
    }
    return rc ? rc : err_set(err, ERR_FORMAT, "loads marked to be evicted first take no longer than others");
}

int micro_priority(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"l2_evict_first", evict_first, false}};

    return micro_parts(micro, parts, 1, err);
}

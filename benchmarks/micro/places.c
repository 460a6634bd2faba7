/* How much longer a load from DRAM takes the more places it reads at.
 *
 * Isolates: the time from issue to arrival of single loads of 16 bytes a lane, one warp an SM, one load at a
 * time, whose lanes read at 1 to 32 places; what those take longer from L2 is subtracted, since requests,
 * lookups and data of more lines are counted apart.
 *
 * Unit: cycles. A place is 512 bytes, what comes from DRAM together.
 *
 * Expected: the longest of so many times that differ by chance (dram_spread): 45 cycles more for two places,
 * 160 for eight, 350 for 32.
 *
 * Profile: curve dram_places. */
#include "micro/micro.h"

#include "base/stats.h"
#include "model/sass/arch/geometry.h"

#include <stdlib.h>

enum {
    ROUNDS = 256,
    COLD = 64, /* rounds, until L2 has what it keeps */
    POINTS = 6 /* places: 1, 2, 4, ... */
};
#define IN_DRAM (UINT64_C(1) << 32)
#define IN_L2   (UINT64_C(1) << 18)
#define AROUND  MICRO_LOOP " LOP3 IMAD LEA STG SHF"

static int measure(double *out, const struct micro *micro, const struct micro_code *code, unsigned places,
                   uint64_t span, struct err *err)
{
    const size_t warps = micro->sms;
    void *times = NULL;
    double *kept = malloc(warps * (ROUNDS - COLD) * sizeof *kept);
    struct call call;
    int rc;

    if (!kept)
        return err_memory(err);
    call_init(&call, micro->sms, 32, 0);
    call_zeros(&call, "zeros", ROLE_OUT, IN_DRAM / 4);
    call_zeros(&call, "times", ROLE_OUT, 2 * warps * ROUNDS);
    call_int(&call, ROUNDS);
    call_unsigned(&call, 32 / places);
    call_unsigned(&call, (unsigned)(span / DRAM_GRANULE - 1));
    rc = call_run(&times, micro, code, &call, "times", err);
    for (size_t k = 0; rc == 0 && k < warps * (ROUNDS - COLD); k++)
        kept[k] = (double)((long long *)times)[k / (ROUNDS - COLD) * ROUNDS + COLD + k % (ROUNDS - COLD)];
    if (rc == 0)
        *out = stats_mean(kept, warps * (ROUNDS - COLD));
    free(kept);
    free(times);
    return rc;
}

static int curve(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "places.cu",
        .name = "places",
        .body = {.parts = "LDG", .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };
    double x[POINTS], y[POINTS], near[POINTS];
    struct micro_code code;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    for (unsigned k = 0; rc == 0 && k < POINTS; k++) {
        x[k] = 1u << k;
        rc = measure(&y[k], micro, &code, 1u << k, IN_DRAM, err);
        if (rc == 0)
            rc = measure(&near[k], micro, &code, 1u << k, IN_L2, err);
        if (rc == 0)
            y[k] -= near[k] - near[0];
    }
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[DEVICE_CURVE_DRAM_PLACES], x, y, POINTS, "places", err);
    micro_code_release(&code);
    return rc;
}

int micro_places(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"dram_places", curve, false}};

    return micro_parts(micro, parts, 1, err);
}

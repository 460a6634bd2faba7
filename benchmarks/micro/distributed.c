/* Shared memory of other blocks of a cluster.
 *
 * Isolates: loads and additions of all warps of an SM to the other block of a cluster of two, lanes in a row or each in a
 * line of its own; dependent ones of a single warp. SMs send and answer alike. Clusters of four and eight were tried, and
 * take as long.
 *
 * Unit: cycles per request and SM.
 *
 * Expected: about 16 bytes per cycle and SM, and 200 cycles of latency: between L1 and L2. What lies in a line of one
 * block goes together; additions go sector by sector.
 *
 * Profile: remote_sector, remote_further, remote_part, remote_latency. */
#include "micro/micro.h"

#include "model/sass/arch/arch.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { PASSES = 32, LENGTH = 8, THREADS = 1024, STEPS = 64, LINE_SECTORS = LINE / SECTOR };

static int compile_distributed(struct micro_code *out, const struct micro *micro, const char *name,
                               const char *parts, bool dependent, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "distributed.cu",
        .name = name,
        .options = {"-DLENGTH=8"},
        .body = {.parts = parts,
                 .dependent = dependent,
                 .bookkeeping = MICRO_LOOP " IMAD UCGABAR_ARV UCGABAR_WAIT",
                 .bytes_max = BODY_CACHE},
    };

    return micro_compile(out, micro, &kernel, err);
}

/* Cycles of an SM for a request whose lanes are `spread` words apart. */
static int run_busy(double *cycles, const struct micro *micro, const struct micro_code *code, unsigned spread,
                    struct err *err)
{
    struct device_value rate;
    struct call call;
    int rc;

    call_init(&call, micro->sms / 2 * 2, THREADS, 0);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    call_unsigned(&call, spread);
    rc = micro_rate(&rate, micro, code, &call, PASSES * LENGTH, 1, "distributed", err);
    *cycles = rc ? 0 : 1 / rate.sustained;
    return rc;
}

static void set(struct device_value *out, double cycles)
{
    *out = (struct device_value){.known = true, .sustained = cycles, .best = cycles, .origin = "distributed"};
}

/* Of loads the first sector of a line and what each further one adds. */
static int loads(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    struct micro_code code;
    double together, apart;
    int rc = compile_distributed(&code, micro, "remote_load", "- | LD*8", false, err);

    if (rc)
        return rc;
    rc = run_busy(&together, micro, &code, 1, err);
    if (rc == 0)
        rc = run_busy(&apart, micro, &code, LANES, err);
    if (rc == 0) {
        set(&values[DEVICE_REMOTE_SECTOR], apart / LANES);
        set(&values[DEVICE_REMOTE_FURTHER], (together - apart / LANES) / (LINE_SECTORS - 1));
    }
    micro_code_release(&code);
    return rc;
}

/* What additions take for each further sector of a line. */
static int additions(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    struct micro_code code;
    double together;
    int rc = compile_distributed(&code, micro, "remote_add", "- | ATOM/RED*8", false, err);

    if (rc)
        return rc;
    rc = run_busy(&together, micro, &code, 1, err);
    micro_code_release(&code);
    if (rc)
        return rc;
    if (!values[DEVICE_REMOTE_SECTOR].known)
        return err_set(err, ERR_FORMAT, "without remote_sector there is nothing to subtract");
    set(&values[DEVICE_REMOTE_PART],
        (together - values[DEVICE_REMOTE_SECTOR].sustained) / (LINE_SECTORS - 1));
    return 0;
}

static int latency(const struct micro *micro, struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_distributed(&code, micro, "remote_chase", "LD*64", true, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms / 2 * 2, LANES, 0);
    call_samples(&call, micro);
    rc = micro_latency(&micro->device->values[DEVICE_REMOTE_LATENCY], micro, &code, &call, STEPS,
                       "distributed", err);
    micro_code_release(&code);
    return rc;
}

int micro_distributed(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"remote_load", loads, false}, {"remote_add", additions, false}, {"remote_latency", latency, false}};
    const struct arch *arch = arch_of(micro->device->sm);

    return arch && arch->bulk_copies ? micro_parts(micro, parts, sizeof parts / sizeof *parts, err) : 0;
}

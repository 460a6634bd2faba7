/* What a load from constant memory costs whose lanes read different places of a table (LDC with a register).
 *
 * Isolates: LDC of 4 bytes whose lanes name 1 to 32 different words of a table that the first cache holds, 17 words
 * apart, so that they lie in many lines. Once independent loads by a block of as many warps as can be, once a single
 * warp's chain of loads, each of which says where the next one is.
 *
 * Unit: cycles of an SM; cycles of latency.
 *
 * Expected: straight lines. The cache answers one address of a request after the other, whatever lines they lie in.
 *
 * Profile: constant_address, constant_address_latency. */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdio.h>

enum { PASSES = 32, LENGTH = 16, STEPS = 64, THREADS = 1024, TABLE = 256, STRIDE = 17 };

/* Cycles of the SM for a request of so many addresses: of the median SM, and of the fastest. */
struct cycles {
    double sustained, best;
};

static int run_places(struct cycles *out, const struct micro *micro, const struct micro_code *code,
                      unsigned places, struct err *err)
{
    struct device_value rate;
    struct call call;
    int rc;

    call_init(&call, micro->sms, THREADS, 0);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    call_unsigned(&call, places);
    call_unsigned(&call, STRIDE);
    call_unsigned(&call, 0);
    call_symbol(&call, "table", TABLE, "i");
    rc = micro_rate(&rate, micro, code, &call, PASSES * LENGTH, 1, "constants", err);
    *out = rc ? (struct cycles){0} : (struct cycles){1 / rate.sustained, 1 / rate.best};
    return rc;
}

static double slope(double from, double to, double steps)
{
    return to > from ? (to - from) / steps : 0;
}

static void set_value(const struct micro *micro, enum device_value_id id, double sustained, double best)
{
    struct device_value *value = &micro->device->values[id];

    *value = (struct device_value){.known = true, .sustained = sustained, .best = best};
    snprintf(value->origin, sizeof value->origin, "constants");
}

/* From two addresses on: one takes hardly longer than what stands around the loads. Nothing is faster than the fastest request
 * by its addresses, which bounds rest on. */
static int address(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "constants.cu",
        .name = "constant_places",
        .body = {.parts = "- | LDC*16",
                 .bookkeeping = MICRO_LOOP " LOP3 IMAD LEA SHF SHL",
                 .bytes_max = BODY_CACHE},
    };
    struct micro_code code;
    struct cycles two, all;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    rc = run_places(&two, micro, &code, 2, err);
    if (rc == 0)
        rc = run_places(&all, micro, &code, LANES, err);
    if (rc == 0) {
        const double each = slope(two.sustained, all.sustained, LANES - 2);

        set_value(micro, DEVICE_CONSTANT_ADDRESS, each, fmin(each, all.best / LANES));
    }
    micro_code_release(&code);
    return rc;
}

static int run_chase(double *cycles, const struct micro *micro, const struct micro_code *code,
                     unsigned places, struct err *err)
{
    struct device_value value;
    struct call call;
    int rc;

    call_init(&call, micro->sms, LANES, 0);
    call_samples(&call, micro);
    call_unsigned(&call, places);
    call_unsigned(&call, STRIDE);
    call_symbol(&call, "table", TABLE, "i * 4");
    rc = micro_latency(&value, micro, code, &call, STEPS, "constants", err);
    *cycles = rc ? 0 : value.sustained;
    return rc;
}

static int latency(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "constants.cu",
        .name = "constant_places_chase",
        .body = {.parts = "LDC*64", .dependent = true, .bytes_max = BODY_CACHE},
    };
    struct micro_code code;
    double one, all;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    rc = run_chase(&one, micro, &code, 1, err);
    if (rc == 0)
        rc = run_chase(&all, micro, &code, LANES, err);
    if (rc == 0) {
        const double each = slope(one, all, LANES - 1);

        set_value(micro, DEVICE_CONSTANT_ADDRESS_LATENCY, each, each);
    }
    micro_code_release(&code);
    return rc;
}

int micro_constants(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"constant_address", address, false},
                                        {"constant_address_latency", latency, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

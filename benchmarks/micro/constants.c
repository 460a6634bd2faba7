/* What a load from constant memory costs whose lanes read different places of a table (LDC with a register).
 *
 * Isolates: LDC of 4 bytes whose lanes name 1 to 32 different words of a table that the first cache holds, 17 words
 * apart, so that they lie in many lines. Once independent loads by a block of as many warps as can be, once a single
 * warp's chain of loads, each of which says where the next one is. Then loads at random places of tables that the first
 * cache does not hold.
 *
 * Unit: cycles of an SM; cycles of latency.
 *
 * Expected: straight lines. The cache answers one address of a request after the other, whatever lines they lie in.
 *
 * At random an LRU or random cache of K bytes holds K / W of W. Of 32 lanes at random in N lines N (1 - (1 - 1/N)^32) are
 * different. Two tables say how much that is and what each other line takes.
 *
 * Profile: constant_address, constant_address_latency, constant_kept, constant_miss. */
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

/* How many of `n` places those of all lanes are, at random. */
static double different(double n)
{
    return n * (1 - pow(1 - 1 / n, LANES));
}

/* Cycles for each line that lanes name at random in a table of so many words, beside those for their addresses. */
static int beside_addresses(double *out, const struct micro *micro, unsigned words, double address,
                            struct err *err)
{
    char option[32];
    const struct micro_kernel kernel = {
        .file = "constants.cu",
        .name = "constant_random",
        .options = {option},
        .body = {.parts = "- | LDC*8",
                 .bookkeeping = MICRO_LOOP " LOP3 IMAD LEA SHF SHL",
                 .bytes_max = BODY_CACHE},
    };
    struct device_value rate;
    struct micro_code code;
    struct call call;
    int rc;

    snprintf(option, sizeof option, "-DTABLE=%u", words);
    rc = micro_compile(&code, micro, &kernel, err);
    if (rc)
        return rc;
    call_init(&call, micro->sms, THREADS, 0);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    call_unsigned(&call, 0);
    call_symbol(&call, "table", words, "i");
    rc = micro_rate(&rate, micro, &code, &call, PASSES * LENGTH / 2, 1, "constants", err);
    micro_code_release(&code);
    *out =
        rc ? 0 : (1 / rate.sustained - address * different(words)) / different(words * 4.0 / CONSTANT_LINE);
    return rc;
}

static int misses(const struct micro *micro, struct err *err)
{
    enum { SOME = 4096, MANY = 16384 }; /* words */
    const struct device_value *address = &micro->device->values[DEVICE_CONSTANT_ADDRESS];
    double some, many, of_kept;
    int rc;

    if (!address->known)
        return err_set(err, ERR_FORMAT, "without constant_address there is nothing to subtract");
    rc = beside_addresses(&some, micro, SOME, address->sustained, err);
    if (rc == 0)
        rc = beside_addresses(&many, micro, MANY, address->sustained, err);
    if (rc)
        return rc;
    of_kept = fmax(many - some, 0) / (1.0 / (4 * SOME) - 1.0 / (4 * MANY));
    many += of_kept / (4 * MANY);
    if (!(many > 0 && of_kept > 0))
        return err_set(err, ERR_FORMAT, "tables of %d and %d words take as long: all is kept, or nothing",
                       SOME, MANY);
    set_value(micro, DEVICE_CONSTANT_MISS, many, many);
    set_value(micro, DEVICE_CONSTANT_KEPT, of_kept / many, of_kept / many);
    return 0;
}

int micro_constants(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"constant_address", address, false},
                                        {"constant_address_latency", latency, false},
                                        {"constant_miss", misses, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

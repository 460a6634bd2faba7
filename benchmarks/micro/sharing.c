/* Who shares the constant caches, and what they deliver.
 *
 * Isolates: a chase through a ring that fits a level, alone and while another warp goes round a ring as
 * large, or through long code, on the same SM, its neighbour, or a distant one: a level is shared where the
 * two do not fit together. And loads a line apart from 1 to 16 SMs at a time, each from 4 KB of its own.
 *
 * Unit: cycles; bytes per cycle of the whole GPU, 64 counted a line.
 *
 * Expected: the first level belongs to one SM, the second holds instructions as well (GT200: 1.2 bytes a
 * cycle from one SM, 9.75 from all).
 *
 * Profile: a note; curve constant_blocks. */
#include "micro/micro.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    STEPS = 64,
    STRIDE = 64,
    HALF = 32768,
    WORDS = 16384,
    LENGTH = 8,
    PASSES = 256,
    OWN_BYTES = 4096,
    NOBODY = 1 << 20
};

static int compile_share(struct micro_code *out, const struct micro *micro, unsigned instructions,
                         struct err *err)
{
    char option[32];
    const struct micro_kernel kernel = {
        .file = "sharing.cu",
        .name = "share",
        .options = {option, "-DLENGTH=8"},
        .body = {.parts = "LDC*64", .dependent = true, .bytes_max = BODY_CACHE},
    };

    snprintf(option, sizeof option, "-DPARTNER_CODE=%u", instructions);
    return micro_compile(out, micro, &kernel, err);
}

/* Cycles per step of SM 0 in a ring of `bytes`. */
static int run_share(double *cycles, const struct micro *micro, const struct micro_code *code, unsigned bytes,
                     unsigned partner, struct err *err)
{
    char ring[128];
    void *samples = NULL;
    struct call call;
    int rc;

    snprintf(ring, sizeof ring, "(i * 4 + %d) %% %u if i < %d else %d + (i * 4 - %d + %d) %% %u", STRIDE,
             bytes, HALF / 4, HALF, HALF, STRIDE, bytes);
    call_init(&call, micro->sms, 64, (unsigned)micro->device->limits.shared_per_block_optin);
    call_zeros(&call, "control", ROLE_INOUT, 4);
    call_samples(&call, micro);
    call_unsigned(&call, 0);
    call_unsigned(&call, partner);
    call_unsigned(&call, micro->sms);
    call_unsigned(&call, 2 * bytes / STRIDE);
    call_symbol(&call, "ring", WORDS, ring);
    rc = call_run(&samples, micro, code, &call, "samples", err);
    if (rc == 0)
        reduce_samples(cycles, samples, 1, STEPS);
    free(samples);
    return rc;
}

static int rings(const struct micro *micro, struct err *err)
{
    enum { FIRST_LEVEL = 1536, CASES = 4 };
    const unsigned partners[CASES] = {NOBODY, 0, 1, micro->sms / 2};
    double cycles[CASES];
    struct micro_code code;
    int rc = compile_share(&code, micro, 0, err);

    if (rc)
        return rc;
    for (int i = 0; rc == 0 && i < CASES; i++)
        rc = run_share(&cycles[i], micro, &code, FIRST_LEVEL, partners[i], err);
    micro_code_release(&code);
    return rc ? rc
              : device_note(micro->device, err,
                            "sharing: a ring of %d bytes of constant memory takes %.1f cycles a step alone, "
                            "%.1f beside "
                            "another on the same SM, %.1f on its neighbour, %.1f on a distant one: the first "
                            "level is %s",
                            FIRST_LEVEL, cycles[0], cycles[1], cycles[2], cycles[3],
                            cycles[2] > 1.2 * cycles[0]   ? "shared between SMs"
                            : cycles[1] > 1.2 * cycles[0] ? "one SM's"
                                                          : "not shared within an SM");
}

static int beside_code(const struct micro *micro, struct err *err)
{
    enum { INSTRUCTIONS = 7168, BYTES = 28672 };
    double alone, beside;
    struct micro_code code;
    int rc = compile_share(&code, micro, INSTRUCTIONS, err);

    if (rc)
        return rc;
    rc = run_share(&alone, micro, &code, BYTES, NOBODY, err);
    if (rc == 0)
        rc = run_share(&beside, micro, &code, BYTES, 0, err);
    micro_code_release(&code);
    return rc ? rc
              : device_note(micro->device, err,
                            "sharing: %d bytes of constant memory take %.1f cycles a step alone and %.1f "
                            "beside %d bytes of "
                            "code on the same SM: the second level %s instructions",
                            BYTES, alone, beside, INSTRUCTIONS * 16,
                            beside > 1.2 * alone ? "holds both constants and"
                                                 : "was not seen to give way to");
}

static int bandwidth(const struct micro *micro, struct err *err)
{
    static const unsigned blocks[] = {1, 2, 4, 8, 16};
    enum { POINTS = sizeof blocks / sizeof *blocks, THREADS = 256 };
    const struct micro_kernel kernel = {
        .file = "sharing.cu",
        .name = "constant_stream",
        .options = {"-DPARTNER_CODE=0", "-DLENGTH=8"},
        .body = {.parts = "- | LDC*9", /* the first reads `passes` */
                 .bookkeeping = "IADD3 VIADD UIADD3 ISETP UISETP BRA ULDC UMOV MOV LOP3 BAR IMAD LEA",
                 .bytes_max = BODY_CACHE},
    };
    double x[POINTS], y[POINTS];
    size_t count = 0;
    struct micro_code code;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS && blocks[i] <= micro->sms; i++) {
        struct device_value rate;
        struct call call;

        call_init(&call, blocks[i], THREADS, 0);
        call_sink(&call, "sink", micro);
        call_spans(&call, micro);
        call_int(&call, PASSES);
        call_unsigned(&call, OWN_BYTES - 1);
        call_symbol(&call, "ring", WORDS, "i");
        rc = micro_rate(&rate, micro, &code, &call, (double)PASSES * LENGTH * STRIDE, 1, "sharing", err);
        x[i] = blocks[i];
        y[i] = rate.sustained * blocks[i];
        count++;
    }
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[DEVICE_CURVE_CONSTANT_BLOCKS], x, y, count, "sharing",
                              err);
    micro_code_release(&code);
    return rc;
}

int micro_sharing(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"sharing", rings, true}, {"sharing", beside_code, true}, {"constant_blocks", bandwidth, true}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

/* What a table in constant memory costs that all lanes read at the same, computed place (ULDC with a
 * register).
 *
 * Isolates: one such instruction, in a loop that goes round a table a line a step. Once by a warp of every
 * sub-partition, over more and more lines; once by as many blocks as an SM holds, each from a place of its
 * own, so that every load misses.
 *
 * Unit: lines of 64 bytes; cycles between two misses of an SM.
 *
 * Expected: a step where the lines do not fit. The cache of a sub-partition holds 2 KB, but where an
 * instruction finds its data in it follows from the immediate part of the address alone: of one instruction
 * it holds as many lines as it has ways.
 *
 * Profile: curve constant_walk, constant_place_lines, constant_place_miss. */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { STEPS = 2048, THREADS = 128, BLOCKS = 8, TABLE_LINES = 128 };
#define SPREAD 0x9e3779b1u
#define AROUND "LDC IADD3 VIADD UIADD3 ISETP UISETP BRA USEL UMOV MOV IMAD BAR FADD PLOP3 UPLOP3 CS2R"

static int compile(struct micro_code *out, const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "tables.cu",
        .name = "walk_table",
        .body = {.parts = "- | ULDC/LDCU*2", /* one reads `bytes` */
                 .bookkeeping = AROUND,
                 .bytes_max = BODY_CACHE},
    };

    return micro_compile(out, micro, &kernel, err);
}

/* Lines per cycle and SM of `blocks` blocks on each, which go round `lines` lines. */
static int run(struct device_value *out, const struct micro *micro, const struct micro_code *code,
               unsigned blocks, unsigned lines, unsigned spread, struct err *err)
{
    struct call call;

    call_init(&call, blocks * micro->sms, THREADS, 0);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, STEPS);
    call_unsigned(&call, lines * CONSTANT_LINE);
    call_unsigned(&call, spread);
    call_symbol(&call, "table", TABLE_LINES * CONSTANT_LINE / 4, "i");
    return micro_rate(out, micro, code, &call, STEPS, blocks, "walk_table", err);
}

/* The most lines at which a step takes less than halfway from that of one line to that of many. */
static int fit(struct device_value *out, const struct device_curve *curve, struct err *err)
{
    const double first = curve->y[0], last = curve->y[curve->count - 1];
    size_t i = 0;

    if (last < 1.5 * first)
        return err_set(err, ERR_FORMAT, "a step takes %.1f cycles in one line and %.1f in %.0f: all fit",
                       first, last, curve->x[curve->count - 1]);
    while (2 * curve->y[i + 1] < first + last)
        i++;
    *out = (struct device_value){.known = true,
                                 .sustained = curve->x[i],
                                 .best = curve->x[i],
                                 .spread = curve->x[i + 1] - curve->x[i],
                                 .origin = "walk_table"};
    return 0;
}

static int lines(const struct micro *micro, struct err *err)
{
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48};
    enum { POINTS = sizeof x / sizeof *x };
    struct device_curve *curve = &micro->device->curves[DEVICE_CURVE_CONSTANT_WALK];
    struct micro_code code;
    double y[POINTS];
    int rc = compile(&code, micro, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct device_value rate;

        rc = run(&rate, micro, &code, 1, (unsigned)x[i], 0, err);
        y[i] = THREADS / 32 / rate.sustained;
    }
    micro_code_release(&code);
    if (rc == 0)
        rc = device_curve_set(curve, x, y, POINTS, "walk_table", err);
    return rc ? rc : fit(&micro->device->values[DEVICE_CONSTANT_PLACE_LINES], curve, err);
}

static int miss(const struct micro *micro, struct err *err)
{
    struct device_value rate;
    struct micro_code code;
    int rc = compile(&code, micro, err);

    if (rc)
        return rc;
    rc = run(&rate, micro, &code, BLOCKS, TABLE_LINES, SPREAD, err);
    if (rc == 0)
        micro->device->values[DEVICE_CONSTANT_PLACE_MISS] =
            (struct device_value){.known = true,
                                  .sustained = 1 / rate.sustained,
                                  .best = 1 / rate.best,
                                  .spread = rate.spread / (rate.sustained * rate.sustained),
                                  .origin = "walk_table"};
    micro_code_release(&code);
    return rc;
}

int micro_tables(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"constant_place_lines", lines, false},
                                        {"constant_place_miss", miss, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}

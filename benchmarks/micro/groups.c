/* Tensor instructions of warp groups (wgmma), where the architecture has them.
 *
 * Isolates: products of 64 rows and 8 to 256 columns by two warp groups an SM, whose factors stay where they
 * are: the second in shared memory, the first there too or in registers. A pass has 16 of them, and one group
 * waits while the other's are under way. One group alone that waits for each product. One that issues up to 16 in a row and
 * waits for none until it has: how long that takes.
 *
 * Unit: multiply-adds per cycle and SM; cycles.
 *
 * Expected: with many columns what the data sheet says at its clock: 2048 of FP16, 1024 of TF32, 4096 of FP8
 * and 8-bit integers. With few the first factor comes too slowly from shared memory, which gives 128 bytes a
 * cycle.
 *
 * A warp issues products ahead of the tensor pipe at once, as many as the queue holds, from then on one as each of them is
 * through the pipe.
 *
 * Profile: tensor_f16, tensor_tf32, tensor_f8, tensor_s8, group_queue, group_queue_latency; curves group_*. */
#include "micro/micro.h"
#include "model/sass/arch/arch.h"

#include <math.h>
#include <stdio.h>

enum { THREADS = 256, LENGTH = 16, ROWS_PER_WARP = 16, IN_FLOATS = 4096 };
#define AROUND MICRO_LOOP " WARPGROUP R2UR UIADD3 UPLOP3"

static const struct factors {
    const char *types; /* of result and factors, as wgmma names them */
    const char *step;  /* of the machine code */
    unsigned depth;    /* products of an element */
    bool integer;
    const char *tail; /* what follows the factors where both come from shared memory */
    const char *tail_registers;
    enum device_value_id value;
    enum device_curve_id shared, registers;
} table[] = {
    {"f32.bf16.bf16", "HGMMA", 16, false, "1, 1, 1, 0, 0", "1, 1, 1, 0", DEVICE_TENSOR_F16,
     DEVICE_CURVE_GROUP_F16, DEVICE_CURVE_GROUP_F16_REGISTERS},
    {"f32.tf32.tf32", "HGMMA", 8, false, "1, 1, 1", "1, 1, 1", DEVICE_TENSOR_TF32, DEVICE_CURVE_GROUP_TF32,
     DEVICE_CURVE_GROUP_TF32_REGISTERS},
    {"f32.e4m3.e4m3", "QGMMA", 32, false, "1, 1, 1", "1, 1, 1", DEVICE_TENSOR_F8, DEVICE_CURVE_GROUP_F8,
     DEVICE_CURVE_GROUP_F8_REGISTERS},
    {"s32.s8.s8", "IGMMA", 32, true, "1", "1", DEVICE_TENSOR_S8, DEVICE_CURVE_GROUP_S8,
     DEVICE_CURVE_GROUP_S8_REGISTERS},
};
enum { TYPES = sizeof table / sizeof *table };

static const unsigned columns[] = {8, 16, 32, 64, 128, 256};
enum { POINTS = sizeof columns / sizeof *columns };

/* A kernel of groups.cu, with `length` products in its last timed part. */
struct variant {
    const char *name;
    const char *before; /* of its body, the parts before that */
    const struct factors *factors;
    unsigned width, length, few; /* `few`: products of its first timed part, where it has one */
    bool registers;
};

static int compile_group(struct micro_code *out, const struct micro *micro, const struct variant *variant,
                         struct err *err)
{
    const struct factors *f = variant->factors;
    const unsigned width = variant->width;
    const bool registers = variant->registers;
    char shape[64], results[32], element[32], tail[32], first[32], length[64], few[32], parts[64];
    const struct micro_kernel kernel = {
        .file = "groups.cu",
        .name = variant->name,
        .options = {"-arch=sm_90a", shape, results, element, f->integer ? "-DTYPE=\"r\"" : "-DTYPE=\"f\"",
                    tail, first, length, few},
        .body = {.parts = parts, .bookkeeping = AROUND, .any_order = true, .bytes_max = BODY_CACHE},
    };

    snprintf(shape, sizeof shape, "-DSHAPE=\"m64n%uk%u.%s\"", width, f->depth, f->types);
    snprintf(results, sizeof results, "-DRESULTS=%u", width / 2);
    snprintf(element, sizeof element, "-DELEMENT=%s", f->integer ? "int" : "float");
    snprintf(tail, sizeof tail, "-DTAIL=\"%s\"", registers ? f->tail_registers : f->tail);
    snprintf(first, sizeof first, "-DREGISTERS=%d", registers);
    snprintf(length, sizeof length, "-DLENGTH=%u", variant->length);
    snprintf(few, sizeof few, "-DFEW=%u", variant->few);
    snprintf(parts, sizeof parts, "%s%s*%u", variant->before, f->step, variant->length);
    return micro_compile(out, micro, &kernel, err);
}

static struct variant saturated(const struct factors *f, unsigned width, bool registers)
{
    return (struct variant){"group_saturated", "- | ", f, width, LENGTH, 0, registers};
}

static void compile_ahead(const void *context, size_t index)
{
    const struct variant variant =
        saturated(&table[index / 2 / POINTS], columns[index / 2 % POINTS], index % 2);
    struct micro_code code;
    struct err ignored = {0};

    if (!compile_group(&code, context, &variant, &ignored))
        micro_code_release(&code);
}

static void call_group(struct call *call, const struct micro *micro, unsigned sms, int passes)
{
    call_init(call, sms, THREADS, 0);
    call_in(call, "in", IN_FLOATS);
    call_sink(call, "sink", micro);
    call_spans(call, micro);
    call_int(call, passes);
}

/* Multiply-adds per cycle and SM. */
static int run_group(struct device_value *out, const struct micro *micro, const struct factors *f,
                     unsigned width, bool registers, struct err *err)
{
    enum { PASSES = 64 };
    const struct variant variant = saturated(f, width, registers);
    struct micro_code code;
    struct call call;
    int rc = compile_group(&code, micro, &variant, err);

    if (rc)
        return rc;
    call_group(&call, micro, micro->sms, PASSES);
    rc = micro_rate(out, micro, &code, &call, (double)PASSES * LENGTH * ROWS_PER_WARP * width * f->depth, 1,
                    "groups", err);
    micro_code_release(&code);
    return rc;
}

static int against_columns(const struct micro *micro, const struct factors *f, bool registers,
                           struct err *err)
{
    struct device_curve *curve = &micro->device->curves[registers ? f->registers : f->shared];
    struct device_value *most = &micro->device->values[f->value];
    double x[POINTS], y[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct device_value found;

        rc = run_group(&found, micro, f, columns[i], registers, err);
        if (rc)
            break;
        x[i] = columns[i];
        y[i] = found.sustained;
        if (!most->known || found.sustained > most->sustained)
            *most = found;
    }
    return rc ? rc : device_curve_set(curve, x, y, POINTS, "groups", err);
}

static int rates(const struct micro *micro, struct err *err)
{
    int rc = 0;

    micro_ahead(compile_ahead, micro, (size_t)2 * TYPES * POINTS);
    for (size_t t = 0; rc == 0 && t < TYPES; t++) {
        micro->device->values[table[t].value].known = false;
        rc = against_columns(micro, &table[t], false, err);
        if (rc == 0)
            rc = against_columns(micro, &table[t], true, err);
    }
    return rc;
}

/* A kernel of one group that writes samples, by step. */
static int run_alone(struct device_value *out, const struct micro *micro, const struct variant *variant,
                     double steps, struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_group(&code, micro, variant, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, THREADS / 2, 0);
    call_in(&call, "in", IN_FLOATS);
    call_sink(&call, "sink", micro);
    call_samples(&call, micro);
    rc = micro_latency(out, micro, &code, &call, steps, "groups", err);
    micro_code_release(&code);
    return rc;
}

/* One product of BF16 after another, each waited for. */
static int waits(const struct micro *micro, struct err *err)
{
    double x[POINTS], y[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const struct variant variant = {"group_waited", "", &table[0], columns[i], LENGTH, 0, false};
        struct device_value found;

        rc = run_alone(&found, micro, &variant, LENGTH, err);
        x[i] = columns[i];
        y[i] = rc ? 0 : found.sustained;
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_GROUP_WAIT], x, y, POINTS, "groups",
                                 err);
}

/* What each product of BF16 beyond `few` takes until the group goes on, where it issues `length` of them. */
static int run_issued(struct device_value *out, const struct micro *micro, unsigned width, unsigned few,
                      unsigned length, struct err *err)
{
    char before[32];
    const struct variant variant = {"group_issued", before, &table[0], width, length, few, false};

    snprintf(before, sizeof before, "HGMMA*%u | - | ", few);
    return run_alone(out, micro, &variant, length - few, err);
}

static int issues(const struct micro *micro, struct err *err)
{
    enum { FEW = 4 /* no queue is full of */ };
    double x[POINTS], y[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct device_value found;

        rc = run_issued(&found, micro, columns[i], 1, FEW, err);
        x[i] = columns[i];
        y[i] = rc ? 0 : found.sustained;
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_GROUP_ISSUE], x, y, POINTS, "groups",
                                 err);
}

/* Products that are issued before one waits for the pipe, rather than for the issue of the one before: of so few columns
 * that the queue fills before the first of them is through. Once it is full, each waits for one to leave, and the first to do so
 * for the way to the pipe as well. */
static int queue(const struct micro *micro, struct err *err)
{
    enum { COLUMNS = 64, FULL = 12 };
    struct device_value *values = micro->device->values, pipe, all, next;
    unsigned depth = 0;
    int rc = run_issued(&pipe, micro, COLUMNS, FULL, LENGTH, err);

    if (rc == 0)
        rc = run_issued(&all, micro, COLUMNS, 1, LENGTH, err);
    do {
        depth++;
        if (rc == 0)
            rc = run_issued(&next, micro, COLUMNS, depth, depth + 1, err);
    } while (rc == 0 && depth < FULL && next.sustained < pipe.sustained / 2);
    if (rc)
        return rc;
    if (depth == FULL)
        return err_set(err, ERR_FORMAT, "of %d products none waits for the tensor pipe", FULL);
    values[DEVICE_GROUP_QUEUE] = next;
    values[DEVICE_GROUP_QUEUE].sustained = values[DEVICE_GROUP_QUEUE].best = depth;
    values[DEVICE_GROUP_QUEUE].spread = 0;
    values[DEVICE_GROUP_QUEUE_LATENCY] = all;
    values[DEVICE_GROUP_QUEUE_LATENCY].sustained =
        fmax((LENGTH - 1) * all.sustained - (LENGTH - depth) * pipe.sustained, 0);
    values[DEVICE_GROUP_QUEUE_LATENCY].best = fmax((LENGTH - 1) * all.best - (LENGTH - depth) * pipe.best, 0);
    return 0;
}

int micro_groups(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"groups", rates, false},
                                        {"group_wait", waits, false},
                                        {"group_issue", issues, false},
                                        {"group_queue", queue, false}};
    const struct arch *arch = arch_of(micro->device->sm);

    return arch && arch->warp_groups ? micro_parts(micro, parts, sizeof parts / sizeof *parts, err) : 0;
}

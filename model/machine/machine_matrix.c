/* What tensor instructions cost: as measured, of other shapes in proportion to their work. */
#include "model/machine/machine.h"

#include <math.h>

/* Of the products behind DEVICE_CURVE_GROUP_WAIT: rows of a warp, products of an element. */
enum { GROUP_WARP_ROWS = 16, GROUP_DEPTH = 16 };

/* What the microbenchmarks of HMMA, IMMA and DMMA execute (benchmarks/micro/operations.c). */
struct shape {
    enum sass_op op;
    enum device_op_id id;
    struct sass_matrix matrix;
};
static const struct shape measured[] = {
    {SASS_HMMA, DEVICE_OP_HMMA, {.m = 16, .n = 8, .k = 16, .factor = SASS_FACTOR_F16}},
    {SASS_IMMA, DEVICE_OP_IMMA, {.m = 16, .n = 8, .k = 32, .factor = SASS_FACTOR_S8}},
    {SASS_DMMA, DEVICE_OP_DMMA, {.m = 8, .n = 8, .k = 4, .factor = SASS_FACTOR_F64}},
    {SASS_DMMA, DEVICE_OP_DMMA_16, {.m = 16, .n = 8, .k = 8, .factor = SASS_FACTOR_F64}},
};

/* The measured shape of as many rows, which go another way than others: else any of the operation; null: none. */
static const struct shape *measured_like(const struct device *device, enum sass_op op,
                                         const struct sass_matrix *matrix)
{
    const struct shape *found = NULL;

    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        const struct shape *shape = &measured[i];

        if (shape->op == op && device->ops[shape->id].interval.known &&
            (!found || shape->matrix.m == matrix->m))
            found = shape;
    }
    return found;
}

static bool same_shape(const struct sass_matrix *a, const struct sass_matrix *b)
{
    return a->m == b->m && a->n == b->n && a->k == b->k && a->factor == b->factor && a->sparse == b->sparse;
}

/* Time that the tensor core works for it at a rate; 0 where that is not known. */
static double work_cycles(const struct sass_matrix *matrix, double rate)
{
    return rate > 0 ? sass_matrix_work(matrix) / rate : 0;
}

/* The measured interval, by how much more work this shape is, at the rates of both types. */
static double scaled(const struct machine *machine, const struct sass_matrix *matrix,
                     const struct sass_matrix *like, double interval)
{
    const double own = machine->tensor[matrix->factor].sustained,
                 other = machine->tensor[like->factor].sustained;
    const double work = sass_matrix_work(matrix) / sass_matrix_work(like);

    if (matrix->factor == like->factor)
        return interval * work;
    return own > 0 && other > 0 ? interval * work * other / own : 0;
}

/* Multiply-adds a cycle of a sub-partition that were measured with so many columns; 0 where they were not. */
static double group_rate(const struct machine *machine, const struct sass_matrix *matrix)
{
    static const enum device_curve_id curves[SASS_FACTOR_COUNT][2] = {
        [SASS_FACTOR_F16] = {DEVICE_CURVE_GROUP_F16, DEVICE_CURVE_GROUP_F16_REGISTERS},
        [SASS_FACTOR_TF32] = {DEVICE_CURVE_GROUP_TF32, DEVICE_CURVE_GROUP_TF32_REGISTERS},
        [SASS_FACTOR_F8] = {DEVICE_CURVE_GROUP_F8, DEVICE_CURVE_GROUP_F8_REGISTERS},
        [SASS_FACTOR_S8] = {DEVICE_CURVE_GROUP_S8, DEVICE_CURVE_GROUP_S8_REGISTERS}};
    const bool has_curve = matrix->factor != SASS_FACTOR_S4 && matrix->factor != SASS_FACTOR_B1 &&
                           matrix->factor != SASS_FACTOR_F64;
    const struct device_curve *curve = &machine->device->curves[curves[matrix->factor][matrix->registers]];

    if (!matrix->group || !has_curve || !curve->count)
        return 0;
    return device_curve_at(curve, matrix->n) / (double)machine->device->limits.subpartitions;
}

struct machine_cost machine_matrix_cost(const struct machine *machine, const struct sass *instruction)
{
    const enum sass_op op = (enum sass_op)instruction->op;
    struct machine_cost own = machine->costs[op], cost = {.latency = own.latency, .assumed = true};
    const struct shape *like;
    struct sass_matrix matrix;
    double least, rate;

    if (!sass_matrix(&matrix, instruction))
        return cost;
    like = measured_like(machine->device, op, &matrix);
    if (like)
        own = machine_measured(machine->device, like->id);
    if (like && same_shape(&matrix, &like->matrix) && instruction->mod[SASS_MOD_TO] != SASS_TYPE_F16)
        return own;
    cost.latency = own.latency;
    least = work_cycles(&matrix, machine->tensor[matrix.factor].best);
    cost.interval_best = least;
    if (like)
        cost.interval = scaled(machine, &matrix, &like->matrix, own.interval);
    if (!(cost.interval > 0) && (rate = group_rate(machine, &matrix)) > 0) {
        cost.interval = work_cycles(&matrix, rate);
        cost.assumed = matrix.sparse;
    }
    if (!(cost.interval > 0))
        cost.interval = work_cycles(&matrix, machine->tensor[matrix.factor].sustained);
    cost.interval = fmax(cost.interval, least);
    return cost;
}

/* What was measured of one product of BF16 beyond its rate is the way through the tensor cores, for any type. */
double machine_group_latency(const struct machine *machine, const struct sass *instruction)
{
    const struct device_curve *wait = &machine->device->curves[DEVICE_CURVE_GROUP_WAIT],
                              *rate = &machine->device->curves[DEVICE_CURVE_GROUP_F16];
    struct sass_matrix matrix;
    double own;

    if (!sass_matrix(&matrix, instruction) || !matrix.group || !wait->count || !rate->count)
        return 0;
    own = GROUP_WARP_ROWS * (double)matrix.n * GROUP_DEPTH * machine->device->limits.subpartitions /
          device_curve_at(rate, matrix.n);
    return machine_matrix_cost(machine, instruction).interval +
           fmax(device_curve_at(wait, matrix.n) - own, 0);
}

/* Factors of all types have 32 bytes of a column in a product, so the columns alone say how long its issue takes. */
double machine_group_issue(const struct machine *machine, const struct sass *instruction)
{
    const struct device_curve *issue = &machine->device->curves[DEVICE_CURVE_GROUP_ISSUE];
    struct sass_matrix matrix;

    if (!sass_matrix(&matrix, instruction) || !matrix.group || !issue->count ||
        !(machine_or_0(machine, DEVICE_GROUP_QUEUE) >= 1))
        return 0;
    return device_curve_at(issue, matrix.n);
}

static bool has_copies(const struct device *device)
{
    return device_has(device, DEVICE_BULK_L2_LATENCY) && device_has(device, DEVICE_BULK_DRAM_LATENCY) &&
           device_has(device, DEVICE_BULK_INTERVAL) && device_has(device, DEVICE_BULK_ALONE);
}

bool machine_simulates(const struct machine *machine, enum sass_op op)
{
    const struct device *device = machine->device;

    switch (op) {
    case SASS_WARPGROUP:
        return device->curves[DEVICE_CURVE_GROUP_WAIT].count > 0;
    case SASS_SYNCS:
    case SASS_ARRIVES:
        return device_has(device, DEVICE_MBARRIER_LATENCY) && device_has(device, DEVICE_MBARRIER_PASSED) &&
               device_has(device, DEVICE_SHARED_LATENCY);
    case SASS_UTMALDG:
    case SASS_UTMASTG:
    case SASS_UBLKCP:
    case SASS_UTMACMDFLUSH:
        return has_copies(device);
    case SASS_UTMAREDG:
    case SASS_UBLKRED:
        return has_copies(device) && device_has(device, DEVICE_L2_WRITE_PARTIAL) &&
               device_has(device, DEVICE_L2_ADD_DOUBLE);
    case SASS_UCGABAR_WAIT:
        return device_has(device, DEVICE_CLUSTER_BARRIER_LATENCY);
    default:
        return false;
    }
}

/* A machine out of a device profile. */
#include "model/machine/machine.h"
#include "model/sass/arch/geometry.h"

#include "model/sass/register_reads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Costs of instructions ---------------------------------------------------- */

static const char *const functions[MACHINE_FUNCTIONS] = {
    [SASS_MUFU_COS] = "MUFU.COS",    [SASS_MUFU_SIN] = "MUFU.SIN",    [SASS_MUFU_EX2] = "MUFU.EX2",
    [SASS_MUFU_LG2] = "MUFU.LG2",    [SASS_MUFU_RCP] = "MUFU.RCP",    [SASS_MUFU_RSQ] = "MUFU.RSQ",
    [SASS_MUFU_RCP64H] = "MUFU.RCP", [SASS_MUFU_RSQ64H] = "MUFU.RSQ", [SASS_MUFU_SQRT] = "MUFU.SQRT",
    [SASS_MUFU_TANH] = "MUFU.TANH",
};

struct machine_cost machine_measured(const struct device *device, enum device_op_id op)
{
    struct machine_cost cost = {0};

    if (device->ops[op].interval.known) {
        cost.interval = device->ops[op].interval.sustained;
        cost.interval_best = device->ops[op].interval.best;
    }
    if (device->ops[op].latency.known)
        cost.latency = device->ops[op].latency.sustained;
    return cost;
}

static struct machine_cost measured_cost(const struct device *device, const char *mnemonic)
{
    const int op = mnemonic ? device_op_find(mnemonic) : -1;

    return op < 0 ? (struct machine_cost){0} : machine_measured(device, (enum device_op_id)op);
}

/* Of the pipe's measured operations the longest latency: what is not measured is rather the odd one out. */
static void learn_pipe(struct machine *machine, enum sass_op op)
{
    double *latency = &machine->pipe_latency[sass_info(op)->pipe];

    *latency = fmax(*latency, machine->costs[op].latency);
}

static void take_costs(struct machine *machine)
{
    for (unsigned i = 0; i < SASS_OP_COUNT; i++) {
        machine->costs[i] = measured_cost(machine->device, sass_info((enum sass_op)i)->name);
        learn_pipe(machine, (enum sass_op)i);
    }
    for (unsigned i = 0; i < MACHINE_FUNCTIONS; i++)
        machine->functions[i] = measured_cost(machine->device, functions[i]);
    machine->pipe_latency[SASS_PIPE_XU] =
        fmax(machine->pipe_latency[SASS_PIPE_XU], machine->functions[SASS_MUFU_RCP].latency);
    machine->wide = measured_cost(machine->device, "IMAD.WIDE");
    machine->high = measured_cost(machine->device, "IMAD.HI");
}

/* Capacities --------------------------------------------------------------- */

struct pair {
    double sustained, best;
};

static struct pair value(const struct machine *machine, enum device_value_id id)
{
    const struct device *device = machine->device;

    return device_has(device, id) ? (struct pair){device_sustained(device, id), device_best(device, id)}
                                  : (struct pair){0, 0};
}

static void set_per_sm(struct capacities *out, enum resource r, double sustained, double best)
{
    out->sustained[r].per_sm = sustained;
    out->best[r].per_sm = best;
}

/* One unit every so many cycles. */
static void set_period(struct machine *machine, enum resource r, enum device_value_id id)
{
    const struct pair cycles = value(machine, id);

    if (cycles.sustained > 0)
        set_per_sm(&machine->capacities, r, 1 / cycles.sustained, 1 / cycles.best);
}

/* Pipes are counted in cycles of theirs, so each sub-partition gives one a cycle. */
static void take_pipes(struct machine *machine)
{
    static const enum resource pipes[] = {
        RESOURCE_REGISTERS, RESOURCE_FMA, RESOURCE_FMA_HEAVY, RESOURCE_ALU,     RESOURCE_FP16,
        RESOURCE_FP64,      RESOURCE_XU,  RESOURCE_TENSOR,    RESOURCE_UNIFORM, RESOURCE_BRANCH};
    const double partitions = (double)machine->device->limits.subpartitions;
    const double ffma = machine->costs[SASS_FFMA].interval;

    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++)
        set_per_sm(&machine->capacities, pipes[i], partitions, partitions);
    machine->reads_count = machine_or_0(machine, DEVICE_REGISTER_BANKS) == REGISTER_BANKS &&
                           machine_or_0(machine, DEVICE_REGISTER_CONFLICT) > 0.5;
    machine->read_window = device_has(machine->device, DEVICE_REGISTER_WINDOW)
                               ? device_sustained(machine->device, DEVICE_REGISTER_WINDOW)
                               : machine->assumptions.read_window;
    set_per_sm(&machine->capacities, RESOURCE_ICACHE, partitions * SASS_BYTES, partitions * SASS_BYTES);
    /* Where its pipe is as wide as a warp, FFMA leaves the scheduler every cycle that anything does: what it
     * is short of, issue is short of. */
    set_per_sm(&machine->capacities, RESOURCE_ISSUE, partitions / (ffma < 1.5 ? fmax(ffma, 1) : 1),
               partitions);
}

static void take_tensor(struct machine *machine)
{
    static const enum device_value_id values[SASS_FACTOR_COUNT] = {
        [SASS_FACTOR_F16] = DEVICE_TENSOR_F16, [SASS_FACTOR_TF32] = DEVICE_TENSOR_TF32,
        [SASS_FACTOR_F8] = DEVICE_TENSOR_F8,   [SASS_FACTOR_S8] = DEVICE_TENSOR_S8,
        [SASS_FACTOR_S4] = DEVICE_TENSOR_S4,   [SASS_FACTOR_B1] = DEVICE_TENSOR_B1,
        [SASS_FACTOR_F64] = DEVICE_TENSOR_F64};
    const double partitions = (double)machine->device->limits.subpartitions;

    for (int f = 0; f < SASS_FACTOR_COUNT; f++) {
        const struct pair rate = value(machine, values[f]);

        machine->tensor[f] = (struct machine_tensor){rate.sustained / partitions, rate.best / partitions};
    }
}

static void take_l1(struct machine *machine)
{
    const struct pair read = value(machine, DEVICE_L1_READ), in_flight = value(machine, DEVICE_LOADS_PER_SM),
                      request = value(machine, DEVICE_L1_REQUEST);

    set_period(machine, RESOURCE_SHARED, DEVICE_SHARED_WAVEFRONT);
    set_period(machine, RESOURCE_LSU, DEVICE_SHARED_WAVEFRONT);
    set_period(machine, RESOURCE_MATCH, DEVICE_SHARED_WAVEFRONT);
    set_period(machine, RESOURCE_CONSTANT_PORT, DEVICE_CONSTANT_ADDRESS);
    set_period(machine, RESOURCE_L1_TAGS, DEVICE_L1_LINE);
    set_period(machine, RESOURCE_CONSTANT, DEVICE_CONSTANT_PLACE_MISS);
    /* a wavefront is what passes L1's 128 bytes of data a cycle: nothing can be faster than one a cycle, but
     * a kernel may come nearer to it than the microbenchmark did, whose loads wait for their tags now and
     * then */
    set_per_sm(&machine->capacities, RESOURCE_L1_DATA, read.sustained / LINE,
               read.best > 0 ? fmax(read.best / LINE, 1) : 0);
    machine->request_fronts = fmax(request.sustained * read.sustained / LINE, 1);
    set_per_sm(&machine->capacities, RESOURCE_LOADS_IN_FLIGHT, in_flight.sustained, in_flight.best);
    set_period(machine, RESOURCE_ATOMIC_SHARED, DEVICE_ATOMIC_SHARED_DISTINCT);
    if (machine_or_0(machine, DEVICE_REMOTE_SECTOR) > 0)
        set_per_sm(&machine->capacities, RESOURCE_REMOTE, 1, 1);
}

/* What was not measured costs what `least` says. */
static struct machine_write write_cost(const struct machine *machine, enum device_value_id in_order,
                                       enum device_value_id alone, struct machine_write least)
{
    const double read = machine_or_0(machine, DEVICE_L2_READ), near = machine_or_0(machine, in_order),
                 far = machine_or_0(machine, alone);
    struct machine_write cost = {.in_order = near > 0 ? fmax(read / near, least.in_order) : least.in_order};

    cost.alone = fmax(far > 0 ? read / far : least.alone, cost.in_order);
    return cost;
}

static void take_l2(struct machine *machine)
{
    struct capacity *sustained = machine->capacities.sustained, *best = machine->capacities.best;
    const double sms = (double)machine->device->limits.sm_count;
    const struct pair one = value(machine, DEVICE_L2_READ_ONE), all = value(machine, DEVICE_L2_READ),
                      written = value(machine, DEVICE_L2_WRITE), own = value(machine, DEVICE_L1_WRITE),
                      atomics = value(machine, DEVICE_ATOMIC_GLOBAL_DISTINCT),
                      same = value(machine, DEVICE_ATOMIC_GLOBAL_SAME);

    machine->whole =
        write_cost(machine, DEVICE_L2_WRITE, DEVICE_L2_SCATTERED_WRITE, (struct machine_write){1, 1});
    machine->parted =
        write_cost(machine, DEVICE_L2_WRITE_PARTIAL, DEVICE_L2_SCATTERED_PARTIAL, machine->whole);
    machine->merge_lines = device_has(machine->device, DEVICE_STORE_MERGE_LINES)
                               ? device_sustained(machine->device, DEVICE_STORE_MERGE_LINES)
                               : INFINITY;
    set_per_sm(&machine->capacities, RESOURCE_L2, one.sustained / SECTOR, fmax(one.best, own.best) / SECTOR);
    sustained[RESOURCE_L2].per_gpu = all.sustained * sms / SECTOR;
    best[RESOURCE_L2].per_gpu = fmax(all.best, written.best) * sms / SECTOR;
    sustained[RESOURCE_L2_WRITE] = sustained[RESOURCE_L2];
    best[RESOURCE_L2_WRITE] = best[RESOURCE_L2];
    if (atomics.sustained > 0) {
        sustained[RESOURCE_ATOMIC_GLOBAL].per_sm = LANES / atomics.sustained;
        best[RESOURCE_ATOMIC_GLOBAL].per_sm = LANES / atomics.best;
    }
    if (same.sustained > 0) {
        sustained[RESOURCE_ATOMIC_PLACE].per_gpu = LANES / same.sustained;
        best[RESOURCE_ATOMIC_PLACE].per_gpu = LANES / same.best;
    }
}

/* Reads and writes share the pins. A write's sustained cost is what a copy costs beyond its reads. For the
 * bound both move at the best rate ever seen of either, or of both together. */
static void take_dram(struct machine *machine)
{
    struct capacity *sustained = machine->capacities.sustained, *best = machine->capacities.best;
    const struct pair read = value(machine, DEVICE_DRAM_READ), write = value(machine, DEVICE_DRAM_WRITE),
                      copy = value(machine, DEVICE_DRAM_COPY);
    const double most = fmax(fmax(read.best, write.best), copy.best);
    const double beyond = copy.sustained > 0 ? 2 / copy.sustained - 1 / read.sustained : 0;

    sustained[RESOURCE_DRAM_READ].per_gpu = read.sustained / machine->capacities.clock_hz;
    sustained[RESOURCE_DRAM_WRITE].per_gpu =
        (beyond > 0 ? 1 / beyond : write.sustained) / machine->capacities.clock_hz;
    best[RESOURCE_DRAM_READ].per_gpu = best[RESOURCE_DRAM_WRITE].per_gpu =
        most / machine->capacities.clock_best_hz;
}

/* Of the occupancy roofline of dependent FFMA, whose peak is its own: what limits it at full occupancy may be
 * the register file. */
static double corner_sharpness(const struct device_op *ffma, double assumed)
{
    double peak = 0;

    if (!ffma->roofline.count || !ffma->latency.known)
        return assumed;
    for (size_t i = 0; i < ffma->roofline.count; i++)
        peak = fmax(peak, ffma->roofline.y[i]);
    return saturation_fit_sharpness(ffma->roofline.x, ffma->roofline.y, ffma->roofline.count,
                                    ffma->latency.sustained, peak);
}

static void take_rest(struct machine *machine)
{
    struct capacities *out = &machine->capacities;

    out->launch_s = machine_or_0(machine, DEVICE_LAUNCH_GRAPH);
    out->block_dispatch_s = machine_or_0(machine, DEVICE_BLOCK_DISPATCH);
    out->corner_sharpness =
        corner_sharpness(&machine->device->ops[DEVICE_OP_FFMA], machine->assumptions.corner_sharpness);
}

/* Curves ------------------------------------------------------------------- */

/* Latency in cycles against throughput becomes a factor against utilisation, both ascending as the model of
 * saturation wants them. A curve is measured with accesses of its own kind, so its own last throughput is
 * what they can have at most, and its lowest latency that of an empty memory: with very few accesses under
 * way latency depends on where they lie. Returns the end of the points used. */
static double *take_curve(struct saturation_curve *out, double *points, const struct device_curve *curve)
{
    double *const utilisation = points, *const factor = points + curve->count;
    double most = 0, lowest = INFINITY;
    size_t i, at_lowest = 0;

    for (i = 0; i < curve->count; i++) {
        most = fmax(most, curve->x[i]);
        if (curve->y[i] < lowest) {
            lowest = curve->y[i];
            at_lowest = i;
        }
    }
    for (i = 0; i < curve->count; i++) {
        utilisation[i] = curve->x[i] / most;
        factor[i] = i <= at_lowest ? 1 : fmax(curve->y[i] / lowest, factor[i - 1]);
    }
    *out = (struct saturation_curve){.n = curve->count, .utilisation = utilisation, .factor = factor};
    return points + 2 * curve->count;
}

/* Its mean is made 1: the tail beyond the last point belongs to that. */
static void take_spread(struct machine *machine)
{
    const struct device_curve *curve = &machine->device->curves[DEVICE_CURVE_DRAM_SPREAD];
    double below = 0;
    int i;

    for (i = 0; i < MACHINE_SPREAD; i++)
        machine->dram_spread[i] = curve->count ? device_curve_at(curve, (i + 0.5) / MACHINE_SPREAD) : 1;
    for (i = 0; i + 1 < MACHINE_SPREAD; i++)
        below += machine->dram_spread[i];
    machine->dram_spread[i] = fmax(MACHINE_SPREAD - below, machine->dram_spread[i - 1]);
}

static int take_curves(struct machine *machine, struct err *err)
{
    const struct device_curve *curves = machine->device->curves;
    double *at;

    machine->points = at =
        calloc(2 * (curves[DEVICE_CURVE_LOADED_SHARED].count + curves[DEVICE_CURVE_LOADED_L2].count +
                    curves[DEVICE_CURVE_LOADED_DRAM].count + curves[DEVICE_CURVE_LOADED_DRAM_WRITE].count) +
                   1,
               sizeof *at);
    if (!at)
        return err_memory(err);
    at = take_curve(&machine->shared, at, &curves[DEVICE_CURVE_LOADED_SHARED]);
    at = take_curve(&machine->l2, at, &curves[DEVICE_CURVE_LOADED_L2]);
    at = take_curve(&machine->dram, at, &curves[DEVICE_CURVE_LOADED_DRAM]);
    take_curve(&machine->dram_writes, at, &curves[DEVICE_CURVE_LOADED_DRAM_WRITE]);
    return 0;
}

/* Whatever a kernel computes goes through L2 and DRAM: better to say at once what is not known of them than
 * variant by variant, after compiling each. All that is missing is named. */
static int check_memory(const struct device *device, struct err *err)
{
    static const enum device_value_id needed[] = {DEVICE_L2_LATENCY, DEVICE_DRAM_LATENCY, DEVICE_L2_READ,
                                                  DEVICE_DRAM_READ};
    char missing[256] = "";
    size_t used = 0, i;

    for (i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!device_has(device, needed[i]))
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s", used ? ", " : "",
                                     device_value_info(needed[i])->name);
    if (!used)
        return 0;
    return err_set(err, ERR_MISSING,
                   "the profile of %s lacks %s, without which no kernel can be predicted: run occutune "
                   "calibrate on such a GPU",
                   device->name, missing);
}

int machine_init(struct machine *out, const struct device *device, struct err *err)
{
    return machine_init_assuming(out, device, &assumptions_default, err);
}

int machine_init_assuming(struct machine *out, const struct device *device,
                          const struct assumptions *assumptions, struct err *err)
{
    *out = (struct machine){.device = device, .assumptions = *assumptions};
    if (!device_is_calibrated(device))
        return err_set(err, ERR_MISSING, "%s has no calibrated profile: run occutune calibrate",
                       device->name);
    if (!device->limits.sm_count || !device->limits.subpartitions || !device->limits.sm_clock_hz)
        return err_set(err, ERR_MISSING, "the profile of %s lacks the number of SMs or their clock",
                       device->name);
    if (device_need_occupancy(device, err) || check_memory(device, err))
        return ERR_MISSING;
    out->capacities.clock_best_hz = (double)device->limits.sm_clock_hz;
    out->capacities.clock_hz = device_has(device, DEVICE_CLOCK) ? device_sustained(device, DEVICE_CLOCK)
                                                                : out->capacities.clock_best_hz;
    clock_limits_init(&out->capacities.clock, device, assumptions->power_exponent);
    out->published = device_is_published(device);
    take_costs(out);
    take_pipes(out);
    take_tensor(out);
    take_l1(out);
    take_l2(out);
    take_dram(out);
    take_rest(out);
    take_spread(out);
    return take_curves(out, err);
}

void machine_release(struct machine *machine)
{
    free(machine->points);
    *machine = (struct machine){0};
}

#include "model/machine/machine.h"

#include "model/machine/assumption.h"
#include "model/sass/arch/geometry.h"
#include "model/sass/sass_rate.h"

#include <math.h>
#include <stdio.h>

double machine_or_0(const struct machine *machine, enum device_value_id id)
{
    return device_has(machine->device, id) ? device_sustained(machine->device, id) : 0;
}

int machine_need(double *out, const struct machine *machine, enum device_value_id id, struct err *err)
{
    *out = machine_or_0(machine, id);
    if (device_has(machine->device, id))
        return 0;
    return err_set(err, ERR_MISSING, "the device profile lacks %s (%s): calibrate the device",
                   device_value_info(id)->name, device_value_info(id)->description);
}

int machine_barrier(double *out, const struct machine *machine, unsigned warps, struct err *err)
{
    const struct device_curve *curve = &machine->device->curves[DEVICE_CURVE_BARRIER_WARPS];

    if (curve->count) {
        *out = device_curve_at(curve, warps);
        return 0;
    }
    if (machine_need(out, machine, DEVICE_BARRIER_LATENCY, err))
        return ERR_MISSING;
    *out += (warps - 1) * machine_or_0(machine, DEVICE_BARRIER_PER_WARP);
    return 0;
}

double machine_places(const struct machine *machine, double places)
{
    const struct device_curve *curve = &machine->device->curves[DEVICE_CURVE_DRAM_PLACES];

    return curve->count ? device_curve_at(curve, places) - device_curve_at(curve, 1) : 0;
}

double machine_constants_missed(const struct machine *machine, double lines, double bytes)
{
    const double kept = machine_or_0(machine, DEVICE_CONSTANT_KEPT);

    return kept > 0 && bytes > kept ? lines * (1 - kept / bytes) : 0;
}

double machine_constant_places(const struct machine *machine, double places, double lines, double bytes)
{
    const double address = machine_or_0(machine, DEVICE_CONSTANT_ADDRESS);
    const double missed = machine_constants_missed(machine, lines, bytes);

    return places + (address > 0 ? missed * machine_or_0(machine, DEVICE_CONSTANT_MISS) / address : 0);
}

double machine_remote(const struct machine *machine, double lines, double sectors, double parts)
{
    const double all = sectors + parts;
    const double further = sectors * machine_or_0(machine, DEVICE_REMOTE_FURTHER) +
                           parts * machine_or_0(machine, DEVICE_REMOTE_PART);

    return all > 0 ? lines * machine_or_0(machine, DEVICE_REMOTE_SECTOR) + fmax(1 - lines / all, 0) * further
                   : 0;
}

double machine_fronts(const struct machine *machine, const struct sass *instruction, double requests,
                      double sectors, double passes)
{
    const bool read_only = instruction->mod[SASS_MOD_ORDER] == SASS_ORDER_CONSTANT;

    return fmax(requests * (read_only ? 1 : machine->request_fronts),
                passes > 0 ? passes : sectors / (LINE / SECTOR));
}

/* How many times one in order a scattered sector costs with `flight` of them under way on an SM; 1 where that
 * was not measured. */
static double scattered_cost(const struct machine *machine, enum device_value_id in_order,
                             enum device_value_id scattered, enum device_curve_id against_flight,
                             double flight)
{
    const struct device_curve *curve = &machine->device->curves[against_flight];
    const double rate = curve->count ? device_curve_at(curve, flight) : machine_or_0(machine, scattered);

    return rate > 0 ? fmax(machine_or_0(machine, in_order) / rate, 1) : 1;
}

/* What a request that merges with one before it is to a lookup, at most: sectors read at random in runs of
 * MERGED requests each need one lookup a run and the rest of the time for the requests that merge. */
static double merged_lookup(const struct machine *machine)
{
    enum { MERGED = 4 }; /* see DEVICE_L2_MERGED */
    const double alone = machine_or_0(machine, DEVICE_L2_SCATTERED),
                 merged = machine_or_0(machine, DEVICE_L2_MERGED);

    return alone > 0 && merged > 0 ? fmin(fmax((MERGED * alone / merged - 1) / (MERGED - 1), 0), 1) : 1;
}

double machine_reads(const struct machine *machine, double sectors, double lines, double merged,
                     double flight)
{
    const double lookups = lines + merged * merged_lookup(machine);

    return fmax(sectors, lookups * scattered_cost(machine, DEVICE_L2_READ, DEVICE_L2_SCATTERED,
                                                  DEVICE_CURVE_L2_SCATTERED_FLIGHT, flight));
}

double machine_lone_line(const struct machine *machine, bool written)
{
    const struct device_curve *pieces =
        &machine->device->curves[written ? DEVICE_CURVE_DRAM_WRITE_PIECES : DEVICE_CURVE_DRAM_READ_PIECES];
    const double in_order = machine_or_0(machine, written ? DEVICE_DRAM_WRITE : DEVICE_DRAM_READ);

    if (!pieces->count)
        return 0;
    return fmax(in_order / device_curve_at(pieces, LINE) - in_order / device_curve_at(pieces, 2 * LINE), 0);
}

double machine_lone_sector(const struct machine *machine)
{
    const double write = machine_or_0(machine, DEVICE_DRAM_WRITE),
                 alone = machine_or_0(machine, DEVICE_DRAM_SCATTERED_WRITE) / 2; /* which counts 64 bytes */

    return alone > 0 ? fmax(write / alone - 1, 0) : machine_lone_line(machine, true);
}

struct saturation_mix machine_dram_mix(const struct machine *machine, double read, double written)
{
    const double share = written > 0 ? written / (read + written) : 0;

    return (struct saturation_mix){.curve = machine->dram,
                                   .other = machine->dram_writes,
                                   .weight = pow(share, machine->assumptions.writes_delay)};
}

double machine_brings(const struct machine *machine, double bytes, double scattered, double lone,
                      double flight)
{
    return bytes +
           scattered * (scattered_cost(machine, DEVICE_DRAM_READ, DEVICE_DRAM_SCATTERED,
                                       DEVICE_CURVE_DRAM_SCATTERED_FLIGHT, flight) -
                        1) +
           lone * machine_lone_line(machine, false);
}

double machine_completes(const struct machine *machine, double bytes, double alone)
{
    const double write = machine_or_0(machine, DEVICE_DRAM_WRITE),
                 read = machine_or_0(machine, DEVICE_DRAM_READ);
    const double part = machine_or_0(machine, DEVICE_DRAM_WRITE_PARTIAL);
    const double whole_alone = machine_or_0(machine, DEVICE_DRAM_SCATTERED_WRITE),
                 part_alone = machine_or_0(machine, DEVICE_DRAM_SCATTERED_PARTIAL);
    const double each = part > 0 ? fmax(write / part - 1, 0) : read > 0 ? write / read : 1;
    const double each_alone =
        part_alone > 0 && whole_alone > 0 ? 2 * (write / part_alone - write / whole_alone) : each;

    return bytes * each + alone * fmax(each_alone - each, 0);
}

double machine_writes(const struct machine *machine, double sectors, double lines, double filled)
{
    const struct machine_write *whole = &machine->whole, *parted = &machine->parted;
    const double alone = sectors > 0 ? fmin(fmax(lines / sectors - 0.25, 0) / 0.75, 1) : 0;
    const double cost_whole = whole->in_order + alone * (whole->alone - whole->in_order);
    const double cost_parted = parted->in_order + alone * (parted->alone - parted->in_order);

    return filled * cost_whole + (sectors - filled) * cost_parted;
}

double machine_supply(const struct machine *machine, double bytes)
{
    const struct device_curve *curve = &machine->device->curves[DEVICE_CURVE_INSTRUCTION_SUPPLY_FULL];
    double least = INFINITY;
    size_t i, at = 0;

    for (i = 0; i < curve->count; i++)
        if (curve->y[i] < least) {
            least = curve->y[i];
            at = i;
        }
    /* below the best size it is the loop around the code that costs */
    return curve->count && least > 0 && bytes > curve->x[at] ? device_curve_at(curve, bytes) / least : 1;
}

double machine_cluster_sms(const struct machine *machine, unsigned blocks)
{
    const struct device_curve *curve = &machine->device->curves[DEVICE_CURVE_CLUSTERS];
    const double sms = (double)machine->device->limits.sm_count;

    if (blocks < 2)
        return sms;
    if (!curve->count || blocks < curve->x[0] || blocks > curve->x[curve->count - 1])
        return NAN;
    return fmin(floor(device_curve_at(curve, blocks)) * blocks, sms);
}

unsigned machine_cluster_blocks(const struct machine *machine, unsigned blocks)
{
    return blocks < 2 ? 0 : (unsigned)machine_or_0(machine, DEVICE_CLUSTER_BLOCKS);
}

/* Which GPCs lack SMs differs between GPUs of one kind: of two H200 one ran 30 clusters of four and the other 28. */
unsigned machine_clusters_assumed(const struct machine *machine, unsigned blocks)
{
    const double sms = machine_cluster_sms(machine, blocks);

    if (isnan(sms))
        return PREDICT_ASSUMED_CLUSTER_SMS;
    return sms < (double)machine->device->limits.sm_count ? PREDICT_ASSUMED_CLUSTER_COUNT : 0;
}

/* Costs of instructions ---------------------------------------------------- */

/* What takes two passes through the heavy half of the FMA pipe (IMAD.WIDE, IMAD.HI) stops the scheduler for
 * the first one and a cycle: among FADD and LOP3 enough for any pipe each costs an NVIDIA H200 3.1 to 3.8
 * slots, whatever the mix (benchmarks/micro/README.md). */
static double issue_slots(const struct sass_info *info, double interval)
{
    return info->pipe == SASS_PIPE_FMA_HEAVY ? fmax(interval - 1, 1) : 1;
}

struct machine_cost machine_cost_of(const struct machine *machine, const struct sass *instruction)
{
    const struct sass_info *info = sass_info((enum sass_op)instruction->op);
    struct machine_cost cost = machine->costs[instruction->op];

    if (instruction->op == SASS_MUFU)
        cost = machine->functions[instruction->mod[SASS_MOD_FUNCTION] % MACHINE_FUNCTIONS];
    else if (instruction->op == SASS_IMAD && instruction->mod[SASS_MOD_WIDE])
        cost = machine->wide;
    else if (instruction->op == SASS_IMAD && instruction->mod[SASS_MOD_HIGH])
        cost = machine->high;
    else if (sass_rate((enum sass_op)instruction->op).kind == SASS_RATE_MATRIX)
        cost = machine_matrix_cost(machine, instruction);
    if (!(cost.interval > 0)) {
        cost.interval = sass_issue_interval(instruction);
        cost.interval_best = 0; /* it may go another way than its class does: no lower bound */
        cost.assumed = true;
    }
    if (!(cost.latency > 0)) {
        cost.latency = info->fixed_latency ? info->fixed_latency : machine->pipe_latency[info->pipe];
        cost.assumed = cost.assumed || !info->fixed_latency;
    }
    cost.slots = issue_slots(info, cost.interval);
    return cost;
}

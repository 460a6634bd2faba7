#include "model/memory/turnaround.h"

#include "model/sass/arch/geometry.h"

#include <math.h>

enum { NARROW = 4 /* bytes of a thread and load behind DEVICE_CURVE_COPY_UNROLLED */ };

/* Seconds that a byte read and a byte written cost in a copy beyond what they cost by themselves. */
static double beyond(const struct machine *machine, double copy)
{
    return 2 / copy - 1 / machine_or_0(machine, DEVICE_DRAM_READ) -
           1 / machine_or_0(machine, DEVICE_DRAM_WRITE);
}

/* How many times that is what it is at the rate `usual`; 1 where either was not measured. */
static double relative(const struct machine *machine, double copy, double usual)
{
    const double plain = usual > 0 ? beyond(machine, usual) : 0;

    return copy > 0 && plain > 0 ? fmax(beyond(machine, copy) / plain, 0) : 1;
}

/* The curve's rate at x. Before its peak it is the number of threads that limits, not DRAM. */
static double rate_at(const struct device_curve *curve, double x)
{
    size_t i, peak = 0;

    if (!curve->count)
        return 0;
    for (i = 1; i < curve->count; i++)
        if (curve->y[i] > curve->y[peak])
            peak = i;
    return device_curve_at(curve, fmax(x, curve->x[peak]));
}

static double of_bursts(const struct machine *machine, const struct traffic *traffic)
{
    const struct device_curve *curves = machine->device->curves;
    const double bytes = traffic->bursts.bytes / LANES, usual = machine_or_0(machine, DEVICE_DRAM_COPY);
    const double wide = relative(machine, rate_at(&curves[DEVICE_CURVE_DRAM_COPY_BURST], bytes), usual);
    const double narrow =
        relative(machine, rate_at(&curves[DEVICE_CURVE_COPY_UNROLLED], bytes / NARROW), usual);

    return wide + traffic->bursts.narrow * (narrow - wide);
}

static double of_policies(const struct machine *machine, const struct traffic *traffic)
{
    const double usual = rate_at(&machine->device->curves[DEVICE_CURVE_DRAM_COPY_BURST], DEVICE_POLICY_BURST);
    const double first = relative(machine, machine_or_0(machine, DEVICE_DRAM_COPY_EVICT_FIRST), usual);
    const double past = relative(machine, machine_or_0(machine, DEVICE_DRAM_COPY_PAST_L1), usual);

    return 1 + traffic->bursts.evict_first * (first - 1) + traffic->bursts.past_l1 * (past - 1);
}

/* By how much is read beside a byte written. With four times as many writes a write still costs as in a copy;
 * towards none at all nothing was measured. */
static double of_shares(const struct traffic *traffic)
{
    const double read = traffic->dram.read - traffic->dram.completed, written = traffic->dram.written;

    return fmin(fmax(1, 2 * read / (read + written)), 4 * read / written);
}

double turnaround_cost(const struct machine *machine, const struct traffic *traffic)
{
    const double copy = machine_or_0(machine, DEVICE_DRAM_COPY);
    const double write = machine_or_0(machine, DEVICE_DRAM_WRITE),
                 read = machine_or_0(machine, DEVICE_DRAM_READ);
    double turn, lone;

    if (!(copy > 0 && write > 0 && read > 0 && traffic->dram.written > 0))
        return 1;
    turn = beyond(machine, copy);
    if (!(turn > 0))
        return 1;
    lone = ((traffic->dram.written_lone - traffic->dram.written_alone) * machine_lone_line(machine, true) +
            traffic->dram.written_alone * machine_lone_sector(machine)) /
           traffic->dram.written;
    return ((1 + lone) / write +
            turn * of_shares(traffic) * of_bursts(machine, traffic) * of_policies(machine, traffic)) /
           (1 / write + turn);
}

double turnaround_added(const struct machine *machine, const struct traffic *traffic)
{
    const struct traffic_dram *dram = &traffic->dram;
    const double among = dram->added > 0 ? fmin(dram->added / (dram->read - dram->completed), 1) : 0;
    const double by_lanes = (dram->added - dram->added_copied) * (1 + among) / 2;
    const double by_copies = dram->added_copied * machine->assumptions.added_by_copies * among;

    return (by_lanes + by_copies) * machine_added_beyond(machine);
}

/* Atomics of global memory, which L2 executes sector by sector: what it does with one, and whether it answers, says how long it
 * takes. Measured in an L2 that has the sectors (benchmarks/micro/adds.c). */
#include "model/machine/machine.h"

#include "model/sass/arch/geometry.h"

#include <math.h>

/* How much of a sector's time single lanes take, and lanes that fill it. */
struct kind {
    enum device_value_id single, row;
};

enum { FEW_SLICES = 4 }; /* too few for the limit of large numbers */

static const struct kind answered = {DEVICE_L2_ATOMIC_SINGLE, DEVICE_L2_ATOMIC_ROW};
static const struct kind compared = {DEVICE_L2_COMPARE_SINGLE, DEVICE_L2_COMPARE_ROW};

static bool answers(const struct sass *i)
{
    const struct sass_operand *last =
        i->destination_count ? &i->destinations[i->destination_count - 1] : NULL;

    return last && last->kind == SASS_REGISTER && last->index != SASS_RZ;
}

/* With a register for what is compared and one for what is stored. */
static bool compares(const struct sass *i)
{
    return i->source_count > 1 && i->sources[0].kind == SASS_REGISTER && i->sources[1].kind == SASS_REGISTER;
}

/* Sectors whose lines have no other. */
static double alone_of(double sectors, double lines)
{
    return sectors > 0 ? fmin(fmax(lines / sectors - 0.25, 0) / 0.75, 1) : 0;
}

/* Cycles of an SM for a sector, all SMs asking; 0 where that was not measured. */
static double cycles_of(const struct machine *machine, enum device_value_id id)
{
    const double rate = machine_or_0(machine, id);

    return rate > 0 ? SECTOR / rate : 0;
}

static double cycles_of_kind(const struct machine *machine, const struct kind *kind, double filled)
{
    return fmax(cycles_of(machine, kind->single), filled * cycles_of(machine, kind->row));
}

double machine_reduces(const struct machine *machine, const struct sass *instruction, double bytes)
{
    const bool doubles = instruction->mod[SASS_MOD_TYPE] == SASS_TYPE_F64;

    return bytes / SECTOR * cycles_of(machine, doubles ? DEVICE_L2_ADD_DOUBLE : DEVICE_L2_WRITE_PARTIAL);
}

double machine_added_beyond(const struct machine *machine)
{
    const double added = machine_or_0(machine, DEVICE_DRAM_ADD),
                 copy = machine_or_0(machine, DEVICE_DRAM_COPY);
    const double write = machine_or_0(machine, DEVICE_DRAM_WRITE);

    return added > 0 && copy > 0 ? fmax(write / added - 2 * write / copy, 0) : 0;
}

double machine_adds(const struct machine *machine, double sectors, double lines)
{
    const double near = machine->parted.in_order, read = machine_or_0(machine, DEVICE_L2_READ),
                 rate = machine_or_0(machine, DEVICE_L2_ADD_SINGLE);
    const double far = rate > 0 ? fmax(read / rate, near) : machine->parted.alone;

    return sectors * (near + alone_of(sectors, lines) * (far - near));
}

double machine_atomics(const struct machine *machine, const struct sass *instruction,
                       const struct machine_added *added)
{
    const double filled = added->sectors > 0 ? fmin(added->bytes / SECTOR / added->sectors, 1) : 0;
    const double alone = alone_of(added->sectors, added->lines);
    const double distinct = machine_or_0(machine, DEVICE_ATOMIC_GLOBAL_DISTINCT);
    double each = 0;

    if (compares(instruction))
        each = alone * cycles_of_kind(machine, &answered, filled) +
               (1 - alone) * cycles_of_kind(machine, &compared, filled);
    else if (answers(instruction))
        each = cycles_of_kind(machine, &answered, filled);
    else if (instruction->mod[SASS_MOD_TYPE] == SASS_TYPE_F64)
        each = filled * cycles_of(machine, DEVICE_L2_ADD_DOUBLE);
    if (!(distinct > 0))
        return added->lanes;
    return fmax(added->lanes, added->sectors * each * LANES / distinct) +
           added->repeats * cycles_of(machine, DEVICE_L2_ADD_SINGLE) * LANES / distinct;
}

/* The largest of n numbers that are normally distributed, in standard deviations above their mean (Gumbel's limit). */
static double largest_of(double n)
{
    const double root = sqrt(2 * log(n)), euler = 0.5772156649015329;

    return root - (log(log(n)) + log(4 * acos(-1)) - 2 * euler) / (2 * root);
}

double machine_busiest_of_row(const struct machine *machine, double lines)
{
    const struct device_curve *curve = &machine->device->curves[DEVICE_CURVE_ATOMIC_LINES];

    if (!curve->count || !(lines > 0) || lines > curve->x[curve->count - 1])
        return 0;
    return device_curve_at(curve, lines) / lines;
}

double machine_busiest_slice(const struct machine *machine, double unevenness)
{
    const double sms = (double)machine->device->limits.sm_count;
    const double all = machine_or_0(machine, DEVICE_L2_ADD_SINGLE) / SECTOR * sms;
    const double one = machine->capacities.sustained[RESOURCE_ATOMIC_PLACE].per_gpu;
    const double slices = one > 0 ? all / one : 0;

    return slices > FEW_SLICES && unevenness > 0 ? 1 / slices + largest_of(slices) * sqrt(unevenness / slices)
                                                 : 0;
}

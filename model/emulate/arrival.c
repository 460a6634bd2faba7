#include "model/emulate/arrival.h"

#include "model/emulate/access.h"
#include "model/emulate/cluster.h"
#include "model/emulate/operand.h"

/* Numbers that are met nowhere else, so far apart that sums of them are told apart, too. */
enum { PROBE = 0x5eed0000, PROBES_APART = 1 << 20, PROBE_REACH = 1 << 16 };

/* Blocks that one stands for which stands for none: where its own instructions find their data is told by counts. */
#define NEXT_TO_NOTHING 1e-6

enum { CORRECTIONS = 4 /* times that a block begins anew with other numbers */ };

static uint32_t probe_of(const struct arrivals *arrivals, const struct arrival *arrival)
{
    return PROBE + (uint32_t)(arrival - arrivals->list) * PROBES_APART;
}

void arrivals_reset(struct emulation *emulation)
{
    emulation->arrivals.corrections = 0;
}

void arrivals_begin(struct emulation *emulation)
{
    for (unsigned k = 0; k < emulation->arrivals.count; k++)
        emulation->arrivals.list[k].came = 0;
    emulation->arrivals.again = false;
}

static int begin_anew(struct emulation *emulation)
{
    emulation->restart = emulation->arrivals.again = true;
    return STEP_STOPPED;
}

/* A number that is none leads to accesses of no buffer, endless loops and the like: that says nothing of the block. */
static void forget_end(struct emulation *emulation)
{
    struct emulate_result *result = emulation->result;

    if (result->end != EMULATE_TIME)
        result->end = EMULATE_DONE;
    result->executed = emulation->arrivals.executed;
    emulation->counted = emulation->arrivals.counted;
    contention_release(&emulation->contention);
}

void arrivals_end(struct emulation *emulation)
{
    struct arrivals *arrivals = &emulation->arrivals;

    if (!arrivals->probing || emulation->restart)
        return;
    arrivals->probing = false;
    for (unsigned k = 0; k < arrivals->count; k++)
        if (arrivals->list[k].state == ARRIVAL_PROBED)
            arrivals->list[k].state = ARRIVAL_OTHER;
    forget_end(emulation);
    if (emulation->result->end == EMULATE_DONE)
        begin_anew(emulation);
}

/* Null where there are too many. */
static struct arrival *find(struct arrivals *arrivals, uint32_t atomic)
{
    for (unsigned k = 0; k < arrivals->count; k++)
        if (arrivals->list[k].atomic == atomic)
            return &arrivals->list[k];
    if (arrivals->count == ARRIVAL_COUNTERS)
        return NULL;
    arrivals->list[arrivals->count] = (struct arrival){.atomic = atomic};
    return &arrivals->list[arrivals->count++];
}

/* An atomic that nobody has looked at decides which way the block goes, or not. */
static int look(struct arrival *arrival, struct emulation *emulation)
{
    struct arrivals *arrivals = &emulation->arrivals;
    const struct slice_code code = emulation_code(emulation);
    bool decides;
    const int rc = slice_decides(&decides, &code, arrival->atomic, emulation->err);

    if (rc)
        return rc;
    arrival->state = decides ? ARRIVAL_PROBED : ARRIVAL_OTHER;
    if (!decides)
        return STEP_NEXT;
    if (!arrivals->probing) {
        arrivals->executed = emulation->result->executed;
        arrivals->counted = emulation->counted;
    }
    arrivals->probing = true;
    return begin_anew(emulation);
}

/* Clusters, or blocks where there are none. */
static uint64_t count_units(const struct emulation *emulation)
{
    return launch_blocks(emulation->launch) / cluster_count(emulation);
}

int arrival_take(uint32_t *old, bool *known, struct emulation *emulation, const struct request *request,
                 int32_t amount)
{
    struct arrivals *arrivals = &emulation->arrivals;
    struct arrival *arrival = find(arrivals, request->index);
    uint64_t number;

    if (!arrival)
        return STEP_NEXT;
    if (!amount || request->mask & (request->mask - 1))
        arrival->state = ARRIVAL_OTHER;
    if (arrival->state == ARRIVAL_NEW)
        return emulation_learns(emulation) ? look(arrival, emulation) : STEP_NEXT;
    if (arrival->state == ARRIVAL_OTHER || (arrival->state == ARRIVAL_PROBED && !arrivals->probing))
        return STEP_NEXT;
    arrival->amount = amount;
    arrival->first = *old;
    number = cluster_number(emulation, emulation->own.position) + arrival->came++;
    *known = true;
    emulation->result->arrivals |= arrival->state == ARRIVAL_KNOWN;
    emulation->result->last_of_all |=
        arrival->state == ARRIVAL_KNOWN && arrival->before + UINT64_C(1) == count_units(emulation);
    *old = arrival->state == ARRIVAL_PROBED
               ? probe_of(arrivals, arrival)
               : arrival->first + (uint32_t)amount * (uint32_t)(number % (arrival->before + UINT64_C(1)));
    return STEP_NEXT;
}

bool arrival_compares(const struct sass *i)
{
    return (i->op == SASS_ISETP || i->op == SASS_UISETP) &&
           (i->mod[SASS_MOD_COMPARE] == SASS_CMP_EQ || i->mod[SASS_MOD_COMPARE] == SASS_CMP_NE);
}

/* How many come before the one that gets the number `last`; 0 where none does. */
static uint32_t before_last(const struct arrival *arrival, uint32_t last)
{
    const int64_t steps = (int64_t)(int32_t)(last - arrival->first);

    return steps % arrival->amount == 0 && steps / arrival->amount > 0 ? (uint32_t)(steps / arrival->amount)
                                                                       : 0;
}

/* Whether `value` is what was made of the arrival's probe: *offset was added to it. */
static bool is_probe(int32_t *offset, const struct arrivals *arrivals, const struct arrival *arrival,
                     uint32_t value)
{
    *offset = (int32_t)(value - probe_of(arrivals, arrival));
    return *offset > -PROBE_REACH && *offset < PROBE_REACH;
}

/* Looks for probes among what is compared. */
static void meet(struct arrivals *arrivals, uint32_t compare, const uint32_t values[2])
{
    for (unsigned k = 0; k < 2 * arrivals->count; k++) {
        struct arrival *arrival = &arrivals->list[k / 2];
        const unsigned side = k % 2;
        int32_t offset, other;

        if (arrival->state != ARRIVAL_PROBED || !is_probe(&offset, arrivals, arrival, values[side]) ||
            is_probe(&other, arrivals, arrival, values[!side]))
            continue;
        arrival->before = before_last(arrival, values[!side] - (uint32_t)offset);
        if (!arrival->before)
            continue;
        arrival->state = ARRIVAL_KNOWN;
        arrival->compare = compare;
        arrival->side = side;
        arrival->offset = offset;
    }
}

/* Whether the arrivals that `compare` tells of are as many as was thought. */
static bool agrees(struct arrivals *arrivals, uint32_t compare, const uint32_t values[2])
{
    for (unsigned k = 0; k < arrivals->count; k++) {
        struct arrival *arrival = &arrivals->list[k];
        uint32_t before;

        if (arrival->state != ARRIVAL_KNOWN || arrival->compare != compare || !arrival->came)
            continue;
        before = before_last(arrival, values[!arrival->side] - (uint32_t)arrival->offset);
        if (before && before != arrival->before) {
            arrival->before = before;
            return false;
        }
    }
    return true;
}

int arrival_compare(struct emulation *emulation, const struct warp *warp, const struct sass *i, uint32_t mask)
{
    struct arrivals *arrivals = &emulation->arrivals;
    const uint32_t compare = i->pc / SASS_BYTES;
    const unsigned lane = mask ? (unsigned)__builtin_ctz(mask) : 0;
    uint32_t values[2];
    row scratch;

    for (unsigned side = 0; side < 2; side++) {
        if (!mask || operand_unknown(emulation, warp, &i->sources[side]) & lane_bit(lane))
            return STEP_NEXT;
        values[side] = operand_row(emulation, warp, &i->sources[side], 0, scratch)[lane];
    }
    if (arrivals->probing)
        meet(arrivals, compare, values);
    else if (!agrees(arrivals, compare, values) && arrivals->corrections++ < CORRECTIONS)
        return begin_anew(emulation);
    return STEP_NEXT;
}

bool arrivals_last(const struct emulate_result *result, const unsigned position[3], const unsigned grid[3])
{
    bool last = result->last_of_all;

    for (unsigned axis = 0; axis < 3; axis++)
        last &= position[axis] + 1 == grid[axis];
    return last;
}

void arrivals_set_apart(struct emulate_result *result, double blocks)
{
    double others = 0;

    for (size_t b = 0; b < result->block_count; b++)
        others += result->blocks[b].last_of_all ? 0 : result->blocks[b].weight;
    for (size_t b = 0; b < result->block_count && others > 0; b++)
        result->blocks[b].weight *= result->blocks[b].last_of_all ? NEXT_TO_NOTHING : blocks / others;
}

#include "model/emulate/ticket.h"

#include "base/array.h"
#include "model/emulate/access.h"
#include "model/emulate/cluster.h"

/* Times that a block takes from a counter before that is seen to hand out work. */
enum { SEEN = 3 };

void tickets_begin(struct emulation *emulation)
{
    for (unsigned k = 0; k < emulation->tickets.count; k++)
        emulation->tickets.list[k].taken = 0;
    emulation->tickets.begun = emulation->clock;
    emulation->tickets.taken = false;
}

void tickets_end(struct emulation *emulation, struct emulate_block *block)
{
    block->ticket_end = emulation->clock - emulation->tickets.begun;
}

/* Null where there are too many. */
static struct ticket_counter *find(struct tickets *tickets, uint64_t address, uint64_t amount, uint64_t first)
{
    for (unsigned k = 0; k < tickets->count; k++)
        if (tickets->list[k].address == address)
            return &tickets->list[k];
    if (tickets->count == TICKET_COUNTERS)
        return NULL;
    tickets->list[tickets->count] =
        (struct ticket_counter){.address = address, .amount = amount, .first = first, .other = !amount};
    return &tickets->list[tickets->count++];
}

static bool all_resident(const struct emulation *emulation)
{
    const uint64_t resident = emulation->tickets.resident;

    return !resident || launch_blocks(emulation->launch) <= resident;
}

/* The block takes from the counter once more. */
static int look(struct ticket_counter *counter, struct emulation *emulation, const struct request *request,
                uint64_t amount)
{
    const struct slice_code code = emulation_code(emulation);
    int rc;

    counter->other |= amount != counter->amount || (request->mask & (request->mask - 1));
    if (counter->other || ++counter->taken < SEEN)
        return STEP_NEXT;
    counter->other = true;
    rc = all_resident(emulation) ? slice_decides(&counter->hands_out, &code, request->index, emulation->err)
                                 : 0;
    if (rc || !counter->hands_out)
        return rc ? rc : STEP_NEXT;
    counter->other = false;
    emulation->together = emulation->restart = true; /* in turn, so that none of its warps takes all */
    return STEP_STOPPED;
}

/* Notes how far the block that is counted had come. */
static int note(struct emulation *emulation)
{
    struct emulate_block *block = emulation->block;
    const bool counts = emulation_learns(emulation);

    if (!counts)
        return 0;
    if (ARRAY_GROW(block->tickets, block->ticket_count, emulation->err))
        return ERR_MEMORY;
    block->tickets[block->ticket_count++] = emulation->clock - emulation->tickets.begun;
    return 0;
}

int ticket_take(uint64_t *old, bool *ticket, struct emulation *emulation, const struct request *request,
                unsigned lane, uint64_t amount)
{
    struct tickets *tickets = &emulation->tickets;
    const uint64_t units = launch_blocks(emulation->launch) / cluster_count(emulation);
    struct ticket_counter *counter = find(tickets, request->address[lane], amount, *old);

    *ticket = false;
    if (!counter || emulation->mode != EMULATE_SLICED)
        return STEP_NEXT;
    if (!counter->hands_out)
        return emulation_learns(emulation) ? look(counter, emulation, request, amount) : STEP_NEXT;
    *old = counter->first +
           counter->amount * (cluster_number(emulation, emulation->own.position) + units * counter->taken++);
    *ticket = tickets->taken = emulation->result->tickets = true;
    return note(emulation);
}

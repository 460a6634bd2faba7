#include "model/emulate/events.h"

#include "model/emulate/cluster.h"

#include <stdlib.h>

enum { TRACKED = 256 /* barriers of a cluster */ };

/* A barrier of some block of the cluster. */
struct tracked {
    uint32_t address;
    uint32_t ended;   /* phases so far */
    uint32_t *phases; /* of the own block's: their numbers in the block, 0 where nothing was noted */
    size_t capacity;
};

struct events {
    struct tracked tracked[TRACKED];
    size_t count;
    struct emulate_block *block;
    struct emulate_events *into; /* of the warp that executes; null: nothing is noted */
    size_t first;                /* event of the instruction being executed */
    uint32_t instruction;
    bool failed; /* memory */
};

bool emulate_notes(const struct sass *i)
{
    return i->op == SASS_SYNCS || i->op == SASS_ARRIVES || i->op == SASS_BAR || i->op == SASS_STAS ||
           i->op == SASS_UCGABAR_ARV || i->op == SASS_UCGABAR_WAIT || sass_copies_in_bulk(i);
}

int events_start(struct emulation *emulation, struct emulate_block *block, struct err *err)
{
    struct events *events = emulation->events;

    events_release(block);
    if (!emulation->waits || emulation->alone || emulation->lowest || emulation->signing)
        return 0;
    if (!events && !(events = emulation->events = calloc(1, sizeof *events)))
        return err_memory(err);
    for (size_t k = 0; k < events->count; k++)
        free(events->tracked[k].phases);
    *events = (struct events){.block = block};
    block->events = calloc(emulation->warp_count, sizeof *block->events);
    return block->events ? 0 : err_memory(err);
}

void events_close(struct emulation *emulation)
{
    struct events *events = emulation->events;

    for (size_t k = 0; events && k < events->count; k++)
        free(events->tracked[k].phases);
    free(events);
    emulation->events = NULL;
}

void events_release(struct emulate_block *block)
{
    if (block->borrows_events)
        block->events = NULL;
    block->borrows_events = false;
    for (unsigned w = 0; w < block->warps && block->events; w++)
        free(block->events[w].list);
    free(block->events);
    block->events = NULL;
    block->phases = 0;
}

static bool notes(const struct emulation *emulation)
{
    return emulation->events && emulation->block && emulation->events->block == emulation->block &&
           emulation->block->events;
}

/* Null where there are too many. */
static struct tracked *find(struct events *events, uint32_t address)
{
    for (size_t k = 0; k < events->count; k++)
        if (events->tracked[k].address == address)
            return &events->tracked[k];
    if (events->count == TRACKED)
        return NULL;
    events->tracked[events->count] = (struct tracked){.address = address};
    return &events->tracked[events->count++];
}

static uint32_t own_address(const struct emulation *emulation, uint32_t address)
{
    return address & EVENTS_BARRIER
               ? address
               : cluster_offset(address) | cluster_rank(emulation, emulation->block->position) << 24;
}

/* The number in the block of the own barrier's phase; 0 where the list is full. */
static uint32_t phase_number(struct events *events, struct tracked *own, uint32_t phase)
{
    if (phase >= own->capacity) {
        const size_t capacity = phase < 8 ? 16 : 2 * (size_t)phase;
        uint32_t *grown = realloc(own->phases, capacity * sizeof *grown);

        if (!grown) {
            events->failed = true;
            return 0;
        }
        for (size_t k = own->capacity; k < capacity; k++)
            grown[k] = 0;
        own->phases = grown;
        own->capacity = capacity;
    }
    if (!own->phases[phase])
        own->phases[phase] = ++events->block->phases;
    return own->phases[phase];
}

static void add(struct events *events, struct emulate_event event)
{
    struct emulate_events *into = events->into;

    if (!into || into->cut)
        return;
    if (into->count == EVENTS_MOST) {
        into->cut = true;
        return;
    }
    if (into->count == into->capacity) {
        const size_t capacity = into->capacity ? 2 * into->capacity : 256;
        struct emulate_event *grown = realloc(into->list, capacity * sizeof *grown);

        if (!grown) {
            events->failed = true;
            return;
        }
        into->list = grown;
        into->capacity = capacity;
    }
    event.instruction = events->instruction;
    into->list[into->count++] = event;
}

void events_begin(struct emulation *emulation, const struct warp *warp, const struct sass *i)
{
    struct events *events = emulation->events;

    if (!notes(emulation))
        return;
    events->into = cluster_is_peer(emulation) ? NULL : &emulation->block->events[warp->index];
    events->instruction = i->pc / SASS_BYTES;
    events->first = events->into ? events->into->count : 0;
}

int events_end(struct emulation *emulation, struct err *err)
{
    struct events *events = emulation->events;

    if (!notes(emulation))
        return 0;
    if (events->into && events->into->count == events->first)
        add(events, (struct emulate_event){0});
    if (events->into && !events->into->cut)
        events->into->list[events->into->count - 1].last = true;
    events->into = NULL;
    return events->failed ? err_memory(err) : 0;
}

/* The own block's phase that an event at this address counts for; 0: none. */
static uint32_t phase_of_event(struct emulation *emulation, uint32_t address, bool before)
{
    struct events *events = emulation->events;
    struct tracked *at = find(events, address), *own = find(events, own_address(emulation, address));

    if (!at || !own || (before && !at->ended))
        return 0;
    return phase_number(events, own, at->ended - before);
}

void events_arrive(struct emulation *emulation, uint32_t address)
{
    struct events *events = emulation->events;
    struct emulate_event *last;
    uint32_t phase;

    if (!notes(emulation) || !events->into || events->into->cut)
        return;
    phase = phase_of_event(emulation, address, false);
    last = events->into->count > events->first ? &events->into->list[events->into->count - 1] : NULL;
    if (last && last->phase == phase && !last->waits)
        last->arrivals++;
    else
        add(events, (struct emulate_event){.phase = phase, .arrivals = 1});
}

void events_wait(struct emulation *emulation, uint32_t address, bool over)
{
    struct events *events = emulation->events;

    if (notes(emulation) && events->into && !events->into->cut)
        add(events, (struct emulate_event){.phase = phase_of_event(emulation, address, over), .waits = true});
}

void events_phase_ends(struct emulation *emulation, uint32_t address)
{
    struct tracked *at = notes(emulation) ? find(emulation->events, address) : NULL;

    if (at)
        at->ended++;
}

/* Barriers of the thread block. As since sm_70, threads arrive, not warps: what of a warp arrives counts, and
 * threads that have ended are not waited for. */
#include "model/emulate/control.h"

#include "model/emulate/access.h"
#include "model/emulate/cluster.h"
#include "model/emulate/events.h"
#include "model/emulate/operand.h"

static bool is_complete(const struct emulation *emulation, const struct block_barrier *barrier)
{
    const uint32_t expected = barrier->expected ? barrier->expected : emulation->own.alive;

    return barrier->arrived && barrier->arrived >= expected;
}

static void let_go(struct emulation *emulation, unsigned index)
{
    struct block_barrier *barrier = &emulation->own.barriers[index];

    if (!cluster_is_peer(emulation))
        events_phase_ends(emulation, EVENTS_BARRIER + index);
    for (unsigned w = 0; w < emulation->warp_count; w++) {
        struct warp *warp = &emulation->own.warps[w];

        for (unsigned k = 0; k < warp->group_count; k++) {
            struct group *group = &warp->groups[k];
            unsigned kind;

            if (group->state != GROUP_AT_BARRIER || group->index != index)
                continue;
            kind = emulation->instructions[group->pc].mod[SASS_MOD_BARRIER];
            group->state = GROUP_READY;
            group->idle = false;
            group->pc++;
            warp->reduction[0] = barrier->population;
            warp->reduction[1] = kind == SASS_BAR_RED_AND ? barrier->all : barrier->any;
        }
    }
    *barrier = (struct block_barrier){.all = true};
    note_change(emulation);
}

void barrier_release(struct emulation *emulation)
{
    if (!emulation->alone)
        for (unsigned b = 0; b < BARRIERS; b++)
            if (!emulation->own.barriers[b].expected && is_complete(emulation, &emulation->own.barriers[b]))
                let_go(emulation, b);
}

/* The barrier's number and how many threads it is for, 0 for all. */
static int read_operands(uint32_t out[2], struct emulation *emulation, const struct warp *warp,
                         const struct sass *i, uint32_t mask)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct sass_operand *operand = data_operand(i, k);
        row scratch;

        out[k] = 0;
        if (!operand)
            continue;
        if (operand_unknown(emulation, warp, operand) & mask)
            return stop_at(emulation, i, EMULATE_INCOMPLETE, "an operand of BAR is unknown");
        out[k] = operand_row(emulation, warp, operand, 0, scratch)[__builtin_ctz(mask)];
    }
    if (out[0] >= BARRIERS)
        return stop_at(emulation, i, EMULATE_TRAP, "barrier %u: a block has %d", out[0], BARRIERS);
    return STEP_NEXT;
}

static void reduce(struct block_barrier *barrier, const struct warp *warp, const struct sass *i,
                   uint32_t mask)
{
    for (unsigned k = 0; k < i->source_count; k++)
        if (i->sources[k].kind == SASS_PREDICATE) {
            const uint32_t values = predicate_read(warp, &i->sources[k]) & mask;

            barrier->population += (uint32_t)__builtin_popcount(values);
            barrier->all &= values == mask;
            barrier->any |= values != 0;
        }
}

int barrier_execute(struct emulation *emulation, struct warp *warp, struct group *group, const struct sass *i,
                    uint32_t mask)
{
    struct block_barrier *barrier;
    uint32_t operand[2];
    int rc;

    if (!mask)
        return STEP_NEXT;
    rc = read_operands(operand, emulation, warp, i, mask);
    if (rc)
        return rc;
    if (mask != group->mask) { /* the others go on */
        group_add(warp, group->mask & ~mask, group->pc + 1);
        group->mask = mask;
    }
    if (emulation->alone) {
        warp->passed++;
        return STEP_NEXT;
    }
    barrier = &emulation->own.barriers[operand[0]];
    events_arrive(emulation, EVENTS_BARRIER + operand[0]);
    if (i->mod[SASS_MOD_BARRIER] != SASS_BAR_ARRIVE)
        events_wait(emulation, EVENTS_BARRIER + operand[0], false);
    barrier->arrived += (uint32_t)__builtin_popcount(mask);
    barrier->expected = operand[1];
    reduce(barrier, warp, i, mask);
    note_change(emulation);
    if (i->mod[SASS_MOD_BARRIER] != SASS_BAR_ARRIVE) {
        group->state = GROUP_AT_BARRIER;
        group->index = (uint8_t)operand[0];
    }
    if (is_complete(emulation, barrier))
        let_go(emulation, operand[0]);
    return i->mod[SASS_MOD_BARRIER] == SASS_BAR_ARRIVE ? STEP_NEXT : STEP_BLOCKED;
}

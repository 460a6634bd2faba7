#include "model/emulate/converge.h"

/* Groups without lanes go; the turn stays with the group that has it. */
static void drop_empty(struct warp *warp)
{
    unsigned kept = 0, turn = warp->turn;

    for (unsigned k = 0; k < warp->group_count; k++) {
        if (!warp->groups[k].mask) {
            turn -= k < warp->turn;
            continue;
        }
        warp->groups[kept++] = warp->groups[k];
    }
    warp->group_count = kept;
    warp->turn = turn < kept ? turn : 0;
}

/* Joins the released groups, bit k of `released` for group k, that are at the same instruction. */
static void join(struct warp *warp, uint32_t released)
{
    for (uint32_t left = released; left; left &= left - 1) {
        struct group *into = &warp->groups[__builtin_ctz(left)];

        into->state = GROUP_READY;
        into->idle = false;
        into->pc++;
        for (uint32_t rest = left & (left - 1); rest; rest &= rest - 1) {
            struct group *from = &warp->groups[__builtin_ctz(rest)];

            if (from->pc + 1 != into->pc)
                continue;
            into->mask |= from->mask;
            from->mask = 0;
            left &= ~(UINT32_C(1) << (from - warp->groups));
        }
    }
    drop_empty(warp);
}

/* The lanes that a waiting group waits for, itself included. Those that met at a YIELD came from different
 * BSSY, so that each waits for others. */
static uint32_t awaited_by(const struct warp *warp, const struct group *group)
{
    uint32_t awaited = group->state == GROUP_AT_WARPSYNC ? group->awaited : 0;

    if (group->state == GROUP_AT_RECONVERGENCE)
        for (uint32_t left = group->mask; left; left &= left - 1)
            awaited |= warp->regs->b[group->index][__builtin_ctz(left)];
    return awaited & ~warp->exited;
}

static uint32_t yielded_lanes(const struct warp *warp)
{
    uint32_t lanes = 0;

    for (unsigned k = 0; k < warp->group_count; k++)
        lanes |= warp->groups[k].state == GROUP_AT_YIELD ? warp->groups[k].mask : 0;
    return lanes;
}

/* The lanes that wait at each convergence barrier, at a WARPSYNC, and those that have yielded. */
struct met {
    uint32_t barrier[RECONVERGE], sync, yielded;
};

static void find_met(struct met *out, const struct warp *warp)
{
    *out = (struct met){.yielded = yielded_lanes(warp)};
    for (unsigned k = 0; k < warp->group_count; k++) {
        const struct group *group = &warp->groups[k];

        if (group->state == GROUP_AT_RECONVERGENCE)
            out->barrier[group->index] |= group->mask;
        else if (group->state == GROUP_AT_WARPSYNC)
            out->sync |= group->mask;
    }
}

/* Whether all that a group waits for wait at the same place; what these wait for is not looked at. */
static bool may_go(const struct warp *warp, const struct group *group, const struct met *met)
{
    if (group->state == GROUP_AT_RECONVERGENCE)
        return !(awaited_by(warp, group) & ~met->barrier[group->index] & ~met->yielded);
    return group->state == GROUP_AT_WARPSYNC && !(awaited_by(warp, group) & ~met->sync);
}

/* Whether another group waits with one that waits for `awaited`. Groups that met at a YIELD have lanes of several BSSY, those at a
 * WARPSYNC may have lanes with several masks, and so they wait for each other as soon as they have lanes of one. */
static bool waits_with(const struct group *group, const struct group *other, uint32_t awaited)
{
    return other->state == group->state && other->index == group->index && other->mask & awaited;
}

/* Groups that wait together with `group`, and for whom they all wait: all of them when none is missing, else none. A
 * convergence barrier does not wait for lanes that have yielded, or a loop that waits for another lane of its warp would
 * never end (US patent application 2016/0019066). */
static uint32_t complete_set(uint32_t *awaited, const struct warp *warp, const struct group *group,
                             const struct met *met)
{
    const uint32_t excused = group->state == GROUP_AT_RECONVERGENCE ? met->yielded : 0;
    uint32_t here = group->mask, set = UINT32_C(1) << (group - warp->groups), before = 0;

    *awaited = awaited_by(warp, group);
    while (set != before) {
        before = set;
        for (unsigned k = 0; k < warp->group_count; k++)
            if (!(set >> k & 1) && waits_with(group, &warp->groups[k], *awaited)) {
                here |= warp->groups[k].mask;
                set |= UINT32_C(1) << k;
                *awaited |= awaited_by(warp, &warp->groups[k]);
            }
    }
    return *awaited & ~here & ~excused ? 0 : set;
}

/* Lanes that yielded come later, alone: they and those let go do not wait for one another. */
static void part(struct emulation *emulation, struct warp *warp, unsigned index, uint32_t awaited)
{
    row *b = &warp->regs->b[index];
    const uint32_t late = awaited & yielded_lanes(warp);

    for (unsigned l = 0; l < LANES && late; l++)
        if (awaited >> l & 1)
            (*b)[l] &= late >> l & 1 ? late : ~late;
    emulation->result->parted |= late != 0;
}

void converge(struct emulation *emulation, struct warp *warp)
{
    struct met met;

    drop_empty(warp);
    find_met(&met, warp);
    for (unsigned k = 0; k < warp->group_count;) {
        const struct group *group = &warp->groups[k];
        uint32_t awaited;
        const uint32_t set = may_go(warp, group, &met) ? complete_set(&awaited, warp, group, &met) : 0;

        if (!set) {
            k++;
            continue;
        }
        if (group->state == GROUP_AT_RECONVERGENCE)
            part(emulation, warp, group->index, awaited);
        join(warp, set);
        note_change(emulation);
        find_met(&met, warp);
        k = 0;
    }
}

bool converge_resume(struct warp *warp)
{
    uint32_t yielded = 0;

    for (unsigned k = 0; k < warp->group_count; k++)
        yielded |= warp->groups[k].state == GROUP_AT_YIELD ? UINT32_C(1) << k : 0;
    join(warp, yielded);
    return yielded;
}

int converge_wait(struct emulation *emulation, struct warp *warp, struct group *group, enum group_state state,
                  uint8_t index, uint32_t awaited)
{
    group->state = (uint8_t)state;
    group->index = index;
    group->awaited = awaited;
    converge(emulation, warp);
    return STEP_BLOCKED;
}

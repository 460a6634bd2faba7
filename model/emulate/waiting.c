#include "model/emulate/waiting.h"

#include "model/emulate/operand.h"

void waiting_find(struct emulation *emulation, const struct sass_code *code)
{
    struct waiting *waiting = &emulation->waiting;
    struct sass_spin loop;

    for (size_t from = 0; waiting->count < WAITING_LOOPS && sass_spin(&loop, code, from);
         from = loop.back + 1)
        if (loop.exit < code->count) {
            waiting->loops[waiting->count++] = loop;
            emulation->traits[loop.back] |= TRAIT_WAITS;
        }
}

static void leave(struct emulation *emulation, struct warp *warp, struct group *group)
{
    const struct waiting *waiting = &emulation->waiting;

    for (unsigned k = 0; k < waiting->count; k++) {
        const struct sass_spin *loop = &waiting->loops[k];

        if (loop->back != group->back_pc)
            continue;
        for (size_t i = loop->first; i < loop->back; i++)
            if (sass_spin_loads(&emulation->instructions[i]))
                make_unknown(warp, &emulation->instructions[i], group->mask);
        group->pc = (uint32_t)loop->exit;
    }
    group->waits = false;
}

void waiting_note(struct emulation *emulation, struct warp *warp, struct group *group, uint32_t back)
{
    group->back_pc = back;
    group->waits = true;
    if (emulation->alone)
        leave(emulation, warp, group);
}

bool waiting_end(struct emulation *emulation)
{
    bool any = false;

    for (unsigned w = 0; w < emulation->warp_count; w++)
        for (unsigned k = 0; k < emulation->own.warps[w].group_count; k++) {
            struct warp *warp = &emulation->own.warps[w];

            if (!warp->groups[k].waits)
                continue;
            leave(emulation, warp, &warp->groups[k]);
            any = true;
        }
    return any;
}

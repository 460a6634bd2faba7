#include "model/emulate/speculate.h"

static bool is_stale(struct emulation *emulation, const struct registers *regs, unsigned index,
                     unsigned count, uint32_t mask)
{
    for (unsigned r = index; r < index + count && r < SASS_RZ; r++)
        if (regs->stale[r] & mask) {
            emulation->mistrust = regs->stale_by[r];
            return true;
        }
    return false;
}

bool speculation_fails(struct emulation *emulation, const struct warp *warp, const struct sass *i,
                       uint32_t mask)
{
    const struct registers *regs = warp->regs;

    if (!regs->doubtful || !mask)
        return false;
    for (unsigned k = 0; k < i->access_count; k++)
        if (is_stale(emulation, regs, i->accesses[k].index, sass_address_registers(&i->accesses[k]), mask))
            return true;
    if (!emulation->slice.wanted[i->pc / SASS_BYTES])
        return false;
    for (unsigned k = 0; k < i->source_count; k++)
        if (i->sources[k].kind == SASS_REGISTER &&
            is_stale(emulation, regs, i->sources[k].index, i->sources[k].count, mask))
            return true;
    return false;
}

void speculation_note(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t group,
                      uint32_t mask)
{
    const bool trusted = emulation->slice.trusted[i->pc / SASS_BYTES];
    struct registers *regs = warp->regs;

    if (!regs->doubtful && !trusted)
        return;
    for (unsigned k = 0; k < i->destination_count; k++) {
        const struct sass_operand *to = &i->destinations[k];

        for (unsigned r = to->index; to->kind == SASS_REGISTER && r < to->index + to->count && r < SASS_RZ;
             r++) {
            regs->stale[r] &= ~mask;
            if (!trusted || !(group & ~mask))
                continue;
            regs->stale[r] |= group & ~mask;
            regs->stale_by[r] = i->pc / SASS_BYTES;
            regs->doubtful = true;
        }
    }
}

#include "model/emulate/stas.h"

#include "model/emulate/mbarrier.h"

/* Lanes of `mask` that name the mbarrier that its first lane does. */
static uint32_t with_first(const uint32_t *mbarrier, uint32_t mask)
{
    const uint32_t named = mbarrier[__builtin_ctz(mask)];
    uint32_t same = 0;

    for (uint32_t left = mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);

        same |= mbarrier[lane] == named ? lane_bit(lane) : 0;
    }
    return same;
}

/* The bytes of lanes that name one mbarrier complete together, as one event of the warp. */
int stas_complete(struct emulation *emulation, struct warp *warp, const struct request *request)
{
    const struct registers *regs = warp->regs;
    const unsigned behind = request->i->accesses[0].index + 1u;
    uint32_t left = request->mask;

    if (emulation->alone || emulation->signing) /* every wait succeeds */
        return STEP_NEXT;
    if (behind >= SASS_RZ || (regs->tainted && regs->r_unknown[behind] & request->mask))
        return stop_at(emulation, request->i, EMULATE_INCOMPLETE, "the mbarrier of %s is unknown",
                       sass_info((enum sass_op)request->i->op)->name);
    while (left) {
        const uint32_t same = with_first(regs->r[behind], left);
        const uint64_t bytes = (uint64_t)__builtin_popcount(same) * request->width;
        const int rc =
            mbarrier_complete(emulation, warp, request->i, regs->r[behind][__builtin_ctz(left)], bytes);

        if (rc)
            return rc;
        left &= ~same;
    }
    return STEP_NEXT;
}

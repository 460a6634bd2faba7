/* Bulk copies and reductions (UBLKCP, UBLKRED): consecutive bytes between global and shared memory, whose
 * addresses and number stand in uniform registers. They are done at once, as requests of a warp with 16 bytes
 * a lane; their bytes complete at the mbarrier of a load as they are issued. What goes from shared memory to that
 * of another block of the cluster is a load by that block, which the own one issues. */
#include "model/emulate/access.h"
#include "model/emulate/cluster.h"
#include "model/emulate/mbarrier.h"

enum { WIDTH = 16, UNITS = 0xffff /* of WIDTH bytes: the low half of the size's register */ };

/* Operands in the order of the assembler: where to, where from, how much. */
struct bulk {
    uint64_t to, from, bytes;
    uint32_t mbarrier; /* of a load: the register behind the place */
};

static uint64_t pair_of(const struct warp *warp, const struct sass_operand *operand, unsigned lane)
{
    const struct registers *regs = warp->regs;

    return operand->index + 1u < SASS_URZ
               ? regs->u[operand->index][lane] | (uint64_t)regs->u[operand->index + 1][lane] << 32
               : 0;
}

/* Apart, where a copy goes to in shared memory is not followed. */
static bool is_unknown(const struct warp *warp, const struct sass *i, unsigned lane, bool apart)
{
    const uint32_t *unknown = warp->regs->u_unknown;
    const unsigned shared = i->accesses[0].access == SASS_READS ? 0 : 1;
    uint32_t found = 0;

    if (!warp->regs->tainted)
        return false;
    for (unsigned k = 0; k < i->source_count; k++)
        for (unsigned n = 0; n < i->sources[k].count && !(apart && k == shared); n++)
            if (i->sources[k].kind == SASS_UNIFORM_REGISTER && i->sources[k].index + n < SASS_URZ)
                found |= unknown[i->sources[k].index + n];
    return found >> lane & 1;
}

static struct request part_of(const struct sass *i, unsigned which, uint64_t address, uint64_t bytes)
{
    const unsigned lanes = bytes < LANES * WIDTH ? (unsigned)(bytes / WIDTH) : LANES;
    struct request part = {.i = i,
                           .index = i->pc / SASS_BYTES,
                           .mask = lanes < LANES ? lane_bit(lanes) - 1 : UINT32_MAX,
                           .width = WIDTH,
                           .space = i->accesses[which].space,
                           .access = i->accesses[which].access,
                           .second = (uint8_t)which};

    for (unsigned l = 0; l < LANES; l++)
        part.address[l] = address + (uint64_t)l * WIDTH;
    return part;
}

/* Of a reduction what comes out is not known. */
static int move(struct emulation *emulation, struct warp *warp, const struct request *from,
                const struct request *to)
{
    const bool reduces = to->i->op == SASS_UBLKRED;

    for (uint32_t left = from->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        struct cell source, target;
        int rc = cell_find(&source, emulation, warp, from, lane);

        if (!rc)
            rc = cell_find(&target, emulation, warp, to, lane);
        if (rc)
            return rc;
        cell_store(emulation, &target, source.bytes, WIDTH, reduces || cell_unknown(&source, WIDTH));
    }
    note_change(emulation);
    return STEP_NEXT;
}

static int execute_part(struct emulation *emulation, struct warp *warp, const struct sass *i,
                        const struct bulk *bulk, uint64_t done, bool counts)
{
    const bool loads = i->accesses[0].access == SASS_READS; /* else access 0 is what is written */
    const uint64_t global = (loads ? bulk->from : bulk->to) + done,
                   shared = (uint32_t)((loads ? bulk->to : bulk->from) + done);
    const struct request outer = part_of(i, 0, global, bulk->bytes - done),
                         inner = part_of(i, 1, shared, bulk->bytes - done);
    const int rc = counts ? request_pass(emulation, &outer, false) : 0;

    if (rc || !emulation->slice.wanted[outer.index])
        return rc;
    return loads ? move(emulation, warp, &outer, &inner) : move(emulation, warp, &inner, &outer);
}

/* Counted once, however many blocks it goes to. */
static int execute(struct emulation *emulation, struct warp *warp, const struct sass *i,
                   const struct bulk *bulk, bool counts)
{
    for (uint64_t done = 0; done < bulk->bytes; done += LANES * WIDTH) {
        const int rc = execute_part(emulation, warp, i, bulk, done, counts);

        if (rc)
            return rc;
    }
    return i->accesses[0].access == SASS_READS
               ? mbarrier_complete(emulation, warp, i, bulk->mbarrier, bulk->bytes)
               : STEP_NEXT;
}

int bulk_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask)
{
    const unsigned lane = (unsigned)__builtin_ctz(mask);
    const uint32_t size = warp->regs->u[i->sources[2].index][lane];
    const bool across = sass_is_bulk_across(i);
    struct bulk bulk = {
        .to = pair_of(warp, &i->sources[0], lane),
        .from = across ? warp->regs->u[i->sources[1].index][lane] : pair_of(warp, &i->sources[1], lane),
        .bytes = (uint64_t)(size & UNITS) * WIDTH,
        .mbarrier = (uint32_t)(pair_of(warp, &i->sources[0], lane) >> 32),
    };
    uint32_t ranks = size >> 16;
    int rc = 0;

    if (is_unknown(warp, i, lane, emulation->slice.apart))
        return stop_at(emulation, i, EMULATE_INCOMPLETE, "an address or the size of %s is unknown",
                       sass_info((enum sass_op)i->op)->name);
    if (i->op == SASS_UBLKCP && i->accesses[0].access == SASS_READS && !across)
        note_receivers(emulation, warp, i, lane);
    if (!(i->mod[SASS_MOD_VARIANT] & SASS_BULK_MULTICAST) || emulation->slice.apart)
        return execute(emulation, warp, i, &bulk, true);
    for (bool counts = true; ranks && !rc; ranks &= ranks - 1, counts = false) {
        const uint32_t rank = (uint32_t)__builtin_ctz(ranks) << 24;

        bulk.to = cluster_offset((uint32_t)bulk.to) | rank;
        bulk.mbarrier = cluster_offset(bulk.mbarrier) | rank;
        rc = execute(emulation, warp, i, &bulk, counts);
    }
    return rc;
}

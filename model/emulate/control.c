#include "model/emulate/control.h"

#include "model/emulate/access.h"
#include "model/emulate/cluster.h"
#include "model/emulate/converge.h"
#include "model/emulate/operand.h"

#include <string.h>

bool is_control(const struct sass *i)
{
    return sass_info((enum sass_op)i->op)->class == SASS_CLASS_CONTROL || i->op == SASS_BAR ||
           i->op == SASS_UCGABAR_ARV || i->op == SASS_UCGABAR_WAIT;
}

struct group *group_add(struct warp *warp, uint32_t mask, uint32_t pc)
{
    struct group *group = &warp->groups[warp->group_count++];

    *group = (struct group){.mask = mask, .pc = pc};
    return group;
}

/* A target without code: a function that is not the kernel's own, or nothing at all. */
static int no_code(struct emulation *emulation, const struct sass *i, uint64_t target)
{
    const struct cubin_symbol *symbol = foreign_symbol(emulation->cubin, target);
    const char *name = sass_info((enum sass_op)i->op)->name;

    if (symbol && !strcmp(symbol->name, "__assertfail"))
        return stop_at(emulation, i, EMULATE_TRAP, "an assertion of the kernel failed");
    if (symbol)
        return stop_at(emulation, i, EMULATE_INCOMPLETE,
                       "%s of %s, whose code is not the kernel's own (as with printf, malloc, -G, -rdc)",
                       name, symbol->name);
    return stop_at(emulation, i, EMULATE_BAD_BRANCH, "%s leads to %#llx, where no instruction is", name,
                   (unsigned long long)target);
}

/* Lanes `mask` of the group go elsewhere; the rest goes on behind the instruction. */
static int branch(struct emulation *emulation, struct warp *warp, struct group *group, const struct sass *i,
                  uint32_t mask, uint64_t target)
{
    if (!mask)
        return STEP_NEXT;
    if (target % SASS_BYTES || target / SASS_BYTES >= emulation->count)
        return no_code(emulation, i, target);
    if (mask != group->mask) {
        group->mask &= ~mask;
        group_add(warp, mask, (uint32_t)(target / SASS_BYTES));
        return STEP_NEXT;
    }
    group->pc = (uint32_t)(target / SASS_BYTES);
    return STEP_JUMPED;
}

int control_jump(struct emulation *emulation, struct warp *warp, struct group *group, const struct sass *i)
{
    return branch(emulation, warp, group, i, group->mask, (uint64_t)i->target);
}

/* Each lane has its own target, in a register pair: those with the same go together. */
static int branch_indirect(struct emulation *emulation, struct warp *warp, struct group *group,
                           const struct sass *i, uint32_t mask)
{
    const struct sass_operand *source = &i->sources[0];
    const uint64_t base = i->has_target ? (uint64_t)i->target : 0;
    row low, high;
    const uint32_t *lows, *highs;

    for (unsigned k = 0; k < i->source_count; k++)
        if (i->sources[k].kind == SASS_REGISTER || i->sources[k].kind == SASS_UNIFORM_REGISTER)
            source = &i->sources[k];
    if (operand_unknown(emulation, warp, source) & mask)
        return stop_at(emulation, i, EMULATE_INCOMPLETE, "the target of %s is unknown",
                       sass_info((enum sass_op)i->op)->name);
    lows = operand_row(emulation, warp, source, 0, low);
    highs = operand_row(emulation, warp, source, 1, high);
    while (mask) {
        const unsigned first = (unsigned)__builtin_ctz(mask);
        uint32_t same = 0;
        int rc;

        for (uint32_t left = mask; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);

            same |= (uint32_t)(lows[lane] == lows[first] && highs[lane] == highs[first]) << lane;
        }
        rc = branch(emulation, warp, group, i, same, base + (lows[first] | (uint64_t)highs[first] << 32));
        if (rc)
            return rc;
        mask &= ~same;
    }
    return STEP_NEXT;
}

/* BRA.DIV branches where lanes of its mask are missing, BRA.CONV where none is, BRA.ANY with all lanes if one
 * of them does, BRA.U if all of them do: where some do, all go on to the region behind it, which branches again. */
static int execute_bra(struct emulation *emulation, struct warp *warp, struct group *group,
                       const struct sass *i, uint32_t mask)
{
    const struct sass_operand *lanes = data_operand(i, 0);

    if (lanes) {
        row scratch;
        const uint32_t wanted =
            operand_row(emulation, warp, lanes, 0, scratch)[__builtin_ctz(group->mask)] & ~warp->exited;
        const bool diverged = wanted != group->mask;

        if (diverged != (i->mod[SASS_MOD_VARIANT] == SASS_BRANCH_DIVERGED))
            mask = 0;
    }
    if (mask && i->mod[SASS_MOD_VOTE] == SASS_VOTE_ANY)
        mask = group->mask;
    if (i->mod[SASS_MOD_VARIANT] == SASS_BRANCH_UNANIMOUS && mask != group->mask)
        mask = 0;
    return branch(emulation, warp, group, i, mask, (uint64_t)i->target);
}

static int execute_exit(struct emulation *emulation, struct warp *warp, struct group *group, uint32_t mask)
{
    if (!mask)
        return STEP_NEXT;
    warp->exited |= mask;
    emulation->own.alive -= (unsigned)__builtin_popcount(mask);
    group->mask &= ~mask;
    group->pc++;
    note_change(emulation);
    converge(emulation, warp);
    barrier_release(emulation);
    cluster_release_barrier(emulation);
    return STEP_BLOCKED;
}

/* The lanes `mask` no longer reconverge there: nobody waits for them. */
static int execute_break(struct emulation *emulation, struct warp *warp, struct group *group, unsigned index,
                         uint32_t mask)
{
    uint32_t *b = warp->regs->b[index], together = 0;

    if (!mask)
        return STEP_NEXT;
    for (uint32_t left = mask; left; left &= left - 1) /* those that met at a YIELD wait for different ones */
        together |= b[__builtin_ctz(left)];
    for (unsigned l = 0; l < LANES; l++)
        if (together >> l & 1)
            b[l] &= ~mask;
    group->pc++;
    converge(emulation, warp);
    return STEP_BLOCKED;
}

/* Others of the warp go first, and meet it here where they come by. */
static int execute_yield(struct emulation *emulation, struct warp *warp, struct group *group)
{
    return warp->group_count == 1 ? STEP_NEXT : converge_wait(emulation, warp, group, GROUP_AT_YIELD, 0, 0);
}

static const struct sass_operand *find_operand(const struct sass *i, enum sass_operand_kind kind)
{
    for (unsigned k = 0; k < i->destination_count; k++)
        if (i->destinations[k].kind == kind)
            return &i->destinations[k];
    for (unsigned k = 0; k < i->source_count; k++)
        if (i->sources[k].kind == kind)
            return &i->sources[k];
    return NULL;
}

/* Moves a convergence barrier to or from a register. */
static int execute_bmov(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask)
{
    const struct sass_operand *b = find_operand(i, SASS_RECONVERGENCE);
    row scratch;

    if (!b)
        return stop_at(emulation, i, EMULATE_INCOMPLETE, "BMOV of a special barrier");
    if (i->destination_count && i->destinations[0].kind != SASS_RECONVERGENCE) {
        operand_store(warp, &i->destinations[0], &warp->regs->b[b->index % RECONVERGE], 1, mask, 0);
    } else {
        const uint32_t *from = operand_row(emulation, warp, &i->sources[0], 0, scratch);

        for (unsigned l = 0; l < LANES; l++)
            if (mask >> l & 1)
                warp->regs->b[b->index % RECONVERGE][l] = from[l];
    }
    return STEP_NEXT;
}

/* WARPSYNC.EXCLUSIVE: lanes with another mask come later, alone, so that what looks at the active lanes
 * (REDUX, MATCH) sees those of one mask. */
static uint32_t keep_one_mask(struct warp *warp, struct group *group, uint32_t mask, const uint32_t *masks)
{
    const uint32_t wanted = masks[__builtin_ctz(mask)];
    uint32_t others = 0;

    for (uint32_t left = mask; left; left &= left - 1)
        others |= masks[__builtin_ctz(left)] != wanted ? left & -left : 0;
    if (others)
        group_add(warp, others, group->pc);
    group->mask &= ~others;
    return mask & ~others;
}

static int execute_warpsync(struct emulation *emulation, struct warp *warp, struct group *group,
                            const struct sass *i, uint32_t mask)
{
    const struct sass_operand *source = data_operand(i, 0);
    uint32_t awaited = ALL_LANES;
    const uint32_t *masks;
    row scratch;

    if (!mask)
        return STEP_NEXT;
    if (source) {
        if (operand_unknown(emulation, warp, source) & mask)
            return stop_at(emulation, i, EMULATE_INCOMPLETE, "the mask of WARPSYNC is unknown");
        masks = operand_row(emulation, warp, source, 0, scratch);
        if (i->mod[SASS_MOD_VARIANT] == 2)
            mask = keep_one_mask(warp, group, mask, masks);
        awaited = 0;
        for (uint32_t left = mask; left; left &= left - 1)
            awaited |= masks[__builtin_ctz(left)];
    }
    if ((awaited & ~warp->exited & ~group->mask) == 0 && mask == group->mask)
        return STEP_NEXT;
    if (mask != group->mask) { /* the others go on */
        group_add(warp, group->mask & ~mask, group->pc + 1);
        group->mask = mask;
    }
    return converge_wait(emulation, warp, group, GROUP_AT_WARPSYNC, 0, awaited);
}

static int execute_bssy(struct emulation *emulation, struct warp *warp, const struct group *group,
                        const struct sass *i, uint32_t mask)
{
    const struct sass_operand *b = find_operand(i, SASS_RECONVERGENCE);
    uint32_t *lanes = warp->regs->b[b->index % RECONVERGE];

    (void)emulation;
    for (unsigned l = 0; l < LANES; l++) /* without branches */
        lanes[l] = mask >> l & 1 ? group->mask : lanes[l];
    return STEP_NEXT;
}

/* Every control instruction has a condition beside its guard. */
static int add_condition(uint32_t *mask, struct emulation *emulation, const struct warp *warp,
                         const struct sass *i)
{
    for (unsigned k = 0; k < i->source_count; k++) {
        const struct sass_operand *source = &i->sources[k];

        if (!operand_is_predicate(source))
            continue;
        if (operand_unknown(emulation, warp, source) & *mask)
            return stop_at(emulation, i, EMULATE_INCOMPLETE, "the predicate of %s is unknown",
                           sass_info((enum sass_op)i->op)->name);
        *mask &= predicate_read(warp, source);
    }
    return STEP_NEXT;
}

bool is_plain_branch(const struct sass *i)
{
    bool plain = i->op == SASS_BRA && !data_operand(i, 0) && i->mod[SASS_MOD_VOTE] != SASS_VOTE_ANY &&
                 i->mod[SASS_MOD_VARIANT] != SASS_BRANCH_UNANIMOUS;

    for (unsigned k = 0; k < i->source_count; k++)
        plain &= !operand_is_predicate(&i->sources[k]) ||
                 (i->sources[k].index == SASS_PT && !i->sources[k].invert);
    return plain;
}

int control_execute(struct emulation *emulation, struct warp *warp, struct group *group, const struct sass *i,
                    uint32_t mask)
{
    const struct sass_operand *b;
    int rc;

    if (emulation->traits[group->pc] & TRAIT_PLAIN)
        return branch(emulation, warp, group, i, mask, (uint64_t)i->target);
    b = find_operand(i, SASS_RECONVERGENCE);
    rc = i->op == SASS_BAR ? STEP_NEXT : add_condition(&mask, emulation, warp, i);
    if (rc)
        return rc;
    switch ((enum sass_op)i->op) {
    case SASS_BRA:
        return execute_bra(emulation, warp, group, i, mask);
    case SASS_CALL:
        return find_operand(i, SASS_REGISTER) || find_operand(i, SASS_UNIFORM_REGISTER)
                   ? branch_indirect(emulation, warp, group, i, mask)
                   : branch(emulation, warp, group, i, mask, (uint64_t)i->target);
    case SASS_BRX:
    case SASS_BRXU:
    case SASS_JMX:
    case SASS_RET:
        return branch_indirect(emulation, warp, group, i, mask);
    case SASS_EXIT:
    case SASS_KILL:
        return execute_exit(emulation, warp, group, mask);
    case SASS_BSSY:
        return execute_bssy(emulation, warp, group, i, mask);
    case SASS_BSYNC:
        return converge_wait(emulation, warp, group, GROUP_AT_RECONVERGENCE, b->index % RECONVERGE, 0);
    case SASS_BREAK:
        return execute_break(emulation, warp, group, b->index % RECONVERGE, mask);
    case SASS_BMOV:
        return execute_bmov(emulation, warp, i, mask);
    case SASS_WARPSYNC:
        return execute_warpsync(emulation, warp, group, i, mask);
    case SASS_UCGABAR_ARV:
    case SASS_UCGABAR_WAIT:
        return cluster_barrier(emulation, warp, group, i);
    case SASS_BAR:
        return barrier_execute(emulation, warp, group, i, mask);
    case SASS_BPT:
        return mask ? stop_at(emulation, i, EMULATE_TRAP, "the kernel stopped itself") : STEP_NEXT;
    case SASS_ENDCOLLECTIVE: /* lanes that met at a WARPSYNC.COLLECTIVE stay together */
        return STEP_NEXT;
    case SASS_YIELD:
    case SASS_NANOSLEEP:
        return execute_yield(emulation, warp, group);
    default:
        return stop_at(emulation, i, EMULATE_INCOMPLETE, "%s is not emulated",
                       sass_info((enum sass_op)i->op)->name);
    }
}

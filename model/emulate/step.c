#include "model/emulate/step.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/key.h"
#include "model/emulate/access.h"
#include "model/emulate/alu.h"
#include "model/emulate/control.h"
#include "model/emulate/converge.h"
#include "model/emulate/events.h"
#include "model/emulate/foresee.h"
#include "model/emulate/mbarrier.h"
#include "model/emulate/operand.h"
#include "model/emulate/signature.h"
#include "model/emulate/special.h"
#include "model/emulate/speculate.h"
#include "model/emulate/steady.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    TURN = 4096,       /* instructions of a group before another one has its turn */
    QUIET = 1 << 14,   /* instructions without any change after which a repeating state is looked for */
    WATCHFUL = 1 << 12 /* instructions between two looks at whether to stop */
};

int stop_at(struct emulation *emulation, const struct sass *i, enum emulate_end end, const char *format, ...)
{
    struct emulate_result *result = emulation->result;
    va_list arguments;

    result->end = end;
    result->pc = i->pc;
    memcpy(result->position, emulation->own.position, sizeof result->position);
    va_start(arguments, format);
    vsnprintf(result->reason, sizeof result->reason, format, arguments);
    va_end(arguments);
    return STEP_STOPPED;
}

enum kind kind_of(const struct sass *i)
{
    if (i->op == SASS_UNKNOWN)
        return KIND_STOP;
    if (operations[i->op].compute)
        return KIND_COMPUTE;
    if (is_control(i))
        return KIND_CONTROL;
    if (i->op == SASS_R2P || i->op == SASS_UR2UP)
        return KIND_PREDICATES;
    if (is_mbarrier(i))
        return KIND_MBARRIER;
    if (is_access(i))
        return KIND_ACCESS;
    return i->destination_count ? KIND_UNKNOWN : KIND_NOTHING;
}

/* R2P: bits of a register, under a mask, become predicates. */
static void set_predicates(struct emulation *emulation, struct warp *warp, const struct sass *i,
                           uint32_t mask)
{
    const bool uniform = i->op == SASS_UR2UP;
    const unsigned shift = 8 * i->mod[SASS_MOD_VARIANT];
    const uint32_t unknown = operand_unknown(emulation, warp, &i->sources[0]);
    row first, second;
    const uint32_t *from = operand_row(emulation, warp, &i->sources[0], 0, first);
    const uint32_t which =
        mask ? operand_row(emulation, warp, &i->sources[1], 0, second)[__builtin_ctz(mask)] : 0;

    for (unsigned k = 0; k < 7; k++) {
        const struct sass_operand to = {.kind = uniform ? SASS_UNIFORM_PREDICATE : SASS_PREDICATE,
                                        .index = (uint8_t)k};
        uint32_t values = 0;

        for (unsigned l = 0; l < LANES; l++)
            values |= (from[l] >> (shift + k) & 1) << l;
        if (which >> k & 1)
            predicate_store(warp, &to, values, mask, unknown);
    }
}

/* Where warps run one by one nothing is waited for: every phase is over. */
static void pass_mbarrier(struct warp *warp, const struct sass *i, uint32_t mask)
{
    if (mbarrier_waits(i))
        predicate_store(warp, &i->destinations[0], ALL_LANES, mask, 0);
    else
        make_unknown(warp, i, mask);
}

/* Whether instruction `pc` within what a branch at `from` to `to` skips decides nothing behind it. */
static bool can_be_skipped(const struct emulation *emulation, uint32_t from, uint32_t pc, uint32_t to)
{
    const struct sass *i = &emulation->instructions[pc];
    const int64_t target = i->target / SASS_BYTES;

    switch ((enum kind)emulation->kinds[pc]) {
    case KIND_NOTHING:
    case KIND_UNKNOWN:
        return true;
    case KIND_ACCESS:
        return !emulation->slice.wanted[pc];
    case KIND_CONTROL:
        return i->op == SASS_BSSY || i->op == SASS_BSYNC || i->op == SASS_WARPSYNC ||
               (i->op == SASS_BRA && i->has_target && target > from && target <= to);
    default:
        return false;
    }
}

/* A branch forward, by a value that cannot be known, over instructions that decide neither addresses nor
 * branches: which way it goes matters for their own work alone. That is left out, and the result says so. */
static bool skips(const struct emulation *emulation, const struct sass *i)
{
    const uint32_t pc = i->pc / SASS_BYTES;
    const int64_t to = i->target / SASS_BYTES;

    if (i->op != SASS_BRA || !i->has_target || to <= pc || to > (int64_t)emulation->count ||
        emulation->mode != EMULATE_SLICED)
        return false;
    for (uint32_t k = pc + 1; k < to; k++)
        if (emulation->slice.needed[k] && !can_be_skipped(emulation, pc, k, (uint32_t)to))
            return false;
    return true;
}

/* The guard of `doubtful` lanes cannot be known: 0 where that decides nothing but work, which *mask then says. */
static int pass_unknown_guard(struct emulation *emulation, const struct sass *i, enum kind kind,
                              uint32_t doubtful, uint32_t *mask)
{
    if (kind == KIND_CONTROL && skips(emulation, i)) {
        emulation->result->skipped = true;
        *mask |= doubtful;
        return 0;
    }
    if (kind == KIND_COMPUTE || kind == KIND_NOTHING)
        return 0;
    if (kind == KIND_ACCESS && emulation->mode == EMULATE_SLICED &&
        !emulation->slice.wanted[i->pc / SASS_BYTES]) {
        emulation->result->skipped = true; /* as what a branch skips */
        *mask &= ~doubtful;
        return 0;
    }
    return stop_at(emulation, i, EMULATE_INCOMPLETE, "the guard of %s is unknown%s",
                   sass_info((enum sass_op)i->op)->name,
                   emulation->launch->cooperative ? " (barriers of a whole grid are not followed)" : "");
}

static void compute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask,
                    uint32_t doubtful, bool joins)
{
    if (joins)
        signature_note_joined(emulation, warp, i);
    if (mask)
        alu_execute(emulation, warp, i, mask);
    if (joins)
        signature_note_joined(emulation, warp, i);
    if (doubtful)
        make_unknown(warp, i, doubtful);
}

/* Takes the lanes that the guard turns off from the mask; returns those for which that is not known. */
static uint32_t apply_guard(uint32_t *mask, const struct warp *warp, const struct sass *i)
{
    const uint32_t doubtful = warp->regs->tainted ? *mask & guard_unknown(warp, i) : 0;

    *mask &= guard_lanes(warp, i);
    return doubtful;
}

static int execute(struct emulation *emulation, struct warp *warp, struct group *group)
{
    const struct sass *i = &emulation->instructions[group->pc];
    const enum kind kind = (enum kind)emulation->kinds[group->pc];
    const unsigned traits = emulation->traits[group->pc];
    const bool joins = emulation->signing && traits & TRAIT_JOINS;
    uint32_t mask = group->mask, doubtful;

    if (traits & TRAIT_SPECIAL && special_is_passed(emulation, warp, i, mask))
        return control_jump(emulation, warp, group, i);
    doubtful = traits & TRAIT_GUARDED ? apply_guard(&mask, warp, i) : 0;
    if (kind == KIND_STOP)
        return stop_at(emulation, i, EMULATE_INCOMPLETE, "the instruction with opcode %#x is not known",
                       i->opcode);
    if (doubtful && pass_unknown_guard(emulation, i, kind, doubtful, &mask))
        return STEP_STOPPED;
    if (emulation->slice.speculative) {
        if (speculation_fails(emulation, warp, i, mask)) {
            emulation->restart = true;
            return STEP_STOPPED;
        }
        speculation_note(emulation, warp, i, group->mask, mask);
    }
    if (emulation->signing && (kind == KIND_CONTROL || kind == KIND_ACCESS))
        signature_note(emulation, i, group->mask, mask);
    switch (kind) {
    case KIND_COMPUTE:
        if (traits & TRAIT_EQUATES && emulation->arrivals.count) {
            const int rc = arrival_compare(emulation, warp, i, mask);

            if (rc != STEP_NEXT)
                return rc;
        }
        compute(emulation, warp, i, mask, doubtful, joins);
        return STEP_NEXT;
    case KIND_CONTROL:
        return control_execute(emulation, warp, group, i, mask);
    case KIND_ACCESS:
        return access_execute(emulation, warp, i, mask);
    case KIND_PREDICATES:
        set_predicates(emulation, warp, i, mask);
        return STEP_NEXT;
    case KIND_MBARRIER:
        if (!emulation->alone && !emulation->signing)
            return mbarrier_execute(emulation, warp, group, i, mask);
        pass_mbarrier(warp, i, mask);
        return STEP_NEXT;
    case KIND_UNKNOWN:
        make_unknown(warp, i, mask);
        return STEP_NEXT;
    default:
        return STEP_NEXT;
    }
}

static int step(struct emulation *emulation, struct warp *warp, struct group *group)
{
    const struct sass *i = &emulation->instructions[group->pc];
    int rc, noted;

    if (!emulation->events || !(emulation->traits[group->pc] & TRAIT_NOTED))
        return execute(emulation, warp, group);
    events_begin(emulation, warp, i);
    rc = execute(emulation, warp, group);
    noted = events_end(emulation, emulation->err);
    return noted ? noted : rc;
}

static bool is_over(double limit_s, double begin_s, double (*now_s)(void))
{
    return limit_s > 0 && now_s() - begin_s > limit_s;
}

/* 0, STEP_STOPPED or an error. */
static int look_at_limits(struct emulation *emulation, const struct sass *i)
{
    if (emulation->stop && atomic_load(emulation->stop))
        return err_set(emulation->err, ERR_STOPPED, "emulation: nobody waits for it any more");
    if (is_over(emulation->core_limit_s, emulation->begin_core_s, clock_core_s))
        return stop_at(emulation, i, EMULATE_TIME, "time limit of %g s of a core reached",
                       emulation->core_limit_s);
    if (is_over(emulation->wall_limit_s, emulation->begin_wall_s, clock_wall_s))
        return stop_at(emulation, i, EMULATE_TIME, "time limit of %g s reached", emulation->wall_limit_s);
    return 0;
}

int run_step(uint32_t *at, struct emulation *emulation, struct warp *warp, struct group *group)
{
    uint32_t pc;
    int rc;

    if (emulation->foresight)
        foresee_loops(emulation, warp, group);
    pc = group->pc = *at = emulation->slice.next[group->pc];
    if (pc >= emulation->count)
        return stop_at(emulation, &emulation->instructions[emulation->count - 1], EMULATE_BAD_BRANCH,
                       "the code ends without an exit");
    if (emulation->result->executed % WATCHFUL == 0) {
        rc = look_at_limits(emulation, &emulation->instructions[pc]);
        if (rc)
            return rc;
    }
    if (emulation->beginning && emulation->clock >= emulation->beginning)
        return STEP_STOPPED;
    if (emulation->result->executed++ + emulation->counted >= emulation->budget)
        return stop_at(emulation, &emulation->instructions[pc], EMULATE_BUDGET,
                       "%llu warp instructions are spent", (unsigned long long)emulation->budget);
    emulation->clock++;
    rc = step(emulation, warp, group);
    if (rc == STEP_NEXT)
        group->pc = pc + 1;
    return rc;
}

static int run_record(struct emulation *emulation, struct warp *warp, uint32_t first, uint32_t end)
{
    if (first == end)
        return 0;
    if (!emulation->rehearsing) { /* else of another block of the cluster */
        emulation->issue_steps[first]++;
        emulation->issue_steps[end]--;
    }
    if (steady_listens(emulation->steady))
        steady_run(emulation->steady, first, end);
    return trace_run(&warp->trace, first, end, emulation->err);
}

static uint64_t state_hash(const struct emulation *emulation, const struct warp *warp)
{
    const struct registers *regs = warp->regs;
    uint64_t hash = key_of_memory(HASH_START, regs->r, emulation->row_count * sizeof(row));

    hash = key_of_memory(hash, regs->u, emulation->uniform_count * sizeof(row));
    hash = key_of_memory(hash, regs->p, sizeof regs->p);
    return key_of_memory(hash, regs->up, sizeof regs->up);
}

/* A group is idle when it comes to the same backward branch twice with the same registers while nobody has
 * changed anything: it will do so for ever, unless another one changes something. */
static void look_for_idleness(struct emulation *emulation, const struct warp *warp, struct group *group,
                              uint32_t pc)
{
    uint64_t hash;

    if (emulation->clock - emulation->changed < QUIET)
        return;
    hash = state_hash(emulation, warp);
    group->idle =
        group->back_pc == pc && group->back_version == emulation->version && group->back_hash == hash;
    emulation->idles |= group->idle;
    if (!group->idle && group->back_version == emulation->version && group->back_pc != pc &&
        group->back_pc > pc)
        return; /* an inner loop: the outer one's branch is the one to look at */
    group->back_pc = pc;
    group->back_version = emulation->version;
    group->back_hash = hash;
}

static int take_back_edge(struct emulation *emulation, struct warp *warp, struct group *group, uint32_t pc)
{
    int rc;

    if (emulation->traits[pc] & TRAIT_WAITS) {
        waiting_note(emulation, warp, group, pc);
        return 0;
    }
    rc = trace_back(&warp->trace, pc, group->pc, emulation->err);
    if (rc)
        return rc;
    if (emulation->foresight)
        return 0;
    if (emulation->alone)
        return steady_back_edge(emulation, warp, group, pc, trace_repeats(&warp->trace));
    look_for_idleness(emulation, warp, group, pc);
    return 0;
}

static bool others_are_ready(const struct warp *warp)
{
    unsigned ready = 0;

    for (unsigned k = 0; k < warp->group_count; k++)
        ready += warp->groups[k].state <= GROUP_AT_YIELD;
    return ready > 1;
}

int group_execute(struct emulation *emulation, struct warp *warp, struct group *group)
{
    uint32_t start = group->pc;
    int rc;

    emulation->running = warp->index;
    emulation->tickets.taken = false;
    for (unsigned done = 0; !group->idle && !group->waits; done++) {
        uint32_t pc;
        int recorded;

        if (done >= TURN && (!emulation->alone || others_are_ready(warp)))
            break;
        rc = run_step(&pc, emulation, warp, group);
        if (rc == STEP_NEXT && emulation->tickets.taken) /* others take the next ones */
            break;
        if (rc == STEP_NEXT)
            continue;
        if (rc < 0 || rc == STEP_STOPPED)
            return rc;
        recorded = run_record(emulation, warp, start, pc + 1);
        if (recorded || rc == STEP_BLOCKED)
            return recorded;
        start = group->pc;
        if (start <= pc) {
            recorded = take_back_edge(emulation, warp, group, pc);
            if (recorded)
                return recorded;
            start = group->pc;
        }
    }
    rc = run_record(emulation, warp, start, group->pc);
    converge_resume(warp); /* its turn ends; lanes that gave way wait no longer */
    return rc;
}

/* A backward analysis of what is still needed (strongly live registers): an instruction is needed when it
 * decides something by itself or defines what a needed one reads; its sources are needed then.
 *
 * Compilers write `@!P2 IADD3 R8, ...; @!P2 LDG R9, [R8]`: what a guarded instruction reads is needed under
 * its guard only, and a definition under the same guard ends that. So beside what is needed anyway there is a
 * set for each guard, kept along straight code for as long as its predicate is not redefined. */
#include "model/emulate/slice_sets.h"

#include <stdlib.h>
#include <string.h>

enum { GUARDS = 14, NO_GUARD = -1 }; /* P0 to P6, and their negations */

struct need {
    struct slice_set always;
    struct slice_set under[GUARDS];
    struct slice_set rest[GUARDS]; /* hopeful: because a definition under the opposite guard may not happen */
    unsigned guards;               /* bit g: under[g] or rest[g] may not be empty */
};

struct analysis {
    struct slice *slice;
    const struct sass *code;
    size_t count;
    bool *targets;             /* instructions that something may jump to */
    struct slice_set indirect; /* needed wherever an indirect branch or a return may lead */
    bool anywhere; /* such a branch may lead to any instruction: a jump table, a function pointer */
    bool changed;
};

/* The set its reads belong to. */
static int guard_of(const struct sass *i)
{
    if (i->guard_uniform || i->guard >= SASS_PT)
        return NO_GUARD;
    return 2 * i->guard + i->guard_negated;
}

/* R2P writes some predicates only, narrow stores a part of a word. */
static bool writes_in_part(const struct sass *i)
{
    return i->op == SASS_R2P || i->op == SASS_UR2UP || (is_local(i) && i->accesses[0].bytes < 4);
}

static bool is_memory(const struct sass *i)
{
    return i->access_count && i->accesses[0].space != SASS_SPACE_CONSTANT;
}

static bool decides(const struct sass *i)
{
    return i->op == SASS_UNKNOWN || i->op == SASS_BAR || is_memory(i) ||
           sass_info((enum sass_op)i->op)->class == SASS_CLASS_CONTROL;
}

/* Whether some wanted load may read what this instruction stores. */
static bool is_read_back(const struct slice *slice, const struct sass *i)
{
    switch (i->accesses[i->access_count - 1].space) {
    case SASS_SPACE_SHARED:
        return slice->reads_shared;
    case SASS_SPACE_LOCAL:
        return slice->reads_local;
    case SASS_SPACE_GENERIC:
        return slice->reads_shared || slice->reads_local || slice->stores;
    default:
        return slice->stores;
    }
}

/* A wanted load makes stores to its memory wanted. */
static void note_read(struct analysis *analysis, const struct sass *i)
{
    struct slice *slice = analysis->slice;
    const enum sass_space space = (enum sass_space)i->accesses[0].space;
    const bool generic = space == SASS_SPACE_GENERIC;
    const bool shared = slice->reads_shared || space == SASS_SPACE_SHARED || generic;
    const bool local = slice->reads_local || space == SASS_SPACE_LOCAL || generic;

    slice->reads_global |= space == SASS_SPACE_GLOBAL || generic;
    analysis->changed |= shared != slice->reads_shared || local != slice->reads_local;
    slice->reads_shared = shared;
    slice->reads_local = local;
}

/* Spilled registers: `needed` of them, or of the words they are spilled to. */
static void visit_stack(struct analysis *analysis, size_t index, const struct slice_set *needed,
                        struct slice_set *reads)
{
    analysis->slice->wanted[index] |= !set_is_empty(needed);
    set_add_addresses(reads, &analysis->code[index]);
    set_add_moved(reads, analysis->slice, &analysis->code[index], needed);
}

static void visit_memory(struct analysis *analysis, size_t index, bool defines_needed,
                         struct slice_set *reads)
{
    const struct sass *i = &analysis->code[index];
    const bool writes = i->accesses[i->access_count - 1].access & SASS_WRITES;
    const bool wanted = defines_needed || (writes && is_read_back(analysis->slice, i));

    analysis->slice->wanted[index] |= wanted;
    set_add_addresses(reads, i);
    if (analysis->slice->wanted[index])
        set_add_sources(reads, i);
    if (!analysis->slice->wanted[index])
        for (unsigned k = 0; k < i->source_count; k++) /* predicates of LDGSTS and the like */
            if (i->sources[k].kind == SASS_PREDICATE)
                set_add_operand(reads, &i->sources[k]);
    if (defines_needed)
        note_read(analysis, i);
}

static void collect(struct slice_set *out, const struct need *need)
{
    *out = need->always; /* without rest: that is what is hoped */
    for (unsigned left = need->guards; left; left &= left - 1)
        set_unite(out, &need->under[__builtin_ctz(left)]);
}

/* What of `defined` under `guard` is needed: not where the need is under the opposite guard. */
static struct slice_set needed_of(const struct need *need, const struct slice_set *defined, int guard)
{
    struct slice_set needed = need->always;

    for (unsigned left = need->guards; left; left &= left - 1) {
        const int g = __builtin_ctz(left);

        if (guard != NO_GUARD && g == (guard ^ 1))
            continue;
        set_unite(&needed, &need->under[g]);
        set_unite(&needed, &need->rest[g]);
    }
    set_intersect(&needed, defined);
    return needed;
}

/* The old values in rest[g] are taken not to be needed before instruction `from`: the next instruction that
 * sets each under the opposite guard is trusted. */
static void drop_rest(struct analysis *analysis, struct need *need, unsigned g, size_t from)
{
    struct slice_set left = need->rest[g];

    need->rest[g] = (struct slice_set){0};
    for (size_t index = from; !set_is_empty(&left) && index < analysis->count; index++) {
        struct slice_set defined;

        if (guard_of(&analysis->code[index]) != (int)(g ^ 1) || analysis->slice->pinned[index])
            continue;
        set_definitions(&defined, analysis->slice, &analysis->code[index]);
        if (set_overlap(&defined, &left))
            analysis->slice->trusted[index] = true;
        set_take_out(&left, &defined);
    }
}

/* Behind a definition of its predicate a guard means something else than before it. */
static void forget_guards(struct analysis *analysis, struct need *need, const struct slice_set *defined,
                          size_t index)
{
    for (unsigned left = need->guards; left; left &= left - 1) {
        const unsigned g = (unsigned)__builtin_ctz(left), bit = SLICE_PREDICATES + g / 2;

        if (!(defined->bits[bit / 64] >> bit % 64 & 1))
            continue;
        set_unite(&need->always, &need->under[g]);
        need->under[g] = (struct slice_set){0};
        drop_rest(analysis, need, g, index + 1);
        need->guards &= ~(1u << g);
    }
}

/* What was needed anyway, or under another guard, of the registers defined under this one is needed no more
 * where it holds, and hoped not to be where it does not. */
static void hope(struct need *need, const struct slice_set *defined, int guard)
{
    const unsigned others = need->guards & ~(3u << (guard & ~1));
    struct slice_set *rest = &need->rest[guard ^ 1];

    for (unsigned k = 0; k < SLICE_UNIFORM / 64; k++) {
        uint64_t bits = need->always.bits[k];

        need->always.bits[k] &= ~defined->bits[k];
        for (unsigned left = others; left; left &= left - 1) {
            bits |= need->under[__builtin_ctz(left)].bits[k];
            need->under[__builtin_ctz(left)].bits[k] &= ~defined->bits[k];
        }
        rest->bits[k] |= bits & defined->bits[k];
    }
    need->guards |= 1u << (guard ^ 1);
}

static void end_need(const struct analysis *analysis, struct need *need, const struct slice_set *defined,
                     size_t index)
{
    const struct sass *i = &analysis->code[index];
    const int guard = guard_of(i);

    if (writes_in_part(i))
        return;
    if (is_guarded(i)) {
        if (guard == NO_GUARD)
            return;
        if (analysis->slice->hopeful && !analysis->slice->pinned[index])
            hope(need, defined, guard);
        set_take_out(&need->under[guard], defined);
        set_take_out(&need->rest[guard], defined);
        return;
    }
    set_take_out(&need->always, defined);
    for (unsigned left = need->guards; left; left &= left - 1) {
        set_take_out(&need->under[__builtin_ctz(left)], defined);
        set_take_out(&need->rest[__builtin_ctz(left)], defined);
    }
}

/* What is needed before instruction `index`, given what is needed behind it; false if that is the same,
 * because nobody needs the instruction. */
static bool visit(struct analysis *analysis, size_t index, struct need *need)
{
    const struct sass *i = &analysis->code[index];
    const int guard = guard_of(i);
    struct slice_set defined, needed, reads = {0};

    set_definitions(&defined, analysis->slice, i);
    needed = needed_of(need, &defined, guard);
    if (set_is_empty(&needed) && !decides(i))
        return false;
    analysis->slice->needed[index] = true;
    forget_guards(analysis, need, &defined, index);
    end_need(analysis, need, &defined, index);
    set_add_guard(&need->always, i);
    if (analysis->slice->plain_stack && is_local(i)) {
        visit_stack(analysis, index, &needed, &reads);
    } else if (is_memory(i)) {
        visit_memory(analysis, index, !set_is_empty(&needed), &reads);
    } else {
        analysis->slice->wanted[index] = true;
        set_add_reads(&reads, analysis->slice, i);
    }
    set_spread_flags(&reads, analysis->slice);
    set_unite(guard == NO_GUARD ? &need->always : &need->under[guard], &reads);
    if (guard != NO_GUARD)
        need->guards |= 1u << guard;
    return true;
}

/* Whether the lanes that execute it go on elsewhere for certain. */
static bool leaves(const struct sass *i)
{
    for (unsigned k = 0; k < i->source_count; k++)
        if (i->sources[k].kind == SASS_UNIFORM_REGISTER ||
            ((i->sources[k].kind == SASS_PREDICATE || i->sources[k].kind == SASS_UNIFORM_PREDICATE) &&
             i->sources[k].index != SASS_PT))
            return false;
    return i->op == SASS_BRA || i->op == SASS_EXIT || i->op == SASS_RET || i->op == SASS_BRX ||
           i->op == SASS_BRXU || i->op == SASS_JMP || i->op == SASS_JMX || i->op == SASS_KILL;
}

/* Leads where a register says; a return leads behind a call or to an address that was taken. */
static bool leads_anywhere(const struct sass *i)
{
    return i->op == SASS_BRX || i->op == SASS_BRXU || i->op == SASS_JMX ||
           (i->op == SASS_CALL && !i->has_target);
}

static bool is_indirect(const struct sass *i)
{
    return i->op == SASS_RET || leads_anywhere(i);
}

/* The lanes that leave do not come to what is behind. */
static void part_at_leave(const struct sass *i, struct need *need)
{
    const int guard = guard_of(i);

    if (!leaves(i) || (is_guarded(i) && guard == NO_GUARD))
        return;
    if (guard == NO_GUARD) {
        *need = (struct need){0};
        return;
    }
    set_unite(&need->under[guard ^ 1], &need->always);
    need->always = need->under[guard] = need->rest[guard] = (struct slice_set){0};
    need->guards = (need->guards | 1u << (guard ^ 1)) & ~(1u << guard);
}

/* What the branch at `index` may lead to, under its guard. */
static void add_targets(struct analysis *analysis, size_t index, struct need *need)
{
    const struct sass *i = &analysis->code[index];
    const struct slice *slice = analysis->slice;
    const int guard = guard_of(i);
    struct slice_set *there = guard == NO_GUARD ? &need->always : &need->under[guard];

    if (guard != NO_GUARD)
        need->guards |= 1u << guard;
    if (is_indirect(i)) {
        set_unite(there, &analysis->indirect);
    } else if (sass_is_jump(i) && i->has_target && i->target >= 0 &&
               (size_t)i->target / SASS_BYTES < analysis->count) {
        set_unite(there, &slice->live[i->target / SASS_BYTES]);
        set_unite(&analysis->indirect, &slice->live[i->target / SASS_BYTES]);
    }
    if (i->op == SASS_CALL && index + 1 < analysis->count)
        set_unite(&analysis->indirect, &slice->live[index + 1]);
}

static void pass(struct analysis *analysis)
{
    struct slice *slice = analysis->slice;
    struct need need = {0};
    struct slice_set live = {0};

    for (size_t index = analysis->count; index-- > 0;) {
        if (analysis->targets[index + 1])
            for (unsigned left = need.guards; left; left &= left - 1)
                drop_rest(analysis, &need, (unsigned)__builtin_ctz(left), index + 1);
        part_at_leave(&analysis->code[index], &need);
        add_targets(analysis, index, &need);
        if (visit(analysis, index, &need))
            collect(&live, &need);
        if (memcmp(&live, &slice->live[index], sizeof live)) {
            slice->live[index] = live;
            analysis->changed = true;
        }
        if (analysis->anywhere)
            set_unite(&analysis->indirect, &live);
    }
}

/* Whether all of local memory is reached as [R1 + constant], R1 being set before the first such access, so
 * that each word is a register by another name. */
static bool has_plain_stack(const struct sass *code, size_t count)
{
    bool touched = false;

    for (size_t index = 0; index < count; index++) {
        const struct sass *i = &code[index];
        const struct sass_access *access = &i->accesses[0];

        if (i->op == SASS_CALL || (i->access_count && access->space == SASS_SPACE_GENERIC))
            return false;
        if (is_local(i)) {
            touched = true;
            if (access->index != 1 || access->uniform != SASS_URZ || access->scale > 1 ||
                access->offset < 0 || access->offset > 4 * (SLICE_STACK_WORDS - 4))
                return false;
        }
        for (unsigned k = 0; k < i->destination_count && touched; k++)
            if (i->destinations[k].kind == SASS_REGISTER && i->destinations[k].index <= 1 &&
                i->destinations[k].index + i->destinations[k].count > 1)
                return false;
    }
    return true;
}

static void want_everything(struct slice *slice, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        slice->needed[i] = slice->wanted[i] = true;
        slice->next[i] = (uint32_t)i;
    }
    slice->next[count] = (uint32_t)count;
    slice->reads_shared = slice->reads_local = slice->reads_global = slice->stores = true;
}

static void find_targets(struct analysis *analysis)
{
    const struct sass *code = analysis->code;

    for (size_t i = 0; i < analysis->count; i++) {
        if (code[i].has_target && code[i].target >= 0 &&
            (size_t)code[i].target / SASS_BYTES < analysis->count)
            analysis->targets[code[i].target / SASS_BYTES] = true;
        if (code[i].op == SASS_CALL)
            analysis->targets[i + 1] = true;
        analysis->targets[i] |= analysis->anywhere;
    }
}

static int analyse(struct slice *slice, const struct sass *code, size_t count, bool hopeful, struct err *err)
{
    struct analysis analysis = {.slice = slice, .code = code, .count = count, .changed = true};

    analysis.targets = calloc(count + 1, sizeof *analysis.targets);
    if (!analysis.targets)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        analysis.anywhere |= leads_anywhere(&code[i]);
    find_targets(&analysis);
    slice->hopeful = hopeful;
    slice->reads_shared = slice->reads_local = slice->reads_global = false;
    memset(slice->trusted, 0, count * sizeof *slice->trusted);
    memset(slice->needed, 0, count * sizeof *slice->needed);
    memset(slice->wanted, 0, count * sizeof *slice->wanted);
    memset(slice->live, 0, count * sizeof *slice->live);
    while (analysis.changed) {
        analysis.changed = false;
        pass(&analysis);
    }
    free(analysis.targets);
    slice->next[count] = (uint32_t)count;
    for (size_t i = count; i-- > 0;)
        slice->next[i] = slice->needed[i] ? (uint32_t)i : slice->next[i + 1];
    return 0;
}

/* Hopes where there is something to gain by it. */
static int analyse_best(struct slice *slice, const struct sass *code, size_t count, struct err *err)
{
    int rc = analyse(slice, code, count, false, err);
    const bool shared = slice->reads_shared, global = slice->reads_global;

    if (!rc && (shared || global))
        rc = analyse(slice, code, count, true, err);
    if (!rc && slice->hopeful && shared == slice->reads_shared && global == slice->reads_global)
        rc = analyse(slice, code, count, false, err);
    return rc;
}

static int allocate(struct slice *slice, size_t count, struct err *err)
{
    slice->needed = calloc(count + 1, sizeof *slice->needed);
    slice->wanted = calloc(count + 1, sizeof *slice->wanted);
    slice->trusted = calloc(count + 1, sizeof *slice->trusted);
    slice->pinned = calloc(count + 1, sizeof *slice->pinned);
    slice->next = calloc(count + 1, sizeof *slice->next);
    slice->live = calloc(count + 1, sizeof *slice->live);
    return slice->needed && slice->wanted && slice->trusted && slice->pinned && slice->next && slice->live
               ? 0
               : err_memory(err);
}

int slice_init(struct slice *out, const struct sass *code, size_t count, bool everything, bool stores,
               struct err *err)
{
    int rc;

    *out = (struct slice){.stores = stores};
    rc = allocate(out, count, err);
    if (!rc && everything) {
        want_everything(out, count);
        return 0;
    }
    out->plain_stack = has_plain_stack(code, count);
    slice_find_flags(out, code, count);
    if (!rc)
        rc = analyse_best(out, code, count, err);
    if (rc)
        slice_release(out);
    return rc;
}

int slice_pin(struct slice *slice, const struct sass *code, size_t count, size_t index, struct err *err)
{
    slice->pinned[index] = true;
    return analyse_best(slice, code, count, err);
}

void slice_release(struct slice *slice)
{
    free(slice->trusted);
    free(slice->pinned);
    free(slice->needed);
    free(slice->wanted);
    free(slice->next);
    free(slice->live);
    *slice = (struct slice){0};
}

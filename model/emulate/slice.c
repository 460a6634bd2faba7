/* A backward analysis of what is still needed (strongly live registers): an instruction is needed when it
 * decides something by itself or defines what a needed one reads; its sources are needed then. */
#include "model/emulate/control.h"
#include "model/emulate/mbarrier.h"
#include "model/emulate/need.h"
#include "model/emulate/read_back.h"
#include "model/emulate/special.h"
#include "model/emulate/walk.h"

#include <stdlib.h>
#include <string.h>

struct analysis {
    struct slice *slice;
    const struct sass *code;
    size_t count;
    bool *targets;             /* instructions that something may jump to */
    struct slice_set indirect; /* needed wherever an indirect branch or a return may lead */
    bool anywhere; /* such a branch may lead to any instruction: a jump table, a function pointer */
    bool changed;
};

static bool is_memory(const struct sass *i)
{
    return i->access_count && i->accesses[0].space != SASS_SPACE_CONSTANT;
}

/* Where in constant memory it reads is computed, be it by each lane or by the uniform datapath. */
static bool computes_place(const struct sass *i)
{
    return walks_constants(i) || sass_indexes_constants(i);
}

static bool asks_addresses(const struct slice *slice)
{
    return slice->aim == SLICE_ACCESSES || slice->aim == SLICE_DATA;
}

/* An access whose address is not asked for is as its path says, but for its guard. */
static bool decides(const struct slice *slice, const struct sass *i)
{
    if (is_memory(i))
        return asks_addresses(slice) || (slice->aim == SLICE_LANES && sass_is_guarded(i)) ||
               slice_leaves_out(slice, i) ||
               (i->accesses[i->access_count - 1].access & SASS_WRITES && slice_reads_back(slice, i));
    return i->op == SASS_UNKNOWN || is_control(i) || (asks_addresses(slice) && walks_constants(i)) ||
           (slice->aim == SLICE_ACCESSES && sass_indexes_constants(i));
}

/* Copies whose addresses are operands; mbarriers, which count what their operands say. */
static bool has_operands(const struct sass *i)
{
    return sass_info((enum sass_op)i->op)->class == SASS_CLASS_ASYNC && i->op != SASS_LDGSTS;
}

/* A wanted load makes stores to its memory wanted. */
static void note_read(struct analysis *analysis, const struct sass *i)
{
    struct slice *slice = analysis->slice;
    const enum sass_space space = (enum sass_space)i->accesses[0].space;
    const bool generic = space == SASS_SPACE_GENERIC;
    const bool shared = slice->reads_shared || space == SASS_SPACE_SHARED || generic;
    const bool moving = slice->reads_moving || generic ||
                        (space == SASS_SPACE_SHARED &&
                         (!slice_is_fixed(i) || i->op != SASS_LDS || slice->pinned[i->pc / SASS_BYTES]));
    const bool local = slice->reads_local || space == SASS_SPACE_LOCAL || generic;

    slice->reads_global |= space == SASS_SPACE_GLOBAL || generic;
    analysis->changed |= shared != slice->reads_shared || moving != slice->reads_moving;
    analysis->changed |= local != slice->reads_local;
    slice->reads_shared = shared;
    slice->reads_moving = moving;
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

/* Of a copy by the copy engine, what its bytes in global memory depend on: with tensor copies the map and the
 * coordinates, which follow the place in shared memory and, of loads, the mbarrier; and which blocks it goes to. */
static void add_counted(struct slice_set *reads, const struct sass *i)
{
    const bool loads = i->accesses[0].access == SASS_READS, tensor = sass_is_tensor_copy(i);
    struct sass_operand first = i->sources[tensor ? 0 : loads], second = i->sources[tensor ? 1 : 2];

    if (tensor) {
        const uint8_t before = loads ? 2 : 1;

        first.index += before;
        first.count -= first.count > before ? before : first.count;
    } else {
        first.count = 2;
    }
    if (tensor)
        second.count = 2;
    if (tensor && loads && i->mod[SASS_MOD_VARIANT] & SASS_BULK_MULTICAST)
        set_add_operand(reads, &i->sources[2]);
    set_add_operand(reads, &first);
    set_add_operand(reads, &second);
}

static void visit_memory(struct analysis *analysis, size_t index, bool defines_needed,
                         struct slice_set *reads)
{
    const struct sass *i = &analysis->code[index];
    const bool writes = i->accesses[i->access_count - 1].access & SASS_WRITES;
    const bool wanted = defines_needed || (writes && slice_reads_back(analysis->slice, i));
    const bool addresses = wanted || asks_addresses(analysis->slice) || slice_leaves_out(analysis->slice, i);
    const bool copies = sass_copies_in_bulk(i);

    analysis->slice->wanted[index] |= wanted;
    if (analysis->slice->apart && is_mbarrier(i))
        return;
    if (analysis->slice->apart && copies && !analysis->slice->wanted[index]) {
        if (addresses)
            add_counted(reads, i);
        return;
    }
    if (addresses)
        set_add_addresses(reads, i);
    if (analysis->slice->wanted[index] || (addresses && has_operands(i)))
        set_add_sources(reads, i);
    if (!analysis->slice->wanted[index])
        for (unsigned k = 0; k < i->source_count; k++) /* predicates of LDGSTS and the like */
            if (i->sources[k].kind == SASS_PREDICATE)
                set_add_operand(reads, &i->sources[k]);
    if (defines_needed && !is_mbarrier(i))
        note_read(analysis, i);
}

/* What is needed before instruction `index`, given what is needed behind it; false if that is the same,
 * because nobody needs the instruction. */
static bool visit(struct analysis *analysis, size_t index, struct need *need)
{
    const struct sass *i = &analysis->code[index];
    const int guard = guard_of(i);
    struct slice *slice = analysis->slice;
    struct slice_set defined, needed, reads = {0};

    set_definitions(&defined, slice, i);
    needed = need_of(need, &defined, guard);
    if (set_is_empty(&needed) && !decides(slice, i))
        return false;
    slice->needed[index] = true;
    need_forget(need, &defined, slice, analysis->code, analysis->count, index + 1);
    need_end(need, &defined, i, slice->speculative && !slice->pinned[index]);
    set_add_guard(&need->always, i);
    if (slice->plain_stack && is_local(i)) {
        visit_stack(analysis, index, &needed, &reads);
    } else if (is_memory(i)) {
        visit_memory(analysis, index, !set_is_empty(&needed), &reads);
    } else {
        slice->wanted[index] |= !computes_place(i) || !set_is_empty(&needed);
        set_add_reads(&reads, slice, i);
    }
    set_spread_flags(&reads, slice);
    set_unite(guard == NO_GUARD ? &need->always : &need->under[guard], &reads);
    if (guard != NO_GUARD)
        need->guards |= 1u << guard;
    return true;
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

/* A branch that all lanes take, whatever it says: what is needed there is needed before it. */
static struct need jump(struct analysis *analysis, size_t index)
{
    const struct slice_set *there = &analysis->slice->live[analysis->code[index].target / SASS_BYTES];

    analysis->slice->needed[index] = true;
    set_unite(&analysis->indirect, there);
    return (struct need){.always = *there};
}

static void pass(struct analysis *analysis)
{
    struct slice *slice = analysis->slice;
    struct need need = {0};
    struct slice_set live = {0};

    for (size_t index = analysis->count; index-- > 0;) {
        if (analysis->targets[index + 1])
            need_trust(&need, slice, analysis->code, analysis->count, index + 1);
        if (slice->avoids[index]) {
            need = jump(analysis, index);
            live = need.always;
        } else {
            need_part(&need, &analysis->code[index]);
            add_targets(analysis, index, &need);
            if (visit(analysis, index, &need))
                need_collect(&live, &need);
        }
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
    slice->reads_shared = slice->reads_moving = slice->reads_local = slice->reads_global = true;
    slice->stores = true;
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

static int analyse(struct slice *slice, const struct slice_code *code, bool speculative, struct err *err)
{
    const size_t count = code->count;
    struct analysis analysis = {.slice = slice, .code = code->instructions, .count = count, .changed = true};

    analysis.targets = calloc(count + 1, sizeof *analysis.targets);
    if (!analysis.targets)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        analysis.anywhere |= leads_anywhere(&analysis.code[i]);
    find_targets(&analysis);
    slice->speculative = speculative;
    slice->reads_shared = slice->reads_moving = slice->reads_local = slice->reads_global = false;
    memset(slice->trusted, 0, count * sizeof *slice->trusted);
    memset(slice->needed, 0, count * sizeof *slice->needed);
    memset(slice->wanted, 0, count * sizeof *slice->wanted);
    memset(slice->live, 0, count * sizeof *slice->live);
    specials_avoid(slice, code);
    while (analysis.changed) {
        analysis.changed = false;
        pass(&analysis);
        if (!analysis.changed)
            analysis.changed = specials_settle(slice, code);
    }
    free(analysis.targets);
    slice->next[count] = (uint32_t)count;
    for (size_t i = count; i-- > 0;)
        slice->next[i] = slice->needed[i] ? (uint32_t)i : slice->next[i + 1];
    return 0;
}

/* Speculates where there is something to gain by it. */
static int analyse_best(struct slice *slice, const struct slice_code *code, struct err *err)
{
    int rc = analyse(slice, code, false, err);
    const bool shared = slice->reads_shared, global = slice->reads_global;

    if (!rc && (shared || global))
        rc = analyse(slice, code, true, err);
    if (!rc && slice->speculative && shared == slice->reads_shared && global == slice->reads_global)
        rc = analyse(slice, code, false, err);
    return rc;
}

static int allocate(struct slice *slice, size_t count, struct err *err)
{
    slice->needed = calloc(count + 1, sizeof *slice->needed);
    slice->wanted = calloc(count + 1, sizeof *slice->wanted);
    slice->trusted = calloc(count + 1, sizeof *slice->trusted);
    slice->pinned = calloc(count + 1, sizeof *slice->pinned);
    slice->avoids = calloc(count + 1, sizeof *slice->avoids);
    slice->next = calloc(count + 1, sizeof *slice->next);
    slice->live = calloc(count + 1, sizeof *slice->live);
    return slice->needed && slice->wanted && slice->trusted && slice->pinned && slice->avoids &&
                   slice->next && slice->live
               ? 0
               : err_memory(err);
}

int slice_init(struct slice *out, const struct slice_code *code, enum slice_aim aim, bool stores, bool apart,
               struct err *err)
{
    int rc;

    *out = (struct slice){.aim = aim, .stores = stores, .apart = apart};
    rc = allocate(out, code->count, err);
    if (!rc && aim == SLICE_EVERYTHING) {
        want_everything(out, code->count);
        return 0;
    }
    out->plain_stack = has_plain_stack(code->instructions, code->count);
    slice_find_flags(out, code->instructions, code->count);
    if (!rc)
        rc = analyse_best(out, code, err);
    if (rc)
        slice_release(out);
    return rc;
}

int slice_pin(struct slice *slice, const struct slice_code *code, size_t index, struct err *err)
{
    slice->pinned[index] = true;
    return analyse_best(slice, code, err);
}

void slice_release(struct slice *slice)
{
    free(slice->trusted);
    free(slice->pinned);
    free(slice->avoids);
    free(slice->needed);
    free(slice->wanted);
    free(slice->next);
    free(slice->live);
    *slice = (struct slice){0};
}

int slice_decides(bool *out, const struct slice_code *code, uint32_t index, struct err *err)
{
    struct slice slice;
    const int rc = slice_init(&slice, code, SLICE_CONTROL, false, false, err);

    *out = !rc && slice.wanted[index];
    if (!rc)
        slice_release(&slice);
    return rc;
}

#include "model/emulate/origin.h"

#include "model/emulate/slice_sets.h"

#include <stdlib.h>

/* What depends on a block's position, and what of it is no sum of coordinates times constants: with all that is loaded. */
struct sets {
    struct slice_set dependent, bent;
};

/* Those before each instruction. Without `flow`, where a branch leads to an address that it computes, all share
 * one. */
struct search {
    const struct slice *slice;
    const struct sass *code;
    size_t count;
    struct sets *before, now; /* the latter before the instruction that is looked at */
    struct sets converging;   /* before any BSYNC, which leads to where some BSSY says */
    bool flow, changed;
};

/* Notes the axes that a reading of a special register gives; a wide one gives two. */
static bool reads_position(struct origin *out, const struct sass *i)
{
    bool reads = false;

    if (!i->source_count || i->sources[0].kind != SASS_SPECIAL)
        return false;
    for (unsigned w = 0; w < i->destinations[0].count; w++) {
        const uint64_t which = i->sources[0].value + w;

        if (which < SASS_SR_CTAID_X || which > SASS_SR_CTAID_Z)
            continue;
        out->axis[which - SASS_SR_CTAID_X] = true;
        reads = true;
    }
    return reads;
}

static bool is_dependent(const struct search *search, const struct sass_operand *operand)
{
    struct slice_set own = {0};

    set_add_operand(&own, operand);
    set_spread_flags(&own, search->slice);
    return set_overlap(&own, &search->now.dependent);
}

static bool is_wide_shift(const struct sass *i)
{
    return i->mod[SASS_MOD_TYPE] == SASS_TYPE_U64 || i->mod[SASS_MOD_TYPE] == SASS_TYPE_S64;
}

/* Equality holds on a plane: blocks on both sides of it are alike. */
static bool is_equality(const struct sass *i)
{
    return (i->op == SASS_ISETP || i->op == SASS_UISETP) &&
           (i->mod[SASS_MOD_COMPARE] == SASS_CMP_EQ || i->mod[SASS_MOD_COMPARE] == SASS_CMP_NE);
}

/* Whether the result is a sum of the sources times constants, or a comparison of such sums. Carries and high
 * words of 64-bit sums belong to those. */
static bool keeps_lines(const struct search *search, const struct sass *i)
{
    switch (i->op) {
    case SASS_MOV:
    case SASS_UMOV:
    case SASS_S2R:
    case SASS_S2UR:
    case SASS_CS2R:
    case SASS_CS2UR:
    case SASS_R2UR:
    case SASS_IADD3:
    case SASS_UIADD3:
    case SASS_VIADD:
    case SASS_IADD64:
    case SASS_UIADD3_64:
    case SASS_P2R:
    case SASS_R2P:
    case SASS_PLOP3:
    case SASS_UPLOP3:
    case SASS_VOTE:
    case SASS_VOTEU:
        return true;
    case SASS_ISETP:
    case SASS_UISETP:
        return !is_equality(i);
    case SASS_IMAD:
    case SASS_UIMAD:
        return !i->mod[SASS_MOD_HIGH] &&
               !(is_dependent(search, &i->sources[0]) && is_dependent(search, &i->sources[1]));
    case SASS_LEA:
    case SASS_ULEA:
        return !i->mod[SASS_MOD_HIGH] || i->mod[SASS_MOD_EXTENDED];
    case SASS_SHF:
    case SASS_USHF: /* of 32 bits, the high word is one of two numbers or rotated */
        return !i->mod[SASS_MOD_RIGHT] && (!i->mod[SASS_MOD_HIGH] || is_wide_shift(i)) &&
               !is_dependent(search, &i->sources[1]);
    default:
        return !i->destination_count;
    }
}

/* Whether its result is asked for. A plain stack is registers; of other memory no access is computed. */
static bool is_result_wanted(const struct slice *slice, const struct sass *i, size_t index)
{
    return slice->needed[index] && (slice->wanted[index] || !i->access_count);
}

/* Whether an access is somewhere that is no sum of coordinates. Boxes of tensor maps are cut off at borders. */
static bool is_stray(const struct search *search, const struct sass *i, const struct slice_set *reads)
{
    struct slice_set addresses = {0};

    if (sass_is_tensor_copy(i))
        return true;
    set_add_addresses(&addresses, i);
    return set_overlap(sass_is_bulk(i) ? reads : &addresses, &search->now.bent);
}

/* `defined` is now in the set or, where it is all overwritten, no more. */
static void define(struct slice_set *set, const struct search *search, const struct sass *i,
                   const struct slice_set *defined, bool within)
{
    if (within)
        set_unite(set, defined);
    else if (search->flow && !sass_is_guarded(i))
        set_take_out(set, defined);
}

/* Whether a comparison decides what becomes of a result: as of x < 0 ? 0 : x. Which way warps go, and which lanes
 * access memory, is told apart otherwise. */
static bool is_decided(const struct search *search, const struct sass *i)
{
    struct slice_set guard = {0};

    set_add_guard(&guard, i);
    return !i->access_count && !sass_is_jump(i) && set_overlap(&guard, &search->now.dependent);
}

/* What is in the sets behind an instruction, given what is before it. */
static void visit(struct origin *out, struct search *search, size_t index)
{
    const struct sass *i = &search->code[index];
    const struct slice *slice = search->slice;
    const bool moves = slice->plain_stack && is_local(i), wanted = is_result_wanted(slice, i, index);
    struct slice_set reads = {0}, defined;
    bool dependent;

    set_definitions(&defined, slice, i);
    if (moves)
        set_add_moved(&reads, slice, i, &defined);
    else
        set_add_reads(&reads, slice, i);
    set_add_guard(&reads, i);
    set_spread_flags(&reads, slice);
    dependent = wanted && (reads_position(out, i) || set_overlap(&reads, &search->now.dependent));
    out->names |= dependent && is_equality(i) && !set_overlap(&reads, &search->now.bent);
    out->bends[index] |= dependent && !keeps_lines(search, i) && !moves;
    out->strays[index] |= i->access_count && is_stray(search, i, &reads);
    define(&search->now.bent, search, i, &defined,
           out->bends[index] ||
               (wanted && (set_overlap(&reads, &search->now.bent) || is_decided(search, i))));
    define(&search->now.dependent, search, i, &defined, dependent);
}

static void unite(struct search *search, struct slice_set *into, const struct slice_set *more)
{
    struct slice_set own = *more;

    set_take_out(&own, into);
    search->changed |= !set_is_empty(&own);
    set_unite(into, &own);
}

static void merge(struct search *search, size_t index, const struct sets *more)
{
    struct sets *into = &search->before[search->flow ? index : 0];

    unite(search, &into->dependent, &more->dependent);
    unite(search, &into->bent, &more->bent);
}

static void pass(struct origin *out, struct search *search)
{
    for (size_t index = 0; index < search->count; index++) {
        const struct sass *i = &search->code[index];
        const size_t target =
            i->has_target && i->target >= 0 ? (size_t)i->target / SASS_BYTES : search->count;

        search->now = search->before[search->flow ? index : 0];
        visit(out, search, index);
        merge(search, index + 1, &search->now);
        if (i->op == SASS_BSYNC) {
            set_unite(&search->converging.dependent, &search->now.dependent);
            set_unite(&search->converging.bent, &search->now.bent);
        }
        if (target < search->count)
            merge(search, target, i->op == SASS_BSSY ? &search->converging : &search->now);
    }
}

/* Whether every branch says where it leads to. */
static bool has_flow(const struct sass *code, size_t count)
{
    bool flow = true;

    for (size_t i = 0; i < count; i++)
        flow &= code[i].op == SASS_EXIT || code[i].op == SASS_BSYNC || !sass_is_jump(&code[i]) ||
                (code[i].op != SASS_CALL && code[i].has_target);
    return flow;
}

/* Whether what memory holds is wanted there. */
static bool wants_memory(const struct slice *slice, const struct sass *i, size_t index)
{
    return slice->wanted[index] && i->access_count && i->accesses[0].space != SASS_SPACE_CONSTANT &&
           i->destination_count && !(slice->plain_stack && is_local(i));
}

int origin_find(struct origin *out, const struct slice *slice, const struct sass *code, size_t count,
                struct err *err)
{
    struct search search = {.slice = slice, .code = code, .count = count, .changed = true};

    *out = (struct origin){.bends = calloc(count + 1, sizeof *out->bends),
                           .strays = calloc(count + 1, sizeof *out->strays)};
    search.before = calloc(count + 1, sizeof *search.before);
    if (!out->bends || !out->strays || !search.before) {
        free(search.before);
        return err_memory(err);
    }
    search.flow = has_flow(code, count);
    for (size_t i = 0; i < count; i++)
        out->bends[i] = slice->needed[i] && wants_memory(slice, &code[i], i);
    while (search.changed) {
        search.changed = false;
        pass(out, &search);
    }
    free(search.before);
    return 0;
}

void origin_release(struct origin *origin)
{
    free(origin->bends);
    free(origin->strays);
    *origin = (struct origin){0};
}

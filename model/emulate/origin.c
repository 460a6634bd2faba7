#include "model/emulate/origin.h"

#include "model/emulate/slice_sets.h"

#include <stdlib.h>

struct search {
    const struct slice *slice;
    struct slice_set dependent; /* anywhere in the code: registers are not told apart by their definitions */
    bool changed;
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
    return set_overlap(&own, &search->dependent);
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
    case SASS_ISETP:
    case SASS_UISETP:
    case SASS_PLOP3:
    case SASS_UPLOP3:
    case SASS_VOTE:
    case SASS_VOTEU:
        return true;
    case SASS_IMAD:
    case SASS_UIMAD:
        return !i->mod[SASS_MOD_HIGH] &&
               !(is_dependent(search, &i->sources[0]) && is_dependent(search, &i->sources[1]));
    case SASS_LEA:
    case SASS_ULEA:
        return !i->mod[SASS_MOD_HIGH] || i->mod[SASS_MOD_EXTENDED];
    case SASS_SHF:
    case SASS_USHF:
        return !i->mod[SASS_MOD_RIGHT] && !i->mod[SASS_MOD_HIGH] && !is_dependent(search, &i->sources[1]);
    default:
        return !i->destination_count;
    }
}

static void visit(struct origin *out, struct search *search, const struct sass *i, size_t index)
{
    const struct slice *slice = search->slice;
    struct slice_set reads = {0}, defined;

    set_definitions(&defined, slice, i);
    if (slice->plain_stack && is_local(i))
        set_add_moved(&reads, slice, i, &defined);
    else
        set_add_reads(&reads, slice, i);
    set_add_guard(&reads, i);
    set_spread_flags(&reads, slice);
    if (!reads_position(out, i) && !set_overlap(&reads, &search->dependent))
        return;
    if (!keeps_lines(search, i) && !(slice->plain_stack && is_local(i)))
        out->bends[index] = true;
    set_take_out(&defined, &search->dependent);
    search->changed |= !set_is_empty(&defined);
    set_unite(&search->dependent, &defined);
}

/* Whether what memory holds is wanted there; a plain stack is registers. */
static bool wants_memory(const struct slice *slice, const struct sass *i, size_t index)
{
    return slice->wanted[index] && i->access_count && i->accesses[0].space != SASS_SPACE_CONSTANT &&
           i->destination_count && !(slice->plain_stack && is_local(i));
}

int origin_find(struct origin *out, const struct slice *slice, const struct sass *code, size_t count,
                struct err *err)
{
    struct search search = {.slice = slice, .changed = true};

    *out = (struct origin){.bends = calloc(count + 1, sizeof *out->bends)};
    if (!out->bends)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        out->bends[i] = slice->needed[i] && wants_memory(slice, &code[i], i);
    while (search.changed) {
        search.changed = false;
        for (size_t i = 0; i < count; i++)
            if (slice->needed[i])
                visit(out, &search, &code[i], i);
    }
    return 0;
}

void origin_release(struct origin *origin)
{
    free(origin->bends);
    *origin = (struct origin){0};
}

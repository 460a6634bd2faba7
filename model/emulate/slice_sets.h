/* What an instruction reads and defines, as sets of registers, predicates, words of the stack and bits of
 * flag registers. For emulate/slice.c and emulate/need.c alone. */
#ifndef MODEL_EMULATE_SLICE_SETS_H
#define MODEL_EMULATE_SLICE_SETS_H

#include "model/emulate/slice.h"

static inline bool set_overlap(const struct slice_set *a, const struct slice_set *b)
{
    for (unsigned k = 0; k < SLICE_WORDS; k++)
        if (a->bits[k] & b->bits[k])
            return true;
    return false;
}

static inline bool set_is_empty(const struct slice_set *set)
{
    return !set_overlap(set, set);
}

static inline void set_unite(struct slice_set *into, const struct slice_set *from)
{
    for (unsigned k = 0; k < SLICE_WORDS; k++)
        into->bits[k] |= from->bits[k];
}

static inline void set_intersect(struct slice_set *set, const struct slice_set *with)
{
    for (unsigned k = 0; k < SLICE_WORDS; k++)
        set->bits[k] &= with->bits[k];
}

static inline void set_take_out(struct slice_set *set, const struct slice_set *what)
{
    for (unsigned k = 0; k < SLICE_WORDS; k++)
        set->bits[k] &= ~what->bits[k];
}

void set_add_operand(struct slice_set *set, const struct sass_operand *operand);
void set_add_guard(struct slice_set *set, const struct sass *i);
/* The registers of its addresses; its sources; both, but of flags only the bits that are looked at. */
void set_add_addresses(struct slice_set *set, const struct sass *i);
void set_add_sources(struct slice_set *set, const struct sass *i);
void set_add_reads(struct slice_set *reads, const struct slice *slice, const struct sass *i);
/* A load or store of the plain stack: the words of it, or the registers, whose copies are `needed`. */
void set_add_moved(struct slice_set *reads, const struct slice *slice, const struct sass *i,
                   const struct slice_set *needed);
/* A flag register that is read or written whole is all of its bits. */
void set_spread_flags(struct slice_set *set, const struct slice *slice);
/* What the instruction writes, whole or in part. */
void set_definitions(struct slice_set *set, const struct slice *slice, const struct sass *i);

bool is_local(const struct sass *i);     /* a load or store of local memory */
bool is_unpacking(const struct sass *i); /* sets predicates to bits of a register: */
bool has_mask(const struct sass *i);     /* those that its mask, the last source, is known to name */
/* Fills slice->flags: registers of which bits are set under a guard. */
void slice_find_flags(struct slice *slice, const struct sass *code, size_t count);

#endif

#include "model/emulate/slice_sets.h"

static void add(struct slice_set *set, unsigned bit)
{
    set->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void add_registers(struct slice_set *set, unsigned first_bit, unsigned index, unsigned count)
{
    for (unsigned w = 0; w < count && index + w < SASS_RZ; w++)
        add(set, first_bit + index + w);
}

void set_add_operand(struct slice_set *set, const struct sass_operand *operand)
{
    switch (operand->kind) {
    case SASS_REGISTER:
        add_registers(set, 0, operand->index, operand->count);
        break;
    case SASS_UNIFORM_REGISTER:
        add_registers(set, SLICE_UNIFORM, operand->index, operand->count);
        break;
    case SASS_PREDICATE:
        if (operand->index < SASS_PT)
            add(set, SLICE_PREDICATES + operand->index);
        break;
    case SASS_UNIFORM_PREDICATE:
        if (operand->index < SASS_PT)
            add(set, SLICE_UNIFORM_PREDICATES + operand->index);
        break;
    default:
        break;
    }
}

bool is_unpacking(const struct sass *i)
{
    return i->op == SASS_R2P || i->op == SASS_UR2UP;
}

bool has_mask(const struct sass *i)
{
    return i->source_count && i->sources[i->source_count - 1].kind == SASS_IMMEDIATE;
}

/* The predicates between which and a register it moves bits. */
static void add_packed(struct slice_set *set, const struct sass *i)
{
    const unsigned first =
        i->op == SASS_UP2UR || i->op == SASS_UR2UP ? SLICE_UNIFORM_PREDICATES : SLICE_PREDICATES;

    for (unsigned k = 0; k < SASS_PT; k++)
        if (!has_mask(i) || i->sources[i->source_count - 1].value >> k & 1)
            add(set, first + k);
}

void set_add_guard(struct slice_set *set, const struct sass *i)
{
    const struct sass_operand guard = {.kind = i->guard_uniform ? SASS_UNIFORM_PREDICATE : SASS_PREDICATE,
                                       .index = i->guard};

    set_add_operand(set, &guard);
}

void set_add_addresses(struct slice_set *set, const struct sass *i)
{
    for (unsigned k = 0; k < i->access_count; k++) {
        add_registers(set, 0, i->accesses[k].index, sass_address_registers(&i->accesses[k]));
        add_registers(set, SLICE_UNIFORM, i->accesses[k].uniform, i->accesses[k].uniform_wide ? 2 : 1);
    }
}

void set_add_sources(struct slice_set *set, const struct sass *i)
{
    for (unsigned k = 0; k < i->source_count; k++)
        set_add_operand(set, &i->sources[k]);
    if (i->op == SASS_P2R || i->op == SASS_UP2UR)
        add_packed(set, i);
}

bool is_local(const struct sass *i)
{
    return i->access_count && i->accesses[0].space == SASS_SPACE_LOCAL && i->accesses[0].bytes;
}

static unsigned first_word(const struct sass *i)
{
    return SLICE_STACK + (unsigned)i->accesses[0].offset / 4;
}

static unsigned word_count(const struct sass *i)
{
    return (i->accesses[0].bytes + 3u) / 4;
}

/* Sets one bit of a register with others left as they are, or looks at some: LOP3 with a mask as its second
 * source and nothing as its third. */
enum { LUT_AND = 0xc0, LUT_OR = 0xfc };

static bool masks(const struct sass *i, unsigned lut)
{
    const struct sass_operand *s = i->sources;

    return i->op == SASS_LOP3 && i->source_count >= 3 && s[0].kind == SASS_REGISTER && !s[0].invert &&
           s[1].kind == SASS_IMMEDIATE && s[2].kind == SASS_REGISTER && s[2].index == SASS_RZ &&
           !s[2].invert && i->mod[SASS_MOD_LUT] == lut;
}

static bool updates_flags(const struct sass *i)
{
    if (!masks(i, LUT_AND) && !masks(i, LUT_OR))
        return false;
    for (unsigned k = 0; k < i->destination_count; k++)
        if (i->destinations[k].kind == SASS_REGISTER ? i->destinations[k].index != i->sources[0].index
                                                     : i->destinations[k].index != SASS_PT)
            return false;
    return i->sources[0].index != SASS_RZ;
}

static int flag_number(const struct slice *slice, unsigned index)
{
    for (unsigned k = 0; k < slice->flag_count; k++)
        if (slice->flags[k] == index)
            return (int)k;
    return -1;
}

static void add_bits(struct slice_set *set, unsigned number, uint32_t bits)
{
    for (; bits; bits &= bits - 1)
        add(set, SLICE_FLAGS + 32 * number + (unsigned)__builtin_ctz(bits));
}

/* A flag register that is read or written whole is all of its bits. */
void set_spread_flags(struct slice_set *set, const struct slice *slice)
{
    for (unsigned k = 0; k < slice->flag_count; k++) {
        const unsigned index = slice->flags[k];

        if (!(set->bits[index / 64] >> index % 64 & 1))
            continue;
        set->bits[index / 64] &= ~(UINT64_C(1) << index % 64);
        add_bits(set, k, UINT32_MAX);
    }
}

/* Flags are set under a guard. */
void slice_find_flags(struct slice *slice, const struct sass *code, size_t count)
{
    for (size_t i = 0; i < count && slice->flag_count < SLICE_FLAG_REGISTERS; i++)
        if (sass_is_guarded(&code[i]) && updates_flags(&code[i]) &&
            flag_number(slice, code[i].sources[0].index) < 0)
            slice->flags[slice->flag_count++] = code[i].sources[0].index;
}

/* The sources of an instruction that is no memory access. */
void set_add_reads(struct slice_set *reads, const struct slice *slice, const struct sass *i)
{
    const int number = masks(i, LUT_AND) ? flag_number(slice, i->sources[0].index) : -1;

    if (flag_number(slice, i->sources[0].index) >= 0 && updates_flags(i))
        return; /* what it leaves as it is is needed anyway, where it is */
    if (number >= 0) {
        add_bits(reads, (unsigned)number, (uint32_t)i->sources[1].value);
        return;
    }
    set_add_sources(reads, i);
    set_add_addresses(reads, i);
}

void set_definitions(struct slice_set *set, const struct slice *slice, const struct sass *i)
{
    *set = (struct slice_set){0};
    if (updates_flags(i) && flag_number(slice, i->sources[0].index) >= 0) {
        const uint32_t mask = (uint32_t)i->sources[1].value;

        add_bits(set, (unsigned)flag_number(slice, i->sources[0].index), masks(i, LUT_OR) ? mask : ~mask);
        return;
    }
    if (slice->plain_stack && is_local(i) && i->accesses[0].access & SASS_WRITES)
        for (unsigned w = 0; w < word_count(i); w++)
            add(set, first_word(i) + w);
    for (unsigned k = 0; k < i->destination_count; k++)
        set_add_operand(set, &i->destinations[k]);
    if (is_unpacking(i))
        add_packed(set, i);
    set_spread_flags(set, slice);
}

static bool set_has(const struct slice_set *set, const struct slice *slice, unsigned bit)
{
    const int flag = bit < SLICE_UNIFORM ? flag_number(slice, bit) : -1;
    const unsigned first = SLICE_FLAGS + 32 * (unsigned)flag;

    return flag < 0 ? set->bits[bit / 64] >> bit % 64 & 1
                    : (set->bits[first / 64] >> first % 64 & UINT32_MAX) != 0;
}

void set_add_moved(struct slice_set *reads, const struct slice *slice, const struct sass *i,
                   const struct slice_set *needed)
{
    const bool writes = i->accesses[0].access & SASS_WRITES;
    const struct sass_operand *operand = writes ? i->sources : i->destinations;

    if (operand->kind != SASS_REGISTER)
        return;
    for (unsigned w = 0; w < word_count(i) && operand->index + w < SASS_RZ; w++) {
        const unsigned word = first_word(i) + w, other = operand->index + w;

        if (set_has(needed, slice, writes ? word : other))
            add(reads, writes ? other : word);
    }
}

bool slice_has(const struct slice *slice, size_t index, unsigned bit)
{
    return set_has(&slice->live[index], slice, bit);
}

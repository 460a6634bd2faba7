#include "model/emulate/alu.h"

#include "model/emulate/steady.h"

#include <string.h>

static void set_row(row out, uint32_t value)
{
    for (unsigned l = 0; l < LANES; l++)
        out[l] = value;
}

static bool is_predicate(const struct sass_operand *operand)
{
    return operand->kind == SASS_PREDICATE || operand->kind == SASS_UNIFORM_PREDICATE;
}

uint32_t predicate_read(const struct warp *warp, const struct sass_operand *operand)
{
    const uint32_t *file = operand->kind == SASS_UNIFORM_PREDICATE ? warp->regs->up : warp->regs->p;
    const uint32_t value = file[operand->index & 7];

    return operand->invert ? ~value : value;
}

uint32_t guard_lanes(const struct warp *warp, const struct sass *i)
{
    const uint32_t value = (i->guard_uniform ? warp->regs->up : warp->regs->p)[i->guard & 7];

    return i->guard_negated ? ~value : value;
}

uint32_t guard_unknown(const struct warp *warp, const struct sass *i)
{
    return (i->guard_uniform ? warp->regs->up_unknown : warp->regs->p_unknown)[i->guard & 7];
}

/* The address in a constant bank that operand word `word` names; false for a bindless one, whose bank only
 * the driver knows. */
static bool constant_operand(const struct emulation *emulation, const struct sass_operand *operand,
                             unsigned word, uint32_t *out)
{
    *out = 0;
    return !operand->bindless &&
           constant_word(&emulation->memory, operand->bank, (uint64_t)operand->value + 4 * word, out);
}

uint32_t operand_unknown(const struct emulation *emulation, const struct warp *warp,
                         const struct sass_operand *operand)
{
    const struct registers *regs = warp->regs;
    uint32_t unknown = 0, ignored;

    switch (operand->kind) {
    case SASS_REGISTER:
        for (unsigned w = 0; w < operand->count && operand->index + w < SASS_RZ; w++)
            unknown |= regs->r_unknown[operand->index + w];
        return unknown;
    case SASS_UNIFORM_REGISTER:
        for (unsigned w = 0; w < operand->count && operand->index + w < SASS_URZ; w++)
            unknown |= regs->u_unknown[operand->index + w];
        return unknown;
    case SASS_PREDICATE:
        return regs->p_unknown[operand->index & 7];
    case SASS_UNIFORM_PREDICATE:
        return regs->up_unknown[operand->index & 7];
    case SASS_CONSTANT:
        for (unsigned w = 0; w < operand->count; w++)
            if (!constant_operand(emulation, operand, w, &ignored))
                return ALL_LANES;
        return 0;
    default:
        return 0;
    }
}

const uint32_t *operand_row(const struct emulation *emulation, const struct warp *warp,
                            const struct sass_operand *operand, unsigned word, row scratch)
{
    const unsigned index = operand->index + word;
    uint32_t value;

    switch (operand->kind) {
    case SASS_REGISTER:
        return operand->index == SASS_RZ || word >= operand->count || index >= SASS_RZ ? warp->regs->zero[0]
                                                                                       : warp->regs->r[index];
    case SASS_UNIFORM_REGISTER:
        return operand->index == SASS_URZ || word >= operand->count || index >= SASS_URZ
                   ? warp->regs->zero[0]
                   : warp->regs->u[index];
    case SASS_IMMEDIATE:
        set_row(scratch, word < operand->count ? (uint32_t)(operand->value >> 32 * word) : 0);
        return scratch;
    case SASS_CONSTANT:
        constant_operand(emulation, operand, word, &value);
        set_row(scratch, word < operand->count ? value : 0);
        return scratch;
    default:
        return warp->regs->zero[0];
    }
}

/* Both words of a source as they are: in the register file, or copied to scratch. */
static row *fetch(struct alu *x, const struct sass_operand *operand, row *scratch)
{
    struct registers *regs = x->warp->regs;

    if (operand->kind == SASS_REGISTER) /* of one word: nobody reads the second */
        return operand->index == SASS_RZ ? regs->zero : &regs->r[operand->index];
    if (operand->kind == SASS_UNIFORM_REGISTER)
        return operand->index == SASS_URZ ? regs->zero : &regs->u[operand->index];
    if (operand->kind != SASS_IMMEDIATE && operand->kind != SASS_CONSTANT)
        return regs->zero;
    for (unsigned w = 0; w < 2; w++)
        if (w < operand->count)
            operand_row(x->emulation, x->warp, operand, w, scratch[w]);
        else
            set_row(scratch[w], 0);
    return scratch;
}

static uint32_t take_part(uint32_t value, enum sass_part part)
{
    switch (part) {
    case SASS_PART_H0:
        return value & 0xffff;
    case SASS_PART_H1:
        return value >> 16;
    case SASS_PART_B0:
    case SASS_PART_B1:
    case SASS_PART_B2:
    case SASS_PART_B3:
        return value >> 8 * (part - SASS_PART_B0) & 0xff;
    case SASS_PART_H0_H0:
        return (value & 0xffff) * 0x10001;
    case SASS_PART_H1_H1:
        return (value >> 16) * 0x10001;
    default:
        return value;
    }
}

/* The bits of a word, the high one of two or not, that say which sign its numbers have. */
static uint32_t sign_bits(enum modifiers modifiers, bool high)
{
    switch (modifiers) {
    case MODIFIERS_FLOAT:
        return 0x80000000;
    case MODIFIERS_HALVES:
        return 0x80008000;
    case MODIFIERS_DOUBLE:
        return high ? 0x80000000 : 0;
    default:
        return 0;
    }
}

static void take_parts(row out, const row from, enum sass_part part)
{
    for (unsigned l = 0; l < LANES; l++)
        out[l] = take_part(from[l], part);
}

static void take_magnitude(row out, const row from)
{
    for (unsigned l = 0; l < LANES; l++)
        out[l] = from[l] >> 31 ? 0 - from[l] : from[l];
}

/* Minus flips the sign of floats, and all bits of integers, which are one more then. */
static void modify_row(row out, const uint32_t *from, const struct sass_operand *operand,
                       enum modifiers modifiers, bool negate, bool high)
{
    const bool whole = modifiers == MODIFIERS_INT || modifiers == MODIFIERS_LOGIC;
    const uint32_t sign = sign_bits(modifiers, high);
    const uint32_t keep = operand->absolute ? ~sign : ~UINT32_C(0);
    const uint32_t flip = negate ? whole ? ~UINT32_C(0) : sign : 0;
    const uint32_t one = negate && modifiers == MODIFIERS_INT;

    if (operand->part) {
        take_parts(out, from, (enum sass_part)operand->part);
        from = out;
    }
    if (operand->absolute && modifiers == MODIFIERS_INT) {
        take_magnitude(out, from);
        from = out;
    }
    for (unsigned l = 0; l < LANES; l++)
        out[l] = ((from[l] & keep) ^ flip) + one;
}

static row *modify(row *from, const struct sass_operand *operand, enum modifiers modifiers, row *scratch)
{
    const bool negate = operand->negate || (modifiers == MODIFIERS_LOGIC && operand->invert);
    const unsigned words = modifiers == MODIFIERS_DOUBLE ? 2 : 1;

    if (modifiers == MODIFIERS_NONE || !(negate || operand->absolute || operand->part))
        return from;
    for (unsigned w = 0; w < words; w++)
        modify_row(scratch[w], from[w], operand, modifiers, negate, w == 1);
    return scratch;
}

/* Fetches all sources; returns the lanes for which one is unknown. */
static uint32_t fetch_sources(struct alu *x, enum modifiers modifiers)
{
    uint32_t unknown = 0;

    for (unsigned k = 0; k < x->i->source_count; k++) {
        const struct sass_operand *operand = &x->i->sources[k];

        if (x->warp->regs->tainted || operand->kind == SASS_CONSTANT)
            unknown |= operand_unknown(x->emulation, x->warp, operand);
        if (is_predicate(operand)) {
            x->q[x->predicate_count++] = predicate_read(x->warp, operand);
        } else {
            const unsigned n = x->source_count++;
            row *from = fetch(x, operand, x->scratch[n]);

            x->slot[n] = (uint8_t)k;
            x->s[n] = modify(from, operand, modifiers, x->scratch[n]);
        }
    }
    return unknown;
}

static void mark_unknown(uint32_t *unknown, uint32_t mask, uint32_t lanes, bool *tainted)
{
    *unknown = (*unknown & ~mask) | (lanes & mask);
    *tainted |= *unknown != 0;
}

static void store_uniform(struct registers *regs, unsigned index, const uint32_t *words, uint32_t mask,
                          uint32_t unknown)
{
    const unsigned lane = (unsigned)__builtin_ctz(mask);

    set_row(regs->u[index], words[lane]);
    mark_unknown(&regs->u_unknown[index], ALL_LANES, unknown & mask ? ALL_LANES : 0, &regs->tainted);
}

/* Of a row the lanes of the mask, four at a time: a bit of a mask each takes longer. */
static void set_lanes(row out, const row from, uint32_t mask)
{
    static const uint32_t lanes[16][4] = {
        {0, 0, 0, 0},     {~0u, 0, 0, 0},     {0, ~0u, 0, 0},     {~0u, ~0u, 0, 0},
        {0, 0, ~0u, 0},   {~0u, 0, ~0u, 0},   {0, ~0u, ~0u, 0},   {~0u, ~0u, ~0u, 0},
        {0, 0, 0, ~0u},   {~0u, 0, 0, ~0u},   {0, ~0u, 0, ~0u},   {~0u, ~0u, 0, ~0u},
        {0, 0, ~0u, ~0u}, {~0u, 0, ~0u, ~0u}, {0, ~0u, ~0u, ~0u}, {~0u, ~0u, ~0u, ~0u}};

    for (unsigned l = 0; l < LANES; l += 4, mask >>= 4)
        for (unsigned k = 0; k < 4; k++)
            out[l + k] = (out[l + k] & ~lanes[mask & 15][k]) | (from[l + k] & lanes[mask & 15][k]);
}

void operand_store(struct warp *warp, const struct sass_operand *operand, row *words, unsigned count,
                   uint32_t mask, uint32_t unknown)
{
    struct registers *regs = warp->regs;

    if (!mask)
        return;
    for (unsigned w = 0; w < count; w++) {
        const unsigned index = operand->index + w;

        if (index >= SASS_RZ)
            return;
        if (operand->kind == SASS_UNIFORM_REGISTER) {
            store_uniform(regs, index, words[w], mask, unknown);
            continue;
        }
        if (mask == ALL_LANES)
            memcpy(regs->r[index], words[w], sizeof(row));
        else
            set_lanes(regs->r[index], words[w], mask);
        if (regs->tainted || unknown)
            mark_unknown(&regs->r_unknown[index], mask, unknown, &regs->tainted);
    }
}

void predicate_store(struct warp *warp, const struct sass_operand *operand, uint32_t values, uint32_t mask,
                     uint32_t unknown)
{
    struct registers *regs = warp->regs;
    const unsigned index = operand->index & 7;

    if (index == SASS_PT || !mask)
        return;
    if (operand->kind == SASS_UNIFORM_PREDICATE) {
        regs->up[index] = values >> __builtin_ctz(mask) & 1 ? ALL_LANES : 0;
        mark_unknown(&regs->up_unknown[index], ALL_LANES, unknown & mask ? ALL_LANES : 0, &regs->tainted);
        return;
    }
    regs->p[index] = (regs->p[index] & ~mask) | (values & mask);
    if (regs->tainted || unknown)
        mark_unknown(&regs->p_unknown[index], mask, unknown, &regs->tainted);
}

static void store_results(struct alu *x, struct warp *warp, uint32_t unknown)
{
    unsigned predicate = 0, word = 0;

    for (unsigned k = 0; k < x->i->destination_count; k++) {
        const struct sass_operand *operand = &x->i->destinations[k];

        if (is_predicate(operand)) {
            predicate_store(warp, operand, x->dq[predicate++], x->active, unknown);
        } else if (operand->kind == SASS_REGISTER || operand->kind == SASS_UNIFORM_REGISTER) {
            const unsigned count =
                operand->count < RESULT_WORDS - word ? operand->count : RESULT_WORDS - word;

            operand_store(warp, operand, x->d + word, count, x->active, unknown);
            word += count;
        }
    }
}

/* A word of a result, of which tensor products have many. */
static void forget(struct warp *warp, const struct sass_operand *operand, unsigned word, uint32_t mask)
{
    row nothing[1] = {{0}};
    const struct sass_operand one = {.kind = operand->kind, .index = (uint8_t)(operand->index + word)};

    if (operand->kind == SASS_REGISTER && mask == ALL_LANES) {
        memset(warp->regs->r[one.index], 0, sizeof(row));
        warp->regs->r_unknown[one.index] = ALL_LANES;
        warp->regs->tainted = true;
    } else {
        operand_store(warp, &one, nothing, 1, mask, mask);
    }
}

void make_unknown(struct warp *warp, const struct sass *i, uint32_t mask)
{
    for (unsigned k = 0; k < i->destination_count; k++) {
        const struct sass_operand *operand = &i->destinations[k];

        if (is_predicate(operand)) {
            predicate_store(warp, operand, 0, mask, mask);
            continue;
        }
        for (unsigned w = 0; w < operand->count && operand->index + w < SASS_RZ; w++)
            forget(warp, operand, w, mask);
    }
}

/* Conversions read floats of the width they come from; additions with carry have bitwise not for minus. */
static enum modifiers modifiers_of(const struct operation *operation, const struct sass *i)
{
    if (operation->modifiers == MODIFIERS_INT && i->mod[SASS_MOD_EXTENDED])
        return MODIFIERS_LOGIC;
    if (operation->modifiers == MODIFIERS_FLOAT && i->mod[SASS_MOD_FROM] == SASS_TYPE_F64)
        return MODIFIERS_DOUBLE;
    if (operation->modifiers == MODIFIERS_FLOAT &&
        (i->mod[SASS_MOD_FROM] == SASS_TYPE_F16 || i->mod[SASS_MOD_FROM] == SASS_TYPE_BF16))
        return MODIFIERS_HALVES;
    return operation->modifiers;
}

/* Whether one source alone says that nothing is known of the result. */
static bool is_hopeless(const struct alu *x)
{
    bool hopeless = false;

    for (unsigned k = 0; k < x->i->source_count && !hopeless; k++)
        hopeless = !(x->active & ~operand_unknown(x->emulation, x->warp, &x->i->sources[k]));
    return hopeless;
}

void alu_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t active)
{
    const struct operation *operation = &operations[i->op];
    struct alu x;
    uint32_t unknown;

    x.i = i;
    x.emulation = emulation;
    x.warp = warp;
    x.active = active;
    x.source_count = x.predicate_count = 0;
    x.result_unknown = false;
    if (warp->regs->tainted && !operation->crosses && !steady_listens(emulation->steady) && is_hopeless(&x)) {
        make_unknown(warp, i, active);
        return;
    }
    memset(x.dq, 0, sizeof x.dq);
    unknown = fetch_sources(&x, modifiers_of(operation, i));
    if (steady_listens(emulation->steady))
        steady_compute(emulation->steady, &x, active & ~unknown);
    if ((unknown & active) == active && !operation->crosses) { /* whatever is computed of it */
        make_unknown(warp, i, active);
        return;
    }
    operation->compute(&x);
    if (x.result_unknown || (operation->crosses && unknown & active))
        unknown = ALL_LANES;
    store_results(&x, warp, unknown);
}

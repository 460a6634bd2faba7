/* Atomics and reductions on any memory, and matrix loads and stores. */
#include "model/emulate/access.h"
#include "model/emulate/float.h"
#include "model/emulate/half.h"
#include "model/emulate/operand.h"
#include "model/emulate/ticket.h"

#include <string.h>

static unsigned data_words(unsigned width)
{
    return width > 4 ? width / 4 : 1;
}

static bool type_is_signed(enum sass_type type)
{
    return type == SASS_TYPE_S32 || type == SASS_TYPE_S64;
}

static bool less(uint64_t a, uint64_t b, enum sass_type type)
{
    if (type == SASS_TYPE_S32)
        return (int32_t)a < (int32_t)b;
    return type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

static bool type_is_integer(enum sass_type type)
{
    return type == SASS_TYPE_U32 || type == SASS_TYPE_U64 || type_is_signed(type);
}

static bool type_is_halves(enum sass_type type)
{
    return type == SASS_TYPE_F16X2 || type == SASS_TYPE_BF16X2;
}

static uint64_t add(uint64_t a, uint64_t b, enum sass_type type)
{
    switch (type) {
    case SASS_TYPE_F32:
        return bits_of(float_of((uint32_t)a) + float_of((uint32_t)b));
    case SASS_TYPE_F64:
        return bits_of_double(double_of(a) + double_of(b));
    default:
        return a + b;
    }
}

/* The new value of a number, or of a pair of halves, that was `old`. */
static uint64_t combine_number(enum sass_atomic how, enum sass_type type, uint64_t old, uint64_t value)
{
    if (type_is_halves(type))
        return combine_halves((uint32_t)old, (uint32_t)value, type, how);
    switch (how) {
    case SASS_ATOMIC_MIN:
        return less(value, old, type) ? value : old;
    case SASS_ATOMIC_MAX:
        return less(old, value, type) ? value : old;
    case SASS_ATOMIC_INC:
        return old >= value ? 0 : old + 1;
    case SASS_ATOMIC_DEC:
        return old == 0 || old > value ? value : old - 1;
    case SASS_ATOMIC_AND:
        return old & value;
    case SASS_ATOMIC_OR:
        return old | value;
    case SASS_ATOMIC_XOR:
        return old ^ value;
    case SASS_ATOMIC_POPC_INC:
        return old + 1;
    default:
        return add(old, value, type);
    }
}

/* What one lane gives or finds: up to 128 bits. */
union datum {
    uint32_t words[4];
    uint64_t longs[2];
};

/* What a vector consists of; halves come in pairs. */
static enum sass_type element_of(enum sass_type type)
{
    switch (type) {
    case SASS_TYPE_F32X2:
    case SASS_TYPE_F32X4:
        return SASS_TYPE_F32;
    case SASS_TYPE_F16X4:
    case SASS_TYPE_F16X8:
        return SASS_TYPE_F16X2;
    case SASS_TYPE_BF16X4:
    case SASS_TYPE_BF16X8:
        return SASS_TYPE_BF16X2;
    default:
        return type;
    }
}

/* The new value of a cell of `width` bytes that held `old`. */
static union datum combine_data(const struct sass *i, unsigned width, union datum old, union datum value,
                                union datum other)
{
    const enum sass_atomic how = (enum sass_atomic)i->mod[SASS_MOD_ATOMIC];
    const enum sass_type type = (enum sass_type)i->mod[SASS_MOD_TYPE], element = element_of(type);
    union datum out = {{0}};

    if (how == SASS_ATOMIC_EXCH)
        return value;
    if (how == SASS_ATOMIC_CAS || how == SASS_ATOMIC_CAST_SPIN)
        return memcmp(&old, &value, width) ? old : other;
    if (width == 8 && element == type)
        out.longs[0] = combine_number(how, type, old.longs[0], value.longs[0]);
    else
        for (unsigned k = 0; k < data_words(width); k++)
            out.words[k] = (uint32_t)combine_number(how, element, old.words[k], value.words[k]);
    return out;
}

bool atomic_spins(const struct sass *i)
{
    return i->op == SASS_ATOMS && i->mod[SASS_MOD_ATOMIC] == SASS_ATOMIC_CAST_SPIN;
}

static union datum operand_datum(const struct emulation *emulation, const struct warp *warp,
                                 const struct sass_operand *operand, unsigned width, unsigned lane)
{
    union datum out = {{0}};
    row scratch;

    for (unsigned k = 0; operand && k < data_words(width); k++)
        out.words[k] = operand_row(emulation, warp, operand, k, scratch)[lane];
    return out;
}

static bool compares(const struct sass *i)
{
    const unsigned how = i->mod[SASS_MOD_ATOMIC];

    return how == SASS_ATOMIC_CAS || how == SASS_ATOMIC_CAST_SPIN;
}

/* The predicate says which lanes are done: those whose compare-and-swap found what it compared with; those of
 * an atomic on pairs of halves whose address is global, since shared memory has none. */
static bool says_done(const struct sass *i)
{
    return i->destination_count && i->destinations[0].kind == SASS_PREDICATE &&
           i->destinations[0].index != SASS_PT;
}

/* Whether it counts integers in global memory up or down, and somebody asks for the number. */
static bool asks_for_number(const struct sass *i, const struct request *request)
{
    bool asked = false;

    for (unsigned k = 0; k < i->destination_count; k++)
        asked |= i->destinations[k].kind == SASS_REGISTER && i->destinations[k].index != SASS_RZ;
    return asked &&
           (i->mod[SASS_MOD_ATOMIC] == SASS_ATOMIC_ADD || i->mod[SASS_MOD_ATOMIC] == SASS_ATOMIC_INC) &&
           type_is_integer((enum sass_type)i->mod[SASS_MOD_TYPE]) &&
           space_of(request->address[__builtin_ctz(request->mask)]) == SASS_SPACE_GLOBAL &&
           request->space != SASS_SPACE_SHARED;
}

/* What the lanes of an atomic find, and what is seen of it. */
struct found {
    row words[4];
    uint32_t unknown, done; /* lanes */
    bool changed;
    bool number; /* one that blocks share out among them, not what the own block left */
};

static int take_number(struct found *found, union datum *old, struct emulation *emulation,
                       const struct request *request, unsigned lane, union datum given)
{
    const bool adds = request->i->mod[SASS_MOD_ATOMIC] == SASS_ATOMIC_ADD;
    const int rc = adds
                       ? ticket_take(&old->longs[0], &found->number, emulation, request, lane, given.longs[0])
                       : STEP_NEXT;

    if (rc != STEP_NEXT || found->number || request->width != 4)
        return rc;
    return arrival_take(&old->words[0], &found->number, emulation, request,
                        adds ? (int32_t)given.words[0] : 1);
}

static int execute_lane(struct found *found, struct emulation *emulation, struct warp *warp,
                        const struct request *request, unsigned lane)
{
    const struct sass *i = request->i;
    const unsigned width = request->width;
    const union datum given = operand_datum(emulation, warp, data_operand(i, 0), width, lane);
    const union datum other = operand_datum(emulation, warp, data_operand(i, 1), width, lane);
    union datum old = {{0}}, value;
    struct cell cell;
    int rc = cell_find(&cell, emulation, warp, request, lane);

    if (rc)
        return rc;
    memcpy(&old, cell.bytes, width);
    if (asks_for_number(i, request)) {
        rc = take_number(found, &old, emulation, request, lane, given);
        if (rc != STEP_NEXT)
            return rc;
    }
    found->unknown |= cell_unknown(&cell, width) ? lane_bit(lane) : 0;
    found->done |= !compares(i) || !memcmp(&old, &given, width) ? lane_bit(lane) : 0;
    value = combine_data(i, width, old, given, other);
    found->changed |= cell_store(emulation, &cell, &value, width, found->unknown >> lane & 1);
    if (atomic_spins(i)) /* says whether it swapped, not what was there */
        old = (union datum){.longs = {found->done >> lane & 1}};
    for (unsigned k = 0; k < data_words(width); k++)
        found->words[k][lane] = old.words[k];
    return STEP_NEXT;
}

/* A bank of shared memory swaps for one lane at a time: the compiler's loop around an addition of floats, which has no instruction
 * of its own there, goes on with the others. Random words of 405 on an NVIDIA H200: 4.0 rounds, as lanes meet in a bank; 2.3 of
 * them would meet at a word. */
static bool is_bank_taken(uint32_t *taken, const struct request *request, unsigned lane)
{
    const uint64_t word = request->address[lane] / BANK_WIDTH;
    const uint32_t banks = (request->width > BANK_WIDTH ? 3u : 1u) << word % BANKS;
    const bool is = *taken & banks;

    *taken |= banks;
    return is;
}

/* Lanes go one after another, as the order among them is nobody's promise. The values of other blocks are not
 * seen, but for numbers that a counter hands out: whoever uses the result rests on an assumption. */
int atomic_execute(struct emulation *emulation, struct warp *warp, const struct request *request)
{
    const struct sass *i = request->i;
    const struct sass_operand *first = data_operand(i, 0);
    struct found found = {.unknown = first ? operand_unknown(emulation, warp, first) : 0};
    uint32_t taken = 0;

    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        int rc;

        if (says_done(i) && !compares(i) && space_of(request->address[lane]) != SASS_SPACE_GLOBAL)
            continue;
        if (atomic_spins(i) && is_bank_taken(&taken, request, lane)) {
            found.words[0][lane] = 0; /* it did not swap */
            continue;
        }
        rc = execute_lane(&found, emulation, warp, request, lane);
        if (rc)
            return rc;
    }
    if (found.changed)
        note_change(emulation);
    if (says_done(i))
        predicate_store(warp, &i->destinations[0], found.done, request->mask,
                        compares(i) ? found.unknown : 0);
    for (unsigned k = 0; k < i->destination_count; k++)
        if (i->destinations[k].kind == SASS_REGISTER && i->destinations[k].index != SASS_RZ) {
            operand_store(warp, &i->destinations[k], found.words, data_words(request->width), request->mask,
                          found.unknown);
            if (request->space != SASS_SPACE_SHARED && !found.number && !emulation->result->assumed) {
                emulation->result->assumed = true;
                emulation->result->assumed_pc = i->pc;
            }
        }
    return STEP_NEXT;
}

void matrix_lanes(struct request *request)
{
    const unsigned matrices = request->i->mod[SASS_MOD_MATRICES];

    request->mask &= matrices >= 4 ? ALL_LANES : (UINT32_C(1) << 8 * matrices) - 1;
    request->width = 16;
}

/* Half `column` of row `line` of a matrix whose rows the cells are. */
static unsigned char *half_at(const struct cell *rows, unsigned line, unsigned column)
{
    return rows[line].bytes + 2 * column;
}

/* The two halves of lane `lane` of the matrix: row lane / 4, columns 2 (lane % 4) and the next; rows and
 * columns change places when transposed. */
static void matrix_halves(unsigned char *halves[2], const struct cell *rows, unsigned lane, bool transpose)
{
    for (unsigned h = 0; h < 2; h++) {
        const unsigned a = lane / 4, b = 2 * (lane % 4) + h;

        halves[h] = transpose ? half_at(rows, b, a) : half_at(rows, a, b);
    }
}

int matrix_execute(struct emulation *emulation, struct warp *warp, const struct request *request)
{
    const struct sass *i = request->i;
    const unsigned matrices = i->mod[SASS_MOD_MATRICES];
    const bool loads = request->access & SASS_READS, transpose = i->mod[SASS_MOD_TRANSPOSE];
    row words[4] = {{0}}, scratch;
    uint32_t unknown = 0;

    for (unsigned m = 0; m < matrices && m < 4; m++) {
        struct cell rows[8];
        const uint32_t *data = loads ? NULL : operand_row(emulation, warp, data_operand(i, 0), m, scratch);

        for (unsigned k = 0; k < 8; k++) {
            const int rc = cell_find(&rows[k], emulation, warp, request, 8 * m + k);

            if (rc)
                return rc;
            unknown |= cell_unknown(&rows[k], 16) ? ALL_LANES : 0;
        }
        for (unsigned l = 0; l < LANES; l++) {
            unsigned char *halves[2];

            matrix_halves(halves, rows, l, transpose);
            for (unsigned h = 0; h < 2; h++)
                if (loads)
                    memcpy((unsigned char *)&words[m][l] + 2 * h, halves[h], 2);
                else
                    memcpy(halves[h], (const unsigned char *)&data[l] + 2 * h, 2);
        }
    }
    if (loads)
        operand_store(warp, &i->destinations[0], words, matrices, ALL_LANES, unknown);
    else
        note_change(emulation);
    return STEP_NEXT;
}

/* Atomics and reductions on any memory, and matrix loads and stores. */
#include "model/emulate/access.h"
#include "model/emulate/float.h"
#include "model/emulate/half.h"
#include "model/emulate/operand.h"
#include "model/emulate/ticket.h"

#include <string.h>

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

static uint64_t add(uint64_t a, uint64_t b, enum sass_type type)
{
    switch (type) {
    case SASS_TYPE_F32:
        return bits_of(float_of((uint32_t)a) + float_of((uint32_t)b));
    case SASS_TYPE_F64:
        return bits_of_double(double_of(a) + double_of(b));
    case SASS_TYPE_F16X2:
    case SASS_TYPE_BF16X2:
        return add_halves((uint32_t)a, (uint32_t)b, type);
    default:
        return a + b;
    }
}

/* The new value of a cell that held `old`. */
static uint64_t combine_atomic(const struct sass *i, uint64_t old, uint64_t value, uint64_t other)
{
    const enum sass_type type = (enum sass_type)i->mod[SASS_MOD_TYPE];

    switch ((enum sass_atomic)i->mod[SASS_MOD_ATOMIC]) {
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
    case SASS_ATOMIC_EXCH:
        return value;
    case SASS_ATOMIC_CAS:
    case SASS_ATOMIC_CAST_SPIN:
        return old == value ? other : old;
    case SASS_ATOMIC_POPC_INC:
        return old + 1;
    default:
        return add(old, value, type);
    }
}

static uint64_t operand_value(const struct emulation *emulation, const struct warp *warp,
                              const struct sass_operand *operand, unsigned width, unsigned lane)
{
    row low, high;
    uint64_t value = 0;

    if (operand) {
        value = operand_row(emulation, warp, operand, 0, low)[lane];
        if (width == 8)
            value |= (uint64_t)operand_row(emulation, warp, operand, 1, high)[lane] << 32;
    }
    return value;
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

/* Whether it is an addition of integers in global memory whose result somebody asks for. */
static bool can_hand_out(const struct sass *i, const struct request *request)
{
    const enum sass_type type = (enum sass_type)i->mod[SASS_MOD_TYPE];
    bool asked = false;

    for (unsigned k = 0; k < i->destination_count; k++)
        asked |= i->destinations[k].kind == SASS_REGISTER && i->destinations[k].index != SASS_RZ;
    return asked && i->mod[SASS_MOD_ATOMIC] == SASS_ATOMIC_ADD && type != SASS_TYPE_F32 &&
           type != SASS_TYPE_F64 && type != SASS_TYPE_F16X2 && type != SASS_TYPE_BF16X2 &&
           space_of(request->address[__builtin_ctz(request->mask)]) == SASS_SPACE_GLOBAL &&
           request->space != SASS_SPACE_SHARED;
}

/* Lanes go one after another, as the order among them is nobody's promise. The values of other blocks are not
 * seen, but for numbers that a counter hands out: whoever uses the result rests on an assumption. */
int atomic_execute(struct emulation *emulation, struct warp *warp, const struct request *request)
{
    const struct sass *i = request->i;
    const struct sass_operand *first = data_operand(i, 0), *second = data_operand(i, 1);
    uint32_t unknown = first ? operand_unknown(emulation, warp, first) : 0, done = 0;
    bool changed = false, ticket = false;
    row words[2];

    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t given = operand_value(emulation, warp, first, request->width, lane);
        uint64_t old = 0, value;
        struct cell cell;
        int rc;

        words[0][lane] = words[1][lane] = 0;
        if (says_done(i) && !compares(i) && space_of(request->address[lane]) != SASS_SPACE_GLOBAL)
            continue;
        rc = cell_find(&cell, emulation, warp, request, lane);
        if (rc)
            return rc;
        memcpy(&old, cell.bytes, request->width);
        if (can_hand_out(i, request)) {
            rc = ticket_take(&old, &ticket, emulation, request, lane, given);
            if (rc != STEP_NEXT)
                return rc;
        }
        unknown |= cell_unknown(&cell, request->width) ? lane_bit(lane) : 0;
        done |= !compares(i) || old == given ? lane_bit(lane) : 0;
        value = combine_atomic(i, old, given, operand_value(emulation, warp, second, request->width, lane));
        changed |= cell_store(emulation, &cell, &value, request->width, unknown >> lane & 1);
        if (i->mod[SASS_MOD_ATOMIC] ==
            SASS_ATOMIC_CAST_SPIN) /* says whether it swapped, not what was there */
            old = old == given;
        words[0][lane] = (uint32_t)old;
        words[1][lane] = (uint32_t)(old >> 32);
    }
    if (changed)
        note_change(emulation);
    if (says_done(i))
        predicate_store(warp, &i->destinations[0], done, request->mask, compares(i) ? unknown : 0);
    for (unsigned k = 0; k < i->destination_count; k++)
        if (i->destinations[k].kind == SASS_REGISTER && i->destinations[k].index != SASS_RZ) {
            operand_store(warp, &i->destinations[k], words, request->width == 8 ? 2 : 1, request->mask,
                          unknown);
            if (request->space != SASS_SPACE_SHARED && !ticket && !emulation->result->assumed) {
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

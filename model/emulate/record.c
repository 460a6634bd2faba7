#include "model/emulate/record.h"

#include <string.h>

void record_first(struct record *out, const struct execution *execution)
{
    out->i = execution->i;
    out->mask = execution->mask;
    out->access = execution->access;
    out->fixed = execution->fixed;
    out->wanders = false;
    out->second = execution->second;
    out->width = execution->width;
    out->space = execution->space;
    out->rank = execution->rank;
    memcpy(out->times, execution->times, sizeof out->times);
    out->operand_count = execution->operand_count;
    memcpy(out->value, execution->values, execution->operand_count * sizeof *out->value);
}

struct execution record_execution(const struct record *record)
{
    struct execution out = {.i = record->i,
                            .mask = record->mask,
                            .operand_count = record->operand_count,
                            .access = record->access,
                            .fixed = record->fixed,
                            .second = record->second,
                            .space = record->space,
                            .width = record->width,
                            .rank = record->rank};

    memcpy(out.times, record->times, sizeof out.times);
    return out;
}

/* Differences of narrow operands wrap at 32 bits, and are small numbers of either sign. */
static uint64_t advance(bool access, uint64_t from, uint64_t to)
{
    return access ? to - from : (uint64_t)(int64_t)(int32_t)(uint32_t)(to - from);
}

/* Whether it is as often as the record in the loops inside. */
static bool same_loops(const struct record *record, const struct execution *execution)
{
    return record->rank == execution->rank &&
           !memcmp(record->times, execution->times, record->rank * sizeof *record->times);
}

bool record_follows(struct record *record, const struct execution *execution, uint64_t periods, bool learn)
{
    const bool access = record->access;
    uint64_t off = 0, moved = 0;

    if (record->i != execution->i || record->mask != execution->mask ||
        record->operand_count != execution->operand_count || !same_loops(record, execution))
        return false;
    for (unsigned k = 0; k < record->operand_count; k++) {
        const bool stays = record->fixed || (access && k);

        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t active = 0 - (uint64_t)(record->mask >> l & 1), now = execution->values[k][l];

            if (learn)
                record->delta[k][l] = advance(access, record->value[k][l], now) & active;
            moved |= stays ? record->delta[k][l] : 0;
            off |= advance(access, record->value[k][l] + periods * record->delta[k][l], now) & active;
        }
    }
    return !off && !moved;
}

/* Whether the address advances as it did in the loops inside. */
static bool same_steps(const struct record *record, const struct execution *execution)
{
    bool same = true;

    for (unsigned k = 1; k < record->operand_count; k++)
        for (unsigned l = 0; l < LANES; l++)
            same &= record->value[k][l] == execution->values[k][l] || !(record->mask >> l & 1);
    return same;
}

bool record_is_alike(const struct record *record, const struct execution *execution)
{
    return record->i == execution->i && record->operand_count == execution->operand_count &&
           !sass_is_tensor_copy(record->i) &&
           (!record->access || (record->mask == execution->mask && same_loops(record, execution) &&
                                same_steps(record, execution)));
}

/* The first t >= 1 for which value + t * step < 0, value >= 0. */
static uint64_t first_below_zero(int64_t value, int64_t step)
{
    return step >= 0 ? UINT64_MAX : (uint64_t)value / (uint64_t)-step + 1;
}

/* The first t for which a + t * step leaves the range of its type. */
static uint64_t first_wrap(uint32_t value, int64_t step, bool is_signed)
{
    const int64_t from = is_signed ? (int32_t)value : (int64_t)value;
    const int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : (int64_t)UINT32_MAX;

    return step < 0 ? first_below_zero(from - least, step) : first_below_zero(most - from, -step);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A comparison stays as it is until a - b changes sign, becomes or stops being zero. */
static uint64_t compare_horizon(const struct record *record, unsigned lane)
{
    const bool is_signed = record->i->mod[SASS_MOD_SIGNED] || record->i->mod[SASS_MOD_TYPE] == SASS_TYPE_S32;
    const uint32_t a = (uint32_t)record->value[0][lane], b = (uint32_t)record->value[1][lane];
    const int64_t a_step = (int64_t)record->delta[0][lane], b_step = (int64_t)record->delta[1][lane];
    const int64_t difference = is_signed ? (int64_t)(int32_t)a - (int32_t)b : (int64_t)a - (int64_t)b;
    const int64_t step = a_step - b_step;
    const uint64_t wrap = smaller(first_wrap(a, a_step, is_signed), first_wrap(b, b_step, is_signed));

    if (step == 0)
        return wrap;
    if (difference == 0)
        return 1;
    return smaller(wrap, difference > 0 ? first_below_zero(difference - 1, step)
                                        : first_below_zero(-difference - 1, -step));
}

/* One term of a sum with carry: its value now and its step. */
struct term {
    int64_t value, step;
    uint64_t horizon; /* until its own value wraps */
};

static struct term term_of(const struct record *record, unsigned k, unsigned lane, unsigned shift)
{
    const bool negate = record->i->sources[k].negate;
    const uint32_t value = (uint32_t)record->value[k][lane] << shift;
    const int64_t step = (int64_t)(record->delta[k][lane] << shift);

    return (struct term){.value = negate ? (int64_t)(uint32_t)~value + 1 : (int64_t)value,
                         .step = negate ? -step : step,
                         .horizon = first_wrap(value, step, false)};
}

/* The carry of a sum stays while no term wraps and the sum of their low words stays in its multiple of 2^32.
 * LEA adds its first source, shifted, and its second. */
static uint64_t carry_horizon(const struct record *record, unsigned lane)
{
    const bool lea = record->i->op == SASS_LEA || record->i->op == SASS_ULEA;
    int64_t sum = 0, step = 0;
    uint64_t horizon = UINT64_MAX;

    if (lea && (record->i->mod[SASS_MOD_HIGH] || record->i->sources[3].kind != SASS_IMMEDIATE))
        return 0;
    for (unsigned k = 0; k < (lea ? 2 : record->operand_count); k++) {
        const unsigned shift = lea && k == 0 ? (unsigned)record->i->sources[3].value & 31 : 0;
        const struct term term = term_of(record, k, lane, shift);

        horizon = smaller(horizon, term.horizon);
        sum += term.value;
        step += term.step;
    }
    for (int64_t carry = 0; carry <= 2; carry++) { /* that comes in: either way is safe */
        const int64_t low = (sum + carry) & 0xffffffff;

        horizon = smaller(horizon,
                          step < 0 ? first_below_zero(low, step) : first_below_zero(0xffffffff - low, -step));
    }
    return horizon;
}

static bool is_constant(const struct record *record, unsigned lane)
{
    for (unsigned k = 0; k < record->operand_count; k++)
        if (record->delta[k][lane])
            return false;
    return true;
}

/* Whether the lane's horizon is that of its neighbour. */
static bool is_like_the_one_before(const struct record *record, unsigned lane)
{
    if (!lane || !(record->mask >> (lane - 1) & 1))
        return false;
    for (unsigned k = 0; k < record->operand_count; k++)
        if (record->value[k][lane] != record->value[k][lane - 1] ||
            record->delta[k][lane] != record->delta[k][lane - 1])
            return false;
    return true;
}

uint64_t record_horizon(const struct record *record)
{
    uint64_t horizon = UINT64_MAX;

    if (record->access || record->wanders || sass_is_tensor_copy(record->i))
        return horizon;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(record->mask >> l & 1) || is_constant(record, l) || is_like_the_one_before(record, l))
            continue;
        switch ((enum sass_op)record->i->op) {
        case SASS_ISETP:
        case SASS_UISETP:
            if (record->i->sources[0].count > 1)
                return 0;
            horizon = smaller(horizon, compare_horizon(record, l));
            break;
        case SASS_IADD3:
        case SASS_UIADD3:
        case SASS_LEA:
        case SASS_ULEA:
            horizon = smaller(horizon, carry_horizon(record, l));
            break;
        default:
            return 0;
        }
    }
    return horizon;
}

#include "model/emulate/record.h"

#include "model/emulate/count.h"
#include "model/emulate/walk.h"

#include <stdlib.h>
#include <string.h>

void record_first(struct record *out, const struct sight *sight)
{
    const struct request *request = sight->request;

    out->i = sight->i;
    out->mask = sight->mask;
    out->access = request != NULL;
    out->fixed = sight->fixed;
    out->wanders = false;
    out->second = request ? request->second : 0;
    out->width = request ? request->width : 0;
    out->space = request ? request->space : 0;
    out->operand_count = sight->operand_count;
    memcpy(out->value, sight->values, sight->operand_count * sizeof *out->value);
}

/* Differences of narrow operands wrap at 32 bits, and are small numbers of either sign. */
static uint64_t advance(bool access, uint64_t from, uint64_t to)
{
    return access ? to - from : (uint64_t)(int64_t)(int32_t)(uint32_t)(to - from);
}

bool record_follows(struct record *record, const struct sight *sight, uint64_t periods, bool learn)
{
    const bool access = record->access;
    uint64_t off = 0, moved = 0;

    if (record->i != sight->i || record->mask != sight->mask || record->operand_count != sight->operand_count)
        return false;
    for (unsigned k = 0; k < record->operand_count; k++)
        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t active = 0 - (uint64_t)(record->mask >> l & 1), now = sight->values[k][l];

            if (learn)
                record->delta[k][l] = advance(access, record->value[k][l], now) & active;
            moved |= record->delta[k][l];
            off |= advance(access, record->value[k][l] + periods * record->delta[k][l], now) & active;
        }
    return !off && !(record->fixed && moved);
}

bool record_is_alike(const struct record *record, const struct sight *sight)
{
    return record->i == sight->i && record->operand_count == sight->operand_count &&
           (!record->access || record->mask == sight->mask);
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

uint64_t record_horizon(const struct record *record)
{
    uint64_t horizon = UINT64_MAX;

    if (record->access || record->wanders)
        return horizon;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(record->mask >> l & 1) || is_constant(record, l))
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

static void address_at(struct request *out, const struct record *record, uint64_t period)
{
    for (unsigned l = 0; l < LANES; l++)
        out->address[l] = record->value[0][l] + period * record->delta[0][l];
}

static bool moves_together(const struct record *record)
{
    const uint64_t step = record->delta[0][__builtin_ctz(record->mask)];

    for (unsigned l = 0; l < LANES; l++)
        if (record->mask >> l & 1 && record->delta[0][l] != step)
            return false;
    return true;
}

/* Bytes that lanes touch without a gap. */
struct span {
    uint64_t first, end;
};

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static unsigned find_spans(struct span spans[LANES], const struct request *request)
{
    unsigned count = 0, kept = 0;

    for (uint32_t left = request->mask; left; left &= left - 1) {
        const uint64_t address = request->address[__builtin_ctz(left)];

        if (count && address == spans[count - 1].end)
            spans[count - 1].end += request->width;
        else if (!count || address != spans[count - 1].first)
            spans[count++] = (struct span){address, address + request->width};
    }
    qsort(spans, count, sizeof *spans, compare_spans);
    for (unsigned k = 0; k < count; k++)
        if (kept && spans[k].first <= spans[kept - 1].end) {
            if (spans[k].end > spans[kept - 1].end)
                spans[kept - 1].end = spans[k].end;
        } else {
            spans[kept++] = spans[k];
        }
    return kept;
}

/* Marks what `count` periods touch, one period after another, the spans moving on by `step`. */
static int mark_each(struct emulation *emulation, const struct request *request, struct span spans[LANES],
                     unsigned spans_found, int64_t step, uint64_t count)
{
    struct emulate_touch *touch = &emulation->block->touches[request->index];

    for (uint64_t t = 0; t < count; t++) {
        const uint64_t before = touch->own;

        for (unsigned k = 0; k < spans_found; k++) {
            const int rc =
                request_mark(emulation, request, spans[k].first, spans[k].end - spans[k].first, 0, 1);

            if (rc)
                return rc;
            spans[k].first += (uint64_t)step;
            spans[k].end += (uint64_t)step;
        }
        touch->late += touch->own > before;
    }
    return 0;
}

/* Marks what `count` periods touch, span by span. */
static int mark_stretches(struct emulation *emulation, const struct request *request,
                          const struct span spans[LANES], unsigned spans_found, int64_t step, uint64_t count)
{
    for (unsigned k = 0; k < spans_found && count; k++) {
        const uint64_t length = spans[k].end - spans[k].first, moved = (uint64_t)step * (count - 1);
        const bool joined = (uint64_t)(step < 0 ? -step : step) <= length; /* one stretch without gaps */
        const uint64_t first = joined && step < 0 ? spans[k].first + moved : spans[k].first;
        const int rc =
            joined ? request_mark(emulation, request, first, length + (step < 0 ? 0 - moved : moved), 0, 1)
                   : request_mark(emulation, request, first, length, step, count);

        if (rc)
            return rc;
    }
    return 0;
}

/* The same for the block's first warp: the first `cycle` periods tell how many of the others bring something
 * new. */
static int mark_leading(struct emulation *emulation, const struct request *request, struct span spans[LANES],
                        unsigned spans_found, int64_t step, uint64_t count, uint64_t cycle)
{
    struct emulate_touch *touch = &emulation->block->touches[request->index];
    const struct emulate_touch before = *touch;
    const uint64_t shown = cycle < count ? cycle : count, rest = count - shown;
    uint64_t own, late, fresh;
    int rc = mark_each(emulation, request, spans, spans_found, step, shown);

    own = touch->own - before.own;
    late = touch->late - before.late;
    if (!rc)
        rc = mark_stretches(emulation, request, spans, spans_found, step, rest);
    fresh = touch->own - before.own - own;
    late = own ? (fresh * late + own - 1) / own : fresh;
    touch->late += late < rest ? late : rest;
    return rc;
}

/* Marks what `count` periods touch, the first at the request's addresses, all lanes moving by `step`; after
 * `cycle` periods sectors repeat. */
static int mark_moving(struct emulation *emulation, const struct request *request, int64_t step,
                       uint64_t count, uint64_t cycle)
{
    struct span spans[LANES];
    const unsigned spans_found = find_spans(spans, request);

    if (emulation->leading && !emulation->lowest)
        return mark_leading(emulation, request, spans, spans_found, step, count, cycle);
    return mark_stretches(emulation, request, spans, spans_found, step, count);
}

int record_mark_moving(struct emulation *emulation, const struct request *request, int64_t step,
                       uint64_t count)
{
    return mark_moving(emulation, request, step, count, 1);
}

static uint64_t greatest_power(uint64_t step, uint64_t limit)
{
    return step % limit == 0 ? limit : step & (0 - step);
}

/* All lanes move by the same step: after 128 / gcd(step, 128) periods sectors and lines repeat. */
static int count_together(struct emulation *emulation, struct request *request, const struct record *record,
                          uint64_t first, uint64_t count)
{
    const uint64_t step = record->delta[0][__builtin_ctz(record->mask)];
    const uint64_t cycle = 128 / greatest_power(step, 128);

    for (uint64_t k = 0; k < cycle && k < count; k++) {
        address_at(request, record, first + k);
        request_tally(emulation, request, request_pattern(emulation, request),
                      (count - k + cycle - 1) / cycle);
    }
    address_at(request, record, first);
    return request_is_global(request) ? mark_moving(emulation, request, (int64_t)step, count, cycle) : 0;
}

int record_count(struct emulation *emulation, const struct record *record, uint64_t first, uint64_t count)
{
    struct request request = {.i = record->i,
                              .index = record->i->pc / SASS_BYTES,
                              .mask = record->mask,
                              .width = record->width,
                              .space = record->space};

    if (!record->access || !record->mask)
        return 0;
    if (record->space == SASS_SPACE_CONSTANT) {
        address_at(&request, record, first);
        walk_note(emulation, &request, (int64_t)record->delta[0][__builtin_ctz(record->mask)], count);
        return 0;
    }
    request.access = record->i->accesses[record->second].access;
    request.second = record->second;
    if (moves_together(record))
        return count_together(emulation, &request, record, first, count);
    for (uint64_t t = first; t < first + count; t++) {
        int rc;

        if (emulation->result->executed + emulation->counted >= emulation->budget)
            return 0; /* the next instruction says so */
        emulation->counted++;
        address_at(&request, record, t);
        rc = request_count(emulation, &request, request_pattern(emulation, &request));
        if (rc)
            return rc;
    }
    return 0;
}

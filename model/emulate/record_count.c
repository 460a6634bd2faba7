/* What the access of a record costs and touches in many periods. */
#include "model/emulate/record.h"

#include "model/emulate/constants.h"
#include "model/emulate/lane_spans.h"
#include "model/emulate/walk.h"
#include "model/sass/arch/geometry.h"

#include <string.h>

enum { AXES = RECORD_RANKS + 1 };

/* A loop of which each period moves an access by `step`. */
struct axis {
    uint64_t step, count;
};

uint64_t record_inside(const struct record *record)
{
    uint64_t periods = 1;

    for (unsigned k = 0; k < record->rank; k++)
        periods *= record->times[k];
    return periods;
}

uint64_t record_offset(const struct record *record, unsigned lane, uint64_t n)
{
    uint64_t offset = 0;

    for (unsigned k = 0; k < record->rank; n /= record->times[k++])
        offset += n % record->times[k] * record->value[1 + k][lane];
    return offset;
}

struct request record_request(const struct record *record)
{
    return (struct request){.i = record->i,
                            .index = record->i->pc / SASS_BYTES,
                            .mask = record->mask,
                            .width = record->width,
                            .space = record->space,
                            .access = record->i->accesses[record->second].access,
                            .second = record->second};
}

void record_address(struct request *out, const struct record *record, uint64_t period, uint64_t inside)
{
    for (unsigned l = 0; l < LANES; l++)
        out->address[l] =
            record->value[0][l] + period * record->delta[0][l] + record_offset(record, l, inside);
}

/* The loops that one lane moves in, the innermost first. How many. */
static unsigned find_axes(struct axis axes[AXES], const struct record *record, unsigned lane, uint64_t count)
{
    for (unsigned k = 0; k < record->rank; k++)
        axes[k] = (struct axis){record->value[1 + k][lane], record->times[k]};
    axes[record->rank] = (struct axis){record->delta[0][lane], count};
    return record->rank + 1;
}

static bool moves_together(const struct record *record)
{
    const unsigned first = (unsigned)__builtin_ctz(record->mask);
    uint64_t other = 0;

    for (uint32_t left = record->mask; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);

        other |= record->delta[0][l] ^ record->delta[0][first];
        for (unsigned k = 1; k <= record->rank; k++)
            other |= record->value[k][l] ^ record->value[k][first];
    }
    return !other;
}

/* What is touched ---------------------------------------------------------- */

/* Marks spans in `count` periods one after another, `step` further each time. */
static int mark_each(struct emulation *emulation, const struct request *request, const struct span *spans,
                     unsigned spans_found, uint64_t step, uint64_t count)
{
    struct emulate_touch *touch = &emulation->block->touches[request->index];

    for (uint64_t t = 0; t < count; t++) {
        const uint64_t before = touch->own;

        for (unsigned k = 0; k < spans_found; k++) {
            const int rc = request_mark(emulation, request, spans[k].first + t * step,
                                        spans[k].end - spans[k].first, 0, 1);

            if (rc)
                return rc;
        }
        touch->late += touch->own > before;
    }
    return 0;
}

/* Whether the spans are one that moves in a loop of its own: as many, as long, as far apart. */
static bool is_axis(struct axis *out, const struct span *spans, unsigned count)
{
    const uint64_t length = spans[0].end - spans[0].first;
    bool same = count > 1;

    *out = (struct axis){count > 1 ? spans[1].first - spans[0].first : 0, count};
    for (unsigned k = 1; k < count; k++)
        same &= spans[k].end - spans[k].first == length && spans[k].first - spans[k - 1].first == out->step;
    return same;
}

/* Lets all loops go upwards from the span. */
static void turn_upwards(struct span *span, struct axis *axes, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        const uint64_t back = axes[k].step * (axes[k].count - 1);

        if ((int64_t)axes[k].step >= 0)
            continue;
        span->first += back;
        span->end += back;
        axes[k].step = 0 - axes[k].step;
    }
}

/* A loop that moves the span by no more than its length makes it longer; one that moves it by as many steps of
 * another as that has, or fewer, gives that more of them. Whether loop k is not needed any more. */
static bool is_joined(struct span *span, struct axis *axes, unsigned count, unsigned k)
{
    const uint64_t step = axes[k].step, more = axes[k].count - 1;

    if (step <= span->end - span->first) {
        span->end += step * more;
        return true;
    }
    for (unsigned o = 0; o < count; o++)
        if (o != k && axes[o].step && step % axes[o].step == 0 && step / axes[o].step <= axes[o].count) {
            axes[o].count += step / axes[o].step * more;
            return true;
        }
    return false;
}

/* How many loops are left that leave gaps. */
static unsigned join(struct span *span, struct axis *axes, unsigned count)
{
    turn_upwards(span, axes, count);
    for (unsigned k = 0; k < count;) {
        if (!is_joined(span, axes, count, k)) {
            k++;
            continue;
        }
        axes[k] = axes[--count];
        k = 0;
    }
    return count;
}

/* Marks a span at every place of these loops. */
static int mark_places(struct emulation *emulation, const struct request *request, struct span span,
                       const struct axis *axes, unsigned count)
{
    const struct axis *outer = &axes[count - 1], none = {0, 1};
    int rc = 0;

    if (count < 2) {
        outer = count ? outer : &none;
        return request_mark(emulation, request, span.first, span.end - span.first, (int64_t)outer->step,
                            outer->count);
    }
    for (uint64_t t = 0; t < outer->count && !rc; t++) {
        rc = mark_places(emulation, request, span, axes, count - 1);
        span.first += outer->step;
        span.end += outer->step;
    }
    emulation->counted += outer->count / LANES;
    return rc;
}

static int mark_span(struct emulation *emulation, const struct request *request, struct span span,
                     const struct axis *axes, unsigned count)
{
    struct axis left[AXES + 1];
    unsigned longest = 0;

    memcpy(left, axes, count * sizeof *left);
    count = join(&span, left, count);
    for (unsigned k = 1; k < count; k++)
        if (left[k].count > left[longest].count)
            longest = k;
    if (longest) {
        const struct axis first = left[0];

        left[0] = left[longest];
        left[longest] = first;
    }
    return mark_places(emulation, request, span, left, count);
}

int record_mark_stretch(struct emulation *emulation, const struct request *request, uint64_t first,
                        uint64_t length, int64_t step, uint64_t count)
{
    const struct axis axis = {(uint64_t)step, count};

    return count ? mark_span(emulation, request, (struct span){first, first + length}, &axis, 1) : 0;
}

static int mark_spans(struct emulation *emulation, const struct request *request, const struct span *spans,
                      unsigned spans_found, const struct axis *axes, unsigned count)
{
    struct axis all[AXES + 1];
    int rc = 0;

    memcpy(all, axes, count * sizeof *all);
    if (is_axis(&all[count], spans, spans_found))
        return mark_span(emulation, request, spans[0], all, count + 1);
    for (unsigned k = 0; k < spans_found && !rc; k++)
        rc = mark_span(emulation, request, spans[k], axes, count);
    return rc;
}

/* The same for the instruction's leader: the first `cycle` periods of the innermost loop tell how many of all
 * others bring something new. */
static int mark_leading(struct emulation *emulation, const struct request *request, const struct span *spans,
                        unsigned spans_found, const struct axis *axes, unsigned count, uint64_t cycle)
{
    struct emulate_touch *touch = &emulation->block->touches[request->index];
    const struct emulate_touch before = *touch;
    const uint64_t shown = cycle < axes->count ? cycle : axes->count;
    uint64_t own, late, fresh, rest = 1;
    int rc = mark_each(emulation, request, spans, spans_found, axes->step, shown);

    for (unsigned k = 0; k < count; k++)
        rest *= axes[k].count;
    rest -= shown;
    own = touch->own - before.own;
    late = touch->late - before.late;
    if (!rc && rest)
        rc = mark_spans(emulation, request, spans, spans_found, axes, count);
    fresh = touch->own - before.own - own;
    late = own ? (fresh * late + own - 1) / own : fresh;
    touch->late += late < rest ? late : rest;
    return rc;
}

/* Marks what a request touches in all periods of the loops, its lanes moving together; after `cycle` periods
 * of the innermost one sectors repeat. */
static int mark_all(struct emulation *emulation, const struct request *request, const struct axis *axes,
                    unsigned count, uint64_t cycle)
{
    struct span spans[LANES];
    const unsigned spans_found = lane_spans(spans, request);

    if (!emulation->lowest && request_leads(emulation, request))
        return mark_leading(emulation, request, spans, spans_found, axes, count, cycle);
    return mark_spans(emulation, request, spans, spans_found, axes, count);
}

int record_mark_moving(struct emulation *emulation, const struct request *request, int64_t step,
                       uint64_t count)
{
    const struct axis axis = {(uint64_t)step, count};

    return mark_all(emulation, request, &axis, 1, 1);
}

/* What it costs ------------------------------------------------------------ */

static uint64_t greatest_power(uint64_t step, uint64_t limit)
{
    return step % limit == 0 ? limit : step & (0 - step);
}

/* After so many periods sectors and lines repeat. */
static uint64_t cycle_of(const struct axis *axis)
{
    return LINE / greatest_power(axis->step, LINE);
}

/* Where in a line a request lies, of `count` places: how often, and how far on that is met first. */
struct places {
    unsigned count;
    uint64_t times[LINE], offset[LINE];
    uint8_t known[LINE]; /* by place in the line: its number, counted from 1; 0: it is none of them */
};

static void add_place(struct places *places, uint64_t offset, uint64_t times)
{
    uint8_t *known = &places->known[offset % LINE];

    if (!*known) {
        places->offset[places->count] = offset;
        places->times[places->count++] = 0;
        *known = (uint8_t)places->count;
    }
    places->times[*known - 1] += times;
}

/* Most loops move by whole lines, and add no place. */
static void spread_places(struct places *places, const struct axis *axis)
{
    const uint64_t cycle = cycle_of(axis), shown = cycle < axis->count ? cycle : axis->count;
    uint64_t before[LINE];
    const unsigned count = places->count;

    memcpy(before, places->times, count * sizeof *before);
    for (unsigned p = 0; p < count; p++)
        places->times[p] *= (axis->count + cycle - 1) / cycle;
    for (unsigned p = 0; p < count; p++)
        for (uint64_t k = 1; k < shown; k++)
            add_place(places, places->offset[p] + k * axis->step,
                      before[p] * ((axis->count - k + cycle - 1) / cycle));
}

static void tally_places(struct emulation *emulation, const struct request *first, const struct axis *axes,
                         unsigned count)
{
    struct places places;
    struct request request = *first;

    places.count = 0;
    memset(places.known, 0, sizeof places.known);
    add_place(&places, 0, 1);
    for (unsigned k = 0; k < count; k++)
        spread_places(&places, &axes[k]);
    for (unsigned p = 0; p < places.count; p++) {
        for (unsigned l = 0; l < LANES; l++)
            request.address[l] = first->address[l] + places.offset[p];
        request_tally(emulation, &request, request_pattern(emulation, &request), places.times[p]);
    }
}

/* All lanes move by the same steps. */
static int count_together(struct emulation *emulation, struct request *request, const struct record *record,
                          uint64_t first, uint64_t count)
{
    struct axis axes[AXES];
    const unsigned found = find_axes(axes, record, (unsigned)__builtin_ctz(record->mask), count);

    record_address(request, record, first, 0);
    tally_places(emulation, request, axes, found);
    return request_is_global(request) ? mark_all(emulation, request, axes, found, cycle_of(axes)) : 0;
}

static int count_each(struct emulation *emulation, struct request *request, const struct record *record,
                      uint64_t first, uint64_t count)
{
    const uint64_t inside = record_inside(record);

    for (uint64_t t = first; t < first + count; t++)
        for (uint64_t n = 0; n < inside; n++) {
            int rc;

            if (emulation->result->executed + emulation->counted >= emulation->budget)
                return 0; /* the next instruction says so */
            emulation->counted++;
            record_address(request, record, t, n);
            rc = request_count(emulation, request, request_pattern(emulation, request));
            if (rc)
                return rc;
        }
    return 0;
}

static void walk_all(struct emulation *emulation, struct request *request, const struct record *record,
                     uint64_t first, uint64_t count)
{
    struct axis axes[AXES];
    const unsigned lane = (unsigned)__builtin_ctz(record->mask);
    const uint64_t inside = record_inside(record);

    find_axes(axes, record, lane, count);
    if (emulation->lowest || !request_leads(emulation, request))
        return;
    for (uint64_t t = first; t < first + (record->rank ? count : 1); t++)
        for (uint64_t n = 0; n < (record->rank ? inside : 1); n += axes->count) {
            record_address(request, record, t, n);
            walk_note(emulation, request, (int64_t)axes->step, axes->count);
        }
}

static int count_moving(struct emulation *emulation, struct request *request, const struct record *record,
                        uint64_t first, uint64_t count)
{
    return moves_together(record) ? count_together(emulation, request, record, first, count)
                                  : count_each(emulation, request, record, first, count);
}

/* What moves by constants walks through its table. */
static int count_constants(struct emulation *emulation, struct request *request, const struct record *record,
                           uint64_t first, uint64_t count)
{
    struct emulate_touch *touch = emulation->lowest ? NULL : &emulation->block->touches[request->index];
    const uint64_t jumped = touch ? touch->jumped : 0;
    int rc;

    constants_mark_periods(emulation, request, record, first, count);
    rc = count_moving(emulation, request, record, first, count);
    if (touch)
        touch->jumped = jumped;
    return rc;
}

int record_count(struct emulation *emulation, const struct record *record, uint64_t first, uint64_t count)
{
    struct request request;

    if (sass_is_tensor_copy(record->i) && count)
        return tensor_copy_count(emulation, record->i, record->value[0], record->delta[0], first, count);
    if (!record->access || !record->mask || !count)
        return 0;
    request = record_request(record);
    if (record->space == SASS_SPACE_CONSTANT && !request_counts_constants(emulation, record->i)) {
        walk_all(emulation, &request, record, first, count);
        return 0;
    }
    if (record->space == SASS_SPACE_CONSTANT)
        return count_constants(emulation, &request, record, first, count);
    return count_moving(emulation, &request, record, first, count);
}

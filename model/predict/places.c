#include "model/predict/places.h"

#include <math.h>
#include <stdlib.h>

/* What happens at a time, or a block's progress: entries of a heap, the earliest on top. */
struct event {
    double at;
    size_t sm;
};

/* An SM: its blocks go on alike, so that each of them ends at a progress that is known when it begins. */
struct sm {
    struct event *ends; /* a heap */
    size_t count;
    double progress, cycles; /* of its blocks, and of the time */
};

/* Moves an entry down to where it belongs. */
static void settle(struct event *heap, size_t n, size_t at)
{
    const struct event moved = heap[at];

    for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && heap[child + 1].at < heap[child].at)
            child++;
        if (heap[child].at >= moved.at)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* How many times as long a block takes among so many. */
static double slowed(const struct places *places, double count)
{
    return fmax(count / places->needed, 1);
}

static double length_of(const struct places *places, const double *lengths, size_t samples, size_t b)
{
    const double turn =
        (double)b * 0.6180339887498949; /* the golden section spreads evenly, however many there are */

    return lengths[b % samples] * (1 + places->spread * (turn - floor(turn) - 0.5));
}

/* When the first of an SM's blocks ends. */
static double next_end(const struct sm *sm, const struct places *places)
{
    return sm->count ? sm->cycles + (sm->ends[0].at - sm->progress) * slowed(places, (double)sm->count)
                     : INFINITY;
}

/* The first blocks: one to each SM in turn. */
static size_t fill(struct event *order, struct sm *sms, const struct places *places, const double *lengths,
                   size_t samples, size_t blocks)
{
    const size_t all = places->sms * places->per_sm, first = blocks < all ? blocks : all;

    for (size_t b = 0; b < first; b++) {
        struct sm *sm = &sms[b % places->sms];

        sm->ends[sm->count++].at = length_of(places, lengths, samples, b);
    }
    for (size_t s = 0; s < places->sms; s++) {
        for (size_t from = sms[s].count / 2; from-- > 0;)
            settle(sms[s].ends, sms[s].count, from);
        order[s] = (struct event){next_end(&sms[s], places), s};
    }
    for (size_t from = places->sms / 2; from-- > 0;)
        settle(order, places->sms, from);
    return first;
}

/* The first of an SM's blocks ends, and one of `length` takes its place; none where that is 0. */
static void replace(struct sm *sm, double end, double length)
{
    sm->progress = sm->ends[0].at;
    sm->cycles = end;
    if (length > 0)
        sm->ends[0].at += length;
    else
        sm->ends[0] = sm->ends[--sm->count];
    if (sm->count)
        settle(sm->ends, sm->count, 0);
}

static double run(double *held, struct event *order, struct sm *sms, const struct places *places,
                  const double *lengths, size_t samples, size_t blocks)
{
    size_t begun = fill(order, sms, places, lengths, samples, blocks);
    double cycles = 0;

    *held = 0;
    for (; order[0].at < INFINITY; begun++) {
        struct sm *sm = &sms[order[0].sm];

        cycles = order[0].at;
        *held += (cycles - sm->cycles) * (double)sm->count;
        replace(sm, cycles, begun < blocks ? length_of(places, lengths, samples, begun) : 0);
        order[0].at = next_end(sm, places);
        settle(order, places->sms, 0);
    }
    return cycles;
}

double places_run(double *held, const struct places *places, const double *lengths, size_t samples,
                  size_t blocks)
{
    struct sm *sms = calloc(places->sms, sizeof *sms);
    struct event *order = calloc(places->sms * (1 + places->per_sm), sizeof *order);
    double cycles = 0;

    *held = -1;
    for (size_t s = 0; sms && order && s < places->sms; s++)
        sms[s].ends = order + places->sms + s * places->per_sm;
    if (sms && order)
        cycles = run(held, order, sms, places, lengths, samples, blocks);
    free(sms);
    free(order);
    return cycles;
}

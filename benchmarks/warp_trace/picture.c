#include "warp_trace/picture.h"

#include "base/chart.h"

#include <stdlib.h>

enum { ROUNDS = 4 /* bars drawn in each place */, COLOURS = 2 };

/* Bars of every other warp of a place in another series, so that neighbours can be told apart. */
struct bars {
    double *x[COLOURS], *y[COLOURS];
    size_t count[COLOURS];
    uint64_t *free_from; /* of each place */
    unsigned *next;      /* the series of its next bar */
    size_t places;
};

static void put_bar(struct bars *bars, size_t place, const struct warp_span *warp, uint64_t zero)
{
    const unsigned series = bars->next[place];
    double *x = bars->x[series] + bars->count[series], *y = bars->y[series] + bars->count[series];

    x[0] = (double)(warp->start - zero);
    x[1] = (double)(warp->end - zero);
    y[0] = y[1] = (double)place;
    bars->count[series] += 2;
    bars->free_from[place] = warp->end;
    bars->next[place] = (series + 1) % COLOURS;
}

static void put_bars(struct bars *bars, const struct trace_sm *sm, size_t count)
{
    size_t place;

    for (size_t w = 0; w < count; w++) {
        for (place = 0; place < bars->places && bars->free_from[place] > sm->warps[w].start; place++)
            ;
        put_bar(bars, place, &sm->warps[w], sm->first);
        if (place == bars->places)
            bars->places++;
    }
}

int picture_warps(const char *path, const struct trace_sm *sm, size_t places, const char *title,
                  struct err *err)
{
    const size_t wanted = ROUNDS * places, count = sm->count < wanted ? sm->count : wanted;
    double *storage = calloc(4 * COLOURS * count + 1, sizeof *storage);
    struct bars bars = {.free_from = calloc(count + 1, sizeof *bars.free_from),
                        .next = calloc(count + 1, sizeof *bars.next)};
    struct chart_series series[COLOURS];
    struct chart chart = {.title = title,
                          .x_label = "cycles since the first start",
                          .y_label = "warps of one SM",
                          .series = series,
                          .series_count = COLOURS};
    int c, rc = storage && bars.free_from && bars.next ? 0 : err_memory(err);

    for (c = 0; c < COLOURS && !rc; c++) {
        bars.x[c] = storage + 4 * (size_t)c * count;
        bars.y[c] = bars.x[c] + 2 * count;
    }
    if (!rc) {
        put_bars(&bars, sm, count);
        for (c = 0; c < COLOURS; c++)
            series[c] = (struct chart_series){NULL, CHART_BARS, bars.x[c], bars.y[c], bars.count[c]};
        rc = chart_write(path, &chart, err);
    }
    free(storage);
    free(bars.free_from);
    free(bars.next);
    return rc;
}

int picture_occupancy(const char *path, const struct warp_trace *trace, unsigned most, const char *title,
                      struct err *err)
{
    double *sms = calloc(2 * trace->sm_count + 1, sizeof *sms), *shares = sms + trace->sm_count;
    const double mean = 100 * trace->occupancy / most;
    int rc;

    if (!sms)
        return err_memory(err);
    for (size_t s = 0; s < trace->sm_count; s++) {
        sms[s] = trace->sms[s].sm;
        shares[s] = 100 * trace->sms[s].occupancy / most;
    }
    {
        const double ends[] = {sms[0], sms[trace->sm_count - 1]}, level[] = {mean, mean};
        const struct chart_series series[] = {
            {"achieved occupancy of an SM", CHART_POINTS, sms, shares, trace->sm_count},
            {"mean", CHART_LINE, ends, level, 2}};
        const struct chart chart = {.title = title,
                                    .x_label = "SM",
                                    .y_label = "achieved occupancy, % of the warps that fit",
                                    .series = series,
                                    .series_count = 2};

        rc = chart_write(path, &chart, err);
    }
    free(sms);
    return rc;
}

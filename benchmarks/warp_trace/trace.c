#include "warp_trace/trace.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static const double MARGIN = 0.1; /* of an SM's time, left out at either end */

static int by_place(const void *left, const void *right)
{
    const struct warp_span *a = left, *b = right;

    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Warps resident, integrated over [from, to] and divided by it: a walk over all starts and ends in order. */
static double mean_resident(const struct trace_sm *sm, uint64_t *ends, uint64_t from, uint64_t to)
{
    size_t begun = 0, ended = 0, i;
    uint64_t now = from;
    double area = 0;

    for (i = 0; i < sm->count; i++)
        ends[i] = sm->warps[i].end;
    qsort(ends, sm->count, sizeof *ends, by_value);
    while (now < to) {
        uint64_t next = to;

        while (begun < sm->count && sm->warps[begun].start <= now)
            begun++;
        while (ended < sm->count && ends[ended] <= now)
            ended++;
        if (begun < sm->count && sm->warps[begun].start < next)
            next = sm->warps[begun].start;
        if (ended < sm->count && ends[ended] < next)
            next = ends[ended];
        area += (double)(begun - ended) * (double)(next - now);
        now = next;
    }
    return area / (double)(to - from);
}

static void check_law(struct trace_law *out, const struct trace_sm *sm, uint64_t *ends)
{
    const uint64_t margin = (uint64_t)(MARGIN * (double)(sm->last - sm->first));
    const uint64_t from = sm->first + margin, to = sm->last - margin;
    const double length = (double)(to - from);
    double whole = 0, cut = 0, ending = 0;

    *out = (struct trace_law){.error = NAN, .plain_error = NAN};
    if (to <= from)
        return;
    for (size_t i = 0; i < sm->count; i++) {
        const struct warp_span *w = &sm->warps[i];

        if (w->end <= from || w->start >= to)
            continue;
        if (w->start >= from && w->end <= to) {
            out->whole++;
            whole += (double)(w->end - w->start);
        } else {
            out->cut++;
            cut += (double)((w->end < to ? w->end : to) - (w->start > from ? w->start : from));
        }
        if (w->end <= to)
            ending += (double)(w->end - w->start);
    }
    out->occupancy = mean_resident(sm, ends, from, to);
    out->latency = out->whole ? whole / (double)out->whole : 0;
    out->throughput = (double)out->whole / length;
    out->cut_occupancy = cut / length;
    out->error = fabs((out->latency * out->throughput + out->cut_occupancy) / out->occupancy - 1);
    if (ending > 0)
        out->plain_error = fabs(ending / length / out->occupancy - 1);
}

static int unpack(struct warp_trace *out, const uint64_t *words, struct err *err)
{
    const uint64_t clock = ((uint64_t)1 << 48) - 1;

    for (size_t w = 0; w < out->warp_count; w++) {
        const struct warp_span span = {words[2 * w] & clock, words[2 * w + 1],
                                       (unsigned)(words[2 * w] >> 48)};

        if (span.end <= span.start)
            return err_set(err, ERR_FORMAT, "warp %zu started at cycle %llu and %s", w,
                           (unsigned long long)span.start, span.end ? "ended before" : "left no end");
        out->warps[w] = span;
    }
    qsort(out->warps, out->warp_count, sizeof *out->warps, by_place);
    return 0;
}

static void divide(struct warp_trace *out)
{
    for (size_t w = 0; w < out->warp_count; w++) {
        const struct warp_span *span = &out->warps[w];
        struct trace_sm *sm;

        if (!w || span->sm != span[-1].sm)
            out->sms[out->sm_count++] =
                (struct trace_sm){.sm = span->sm, .warps = span, .first = span->start};
        sm = &out->sms[out->sm_count - 1];
        sm->count++;
        sm->last = span->end > sm->last ? span->end : sm->last;
    }
}

static void sum_up(struct warp_trace *out, uint64_t *ends, double *errors)
{
    double all = 0, active = 0;

    for (size_t s = 0; s < out->sm_count; s++) {
        struct trace_sm *sm = &out->sms[s];
        double cycles = 0;

        for (size_t w = 0; w < sm->count; w++)
            cycles += (double)(sm->warps[w].end - sm->warps[w].start);
        sm->occupancy = cycles / (double)(sm->last - sm->first);
        check_law(&sm->law, sm, ends);
        all += cycles;
        active += (double)(sm->last - sm->first);
        errors[s] = sm->law.error;
        out->worst_error = fmax(out->worst_error, sm->law.error);
        out->worst_plain_error = fmax(out->worst_plain_error, sm->law.plain_error);
    }
    out->occupancy = all / active;
    out->latency = all / (double)out->warp_count;
    out->median_error = stats_median(errors, out->sm_count);
}

int warp_trace_read(struct warp_trace *out, const uint64_t *words, size_t warps, struct err *err)
{
    uint64_t *ends = calloc(warps + 1, sizeof *ends);
    double *errors = calloc(warps + 1, sizeof *errors);
    int rc = 0;

    *out = (struct warp_trace){.warps = calloc(warps + 1, sizeof *out->warps),
                               .warp_count = warps,
                               .sms = calloc(warps + 1, sizeof *out->sms)};
    if (!ends || !errors || !out->warps || !out->sms)
        rc = err_memory(err);
    if (!rc && !warps)
        rc = err_set(err, ERR_FORMAT, "no warp was recorded");
    if (!rc)
        rc = unpack(out, words, err);
    if (!rc) {
        divide(out);
        sum_up(out, ends, errors);
    } else {
        warp_trace_release(out);
    }
    free(ends);
    free(errors);
    return rc;
}

void warp_trace_release(struct warp_trace *trace)
{
    free(trace->warps);
    free(trace->sms);
    *trace = (struct warp_trace){0};
}

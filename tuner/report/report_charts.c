/* The pictures of a report. */
#include "tuner/report/reporting.h"

#include "base/chart.h"
#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOFLINE = 256 }; /* points of a curve */

static void add_chart(struct report *report, const struct chart *chart, const char *caption)
{
    char *svg = NULL;

    if (!report->code)
        report->code = chart_svg(&svg, chart, report->err);
    if (report->code)
        return;
    page_add(&report->page, "<figure>%s<figcaption>%s</figcaption></figure>\n", svg, caption);
    free(svg);
}

static void add_progress(struct report *report)
{
    const struct journal *journal = report->options->journal;
    struct chart_series series[2];
    double best = INFINITY;
    size_t i, n = 0;

    for (i = 0; i < journal_count(journal); i++) {
        const struct record *record = journal_record(journal, i);

        if (!report_has_time(record))
            continue;
        best = fmin(best, record->time_s);
        report->x[n] = (double)(n + 1);
        report->y[n] = record->time_s * 1e3;
        report->z[n++] = best * 1e3;
    }
    series[0] = (struct chart_series){"timed", CHART_POINTS, report->x, report->y, n};
    series[1] = (struct chart_series){"best so far", CHART_STEP, report->x, report->z, n};
    add_chart(report,
              &(struct chart){.title = "Search progress",
                              .x_label = "configurations in the order timed",
                              .y_label = "time, ms",
                              .y_log = true,
                              .series = series,
                              .series_count = 2},
              "Every configuration in the order in which it first came, and the best so far.");
}

static void add_sorted(struct report *report)
{
    struct chart_series series;
    size_t i;

    for (i = 0; i < report->count; i++) {
        report->x[i] = 100 * (double)(i + 1) / (double)report->count;
        report->y[i] = report->ran[i].record->time_s / report->ran[0].record->time_s;
    }
    series = (struct chart_series){NULL, CHART_LINE, report->x, report->y, report->count};
    add_chart(report,
              &(struct chart){.title = "How the times are spread",
                              .x_label = "per cent of the configurations, fastest first",
                              .y_label = "times the fastest",
                              .y_log = true,
                              .series = &series,
                              .series_count = 1},
              "A curve that leaves 1 at once is a space in which few configurations are good.");
}

static void add_occupancy(struct report *report)
{
    struct chart_series series;
    size_t i, n = 0;

    for (i = 0; i < report->count; i++) {
        if (!(report->ran[i].record->occupancy >= 0))
            continue;
        report->x[n] = 100 * report->ran[i].record->occupancy;
        report->y[n++] = report->ran[i].record->time_s * 1e3;
    }
    if (!n)
        return;
    series = (struct chart_series){NULL, CHART_POINTS, report->x, report->y, n};
    add_chart(report,
              &(struct chart){.title = "Time against occupancy",
                              .x_label = "theoretical occupancy, per cent",
                              .y_label = "time, ms",
                              .y_log = true,
                              .series = &series,
                              .series_count = 1},
              "Occupancy is a means: where points at the right are no lower than at the left, more warps do "
              "not help.");
}

static void add_predictions(struct report *report)
{
    struct chart_series series[3];
    char caption[160];
    double ends[2];
    size_t i, n = 0;

    for (i = 0; i < report->count; i++) {
        const struct variant_prediction *prediction = report->ran[i].prediction;

        if (!prediction)
            continue;
        report->x[n] = report->ran[i].record->time_s * 1e3;
        report->y[n] = prediction->told.estimate_s * 1e3;
        report->z[n++] = prediction->told.bound_s * 1e3;
    }
    if (!n)
        return;
    snprintf(caption, sizeof caption,
             "Rank correlation of estimate and time over %zu variants: %.3f. No lower bound may lie above "
             "the line.",
             n, stats_spearman(report->x, report->y, n));
    ends[0] = report->x[0];
    ends[1] = report->x[n - 1];
    series[0] = (struct chart_series){"estimate", CHART_POINTS, report->x, report->y, n};
    series[1] = (struct chart_series){"lower bound", CHART_POINTS, report->x, report->z, n};
    series[2] = (struct chart_series){"measured", CHART_LINE, ends, ends, 2};
    add_chart(report,
              &(struct chart){.title = "Predicted and measured",
                              .x_label = "measured, ms",
                              .y_label = "predicted, ms",
                              .x_log = true,
                              .y_log = true,
                              .series = series,
                              .series_count = 3},
              caption);
}

/* How performance grows with resident warps, as the microbenchmarks found it: each curve in per cent of its
 * peak, and where the best variant stands. */
static void add_roofline(struct report *report)
{
    const struct device *profile = report->options->profile;
    const struct record *best = report->ran[0].record;
    const struct device_curve *curves[3];
    static const char *const names[] = {"FFMA, dependent", "DRAM read", "DRAM copy"};
    struct chart_series series[3];
    double values[3][2][ROOFLINE], peak;
    size_t c, i, n = 0;
    const struct chart_mark mark = {profile ? best->occupancy * profile->limits.warps_per_sm : 0,
                                    "best variant"};

    if (!profile)
        return;
    curves[0] = &profile->ops[DEVICE_OP_FFMA].roofline;
    curves[1] = &profile->curves[DEVICE_CURVE_DRAM_READ_WARPS];
    curves[2] = &profile->curves[DEVICE_CURVE_DRAM_COPY_WARPS];
    for (c = 0; c < 3; c++) {
        if (!curves[c]->count || curves[c]->count > ROOFLINE)
            continue;
        for (peak = 0, i = 0; i < curves[c]->count; i++)
            peak = fmax(peak, curves[c]->y[i]);
        for (i = 0; i < curves[c]->count; i++) {
            values[n][0][i] = curves[c]->x[i];
            values[n][1][i] = 100 * curves[c]->y[i] / peak;
        }
        series[n] = (struct chart_series){names[c], CHART_LINE, values[n][0], values[n][1], curves[c]->count};
        n++;
    }
    if (n)
        add_chart(report,
                  &(struct chart){.title = "Occupancy roofline",
                                  .x_label = "resident warps per SM",
                                  .y_label = "per cent of the peak",
                                  .series = series,
                                  .series_count = n,
                                  .marks = &mark,
                                  .mark_count = best->occupancy > 0},
                  "Measured by the microbenchmarks; the line stands at the occupancy of the best variant.");
}

void report_charts(struct report *report)
{
    page_add(&report->page, "<h2>Pictures</h2>\n<div class=grid>\n");
    add_progress(report);
    add_sorted(report);
    add_occupancy(report);
    add_predictions(report);
    add_roofline(report);
    page_add(&report->page, "</div>\n");
}

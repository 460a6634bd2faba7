/* The comparison as JSON and as charts. */
#include "tuner/compare/comparing.h"

#include "base/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* JSON --------------------------------------------------------------------- */

static int set_rounded(struct json *object, const char *key, double value)
{
    char text[32];

    if (!isfinite(value))
        return js_set(object, key, js_new_null());
    snprintf(text, sizeof text, "%.5g", value);
    return js_set_real(object, key, strtod(text, NULL));
}

static int set_spread(struct json *object, const char *key, const struct compare_spread *spread)
{
    struct json *value = js_new_object();

    if (!value || set_rounded(value, "median", spread->median) || set_rounded(value, "p10", spread->low) ||
        set_rounded(value, "p90", spread->high)) {
        js_free(value);
        return ERR_MEMORY;
    }
    return js_set(object, key, value);
}

static int set_marks(struct json *object, const struct compared_way *way)
{
    struct json *marks = js_new_object();
    char key[16];
    int m, failed = !marks;

    for (m = 0; m < COMPARE_MARKS && !failed; m++) {
        snprintf(key, sizeof key, "%u", compare_marks[m]);
        failed = set_spread(marks, key, &way->after[m]);
    }
    return js_set(object, "quality_after_trials", marks) | failed;
}

static struct json *way_json(const struct compared_way *way)
{
    struct json *object = js_new_object();
    int failed = !object;

    if (!failed && !way->compared)
        failed = js_set_string(object, "left_out", way->why_not);
    else if (!failed)
        failed = set_spread(object, "quality", &way->quality) | set_marks(object, way) |
                 set_spread(object, "quality_at_trials_of_model", &way->at_model) |
                 set_spread(object, "trials", &way->timed) | set_spread(object, "compiled", &way->compiled) |
                 set_spread(object, "seconds", &way->seconds) | set_spread(object, "busy", &way->busy) |
                 set_spread(object, "trials_to_99", &way->trials_to_99) |
                 set_spread(object, "seconds_to_99", &way->seconds_to_99);
    return js_unless(failed, object);
}

/* Null when memory ends. */
static struct json *rules_json(const struct compared *compared)
{
    const struct compare_rules *rules = &compared->rules;
    struct json *object = js_new_object();

    return js_unless(js_set_integer(object, "runs", compared->seeds) |
                         js_set_integer(object, "lost_by_bound", rules->lost_by_bound) |
                         js_set_integer(object, "lost_by_estimate", rules->lost_by_estimate) |
                         js_set_integer(object, "audits", rules->audits) |
                         js_set_integer(object, "audits_held", rules->audits_held),
                     object);
}

int compared_json(struct json **out, const struct compared *compared, struct err *err)
{
    struct json *object = js_new_object(), *ways = js_new_object();
    int w, failed = !object || !ways;

    for (w = 0; w < COMPARE_WAYS && !failed; w++)
        failed = js_set(ways, compare_way_text((enum compare_way)w), way_json(&compared->ways[w]));
    failed |= js_set(object, "ways", ways);
    if (!failed && compared->ways[COMPARE_MODEL].compared)
        failed = js_set(object, "rules", rules_json(compared));
    if (!failed)
        failed = js_set_integer(object, "valid", (int64_t)compared->valid) |
                 js_set_integer(object, "ran", (int64_t)compared->ran) |
                 set_rounded(object, "best_ms", compared->best_s * 1e3) |
                 js_set_integer(object, "seeds", compared->seeds) |
                 js_set_integer(object, "cores", compared->cores);
    *out = js_unless(failed, object);
    return failed ? err_memory(err) : 0;
}

/* Charts ------------------------------------------------------------------- */

/* What is left to gain, in per cent, so that a logarithmic axis shows the end of the way too. */
static double slower(double quality)
{
    return quality > 0 ? fmax(100 * (1 / quality - 1), 0.1) : NAN;
}

struct lines {
    struct chart_series series[2 * COMPARE_WAYS];
    double *values; /* x, median, 90 % of every way */
    size_t count;
};

static void add_way(struct lines *lines, const struct compared_way *way, enum compare_way which, bool by_time,
                    double *values)
{
    const size_t n = way->curve_count;
    double *x = values, *median = values + n, *worse = values + 2 * n;

    for (size_t i = 0; i < n; i++) {
        x[i] = by_time ? way->clock[i].median : (double)(i + 1);
        median[i] = slower(way->curve[i].median);
        worse[i] = slower(way->curve[i].low);
    }
    lines->series[lines->count++] = (struct chart_series){compare_way_text(which), CHART_STEP, x, median, n};
    if (compare_ways[which].worse)
        lines->series[lines->count++] =
            (struct chart_series){compare_ways[which].worse, CHART_STEP, x, worse, n};
}

int compared_chart(char **out, const struct compared *compared, bool by_time, const char *title,
                   struct err *err)
{
    struct lines lines = {0};
    struct chart chart = {.title = title,
                          .x_label = by_time ? "seconds of the simulated machine, compiling included"
                                             : "configurations timed",
                          .y_label = "per cent slower than the fastest",
                          .x_log = true,
                          .y_log = true};
    size_t used = 0, all = 0;
    int rc;

    *out = NULL;
    for (int w = 0; w < COMPARE_WAYS; w++)
        all += 3 * compared->ways[w].curve_count;
    lines.values = malloc((all + 1) * sizeof *lines.values);
    if (!lines.values)
        return err_memory(err);
    for (int w = 0; w < COMPARE_WAYS; w++) {
        if (!compared->ways[w].compared)
            continue;
        add_way(&lines, &compared->ways[w], (enum compare_way)w, by_time, lines.values + used);
        used += 3 * compared->ways[w].curve_count;
    }
    chart.series = lines.series;
    chart.series_count = lines.count;
    rc = chart_svg(out, &chart, err);
    free(lines.values);
    return rc;
}

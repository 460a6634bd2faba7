#include "validation/table.h"

#include "base/stats.h"
#include "validation/groups.h"
#include "validation/program.h"

#include <math.h>
#include <stdlib.h>

/* Verdicts ----------------------------------------------------------------- */

struct columns {
    double *measured, *estimate, *bound, *confidence, *predict_s, *scratch;
    size_t n;
};

static int columns_init(struct columns *out, size_t count, struct err *err)
{
    double *all = calloc(6 * count + 1, sizeof *all);

    if (!all)
        return err_memory(err);
    *out = (struct columns){
        all, all + count, all + 2 * count, all + 3 * count, all + 4 * count, all + 5 * count, 0};
    return 0;
}

static void columns_add(struct columns *out, const struct collection *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct point *point = &from->points[i];

        if (!point->ranked.predicted)
            continue;
        out->measured[out->n] = point->measured_s;
        out->estimate[out->n] = point->ranked.estimate_s;
        out->bound[out->n] = point->ranked.bound_s;
        out->confidence[out->n] = point->ranked.confidence;
        out->predict_s[out->n++] = point->ranked.predict_s;
    }
}

static int judge_columns(struct confidence_judgement *out, const struct columns *columns, struct err *err)
{
    return judge_confidence(out, columns->confidence, columns->estimate, columns->measured, columns->n, err);
}

static double error_of(const struct point *point)
{
    return fabs(log(point->ranked.estimate_s / point->measured_s));
}

static void find_misses(struct verdict *out)
{
    const struct collection *from = out->collection;
    size_t at;

    for (size_t i = 0; i < from->count; i++) {
        if (!from->points[i].ranked.predicted)
            continue;
        if (out->miss_count < TABLE_MISSES)
            out->miss_count++;
        else if (error_of(&from->points[i]) <= error_of(&from->points[out->misses[TABLE_MISSES - 1]]))
            continue;
        for (at = out->miss_count - 1;
             at > 0 && error_of(&from->points[out->misses[at - 1]]) < error_of(&from->points[i]); at--)
            out->misses[at] = out->misses[at - 1];
        out->misses[at] = i;
    }
}

static int judge_baselines(struct verdict *out, struct columns *columns, struct err *err)
{
    const struct collection *from = out->collection;
    size_t n;

    for (int r = 0; r < BASELINE_COUNT; r++) {
        for (size_t i = n = 0; i < from->count; i++)
            if (from->points[i].ranked.predicted)
                columns->scratch[n++] = from->points[i].baselines_s[r];
        if (judge_times(&out->baselines[r], columns->scratch, columns->measured, n, NULL) == ERR_MEMORY)
            return err_memory(err);
    }
    return 0;
}

int verdict_of(struct verdict *out, const struct collection *collection, struct err *err)
{
    struct columns columns = {0};
    int rc;

    *out = (struct verdict){.collection = collection};
    rc = columns_init(&columns, collection->count, err);
    if (rc)
        return rc;
    columns_add(&columns, collection);
    out->predicted = columns.n;
    rc = judge_times(&out->estimate, columns.estimate, columns.measured, columns.n, err);
    if (!rc) {
        judge_bounds(&out->bound, columns.bound, columns.measured, columns.n);
        out->predict_s_median = stats_median(columns.predict_s, columns.n);
        out->predict_s_most = stats_quantile(columns.predict_s, columns.n, 1);
        find_misses(out);
        rc = judge_baselines(out, &columns, err);
    }
    if (!rc)
        rc = neighbours_of(&out->neighbours, collection, err);
    if (!rc && columns.n >= 4)
        rc = judge_columns(&out->confidence, &columns, err);
    free(columns.measured);
    return rc;
}

/* Markdown ----------------------------------------------------------------- */

static void put_summary(FILE *out, const struct verdict *verdicts, size_t count)
{
    fprintf(out, "| kernel | problem | variants | with prediction | mean error | median error | pairs right "
                 "| Spearman "
                 "| first within 1 %% | best of first 1 %%, 5 %%, 25 %% | bound violated | bound / measured "
                 "| cut by bound "
                 "| ms a variant, worst |\n"
                 "|---|---|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|---|\n");
    for (size_t v = 0; v < count; v++) {
        const struct verdict *own = &verdicts[v];
        const struct judgement *e = &own->estimate;

        fprintf(out,
                "| %s | %s | %zu of %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.3f | %zu | +%.1f, +%.1f, "
                "+%.1f %% | %zu "
                "(worst %.2f) | %.2f | %.0f %% | %.1f, %.1f |\n",
                own->collection->kernel, own->collection->problem, own->collection->count,
                own->collection->valid, 100 * (double)own->predicted / (double)own->collection->count,
                100 * e->mean_error, 100 * e->median_error, 100 * e->pairs_right, e->spearman, e->first_good,
                100 * e->found_percent[0], 100 * e->found_percent[1], 100 * e->found_percent[2],
                own->bound.violated, own->bound.worst, own->bound.tightness, 100 * own->bound.cut,
                1e3 * own->predict_s_median, 1e3 * own->predict_s_most);
    }
}

static void put_model(FILE *out, const char *name, const struct judgement *j, int is_time)
{
    fprintf(out, "| %s | ", name);
    if (!j->count) {
        fprintf(out, "- | - | - | - | - | - |\n");
        return;
    }
    if (is_time)
        fprintf(out, "%.1f %% | %.1f %% | %.2f", 100 * j->mean_error, 100 * j->median_error, j->ratio);
    else
        fprintf(out, "- | - | -");
    fprintf(out, " | %.1f %% | %.3f | %zu |\n", 100 * j->pairs_right, j->spearman, j->first_good);
}

static void put_models(FILE *out, const struct verdict *verdict)
{
    char name[64];

    fprintf(out, "\n| model | mean error | median error | predicted / measured | pairs right | Spearman | "
                 "first within 1 %% |\n"
                 "|---|---:|---:|---:|---:|---:|---:|\n");
    for (int r = 0; r < BASELINE_COUNT; r++)
        put_model(out, baseline_text((enum baseline)r), &verdict->baselines[r], r != BASELINE_OCCUPANCY);
    put_model(out, "**this model**", &verdict->estimate, 1);
    snprintf(name, sizeof name, "without a cubin, from %zu others", verdict->neighbours.compiled);
    put_model(out, name, &verdict->neighbours.judgement, 1);
}

static void put_misses(FILE *out, const struct verdict *verdict)
{
    fprintf(out, "\nMissed most:\n\n| predicted | measured | ratio | limited by | configuration "
                 "|\n|---:|---:|---:|---|---|\n");
    for (size_t i = 0; i < verdict->miss_count; i++) {
        const struct point *point = &verdict->collection->points[verdict->misses[i]];

        fprintf(out, "| %.4g ms | %.4g ms | %.2f | %s | %s |\n", 1e3 * point->ranked.estimate_s,
                1e3 * point->measured_s, point->ranked.estimate_s / point->measured_s,
                point->ranked.latency_hidden ? resource_name(point->ranked.limiter) : "latency",
                point->configuration);
    }
}

static void put_refused(FILE *out, const struct collection *collection)
{
    size_t i, refused = 0;
    const struct point *first = NULL;

    for (i = 0; i < collection->count; i++)
        if (!collection->points[i].ranked.predicted && !refused++)
            first = &collection->points[i];
    if (first)
        fprintf(out, "\n%zu without a prediction; the first, %s: %s\n", refused, first->configuration,
                first->ranked.reason ? first->ranked.reason : "");
}

static int put_notes(FILE *out, const char *notes, const char *kernel, struct err *err)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s.md", notes, kernel);
    return program_put_notes(out, path, err);
}

static int put_groups(FILE *out, const struct verdict *verdicts, size_t count, struct err *err)
{
    const struct collection **collections = calloc(count + 1, sizeof *collections);
    int rc = collections ? 0 : err_memory(err);

    for (size_t v = 0; v < count && !rc; v++)
        collections[v] = verdicts[v].collection;
    if (!rc)
        rc = groups_write(out, collections, count, err);
    free(collections);
    return rc;
}

static void put_quarters(FILE *out, const struct confidence_judgement *confidence)
{
    fprintf(out, "Median error of the quarters by confidence, the lowest first: %.1f, %.1f, %.1f, %.1f %%.\n",
            100 * confidence->quarter[0], 100 * confidence->quarter[1], 100 * confidence->quarter[2],
            100 * confidence->quarter[3]);
}

/* Of all variants of all kernels together. */
static int put_confidence(FILE *out, const struct verdict *verdicts, size_t count, struct err *err)
{
    struct columns all = {0};
    struct confidence_judgement confidence;
    size_t v, n = 0;
    int rc;

    for (v = 0; v < count; v++)
        n += verdicts[v].collection->count;
    rc = columns_init(&all, n, err);
    for (v = 0; v < count && !rc; v++)
        columns_add(&all, verdicts[v].collection);
    if (!rc && all.n >= JUDGE_QUARTERS)
        rc = judge_columns(&confidence, &all, err);
    if (!rc && all.n >= JUDGE_QUARTERS) {
        fprintf(out, "\n## Confidence\n\n%zu variants. ", all.n);
        put_quarters(out, &confidence);
    }
    free(all.measured);
    return rc;
}

int table_write(FILE *out, const struct verdict *verdicts, size_t count, const char *notes, struct err *err)
{
    int rc;

    put_summary(out, verdicts, count);
    rc = put_confidence(out, verdicts, count, err);
    if (!rc)
        rc = put_groups(out, verdicts, count, err);
    for (size_t v = 0; v < count && !rc; v++) {
        const struct collection *collection = verdicts[v].collection;

        fprintf(out, "\n## %s %s\n\nRecorded on an %s, %s. ", collection->kernel, collection->problem,
                collection->device, collection->date);
        put_quarters(out, &verdicts[v].confidence);
        put_models(out, &verdicts[v]);
        put_misses(out, &verdicts[v]);
        put_refused(out, collection);
        rc = groups_write_values(out, collection, err);
        if (!rc)
            rc = put_notes(out, notes, collection->kernel, err);
    }
    return rc;
}

/* JSON --------------------------------------------------------------------- */

static struct json *judgement_json(const struct judgement *j)
{
    struct json *object = js_new_object();

    return js_unless(js_set_integer(object, "count", (int64_t)j->count) |
                         js_set_real(object, "mean_error", j->mean_error) |
                         js_set_real(object, "median_error", j->median_error) |
                         js_set_real(object, "ratio", j->ratio) |
                         js_set_real(object, "pairs_right", j->pairs_right) |
                         js_set_real(object, "spearman", j->spearman) |
                         js_set_integer(object, "first_good", (int64_t)j->first_good) |
                         js_set_real(object, "found_1_percent", j->found_percent[0]) |
                         js_set_real(object, "found_5_percent", j->found_percent[1]) |
                         js_set_real(object, "found_25_percent", j->found_percent[2]),
                     object);
}

static struct json *verdict_json(const struct verdict *verdict)
{
    const struct collection *from = verdict->collection;
    struct json *object = js_new_object(), *baselines = js_new_object();
    int failed = !object || !baselines, r;

    for (r = 0; r < BASELINE_COUNT && !failed; r++)
        failed = js_set(baselines, baseline_text((enum baseline)r), judgement_json(&verdict->baselines[r]));
    return js_unless(
        js_set(object, "models", baselines) | failed | js_set_string(object, "kernel", from->kernel) |
            js_set_string(object, "problem", from->problem) | js_set_string(object, "device", from->device) |
            js_set_string(object, "date", from->date) |
            js_set_integer(object, "valid", (int64_t)from->valid) |
            js_set_integer(object, "recorded", (int64_t)from->recorded) |
            js_set_integer(object, "measured", (int64_t)from->count) |
            js_set_integer(object, "predicted", (int64_t)verdict->predicted) |
            js_set(object, "estimate", judgement_json(&verdict->estimate)) |
            js_set(object, "without_cubin", judgement_json(&verdict->neighbours.judgement)) |
            js_set_integer(object, "without_cubin_from", (int64_t)verdict->neighbours.compiled) |
            js_set_real(object, "without_cubin_difference", verdict->neighbours.difference) |
            js_set_integer(object, "bound_violated", (int64_t)verdict->bound.violated) |
            js_set_real(object, "bound_worst", verdict->bound.worst) |
            js_set_real(object, "bound_tightness", verdict->bound.tightness) |
            js_set_real(object, "bound_cut", verdict->bound.cut) |
            js_set(object, "error_by_confidence", js_new_reals(verdict->confidence.quarter, JUDGE_QUARTERS)) |
            js_set_real(object, "predict_s_median", verdict->predict_s_median) |
            js_set_real(object, "predict_s_most", verdict->predict_s_most),
        object);
}

struct json *table_json(const struct verdict *verdicts, size_t count)
{
    struct json *list = js_new_array();

    for (size_t v = 0; v < count && list; v++)
        if (js_append(list, verdict_json(&verdicts[v]))) {
            js_free(list);
            return NULL;
        }
    return list;
}

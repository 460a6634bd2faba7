#include "tuner/cli/predict_show.h"

#include "space/configuration.h"
#include "tuner/cli/explain.h"

#include <inttypes.h>
#include <stdlib.h>

static size_t shown(const struct predict_view *view)
{
    return view->limit && view->limit < view->ranking.predicted ? view->limit : view->ranking.predicted;
}

static char *name_of(const struct predict_view *view, const struct ranked *row)
{
    unsigned *choices = calloc(view->spec->parameter_count, sizeof *choices);
    char *text = NULL;

    if (choices) {
        space_configuration(choices, view->space, row->index);
        text = configuration_text(view->spec, choices);
    }
    free(choices);
    return text;
}

/* Rows of a ranking that are so, and the first of them. */
struct found {
    size_t count;
    const struct ranked *first;
    char *text; /* its configuration; owned, null without one */
};

static int find_rows(struct found *out, const struct predict_view *view, size_t from, size_t end,
                     bool (*is)(const struct ranked *), struct err *err)
{
    *out = (struct found){0};
    for (size_t i = from; i < end; i++)
        if (is(&view->ranking.rows[i])) {
            out->first = out->first ? out->first : &view->ranking.rows[i];
            out->count++;
        }
    out->text = out->first ? name_of(view, out->first) : NULL;
    return out->first && !out->text ? err_memory(err) : 0;
}

/* How many of those not predicted came to what `is` says, and why the first did. */
static int put_refused(const struct predict_view *view, bool (*is)(const struct ranked *), const char *what,
                       struct err *err)
{
    struct found found;
    const int rc = find_rows(&found, view, view->ranking.predicted, view->ranking.count, is, err);

    if (!rc && found.count)
        fprintf(view->cli->out, "%zu %s; the first, %s: %s\n", found.count, what, found.text,
                found.first->reason);
    free(found.text);
    return rc;
}

static bool is_unlaunchable(const struct ranked *row)
{
    return row->outcome == OUTCOME_LIMITS;
}

static bool is_uncompiled(const struct ranked *row)
{
    return row->outcome == OUTCOME_COMPILE;
}

static bool is_unpredicted(const struct ranked *row)
{
    return !is_unlaunchable(row) && !is_uncompiled(row);
}

/* Variants that run on no such GPU lack no prediction: they are counted apart. */
static int put_all_refused(const struct predict_view *view, struct err *err)
{
    int rc = put_refused(view, is_unlaunchable, "cannot be launched", err);

    if (!rc)
        rc = put_refused(view, is_uncompiled, "do not compile", err);
    return rc ? rc : put_refused(view, is_unpredicted, "without a prediction", err);
}

/* How many variants execute what the model has no rate for, and what the first of them does. */
static void put_unrated(const struct predict_view *view)
{
    const struct ranked *first = NULL;
    size_t count = 0, i;

    for (i = 0; i < view->ranking.predicted; i++)
        if (*view->ranking.rows[i].unrated) {
            first = first ? first : &view->ranking.rows[i];
            count++;
        }
    if (count)
        fprintf(
            view->cli->out,
            "%zu with instructions that the model has no rate for, such as %s: their estimates leave these "
            "out, confidence 0\n",
            count, first->unrated);
}

/* Below it the ranking of a variant says little: it is marked. What has no rate is told apart. */
static bool is_doubtful(const struct ranked *row)
{
    return row->confidence < 0.2 && !*row->unrated;
}

/* What the mark means, and what is doubtful of the first that bears it. */
static int put_doubtful(const struct predict_view *view, struct err *err)
{
    struct found found;
    const int rc = find_rows(&found, view, 0, shown(view), is_doubtful, err);
    const char *why;

    if (!rc && found.count) {
        why = explained_most(found.first->assumptions, found.first->limited_by, found.first->limiter);
        fprintf(view->cli->out, "? %zu with a confidence below 0.2; the first, %s: %.2f, %s\n", found.count,
                found.text, found.first->confidence, why ? why : "see occutune explain");
    }
    free(found.text);
    return rc;
}

/* What a profile that was measured says nothing of: the model does without. */
static void put_lacks(const struct predict_view *view)
{
    const struct device *device = view->machine->device;
    const char *names[DEVICE_VALUE_COUNT];
    const size_t count = device_is_published(device) ? 0 : device_lacks(names, device);

    if (count)
        fprintf(view->cli->out,
                "the profile lacks %zu value%s that the model reads, such as %s: see occutune explain\n",
                count, count == 1 ? "" : "s", names[0]);
}

/* Where four of five measurements are expected; a dash where the model cannot tell. */
static void interval_text(char *out, size_t size, const struct ranked *row)
{
    char low[32], high[32];

    if (!(row->interval_high_s > 0)) {
        snprintf(out, size, "-");
        return;
    }
    progress_time_text(low, row->interval_low_s);
    progress_time_text(high, row->interval_high_s);
    snprintf(out, size, "%s to %s", low, high);
}

/* More than an SM holds is out of reach, however many. */
static void needed_text(char *out, size_t size, const struct predict_view *view, const struct ranked *row)
{
    const uint64_t most = view->machine->device->limits.warps_per_sm;

    if (most && row->needed_warps > (double)most)
        snprintf(out, size, "> %" PRIu64, most);
    else
        snprintf(out, size, "%.1f", row->needed_warps);
}

static int put_row(const struct predict_view *view, size_t rank, struct err *err)
{
    const struct ranked *row = &view->ranking.rows[rank];
    char *text = name_of(view, row), estimate[32], bound[32], interval[72], needed[32];

    if (!text)
        return err_memory(err);
    progress_time_text(estimate, row->estimate_s);
    progress_time_text(bound, row->bound_s);
    interval_text(interval, sizeof interval, row);
    needed_text(needed, sizeof needed, view, row);
    fprintf(view->cli->out, "%5zu%c %10s  %-20s  %10s  %-26s  %8.1f, %-8s  %s\n", rank + 1,
            is_doubtful(row) ? '?' : ' ', estimate, interval, bound,
            limited_text(row->limited_by, row->limiter), row->had_warps, needed, text);
    free(text);
    return 0;
}

int predict_put(const struct predict_view *view, struct err *err)
{
    FILE *out = view->cli->out;
    char sizes[256];
    int rc = 0;

    spec_problem_text(sizes, sizeof sizes, view->spec, view->problem);
    fprintf(out, "%s%s%s: %zu of %zu configurations predicted for %s%s\n", view->spec->kernel.name,
            *sizes ? " " : "", sizes, view->ranking.predicted, view->ranking.count,
            view->machine->device->name,
            device_is_published(view->machine->device) ? " (published values, not measured)" : "");
    if (view->ranking.count < space_count(view->space))
        fprintf(out, "a random part of the %" PRIu64 " that are valid\n", space_count(view->space));
    if (view->ranking.predicted)
        fprintf(out, "%5s  %10s  %-20s  %10s  %-26s  %-18s  %s\n", "", "estimate", "80 % are in", "at least",
                "limited by", "warps had, needed", "configuration");
    for (size_t i = 0; i < shown(view) && !rc; i++)
        rc = put_row(view, i, err);
    if (!rc)
        rc = put_doubtful(view, err);
    put_unrated(view);
    put_lacks(view);
    return rc ? rc : put_all_refused(view, err);
}

static struct json *row_json(const struct predict_view *view, const struct ranked *row)
{
    struct json *object = js_new_object();
    unsigned *choices = calloc(view->spec->parameter_count, sizeof *choices);
    int failed = !object || !choices;

    if (!failed) {
        space_configuration(choices, view->space, row->index);
        failed = js_set(object, "configuration", configuration_json(view->spec, choices)) ||
                 js_set_string(object, "outcome", outcome_text(row->outcome));
    }
    if (!failed && !row->predicted)
        failed = js_set_string(object, "reason", row->reason);
    if (!failed && row->predicted)
        failed =
            js_set_real(object, "estimate_s", row->estimate_s) ||
            js_set_real(object, "bound_s", row->bound_s) ||
            js_set_bool(object, "bound_proved", row->bound_proved) ||
            (row->interval_high_s > 0 && (js_set_real(object, "interval_low_s", row->interval_low_s) ||
                                          js_set_real(object, "interval_high_s", row->interval_high_s))) ||
            js_set_string(object, "limited_by", limited_text(row->limited_by, row->limiter)) ||
            js_set_string(object, "limiter", resource_name(row->limiter)) ||
            js_set_bool(object, "latency_hidden", row->latency_hidden) ||
            js_set_real(object, "had_warps", row->had_warps) ||
            js_set_real(object, "needed_warps", row->needed_warps) ||
            js_set_real(object, "confidence", row->confidence) ||
            (*row->unrated && js_set_string(object, "unrated", row->unrated)) ||
            js_set_integer(object, "registers", row->registers) ||
            js_set_integer(object, "blocks_per_sm", row->blocks_per_sm) ||
            js_set_real(object, "predict_s", row->predict_s);
    free(choices);
    return js_unless(failed, object);
}

struct json *predict_json(const struct predict_view *view)
{
    struct json *object = js_new_object(), *rows = js_new_array(), *refused = js_new_array();
    char sizes[256];
    int failed = !object || !rows || !refused;

    for (size_t i = 0; i < shown(view) && !failed; i++)
        failed = js_append(rows, row_json(view, &view->ranking.rows[i]));
    for (size_t i = view->ranking.predicted; i < view->ranking.count && !failed; i++)
        failed = js_append(refused, row_json(view, &view->ranking.rows[i]));
    spec_problem_text(sizes, sizeof sizes, view->spec, view->problem);
    return js_unless(failed | js_set_string(object, "problem", sizes) |
                         js_set_string(object, "device", view->machine->device->name) |
                         js_set_bool(object, "published", device_is_published(view->machine->device)) |
                         js_set_integer(object, "valid", (int64_t)space_count(view->space)) |
                         js_set_integer(object, "tried", (int64_t)view->ranking.count) |
                         js_set_integer(object, "predicted", (int64_t)view->ranking.predicted) |
                         js_set(object, "ranking", rows) | js_set(object, "refused", refused),
                     object);
}

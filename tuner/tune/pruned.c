/* What was not timed, and why: counted, and written at the end of the journal. */
#include "tuner/tune/tuning.h"

#include "space/configuration.h"
#include "tuner/journal/record_prediction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What the search pruned counts as pruned; what it never came to, because the run ended early, as
 * skipped. */
void pruned_count(struct tuning *tuning)
{
    struct tuned *out = tuning->out;
    struct tune_counts *counts = &out->counts;
    uint64_t settled = 0;

    search_summarise(&out->search, tuning->search);
    counts->visited = search_visited(tuning->search);
    for (size_t i = 0; i < OUTCOME_COUNT; i++)
        settled += counts->outcomes[i];
    if (counts->valid > settled && out->strategy->prunes && out->end == TUNE_COMPLETE)
        counts->outcomes[OUTCOME_PRUNED] += counts->valid - settled;
    else if (counts->valid > settled)
        counts->outcomes[OUTCOME_SKIPPED] += counts->valid - settled;
    if (out->end == TUNE_COMPLETE && tuning->options->trials && out->search.end == SEARCH_SPENT)
        out->end = TUNE_TRIALS;
}

static int set_ms(struct json *object, const char *key, double seconds)
{
    char text[32];

    if (!isfinite(seconds))
        return 0;
    snprintf(text, sizeof text, "%.6g", seconds * 1e3);
    return js_set_real(object, key, strtod(text, NULL));
}

static int set_objective(struct json *object, const char *key, const struct spec *spec, double cost)
{
    char text[32];

    if (!isfinite(cost) || !(cost > 0))
        return 0;
    snprintf(text, sizeof text, "%.6g", spec_objective(spec, 1, cost));
    return js_set_real(object, key, strtod(text, NULL));
}

static int set_known(struct json *object, const char *key, int value)
{
    return value >= 0 ? js_set_integer(object, key, value) : 0;
}

/* What its code asks for; never a time, which a recording may have. */
static int set_code(struct json *object, const struct record *record)
{
    return set_known(object, "registers", record->registers) |
           set_known(object, "shared_bytes", record->shared_bytes) |
           set_known(object, "spill_instructions", record->spill_instructions) |
           set_known(object, "blocks_per_sm", record->blocks_per_sm) |
           (isfinite(record->occupancy) ? js_set_real(object, "occupancy", record->occupancy) : 0) |
           (isfinite(record->compiled_at_s) ? js_set_real(object, "compiled_at_s", record->compiled_at_s)
                                            : 0) |
           (record->prediction.predicted
                ? js_set(object, "predicted", record_prediction_json(&record->prediction))
                : 0);
}

/* The search compares costs; the journal has the times that these mean for this configuration. */
static struct json *cut_json(const struct search_cut *cut, const struct candidate *candidate,
                             const struct spec *spec)
{
    static const char *const rules[] = {
        [SEARCH_CUT_BOUND] = "bound", [SEARCH_CUT_ESTIMATE] = "estimate", [SEARCH_LEFT] = "trials"};
    struct json *object = configuration_json(spec, candidate->choices);
    int failed =
        !object || js_set_string(object, "rule", rules[cut->fate]) || set_code(object, &candidate->record);

    if (!failed && cut->prediction.predicted)
        failed = set_ms(object, "bound_ms", cut->prediction.bound_s / candidate->weight) |
                 set_ms(object, "estimate_ms", cut->prediction.estimate_s / candidate->weight) |
                 js_set_string(object, "limiter", resource_name(cut->prediction.limiter));
    if (!failed && spec->objective.energy)
        return js_unless(set_objective(object, "expected", spec, cut->expected_s) |
                             set_objective(object, "best", spec, cut->best_s),
                         object);
    if (!failed)
        failed = set_ms(object, "expected_ms", cut->expected_s / candidate->weight) |
                 set_ms(object, "expected_at_best_ms",
                        cut->expected_s / candidate->weight * exp(-SEARCH_MARGIN * cut->deviation)) |
                 set_ms(object, "best_ms", cut->best_s / candidate->weight);
    return js_unless(failed, object);
}

/* Every compiled variant that was pruned, by key. */
static int cuts_json(struct json **out, const struct tuning *tuning, struct err *err)
{
    const struct search_summary *summary = &tuning->out->search;
    struct search_cut *cuts =
        malloc((summary->cut_bound + summary->cut_estimate + summary->promising + 1) * sizeof *cuts);
    struct json *object = js_new_object();
    size_t n;
    int failed = !cuts || !object;

    n = failed ? 0 : search_cuts(cuts, tuning->search);
    for (size_t i = 0; i < n && !failed; i++) {
        const struct candidate *candidate = map_find(&tuning->by_index, cuts[i].index);

        failed = js_set(object, candidate->record.key, cut_json(&cuts[i], candidate, tuning->spec));
    }
    free(cuts);
    *out = failed ? NULL : object;
    if (!failed)
        return 0;
    js_free(object);
    return err_memory(err);
}

int pruned_json(struct json **out, const struct tuning *tuning, struct err *err)
{
    const struct tune_counts *counts = &tuning->out->counts;
    const struct search_summary *summary = &tuning->out->search;
    struct json *object, *cuts = NULL;
    int rc = 0;

    *out = NULL;
    if (!counts->outcomes[OUTCOME_SKIPPED] && !counts->outcomes[OUTCOME_PRUNED])
        return 0;
    object = js_new_object();
    if (!object || js_set_integer(object, "skipped", (int64_t)counts->outcomes[OUTCOME_SKIPPED]) ||
        js_set_integer(object, "not_compiled", (int64_t)summary->not_compiled))
        rc = err_memory(err);
    if (!rc)
        rc = cuts_json(&cuts, tuning, err);
    if (!rc && js_set(object, "pruned", cuts))
        rc = err_memory(err);
    *out = js_unless(rc, object);
    return rc;
}

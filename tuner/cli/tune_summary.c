#include "tuner/cli/tune_summary.h"

#include "base/units.h"

#include "space/configuration.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/progress.h"
#include "tuner/decision/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_configuration(FILE *out, const struct spec *spec, const struct tuned_variant *variant)
{
    char *text = configuration_text(spec, variant->choices);

    fprintf(out, "%s", text ? text : variant->record.key);
    free(text);
}

/* What is best in time, in energy, or between. */
static void put_front(FILE *out, const struct tuned *tuned)
{
    const struct tuned_variant *last = tuned->front_count ? &tuned->front[tuned->front_count - 1] : NULL;
    char time[32], energy[32], least[32];

    if (!last)
        return;
    progress_time_text(time, last->record.time_s);
    units_energy(energy, tuned->front[0].record.energy_j);
    units_energy(least, last->record.energy_j);
    if (tuned->front_count == 1)
        fprintf(out, "  front       the fastest takes the least energy, %s\n", energy);
    else
        fprintf(out, "  front       %zu configurations, from the fastest with %s to %s in %s\n",
                tuned->front_count, energy, least, time);
}

/* An expression has the unit that its author thinks of; the energy has its own. */
static void put_objective(FILE *out, const struct spec *spec, double value)
{
    char text[UNITS_BYTES];

    if (spec->objective.kind == OBJECTIVE_TIME)
        return;
    if (strcmp(expr_text(spec->objective.value), "energy"))
        snprintf(text, sizeof text, "%.5g", value);
    else
        units_energy(text, value);
    fprintf(out, "  objective   %s \"%s\": %s\n",
            spec->objective.kind == OBJECTIVE_MAXIMIZE ? "maximize" : "minimize",
            expr_text(spec->objective.value), text);
}

static void put_best(FILE *out, const struct spec *spec, const struct tuned *tuned, bool verbose)
{
    const struct tuned_variant *best = &tuned->finalists[0];
    const struct record *record = &best->record;
    char time[32];
    double value;

    progress_time_text(time, record->time_s);
    fprintf(out, "  best        %s", time);
    for (size_t m = 0; m < spec->metric_count; m++)
        if (!spec_metric(&value, spec, m, tuned->problem, best->choices, record_measured(record), NULL))
            fprintf(out, ", %.5g %s", value, spec->metrics[m].name);
    fprintf(out, "\n              ");
    put_configuration(out, spec, best);
    fprintf(out, "\n");
    put_objective(out, spec, spec_objective(spec, best->weight, record->time_s));
    if (verbose)
        recorded_print(out, record);
    energy_print(out, record);
    put_front(out, tuned);
    if (tuned->initial.record.outcome == OUTCOME_OK && tuned->initial.record.time_s > 0) {
        progress_time_text(time, tuned->initial.record.time_s);
        fprintf(out, "  speed-up    %.3g over the default (%s)\n",
                tuned_cost(&tuned->initial) / tuned_cost(best), time);
    }
}

static void put_ties(FILE *out, const struct spec *spec, const struct tuned *tuned, bool verbose)
{
    char time[32];

    if (!verbose && tuned->tied > 1)
        fprintf(out, "  tied with   %zu other%s: --verbose lists them\n", tuned->tied - 1,
                tuned->tied == 2 ? "" : "s");
    for (size_t i = 1; i < tuned->tied && verbose; i++) {
        progress_time_text(time, tuned->finalists[i].record.time_s);
        fprintf(out, "  %s%s: ", i == 1 ? "tied with   " : "            ", time);
        put_configuration(out, spec, &tuned->finalists[i]);
        fprintf(out, "\n");
    }
}

static void put_words(FILE *out, const struct spec *spec, const struct tuned *tuned, bool verbose)
{
    struct json *words;
    struct js_at all, sentence;
    const char *text;

    if (summary_new(&words, spec, tuned, verbose ? SUMMARY_WHOLE : SUMMARY_SHORT, NULL))
        return;
    all = js_root(words, "words");
    for (size_t i = 0; i < js_count(&all); i++) {
        sentence = js_element(&all, i);
        if (!js_string(&text, &sentence, NULL))
            fprintf(out, "  %-11s %s\n", i ? "" : "why", text);
    }
    js_free(words);
}

static bool is_failure(enum outcome outcome)
{
    return outcome >= OUTCOME_COMPILE && outcome <= OUTCOME_UNSTABLE;
}

/* How many ended in which way; without `all` only where some failed that might have run. */
static void put_outcomes(FILE *out, const struct tune_counts *counts, bool all)
{
    for (int i = 0; i < OUTCOME_COUNT && !all; i++)
        all = is_failure((enum outcome)i) && counts->outcomes[i];
    if (!all)
        return;
    fprintf(out, "  outcomes   ");
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (counts->outcomes[i])
            fprintf(out, " %" PRIu64 " %s", counts->outcomes[i], outcome_text((enum outcome)i));
    fprintf(out, "\n");
}

static void put_spent(FILE *out, const struct tuned *tuned)
{
    const struct tune_counts *counts = &tuned->counts;
    char elapsed[32];

    fprintf(out, "  space       %" PRIu64 " valid of %" PRIu64, counts->valid, counts->combinations);
    if (counts->distinct_codes)
        fprintf(out, ", %" PRIu64 " distinct codes", counts->distinct_codes);
    fprintf(out, "\n");
    progress_duration_text(elapsed, tuned->elapsed_s);
    if (!tuned->evaluator->measures) {
        fprintf(out, "  spent       %s of a simulated machine: %" PRIu64 " answered by records", elapsed,
                counts->replayed);
        if (counts->missing)
            fprintf(out, ", %" PRIu64 " not recorded", counts->missing);
    } else {
        fprintf(out, "  spent       %s: %" PRIu64 " compiled", elapsed, counts->compiled);
        if (counts->cached)
            fprintf(out, " (%" PRIu64 " in the cache)", counts->cached);
        if (counts->shared)
            fprintf(out, ", %" PRIu64 " share their codes", counts->shared);
        fprintf(out, ", %" PRIu64 " timed, %" PRIu64 " answered by records", counts->timed, counts->replayed);
    }
    fprintf(out, "\n");
}

/* Who did how much of it. */
static void put_hosts(FILE *out, const struct tuned *tuned)
{
    for (size_t i = 0; i < tuned->host_count; i++) {
        const struct tuned_host *host = &tuned->hosts[i];

        fprintf(out,
                "  %-11s %s: %u cores, %zu GPUs: %" PRIu64 " compiled (%.3g core s), %" PRIu64
                " timed (%.3g s)",
                i ? "" : "hosts", host->name, host->cores, host->gpus, host->compiled, host->compile_s,
                host->timed, host->measure_s);
        if (host->drops)
            fprintf(out, "; dropped %u times, last: %s", host->drops, host->reason);
        fprintf(out, "\n");
    }
}

void tune_summary_print(FILE *out, const struct spec *spec, const struct tuned *tuned, bool verbose)
{
    char problem[256];

    spec_problem_text(problem, sizeof problem, spec, tuned->problem);
    fprintf(out, "%s%s%s: ", spec->kernel.name, *problem ? " " : "", problem);
    fprintf(out, "%s on %s%s%s\n", tuned->evaluator->name, tuned->device.name,
            *tuned->recorded_date ? ", " : "", tuned->recorded_date);
    if (tuned->finalist_count) {
        put_best(out, spec, tuned, verbose);
        put_ties(out, spec, tuned, verbose);
    } else {
        fprintf(out, "  best        none ran correctly%s%s\n", *tuned->first_failure ? "; first " : "",
                tuned->first_failure);
    }
    put_words(out, spec, tuned, verbose);
    put_outcomes(out, &tuned->counts, verbose);
    if (tuned->end != TUNE_COMPLETE)
        fprintf(out, "  ended       %s\n", tune_end_text(tuned->end));
    if (!verbose)
        return;
    put_spent(out, tuned);
    put_hosts(out, tuned);
    if (tuned->code_check == TUNE_CHECKED)
        fprintf(out, "  code        NVRTC %s makes the code here that was measured\n", tuned->nvrtc_here);
    fprintf(out, "  journal     %s\n", tuned->journal);
}

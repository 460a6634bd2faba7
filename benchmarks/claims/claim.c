#include "claims/claim.h"

#include "base/chart.h"
#include "space/configuration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct claim claims[] = {
    {.name = "vector_add",
     .title = "Vector add by size of its blocks (3.8)",
     .cases = {{"blocks of 32", NULL, "BLOCK=32"},
               {"of 64", NULL, "BLOCK=64"},
               {"of 128", NULL, "BLOCK=128"},
               {"of 256", NULL, "BLOCK=256"},
               {"of 512", NULL, "BLOCK=512"}}},
    {.name = "permutation",
     .title = "A random permutation needs fewer warps than the identity (3.10)",
     .own_peak = true,
     .compares = true,
     .cases = {{"identity", "shuffled=0", NULL}, {"random", "shuffled=1", NULL}}},
    {.name = "abs_inplace",
     .title = "Writing back lowers the needed occupancy (3.10)",
     .compares = true,
     .cases = {{"all positive", "negative=0", NULL}, {"all negative", "negative=1", NULL}}},
    {.name = "black_scholes",
     .title = "Fast-math lowers the needed occupancy of Black-Scholes (3.10)",
     .compares = true,
     .needs_equal_peaks = true,
     .cases = {{"precise", NULL, "FAST_MATH=False"}, {"fast-math", NULL, "FAST_MATH=True"}}},
    {.name = "log_quotient",
     .title = "The same for a kernel bound by DRAM either way",
     .compares = true,
     .needs_equal_peaks = true,
     .cases = {{"precise", NULL, "FAST_MATH=False"}, {"fast-math", NULL, "FAST_MATH=True"}}},
};
const size_t claim_count = sizeof claims / sizeof *claims;

static const double shares[CLAIM_SHARES] = {0.5, 0.8, 0.95};

/* Finding ------------------------------------------------------------------ */

bool claim_case_fits(const struct claim_case *which, const struct spec *spec, const unsigned *choices)
{
    const char *filter = which->filter;
    const size_t length = filter ? strcspn(filter, "=") : 0;
    char value[64];

    for (size_t p = 0; p < spec->parameter_count && filter; p++) {
        const char *name = spec->parameters[p].name;

        if (strlen(name) != length || strncmp(name, filter, length) != 0)
            continue;
        value_text(value, sizeof value, configuration_value(spec, choices, p));
        return !strcmp(value, filter + length + 1);
    }
    return !filter;
}

static int add_point(struct case_found *out, const struct collection *from, const struct point *point,
                     const unsigned *choices, struct err *err)
{
    const size_t problem = from->problem_index;
    int rc;

    out->warps[out->count] = point->ranked.had_warps;
    rc = spec_metric(&out->measured[out->count], &from->spec, 0, problem, choices,
                     (struct spec_measured){point->measured_s, 0}, err);
    if (!rc)
        rc = spec_metric(&out->predicted[out->count], &from->spec, 0, problem, choices,
                         (struct spec_measured){point->ranked.estimate_s, 0}, err);
    if (!out->count || point->ranked.had_warps >= out->warps[0])
        out->needed_bounds = point->ranked.needed_warps;
    out->count += !rc;
    return rc;
}

static int take_points(struct case_found *out, const struct collection *from, const struct claim_case *which,
                       struct err *err)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    int rc = 0;

    out->warps = calloc(3 * from->count + 1, sizeof *out->warps);
    if (!out->warps)
        return err_memory(err);
    out->measured = out->warps + from->count;
    out->predicted = out->measured + from->count;
    for (size_t i = 0; i < from->count && !rc; i++) {
        const struct point *point = &from->points[i];

        space_configuration(choices, from->space, point->index);
        if (!claim_case_fits(which, &from->spec, choices))
            continue;
        rc = point->ranked.predicted
                 ? add_point(out, from, point, choices, err)
                 : err_set(err, ERR_MISSING, "%s: no prediction: %s", point->configuration,
                           point->ranked.reason ? point->ranked.reason : "");
    }
    if (!rc)
        rc = curve_of(&out->measured_curve, out->warps, out->measured, out->count, err);
    return rc ? rc : curve_of(&out->predicted_curve, out->warps, out->predicted, out->count, err);
}

static int find_case(struct found *out, const struct claim_case *which, const struct collect_options *options,
                     struct err *err)
{
    struct collect_options own = *options;
    struct collection collection;
    int rc;

    own.sets = &which->set;
    own.set_count = which->set != NULL;
    rc = collect(&collection, &own, err);
    if (!rc && !collection.spec.metric_count)
        rc = err_set(err, ERR_USAGE, "%s: its spec has no metric", options->folder);
    if (!rc)
        rc = take_points(&out->cases[out->case_count++], &collection, which, err);
    if (!rc) {
        snprintf(out->device, sizeof out->device, "%s", collection.device);
        snprintf(out->date, sizeof out->date, "%s", collection.date);
        snprintf(out->unit, sizeof out->unit, "%s", collection.spec.metrics[0].name);
    }
    collection_release(&collection);
    return rc;
}

void claim_compare(struct found *out)
{
    double measured = INFINITY, predicted = INFINITY, most = 0;

    for (size_t c = 0; c < out->case_count; c++) {
        measured = fmin(measured, curve_peak(&out->cases[c].measured_curve));
        predicted = fmin(predicted, curve_peak(&out->cases[c].predicted_curve));
        most = fmax(most, curve_peak(&out->cases[c].measured_curve));
    }
    out->equal_peaks = measured >= 0.95 * most;
    for (size_t c = 0; c < out->case_count; c++) {
        struct case_found *own = &out->cases[c];
        const bool alone = out->claim->own_peak || !out->claim->compares;
        const double most_measured = alone ? curve_peak(&own->measured_curve) : measured;
        const double most_predicted = alone ? curve_peak(&own->predicted_curve) : predicted;

        for (size_t i = 0; i < CLAIM_SHARES; i++) {
            own->needed_measured[i] = curve_needed(&own->measured_curve, shares[i] * most_measured);
            own->needed_predicted[i] = curve_needed(&own->predicted_curve, shares[i] * most_predicted);
        }
    }
}

int claim_find(struct found *out, const struct claim *claim, const struct collect_options *options,
               const char *folder, struct err *err)
{
    struct collect_options own = *options;
    char path[4096];
    int rc = 0;

    *out = (struct found){.claim = claim};
    snprintf(path, sizeof path, "%s/%s", folder, claim->name);
    own.folder = path;
    for (size_t c = 0; c < CLAIM_CASES && claim->cases[c].label && !rc; c++)
        rc = find_case(out, &claim->cases[c], &own, err);
    if (!rc)
        claim_compare(out);
    return rc;
}

void claim_release(struct found *found)
{
    for (size_t c = 0; c < found->case_count; c++) {
        curve_release(&found->cases[c].measured_curve);
        curve_release(&found->cases[c].predicted_curve);
        free(found->cases[c].warps);
    }
    *found = (struct found){0};
}

/* Showing ------------------------------------------------------------------ */

static void put_warps(FILE *out, double warps)
{
    if (isnan(warps))
        fprintf(out, " - |");
    else
        fprintf(out, " %.1f |", warps);
}

/* The second case's needs over the first's, and whether all are less. */
static bool put_ratios(FILE *out, const double *first, const double *second)
{
    bool fewer = true;

    for (size_t i = 0; i < CLAIM_SHARES; i++) {
        fprintf(out, "%s%.2f", i ? ", " : "", second[i] / first[i]);
        fewer = fewer && second[i] < first[i];
    }
    return fewer;
}

static void put_verdict(FILE *out, const struct found *found)
{
    const struct case_found *more = &found->cases[0], *fewer = &found->cases[1];
    const struct claim_case *names = found->claim->cases;
    bool holds;

    if (found->claim->needs_equal_peaks)
        fprintf(out, "\nPrecondition, that both are bound by memory: %s, they reach %.0f and %.0f %s.\n",
                found->equal_peaks ? "met" : "not met", curve_peak(&more->measured_curve),
                curve_peak(&fewer->measured_curve), found->unit);
    fprintf(out, "\nMeasured, %s needs ", names[1].label);
    holds = put_ratios(out, more->needed_measured, fewer->needed_measured);
    fprintf(out, " times the warps that %s does: the claim %s. Predicted: ", names[0].label,
            holds ? "holds" : "does not hold");
    put_ratios(out, more->needed_predicted, fewer->needed_predicted);
    fprintf(out, ".\n");
}

static void put_growing(FILE *out, const struct found *found)
{
    size_t c, growing = 0;

    for (c = 0; c < found->case_count; c++)
        if (curve_grows(&found->cases[c].measured_curve))
            fprintf(out, "%s%s", growing++ ? ", " : "\nStill growing at the highest occupancy measured: ",
                    found->claim->cases[c].label);
    if (growing)
        fprintf(out, ". Their peaks would need more warps.\n");
}

static void put_head(FILE *out, const struct found *found)
{
    const struct claim *claim = found->claim;

    fprintf(
        out,
        "\n## %s\n\n![%s](%s.svg)\n\nWarps of an SM needed for a share of %s, measured and predicted.\n\n",
        claim->title, claim->title, claim->name,
        claim->own_peak || !claim->compares ? "each case's own peak" : "the lowest of the peaks");
    fprintf(out, "| | peak, %s | predicted |", found->unit);
    for (size_t i = 0; i < CLAIM_SHARES; i++)
        fprintf(out, " %.0f %% | predicted |", 100 * shares[i]);
    fprintf(out, " latency x throughput |\n|---|---:|---:|");
    for (size_t i = 0; i < CLAIM_SHARES; i++)
        fprintf(out, "---:|---:|");
    fprintf(out, "---:|\n");
}

void claim_write(FILE *out, const struct found *found)
{
    put_head(out, found);
    for (size_t c = 0; c < found->case_count; c++) {
        const struct case_found *own = &found->cases[c];

        fprintf(out, "| %s | %.0f | %.0f |", found->claim->cases[c].label, curve_peak(&own->measured_curve),
                curve_peak(&own->predicted_curve));
        for (size_t i = 0; i < CLAIM_SHARES; i++) {
            put_warps(out, own->needed_measured[i]);
            put_warps(out, own->needed_predicted[i]);
        }
        put_warps(out, own->needed_bounds);
        fprintf(out, "\n");
    }
    if (found->claim->compares)
        put_verdict(out, found);
    put_growing(out, found);
}

int claim_draw(const char *folder, const struct found *found, struct err *err)
{
    struct chart_series series[2 * CLAIM_CASES];
    char path[4096];
    const struct chart chart = {.title = found->claim->title,
                                .x_label = "warps resident on an SM; points measured, lines predicted",
                                .y_label = found->unit,
                                .series = series,
                                .series_count = 2 * found->case_count,
                                .palette = found->case_count};

    for (size_t c = 0; c < found->case_count; c++) {
        const struct case_found *own = &found->cases[c];
        const struct curve *line = &own->predicted_curve;

        series[c] = (struct chart_series){found->claim->cases[c].label, CHART_POINTS, own->warps,
                                          own->measured, own->count};
        series[found->case_count + c] =
            (struct chart_series){NULL, CHART_LINE, line->warps, line->rate, line->count};
    }
    snprintf(path, sizeof path, "%s/%s.svg", folder, found->claim->name);
    return chart_write(path, &chart, err);
}

#include "validation/groups.h"

#include <string.h>

/* Kernels whose values of one parameter are shown apart: the naive matrix multiply, where the model of Yuan
 * et al. erred because it ignored that narrow blocks do not coalesce. */
static const struct {
    const char *kernel, *parameter;
} side_by_side[] = {{"matmul_naive", "BLOCK_X"}};

static const char *name_of(const struct collection *from, size_t parameter)
{
    return from->spec.parameters[parameter].name;
}

static int put_falls(FILE *out, const struct collection *from, struct err *err)
{
    struct falls falls;
    int rc = 0;

    for (size_t p = 0; p < from->spec.parameter_count && !rc; p++) {
        rc = falls_of(&falls, from, p, err);
        if (rc || !falls.fell)
            continue;
        fprintf(
            out, "| %s | %s | %zu | %zu | %zu | %.0f to %.0f %% | %.4g to %.4g ms | %.4g to %.4g ms | %s |\n",
            from->kernel, name_of(from, p), falls.groups, falls.fell, falls.seen, 100 * falls.from->occupancy,
            100 * falls.to->occupancy, 1e3 * falls.from->measured_s, 1e3 * falls.to->measured_s,
            1e3 * falls.from->ranked.estimate_s, 1e3 * falls.to->ranked.estimate_s, falls.to->configuration);
    }
    return rc;
}

static int put_choices(FILE *out, const struct collection *from, struct err *err)
{
    struct choices choices;
    int rc = 0;

    for (size_t p = 0; p < from->spec.parameter_count && !rc; p++) {
        if (!strstr(name_of(from, p), "UNROLL"))
            continue;
        rc = choices_of(&choices, from, p, err);
        if (!rc && choices.groups)
            fprintf(out, "| %s | %s | %zu | %zu | +%.1f %% | +%.1f %% |\n", from->kernel, name_of(from, p),
                    choices.groups, choices.right, 100 * choices.cost_median, 100 * choices.cost_worst);
    }
    return rc;
}

static int put_steps(FILE *out, const struct collection *from, struct err *err)
{
    struct steps steps;
    int rc = steps_of(&steps, from, err);

    if (!rc && steps.advised)
        fprintf(out, "| %s | %zu | %zu | %zu | %.2fx | %.2fx | +%.0f %% | +%.0f %% |\n", from->kernel,
                steps.asked, steps.advised, steps.faster, steps.predicted_gain, steps.measured_gain,
                100 * steps.before, 100 * steps.after);
    return rc;
}

int groups_write(FILE *out, const struct collection *const *collections, size_t count, struct err *err)
{
    static const struct {
        const char *head;
        int (*put)(FILE *out, const struct collection *from, struct err *err);
    } tables[] = {
        {"## Slower though more warps are resident\n\n"
         "Groups of variants that differ in one parameter, which changes occupancy; those that fell are "
         "over 2 % slower at the highest occupancy than at a lower one; the group that fell most stands "
         "beside them.\n\n"
         "| kernel | parameter | groups | fell | predicted to fall | occupancy | measured | predicted | "
         "configuration |\n"
         "|---|---|---:|---:|---:|---|---|---|---|\n",
         put_falls},
        {"## Unroll factors\n\n"
         "Groups of variants that differ in the unroll factor; right: the predicted best is the measured "
         "best, or within 1 % of it; what choosing it costs.\n\n"
         "| kernel | parameter | groups | right | median cost | worst |\n"
         "|---|---|---:|---:|---:|---:|\n",
         put_choices},
        {"## Advice\n\n"
         "For the slower half of the variants: the change of one parameter that is predicted to gain most, "
         "what it gained, and where following such advice to its end leads.\n\n"
         "| kernel | variants | advised | faster for it | predicted gain | measured gain | over the best "
         "before | after |\n"
         "|---|---:|---:|---:|---:|---:|---:|---:|\n",
         put_steps}};
    int rc = 0;

    for (size_t t = 0; t < sizeof tables / sizeof *tables && !rc; t++) {
        fprintf(out, "\n%s", tables[t].head);
        for (size_t k = 0; k < count && !rc; k++)
            rc = tables[t].put(out, collections[k], err);
    }
    return rc;
}

static int put_values(FILE *out, const struct collection *from, size_t parameter, struct err *err)
{
    const struct spec_parameter *named = &from->spec.parameters[parameter];
    struct by_value by;
    int rc = 0;

    fprintf(
        out,
        "\nBy %s:\n\n| %s | variants | mean error | predicted / measured | best measured | its prediction "
        "|\n|---:|---:|---:|---:|---:|---:|\n",
        named->name, named->name);
    for (unsigned v = 0; v < named->value_count && !rc; v++) {
        rc = by_value_of(&by, from, parameter, v, err);
        if (!rc && by.count)
            fprintf(out, "| %lld | %zu | %.1f %% | %.2f | %.4g ms | %.4g ms |\n",
                    (long long)named->values[v].integer, by.count, 100 * by.mean_error, by.ratio,
                    1e3 * by.best_s, 1e3 * by.best_estimate_s);
    }
    return rc;
}

int groups_write_values(FILE *out, const struct collection *collection, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; i < sizeof side_by_side / sizeof *side_by_side && !rc; i++)
        for (size_t p = 0; p < collection->spec.parameter_count && !rc; p++)
            if (!strcmp(collection->kernel, side_by_side[i].kernel) &&
                !strcmp(name_of(collection, p), side_by_side[i].parameter))
                rc = put_values(out, collection, p, err);
    return rc;
}

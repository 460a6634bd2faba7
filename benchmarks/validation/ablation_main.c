/* What each term of the model is worth: every assumption, and every value and curve of the profile that the model reads, is
 * taken out, then doubled, and recorded variants are predicted again:
 *
 *   validation_ablation [--device PROFILE] [--variants N] [--jobs N] [--cache FOLDER] [--only TERM,...] KERNEL...
 *
 * KERNEL is the folder of a kernel with a recording, of which N variants are taken, evenly spread (default 10). Prints a
 * line for each term and kernel: term, kind, kernel, variants, mean error of the model, and for each change how many
 * estimates it changed and the mean error with it (nan: nothing is predicted then). A variant is compiled and emulated
 * once; what follows is done again for each term. The script `ablation` makes the table of it. */
#include "validation/collect.h"
#include "validation/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum term_kind { ASSUMPTION_TERM, VALUE_TERM, CURVE_TERM };
enum mode { REMOVED, DOUBLED, MODES };
enum { TERMS_MOST = 256 };

struct term {
    enum term_kind kind;
    size_t index;
    const char *name;
};

/* A kernel by one change of the profile. */
struct effect {
    double error;   /* mean, absolute, relative to the measured time; NaN where nothing is predicted */
    size_t changed; /* variants whose estimate is another */
};

/* A profile and assumptions with one term changed. */
struct changed {
    bool possible; /* else the model cannot do without the term */
    struct device device;
    struct machine machine;
    double *points; /* of a doubled curve */
};

struct ablation {
    const char *device, *cache, *only; /* the names of terms, with commas between; null: all */
    unsigned variants, jobs;
    char **folders;
    size_t folder_count;
    struct term terms[TERMS_MOST];
    size_t term_count;
    struct changed (*changed)[MODES]; /* by term */
    double (*estimates)[MODES];       /* of this kernel: by variant, then by term; NaN: no prediction */
};

/* Terms -------------------------------------------------------------------- */

static bool is_asked_for(const char *only, const char *name)
{
    const size_t length = strlen(name);

    for (; only; only = strchr(only, ',') ? strchr(only, ',') + 1 : NULL)
        if (strcspn(only, ",") == length && !strncmp(only, name, length))
            return true;
    return false;
}

static void add_term(struct ablation *out, enum term_kind kind, size_t index, const char *name)
{
    if (out->term_count < TERMS_MOST && (!out->only || is_asked_for(out->only, name)))
        out->terms[out->term_count++] = (struct term){kind, index, name};
}

static void find_terms(struct ablation *out, const struct device *device)
{
    for (size_t i = 0; assumption_infos[i].name; i++)
        add_term(out, ASSUMPTION_TERM, i, assumption_infos[i].name);
    for (size_t i = 0; i < DEVICE_VALUE_COUNT; i++)
        if (device->values[i].known && !device_value_info((enum device_value_id)i)->full)
            add_term(out, VALUE_TERM, i, device_value_info((enum device_value_id)i)->name);
    for (size_t i = 0; i < DEVICE_CURVE_COUNT; i++)
        if (device->curves[i].count && !device_curve_info((enum device_curve_id)i)->full)
            add_term(out, CURVE_TERM, i, device_curve_info((enum device_curve_id)i)->name);
}

static void change_assumption(struct assumptions *assumptions, size_t index, enum mode mode)
{
    const struct assumption_info *info = &assumption_infos[index];
    double *value = (double *)((char *)assumptions + info->offset);

    *value = mode == REMOVED ? info->neutral : 2 * info->value;
}

static void change_value(struct device_value *value, enum mode mode)
{
    value->known = mode == DOUBLED;
    value->sustained *= 2;
    value->best *= 2;
}

static int change_curve(double **points, struct device_curve *curve, enum mode mode, struct err *err)
{
    if (mode == REMOVED) {
        curve->count = 0;
        return 0;
    }
    *points = malloc(curve->count * sizeof **points);
    if (!*points)
        return err_memory(err);
    for (size_t i = 0; i < curve->count; i++)
        (*points)[i] = 2 * curve->y[i];
    curve->y = *points;
    return 0;
}

static int change(struct changed *out, const struct term *term, enum mode mode, const struct machine *plain,
                  struct err *err)
{
    struct assumptions assumptions = plain->assumptions;
    struct err why = {0};
    int rc = 0;

    out->device = *plain->device; /* borrows what it points to */
    if (term->kind == ASSUMPTION_TERM)
        change_assumption(&assumptions, term->index, mode);
    else if (term->kind == VALUE_TERM)
        change_value(&out->device.values[term->index], mode);
    else
        rc = change_curve(&out->points, &out->device.curves[term->index], mode, err);
    out->possible = !rc && !machine_init_assuming(&out->machine, &out->device, &assumptions, &why);
    return rc;
}

static int change_terms(struct ablation *ablation, const struct machine *plain, struct err *err)
{
    int rc = 0;

    ablation->changed = calloc(ablation->term_count, sizeof *ablation->changed);
    if (!ablation->changed)
        return err_memory(err);
    for (size_t t = 0; t < ablation->term_count && !rc; t++)
        for (int mode = 0; mode < MODES && !rc; mode++)
            rc = change(&ablation->changed[t][mode], &ablation->terms[t], (enum mode)mode, plain, err);
    return rc;
}

static void release_terms(struct ablation *ablation)
{
    for (size_t t = 0; ablation->changed && t < ablation->term_count; t++)
        for (int mode = 0; mode < MODES; mode++) {
            struct changed *changed = &ablation->changed[t][mode];

            if (changed->possible)
                machine_release(&changed->machine);
            free(changed->points);
        }
    free(ablation->changed);
}

/* Predictions -------------------------------------------------------------- */

static double estimate_with(const struct changed *changed, const struct analysis *from,
                            const struct launch *launch, const struct analyze_options *options)
{
    struct analysis *again = changed->possible ? calloc(1, sizeof *again) : NULL;
    struct err ignored = {0};
    double estimate = NAN;

    if (!again)
        return NAN;
    if (!analyze_again(again, from, &changed->machine, launch, options, &ignored) && again->predicted)
        estimate = again->prediction.estimate_s;
    analysis_release(again);
    free(again);
    return estimate;
}

/* Called on several threads, each for another point. */
static void visit(void *context, const struct collection *of, size_t point, const struct variant *variant,
                  const struct analysis *from)
{
    const struct ablation *ablation = context;
    const struct analyze_options options = {.warm = !of->spec.cold};
    double(*estimates)[MODES] = &ablation->estimates[point * ablation->term_count];

    for (size_t t = 0; t < ablation->term_count; t++)
        for (int mode = 0; mode < MODES; mode++)
            estimates[t][mode] = estimate_with(&ablation->changed[t][mode], from, &variant->launch, &options);
}

/* Of the estimates with one term, or the plain ones where that is null. */
static struct effect effect_of(const struct ablation *ablation, const struct collection *plain, size_t term,
                               int mode)
{
    struct effect out = {0};
    size_t predicted = 0;

    for (size_t i = 0; i < plain->count; i++) {
        const struct ranked *row = &plain->points[i].ranked;
        double estimate = row->estimate_s;

        if (!row->predicted)
            continue;
        if (mode < MODES)
            estimate = ablation->estimates[i * ablation->term_count + term][mode];
        out.changed += !(estimate == row->estimate_s);
        if (isnan(estimate))
            continue;
        out.error += fabs(estimate / plain->points[i].measured_s - 1);
        predicted++;
    }
    out.error = predicted ? out.error / (double)predicted : NAN;
    return out;
}

/* The terms' lines of one kernel. */
static void put_kernel(const struct ablation *from, const struct collection *plain, const char *folder)
{
    static const char *const kinds[] = {"assumption", "value", "curve"};

    for (size_t t = 0; t < from->term_count; t++) {
        const struct effect removed = effect_of(from, plain, t, REMOVED),
                            doubled = effect_of(from, plain, t, DOUBLED);

        printf("%s\t%s\t%s\t%zu\t%.5f\t%zu\t%.5f\t%zu\t%.5f\n", from->terms[t].name,
               kinds[from->terms[t].kind], folder, plain->count, effect_of(from, plain, 0, MODES).error,
               removed.changed, removed.error, doubled.changed, doubled.error);
    }
    fflush(stdout);
}

static int change_all(struct ablation *ablation, const struct collect_options *options, struct err *err)
{
    struct collection plain = {0};
    int rc;

    ablation->estimates = calloc(options->most * ablation->term_count, sizeof *ablation->estimates);
    rc = ablation->estimates ? collect(&plain, options, err) : err_memory(err);
    if (!rc)
        put_kernel(ablation, &plain, options->folder);
    collection_release(&plain);
    free(ablation->estimates);
    return rc;
}

static int ablate(void *context, const struct machine *machine, struct err *err)
{
    struct ablation *ablation = context;
    struct collect_options options = {.every = 1,
                                      .most = ablation->variants,
                                      .jobs = ablation->jobs,
                                      .machine = machine,
                                      .visit = visit,
                                      .context = ablation};
    int rc;

    find_terms(ablation, machine->device);
    rc = change_terms(ablation, machine, err);
    if (!rc)
        rc = compiler_open(&options.compiler, NULL, ablation->cache, err);
    for (size_t k = 0; k < ablation->folder_count && !rc; k++) {
        options.folder = ablation->folders[k];
        rc = change_all(ablation, &options, err);
    }
    if (options.compiler)
        compiler_close(options.compiler);
    release_terms(ablation);
    return rc;
}

int main(int argc, char **argv)
{
    static struct ablation ablation = {.device = "nvidia-h200", .variants = 10, .jobs = 2};
    const struct program_option options[] = {
        {"device", .text = &ablation.device}, {"variants", .number = &ablation.variants},
        {"jobs", .number = &ablation.jobs},   {"cache", .text = &ablation.cache},
        {"only", .text = &ablation.only},     {0}};
    const int first = program_options(argc, argv, options);

    if (first < 0 || first == argc) {
        fprintf(stderr, "usage: validation_ablation [--device PROFILE] [--variants N] [--jobs N] [--cache "
                        "FOLDER] [--only TERM,...] KERNEL...\n");
        return 2;
    }
    ablation.folders = argv + first;
    ablation.folder_count = (size_t)(argc - first);
    return program_run("validation_ablation", ablation.device, ablate, &ablation);
}

/* What each term of the model is worth: every assumption, value and curve of the profile is taken out, then doubled,
 * and the recorded variants are predicted again:
 *
 *   validation_ablation [--device PROFILE] [--every N] [--jobs N] [--cache FOLDER] [--kernels] KERNEL...
 *
 * KERNEL is the folder of a kernel with a recording. Prints a table, a row for each term that changes an estimate; with
 * --kernels the mean error of every kernel with each term as tab-separated lines. */
#include "validation/collect.h"
#include "validation/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum term_kind { ASSUMPTION_TERM, VALUE_TERM, CURVE_TERM };
enum mode { REMOVED, DOUBLED, MODES };
enum { TERMS_MOST = 256 };

/* Less changes of a kernel's mean error are no gain and no loss. */
static const double WORTH = 0.001;

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

struct ablation {
    const char *device, *cache;
    unsigned every, jobs;
    bool kernels;
    char **folders;
    size_t folder_count;
    struct term terms[TERMS_MOST];
    size_t term_count;
    struct effect *plain;            /* by kernel */
    struct effect (*effects)[MODES]; /* by kernel, then by term */
};

/* Terms
 * ---------------------------------------------------------------------------------------------------------
 */

static void add_term(struct ablation *out, enum term_kind kind, size_t index, const char *name)
{
    if (out->term_count < TERMS_MOST)
        out->terms[out->term_count++] = (struct term){kind, index, name};
}

static void find_terms(struct ablation *out, const struct device *device)
{
    size_t i;

    for (i = 0; assumption_infos[i].name; i++)
        add_term(out, ASSUMPTION_TERM, i, assumption_infos[i].name);
    for (i = 0; i < DEVICE_VALUE_COUNT; i++)
        if (device->values[i].known)
            add_term(out, VALUE_TERM, i, device_value_info((enum device_value_id)i)->name);
    for (i = 0; i < DEVICE_CURVE_COUNT; i++)
        if (device->curves[i].count)
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

/* The doubled points are the caller's to free. */
static int change_curve(double **points, struct device_curve *curve, enum mode mode, struct err *err)
{
    size_t i;

    if (mode == REMOVED) {
        curve->count = 0;
        return 0;
    }
    *points = malloc(curve->count * sizeof **points);
    if (!*points)
        return err_memory(err);
    for (i = 0; i < curve->count; i++)
        (*points)[i] = 2 * curve->y[i];
    curve->y = *points;
    return 0;
}

/* Predictions
 * ---------------------------------------------------------------------------------------------------------
 */

static struct effect effect_of(const struct collection *now, const struct collection *before)
{
    struct effect out = {0};
    size_t predicted = 0, i;

    for (i = 0; i < now->count; i++) {
        const struct ranked *row = &now->points[i].ranked, *other = &before->points[i].ranked;

        out.changed += row->predicted != other->predicted || row->estimate_s != other->estimate_s;
        if (row->predicted)
            out.error += fabs(row->estimate_s / now->points[i].measured_s - 1);
        predicted += row->predicted;
    }
    out.error = predicted ? out.error / (double)predicted : NAN;
    return out;
}

/* A profile that the model cannot do without the term has no error: NaN. */
static int predict_with(struct effect *out, const struct term *term, enum mode mode,
                        const struct collect_options *options, const struct collection *plain,
                        struct err *err)
{
    struct device device = *options->machine->device; /* borrows what it points to */
    struct assumptions assumptions = options->machine->assumptions;
    struct collect_options own = *options;
    struct collection now = {0};
    struct machine machine;
    struct err why = {0};
    double *points = NULL;
    int code = 0;

    *out = (struct effect){.error = NAN};
    if (term->kind == ASSUMPTION_TERM)
        change_assumption(&assumptions, term->index, mode);
    else if (term->kind == VALUE_TERM)
        change_value(&device.values[term->index], mode);
    else
        code = change_curve(&points, &device.curves[term->index], mode, err);
    if (!code && !machine_init_assuming(&machine, &device, &assumptions, &why)) {
        own.machine = &machine;
        code = collect(&now, &own, err);
        if (!code)
            *out = effect_of(&now, plain);
        collection_release(&now);
        machine_release(&machine);
    }
    free(points);
    return code;
}

static int change_all(struct ablation *ablation, size_t kernel, const struct collect_options *options,
                      struct err *err)
{
    struct effect(*effects)[MODES] = &ablation->effects[kernel * ablation->term_count];
    struct collection plain = {0};
    size_t t;
    int mode, code = collect(&plain, options, err);

    if (!code)
        ablation->plain[kernel] = effect_of(&plain, &plain);
    for (t = 0; t < ablation->term_count && !code; t++)
        for (mode = 0; mode < MODES && !code; mode++)
            code =
                predict_with(&effects[t][mode], &ablation->terms[t], (enum mode)mode, options, &plain, err);
    fprintf(stderr, "%s: %zu variants\n", options->folder, plain.count);
    collection_release(&plain);
    return code;
}

/* Tables
 * ---------------------------------------------------------------------------------------------------------
 */

static const struct effect *effect_at(const struct ablation *from, size_t kernel, size_t term, enum mode mode)
{
    return &from->effects[kernel * from->term_count + term][mode];
}

/* By how much the mean error of kernels grows, in percentage points, and how many kernels the term helps or harms. */
static void put_mode(const struct ablation *from, size_t term, enum mode mode)
{
    double sum = 0;
    size_t helped = 0, harmed = 0, lost = 0, k;

    for (k = 0; k < from->folder_count; k++) {
        const double more = effect_at(from, k, term, mode)->error - from->plain[k].error;

        if (isnan(more)) {
            lost++;
            continue;
        }
        sum += more;
        helped += more > WORTH;
        harmed += more < -WORTH;
    }
    if (lost == from->folder_count)
        printf(" needed | | |");
    else
        printf(" %+.2f | %zu | %zu |", 100 * sum / (double)(from->folder_count - lost), helped, harmed);
}

static void put_table(const struct ablation *from)
{
    static const char *const kinds[] = {"assumption", "value", "curve"};
    size_t t, k, changed;

    printf("| term | kind | variants changed | removed: error, points | helps kernels | harms | doubled: "
           "error, points | "
           "helps | harms |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (t = 0; t < from->term_count; t++) {
        for (changed = 0, k = 0; k < from->folder_count; k++)
            changed += effect_at(from, k, t, REMOVED)->changed + effect_at(from, k, t, DOUBLED)->changed;
        if (!changed && !isnan(effect_at(from, 0, t, REMOVED)->error))
            continue;
        for (changed = 0, k = 0; k < from->folder_count; k++)
            changed += effect_at(from, k, t, REMOVED)->changed;
        printf("| %s | %s | %zu |", from->terms[t].name, kinds[from->terms[t].kind], changed);
        put_mode(from, t, REMOVED);
        put_mode(from, t, DOUBLED);
        printf("\n");
    }
}

static void put_kernels(const struct ablation *from)
{
    size_t t, k;

    printf("term\tkernel\terror\tremoved\tdoubled\n");
    for (t = 0; t < from->term_count; t++)
        for (k = 0; k < from->folder_count; k++)
            printf("%s\t%s\t%.4f\t%.4f\t%.4f\n", from->terms[t].name, from->folders[k], from->plain[k].error,
                   effect_at(from, k, t, REMOVED)->error, effect_at(from, k, t, DOUBLED)->error);
}

static int ablate(void *context, const struct machine *machine, struct err *err)
{
    struct ablation *ablation = context;
    struct collect_options options = {.every = ablation->every, .jobs = ablation->jobs, .machine = machine};
    size_t k;
    int code;

    find_terms(ablation, machine->device);
    ablation->plain = calloc(ablation->folder_count, sizeof *ablation->plain);
    ablation->effects = calloc(ablation->folder_count * ablation->term_count, sizeof *ablation->effects);
    code = ablation->plain && ablation->effects ? compiler_open(&options.compiler, NULL, ablation->cache, err)
                                                : err_memory(err);
    for (k = 0; k < ablation->folder_count && !code; k++) {
        options.folder = ablation->folders[k];
        code = change_all(ablation, k, &options, err);
    }
    if (!code && ablation->kernels)
        put_kernels(ablation);
    else if (!code)
        put_table(ablation);
    if (options.compiler)
        compiler_close(options.compiler);
    free(ablation->plain);
    free(ablation->effects);
    return code;
}

int main(int argc, char **argv)
{
    static struct ablation ablation = {.device = "nvidia-h200", .every = 1, .jobs = 2};
    const struct program_option options[] = {
        {"device", .text = &ablation.device},   {"every", .number = &ablation.every},
        {"jobs", .number = &ablation.jobs},     {"cache", .text = &ablation.cache},
        {"kernels", .flag = &ablation.kernels}, {0}};
    const int first = program_options(argc, argv, options);

    if (first < 0 || first == argc) {
        fprintf(stderr,
                "usage: validation_ablation [--device PROFILE] [--every N] [--jobs N] [--cache FOLDER] "
                "[--kernels] KERNEL...\n");
        return 2;
    }
    ablation.folders = argv + first;
    ablation.folder_count = (size_t)(argc - first);
    return program_run("validation_ablation", ablation.device, ablate, &ablation);
}

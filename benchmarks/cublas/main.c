/* A tuned matrix multiply beside a library's in the same run: cublas SPEC DECISION..., cublaslt SPEC DECISION.... For every
 * problem in the decisions it times all algorithms that the library offers for the shape, and then the best of them and the
 * decision's best configuration in turns, on the same data, and compares their results. The spec has buffers A, B and C, and
 * sizes M, N, K: kernels/matmul beside cuBLAS, kernels/matmul_half beside cuBLASLt.
 *
 * Exit status 1 when a result differs. */
#include "library.h"

#include "base/stats.h"
#include "gpu/compile.h"
#include "gpu/loaded.h"
#include "gpu/verify.h"
#include "space/configuration.h"
#include "space/variant.h"
#include "tuner/decision/decision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 21, BEST = 3, ALGORITHMS_MOST = 128, WARM = 3 };

static const double sample_s = 4e-3, trial_s = 1e-3; /* a sample lasts at least this long: in turns, alone */

struct bench {
    struct gpu *gpu;
    struct kernels kernels;
    struct buffers buffers;
    struct measurer measurer;
    struct library *theirs;
    struct compiler *compiler;
    char target[DEVICE_TARGET_BYTES];
    int m, n, k;   /* of this problem */
    bool differed; /* a result, of any problem */
    struct loaded loaded;
    const struct buffer *a, *b, *c;
};

/* What is timed: ours, or algorithm `index - 1` of theirs. */
static int launch(const struct bench *bench, size_t index, struct err *err)
{
    return index ? library_multiply(bench->theirs, index - 1, bench->a->data, bench->b->data, bench->c->data,
                                    err)
                 : subject_launch(&bench->loaded.subject, bench->gpu, err);
}

/* Seconds of one of `n` launches, one after the other. */
static int time_launches(double *out_s, struct bench *bench, size_t index, unsigned n, struct err *err)
{
    gpu_event *events = bench->measurer.events;
    int rc = gpu_record(bench->gpu, events[0], err);

    for (unsigned i = 0; i < n && !rc; i++)
        rc = launch(bench, index, err);
    if (!rc)
        rc = gpu_record(bench->gpu, events[1], err);
    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    if (!rc)
        rc = gpu_elapsed(out_s, bench->gpu, events[0], events[1], err);
    *out_s /= n;
    return rc;
}

static unsigned launches_for(double least_s, double launch_s)
{
    return (unsigned)fmin(10000, fmax(1, ceil(least_s / fmax(launch_s, 1e-6))));
}

/* The BEST of their algorithms by one sample each after a warm-up; one that fails is left out. */
static size_t choose_theirs(size_t chosen[BEST], size_t *tried, struct bench *bench, size_t algorithms)
{
    double best_s[BEST];
    size_t count = 0, i, k;

    for (*tried = 0, i = 1; i <= algorithms && i <= ALGORITHMS_MOST; i++) {
        double time_s;

        if (time_launches(&time_s, bench, i, WARM, NULL) ||
            time_launches(&time_s, bench, i, launches_for(trial_s, time_s), NULL))
            continue;
        ++*tried;
        for (k = count < BEST ? count : BEST; k > 0 && best_s[k - 1] > time_s; k--)
            if (k < BEST) {
                best_s[k] = best_s[k - 1];
                chosen[k] = chosen[k - 1];
            }
        if (k < BEST) {
            best_s[k] = time_s;
            chosen[k] = i;
            count += count < BEST;
        }
    }
    return count;
}

/* All in turns, so that drift of the clock meets all alike: ours first, then theirs. */
static int time_in_turns(double medians_s[1 + BEST], struct bench *bench, const size_t *indices, size_t count,
                         struct err *err)
{
    double samples[1 + BEST][ROUNDS], once_s = 0;
    unsigned n;
    int rc = time_launches(&once_s, bench, indices[0], WARM, err);

    n = launches_for(sample_s, once_s);
    for (size_t i = 0; i < count && !rc; i++)
        rc = time_launches(&once_s, bench, indices[i], n, err);
    for (unsigned r = 0; r < ROUNDS && !rc; r++)
        for (size_t i = 0; i < count && !rc; i++)
            rc = time_launches(&samples[i][r], bench, indices[i], n, err);
    for (size_t i = 0; i < count && !rc; i++)
        medians_s[i] = stats_median(samples[i], ROUNDS);
    return rc;
}

/* Both results, element by element: theirs is what ours must equal within the spec's tolerance. */
static int compare_results(bool *differs, struct bench *bench, const struct spec *spec, size_t theirs,
                           struct err *err)
{
    const struct protocol protocol = {.relative = spec->relative, .absolute = spec->absolute};
    struct verifier verifier;
    struct wanted wanted = {0};
    struct wanted_buffer *added;
    struct trial trial = {0};
    int rc;

    verifier_init(&verifier, &bench->buffers);
    rc = launch(bench, theirs, err);
    if (!rc)
        rc = wanted_add(&added, &wanted, bench->gpu, "C", bench->c->type, bench->c->count, bench->c->data,
                        err);
    if (!rc)
        rc = verify_prepare(&verifier, &bench->loaded.binding, &wanted, err);
    if (!rc)
        rc = launch(bench, 0, err);
    if (!rc)
        rc = verify_check(&trial, &verifier, &bench->loaded.binding, &wanted, &protocol, err);
    *differs = trial.outcome != OUTCOME_OK;
    if (*differs)
        printf("%s\n", trial.message);
    wanted_release(&wanted, bench->gpu);
    verifier_release(&verifier);
    trial_release(&trial);
    return rc;
}

static int find_buffers(struct bench *bench, struct err *err)
{
    const struct binding *binding = &bench->loaded.binding;

    bench->a = bench->b = bench->c = NULL;
    for (size_t i = 0; i < binding->count; i++) {
        const struct buffer *buffer = binding->buffers[i];

        if (buffer && !strcmp(buffer->name, "A"))
            bench->a = buffer;
        else if (buffer && !strcmp(buffer->name, "B"))
            bench->b = buffer;
        else if (buffer && !strcmp(buffer->name, "C"))
            bench->c = buffer;
    }
    return bench->a && bench->b && bench->c ? 0
                                            : err_set(err, ERR_USAGE, "the spec has no buffers A, B and C");
}

static int print_row(struct bench *bench, const struct spec *spec, const char *configuration, struct err *err)
{
    const double operations = 2.0 * bench->m * bench->n * bench->k;
    double medians_s[1 + BEST], theirs_s;
    size_t indices[1 + BEST] = {0}, algorithms = 0, tried = 0, count, best, i;
    char theirs[96];
    bool differs = true;
    int rc = library_shape(&algorithms, bench->theirs, bench->m, bench->n, bench->k, bench->c->type, err);

    if (rc)
        return rc;
    count = choose_theirs(indices + 1, &tried, bench, algorithms);
    if (!count)
        return err_set(err, ERR_GPU, "%s has no algorithm for this shape", library_name);
    rc = time_in_turns(medians_s, bench, indices, 1 + count, err);
    if (!rc)
        rc = compare_results(&differs, bench, spec, indices[1], err);
    if (rc)
        return rc;
    for (best = 1, i = 2; i <= count; i++)
        best = medians_s[i] < medians_s[best] ? i : best;
    theirs_s = medians_s[best];
    library_describe(theirs, sizeof theirs, bench->theirs, indices[best] - 1);
    printf("%6d %6d %6d  %8.2f us %8.2f us  %8.2f  %8.2f  %6.1f %%  %3zu  %s  (theirs: %s)%s\n", bench->m,
           bench->n, bench->k, medians_s[0] * 1e6, theirs_s * 1e6, operations / medians_s[0] / 1e12,
           operations / theirs_s / 1e12, 100 * theirs_s / medians_s[0], tried, configuration, theirs,
           differs ? "  RESULTS DIFFER" : "");
    fflush(stdout);
    bench->differed |= differs;
    return 0;
}

/* Compiles, loads and binds a configuration. */
static int prepare(struct bench *bench, struct variant *variant, struct compile_result *compiled,
                   struct err *err)
{
    const struct compile_request request = {.source_path = variant->source_path,
                                            .name = variant->name,
                                            .options = (const char *const *)variant->options,
                                            .option_count = variant->option_count,
                                            .tuned_count = variant->tuned_count,
                                            .arch = bench->target,
                                            .deadline_s = 120};
    struct code code;
    int rc;

    if (variant->outcome != OUTCOME_OK)
        return err_set(err, ERR_USAGE, "%s", variant->message);
    rc = compile_cubin(compiled, bench->compiler, &request, err);
    if (!rc && compiled->outcome != OUTCOME_OK)
        rc = err_set(err, ERR_GPU, "does not compile: %s", compiled->diagnostic ? compiled->diagnostic : "?");
    if (rc)
        return rc;
    code = (struct code){compiled->cubin, compiled->cubin_bytes, compiled->entry};
    buffers_begin(&bench->buffers);
    rc = buffers_bind(&bench->loaded.binding, &bench->buffers, &variant->launch, err);
    if (!rc)
        rc = loaded_open(&bench->loaded, &bench->buffers, &code, &variant->launch, err);
    return rc ? rc : find_buffers(bench, err);
}

static int compare_shape(struct bench *bench, const struct spec *spec, const unsigned *choices,
                         struct err *err)
{
    struct compile_result compiled = {0};
    struct variant variant;
    char *text = configuration_text(spec, choices);
    int rc = text ? variant_make(&variant, spec, 0, choices, err) : err_memory(err);

    if (rc) {
        free(text);
        return rc;
    }
    bench->loaded = (struct loaded){0};
    rc = prepare(bench, &variant, &compiled, err);
    if (!rc)
        rc = print_row(bench, spec, text, err);
    loaded_close(&bench->loaded, &bench->buffers);
    compile_result_release(&compiled);
    variant_release(&variant);
    free(text);
    return rc;
}

/* A row of a decision: its sizes go into the spec, its values are the configuration. */
static int compare_row(struct bench *bench, const char *path, const struct decision *decision,
                       const struct decision_row *row, struct err *err)
{
    char sets[3][64], *set[3];
    struct json *object = js_new_object();
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct spec spec;
    struct js_at at;
    int rc = object ? 0 : err_memory(err);

    for (size_t i = 0; i < 3; i++) {
        snprintf(sets[i], sizeof sets[i], "%s=%.0f", decision->sizes[i], row->sizes[i]);
        set[i] = sets[i];
    }
    for (size_t i = 0; !rc && i < decision->parameter_count; i++)
        rc = js_set(object, decision->parameters[i], value_to_json(&row->values[i])) ? err_memory(err) : 0;
    if (!rc)
        rc = spec_read(&spec, path, SPEC_WHOLE, (const char *const *)set, 3, err);
    if (!rc) {
        at = js_root(object, decision->path);
        rc = configuration_read(choices, &spec, &at, err);
        bench->m = (int)row->sizes[0];
        bench->n = (int)row->sizes[1];
        bench->k = (int)row->sizes[2];
        if (!rc)
            rc = compare_shape(bench, &spec, choices, err);
        spec_release(&spec);
    }
    js_free(object);
    return rc;
}

static int compare_decision(struct bench *bench, const char *spec, const char *path, struct err *err)
{
    struct decision decision;
    int rc = decision_read(&decision, path, err);

    if (rc)
        return rc;
    if (decision.size_count != 3 || strcmp(decision.sizes[0], "M") || strcmp(decision.sizes[1], "N") ||
        strcmp(decision.sizes[2], "K"))
        rc = err_set(err, ERR_USAGE, "%s: its sizes are not M, N, K", path);
    for (size_t r = 0; r < decision.row_count && !rc; r++)
        rc = compare_row(bench, spec, &decision, &decision.rows[r], err);
    decision_release(&decision);
    return rc;
}

static int open_bench(struct bench *bench, struct err *err)
{
    struct device device;
    int rc = gpu_open(&bench->gpu, 0, err);

    if (!rc)
        rc = gpu_describe(&device, bench->gpu, err);
    if (rc)
        return rc;
    device_target(bench->target, device.sm);
    device_release(&device);
    rc = kernels_open(&bench->kernels, bench->gpu, err);
    buffers_init(&bench->buffers, bench->gpu, &bench->kernels);
    if (!rc)
        rc = measurer_open(&bench->measurer, &bench->buffers, err);
    if (!rc)
        rc = library_open(&bench->theirs, bench->gpu, err);
    return rc ? rc : compiler_open(&bench->compiler, NULL, getenv("OCCUTUNE_CACHE"), err);
}

static void close_bench(struct bench *bench)
{
    compiler_close(bench->compiler);
    library_close(bench->theirs);
    measurer_close(&bench->measurer);
    buffers_release(&bench->buffers);
    kernels_close(&bench->kernels);
    gpu_close(bench->gpu);
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct err err = {0};
    int rc;

    if (argc < 3) {
        fprintf(stderr, "usage: %s SPEC DECISION...\n", argv[0]);
        return 2;
    }
    rc = open_bench(&bench, &err);
    if (!rc)
        printf("     M      N      K      ours      %-8s     TFLOP/s of both          of it  algorithms\n",
               library_name);
    for (int i = 2; i < argc && !rc; i++)
        rc = compare_decision(&bench, argv[1], argv[i], &err);
    if (!rc && bench.differed)
        rc = err_set(&err, ERR_GPU, "results differ");
    if (rc)
        fprintf(stderr, "%s: %s\n", argv[0], err.text);
    close_bench(&bench);
    return rc != 0;
}

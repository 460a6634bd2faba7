/* A tuned matrix multiply beside cuBLAS in the same run: cublas SPEC DECISION... times the best configuration
 * of every problem in the decisions and cuBLAS's pedantic single precision (no TF32) in turns, on the same
 * data, and compares their results. The spec's kernel takes (M, N, K, A, B, C, partial, arrived) as
 * kernels/matmul does.
 *
 * Exit status 1 when a result differs. */
#include "library.h"

#include "launch/fill.h"
#include "base/stats.h"
#include "tuner/decision/decision.h"
#include "tuner/library/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 21, SHAPES = 64 };

/* The most scratch memory that kernels/matmul asks for: 1,023 tiles of 128 x 256 in parts, and as many
 * counters. */
static const uint64_t partial_floats = 1023ull * 128 * 256, counters = 1 << 20;

/* A sample lasts at least this long. */
static const double sample_s = 2e-3;

struct shape {
    int m, n, k;
};

struct bench {
    struct gpu *gpu;
    struct cublas *cublas;
    struct kernel *kernel;
    gpu_event from, to;
    struct shape shape;
    gpu_address a, b, ours, theirs;
    gpu_address partial, arrived;
    struct kernel_ready ready;
};

static int launch_ours(struct bench *bench, struct err *err)
{
    const struct launch *launch = &bench->ready.choice.launch;
    void *parameters[] = {&bench->shape.m, &bench->shape.n, &bench->shape.k, &bench->a,
                          &bench->b,       &bench->ours,    &bench->partial, &bench->arrived};

    return gpu_launch(bench->gpu, bench->ready.function, launch, parameters, err);
}

static int launch_theirs(struct bench *bench, struct err *err)
{
    return cublas_multiply(bench->cublas, bench->shape.m, bench->shape.n, bench->shape.k, bench->a, bench->b,
                           bench->theirs, err);
}

typedef int launcher(struct bench *bench, struct err *err);

/* Seconds of one of `n` launches, one after the other. */
static int time_launches(double *out_s, struct bench *bench, launcher *launch, unsigned n, struct err *err)
{
    int code = gpu_record(bench->gpu, bench->from, err);

    for (unsigned i = 0; i < n && !code; i++)
        code = launch(bench, err);
    if (!code)
        code = gpu_record(bench->gpu, bench->to, err);
    if (!code)
        code = gpu_synchronize(bench->gpu, err);
    if (!code)
        code = gpu_elapsed(out_s, bench->gpu, bench->from, bench->to, err);
    *out_s /= n;
    return code;
}

/* Both in turns, so that drift of the clock meets both alike. */
static int time_both(double *ours_s, double *theirs_s, struct bench *bench, struct err *err)
{
    double ours[ROUNDS], theirs[ROUNDS];
    unsigned n;
    int code = time_launches(ours, bench, launch_ours, 3, err);

    if (!code)
        code = time_launches(theirs, bench, launch_theirs, 3, err);
    if (code)
        return code;
    n = (unsigned)fmax(1, ceil(sample_s / fmin(ours[0], theirs[0])));
    for (unsigned r = 0; r < ROUNDS && !code; r++) {
        code = time_launches(&ours[r], bench, launch_ours, n, err);
        if (!code)
            code = time_launches(&theirs[r], bench, launch_theirs, n, err);
    }
    *ours_s = stats_median(ours, ROUNDS);
    *theirs_s = stats_median(theirs, ROUNDS);
    return code;
}

/* Buffers ------------------------------------------------------------------ */

static int make_matrix(gpu_address *out, struct gpu *gpu, uint64_t count, uint64_t seed, struct err *err)
{
    struct fill fill = {.kind = FILL_UNIFORM, .seed = seed, .a = -1, .b = 1};
    float *values = malloc(count * sizeof *values);
    int code = values ? fill_prepare(&fill, ELEMENT_FLOAT32, count, err) : err_memory(err);

    if (!code)
        code = fill_read(&fill, ELEMENT_FLOAT32, 0, count, values, err);
    if (!code)
        code = gpu_alloc(out, gpu, count * sizeof *values, err);
    if (!code)
        code = gpu_upload(gpu, *out, values, count * sizeof *values, err);
    fill_release(&fill);
    free(values);
    return code;
}

/* A result that nobody wrote must not pass: not-a-number everywhere. */
static int make_result(gpu_address *out, struct gpu *gpu, uint64_t count, struct err *err)
{
    int code = gpu_alloc(out, gpu, count * sizeof(float), err);

    return code ? code : gpu_set(gpu, *out, 0xff, count * sizeof(float), err);
}

static int make_buffers(struct bench *bench, struct err *err)
{
    const uint64_t m = (uint64_t)bench->shape.m, n = (uint64_t)bench->shape.n, k = (uint64_t)bench->shape.k;
    int code = make_matrix(&bench->a, bench->gpu, m * k, 1, err);

    if (!code)
        code = make_matrix(&bench->b, bench->gpu, k * n, 2, err);
    if (!code)
        code = make_result(&bench->ours, bench->gpu, m * n, err);
    return code ? code : make_result(&bench->theirs, bench->gpu, m * n, err);
}

static void free_buffers(struct bench *bench)
{
    gpu_free(bench->gpu, bench->a);
    gpu_free(bench->gpu, bench->b);
    gpu_free(bench->gpu, bench->ours);
    gpu_free(bench->gpu, bench->theirs);
    bench->a = bench->b = bench->ours = bench->theirs = 0;
}

/* The largest difference, in units of what rounding makes of a sum of k products of numbers in [-1, 1]: half
 * a unit in the last place, times sqrt(k) roundings, times the sum of magnitudes (Higham and Mary, "A new
 * approach to probabilistic rounding error analysis", 2019). */
static int largest_difference(double *out, struct bench *bench, struct err *err)
{
    const size_t count = (size_t)bench->shape.m * (size_t)bench->shape.n;
    float *ours = malloc(count * sizeof *ours), *theirs = malloc(count * sizeof *theirs);
    const double k = bench->shape.k, unit = 6e-8 * sqrt(k) * (k / 4);
    size_t i;
    int code = ours && theirs ? 0 : err_memory(err);

    if (!code)
        code = gpu_download(ours, bench->gpu, bench->ours, count * sizeof *ours, err);
    if (!code)
        code = gpu_download(theirs, bench->gpu, bench->theirs, count * sizeof *theirs, err);
    for (*out = 0, i = 0; !code && i < count; i++) {
        const double difference = fabs((double)ours[i] - (double)theirs[i]) / unit;

        *out = difference <= *out ? *out : difference; /* keeps a NaN */
        if (isnan(difference))
            break;
    }
    free(ours);
    free(theirs);
    return code;
}

/* The table ---------------------------------------------------------------- */

static int compare_shape(bool *differs, struct bench *bench, struct err *err)
{
    const double sizes[] = {bench->shape.m, bench->shape.n, bench->shape.k};
    const double operations = 2.0 * bench->shape.m * bench->shape.n * bench->shape.k;
    double ours_s = NAN, theirs_s = NAN, difference = NAN;
    int code = make_buffers(bench, err);

    if (!code)
        code = kernel_get(&bench->ready, bench->kernel, sizes, err);
    if (!code)
        code = time_both(&ours_s, &theirs_s, bench, err);
    if (!code)
        code = largest_difference(&difference, bench, err);
    free_buffers(bench);
    if (code)
        return code;
    *differs = !(difference <= 1);
    printf("%6d %6d %6d  %8.2f  %8.2f  %6.1f %%  %s%s\n", bench->shape.m, bench->shape.n, bench->shape.k,
           operations / ours_s / 1e12, operations / theirs_s / 1e12, 100 * theirs_s / ours_s,
           bench->ready.variant->text, *differs ? "  RESULTS DIFFER" : "");
    fflush(stdout);
    return 0;
}

static size_t take_shapes(struct shape *shapes, size_t count, const struct decision *decision)
{
    for (size_t r = 0; r < decision->row_count && count < SHAPES; r++) {
        const double *sizes = decision->rows[r].sizes;

        shapes[count++] = (struct shape){(int)sizes[0], (int)sizes[1], (int)sizes[2]};
    }
    return count;
}

static void say(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

/* Sizes stand in the order M, N, K, or this is another kernel. */
static int check_sizes(const struct decision *decision, struct err *err)
{
    if (decision->size_count == 3 && !strcmp(decision->sizes[0], "M") && !strcmp(decision->sizes[1], "N") &&
        !strcmp(decision->sizes[2], "K"))
        return 0;
    return err_set(err, ERR_USAGE, "%s: its sizes are not M, N, K", decision->path);
}

static int open_kernel(struct bench *bench, struct shape *shapes, size_t *count, int argc, char **argv,
                       struct err *err)
{
    struct decision *decisions = calloc((size_t)argc, sizeof *decisions);
    const struct decision **list = calloc((size_t)argc, sizeof *list);
    const struct kernel_options options = {.message = say};
    int code = decisions && list ? 0 : err_memory(err), i, n = argc - 2;

    *count = 0;
    for (i = 0; i < n && !code; i++) {
        code = decision_read(&decisions[i], argv[i + 2], err);
        if (!code)
            code = check_sizes(&decisions[i], err);
        if (!code)
            *count = take_shapes(shapes, *count, &decisions[i]);
        list[i] = &decisions[i];
    }
    if (!code)
        code = kernel_open(&bench->kernel, argv[1], list, (size_t)n, &options, err);
    for (i = 0; decisions && i < n; i++)
        decision_release(&decisions[i]);
    free(decisions);
    free(list);
    return code;
}

static int open_bench(struct bench *bench, struct err *err)
{
    int code = gpu_open(&bench->gpu, 0, err);

    if (!code)
        code = gpu_event_create(&bench->from, bench->gpu, err);
    if (!code)
        code = gpu_event_create(&bench->to, bench->gpu, err);
    if (!code)
        code = gpu_alloc(&bench->partial, bench->gpu, partial_floats * sizeof(float), err);
    if (!code)
        code = gpu_alloc(&bench->arrived, bench->gpu, counters * sizeof(uint32_t), err);
    if (!code)
        code = gpu_set(bench->gpu, bench->arrived, 0, counters * sizeof(uint32_t), err);
    return code ? code : cublas_open(&bench->cublas, bench->gpu, err);
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct err err = {0};
    struct shape shapes[SHAPES];
    size_t count = 0, s;
    bool differs = false, any = false;
    int code;

    if (argc < 3) {
        fprintf(stderr, "usage: cublas SPEC DECISION...\n");
        return 2;
    }
    code = open_bench(&bench, &err);
    if (!code)
        code = open_kernel(&bench, shapes, &count, argc, argv, &err);
    if (!code)
        printf("TFLOP/s in single precision; cuBLAS %d, pedantic\n     M      N      K      ours    cuBLAS\n",
               cublas_version(bench.cublas));
    for (s = 0; s < count && !code; s++) {
        bench.shape = shapes[s];
        code = compare_shape(&differs, &bench, &err);
        any |= differs;
    }
    if (code)
        fprintf(stderr, "cublas: %s\n", err.text);
    kernel_close(bench.kernel);
    cublas_close(bench.cublas);
    if (bench.gpu) {
        gpu_event_free(bench.gpu, bench.from);
        gpu_event_free(bench.gpu, bench.to);
        gpu_free(bench.gpu, bench.partial);
        gpu_free(bench.gpu, bench.arrived);
    }
    gpu_close(bench.gpu);
    return code || any;
}

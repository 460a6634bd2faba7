/* What trying variants costs: trials SPEC [COUNT] compiles COUNT configurations spread over the space with 1,
 * 2, 4, ... threads, as many as there are cores, without a cache; then, where a GPU is, tries each and prints
 * what a trial cost beyond the kernel's own runs. */
#include "base/clock.h"
#include "base/queue.h"
#include "base/stats.h"
#include "gpu/compile.h"
#include "gpu/worker.h"
#include "space/space.h"
#include "space/variant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    struct compiler *compiler;
    struct variant variant;
    const char *arch;
    unsigned compiled; /* so many times */
    struct compile_result result;
    struct err err;
};

struct run {
    struct spec spec;
    struct space *space;
    struct compiler *compiler;
    struct worker *worker; /* null: no GPU */
    char arch[16];
    struct job *jobs;
    size_t count;
};

/* The compiler keeps what it has made: a macro that none had before makes it compile again. */
static void compile(void *argument)
{
    struct job *job = argument;
    const size_t count = job->variant.option_count;
    const char **options = malloc((count + 1) * sizeof *options);
    char again[32];
    const struct compile_request request = {.source_path = job->variant.source_path,
                                            .name = job->variant.name,
                                            .options = options,
                                            .option_count = count + 1,
                                            .arch = job->arch,
                                            .deadline_s = 60};

    compile_result_release(&job->result);
    if (!options) {
        err_memory(&job->err);
        return;
    }
    snprintf(again, sizeof again, "-DAGAIN=%u", job->compiled++);
    memcpy(options, job->variant.options, count * sizeof *options);
    options[count] = again;
    compile_cubin(&job->result, job->compiler, &request, &job->err);
    free(options);
}

/* Compiles all jobs on so many threads; the seconds that took. */
static int compile_all(double *seconds, struct run *run, unsigned threads, struct err *err)
{
    struct queue *queue;
    double start;
    void *done;
    int rc = queue_open(&queue, &threads, 1, err);

    if (rc)
        return rc;
    start = clock_wall_s();
    for (size_t i = 0; !rc && i < run->count; i++)
        rc = queue_submit(queue, 0, compile, &run->jobs[i], err);
    while (queue_wait(queue, &done, -1))
        continue;
    *seconds = clock_wall_s() - start;
    queue_close(queue);
    for (size_t i = 0; !rc && i < run->count; i++)
        if (run->jobs[i].err.code)
            rc = err_set(err, (enum err_code)run->jobs[i].err.code, "%s", run->jobs[i].err.text);
    return rc;
}

static int time_compiling(struct run *run, struct err *err)
{
    unsigned cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), threads;
    double one = 0, seconds;
    int rc = compile_all(&seconds, run, cores, err); /* starts the processes */

    for (threads = 1; !rc && threads <= cores; threads *= 2) {
        rc = compile_all(&seconds, run, threads, err);
        one = threads == 1 ? seconds : one;
        if (!rc)
            printf("%2u threads: %.1f ms a variant, %.1f times one thread's rate\n", threads,
                   1e3 * seconds / (double)run->count, one / seconds);
    }
    return rc;
}

/* `count` configurations at equal distances, made into variants. */
static int choose(struct run *run, uint64_t count, struct err *err)
{
    uint64_t all = space_count(run->space), i;
    unsigned choices[SPEC_PARAMETERS_MAX];
    int rc = 0;

    count = count < all ? count : all;
    run->jobs = calloc(count + 1, sizeof *run->jobs);
    if (!run->jobs)
        return err_memory(err);
    for (i = 0; !rc && i < count; i++) {
        struct job *job = &run->jobs[run->count];

        space_configuration(choices, run->space, (2 * i + 1) * all / (2 * count));
        rc = variant_make(&job->variant, &run->spec, 0, choices, err);
        job->compiler = run->compiler;
        job->arch = run->arch;
        if (!rc && job->variant.outcome == OUTCOME_OK)
            run->count++;
        else
            variant_release(&job->variant);
    }
    return rc;
}

/* Compiles the reference kernel of the spec, which must have one. */
static int make_reference(struct job *out, struct run *run, struct err *err)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    uint64_t index;
    int rc = space_default(&index, run->space, err);

    memset(out, 0, sizeof *out);
    if (rc)
        return rc;
    space_configuration(choices, run->space, index);
    rc = variant_reference(&out->variant, &run->spec, 0, choices, choices, err);
    if (rc)
        return rc;
    out->compiler = run->compiler;
    out->arch = run->arch;
    compile(out);
    if (out->err.code || out->result.outcome != OUTCOME_OK)
        return err_set(err, ERR_USAGE, "the reference: %s",
                       out->err.code            ? out->err.text
                       : out->result.diagnostic ? out->result.diagnostic
                                                : "no code");
    return 0;
}

static struct code code_of(const struct job *job)
{
    return (struct code){job->result.cubin, job->result.cubin_bytes, job->result.entry};
}

/* Tries every job that compiled; prints medians. */
static int time_trials(struct run *run, struct err *err)
{
    struct job expected;
    struct reference reference;
    struct protocol protocol;
    double *overhead = calloc(run->count + 1, sizeof *overhead), kernel = 0, best = 0;
    size_t n = 0, i, failed = 0;
    int rc = overhead ? make_reference(&expected, run, err) : err_memory(err);

    protocol_init(&protocol);
    protocol.relative = run->spec.relative;
    protocol.absolute = run->spec.absolute;
    reference = (struct reference){.code = code_of(&expected), .launch = &expected.variant.launch};
    for (i = 0; !rc && i < run->count; i++) {
        struct code code = code_of(&run->jobs[i]);
        double start = clock_wall_s();
        struct trial trial;

        if (run->jobs[i].result.outcome != OUTCOME_OK)
            continue;
        rc = worker_trial(&trial, run->worker, &code, &run->jobs[i].variant.launch, &reference, &protocol,
                          err);
        if (!rc && trial.outcome != OUTCOME_OK) {
            printf("%s: %s\n", outcome_text(trial.outcome), trial.message);
            failed++;
        } else if (!rc && i) { /* the first also fills the buffers and runs the reference */
            kernel += trial.kernel_s;
            overhead[n++] = clock_wall_s() - start - trial.kernel_s;
            best = best > 0 && best < trial.time_s ? best : trial.time_s;
        }
        trial_release(&trial);
    }
    if (!rc && n)
        printf("%zu trials: beyond the kernel %.2f ms (largest %.2f), in it %.1f ms a trial; best %.4g ms; "
               "%zu failed\n",
               n, 1e3 * stats_median(overhead, n), 1e3 * stats_quantile(overhead, n, 1),
               1e3 * kernel / (double)n, 1e3 * best, failed);
    variant_release(&expected.variant);
    compile_result_release(&expected.result);
    free(overhead);
    return rc;
}

/* The worker, when there is a GPU; else a common architecture to compile for. */
static int find_gpu(struct run *run, struct err *err)
{
    struct device device;
    struct err missing = {0};
    int rc = worker_open(&run->worker, 0, NULL, &missing);

    snprintf(run->arch, sizeof run->arch, "sm_90a");
    if (rc) {
        printf("no GPU: %s\n", missing.text);
        return rc == ERR_MISSING ? 0 : err_set(err, (enum err_code)rc, "%s", missing.text);
    }
    rc = worker_describe(&device, run->worker, err);
    if (!rc)
        device_target(run->arch, device.sm);
    device_release(&device);
    return rc;
}

static int measure(struct run *run, const char *path, uint64_t count, struct err *err)
{
    int rc = spec_read(&run->spec, path, SPEC_WHOLE, NULL, 0, err);

    if (!rc)
        rc = space_open(&run->space, &run->spec, 0, err);
    if (!rc)
        rc = find_gpu(run, err);
    if (!rc)
        rc = compiler_open(&run->compiler, NULL, NULL, err);
    if (!rc)
        rc = choose(run, count, err);
    if (!rc)
        printf("%s: %zu of %" PRIu64 " configurations, %s, NVRTC %s\n", path, run->count,
               space_count(run->space), run->arch, compiler_version(run->compiler));
    if (!rc)
        rc = time_compiling(run, err);
    if (!rc && run->worker && run->spec.reference.kind == REFERENCE_KERNEL)
        rc = time_trials(run, err);
    return rc;
}

int main(int argc, char **argv)
{
    struct run run = {0};
    struct err err = {0};
    int rc;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: trials SPEC [COUNT]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    rc = measure(&run, argv[1], argc == 3 ? strtoull(argv[2], NULL, 10) : 64, &err);
    if (rc)
        fprintf(stderr, "trials: %s\n", err.text);
    for (size_t i = 0; i < run.count; i++) {
        variant_release(&run.jobs[i].variant);
        compile_result_release(&run.jobs[i].result);
    }
    free(run.jobs);
    compiler_close(run.compiler);
    worker_close(run.worker);
    space_close(run.space);
    spec_release(&run.spec);
    return rc ? (err.code == ERR_USAGE ? 2 : 1) : 0;
}

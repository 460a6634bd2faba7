/* virtual SPEC TIMES STRATEGY CORES LATENCY CONTROLLER SEED TRIALS HOSTS...: one search for each number of hosts, of CORES cores and
 * one GPU each, in virtual time (virtual_hosts.h), by the loop and the strategies of `occutune tune`.
 *
 * TIMES has a line for each configuration of the space, in its order: seconds of the compile, of the trial, of the kernel,
 * and the estimate that the model would give. LATENCY and CONTROLLER are seconds: of a message, and of the controller for
 * each result (negative: so much, and what the search really thought, which is never the same again). It ends after TRIALS (0: when the
 * search does, which goes on else). A line of JSON for each run:
 *   elapsed_s       until nothing is under way any more, without finals
 *   found_s         until a configuration within 1 % of the best of all was timed; null: never
 *   found_timed     trials until then, it included; 0: never
 *   cores, gpus     share of the time that they were busy
 *   first_s, between_s, last_s   that a GPU had nothing to do, on average: before its first trial, between two, after its last
 *   thinking_us     real time of a core for each result: the strategy, the loop and this simulation */
#include "benchmarks/cluster/virtual_hosts.h"

#include "base/clock.h"
#include "base/json_line.h"
#include "tuner/drive/drive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct times {
    double compile_s, trial_s, kernel_s, estimate_s;
};

struct run {
    const struct times *times;
    struct virtual_job *jobs; /* by index */
    struct evaluator *evaluator;
    struct search *search;
    size_t ready, compiled, timed, found_timed;
    size_t most;                    /* trials after which it ends; 0: when the search does */
    double near_s, found_s, best_s; /* near_s: what counts as found */
};

static int fail(const struct err *err)
{
    fprintf(stderr, "virtual: %s\n", err->text);
    return 1;
}

/* What the loop asks ------------------------------------------------------- */

static int launch(struct run *run, uint64_t index, enum evaluator_kind kind, double takes_s, struct err *err)
{
    struct virtual_job *job = &run->jobs[index];

    job->job.kind = kind;
    job->takes_s = takes_s;
    return evaluator_submit(run->evaluator, &job->job, err);
}

static int start_compile(void *context, uint64_t index, struct err *err)
{
    struct run *run = context;

    return launch(run, index, EVALUATOR_COMPILE, run->times[index].compile_s, err);
}

static int start_trial(void *context, uint64_t index, bool audit, struct err *err)
{
    struct run *run = context;

    (void)audit;
    run->ready--;
    return launch(run, index, EVALUATOR_MEASURE, run->times[index].trial_s, err);
}

static int finish(void *context, struct evaluator_job *job, struct err *err)
{
    struct run *run = context;
    const uint64_t index = (uint64_t)((struct virtual_job *)job - run->jobs);
    const struct times *times = &run->times[index];
    struct search_facts facts = {.outcome = OUTCOME_OK, .spent_s = evaluator_spent_s(job)};

    if (job->kind == EVALUATOR_COMPILE) {
        run->ready++;
        run->compiled++;
        facts.prediction = (struct search_prediction){
            .predicted = true, .bound_s = 0.5 * times->estimate_s, .estimate_s = times->estimate_s};
        return search_tell(run->search, index, &facts, err);
    }
    run->timed++;
    facts.timed = true;
    facts.time_s = times->kernel_s;
    run->best_s = fmin(run->best_s, times->kernel_s);
    if (times->kernel_s <= run->near_s && isnan(run->found_s)) {
        run->found_s = evaluator_now_s(run->evaluator);
        run->found_timed = run->timed;
    }
    return search_tell(run->search, index, &facts, err);
}

static bool is_over(void *context)
{
    const struct run *run = context;

    return run->most && run->timed >= run->most;
}

static bool begin_audit(void *context)
{
    (void)context;
    return false;
}

/* One run ------------------------------------------------------------------ */

static int search_all(struct run *run, const struct strategy *strategy, struct err *err)
{
    const struct driver driver = {.strategy = strategy,
                                  .search = run->search,
                                  .evaluator = run->evaluator,
                                  .ready = &run->ready,
                                  .over = is_over,
                                  .compile = start_compile,
                                  .time = start_trial,
                                  .finish = finish,
                                  .audit = begin_audit,
                                  .context = run};
    int rc = drive(&driver, err);

    if (!rc)
        evaluator_give_up_compiling(run->evaluator);
    while (!rc && evaluator_pending(run->evaluator, EVALUATOR_MEASURE))
        rc = drive_wait(&driver, err);
    return rc;
}

static void print(const struct run *run, const struct virtual_options *options, double thinking_s)
{
    const double elapsed_s = evaluator_now_s(run->evaluator);
    const double cores = evaluator_busy_s(run->evaluator, EVALUATOR_COMPILE) / elapsed_s;
    const double results = (double)(run->compiled + run->timed);
    const struct virtual_idle gpu = virtual_idle();
    struct js_line line = {0};

    js_line_object(&line, NULL);
    js_line_integer(&line, "hosts", options->hosts);
    js_line_real(&line, "elapsed_s", elapsed_s);
    js_line_real(&line, "found_s", run->found_s);
    js_line_integer(&line, "found_timed", (int64_t)run->found_timed);
    js_line_integer(&line, "compiled", (int64_t)run->compiled);
    js_line_integer(&line, "timed", (int64_t)run->timed);
    js_line_real(&line, "best_s", run->best_s);
    js_line_real(&line, "cores", cores / (options->hosts * options->cores));
    js_line_real(&line, "gpus",
                 evaluator_busy_s(run->evaluator, EVALUATOR_MEASURE) / elapsed_s / options->hosts);
    js_line_real(&line, "first_s", gpu.first_s);
    js_line_real(&line, "between_s", gpu.between_s);
    js_line_real(&line, "last_s", elapsed_s - gpu.ended_s);
    js_line_real(&line, "thinking_us", 1e6 * thinking_s / results);
    js_line_close(&line, '}');
    if (!js_line_end(&line, NULL))
        puts(line.text);
    fflush(stdout);
    js_line_release(&line);
}

static int simulate(struct run *run, const struct virtual_options *options, struct search_options *search,
                    struct err *err)
{
    const struct evaluator_options evaluator = {
        .type = &evaluator_virtual, .cores = 1, .trials_ahead = (unsigned)search->strategy->trials_ahead};
    const double began_s = clock_core_s();
    int rc;

    virtual_configure(options);
    run->ready = run->compiled = run->timed = run->found_timed = 0;
    run->found_s = NAN;
    run->best_s = INFINITY;
    search->cores = options->hosts * options->cores;
    rc = evaluator_open(&run->evaluator, &evaluator, err);
    if (rc)
        return rc;
    rc = search_open(&run->search, search, err);
    if (!rc)
        rc = search_all(run, search->strategy, err);
    if (!rc)
        print(run, options, clock_core_s() - began_s);
    evaluator_close(run->evaluator);
    search_close(run->search);
    return rc;
}

/* What is searched --------------------------------------------------------- */

static struct times *read_times(uint64_t count, const char *path, double *best_s)
{
    struct times *times = calloc(count + 1, sizeof *times);
    FILE *file = fopen(path, "r");
    uint64_t read = 0;

    while (times && file && read < count &&
           fscanf(file, "%lf %lf %lf %lf", &times[read].compile_s, &times[read].trial_s,
                  &times[read].kernel_s, &times[read].estimate_s) == 4)
        *best_s = fmin(*best_s, times[read++].kernel_s);
    if (file)
        fclose(file);
    if (read == count)
        return times;
    fprintf(stderr, "virtual: %s: %llu lines where the space has %llu configurations\n", path,
            (unsigned long long)read, (unsigned long long)count);
    free(times);
    return NULL;
}

static int run_all(char **argv, const struct spec *spec, const struct space *space, struct err *err)
{
    struct virtual_options options = {.cores = (unsigned)strtoul(argv[4], NULL, 10),
                                      .latency_s = strtod(argv[5], NULL),
                                      .controller_s = strtod(argv[6], NULL)};
    struct search_options search = {.strategy = strategy_find(argv[3]),
                                    .seed = strtoull(argv[7], NULL, 10),
                                    .count = space_count(space),
                                    .space = space,
                                    .spec = spec};
    struct run run = {.near_s = INFINITY, .most = strtoull(argv[8], NULL, 10)};
    struct times *times = read_times(search.count, argv[2], &run.near_s);
    int rc = times ? space_default(&search.first, space, err) : ERR_USAGE;

    if (!rc && !search.strategy)
        rc = err_set(err, ERR_USAGE, "%s: no strategy is called so", argv[3]);
    run.times = times;
    run.near_s *= 1.01;
    search.goes_on = run.most > 0;
    run.jobs = calloc(search.count + 1, sizeof *run.jobs);
    if (!rc && !run.jobs)
        rc = err_memory(err);
    for (char **host = argv + 9; *host && !rc; host++) {
        options.hosts = (unsigned)strtoul(*host, NULL, 10);
        rc = options.hosts && options.cores ? simulate(&run, &options, &search, err)
                                            : err_set(err, ERR_USAGE, "CORES and HOSTS are above 0");
    }
    free(times);
    free(run.jobs);
    return rc;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    struct spec spec;
    struct space *space;
    int rc;

    if (argc < 10) {
        fprintf(stderr, "usage: virtual SPEC TIMES STRATEGY CORES LATENCY CONTROLLER SEED TRIALS HOSTS...\n");
        return 2;
    }
    if (spec_read(&spec, argv[1], SPEC_WHOLE, NULL, 0, &err))
        return fail(&err);
    rc = space_open(&space, &spec, 0, &err);
    if (!rc) {
        rc = run_all(argv, &spec, space, &err);
        space_close(space);
    }
    spec_release(&spec);
    return rc ? fail(&err) : 0;
}

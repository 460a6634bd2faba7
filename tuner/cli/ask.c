/* occutune ask: a search whose trials another program makes. It says on standard output what to time next and reads from
 * standard input what came of it, a line of JSON each (docs/cli.md); beside that it compiles and predicts ahead. */
#include "tuner/cli/cli.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "model/machine/occupancy.h"
#include "space/configuration.h"
#include "space/launchable.h"
#include "tuner/cli/ask_lines.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/client.h"
#include "tuner/evaluate/environment.h"
#include "tuner/evaluate/evaluator.h"
#include "tuner/predict/code_facts.h"
#include "tuner/strategy/strategy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPILE_DEADLINE_S = 60 };

static const struct cli_option options[] = {
    {"device", 0, "PROFILE", "profile of the GPU, a name or a file (default nvidia-h200)"},
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"strategy", 0, "NAME", "{strategies}"},
    {"seed", 0, "S", "seed of what is random (default 0)"},
    {"trials", 0, "N", "ask for N configurations at most"},
    {"jobs", 'j', "N", "threads that compile and predict (default: one per core)"},
    {0},
};

/* A configuration that was asked to be compiled. */
struct candidate {
    struct evaluator_job job;
    struct variant variant;
    uint64_t index;
    uint64_t launch; /* hash of it */
    unsigned choices[];
};

struct asking {
    struct cli *cli;
    struct spec spec;
    struct device device;
    struct machine machine;
    struct space *space;
    struct compiler *compiler;
    struct evaluator *evaluator;
    struct search *search;
    const struct strategy *strategy;
    char arch[16];
    struct map by_index;        /* -> struct candidate */
    struct map by_code;         /* the first with that code, launch and weight */
    size_t ready;               /* compiled and not asked for */
    uint64_t number;            /* of the next question */
    uint64_t best;              /* its configuration, once `best_s` is known */
    double best_s, best_weight; /* NaN before the first time */
    char *line;                 /* the last answer */
    size_t line_size;
    bool gone; /* nobody answers any more */
};

/* Compiling
 * ------------------------------------------------------------------------------------------------------------
 */

static void candidate_free(struct candidate *candidate)
{
    if (!candidate)
        return;
    variant_release(&candidate->variant);
    compile_result_release(&candidate->job.compiled);
    code_facts_release(&candidate->job.facts);
    free(candidate);
}

static int tell_refused(struct asking *asking, const struct candidate *candidate, enum outcome outcome,
                        bool impossible, struct err *err)
{
    const struct search_facts facts = {.outcome = outcome,
                                       .impossible = impossible,
                                       .spent_s = impossible ? 0 : evaluator_spent_s(&candidate->job)};

    return search_tell(asking->search, candidate->index, &facts, err);
}

static int start_compile(struct asking *asking, uint64_t index, struct err *err)
{
    const size_t bytes = asking->spec.parameter_count * sizeof(unsigned);
    struct candidate *candidate = calloc(1, sizeof *candidate + bytes);
    char reason[512];

    if (!candidate)
        return err_memory(err);
    if (map_put(&asking->by_index, index, candidate, err)) {
        free(candidate);
        return err->code;
    }
    candidate->index = index;
    space_configuration(candidate->choices, asking->space, index);
    if (variant_make(&candidate->variant, &asking->spec, 0, candidate->choices, err))
        return err->code;
    if (candidate->variant.outcome != OUTCOME_OK)
        return tell_refused(asking, candidate, candidate->variant.outcome, true, err);
    if (!device_can_launch(reason, sizeof reason, asking->device.sm, &candidate->variant.launch) ||
        !occupancy_launchable(reason, sizeof reason, &asking->device.limits, &candidate->variant.launch,
                              NULL))
        return tell_refused(asking, candidate, OUTCOME_LIMITS, true, err);
    candidate->launch = launch_hash(&candidate->variant.launch);
    candidate->job = (struct evaluator_job){
        .kind = EVALUATOR_COMPILE,
        .variant = &candidate->variant,
        .read = asking->strategy->reads_predictions ? &candidate->variant.launch : NULL};
    return evaluator_submit(asking->evaluator, &candidate->job, err);
}

/* Whether the code can be launched; else false. */
static int read_code(bool *fits, const struct asking *asking, struct candidate *candidate, struct err *err)
{
    struct evaluator_job *job = &candidate->job;
    const struct launch *launch = &candidate->variant.launch;
    char reason[512];
    const int rc = code_facts_read(&job->facts, &job->compiled, candidate->variant.name, err);

    *fits =
        !rc && code_facts_fit(reason, sizeof reason, &job->facts, job->compiled.entry, launch) &&
        occupancy_launchable(reason, sizeof reason, &asking->device.limits, launch, &job->facts.resources);
    return rc;
}

/* Which candidate before this one has its code, launch and weight; null: none. */
static int find_same_code(const struct candidate **out, struct asking *asking, struct candidate *candidate,
                          struct err *err)
{
    uint64_t key = hash_u64(candidate->launch, candidate->job.facts.hash), weight;

    memcpy(&weight, &candidate->variant.weight, sizeof weight);
    key = hash_u64(key, weight);
    *out = map_find(&asking->by_code, key);
    return *out ? 0 : map_put(&asking->by_code, key, candidate, err);
}

/* What was compiled is told; the code itself is not needed any more. */
static int take_compiled(struct asking *asking, struct evaluator_job *job, struct err *err)
{
    struct candidate *candidate = (struct candidate *)((char *)job - offsetof(struct candidate, job));
    struct search_prediction told = job->prediction.told;
    const struct candidate *same;
    bool fits = false;

    if (job->err.code)
        return err_set(err, (enum err_code)job->err.code, "%s", job->err.text);
    if (job->compiled.own_failure)
        return err_set(err, ERR_SYSTEM, "%s: %s", candidate->variant.name, job->compiled.diagnostic);
    if (job->compiled.outcome == OUTCOME_OK && read_code(&fits, asking, candidate, err))
        return err->code;
    if (!fits)
        return tell_refused(asking, candidate,
                            job->compiled.outcome == OUTCOME_OK ? OUTCOME_LIMITS : job->compiled.outcome,
                            false, err);
    compile_result_release(&job->compiled);
    job->compiled = (struct compile_result){0};
    if (find_same_code(&same, asking, candidate, err))
        return err->code;
    asking->ready += !same;
    told.bound_s *= candidate->variant.weight;
    told.estimate_s *= candidate->variant.weight;
    return search_tell(asking->search, candidate->index,
                       &(struct search_facts){.outcome = same ? OUTCOME_SAME_CODE : OUTCOME_OK,
                                              .same_as = same ? same->index : 0,
                                              .spent_s = evaluator_spent_s(job),
                                              .prediction = told},
                       err);
}

/* Questions and answers
 * ------------------------------------------------------------------------------------------------------------
 */

static int put_line(struct asking *asking, struct json *line, struct err *err)
{
    char *text = line ? js_text(line, JS_LINE) : NULL;

    js_free(line);
    if (!text)
        return err_memory(err);
    fprintf(asking->cli->out, "%s\n", text);
    free(text);
    return fflush(asking->cli->out) ? err_set(err, ERR_SYSTEM, "standard output: %s", strerror(errno)) : 0;
}

static int ask(struct asking *asking, uint64_t index, struct err *err)
{
    const struct candidate *candidate = map_find(&asking->by_index, index);
    const double weight = candidate->variant.weight, asked_s = clock_wall_s();
    struct search_facts facts;

    asking->ready--;
    if (put_line(asking,
                 ask_question(asking->number, &asking->spec, candidate->choices, &candidate->variant,
                              &candidate->job.prediction.told),
                 err))
        return err->code;
    asking->gone = getline(&asking->line, &asking->line_size, stdin) < 0;
    if (asking->gone)
        return 0;
    if (ask_answer(&facts, asking->line, asking->number, err))
        return err->code;
    asking->number++;
    facts.spent_s = clock_wall_s() - asked_s;
    if (facts.outcome == OUTCOME_OK && !(facts.time_s * weight >= asking->best_s * asking->best_weight)) {
        asking->best = index;
        asking->best_s = facts.time_s;
        asking->best_weight = weight;
    }
    facts.time_s *= weight;
    return search_tell(asking->search, index, &facts, err);
}

static int put_end(struct asking *asking, struct err *err)
{
    struct json *line = js_new_object();
    struct search_summary summary;
    int failed = !line;

    search_summarise(&summary, asking->search);
    failed = failed || js_set_string(line, "end", search_end_text(summary.end)) ||
             js_set_integer(line, "timed", (int64_t)summary.timed) ||
             js_set_integer(line, "compiled", (int64_t)summary.compiled);
    if (!failed && asking->best_s > 0) {
        const struct candidate *best = map_find(&asking->by_index, asking->best);

        failed = js_set(line, "best", configuration_json(&asking->spec, best->choices)) ||
                 js_set_real(line, "time_s", asking->best_s);
    }
    return put_line(asking, js_unless(failed, line), err);
}

/* The search
 * ------------------------------------------------------------------------------------------------------------
 */

static struct search_capacity capacity(const struct asking *asking)
{
    const size_t under_way = evaluator_pending(asking->evaluator, EVALUATOR_COMPILE);

    return (struct search_capacity){
        .compile = under_way < 2 * (size_t)evaluator_cores(asking->evaluator) &&
                   asking->ready + under_way < asking->strategy->ready_most,
        .time = true,
        .now_s = evaluator_now_s(asking->evaluator),
    };
}

/* What was compiled while the other side timed is told before the next step is chosen. */
static int take_all_compiled(struct asking *asking, double timeout_s, struct err *err)
{
    struct evaluator_job *job;
    int rc = 0;

    while (!rc && (job = evaluator_wait(asking->evaluator, timeout_s)) != NULL) {
        rc = take_compiled(asking, job, err);
        timeout_s = 0;
    }
    return rc;
}

static int wait_compiled(struct asking *asking, struct err *err)
{
    if (evaluator_pending(asking->evaluator, EVALUATOR_COMPILE))
        return take_all_compiled(asking, -1, err);
    return err_set(err, ERR_SYSTEM,
                   "internal error: the search waits, and nothing is compiled that it could wait for");
}

static int search(struct asking *asking, struct err *err)
{
    struct search_step step = {.action = SEARCH_WAIT};
    int rc = 0;

    while (!rc && !asking->gone && step.action != SEARCH_STOP && !*asking->cli->stop) {
        rc = take_all_compiled(asking, 0, err);
        if (!rc)
            rc = search_next(&step, asking->search, capacity(asking), err);
        if (!rc && step.action == SEARCH_COMPILE)
            rc = start_compile(asking, step.index, err);
        else if (!rc && step.action == SEARCH_TIME)
            rc = ask(asking, step.index, err);
        else if (!rc && step.action == SEARCH_WAIT)
            rc = wait_compiled(asking, err);
    }
    return rc || asking->gone ? rc : put_end(asking, err);
}

static int read_arguments(struct asking *asking, struct search_options *wanted, unsigned *cores,
                          const struct cli_args *args, struct err *err)
{
    char names[STRATEGY_NAMES_MAX];
    uint64_t jobs = 0;

    asking->strategy = strategy_find(cli_text(args, "strategy"));
    if (!asking->strategy) {
        strategy_names(names, sizeof names);
        return err_set(err, ERR_USAGE, "--strategy: %s is none of %s", cli_text(args, "strategy"), names);
    }
    if (cli_count(&jobs, args, "jobs", 1, 1024, err) ||
        cli_count(&wanted->seed, args, "seed", 0, UINT64_MAX, err) ||
        cli_count(&wanted->trials, args, "trials", 1, UINT64_MAX, err))
        return err->code;
    *cores = jobs ? (unsigned)jobs : environment_cores();
    if (spec_read(&asking->spec, args->words[0], SPEC_WHOLE, args->sets, args->set_count, err))
        return err->code;
    if (asking->spec.problem_count > 1)
        return err_set(err, ERR_USAGE,
                       "%s: problem: has %zu sizes, one is asked for at a time: name one with --set",
                       asking->spec.path, asking->spec.problem_count);
    if (asking->spec.objective.energy)
        return err_set(err, ERR_USAGE, "%s: objective: the answers are times, no energies",
                       asking->spec.path);
    return choose_device(&asking->device,
                         cli_given(args, "device") ? cli_text(args, "device") : "nvidia-h200", err);
}

static int open_search(struct asking *asking, struct search_options *wanted, unsigned cores, struct err *err)
{
    char cache[4096];
    struct evaluator_options how = {.type = &evaluator_local,
                                    .cores = cores,
                                    .arch = asking->arch,
                                    .compile_deadline_s = COMPILE_DEADLINE_S,
                                    .machine = &asking->machine,
                                    .profile = &asking->device,
                                    .warm = !asking->spec.cold};
    int rc = space_open(&asking->space, &asking->spec, 0, err);

    if (!rc)
        rc = space_default(&wanted->first, asking->space, err);
    if (!rc)
        rc = space_launchable(asking->space, &asking->spec, 0, err);
    device_target(asking->arch, asking->device.sm);
    if (!rc)
        rc = compiler_open(&asking->compiler, NULL, cli_cache(asking->cli, cache, sizeof cache), err);
    if (!rc)
        rc = compiler_check_arch(asking->compiler, asking->arch, err);
    how.compiler = asking->compiler;
    if (!rc)
        rc = evaluator_open(&asking->evaluator, &how, err);
    wanted->strategy = asking->strategy;
    wanted->count = rc ? 0 : space_count(asking->space);
    wanted->cores = cores;
    wanted->space = asking->space;
    wanted->spec = &asking->spec;
    return rc ? rc : search_open(&asking->search, wanted, err);
}

static void release(struct asking *asking)
{
    if (asking->evaluator)
        evaluator_give_up_compiling(asking->evaluator);
    evaluator_close(asking->evaluator);
    search_close(asking->search);
    for (size_t i = 0; i < asking->by_index.capacity; i++)
        candidate_free(asking->by_index.entries[i].value);
    map_release(&asking->by_index);
    map_release(&asking->by_code);
    compiler_close(asking->compiler);
    space_close(asking->space);
    free(asking->line);
}

static int run_ask(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct asking asking = {.cli = cli, .best_s = NAN, .best_weight = 1};
    struct search_options wanted = {0};
    unsigned cores = 0;
    int rc = read_arguments(&asking, &wanted, &cores, args, err);

    cli->catch_stop();
    if (!rc)
        rc = client_watch(err);
    if (!rc)
        rc = machine_init(&asking.machine, &asking.device, err);
    if (!rc) {
        rc = open_search(&asking, &wanted, cores, err);
        if (!rc)
            rc = search(&asking, err);
        release(&asking);
        machine_release(&asking.machine);
    }
    device_release(&asking.device);
    spec_release(&asking.spec);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_ask = {
    "ask", "SPEC", "says what to time next, for a program that times itself", options, 1, 1, run_ask};

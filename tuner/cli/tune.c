#include "tuner/cli/cli.h"

#include "base/file.h"
#include "base/place.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/elsewhere.h"
#include "tuner/cli/kept.h"
#include "tuner/cli/progress.h"
#include "tuner/cli/slurm.h"
#include "tuner/cli/tune_kinds.h"
#include "tuner/cli/tune_page.h"
#include "tuner/cli/tune_summary.h"
#include "tuner/decision/decision.h"
#include "tuner/strategy/strategy.h"
#include "tuner/tune/tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE_S = 2 }; /* a page is written again after as many seconds */

static const struct cli_option options[] = {
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"device", 0, "N|NAME", "GPU number, or the name of the GPU whose recording is used"},
    {"recorded", 0, "FILE", "take times from this journal or Kernel Tuner cache"},
    {"strategy", 0, "NAME", "{strategies}"},
    {"profile", 0, "PROFILE", "calibrated device profile, a name or a file (default: the GPU's own)"},
    {"audit", 0, "N", "model: time N of those pruned at the end (default 20; 0: none)"},
    {"objective", 0, "NAME", "time, energy or energy-delay, in place of the spec's objective"},
    {"clocks", 0, "SM[,MEM]", "lock the GPU's clocks at so many MHz while it runs (takes root)"},
    {"seed", 0, "S", "seed of what is random (default 0)"},
    {"time", 0, "DURATION", "stop after this long: 90s, 5m, 1h"},
    {"trials", 0, "N", "stop after timing this many configurations"},
    {"jobs", 'j', "N", "threads that compile (default: one per core)"},
    {"cores", 0, "N", "recorded: cores of the simulated machine (default: --jobs)"},
    ELSEWHERE_OPTIONS,
    {"output", 'o', "FILE", "where the decision goes (default KERNEL.decision.json; -: standard output)"},
    {"journal", 0, "FILE", "where every result goes; resumed when it exists"},
    {"page", 0, "FILE", "write a page of the run; it is written again as the run goes, and follows it"},
    {"verbose", 'v', NULL, "tell more: resources, ties, what was pruned and why, outcomes, time spent"},
    {"quiet", 'q', NULL, "no progress, no summary"},
    {"json", 0, NULL, "print the decision instead of a summary"},
    {0},
};

struct run {
    struct cli *cli;
    const struct cli_args *args;
    struct spec spec;
    struct environment *environment;
    struct tune_options tune;
    struct progress progress;
    struct tune_page page;
    struct elsewhere elsewhere;
    char profiles[4096];
    char decision[4096]; /* where it goes */
    bool kept;           /* the one that is there is better than none */
    bool print;          /* the decision goes to standard output, in place of a summary */
    struct tuned *tuned;
    size_t tuned_count;
    size_t kinds; /* of GPU, each of which every problem is tuned for */
};

static int read_strategy(struct run *run, struct err *err)
{
    char names[STRATEGY_NAMES_MAX];

    if (choose_strategy(&run->tune.strategy, run->args, err))
        return err->code;
    strategy_pruning(names, sizeof names);
    if (!run->tune.strategy->prunes && cli_given(run->args, "audit"))
        return err_set(err, ERR_USAGE,
                       "--audit: only --strategy %s passes configurations over: leave one of the two out",
                       names);
    return 0;
}

/* Who is told of what happens. */
static void connect_views(struct run *run)
{
    const struct cli_args *args = run->args;
    const char *output = cli_text(args, "output");

    run->tune.stop = run->cli->stop;
    run->tune.progress = progress_show;
    run->tune.message = progress_message;
    run->tune.context = &run->progress;
    run->tune.view = tune_page_view;
    run->tune.view_context = &run->page;
    run->tune.view_s = cli_given(args, "page") ? PAGE_S : 0;
    run->page = (struct tune_page){.cli = run->cli,
                                   .spec = &run->spec,
                                   .decision = run->decision,
                                   .page = cli_text(args, "page"),
                                   .profile = run->tune.profile};
    run->progress.cli = run->cli;
    run->print = cli_given(args, "json") || (output && !strcmp(output, "-"));
    run->progress.quiet = cli_given(args, "quiet") || run->print;
}

static int read_options(struct run *run, struct environment_options *environment, struct err *err)
{
    const struct cli_args *args = run->args;
    uint64_t jobs = 0, cores = 0;

    if (read_strategy(run, err))
        return ERR_USAGE;
    run->tune.audit = SEARCH_AUDIT;
    if (cli_count(&run->tune.audit, args, "audit", 0, 1000000, err) ||
        cli_count(&run->tune.seed, args, "seed", 0, UINT64_MAX, err) ||
        cli_count(&run->tune.trials, args, "trials", 1, UINT64_MAX, err) ||
        cli_count(&jobs, args, "jobs", 1, 1024, err) || cli_count(&cores, args, "cores", 1, 4096, err) ||
        cli_duration(&run->tune.time_s, args, "time", err))
        return ERR_USAGE;
    if (choose_clocks(&environment->clocks, args, err))
        return ERR_USAGE;
    if (cli_given(args, "clocks") &&
        (cli_given(args, "recorded") || cli_given(args, "worker") || cli_given(args, "workers")))
        return err_set(err, ERR_USAGE,
                       "--clocks: only those of the GPUs here can be set: leave --recorded, --worker and "
                       "--workers out");
    environment->device = cli_text(args, "device");
    environment->jobs = (unsigned)jobs;
    run->tune.simulated_cores = (unsigned)cores;
    run->tune.recorded = cli_text(args, "recorded");
    run->tune.device =
        environment->device && !environment_is_number(environment->device) ? environment->device : NULL;
    run->tune.journal = cli_text(args, "journal");
    run->tune.profile = cli_text(args, "profile");
    if (place_share(run->profiles, sizeof run->profiles, "profiles"))
        run->tune.profiles = run->profiles;
    connect_views(run);
    if (elsewhere_read(&run->elsewhere, args, err))
        return err->code;
    if (run->elsewhere
            .slurm) { /* what works are the tasks alone: this may be a login node, or a node of theirs */
        environment->jobs = environment->jobs ? environment->jobs : 1;
        environment->no_gpus = true;
    }
    environment->elsewhere = run->elsewhere.commands;
    environment->elsewhere_count = run->elsewhere.count;
    environment->elsewhere_wait_s = run->tune.time_s / 2;
    environment->stop = run->cli->stop;
    environment->version = OCCUTUNE_VERSION;
    environment->message = progress_message;
    environment->context = &run->progress;
    return 0;
}

static int tune_all(struct run *run, struct err *err)
{
    struct tune_kinds kinds = {.spec = &run->spec,
                               .environment = run->environment,
                               .tune = &run->tune,
                               .progress = &run->progress,
                               .page = &run->page};
    int rc;

    run->kinds = run->tune.recorded || !run->environment->kind_count ? 1 : run->environment->kind_count;
    if (run->spec.problem_count > 1 && run->tune.journal)
        return err_set(err, ERR_USAGE,
                       "--journal: the spec has %zu problems, each with a journal of its own: leave it out",
                       run->spec.problem_count);
    if (run->kinds > 1 && run->tune.journal)
        return err_set(
            err, ERR_USAGE,
            "--journal: there are %zu kinds of GPU, each with a journal of its own: leave it out, or "
            "name one GPU with --device",
            run->kinds);
    run->tuned = calloc(run->kinds * run->spec.problem_count, sizeof *run->tuned);
    if (!run->tuned)
        return err_memory(err);
    kinds.count = run->kinds;
    kinds.tuned = run->tuned;
    rc = tune_kinds(&kinds, err);
    run->tuned_count = kinds.tuned_count;
    return rc;
}

/* One for each kernel, so that kernels tuned in one folder do not take each other's place. */
static void name_decision(struct run *run)
{
    const char *named = cli_text(run->args, "output");
    char kernel[64];

    environment_slug(kernel, sizeof kernel, run->spec.kernel.name);
    if (named)
        snprintf(run->decision, sizeof run->decision, "%s", named);
    else
        snprintf(run->decision, sizeof run->decision, "%s.decision.json", kernel);
}

/* Better to hear now than after an hour of tuning that the answer cannot be written. */
static int check_output(struct run *run, struct err *err)
{
    int rc;

    name_decision(run);
    rc = cli_check_output(run->args, "output", run->decision, err);
    if (!rc)
        rc = choose_output(run->decision, "output", &run->spec, err);
    if (!rc)
        rc = cli_check_output(run->args, "journal", NULL, err);
    if (!rc)
        rc = choose_output(run->tune.journal, "journal", &run->spec, err);
    return rc ? rc : tune_page_check(&run->page, run->args, err);
}

/* Whether what is there says more than this run, which did not find a winner for every problem: a decision
 * with more of them; and what is no decision, where it found none. */
static bool is_worth_more(const struct run *run)
{
    struct decision before;
    struct stat status;
    size_t winners = 0, i;
    bool more;

    for (i = 0; i < run->tuned_count; i++)
        winners += run->tuned[i].finalist_count > 0;
    if (winners == run->kinds * run->spec.problem_count || stat(run->decision, &status) ||
        !S_ISREG(status.st_mode))
        return false;
    if (decision_read(&before, run->decision, NULL))
        return !winners && status.st_size > 0;
    more = before.row_count > winners && (!winners || !strcmp(before.kernel, run->spec.kernel.name));
    decision_release(&before);
    return more;
}

/* Where the decision is, and what a user does with it next. */
static void put_decision(const struct run *run)
{
    char kernel[64];
    size_t i, winners = 0;

    if (run->kept)
        return;
    for (i = 0; i < run->tuned_count; i++)
        winners += run->tuned[i].finalist_count > 0;
    fprintf(run->cli->out, "  decision    %s\n", run->decision);
    environment_slug(kernel, sizeof kernel, run->spec.kernel.name);
    if (winners)
        fprintf(run->cli->out, "  next        occutune header %s -o %s.h\n", run->decision, kernel);
}

/* What was written beside it is removed for the decision, which matters more. */
static int write_decision(struct run *run, struct json **decision, struct err *err)
{
    struct err why = {0};
    int rc = js_write_file(*decision, run->decision, &why);

    if (!rc || rc == ERR_MEMORY || !tune_page_remove_replays(&run->page, run->tuned, run->tuned_count))
        return rc ? err_set(err, (enum err_code)rc, "%s", why.text) : 0;
    fprintf(run->cli->err, "%s: %s; the replay that was written beside it is removed\n", run->cli->program,
            why.text);
    js_free(*decision);
    rc = decision_new(decision, &run->spec, run->tuned, run->tuned_count, err);
    return rc ? rc : js_write_file(*decision, run->decision, err);
}

static int write_results(struct run *run, struct err *err)
{
    struct json *decision;
    int rc = decision_new(&decision, &run->spec, run->tuned, run->tuned_count, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < run->tuned_count && !rc; i++)
        if (file_same(run->decision, run->tuned[i].journal))
            rc = err_set(err, ERR_USAGE,
                         "--output: %s is the journal: name another file, and nothing is timed twice",
                         run->decision);
    run->kept = !rc && is_worth_more(run);
    if (!rc && !run->kept && strcmp(run->decision, "-"))
        rc = write_decision(run, &decision, err);
    if (!rc && run->print)
        rc = cli_print_json(run->cli, js_copy(decision), err);
    if (!rc)
        rc = tune_page_end(&run->page, js_copy(decision), err);
    js_free(decision);
    if (rc || run->progress.quiet)
        return rc;
    for (size_t i = 0; i < run->tuned_count; i++)
        tune_summary_print(run->cli->out, &run->spec, &run->tuned[i], cli_given(run->args, "verbose"));
    put_decision(run);
    return 0;
}

/* Whether no configuration keeps the device's limits: spec or device are at fault, not the variants. */
static bool is_unlaunchable(const struct tuned *tuned)
{
    return !tuned->finalist_count && tuned->end == TUNE_COMPLETE && tuned->counts.outcomes[OUTCOME_LIMITS] &&
           tuned->counts.outcomes[OUTCOME_LIMITS] == tuned->counts.valid;
}

/* All problems have their times from one source. */
static bool is_recorded(const struct run *run)
{
    return run->tuned_count && !run->tuned[0].evaluator->measures;
}

/* Whether what a recorded run did could not be written beside the decision. */
static bool is_replay_lost(const struct run *run, const struct tuned *tuned)
{
    return !tuned->evaluator->measures && !*tuned->replay && strcmp(run->decision, "-") != 0;
}

/* Failure is what leaves a user without an answer, or without all of it. */
static int status_of(const struct run *run)
{
    int status = run->tuned_count < run->kinds * run->spec.problem_count ? CLI_FAILED : CLI_OK;

    for (size_t i = 0; i < run->tuned_count; i++)
        if (!run->tuned[i].finalist_count || run->tuned[i].end == TUNE_INTERRUPTED ||
            is_replay_lost(run, &run->tuned[i]))
            status = CLI_FAILED;
    for (size_t i = 0; i < run->tuned_count; i++)
        if (is_unlaunchable(&run->tuned[i])) {
            status = CLI_WRONG_USE;
            fprintf(run->cli->err, "%s: %s: no configuration can be launched on %s: %s\n", run->cli->program,
                    run->spec.path, run->tuned[i].device.name, run->tuned[i].first_failure);
        }
    if (run->kept)
        fprintf(run->cli->err, "%s: %s: stays as it was: this run found fewer winners\n", run->cli->program,
                run->decision);
    if (run->cli->stop && *run->cli->stop)
        fprintf(run->cli->err, "%s: interrupted; the same command %s\n", run->cli->program,
                is_recorded(run) ? "begins anew, as there is no journal of recorded times"
                                 : "goes on from here");
    return status;
}

/* A job of Slurm's runs the same command line. What is wrong with the spec is told here and now. */
static int submit(struct run *run, struct err *err)
{
    char answer[512];
    int rc =
        spec_read(&run->spec, run->args->words[0], SPEC_WHOLE, run->args->sets, run->args->set_count, err);

    spec_release(&run->spec);
    if (!rc)
        rc = slurm_submit(answer, sizeof answer, run->elsewhere.slurm, err);
    if (!rc && !run->progress.quiet)
        fprintf(run->cli->out, "%s: its output goes to slurm-JOB.out in this folder\n", answer);
    return rc;
}

static int run_tune(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct run run = {.cli = cli, .args = args};
    char cache[4096];
    struct environment_options environment = {
        .cache = cli_cache(cli, cache, sizeof cache), .ahead = true, .whole = true};
    int status = CLI_FAILED, rc = read_options(&run, &environment, err);

    if (!rc && run.elsewhere.slurm && !slurm_is_inside()) {
        rc = submit(&run, err);
        elsewhere_release(&run.elsewhere);
        return rc ? CLI_FAILED : CLI_OK;
    }
    cli->catch_stop();
    if (!rc)
        rc = spec_read(&run.spec, args->words[0], SPEC_WHOLE, args->sets, args->set_count, err);
    if (!rc && cli_given(args, "objective")) {
        rc = spec_set_objective(&run.spec, cli_text(args, "objective"), err);
        if (rc)
            err_prefix(err, "--objective");
    }
    if (!rc)
        rc = check_output(&run, err);
    if (!rc)
        rc = choose_remark_metrics(cli, &run.spec, err);
    if (!rc)
        rc = kept_lend(&run.environment, cli, &environment, err);
    if (!rc && cli_given(args, "clocks") && !run.environment->worker_count)
        rc = err_set(err, ERR_USAGE, "--clocks: no GPU is here: %s", run.environment->worker_err.text);
    if (!rc && run.environment->fleet) {
        run.tune.time_s -= fmin(run.environment->waited_s, run.tune.time_s / 2);
        progress_open(&run.progress);
    }
    if (!rc)
        rc = tune_all(&run, err);
    if (!rc && run.tuned_count)
        rc = write_results(&run, err);
    if (!rc)
        status = status_of(&run);
    for (size_t i = 0; i < run.tuned_count; i++)
        tuned_release(&run.tuned[i]);
    free(run.tuned);
    progress_close(&run.progress);
    kept_return(run.environment, cli, !rc);
    elsewhere_release(&run.elsewhere);
    spec_release(&run.spec);
    return status;
}

const struct cli_command command_tune = {
    "tune", "SPEC", "finds the fastest configuration of a kernel", options, 1, 1, run_tune};

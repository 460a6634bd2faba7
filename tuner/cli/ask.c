/* occutune ask: a search whose trials another program makes. It says on standard output what to time next and reads from
 * standard input what came of it, a line of JSON each (docs/cli.md); it is `occutune tune` otherwise. */
#include "tuner/cli/cli.h"

#include "base/place.h"
#include "space/configuration.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/client.h"
#include "tuner/evaluate/questions.h"
#include "tuner/tune/tune.h"

#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"device", 0, "PROFILE", "profile of the GPU, a name or a file (default nvidia-h200)"},
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"strategy", 0, "NAME", "{strategies}"},
    {"seed", 0, "S", "seed of what is random (default 0)"},
    {"trials", 0, "N", "ask for N configurations at most"},
    {"jobs", 'j', "N", "threads that compile and predict (default: one per core)"},
    {"journal", 0, "FILE", "where every answer goes; resumed when it exists"},
    {0},
};

static void tell(void *context, const char *text)
{
    const struct cli *cli = context;

    fprintf(cli->err, "%s: %s\n", cli->program, text);
}

static void refuse(void *context, const struct err *why)
{
    const struct cli *cli = context;

    fprintf(cli->err, "%s: %s; the question waits for another answer\n", cli->program, why->text);
}

static int read_spec(struct spec *out, const struct cli_args *args, struct err *err)
{
    if (spec_read(out, args->words[0], SPEC_WHOLE, args->sets, args->set_count, err))
        return err->code;
    if (!choose_one_problem(out))
        return err_set(
            err, ERR_USAGE,
            "%s: there are %zu problems, one is asked for at a time: give each size in which they differ "
            "with --set SIZE=VALUE",
            out->path, out->problem_count);
    if (out->objective.energy)
        return err_set(err, ERR_USAGE, "%s: objective: the answers are times, no energies", out->path);
    out->energy = false;
    return cli_check_output(args, "journal", NULL, err)
               ? ERR_USAGE
               : choose_output(cli_text(args, "journal"), "journal", out, err);
}

static int read_options(struct tune_options *out, struct environment_options *environment,
                        const struct cli_args *args, struct err *err)
{
    uint64_t jobs = 0;

    if (choose_strategy(&out->strategy, args, err) || cli_count(&jobs, args, "jobs", 1, 1024, err) ||
        cli_count(&out->seed, args, "seed", 0, UINT64_MAX, err) ||
        cli_count(&out->trials, args, "trials", 1, UINT64_MAX, err))
        return err->code;
    environment->jobs = (unsigned)jobs;
    out->journal = cli_text(args, "journal");
    out->profile = cli_given(args, "device") ? cli_text(args, "device") : "nvidia-h200";
    return 0;
}

/* The fastest by its answer; null: none ran. */
static const struct tuned_variant *best_of(const struct tuned *tuned)
{
    const struct tuned_variant *best = tuned->finalists;

    for (size_t i = 1; i < tuned->finalist_count; i++)
        if (tuned_cost(&tuned->finalists[i]) < tuned_cost(best))
            best = &tuned->finalists[i];
    return tuned->finalist_count ? best : NULL;
}

static int put_end(const struct questions *questions, const struct tuned *tuned, struct err *err)
{
    const struct tuned_variant *best = best_of(tuned);
    struct json *line = js_new_object();
    int failed = !line || js_set_string(line, "end", search_end_text(tuned->search.end)) ||
                 js_set_integer(line, "timed", (int64_t)tuned->search.timed) ||
                 js_set_integer(line, "compiled", (int64_t)tuned->search.compiled);

    if (!failed && best)
        failed = js_set(line, "best", configuration_json(questions->spec, best->choices)) ||
                 js_set_real(line, "time_s", best->record.time_s);
    return questions_put_line(questions, js_unless(failed, line), err);
}

/* The GPU is the profile's, wherever it is. */
static int search(struct questions *questions, struct environment *environment,
                  struct tune_options *tune_options, struct err *err)
{
    char profiles[4096];
    struct tuned tuned;

    if (place_share(profiles, sizeof profiles, "profiles"))
        tune_options->profiles = profiles;
    if (choose_device(&environment->device, tune_options->profile, err) ||
        tune(&tuned, questions->spec, 0, environment, tune_options, err))
        return err->code;
    if (!questions->gone)
        put_end(questions, &tuned, err);
    else if (questions->doubtful)
        err_set(err, ERR_USAGE, "question %llu has no answer that makes sense",
                (unsigned long long)questions->number);
    tuned_release(&tuned);
    return err->code;
}

static int run_ask(struct cli *cli, const struct cli_args *args, struct err *err)
{
    char cache[4096];
    struct spec spec = {0};
    struct questions questions = {
        .spec = &spec, .out = cli->out, .stop = cli->stop, .refused = refuse, .context = cli};
    struct tune_options tune_options = {.questions = &questions,
                                        .stop = cli->stop,
                                        .failed = &questions.gone,
                                        .message = tell,
                                        .context = cli};
    struct environment_options wanted = {
        .cache = cli_cache(cli, cache, sizeof cache), .no_gpus = true, .ahead = true};
    struct environment environment = {0};
    int rc = read_options(&tune_options, &wanted, args, err);

    cli->catch_stop();
    if (!rc)
        rc = read_spec(&spec, args, err);
    if (!rc)
        rc = client_watch(err);
    if (!rc)
        rc = line_reader_open(&questions.answers, STDIN_FILENO, CLIENT_LINE_MOST, err);
    if (!rc && !(rc = environment_open(&environment, &wanted, err))) {
        rc = search(&questions, &environment, &tune_options, err);
        environment_close(&environment);
    }
    line_reader_release(&questions.answers);
    spec_release(&spec);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_ask = {
    "ask", "SPEC", "says what to time next, for a program that times itself", options, 1, 1, run_ask};

#include "tuner/cli/cli.h"

#include "space/launchable.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/predict.h"
#include "tuner/cli/predict_show.h"
#include "tuner/decision/decision.h"
#include "tuner/evaluate/environment.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {"device", 0, "PROFILE", "profile of the GPU, a name or a file (default nvidia-h200)"},
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"time", 0, "DURATION", "rank what was predicted after this long: 90s, 5m, 1h"},
    {"trials", 0, "N", "predict N configurations, drawn at random (default: all)"},
    {"limit", 0, "N", "show the N best only (default 20; 0: all)"},
    {"jobs", 'j', "N", "threads that compile and predict (default: one per core)"},
    {"output", 'o', "FILE", "write the best as a decision of the level \"predicted\""},
    {"quiet", 'q', NULL, "no progress"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

enum { RANKED_MOST = 1000000 };

/* Whether there is something to rank, and not more than anybody could wait for. */
static int check_space(const struct predict_view *view, uint64_t trials, struct err *err)
{
    const uint64_t count = space_count(view->space);
    uint64_t index;
    int code = space_default(&index, view->space, err);

    if (!code)
        code = space_launchable(view->space, view->spec, view->problem, err);
    if (!code && (trials && trials < count ? trials : count) > RANKED_MOST)
        code = err_set(err, ERR_USAGE,
                       "%s: parameters: %" PRIu64
                       " configurations are valid, and each would be compiled and read "
                       "(at most %d): give --trials, fewer values or more constraints; occutune tune chooses "
                       "what to read",
                       view->spec->path, count, RANKED_MOST);
    return code;
}

/* What no configuration of the space can do, spec or device are at fault for. */
static int check_launchable(const struct predict_view *view, struct err *err)
{
    const struct ranking *ranking = &view->ranking;
    size_t i;

    for (i = 0; i < ranking->count && ranking->rows[i].outcome == OUTCOME_LIMITS; i++)
        ;
    if (!ranking->count || i < ranking->count || ranking->count < ranking->total)
        return 0;
    return err_set(err, ERR_USAGE, "%s: no configuration can be launched on %s: %s", view->spec->path,
                   view->machine->device->name, ranking->rows[0].reason);
}

static int rank_problem(struct predict_view *view, const struct ranking_options *how, struct json *all,
                        struct err *err)
{
    struct ranking_options own = *how;
    int code = space_open(&view->space, view->spec, view->problem, err);

    if (code)
        return code;
    code = check_space(view, how->count, err);
    if (code) {
        space_close(view->space);
        return code;
    }
    own.space = view->space;
    own.problem = view->problem;
    own.context = &view->progress;
    code = ranking_make(&view->ranking, &own, err);
    progress_end(&view->progress);
    if (!code)
        code = check_launchable(view, err);
    if (!code && !all)
        code = predict_put(view, err);
    else if (!code && js_append(all, predict_json(view)))
        code = err_memory(err);
    if (!code && view->output)
        code = predicted_take(&view->tuned[view->tuned_count++], &view->ranking, view->spec, view->problem,
                              view->space, view->machine, compiler_version(how->compiler), err);
    view->predicted += view->ranking.predicted;
    view->done += view->ranking.count;
    view->total += view->ranking.total;
    ranking_release(&view->ranking);
    space_close(view->space);
    return code;
}

/* Before an hour of predicting, not after. */
static int check_output(struct predict_view *view, const struct cli_args *args, struct err *err)
{
    int code;

    view->output = cli_text(args, "output");
    if (view->spec->objective.energy)
        fprintf(
            view->cli->err,
            "%s: the objective depends on the energy, which the model does not predict: ordered by time\n",
            view->cli->program);
    if (!view->output)
        return 0;
    if (view->spec->objective.energy)
        return err_set(err, ERR_USAGE,
                       "--output: a decision by an objective that is not predicted would be none");
    code = cli_check_output(args, "output", NULL, err);
    if (!code)
        code = choose_output(view->output, "output", view->spec, err);
    if (!code)
        code = predicted_may_replace(view->output, err);
    if (!code && !(view->tuned = calloc(view->spec->problem_count, sizeof *view->tuned)))
        code = err_memory(err);
    return code;
}

static int write_decision(const struct predict_view *view, struct err *err)
{
    struct json *decision;
    int code = decision_new(&decision, view->spec, view->tuned, view->tuned_count, err);

    if (!code)
        code = js_write_file(decision, view->output, err);
    js_free(decision);
    return code;
}

static int rank_all(struct predict_view *view, const struct cli_args *args, const struct ranking_options *how,
                    struct err *err)
{
    struct json *all = NULL;
    int code = check_output(view, args, err);

    if (!code)
        code = cli_count(&view->limit, args, "limit", 0, UINT64_MAX, err);
    if (!code && cli_given(args, "json") && !(all = js_new_array()))
        code = err_memory(err);
    for (; view->problem < how->spec->problem_count && !code && !*how->stop; view->problem++)
        code = rank_problem(view, how, all, err);
    if (!code && all) {
        code = cli_print_json(view->cli, all, err);
        all = NULL;
    }
    js_free(all);
    if (!code && *how->stop)
        return err_set(err, ERR_STOPPED, "interrupted after %zu of %zu configurations", view->done,
                       view->total);
    if (!code && !view->predicted)
        code = err_set(err, ERR_MISSING, "no configuration has a prediction");
    return code || !view->output ? code : write_decision(view, err);
}

static int rank_problems(struct cli *cli, const struct cli_args *args, const struct ranking_options *how,
                         struct err *err)
{
    struct predict_view view = {.cli = cli,
                                .spec = how->spec,
                                .machine = how->machine,
                                .limit = 20,
                                .progress = {.cli = cli, .quiet = cli_given(args, "quiet")}};
    const int code = rank_all(&view, args, how, err);

    for (size_t i = 0; i < view.tuned_count; i++)
        tuned_release(&view.tuned[i]);
    free(view.tuned);
    return code;
}

static int with_compiler(struct cli *cli, const struct cli_args *args, struct ranking_options *how,
                         struct err *err)
{
    char cache[4096];
    uint64_t jobs = 0;
    int code = cli_count(&jobs, args, "jobs", 1, 1024, err);

    if (!code)
        code = cli_count(&how->count, args, "trials", 1, UINT64_MAX, err);
    if (!code)
        code = cli_duration(&how->time_s, args, "time", err);
    if (!code)
        code = compiler_open(&how->compiler, NULL, cli_cache(cli, cache, sizeof cache), err);
    if (code)
        return code;
    how->jobs = jobs ? (unsigned)jobs : environment_cores();
    code = rank_problems(cli, args, how, err);
    compiler_close(how->compiler);
    return code;
}

static int run_predict(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct ranking_options how = {.stop = cli->stop, .progress = progress_rank};
    struct device device;
    struct machine machine;
    struct spec spec;
    int code = spec_read(&spec, args->words[0], SPEC_WHOLE, args->sets, args->set_count, err);

    cli->catch_stop();
    if (code)
        return CLI_WRONG_USE;
    code = choose_device(&device, cli_given(args, "device") ? cli_text(args, "device") : "nvidia-h200", err);
    if (!code)
        code = machine_init(&machine, &device, err);
    if (!code) {
        how.spec = &spec;
        how.machine = &machine;
        code = with_compiler(cli, args, &how, err);
        machine_release(&machine);
    }
    device_release(&device);
    spec_release(&spec);
    return code ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_predict = {
    "predict", "SPEC",     "ranks the configurations by predicted time, without a GPU", options, 1,
    1,         run_predict};

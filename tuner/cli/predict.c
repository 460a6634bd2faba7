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
    int rc = space_default(&index, view->space, err);

    if (!rc)
        rc = space_launchable(view->space, view->spec, view->problem,
                              view->machine->device->limits.memory_bytes, err);
    if (!rc && (trials && trials < count ? trials : count) > RANKED_MOST)
        rc = err_set(err, ERR_USAGE,
                     "%s: parameters: %" PRIu64
                     " configurations are valid, and each would be compiled and read "
                     "(at most %d): give --trials, fewer values or more constraints; occutune tune chooses "
                     "what to read",
                     view->spec->path, count, RANKED_MOST);
    return rc;
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
    int rc = space_open_until(&view->space, view->spec, view->problem, how->stop, err);

    if (rc)
        return rc;
    rc = check_space(view, how->count, err);
    if (rc) {
        space_close(view->space);
        return rc;
    }
    own.space = view->space;
    own.problem = view->problem;
    own.context = &view->progress;
    rc = ranking_make(&view->ranking, &own, err);
    progress_end(&view->progress);
    if (!rc)
        rc = check_launchable(view, err);
    if (!rc && !all)
        rc = predict_put(view, err);
    else if (!rc && js_append(all, predict_json(view)))
        rc = err_memory(err);
    if (!rc && view->output)
        rc = predicted_take(&view->tuned[view->tuned_count++], &view->ranking, view->spec, view->problem,
                            view->space, view->machine, compiler_version(how->compiler), err);
    view->predicted += view->ranking.predicted;
    view->done += view->ranking.count;
    view->total += view->ranking.total;
    ranking_release(&view->ranking);
    space_close(view->space);
    return rc;
}

/* Before an hour of predicting, not after. */
static int check_output(struct predict_view *view, const struct cli_args *args, struct err *err)
{
    int rc;

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
    rc = cli_check_output(args, "output", NULL, err);
    if (!rc)
        rc = choose_output(view->output, "output", view->spec, err);
    if (!rc)
        rc = predicted_may_replace(view->output, err);
    if (!rc && !(view->tuned = calloc(view->spec->problem_count, sizeof *view->tuned)))
        rc = err_memory(err);
    return rc;
}

static int write_decision(const struct predict_view *view, struct err *err)
{
    struct json *decision;
    int rc = decision_new(&decision, view->spec, view->tuned, view->tuned_count, err);

    if (!rc)
        rc = js_write_file(decision, view->output, err);
    js_free(decision);
    return rc;
}

static int rank_all(struct predict_view *view, const struct cli_args *args, const struct ranking_options *how,
                    struct err *err)
{
    struct json *all = NULL;
    int rc = check_output(view, args, err);

    if (!rc)
        rc = cli_count(&view->limit, args, "limit", 0, UINT64_MAX, err);
    if (!rc && cli_given(args, "json") && !(all = js_new_array()))
        rc = err_memory(err);
    if (!rc)
        rc = space_check_problems(how->spec, how->machine->device->limits.memory_bytes, how->stop, err);
    for (; view->problem < how->spec->problem_count && !rc && !*how->stop; view->problem++)
        rc = rank_problem(view, how, all, err);
    if (!rc && all) {
        rc = cli_print_json(view->cli, all, err);
        all = NULL;
    }
    js_free(all);
    if (!rc && *how->stop)
        return err_set(err, ERR_STOPPED, "interrupted after %zu of %zu configurations", view->done,
                       view->total);
    if (!rc && !view->predicted)
        rc = err_set(err, ERR_MISSING, "no configuration has a prediction");
    return rc || !view->output ? rc : write_decision(view, err);
}

static int rank_problems(struct cli *cli, const struct cli_args *args, const struct ranking_options *how,
                         struct err *err)
{
    struct predict_view view = {.cli = cli,
                                .spec = how->spec,
                                .machine = how->machine,
                                .limit = 20,
                                .progress = {.cli = cli, .quiet = cli_given(args, "quiet")}};
    const int rc = rank_all(&view, args, how, err);

    for (size_t i = 0; i < view.tuned_count; i++)
        tuned_release(&view.tuned[i]);
    free(view.tuned);
    return rc;
}

static int with_compiler(struct cli *cli, const struct cli_args *args, struct ranking_options *how,
                         struct err *err)
{
    char cache[4096];
    uint64_t jobs = 0;
    int rc = cli_count(&jobs, args, "jobs", 1, 1024, err);

    if (!rc)
        rc = cli_count(&how->count, args, "trials", 1, UINT64_MAX, err);
    if (!rc)
        rc = cli_duration(&how->time_s, args, "time", err);
    if (!rc)
        rc = compiler_open(&how->compiler, NULL, cli_cache(cli, cache, sizeof cache), err);
    if (rc)
        return rc;
    how->jobs = jobs ? (unsigned)jobs : environment_cores();
    rc = rank_problems(cli, args, how, err);
    compiler_close(how->compiler);
    return rc;
}

static int run_predict(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct ranking_options how = {.stop = cli->stop, .progress = progress_rank};
    struct device device;
    struct machine machine;
    struct spec spec;
    int rc = spec_read(&spec, args->words[0], SPEC_WHOLE, args->sets, args->set_count, err);

    cli->catch_stop();
    if (rc)
        return CLI_WRONG_USE;
    device_init(&device);
    rc = choose_remark_metrics(cli, &spec, err);
    if (!rc)
        rc =
            choose_device(&device, cli_given(args, "device") ? cli_text(args, "device") : "nvidia-h200", err);
    if (!rc)
        rc = machine_init(&machine, &device, err);
    if (!rc) {
        how.spec = &spec;
        how.machine = &machine;
        rc = with_compiler(cli, args, &how, err);
        machine_release(&machine);
    }
    device_release(&device);
    spec_release(&spec);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_predict = {
    "predict", "SPEC",     "ranks the configurations by predicted time, without a GPU", options, 1,
    1,         run_predict};

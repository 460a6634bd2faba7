#include "tuner/cli/cli.h"

#include "space/configuration.h"
#include "space/launchable.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/predict.h"
#include "tuner/cli/progress.h"
#include "tuner/decision/decision.h"
#include "tuner/predict/ranking.h"
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

struct view {
    struct cli *cli;
    const struct spec *spec;
    const struct machine *machine;
    struct space *space;
    size_t problem;
    uint64_t limit;
    struct ranking ranking;
    struct progress progress;
    size_t predicted, done, total; /* of all problems so far */
    const char *output;            /* where the decision goes; null: nowhere */
    struct tuned *tuned;           /* then: of each problem */
    size_t tuned_count;
};

enum { RANKED_MOST = 1000000 };

static size_t shown(const struct view *view)
{
    return view->limit && view->limit < view->ranking.predicted ? view->limit : view->ranking.predicted;
}

static char *name_of(const struct view *view, const struct ranked *row)
{
    unsigned *choices = calloc(view->spec->parameter_count, sizeof *choices);
    char *text = NULL;

    if (choices) {
        space_configuration(choices, view->space, row->index);
        text = configuration_text(view->spec, choices);
    }
    free(choices);
    return text;
}

/* How many of those not predicted came to what `is` says, and why the first did. */
static int put_refused(const struct view *view, bool (*is)(enum outcome), const char *what, struct err *err)
{
    const struct ranked *first = NULL;
    size_t count = 0;
    char *text;

    for (size_t i = view->ranking.predicted; i < view->ranking.count; i++)
        if (is(view->ranking.rows[i].outcome)) {
            first = first ? first : &view->ranking.rows[i];
            count++;
        }
    if (!count)
        return 0;
    text = name_of(view, first);
    if (!text)
        return err_memory(err);
    fprintf(view->cli->out, "%zu %s; the first, %s: %s\n", count, what, text, first->reason);
    free(text);
    return 0;
}

static bool is_unlaunchable(enum outcome outcome)
{
    return outcome == OUTCOME_LIMITS;
}

static bool is_uncompiled(enum outcome outcome)
{
    return outcome == OUTCOME_COMPILE;
}

static bool is_unpredicted(enum outcome outcome)
{
    return !is_unlaunchable(outcome) && !is_uncompiled(outcome);
}

/* Variants that run on no such GPU lack no prediction: they are counted apart. */
static int put_all_refused(const struct view *view, struct err *err)
{
    int code = put_refused(view, is_unlaunchable, "cannot be launched", err);

    if (!code)
        code = put_refused(view, is_uncompiled, "do not compile", err);
    return code ? code : put_refused(view, is_unpredicted, "without a prediction", err);
}

/* How many variants execute what the model has no rate for, and what the first of them does. */
static void put_unrated(const struct view *view)
{
    const struct ranked *first = NULL;
    size_t count = 0, i;

    for (i = 0; i < view->ranking.predicted; i++)
        if (*view->ranking.rows[i].unrated) {
            first = first ? first : &view->ranking.rows[i];
            count++;
        }
    if (count)
        fprintf(
            view->cli->out,
            "%zu with instructions that the model has no rate for, such as %s: their estimates leave these "
            "out, confidence 0\n",
            count, first->unrated);
}

/* Where there are warps enough and yet no resource is full, what comes closest stands for all of them. */
static const char *limit_of(const struct ranked *row)
{
    return row->latency_hidden || row->had_warps >= row->needed_warps ? resource_name(row->limiter)
                                                                      : "latency";
}

/* Where four of five measurements are expected; a dash where the model cannot tell. */
static void interval_text(char *out, size_t size, const struct ranked *row)
{
    char low[32], high[32];

    if (!(row->interval_high_s > 0)) {
        snprintf(out, size, "-");
        return;
    }
    progress_time_text(low, row->interval_low_s);
    progress_time_text(high, row->interval_high_s);
    snprintf(out, size, "%s to %s", low, high);
}

static int put_row(const struct view *view, size_t rank, struct err *err)
{
    const struct ranked *row = &view->ranking.rows[rank];
    char *text = name_of(view, row), estimate[32], bound[32], interval[72];

    if (!text)
        return err_memory(err);
    progress_time_text(estimate, row->estimate_s);
    progress_time_text(bound, row->bound_s);
    interval_text(interval, sizeof interval, row);
    fprintf(view->cli->out, "%5zu  %10s  %-20s  %10s  %-26s  %5.1f of %-5.1f  %s\n", rank + 1, estimate,
            interval, bound, limit_of(row), row->had_warps, row->needed_warps, text);
    free(text);
    return 0;
}

static int put_text(const struct view *view, struct err *err)
{
    FILE *out = view->cli->out;
    char sizes[256];
    int code = 0;

    spec_problem_text(sizes, sizeof sizes, view->spec, view->problem);
    fprintf(out, "%s%s%s: %zu of %zu configurations predicted for %s%s\n", view->spec->kernel.name,
            *sizes ? " " : "", sizes, view->ranking.predicted, view->ranking.count,
            view->machine->device->name,
            device_is_published(view->machine->device) ? " (published values, not measured)" : "");
    if (view->ranking.count < space_count(view->space))
        fprintf(out, "a random part of the %" PRIu64 " that are valid\n", space_count(view->space));
    if (view->ranking.predicted)
        fprintf(out, "%5s  %10s  %-20s  %10s  %-26s  %-14s  %s\n", "", "estimate", "80 % are in", "at least",
                "limited by", "warps had, needed", "configuration");
    for (size_t i = 0; i < shown(view) && !code; i++)
        code = put_row(view, i, err);
    put_unrated(view);
    return code ? code : put_all_refused(view, err);
}

static struct json *row_json(const struct view *view, const struct ranked *row)
{
    struct json *object = js_new_object();
    unsigned *choices = calloc(view->spec->parameter_count, sizeof *choices);
    int failed = !object || !choices;

    if (!failed) {
        space_configuration(choices, view->space, row->index);
        failed = js_set(object, "configuration", configuration_json(view->spec, choices)) ||
                 js_set_string(object, "outcome", outcome_text(row->outcome));
    }
    if (!failed && !row->predicted)
        failed = js_set_string(object, "reason", row->reason);
    if (!failed && row->predicted)
        failed =
            js_set_real(object, "estimate_s", row->estimate_s) ||
            js_set_real(object, "bound_s", row->bound_s) ||
            js_set_bool(object, "bound_proved", row->bound_proved) ||
            (row->interval_high_s > 0 && (js_set_real(object, "interval_low_s", row->interval_low_s) ||
                                          js_set_real(object, "interval_high_s", row->interval_high_s))) ||
            js_set_string(object, "limiter", resource_name(row->limiter)) ||
            js_set_bool(object, "latency_hidden", row->latency_hidden) ||
            js_set_real(object, "had_warps", row->had_warps) ||
            js_set_real(object, "needed_warps", row->needed_warps) ||
            js_set_real(object, "confidence", row->confidence) ||
            (*row->unrated && js_set_string(object, "unrated", row->unrated)) ||
            js_set_integer(object, "registers", row->registers) ||
            js_set_integer(object, "blocks_per_sm", row->blocks_per_sm) ||
            js_set_real(object, "predict_s", row->predict_s);
    free(choices);
    return js_unless(failed, object);
}

/* The best `limit` and all that have no prediction. */
static struct json *problem_json(const struct view *view)
{
    struct json *object = js_new_object(), *rows = js_new_array(), *refused = js_new_array();
    char sizes[256];
    int failed = !object || !rows || !refused;

    for (size_t i = 0; i < shown(view) && !failed; i++)
        failed = js_append(rows, row_json(view, &view->ranking.rows[i]));
    for (size_t i = view->ranking.predicted; i < view->ranking.count && !failed; i++)
        failed = js_append(refused, row_json(view, &view->ranking.rows[i]));
    spec_problem_text(sizes, sizeof sizes, view->spec, view->problem);
    if (!failed && !(js_set_string(object, "problem", sizes) |
                     js_set_string(object, "device", view->machine->device->name) |
                     js_set_bool(object, "published", device_is_published(view->machine->device)) |
                     js_set_integer(object, "valid", (int64_t)space_count(view->space)) |
                     js_set_integer(object, "tried", (int64_t)view->ranking.count) |
                     js_set_integer(object, "predicted", (int64_t)view->ranking.predicted) |
                     js_set(object, "ranking", rows) | js_set(object, "refused", refused)))
        return object;
    js_free(object);
    return NULL;
}

/* Whether there is something to rank, and not more than anybody could wait for. */
static int check_space(const struct view *view, uint64_t trials, struct err *err)
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
static int check_launchable(const struct view *view, struct err *err)
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

static int rank_problem(struct view *view, const struct ranking_options *how, struct json *all,
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
        code = put_text(view, err);
    else if (!code && js_append(all, problem_json(view)))
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
static int check_output(struct view *view, const struct cli_args *args, struct err *err)
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

static int write_decision(const struct view *view, struct err *err)
{
    struct json *decision;
    int code = decision_new(&decision, view->spec, view->tuned, view->tuned_count, err);

    if (!code)
        code = js_write_file(decision, view->output, err);
    js_free(decision);
    return code;
}

static int rank_all(struct view *view, const struct cli_args *args, const struct ranking_options *how,
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
    struct view view = {.cli = cli,
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

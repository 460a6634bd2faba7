#include "tuner/cli/cli.h"

#include "base/file.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/progress.h"
#include "tuner/compare/compare.h"
#include "tuner/journal/metadata.h"
#include "tuner/predict/predictor.h"
#include "tuner/evaluate/recording.h"
#include "tuner/evaluate/environment.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"device", 0, "NAME", "the GPU whose recording is used"},
    {"recorded", 0, "FILE", "journal or Kernel Tuner cache (default: the recording beside the spec)"},
    {"profile", 0, "PROFILE", "calibrated device profile, a name or a file (default: the GPU's own)"},
    {"seeds", 0, "N", "runs of each way (default 20)"},
    {"cores", 0, "N", "cores of the simulated machine (default 16)"},
    {"trials", 0, "N", "trials of the model's way (default: its own allowance)"},
    {"pareto", 0, NULL, "compare Ryoo's pruning too: predicts every configuration"},
    {"jobs", 'j', "N", "threads that compile and predict (default: one per core)"},
    {"output", 'o', "FILE", "write the figures as JSON"},
    {"chart", 0, "FILE", "write the pictures: FILE-trials.svg and FILE-time.svg"},
    {"quiet", 'q', NULL, "no messages"},
    {"json", 0, NULL, "print JSON instead of a table"},
    {0},
};

struct view {
    struct cli *cli;
    const struct cli_args *args;
    struct spec spec;
    struct space *space;
    struct environment environment;
    struct journal *journal;
    struct metadata metadata;
    struct replay replay;
    struct device profile;
    struct machine machine;
    bool has_machine;
    struct predictor *predictor;
    struct pareto_metrics *pareto;
    struct compare_options compare;
    struct compare_predictions predictions;
    struct compared compared;
};

/* What is compared --------------------------------------------------------- */

static int read_options(struct view *view, struct environment_options *environment, struct err *err)
{
    const struct cli_args *args = view->args;
    uint64_t seeds = 20, cores = 16, jobs = 0;

    if (cli_count(&seeds, args, "seeds", 1, COMPARE_SEEDS_MOST, err) ||
        cli_count(&cores, args, "cores", 1, 4096, err) || cli_count(&jobs, args, "jobs", 1, 1024, err) ||
        cli_count(&view->compare.trials, args, "trials", 1, UINT64_MAX, err))
        return ERR_USAGE;
    view->compare.seeds = (unsigned)seeds;
    view->compare.cores = (unsigned)cores;
    environment->jobs = (unsigned)jobs;
    environment->device = "recorded"; /* no GPU is used */
    return 0;
}

static void chart_path(char *out, size_t size, const struct cli_args *args, bool by_time)
{
    snprintf(out, size, "%s-%s.svg", cli_text(args, "chart"), by_time ? "time" : "trials");
}

/* Better to hear now than after minutes of searching that the results cannot be written. */
static int check_outputs(const struct cli_args *args, struct err *err)
{
    char path[4096];
    int by_time, rc = 0;

    for (by_time = 0; by_time < 2 && !rc && cli_given(args, "chart"); by_time++) {
        chart_path(path, sizeof path, args, by_time);
        rc = file_check_writable(path, err);
        if (rc)
            err_prefix(err, "--chart");
    }
    return rc ? rc : cli_check_output(args, "output", NULL, err);
}

static int open_recording(struct view *view, struct err *err)
{
    int rc = spec_read(&view->spec, view->args->words[0], SPEC_WHOLE, view->args->sets, view->args->set_count,
                       err);

    if (!rc && view->spec.objective.kind != OBJECTIVE_TIME)
        rc = err_set(err, ERR_USAGE, "%s: objective: compare compares times: take the objective out",
                     view->spec.path);
    if (!rc)
        rc = choose_output(cli_text(view->args, "output"), "output", &view->spec, err);
    if (!rc)
        rc = space_open(&view->space, &view->spec, 0, err);
    if (!rc)
        rc = space_default(&view->compare.first, view->space, err);
    if (!rc)
        rc = recording_open(&view->journal, cli_text(view->args, "recorded"), &view->spec, 0,
                            cli_text(view->args, "device"), err);
    if (rc)
        return rc;
    if (!cli_given(view->args, "quiet"))
        remarks_print(view->cli, view->journal);
    metadata_read(&view->metadata, view->journal);
    return replay_open(&view->replay, &view->spec, view->space, view->journal, err);
}

/* The profile of the recording's GPU; without one the model's way is left out, unless it was asked for. */
static int open_profile(struct view *view, struct err *err)
{
    const char *asked = cli_text(view->args, "profile");
    char name[128];
    struct err why = {0};

    environment_slug(name, sizeof name, view->metadata.device_name);
    if (!view->environment.compiler)
        err_set(&why, ERR_MISSING, "%s", view->environment.compiler_err.text);
    else if (!choose_device(&view->profile, asked ? asked : name, &why))
        machine_init(&view->machine, &view->profile, &why);
    view->has_machine = !why.code;
    if (!why.code)
        return 0;
    if (asked || cli_given(view->args, "pareto"))
        return err_set(err, (enum err_code)why.code, "%s", why.text);
    if (!cli_given(view->args, "quiet"))
        fprintf(view->cli->err, "%s: the way model is left out: %s\n", view->cli->program, why.text);
    return 0;
}

static int prediction(struct search_prediction *out, double *seconds, void *context, uint64_t index,
                      struct err *err)
{
    const struct variant_prediction *found;
    int rc = predictor_ask(&found, ((struct view *)context)->predictor, index, err);

    if (rc)
        return rc;
    *out = found->told;
    *seconds = found->predict_s;
    return 0;
}

/* Predicts all that ran. */
static int predict_all(struct view *view, struct err *err)
{
    const struct variant_prediction *found;
    int rc = 0;

    view->pareto = calloc(view->replay.count + 1, sizeof *view->pareto);
    if (!view->pareto)
        return err_memory(err);
    for (uint64_t i = 0; i < view->replay.count && !rc; i++)
        if (view->replay.entries[i].timed)
            rc = predictor_announce(view->predictor, i, view->replay.entries[i].build, err);
    for (uint64_t i = 0; i < view->replay.count && !rc; i++) {
        view->pareto[i] = (struct pareto_metrics){NAN, NAN};
        if (!view->replay.entries[i].timed)
            continue;
        rc = predictor_ask(&found, view->predictor, i, err);
        if (!rc)
            view->pareto[i] = found->pareto;
    }
    view->compare.pareto = view->pareto;
    return rc;
}

static int open_model(struct view *view, struct err *err)
{
    const struct predictor_options how = {.spec = &view->spec,
                                          .space = view->space,
                                          .machine = &view->machine,
                                          .compiler = view->environment.compiler,
                                          .jobs = view->environment.jobs};
    int rc = open_profile(view, err);

    if (rc || !view->has_machine)
        return rc;
    rc = predictor_open(&view->predictor, &how, err);
    view->predictions = (struct compare_predictions){prediction, view};
    view->compare.predictions = &view->predictions;
    return !rc && cli_given(view->args, "pareto") ? predict_all(view, err) : rc;
}

/* What came of it ---------------------------------------------------------- */

static void put_number(FILE *out, double value, int width, const char *format)
{
    if (isfinite(value))
        fprintf(out, format, width, value);
    else
        fprintf(out, "%*s", width, "-");
}

static void put_way(FILE *out, enum compare_way way, const struct compared_way *found)
{
    fprintf(out, "%-11s", compare_way_text(way));
    if (!found->compared) {
        fprintf(out, "  left out: %s\n", found->why_not);
        return;
    }
    fprintf(out, "%7.0f %8.0f %8.2f  %6.2f %6.2f  %6.2f %6.2f  %6.2f %6.2f  ", found->timed.median,
            found->compiled.median, found->seconds.median, 100 * found->quality.median,
            100 * found->quality.low, 100 * found->after[0].median, 100 * found->after[0].low,
            100 * found->after[1].median, 100 * found->after[1].low);
    put_number(out, found->trials_to_99.median, 6, "%*.0f");
    put_number(out, found->seconds_to_99.median, 9, "%*.2f");
    put_number(out, found->seconds_to_99.high, 9, "%*.2f");
    fprintf(out, "\n");
}

static void put_table(const struct view *view)
{
    const struct compared *c = &view->compared;
    FILE *out = view->cli->out;
    char sizes[256], best[32];

    spec_problem_text(sizes, sizeof sizes, &view->spec, 0);
    progress_time_text(best, c->best_s);
    fprintf(
        out,
        "%s%s%s, recorded on %s%s%s: %" PRIu64 " of %" PRIu64
        " configurations ran, the fastest in %s\n%u runs each; a machine of %u cores and one GPU, simulated; "
        "per cent of the fastest: median and 10 %% quantile\n\n",
        view->spec.kernel.name, *sizes ? " " : "", sizes, view->metadata.device_name,
        *view->metadata.date ? ", " : "", view->metadata.date, c->ran, c->valid, best, c->seeds, c->cores);
    fprintf(out, "%-11s%7s %8s %8s  %13s  %13s  %13s  %24s\n", "", "timed", "compiled", "seconds",
            "at the end", "10 trials", "30 trials", "to 99 %: trials, s, p90");
    for (int w = 0; w < COMPARE_WAYS; w++)
        put_way(out, (enum compare_way)w, &c->ways[w]);
    if (c->ways[COMPARE_MODEL].compared)
        fprintf(out,
                "\nof %u runs of the model's way %u lost the best by rule bound, %u by rule estimate; the "
                "audit's statement was true in %u of %u\n",
                c->seeds, c->rules.lost_by_bound, c->rules.lost_by_estimate, c->rules.audits_held,
                c->rules.audits);
}

static int write_chart(const struct view *view, bool by_time, struct err *err)
{
    char path[4096], title[512], *svg;
    int rc;

    snprintf(title, sizeof title, "%s on %s", view->spec.kernel.name, view->metadata.device_name);
    chart_path(path, sizeof path, view->args, by_time);
    rc = compared_chart(&svg, &view->compared, by_time, title, err);
    if (rc)
        return rc;
    rc = file_write(path, svg, strlen(svg), err);
    free(svg);
    return rc;
}

static int write_results(struct view *view, struct err *err)
{
    struct json *json;
    int rc = compared_json(&json, &view->compared, err);

    if (!rc && (js_set_string(json, "kernel", view->spec.kernel.name) |
                js_set_string(json, "device", view->metadata.device_name) |
                js_set_string(json, "recorded", view->metadata.date) |
                js_set(json, "problem", metadata_problem(&view->spec, 0))))
        rc = err_memory(err);
    if (!rc && cli_given(view->args, "output"))
        rc = js_write_file(json, cli_text(view->args, "output"), err);
    if (!rc && cli_given(view->args, "chart"))
        rc = write_chart(view, false, err);
    if (!rc && cli_given(view->args, "chart"))
        rc = write_chart(view, true, err);
    if (!rc && cli_given(view->args, "json"))
        return cli_print_json(view->cli, json, err);
    js_free(json);
    if (!rc)
        put_table(view);
    return rc;
}

static void close_view(struct view *view)
{
    compared_release(&view->compared);
    predictor_close(view->predictor);
    free(view->pareto);
    if (view->has_machine)
        machine_release(&view->machine);
    device_release(&view->profile);
    replay_release(&view->replay);
    journal_free(view->journal);
    space_close(view->space);
    environment_close(&view->environment);
    spec_release(&view->spec);
}

static int run_compare(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct view view = {.cli = cli, .args = args};
    char cache[4096];
    struct environment_options environment = {.cache = cli_cache(cli, cache, sizeof cache)};
    int rc = read_options(&view, &environment, err);

    device_init(&view.profile);
    if (!rc)
        rc = check_outputs(args, err);
    if (!rc)
        rc = open_recording(&view, err);
    if (!rc)
        rc = environment_open(&view.environment, &environment, err);
    if (!rc)
        rc = open_model(&view, err);
    view.compare.spec = &view.spec;
    view.compare.space = view.space;
    view.compare.replay = &view.replay;
    view.compare.jobs = view.environment.jobs;
    if (!rc)
        rc = compare(&view.compared, &view.compare, err);
    if (!rc)
        rc = write_results(&view, err);
    close_view(&view);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_compare = {
    "compare", "SPEC", "compares ways of searching on a recording", options, 1, 1, run_compare};

#include "tuner/cli/cli.h"

#include "space/configuration.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/progress.h"
#include "tuner/decision/decision.h"
#include "tuner/tune/tune.h"

#include <stdlib.h>

static const struct cli_option options[] = {
    {"config", 'c', "K=V,...", "the configuration; what is not named keeps its default"},
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"device", 0, "N|NAME", "GPU number, or the name of the GPU whose recording is used"},
    {"recorded", 0, "FILE", "take the time from this journal or Kernel Tuner cache"},
    {"clocks", 0, "SM[,MEM]", "lock the GPU's clocks at so many MHz while it runs (takes root)"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

static void put_text(FILE *out, const struct spec *spec, const struct tuned *tuned)
{
    const struct record *record = &tuned->initial.record;
    char *text = configuration_text(spec, tuned->initial.choices), time[32], sizes[256];
    double value;

    spec_problem_text(sizes, sizeof sizes, spec, tuned->problem);
    fprintf(out, "%s%s%s, %s: %s on %s%s%s\n", spec->kernel.name, *sizes ? " " : "", sizes,
            text ? text : record->key, tuned->evaluator->name, tuned->device.name,
            *tuned->recorded_date ? ", " : "", tuned->recorded_date);
    free(text);
    progress_time_text(time, record->time_s);
    fprintf(out, "  time        %s, median of %zu samples", time, record->sample_count);
    for (size_t m = 0; m < spec->metric_count; m++)
        if (!spec_metric(&value, spec, m, tuned->problem, tuned->initial.choices, record_measured(record),
                         NULL))
            fprintf(out, ", %.5g %s", value, spec->metrics[m].name);
    fprintf(out, "\n");
    energy_print(out, record);
    recorded_print(out, record);
    if (record->error_max == record->error_max)
        fprintf(out, "  verified    largest error %.3g of the tolerance\n", record->error_max);
}

static int show(struct cli *cli, const struct cli_args *args, const struct spec *spec,
                const struct tuned *tuned, struct err *err)
{
    const struct record *record = &tuned->initial.record;
    struct json *decision;
    struct js_at root, problems, problem, initial;
    int rc;

    if (record->outcome != OUTCOME_OK)
        return err_set(err, record->outcome == OUTCOME_SKIPPED ? ERR_MISSING : ERR_GPU, "%s: %s",
                       outcome_text(record->outcome),
                       record->message ? record->message : "no reason is known");
    if (!cli_given(args, "json")) {
        put_text(cli->out, spec, tuned);
        return 0;
    }
    rc = decision_new(&decision, spec, tuned, 1, err);
    if (rc)
        return rc;
    root = js_root(decision, "decision");
    if (!js_find(&problems, &root, "problems"))
        return err_memory(err);
    problem = js_element(&problems, 0);
    rc = js_find(&initial, &problem, "initial") ? cli_print_json(cli, js_copy(initial.value), err)
                                                : err_memory(err);
    js_free(decision);
    return rc;
}

static int time_one(struct cli *cli, const struct cli_args *args, const struct spec *spec,
                    struct environment *environment, const unsigned *choices, struct err *err)
{
    struct progress progress = {.cli = cli, .quiet = true};
    const char *device = cli_text(args, "device");
    const struct tune_options tune_options = {.only = choices,
                                              .recorded = cli_text(args, "recorded"),
                                              .device =
                                                  device && !environment_is_number(device) ? device : NULL,
                                              .stop = cli->stop,
                                              .message = progress_message,
                                              .context = &progress};
    struct tuned tuned;
    int rc = tune(&tuned, spec, 0, environment, &tune_options, err);

    if (rc)
        return rc;
    rc = show(cli, args, spec, &tuned, err);
    tuned_release(&tuned);
    return rc;
}

static int run_time(struct cli *cli, const struct cli_args *args, struct err *err)
{
    char cache[4096];
    struct environment_options environment_options = {.device = cli_text(args, "device"),
                                                      .cache = cli_cache(cli, cache, sizeof cache)};
    unsigned *choices = NULL;
    struct spec spec;
    struct environment environment;
    int rc = choose_clocks(&environment_options.clocks, args, err);

    if (rc)
        return CLI_WRONG_USE;
    if (cli_given(args, "clocks") && cli_given(args, "recorded")) {
        err_set(err, ERR_USAGE, "--clocks: those of a recording cannot be set: leave one of the two out");
        return CLI_WRONG_USE;
    }
    rc = spec_read(&spec, args->words[0], SPEC_WHOLE, args->sets, args->set_count, err);
    cli->catch_stop();
    if (rc)
        return CLI_WRONG_USE;
    choices = calloc(spec.parameter_count, sizeof *choices);
    rc = choices ? choose_configuration(choices, &spec, args, err) : err_memory(err);
    if (!rc)
        rc = choose_remark_metrics(cli, &spec, err);
    if (!rc)
        choose_remark_first(cli, &spec);
    if (!rc)
        rc = environment_open(&environment, &environment_options, err);
    if (!rc) {
        rc = time_one(cli, args, &spec, &environment, choices, err);
        environment_close(&environment);
    }
    free(choices);
    spec_release(&spec);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_time = {"time", "SPEC",  "verifies and times one configuration", options, 1,
                                         1,      run_time};

#include "tuner/cli/cli.h"

#include "base/file.h"
#include "tuner/cli/choose.h"
#include "tuner/journal/metadata.h"
#include "tuner/report/report.h"
#include "tuner/evaluate/environment.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"output", 'o', "FILE", "where the page goes (default report.html)"},
    {"spec", 0, "SPEC",
     "the journal's spec: names configurations, and predicts them where there is a profile"},
    {"set", 0, "NAME=VALUE", "override a problem size of the spec; may be repeated"},
    {"profile", 0, "PROFILE", "calibrated device profile, a name or a file (default: the GPU's own)"},
    {"predictions", 0, "N", "predict this many variants (default 200)"},
    {"jobs", 'j', "N", "threads that compile and predict (default: one per core)"},
    {0},
};

struct view {
    struct cli *cli;
    const struct cli_args *args;
    struct journal *journal;
    struct spec spec;
    struct space *space;
    struct environment environment;
    struct device profile;
    struct machine machine;
    bool has_machine;
    struct predictor *predictor;
    struct report_options report;
};

static const char *page_path(const struct cli_args *args)
{
    return cli_given(args, "output") ? cli_text(args, "output") : "report.html";
}

/* Finds the problem of the spec that the journal is of. */
static int open_spec(struct view *view, size_t *problem, struct err *err)
{
    struct err misfit = {0};
    int code = spec_read(&view->spec, cli_text(view->args, "spec"), SPEC_WHOLE, view->args->sets,
                         view->args->set_count, err);

    if (!code)
        code = choose_output(page_path(view->args), "output", &view->spec, err);
    if (code)
        return code;
    for (*problem = 0; *problem < view->spec.problem_count; (*problem)++) {
        misfit = (struct err){0};
        if (!metadata_check(view->journal, &view->spec, *problem, &misfit))
            break;
    }
    if (*problem == view->spec.problem_count)
        return err_set(err, ERR_USAGE, "%s", misfit.text);
    view->report.spec = &view->spec;
    code = space_open(&view->space, &view->spec, *problem, err);
    view->report.space = view->space;
    return code;
}

/* Predictions need a compiler and a profile; a page without them is a page too. */
static int open_model(struct view *view, size_t problem, struct err *err)
{
    const char *asked = cli_text(view->args, "profile");
    const struct predictor_options how = {.spec = &view->spec,
                                          .problem = problem,
                                          .space = view->space,
                                          .machine = &view->machine,
                                          .compiler = view->environment.compiler,
                                          .jobs = view->environment.jobs};
    struct metadata metadata;
    struct err why = {0};
    char name[128];

    metadata_read(&metadata, view->journal);
    environment_slug(name, sizeof name, metadata.device_name);
    if (!view->environment.compiler)
        err_set(&why, ERR_MISSING, "%s", view->environment.compiler_err.text);
    else if (!choose_device(&view->profile, asked ? asked : name, &why))
        machine_init(&view->machine, &view->profile, &why);
    view->has_machine = !why.code;
    if (why.code && asked)
        return err_set(err, (enum err_code)why.code, "%s", why.text);
    if (why.code) {
        fprintf(view->cli->err, "%s: nothing is predicted: %s\n", view->cli->program, why.text);
        return 0;
    }
    view->report.profile = &view->profile;
    if (predictor_open(&view->predictor, &how, err))
        return err->code;
    view->report.predictor = view->predictor;
    return 0;
}

static int write_page(const struct view *view, struct err *err)
{
    char *page;
    int code = report_page(&page, &view->report, err);

    if (code)
        return code;
    code = file_write(page_path(view->args), page, strlen(page), err);
    free(page);
    return code;
}

static int check_options(const struct cli_args *args, struct err *err)
{
    static const char *const of_spec[] = {"set", "profile", "predictions", "jobs"};
    size_t i;

    for (i = 0; i < sizeof of_spec / sizeof *of_spec; i++)
        if (cli_given(args, of_spec[i]) && !cli_given(args, "spec"))
            return err_set(err, ERR_USAGE, "--%s: needs the journal's spec: name it with --spec", of_spec[i]);
    return cli_check_output(args, "output", page_path(args), err);
}

static int run_report(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct view view = {.cli = cli, .args = args, .report.predictions = 200};
    char cache[4096];
    struct environment_options environment = {.device = "recorded",
                                              .cache = cli_cache(cli, cache, sizeof cache)};
    uint64_t predictions = 200, jobs = 0;
    size_t problem;
    int code = check_options(args, err);

    if (!code)
        code = cli_count(&predictions, args, "predictions", 0, 1000000, err);
    if (!code)
        code = cli_count(&jobs, args, "jobs", 1, 1024, err);
    device_init(&view.profile);
    environment.jobs = (unsigned)jobs;
    view.report.predictions = predictions;
    if (!code)
        code = journal_read(&view.journal, args->words[0], err);
    if (!code)
        remarks_print(cli, view.journal);
    view.report.journal = view.journal;
    if (!code && cli_given(args, "spec")) {
        code = open_spec(&view, &problem, err);
        if (!code)
            code = environment_open(&view.environment, &environment, err);
        if (!code)
            code = open_model(&view, problem, err);
    }
    if (!code)
        code = write_page(&view, err);
    predictor_close(view.predictor);
    if (view.has_machine)
        machine_release(&view.machine);
    device_release(&view.profile);
    environment_close(&view.environment);
    space_close(view.space);
    spec_release(&view.spec);
    journal_free(view.journal);
    return code ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_report = {"report", "JOURNAL", "makes a page of a journal", options, 1,
                                           1,        run_report};

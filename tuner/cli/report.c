#include "tuner/cli/cli.h"

#include "base/file.h"
#include "tuner/cli/choose.h"
#include "tuner/cli/page.h"
#include "tuner/cli/sources.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"output", 'o', "FILE", "where the page goes (default report.html)"},
    {"profile", 0, "PROFILE", "calibrated device profile, a name or a file (default: the GPU's own)"},
    {0},
};

static const char *page_path(const struct cli_args *args)
{
    return cli_given(args, "output") ? cli_text(args, "output") : "report.html";
}

static int write_page(struct cli *cli, const struct cli_args *args, const struct sources *sources,
                      struct err *err)
{
    struct page_source source = {.level = sources->level,
                                 .signature = sources->signature,
                                 .problems = sources->problems,
                                 .problem_count = sources->count,
                                 .profile = cli_text(args, "profile")};
    char *page;
    int code = page_make(&page, &source, err);

    if (code)
        return code;
    code = cli_write(cli, page_path(args), page, strlen(page), err);
    free(page);
    return code;
}

static int run_report(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct sources sources = {0};
    char found[PATH_MAX];
    const char *path = args->word_count ? args->words[0] : found;
    int code = cli_check_output(args, "output", page_path(args), err);

    if (!code && !args->word_count)
        code = sources_latest(found, err);
    if (!code)
        code = sources_open(&sources, cli, path, err);
    if (!code)
        code = write_page(cli, args, &sources, err);
    if (!code && !args->word_count)
        fprintf(cli->err, "%s: %s is of %s\n", cli->program, page_path(args), path);
    sources_close(&sources);
    return code ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_report = {
    "report",
    "[DECISION|JOURNAL]",
    "makes a page of a run; without a name, of the last one in this folder",
    options,
    0,
    1,
    run_report};

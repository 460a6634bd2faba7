#include "tuner/cli/cli.h"

#include "tuner/cli/output.h"
#include "tuner/cli/sources.h"

#include <string.h>

static const struct cli_option options[] = {
    {"format", 0, "NAME", "{formats}"},
    {"output", 'o', "FILE", "where it goes (default: report.html for a page, standard output otherwise)"},
    {"profile", 0, "PROFILE", "calibrated device profile, a name or a file (default: the GPU's own)"},
    {0},
};

static int run_report(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct sources sources = {0};
    struct report_options shown;
    const struct format *format;
    char found[PATH_MAX];
    const char *path = args->word_count ? args->words[0] : found, *output;
    int rc = format_find(&format, cli_text(args, "format"), err);

    if (rc)
        return CLI_FAILED;
    output = cli_given(args, "output") ? cli_text(args, "output") : format->file;
    rc = cli_check_output(args, "output", output, err);
    if (!rc && !args->word_count)
        rc = sources_latest(found, err);
    if (!rc)
        rc = sources_open(&sources, cli, path, format->reads_runs, err);
    if (!rc)
        rc = sources_check_output(&sources, path, output, err);
    if (!rc) {
        shown = sources_shown(&sources);
        rc = output_runs(cli, output, format, sources.has_decision ? &sources.decision : NULL, &shown,
                         cli_text(args, "profile"), err);
    }
    if (!rc && !args->word_count)
        fprintf(cli->err, "%s: %s is of %s\n", cli->program, strcmp(output, "-") ? output : "the output",
                path);
    sources_close(&sources);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_report = {
    "report",
    "[DECISION|JOURNAL]",
    "writes a run as a page or in another format; without a name, the last run in this folder",
    options,
    0,
    1,
    run_report};

#include "tuner/cli/cli.h"

#include "tuner/cli/output.h"

#include <limits.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {"output", 'o', "FILE", "where the header goes (default: standard output)"},
    {"row", 0, "N", "which row becomes macros, counted from 1 over all decisions (default 1)"},
    {"json", 0, NULL, "print the rows as JSON instead"},
    {0},
};

static int write_decisions(struct cli *cli, const struct cli_args *args, const struct decision *decisions,
                           size_t count, struct err *err)
{
    const struct format *format = cli_given(args, "json") ? &format_rows : &format_header;
    const char *output = cli_text(args, "output");
    uint64_t row = 1;

    if (cli_count(&row, args, "row", 1, INT_MAX, err))
        return err->code;
    return output_write(
        cli, output ? output : format->file, format,
        &(struct format_input){.decisions = decisions, .decision_count = count, .row = (size_t)row - 1}, err);
}

static int run_header(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct decision *decisions = calloc(args->word_count, sizeof *decisions);
    size_t i, count = 0;
    int rc = decisions ? 0 : err_memory(err);

    if (cli_given(args, "json") && (cli_given(args, "output") || cli_given(args, "row")))
        rc = err_set(err, ERR_USAGE, "--json prints all rows: leave --%s out",
                     cli_given(args, "row") ? "row" : "output");
    if (!rc)
        rc = cli_check_output(args, "output", NULL, err);
    for (i = 0; i < args->word_count && !rc; i++) {
        rc = decision_read(&decisions[i], args->words[i], err);
        count += !rc;
    }
    if (!rc)
        rc = write_decisions(cli, args, decisions, count, err);
    for (i = 0; i < count; i++)
        decision_release(&decisions[i]);
    free(decisions);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_header = {
    "header", "DECISION...", "writes a C header of the best configurations", options, 1, INT_MAX, run_header};

#include "tuner/cli/cli.h"

#include "base/file.h"
#include "tuner/decision/decision.h"
#include "tuner/decision/header.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"output", 'o', "FILE", "where the header goes (default: standard output)"},
    {"row", 0, "N", "which row becomes macros, counted from 1 over all decisions (default 1)"},
    {"json", 0, NULL, "print the rows as JSON instead"},
    {0},
};

static int write_header(struct cli *cli, const struct cli_args *args, const struct decision *decisions,
                        size_t count, struct err *err)
{
    uint64_t row = 1;
    char *text = NULL;
    size_t size;
    FILE *memory;
    int code = cli_count(&row, args, "row", 1, INT_MAX, err);

    if (code)
        return code;
    memory = open_memstream(&text, &size);
    if (!memory)
        return err_memory(err);
    code = header_write(memory, decisions, count, (size_t)row - 1, err);
    if (file_close_memory(memory, &text, err) && !code)
        code = ERR_MEMORY;
    if (!code && cli_given(args, "output"))
        code = cli_write(cli, cli_text(args, "output"), text, strlen(text), err);
    else if (!code)
        fputs(text, cli->out);
    free(text);
    return code;
}

static struct json *row_json(const struct decision *decision, const struct js_at *problem)
{
    struct json *object = js_new_object();
    struct js_at best, sizes;

    if (object && js_find(&best, problem, "best") && js_find(&sizes, problem, "problem") &&
        !(js_set_string(object, "device", decision->device) |
          js_set(object, "problem", js_copy(sizes.value)) | js_set(object, "best", js_copy(best.value))))
        return object;
    js_free(object);
    return NULL;
}

static int print_rows(struct cli *cli, const struct decision *decisions, size_t count, struct err *err)
{
    struct json *list = js_new_array();
    size_t d, p;
    int failed = !list;

    for (d = 0; d < count && !failed; d++)
        for (p = 0; p < js_count(&decisions[d].problems) && !failed; p++)
            failed = js_append(list, row_json(&decisions[d], &decisions[d].problem_at[p]));
    if (!failed)
        return cli_print_json(cli, list, err);
    js_free(list);
    return err_memory(err);
}

static int run_header(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct decision *decisions = calloc(args->word_count, sizeof *decisions);
    size_t i, count = 0;
    int code = decisions ? 0 : err_memory(err);

    if (cli_given(args, "json") && (cli_given(args, "output") || cli_given(args, "row")))
        code = err_set(err, ERR_USAGE, "--json prints all rows: leave --%s out",
                       cli_given(args, "row") ? "row" : "output");
    if (!code)
        code = cli_check_output(args, "output", NULL, err);
    for (i = 0; i < args->word_count && !code; i++) {
        code = decision_read(&decisions[i], args->words[i], err);
        count += !code;
    }
    if (!code)
        code = cli_given(args, "json") ? print_rows(cli, decisions, count, err)
                                       : write_header(cli, args, decisions, count, err);
    for (i = 0; i < count; i++)
        decision_release(&decisions[i]);
    free(decisions);
    return code ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_header = {
    "header", "DECISION...", "writes a C header of the best configurations", options, 1, INT_MAX, run_header};

#include "tuner/cli/cli.h"

#include "tuner/import/nvcc.h"

#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"commands", 0, "FILE", "take the command from this compile_commands.json"},
    {"file", 0, "SOURCE", "with --commands: of this source, by its path or the end of it"},
    {"json", 0, NULL, "print what is left out as JSON too, not as messages"},
    {0},
};

static struct json *left_json(const struct nvcc_flags *flags)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t i = 0; i < flags->left_count && !failed; i++) {
        struct json *object = js_new_object();

        failed = !object || js_set_string(object, "option", flags->left[i].option) ||
                 js_set_string(object, "why", flags->left[i].why);
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

/* The part of a spec that the command says. */
static struct json *fragment(const struct nvcc_flags *flags, bool left)
{
    struct json *object = js_new_object(), *kernel = js_new_object();
    int failed = !object || !kernel;

    if (!failed)
        failed = (flags->file ? js_set_string(kernel, "file", flags->file) : 0) ||
                 js_set(kernel, "options",
                        js_new_strings((const char *const *)flags->options, flags->option_count)) ||
                 (left && js_set(object, "left_out", left_json(flags)));
    return js_unless(failed | js_set(object, "kernel", kernel), object);
}

/* Relative folders start here; the spec may stand elsewhere. */
static int read_command(struct nvcc_flags *out, const struct cli_args *args, struct err *err)
{
    char **words = NULL, here[4096];
    size_t count = 0;
    int rc;

    if (!getcwd(here, sizeof here))
        return err_set(err, ERR_SYSTEM, "this folder has no name");
    if (args->word_count > 2)
        return nvcc_read(out, args->words + 1, args->word_count - 1, here, err);
    rc = command_words(&words, &count, args->words[1], err);
    if (!rc)
        rc = nvcc_read(out, (const char *const *)words, count, here, err);
    command_words_free(words, count);
    return rc;
}

static int check_use(const struct cli_args *args, struct err *err)
{
    if (strcmp(args->words[0], "nvcc"))
        return err_set(err, ERR_USAGE, "import: %s is none of nvcc", args->words[0]);
    if (cli_given(args, "file") && !cli_given(args, "commands"))
        return err_set(err, ERR_USAGE, "--file: goes with --commands");
    if ((args->word_count > 1) == cli_given(args, "commands"))
        return err_set(
            err, ERR_USAGE,
            "import nvcc needs a command, as one word or behind --, or --commands FILE, and not both");
    return 0;
}

static int run_import(struct cli *cli, const struct cli_args *args, struct err *err)
{
    const bool json = cli_given(args, "json");
    struct nvcc_flags flags = {0};
    int rc = check_use(args, err);

    if (!rc)
        rc = cli_given(args, "commands")
                 ? nvcc_read_database(&flags, cli_text(args, "commands"), cli_text(args, "file"), err)
                 : read_command(&flags, args, err);
    if (!rc)
        rc = cli_print_json(cli, fragment(&flags, json), err);
    for (size_t i = 0; i < flags.left_count && !rc && !json; i++)
        fprintf(cli->err, "%s: left out: %s: %s\n", cli->program, flags.left[i].option, flags.left[i].why);
    nvcc_flags_release(&flags);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_import = {
    "import", "nvcc [-- COMMAND]", "writes the flags of a compile command as options of a spec", options, 1,
    100000,   run_import};

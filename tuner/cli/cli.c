#include "tuner/cli/cli.h"

#include "base/file.h"
#include "base/nearest.h"
#include "base/place.h"
#include "gpu/compile.h"
#include "tuner/evaluate/environment.h"
#include "tuner/format/format.h"
#include "tuner/strategy/strategy.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef OCCUTUNE_VERSION
#error "OCCUTUNE_VERSION is set by the build"
#endif

static const struct cli_command *const commands[] = {
    &command_tune,    &command_space,   &command_time,    &command_compile,   &command_predict,
    &command_compare, &command_explain, &command_inspect, &command_occupancy, &command_calibrate,
    &command_devices, &command_kernels, &command_header,  &command_import,    &command_report,
    &command_ask,     &command_worker,  &command_workers, &command_session,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* Help --------------------------------------------------------------------- */

static void put_overview(FILE *out, const char *program)
{
    fprintf(out,
            "Usage: %s COMMAND [OPTION]... [ARGUMENT]...\n"
            "Tunes CUDA kernels: compiles the variants of a kernel, times them on a GPU or replays a "
            "recording, and says\n"
            "which is best.\n\nCommands:\n",
            program);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out,
            "\n`%s help COMMAND` says more; `%s --version` the version.\n"
            "Exit status: 0 done, 1 failed, 2 wrong use.\n",
            program, program);
}

/* Help that lists the names of a table. */
static const struct {
    const char *mark;
    void (*list)(char *out, size_t size);
} lists[] = {{"{strategies}", strategy_choices}, {"{formats}", format_choices}};

static void put_option(FILE *out, const struct cli_option *option)
{
    const char *help = option->help;
    char text[64], names[FORMAT_NAMES_MAX];

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!strcmp(option->help, lists[i].mark)) {
            lists[i].list(names, sizeof names);
            help = names;
        }
    snprintf(text, sizeof text, "%c%c%s--%s%s%s", option->letter ? '-' : ' ',
             option->letter ? option->letter : ' ', option->letter ? ", " : "  ", option->name,
             option->argument ? "=" : "", option->argument ? option->argument : "");
    fprintf(out, "  %-26s %s\n", text, help);
}

static void put_help(FILE *out, const char *program, const struct cli_command *command)
{
    const struct cli_option *option;

    fprintf(out, "Usage: %s %s [OPTION]...%s%s\n%s.\n\nOptions:\n", program, command->name,
            *command->words ? " " : "", command->words, command->summary);
    for (option = command->options; option->name; option++)
        put_option(out, option);
    put_option(out, &(struct cli_option){"help", 'h', NULL, "say this"});
}

const char *cli_cache(const struct cli *cli, char *out, size_t size)
{
    const char *directory = environment_cache_directory(out, size);

    if (!directory)
        return NULL;
    if (!compiler_cache_is_foreign(directory)) {
        if (!compiler_cache_is_writable(directory))
            fprintf(cli->err,
                    "%s: %s: cannot be written: what is compiled is not kept; OCCUTUNE_CACHE names another "
                    "folder\n",
                    cli->program, directory);
        return directory;
    }
    fprintf(cli->err,
            "%s: %s: belongs to another user: what is compiled is not kept there, nor taken from it\n",
            cli->program, directory);
    return NULL;
}

/* Running ------------------------------------------------------------------ */

static int exit_status(const struct err *err)
{
    return err->code == ERR_USAGE || err->code == ERR_FORMAT ? CLI_WRONG_USE : CLI_FAILED;
}

static int fail(struct cli *cli, const struct err *err)
{
    fprintf(cli->err, "%s: %s\n", cli->program, err->text);
    return exit_status(err);
}

static bool asks_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

/* Kernels of the library go by their names: "matmul" is its spec, unless a file is called so. */
static int find_in_library(struct cli_args *args, const struct cli_command *command, char *path, size_t size,
                           struct err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const char *word = args->words[0];
    char name[256], near[256];

    if (strcmp(command->words, "SPEC") || strspn(word, letters) != strlen(word) || !access(word, F_OK) ||
        snprintf(name, sizeof name, "kernels/%s/spec.json", word) >= (int)sizeof name)
        return 0;
    if (place_share(path, size, name) && !access(path, R_OK)) {
        args->words[0] = path;
        return 0;
    }
    if (place_share(path, size, "kernels"))
        return nearest_file(near, sizeof near, word, path, "")
                   ? err_set(
                         err, ERR_USAGE,
                         "%s: there is no such file, and no such kernel in the library %s; did you mean %s?",
                         word, path, near)
                   : err_set(err, ERR_USAGE,
                             "%s: there is no such file, and no such kernel in the library %s", word, path);
    return err_set(
        err, ERR_USAGE,
        "%s: there is no such file, and no kernel library, share/occutune/kernels, beside or above "
        "the program: name a spec, or the folder share/occutune in OCCUTUNE_SHARE",
        word);
}

/* A write that failed earlier has left no reason: does one more fail? What a command writes to has no descriptor of its own
 * (plain.h, session.c) and ends in standard output. */
static bool pipe_is_closed(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};

    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

/* The status of a run that failed with `err` or ended with `status`. */
static int finish(struct cli *cli, int status, struct err *err)
{
    bool failed;
    int reason;

    errno = 0;
    failed = fflush(cli->out) || ferror(cli->out);
    reason = errno; /* before anything else fails */
    if (!err->code && failed && (reason == EPIPE || pipe_is_closed()))
        return CLI_FAILED; /* whoever read it has seen enough */
    if (!err->code && failed)
        err_set(err, ERR_SYSTEM, "the output cannot be written: %s",
                reason ? strerror(reason) : "only a part of it was");
    return err->code ? fail(cli, err) : status;
}

static int run_command(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
    struct cli_args args = {0};
    struct err err = {0};
    char library[4096];
    int status = CLI_OK;

    if (asks_help(argc, argv)) {
        put_help(cli->out, cli->program, command);
        return finish(cli, CLI_OK, &err);
    }
    if (!cli_parse(&args, command, argc, argv, &err) &&
        !find_in_library(&args, command, library, sizeof library, &err))
        status = command->run(cli, &args, &err);
    cli_args_release(&args);
    return finish(cli, status, &err);
}

int cli_run(struct cli *cli, int argc, char **argv)
{
    struct err err = {0};
    const char *names[COMMANDS + 1], *near;

    if (argc < 2) {
        put_overview(cli->err, cli->program);
        return CLI_WRONG_USE;
    }
    if (argc > 2 && !strcmp(argv[1], "help")) { /* as COMMAND --help */
        argv[1] = argv[2];
        argv[2] = (char *)"--help";
        argc = 3;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        put_overview(cli->out, cli->program);
        return finish(cli, CLI_OK, &err);
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        fprintf(cli->out, "occutune %s\n", OCCUTUNE_VERSION);
        return finish(cli, CLI_OK, &err);
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i]->name;
        if (!strcmp(argv[1], names[i]))
            return run_command(cli, commands[i], argc - 2, argv + 2);
    }
    names[COMMANDS] = "help";
    near = nearest_word(argv[1], names, COMMANDS + 1);
    err_set(&err, ERR_USAGE, "there is no command %s%s%s%s %s --help lists them", argv[1],
            near ? "; did you mean " : "", near ? near : "", near ? "?" : ";", cli->program);
    return fail(cli, &err);
}

int cli_write(struct cli *cli, const char *path, const void *bytes, size_t size, struct err *err)
{
    if (strcmp(path, "-"))
        return file_write(path, bytes, size, err);
    fwrite(bytes, 1, size, cli->out); /* whether it was written, the end of the run tells */
    return 0;
}

int cli_print_json(struct cli *cli, struct json *json, struct err *err)
{
    char *text = json ? js_text(json, JS_PRETTY) : NULL;

    js_free(json);
    if (!text)
        return err_memory(err);
    fprintf(cli->out, "%s\n", text);
    free(text);
    return 0;
}

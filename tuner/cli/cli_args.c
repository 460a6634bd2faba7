/* The words of a command line, by the options of its command. */
#include "tuner/cli/cli.h"

#include "base/file.h"
#include "base/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int find_option(const struct cli_option *options, const char *name, size_t length)
{
    for (int o = 0; options[o].name; o++)
        if (strlen(options[o].name) == length && !memcmp(options[o].name, name, length))
            return o;
    return -1;
}

static int unknown_option(const struct cli_command *command, const char *name, struct err *err)
{
    const char *names[CLI_OPTIONS_MAX + 1];
    const char *near;
    size_t count = 0;

    for (; command->options[count].name; count++)
        names[count] = command->options[count].name;
    near = nearest_word(name, names, count);
    return err_set(err, ERR_USAGE, "%s has no option --%s%s%s%s", command->name, name,
                   near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
}

/* `value` is null where there is none. */
static int take(struct cli_args *args, int option, const char *value, struct err *err)
{
    const struct cli_option *taken = &args->options[option];

    if (taken->argument && (!value || !*value))
        return err_set(err, ERR_USAGE, "--%s needs an argument: %s", taken->name, taken->argument);
    args->values[option] = value;
    args->counts[option]++;
    if (!strcmp(taken->name, "set"))
        args->sets[args->set_count++] = value;
    if (!strcmp(taken->name, "config"))
        args->configs[args->config_count++] = value;
    if (!strcmp(taken->name, "worker"))
        args->workers[args->worker_count++] = value;
    return 0;
}

/* --name=value, --name value or --switch at argv[*at]. */
static int parse_long(struct cli_args *args, const struct cli_command *command, char **argv, int argc,
                      int *at, struct err *err)
{
    const char *text = argv[*at] + 2, *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const int option = find_option(command->options, text, length);

    if (option < 0) {
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
        return unknown_option(command, name, err);
    }
    if (!command->options[option].argument)
        return equals ? err_set(err, ERR_USAGE, "--%s takes no argument", command->options[option].name)
                      : take(args, option, NULL, err);
    return take(args, option, equals ? equals + 1 : ++*at < argc ? argv[*at] : NULL, err);
}

/* -n 4, -n4, or switches together, -qv. */
static int parse_short(struct cli_args *args, const struct cli_command *command, char **argv, int argc,
                       int *at, struct err *err)
{
    const char *letter = argv[*at] + 1;
    int o;

    for (; *letter; letter++) {
        for (o = 0; command->options[o].name && command->options[o].letter != *letter; o++)
            ;
        if (!command->options[o].name)
            return err_set(err, ERR_USAGE, "%s has no option -%c", command->name, *letter);
        if (command->options[o].argument)
            return take(args, o, letter[1] ? letter + 1 : ++*at < argc ? argv[*at] : NULL, err);
        take(args, o, NULL, err);
    }
    return 0;
}

int cli_parse(struct cli_args *args, const struct cli_command *command, int argc, char **argv,
              struct err *err)
{
    const size_t most = (size_t)argc + 1;
    bool options_end = false;
    int at, rc = 0;

    *args = (struct cli_args){.options = command->options,
                              .words = calloc(most, sizeof *args->words),
                              .sets = calloc(most, sizeof *args->sets),
                              .configs = calloc(most, sizeof *args->configs),
                              .workers = calloc(most, sizeof *args->workers)};
    if (!args->words || !args->sets || !args->configs || !args->workers)
        return err_memory(err);
    for (at = 0; at < argc && !rc; at++) {
        if (options_end || argv[at][0] != '-' || !argv[at][1])
            args->words[args->word_count++] = argv[at];
        else if (!strcmp(argv[at], "--"))
            options_end = true;
        else if (argv[at][1] == '-')
            rc = parse_long(args, command, argv, argc, &at, err);
        else
            rc = parse_short(args, command, argv, argc, &at, err);
    }
    if (rc)
        return rc;
    if (args->word_count < command->words_min)
        return err_set(err, ERR_USAGE, "%s needs %s", command->name, command->words);
    if (args->word_count > command->words_max)
        return err_set(err, ERR_USAGE, "%s: %s is one argument too many", command->name,
                       args->words[command->words_max]);
    return 0;
}

void cli_args_release(struct cli_args *args)
{
    free(args->words);
    free(args->sets);
    free(args->configs);
    free(args->workers);
}

bool cli_given(const struct cli_args *args, const char *name)
{
    return args->counts[find_option(args->options, name, strlen(name))] > 0;
}

const char *cli_text(const struct cli_args *args, const char *name)
{
    return args->values[find_option(args->options, name, strlen(name))];
}

int cli_count(uint64_t *out, const struct cli_args *args, const char *name, uint64_t min, uint64_t max,
              struct err *err)
{
    const char *text = cli_text(args, name);
    char *end;
    uint64_t value;

    if (!text)
        return 0;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno || !isdigit((unsigned char)*text) || *end || value < min || value > max)
        return err_set(err, ERR_USAGE, "--%s: %s is no whole number from %llu to %llu", name, text,
                       (unsigned long long)min, (unsigned long long)max);
    *out = value;
    return 0;
}

int cli_duration(double *out_s, const struct cli_args *args, const char *name, struct err *err)
{
    const char *text = cli_text(args, name);
    char *end;
    double value, unit;

    if (!text)
        return 0;
    value = strtod(text, &end);
    unit = !*end || !strcmp(end, "s") ? 1 : !strcmp(end, "m") ? 60 : !strcmp(end, "h") ? 3600 : 0;
    if (end == text || !unit || !(value > 0) || !isfinite(value))
        return err_set(err, ERR_USAGE, "--%s: %s is no duration: write 90s, 5m or 1h", name, text);
    *out_s = value * unit;
    return 0;
}

static bool is_file(const char *path)
{
    return path && strcmp(path, "-");
}

static bool is_files(const struct cli_option *option)
{
    return option->argument && (!strcmp(option->argument, "FILE") || !strcmp(option->argument, "PROFILE"));
}

int cli_check_unread(const char *path, const char *name, const char *read, const char *reader,
                     struct err *err)
{
    if (!is_file(path) || !read || !file_same(path, read))
        return 0;
    return err_set(err, ERR_USAGE, "--%s: %s: %s reads this file: write to another", name, path, reader);
}

int cli_check_output(const struct cli_args *args, const char *name, const char *standard, struct err *err)
{
    const int own = find_option(args->options, name, strlen(name));
    const char *path = args->values[own] ? args->values[own] : standard;
    bool twice = false;

    if (!is_file(path))
        return 0;
    if (file_check_writable(path, err)) {
        err_prefix(err, "--%s", name);
        return ERR_USAGE;
    }
    for (size_t i = 0; i < args->word_count; i++)
        twice |= file_same(path, args->words[i]);
    for (int o = 0; args->options[o].name; o++)
        twice |=
            o != own && args->values[o] && is_files(&args->options[o]) && file_same(path, args->values[o]);
    if (!twice)
        return 0;
    return err_set(err, ERR_USAGE, "--%s: %s: the command line names this file twice: write to another", name,
                   path);
}

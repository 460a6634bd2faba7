/* The command line: what every command shares. Commands write results to `out` and messages to `err`, and
 * return an exit status; only main() exits. */
#ifndef TUNER_CLI_CLI_H
#define TUNER_CLI_CLI_H

#include "base/err.h"
#include "base/json.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_WRONG_USE = 2 };
enum { CLI_OPTIONS_MAX = 24 };

struct cli {
    FILE *out, *err; /* see plain.h */
    FILE *screen;    /* what err writes to: for what redraws a line */
    const char *program;
    bool terminal; /* err is one: progress is a bar that is redrawn */
    /* For a command that ends in order, which calls it first: then Ctrl-C sets *stop, once. Any other is
     * killed by it. In a session each such command does. */
    void (*catch_stop)(void);
    const volatile sig_atomic_t *stop;
    struct kept *kept; /* in a session; else null: see kept.h */
};

struct cli_option {
    const char *name;     /* "seed" for --seed; null ends the table */
    char letter;          /* 's' for -s; 0: none */
    const char *argument; /* "N"; null: a switch */
    const char *help;     /* "{strategies}", "{formats}": the names in that table */
};

/* What a command line said: values[o] holds the argument of options[o] (of the last, if repeated), counts[o]
 * how often it was given. */
struct cli_args {
    const struct cli_option *options;
    const char *values[CLI_OPTIONS_MAX];
    unsigned counts[CLI_OPTIONS_MAX];
    const char **words; /* what is no option */
    size_t word_count;
    const char **sets; /* every argument of --set, in order */
    size_t set_count;
    const char **configs; /* of --config */
    size_t config_count;
    const char **workers; /* of --worker */
    size_t worker_count;
};

struct cli_command {
    const char *name, *words, *summary; /* words: "SPEC", "DECISION..." */
    const struct cli_option *options;
    size_t words_min, words_max;
    int (*run)(struct cli *cli, const struct cli_args *args,
               struct err *err); /* returns an exit status, or sets err */
};

extern const struct cli_command command_ask, command_calibrate, command_compare, command_compile,
    command_devices, command_explain, command_header, command_import, command_inspect, command_kernels,
    command_occupancy, command_predict, command_report, command_space, command_time, command_tune,
    command_worker, command_workers, command_session;

/* Runs a whole command line; the exit status. */
int cli_run(struct cli *cli, int argc, char **argv);

/* What the words behind the command's name say; released also after an error. ERR_USAGE, ERR_MEMORY. */
int cli_parse(struct cli_args *args, const struct cli_command *command, int argc, char **argv,
              struct err *err);
void cli_args_release(struct cli_args *args);

/* Whether an option was given, and its argument, which is never empty, as text, a whole number, a duration
 * ("90", "90s", "5m", "1h"). The functions leave *out alone where it was not. */
bool cli_given(const struct cli_args *args, const char *name);
const char *cli_text(const struct cli_args *args, const char *name);
int cli_count(uint64_t *out, const struct cli_args *args, const char *name, uint64_t min, uint64_t max,
              struct err *err);
int cli_duration(double *out_s, const struct cli_args *args, const char *name, struct err *err);

/* Whether the file that the option `name` says, or else `standard` (null: none), can be written when the time
 * comes, and is no other file of the command line: what that holds would be lost. ERR_USAGE. "-" is standard
 * output. */
int cli_check_output(const struct cli_args *args, const char *name, const char *standard, struct err *err);

/* Whether `path`, which the option `name` says, is not the file `read`, which `reader` reads. Null and "-" are
 * no files. ERR_USAGE. */
int cli_check_unread(const char *path, const char *name, const char *read, const char *reader,
                     struct err *err);

/* The folder of compiled code; null, and said, where it is another user's, who could put any code in it. */
const char *cli_cache(const struct cli *cli, char *out, size_t size);

/* Writes a file, or to standard output where it is called "-". */
int cli_write(struct cli *cli, const char *path, const void *bytes, size_t size, struct err *err);

/* Prints JSON as sorted, indented text; frees it. */
int cli_print_json(struct cli *cli, struct json *json, struct err *err);

#endif

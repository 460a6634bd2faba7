/* Workers on other hosts, as the command line names them. */
#ifndef TUNER_CLI_ELSEWHERE_H
#define TUNER_CLI_ELSEWHERE_H

#include "tuner/cli/cli.h"

#define ELSEWHERE_OPTIONS                                                                                    \
    {"worker", 0, "COMMAND",                                                                                 \
     "use the worker that this command leads to (ssh HOST occutune worker); may be "                         \
     "repeated"},                                                                                            \
        {"workers", 0, "FILE", "the same for each line of a file"},                                          \
    {                                                                                                        \
        "slurm", 0, "N", "use N workers that Slurm starts: in this allocation, or in a job that it submits"  \
    }

/* The commands of --worker, those of --workers' file, whose empty lines and those that begin with # are left out, and
 * inside an allocation of Slurm those of --slurm. */
struct elsewhere {
    const char **commands;
    size_t count;
    char *text;      /* of the file */
    char **of_slurm; /* owned */
    uint64_t slurm;  /* tasks asked for; 0: none */
};
int elsewhere_read(struct elsewhere *out, const struct cli_args *args, struct err *err);
void elsewhere_release(struct elsewhere *elsewhere);

#endif

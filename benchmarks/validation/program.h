/* What the programs over recordings have in common: they run in the root of the source tree with a device
 * profile, and put prose into what they write. */
#ifndef VALIDATION_PROGRAM_H
#define VALIDATION_PROGRAM_H

#include "base/err.h"
#include "model/machine/machine.h"

#include <stdbool.h>
#include <stdio.h>

/* An option "--NAME", whose value goes to one of these. */
struct program_option {
    const char *name;
    const char **text;
    unsigned *number; /* at least 1 */
    bool *flag;       /* it takes no value */
};

enum { PROGRAM_OPTIONS_MAX = 8 };

/* Reads the options of a command line, at most PROGRAM_OPTIONS_MAX known ones, the last followed by {0}.
 * Operands are moved behind them: returns the index of the first, or -1 for wrong use, of which a word was
 * printed. */
int program_options(int argc, char **argv, const struct program_option *options);

/* Loads the profile `device`, a name or a file, and calls `work` with it. Prints an error as `program`'s;
 * returns the exit status. */
int program_run(const char *program, const char *device,
                int (*work)(void *context, const struct machine *machine, struct err *err), void *context);

/* Copies a file of prose to `out` after an empty line, if somebody wrote it. ERR_SYSTEM. */
int program_put_notes(FILE *out, const char *path, struct err *err);

#endif

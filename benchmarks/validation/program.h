/* What the programs over recordings have in common: they run in the root of the source tree with a device
 * profile, and put prose into what they write. */
#ifndef VALIDATION_PROGRAM_H
#define VALIDATION_PROGRAM_H

#include "base/err.h"
#include "model/machine.h"

#include <stdio.h>

/* Loads the profile `device`, a name or a file, and calls `work` with it. Prints an error as `program`'s;
 * returns the exit status. */
int program_run(const char *program, const char *device,
                int (*work)(void *context, const struct machine *machine, struct err *err), void *context);

/* Copies a file of prose to `out` after an empty line, if somebody wrote it. ERR_SYSTEM. */
int program_put_notes(FILE *out, const char *path, struct err *err);

#endif

/* Writing a run in a format, from the command line. */
#ifndef TUNER_CLI_OUTPUT_H
#define TUNER_CLI_OUTPUT_H

#include "tuner/cli/cli.h"
#include "tuner/format/format.h"

/* To `path`, "-" being standard output. Errors of format_text(). */
int output_write(struct cli *cli, const char *path, const struct format *format,
                 const struct format_input *in, struct err *err);

/* The same of runs, beside which stands `profile`, a name or a file, whose lack is an error; null: that of the GPU which
 * the journal names, if there is one. `decision` may be null. */
int output_runs(struct cli *cli, const char *path, const struct format *format,
                const struct decision *decision, const struct report_options *runs, const char *profile,
                struct err *err);

#endif

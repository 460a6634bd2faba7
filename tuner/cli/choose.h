/* What several commands ask for: a configuration, a device, a place for the output, the resources of a
 * kernel, what to know of a journal. */
#ifndef TUNER_CLI_CHOOSE_H
#define TUNER_CLI_CHOOSE_H

#include "gpu/power.h"
#include "model/sass/cubin.h"
#include "model/device/device.h"
#include "space/spec.h"
#include "tuner/cli/cli.h"
#include "tuner/journal/journal.h"
#include "tuner/strategy/strategy.h"

/* The default configuration of problem 0 into choices[spec->parameter_count]; and that of --config, without
 * it the default. */
int choose_default(unsigned *choices, const struct spec *spec, struct err *err);
int choose_configuration(unsigned *choices, const struct spec *spec, const struct cli_args *args,
                         struct err *err);

/* Says as a message which constraint the configuration violates for problem 0, if one. */
int choose_remark(const struct cli *cli, const struct spec *spec, const unsigned *choices, struct err *err);

/* Says as a message, once each, which metrics have no value for the default of a problem: they are left out.
 * ERR_MEMORY. */
int choose_remark_metrics(const struct cli *cli, const struct spec *spec, struct err *err);

/* Whether a spec has one problem; also several that --set has made equal. */
bool choose_one_problem(const struct spec *spec);

/* Says that of several problems only the first is looked at. */
void choose_remark_first(const struct cli *cli, const struct spec *spec);

/* Whether `path` (null: none), which the option `name` says, is no file that the spec reads: kernel,
 * reference, fills. ERR_USAGE. */
int choose_output(const char *path, const char *name, const struct spec *spec, struct err *err);

/* A device profile by file, or by name ("nvidia-h200", in the folder of profiles). */
int choose_profile(struct device *out, const char *text, struct err *err);

/* The same, or the limits of an architecture ("sm_90"). */
int choose_device(struct device *out, const char *text, struct err *err);

/* Of --strategy, by default the first. ERR_USAGE. */
int choose_strategy(const struct strategy **out, const struct cli_args *args, struct err *err);

/* "1200", or "1200,2619" for the memory's clock too: megahertz of --clocks, if it is given. ERR_USAGE. */
int choose_clocks(struct clock_setting *out, const struct cli_args *args, struct err *err);

/* Members of an object; text with two columns. */
struct json *resources_json(const struct cubin_resources *resources); /* null when memory ends */
void resources_print(FILE *out, const struct cubin_resources *resources);

/* The line "energy" of what was measured, if it was. */
void energy_print(FILE *out, const struct record *record);

/* The line "resources" of what was timed, as far as it is known. */
void recorded_print(FILE *out, const struct record *record);

/* journal_remark as messages. */
void remarks_print(const struct cli *cli, const struct journal *journal);

#endif

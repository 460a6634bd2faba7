/* What `occutune tune` prints of one problem. */
#ifndef TUNER_CLI_TUNE_SUMMARY_H
#define TUNER_CLI_TUNE_SUMMARY_H

#include "space/spec.h"
#include "tuner/tune/tune.h"

#include <stdbool.h>
#include <stdio.h>

/* The winner, why it wins, what to be wary of; with `verbose` resources, ties, how the search went, time spent. */
void tune_summary_print(FILE *out, const struct spec *spec, const struct tuned *tuned, bool verbose);

#endif

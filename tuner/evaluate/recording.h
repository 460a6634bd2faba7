/* Finds the recorded journal that answers for a GPU which is not here. */
#ifndef TUNER_EVALUATE_RECORDING_H
#define TUNER_EVALUATE_RECORDING_H

#include "base/err.h"
#include "space/spec.h"
#include "tuner/journal/journal.h"

/* Opens `path`, or where it is null the journal in the folder `recorded` beside the spec that fits kernel,
 * parameters and problem, and the device (null: any). ERR_MISSING when none fits: the message says what is
 * there. ERR_USAGE when journals of several devices fit and none is named, or when `path` names another
 * device than `device`. Of several of one device the latest is taken. */
int recording_open(struct journal **out, const char *path, const struct spec *spec, size_t problem,
                   const char *device, struct err *err);

/* The record that holds a record's time, see journal_measured(); null where that did not run, and for null. */
const struct record *recording_timed(const struct journal *journal, const struct record *record);

#endif

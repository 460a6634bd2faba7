/* The page that `occutune calibrate --report` writes: the tables of Lemeire et al. (operations with
 * completion and issue latency) and of Wong et al. (the architecture, with GT200 beside it), the pipe map,
 * every value with its spread, what is missing and why, and the pictures. Made from a profile alone, so that
 * any profile can be looked at again. */
#ifndef MICRO_REPORT_H
#define MICRO_REPORT_H

#include "base/err.h"
#include "model/device/device.h"

/* One self-contained HTML page, malloc'ed. */
int calibrate_report(char **out, const struct device *device, struct err *err);

#endif

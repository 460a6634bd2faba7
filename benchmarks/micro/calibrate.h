/* Measures a GPU: runs every microbenchmark through a worker and writes a device profile. */
#ifndef MICRO_CALIBRATE_H
#define MICRO_CALIBRATE_H

#include "base/err.h"
#include "gpu/compile.h"
#include "gpu/worker.h"
#include "model/device/device.h"

#include <stdbool.h>
#include <stddef.h>

struct calibrate_options {
    /* Called before each group, "operations", 2 of 16; a result other than 0 ends the calibration with
     * ERR_STOPPED. Null: not wanted. */
    int (*progress)(void *context, const char *group, size_t done, size_t total);
    void *context;
    bool full; /* measure what only people read, too: device.def */
};

/* `out` is initialised here and owned by the caller. Unless all is asked for it holds what the model and pages read, and
 * nothing else: what is found on the way to that is left out. What could not be measured is missing from it, and its
 * notes say why: a microbenchmark that does not compile or whose machine code is not as meant never gives a
 * number. Errors: no memory, no temporary directory, no worker, stopped. */
int calibrate(struct device *out, struct worker *worker, struct compiler *compiler,
              const struct calibrate_options *options, struct err *err);

#endif

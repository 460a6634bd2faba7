/* The GPU half of occutune-worker: opens a device and answers requests until its controller is gone or the
 * device's context is lost. */
#ifndef GPU_DEVICE_SERVE_H
#define GPU_DEVICE_SERVE_H

#include "base/err.h"
#include "gpu/power.h"

/* With the clocks locked that are given, as long as it serves. */
int device_serve(int fd, int device, const struct clock_setting *clocks, struct err *err);

/* Sends the number of devices. */
int device_serve_count(int fd, struct err *err);

#endif

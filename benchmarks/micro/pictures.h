/* The pictures of a calibration's report: charts of the profile's curves. */
#ifndef MICRO_PICTURES_H
#define MICRO_PICTURES_H

#include "base/err.h"
#include "model/device/device.h"

#include <stdio.h>

/* Writes every picture as a <figure>; a curve that is missing says so. ERR_MEMORY. */
int report_pictures(FILE *out, const struct device *device, struct err *err);

#endif

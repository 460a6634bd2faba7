/* Parts of reading a profile. */
#ifndef MODEL_DEVICE_READ_H
#define MODEL_DEVICE_READ_H

#include "base/json.h"
#include "model/device/device.h"

int device_read_limits(struct device_limits *out, const struct js_at *at, struct err *err);

#endif

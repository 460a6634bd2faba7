/* Pictures of a trace. */
#ifndef WARP_TRACE_PICTURE_H
#define WARP_TRACE_PICTURE_H

#include "base/err.h"
#include "warp_trace/trace.h"

/* The first warps of one SM as bars from start to end, each in the lowest place that is free (Volkov, Fig.
 * 3.3); `places` are the warps an SM holds at once. An SVG file. ERR_MEMORY, ERR_SYSTEM. */
int picture_warps(const char *path, const struct trace_sm *sm, size_t places, const char *title,
                  struct err *err);

/* Achieved occupancy in per cent by SM, with its mean; `most` warps are 100 %. */
int picture_occupancy(const char *path, const struct warp_trace *trace, unsigned most, const char *title,
                      struct err *err);

#endif

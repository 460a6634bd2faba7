/* Headers of the C and C++ standard libraries for what NVRTC compiles. It has none, but most kernels of others begin with some:
 * what these declare is built in, or libcu++ has it. */
#ifndef GPU_STANDARD_H
#define GPU_STANDARD_H

#include <stddef.h>

/* The name of the header for want of which NVRTC gave `error`, and its text, both static; null: it is none of these. */
const char *standard_missing(const char **text, const char *error);

#endif

/* Makes a kernel record its warps: two insertions into its source text, a last parameter and a first
 * statement. Nothing of what is recorded stays in registers while the kernel runs. */
#ifndef WARP_TRACE_INSTRUMENT_H
#define WARP_TRACE_INSTRUMENT_H

#include "base/err.h"

/* Name of the parameter: a buffer of WARP_TRACE_WORDS 64-bit words for every warp of the grid, zeros before. */
#define WARP_TRACE_BUFFER "warp_trace_words"

/* `text` with the definition of function `kernel` (a plain name, or a name expression such as ns::k<4>) made
 * to record; malloc'ed. ERR_USAGE when there is no such definition, ERR_MEMORY. */
int instrument(char **out, const char *text, const char *kernel, struct err *err);

#endif

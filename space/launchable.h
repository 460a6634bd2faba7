/* Whether a space has anything to launch at all. */
#ifndef SPACE_LAUNCHABLE_H
#define SPACE_LAUNCHABLE_H

#include "base/err.h"
#include "space/space.h"
#include "space/spec.h"

#include <stddef.h>

enum { LAUNCHABLE_TRIED = 1000 }; /* of a larger space, this many configurations all over it */

/* `memory_bytes` is the GPU's, 0 where it is unknown. A single configuration without a launch is its outcome; where not one that was tried has a launch on any
 * device, or buffers that fit, problem or spec are at fault: ERR_USAGE with what the default lacks. A space without a valid
 * configuration is left to space_default. */
int space_launchable(const struct space *space, const struct spec *spec, size_t problem,
                     uint64_t memory_bytes, struct err *err);

/* The same of every problem, and whether each has a valid configuration, before the first is worked on: the
 * error names the problem. `stop` as in space_open_until(). A spec with one problem is left to whoever opens its space. */
int space_check_problems(const struct spec *spec, uint64_t memory_bytes, const volatile sig_atomic_t *stop,
                         struct err *err);

#endif

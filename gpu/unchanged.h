/* Which `inout` buffers a variant leaves as they were: they need not be restored before each launch.
 *
 * Callers declare what a kernel may write. Where it writes less, restoring would take longer than the launches, and
 * would put more into the L2 than the kernel does. */
#ifndef GPU_UNCHANGED_H
#define GPU_UNCHANGED_H

#include "gpu/verify.h"

/* After a launch: marks the buffers of the binding that are as before it. */
int unchanged_learn(struct binding *binding, struct verifier *verifier, struct err *err);

/* After many launches: whether those that are marked are still so. Else no mark is left. */
int unchanged_confirm(bool *confirmed, struct binding *binding, struct verifier *verifier, struct err *err);

#endif

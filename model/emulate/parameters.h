/* Whether a kernel takes the arguments that a launch passes. */
#ifndef MODEL_EMULATE_PARAMETERS_H
#define MODEL_EMULATE_PARAMETERS_H

#include "launch/launch.h"
#include "model/sass/cubin.h"

#include <stdbool.h>
#include <stddef.h>

/* False with the reason, as snprintf does: "arguments[2] has 4 bytes: kernel 'k' takes 8 there". */
bool parameters_fit(char *reason, size_t size, const struct cubin_kernel *kernel,
                    const struct launch *launch);

#endif

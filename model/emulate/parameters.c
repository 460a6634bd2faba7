#include "model/emulate/parameters.h"

#include <stdio.h>

bool parameters_fit(char *reason, size_t size, const struct cubin_kernel *kernel, const struct launch *launch)
{
    size_t passed = 0, i;

    for (i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];
        const size_t bytes = argument_ops(argument)->parameter_bytes(argument);

        if (!bytes)
            continue;
        if (passed < kernel->parameter_count && bytes != kernel->parameters[passed].bytes) {
            snprintf(reason, size, "arguments[%zu] has %zu bytes: kernel '%s' takes %u there", i, bytes,
                     kernel->name, kernel->parameters[passed].bytes);
            return false;
        }
        passed++;
    }
    if (passed != kernel->parameter_count)
        snprintf(reason, size, "arguments: kernel '%s' takes %zu, %zu are passed", kernel->name,
                 kernel->parameter_count, passed);
    return passed == kernel->parameter_count;
}

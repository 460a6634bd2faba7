/* Variables of the loaded code, set before the launch. */
#include "launch/argument_kind.h"

static size_t parameter_bytes(const struct argument *argument)
{
    (void)argument;
    return 0;
}

const struct argument_ops argument_symbol = {
    .text = "symbol",
    .memory = ARGUMENT_CODE_MEMORY,
    .parameter_bytes = parameter_bytes,
    .hash = memory_hash,
    .write = memory_write,
    .read = memory_read,
};

#include "launch/argument.h"

#include "launch/argument_kind.h"
#include "launch/launch.h"

#include <stdlib.h>
#include <string.h>

static const struct argument_ops *const kinds[ARGUMENT_KIND_COUNT] = {
#define ROW(name, suffix) &argument_##suffix,
    ARGUMENT_KINDS(ROW)
#undef ROW
};

const struct argument_ops *argument_ops(const struct argument *argument)
{
    return kinds[argument->kind];
}

enum argument_kind argument_kind_parse(const char *text)
{
    size_t k;

    for (k = 0; k < ARGUMENT_KIND_COUNT && strcmp(text, kinds[k]->text); k++)
        continue;
    return (enum argument_kind)k;
}

void argument_release(struct argument *argument)
{
    free(argument->name);
    free(argument->bytes);
    free(argument->pointers);
    free(argument->tensor_map);
    fill_release(&argument->fill);
}

bool role_is_filled(enum role role)
{
    return role == ROLE_IN || role == ROLE_INOUT;
}

bool role_is_result(enum role role)
{
    return role == ROLE_INOUT || role == ROLE_OUT;
}

bool argument_is_buffer(const struct argument *argument)
{
    return argument_ops(argument)->memory == ARGUMENT_OWN_MEMORY;
}

bool argument_is_symbol(const struct argument *argument)
{
    return argument_ops(argument)->memory == ARGUMENT_CODE_MEMORY;
}

uint64_t argument_memory_bytes(const struct argument *argument)
{
    uint64_t bytes;

    if (argument_ops(argument)->memory == ARGUMENT_NO_MEMORY)
        return 0;
    return __builtin_mul_overflow(argument->count, (uint64_t)element_size(argument->type), &bytes)
               ? UINT64_MAX
               : bytes;
}

int check_buffer(const struct launch *launch, size_t index, struct err *err)
{
    if (index < launch->argument_count && argument_is_buffer(&launch->arguments[index]))
        return 0;
    return err_set(err, ERR_USAGE, "buffer: argument %zu is none", index);
}

#include "gpu/loaded.h"

#include <inttypes.h>

static int set_symbols(struct buffers *buffers, gpu_module module, struct launch *launch, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < launch->argument_count; i++) {
        struct argument *argument = &launch->arguments[i];
        gpu_address address;
        size_t bytes;

        if (!argument_is_symbol(argument))
            continue;
        rc = gpu_find_symbol(&address, &bytes, buffers->gpu, module, argument->name, err);
        if (!rc && argument->count > bytes / element_size(argument->type))
            rc = err_set(err, ERR_GPU, "%s has %zu elements, not %" PRIu64, argument->name,
                         bytes / element_size(argument->type), argument->count);
        if (rc)
            break;
        rc = buffers_fill(buffers, address, &argument->fill, argument->type, argument->count, err);
        if (rc)
            err_prefix(err, "%s", argument->name);
    }
    return rc;
}

int loaded_open(struct loaded *out, struct buffers *buffers, const struct code *code, struct launch *launch,
                struct err *err)
{
    int rc = gpu_load(&out->module, buffers->gpu, code->cubin, err);

    if (!rc)
        rc = gpu_find_function(&out->subject.function, buffers->gpu, out->module, code->entry, err);
    if (!rc)
        rc = gpu_prepare(&out->facts, buffers->gpu, out->subject.function, launch, err);
    if (!rc)
        rc = set_symbols(buffers, out->module, launch, err);
    out->subject.launch = launch;
    out->subject.binding = &out->binding;
    return rc;
}

void loaded_close(struct loaded *loaded, struct buffers *buffers)
{
    gpu_unload(buffers->gpu, loaded->module);
    binding_release(&loaded->binding);
}

int loaded_repair(const struct loaded *loaded, struct buffers *buffers, struct err *err)
{
    const struct binding *binding = &loaded->binding;
    int rc = buffers_guard(buffers, err);

    for (size_t i = 0; !rc && i < binding->count; i++) {
        const struct buffer *buffer = binding->buffers[i];

        if (buffer && buffer->role == ROLE_IN)
            rc = gpu_copy(buffers->gpu, buffer->data, buffer->pristine, buffer->bytes, err);
    }
    return rc;
}

int loaded_run(const struct loaded *loaded, struct buffers *buffers, struct err *err)
{
    int rc = subject_launch(&loaded->subject, buffers->gpu, err);

    return rc ? rc : gpu_synchronize(buffers->gpu, err);
}

#include "gpu/buffers.h"

#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD_BYTES = 4096, ALIGNMENT = 256, FILLERS_MAX = 64, STRETCH_LEAST = 4096 };
static const uint64_t slab_bytes = GPU_STAGING_BYTES; /* pages that are used again cost nothing new */
static const uint64_t few_bytes = 1 << 20;            /* are uploaded faster than memory is page-locked */

void buffers_init(struct buffers *buffers, struct gpu *gpu, struct kernels *kernels)
{
    memset(buffers, 0, sizeof *buffers);
    buffers->gpu = gpu;
    buffers->kernels = kernels;
}

static void free_buffer(struct buffers *buffers, struct buffer *buffer)
{
    gpu_free(buffers->gpu, buffer->allocation);
    gpu_free(buffers->gpu, buffer->pristine);
    free(buffer->name);
    free(buffer);
}

void buffers_release(struct buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        free_buffer(buffers, buffers->items[i]);
    free(buffers->items);
    gpu_free(buffers->gpu, buffers->guards);
    memset(buffers, 0, sizeof *buffers);
}

void buffers_begin(struct buffers *buffers)
{
    buffers->now++;
}

/* A stretch of a slab, filled by one thread. */
struct stretch {
    const struct fill *fill;
    enum element_type type;
    uint64_t first, count;
    unsigned char *out;
    struct err err;
};

static void *fill_stretch(void *argument)
{
    struct stretch *stretch = argument;

    fill_read(stretch->fill, stretch->type, stretch->first, stretch->count, stretch->out, &stretch->err);
    return NULL;
}

/* Fills `count` elements from `first` on all cores; a stretch whose thread does not start is filled here. */
static int fill_slab(unsigned char *slab, const struct fill *fill, enum element_type type, uint64_t first,
                     uint64_t count, struct err *err)
{
    struct stretch stretches[FILLERS_MAX];
    pthread_t threads[FILLERS_MAX];
    bool started[FILLERS_MAX] = {false};
    uint64_t cores = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN), wanted = count / STRETCH_LEAST + 1;
    unsigned n = (unsigned)(wanted < cores ? wanted : cores), k;
    int rc = 0;

    n = n > FILLERS_MAX ? FILLERS_MAX : n;
    for (k = 0; k < n; k++) {
        uint64_t from = count / n * k, to = k + 1 == n ? count : count / n * (k + 1);

        stretches[k] =
            (struct stretch){fill, type, first + from, to - from, slab + from * element_size(type), {0}};
        if (k + 1 < n)
            started[k] = !pthread_create(&threads[k], NULL, fill_stretch, &stretches[k]);
        if (!started[k])
            fill_stretch(&stretches[k]);
    }
    for (k = 0; k < n; k++) {
        if (started[k])
            pthread_join(threads[k], NULL);
        if (!rc && stretches[k].err.code)
            rc = err_set(err, (enum err_code)stretches[k].err.code, "%s", stretches[k].err.text);
    }
    return rc;
}

/* Made on the host, a slab at a time. */
static int upload_fill(struct buffers *buffers, gpu_address to, const struct fill *fill,
                       enum element_type type, uint64_t count, struct err *err)
{
    size_t width = element_size(type);
    uint64_t step = slab_bytes / width, first;
    unsigned char *staging = width * count > few_bytes ? gpu_staging(buffers->gpu) : NULL;
    unsigned char *slab = staging ? staging : malloc(width * (count < step ? count : step));
    int rc = 0;

    if (!slab && count)
        return err_memory(err);
    for (first = 0; !rc && first < count; first += step) {
        uint64_t n = count - first < step ? count - first : step;

        rc = fill_slab(slab, fill, type, first, n, err);
        if (!rc)
            rc = gpu_upload(buffers->gpu, to + first * width, slab, n * width, err);
    }
    if (!staging)
        free(slab);
    return rc;
}

int buffers_fill(struct buffers *buffers, gpu_address to, struct fill *fill, enum element_type type,
                 uint64_t count, struct err *err)
{
    int rc = fill_prepare(fill, type, count, err);

    return rc ? rc : upload_fill(buffers, to, fill, type, count, err);
}

int buffers_guard(struct buffers *buffers, struct err *err)
{
    return kernels_guard_write(buffers->kernels, buffers->guards, 2 * (unsigned)buffers->count, err);
}

/* The table of guards follows the list of buffers. */
static int renew_guards(struct buffers *buffers, struct err *err)
{
    size_t n = 2 * buffers->count, k;
    struct guard *guards = calloc(n ? n : 1, sizeof *guards);
    int rc;

    if (!guards)
        return err_memory(err);
    for (k = 0; k < buffers->count; k++) {
        const struct buffer *buffer = buffers->items[k];
        size_t past = buffer->bytes % ALIGNMENT ? ALIGNMENT - buffer->bytes % ALIGNMENT : 0;

        guards[2 * k] = (struct guard){buffer->allocation, GUARD_BYTES, hash_mix(buffer->key)};
        guards[2 * k + 1] =
            (struct guard){buffer->data + buffer->bytes, past + GUARD_BYTES, hash_mix(buffer->key + 1)};
    }
    gpu_free(buffers->gpu, buffers->guards);
    rc = gpu_alloc(&buffers->guards, buffers->gpu, n * sizeof *guards, err);
    if (!rc)
        rc = gpu_upload(buffers->gpu, buffers->guards, guards, n * sizeof *guards, err);
    free(guards);
    return rc ? rc : buffers_guard(buffers, err);
}

/* Frees every buffer that this trial has not bound. */
static bool evict(struct buffers *buffers)
{
    size_t i, kept = 0;
    bool any;

    for (i = 0; i < buffers->count; i++)
        if (buffers->items[i]->used == buffers->now)
            buffers->items[kept++] = buffers->items[i];
        else
            free_buffer(buffers, buffers->items[i]);
    any = kept < buffers->count;
    buffers->count = kept;
    return any;
}

/* gpu_alloc; when memory ends, what this trial does not need is freed. */
static int allocate(gpu_address *out, struct buffers *buffers, size_t bytes, struct err *err)
{
    struct err first = {0};
    int rc = gpu_alloc(out, buffers->gpu, bytes, &first);

    if (rc == ERR_MEMORY && evict(buffers))
        return gpu_alloc(out, buffers->gpu, bytes, err);
    return rc ? err_set(err, (enum err_code)rc, "%s", first.text) : 0;
}

/* The GPU itself makes what has a recipe: a quarter of a gigabyte in a millisecond, and no core that compiles
 * is kept from it. */
static int fill_data(struct buffers *buffers, const struct buffer *buffer, struct fill *fill, struct err *err)
{
    struct fill_recipe recipe;
    int rc = fill_prepare(fill, buffer->type, buffer->count, err);

    if (rc)
        return rc;
    if (fill_recipe(&recipe, fill, buffer->type))
        return kernels_fill(buffers->kernels, buffer->type, buffer->data, buffer->count, &recipe, err);
    return upload_fill(buffers, buffer->data, fill, buffer->type, buffer->count, err);
}

static int fill_buffer(struct buffers *buffers, struct buffer *buffer, struct argument *argument,
                       struct err *err)
{
    int rc = allocate(&buffer->allocation, buffers, buffer->bytes + ALIGNMENT + 2 * GUARD_BYTES, err);

    buffer->data = buffer->allocation + GUARD_BYTES;
    if (rc || !role_is_filled(buffer->role))
        return rc;
    rc = fill_data(buffers, buffer, &argument->fill, err);
    if (!rc)
        rc = allocate(&buffer->pristine, buffers, buffer->bytes, err);
    return rc ? rc : gpu_copy(buffers->gpu, buffer->pristine, buffer->data, buffer->bytes, err);
}

static int make_buffer(struct buffer **out, struct buffers *buffers, struct argument *argument, uint64_t key,
                       struct err *err)
{
    struct buffer **larger = realloc(buffers->items, (buffers->count + 1) * sizeof *larger);
    struct buffer *buffer = calloc(1, sizeof *buffer);
    int rc = 0;

    if (larger)
        buffers->items = larger;
    if (buffer)
        *buffer = (struct buffer){.key = key,
                                  .name = strdup(argument->name ? argument->name : ""),
                                  .type = argument->type,
                                  .role = argument->role,
                                  .count = argument->count,
                                  .reduction = argument->reduction,
                                  .kept = argument->kept};
    if (!larger || !buffer || !buffer->name)
        rc = err_memory(err);
    if (!rc && __builtin_mul_overflow(argument->count, element_size(argument->type), &buffer->bytes))
        rc = err_set(err, ERR_USAGE, "%s: too many elements", buffer->name);
    if (!rc) {
        rc = fill_buffer(buffers, buffer, argument, err);
        if (rc)
            err_prefix(err, "%s", buffer->name);
    }
    if (rc && buffer)
        free_buffer(buffers, buffer);
    if (rc) {
        renew_guards(buffers, NULL); /* some may have been freed */
        return rc;
    }
    buffer->used = buffers->now;
    buffers->items[buffers->count++] = buffer;
    *out = buffer;
    return renew_guards(buffers, err);
}

static bool is_bound(const struct binding *binding, const struct buffer *buffer)
{
    for (size_t i = 0; i < binding->count; i++)
        if (binding->buffers[i] == buffer)
            return true;
    return false;
}

/* Two arguments of one launch never share a buffer, however alike they are. */
static int bind_buffer(struct binding *binding, size_t index, struct buffers *buffers,
                       struct argument *argument, struct err *err)
{
    struct launch alone = {.arguments = argument, .argument_count = 1};
    uint64_t key = launch_arguments_hash(&alone);

    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->items[i]->key == key && !is_bound(binding, buffers->items[i])) {
            binding->buffers[index] = buffers->items[i];
            buffers->items[i]->used = buffers->now;
            return 0;
        }
    return make_buffer(&binding->buffers[index], buffers, argument, key, err);
}

static uint64_t address_of(void *binding, size_t index)
{
    return ((struct binding *)binding)->buffers[index]->data;
}

static int put_tensor_map(void *binding, unsigned char *out, const struct tensor_map *map, size_t index,
                          struct err *err)
{
    const struct binding *bound = binding;
    const int rc = gpu_tensor_map(out, bound->gpu, map, bound->buffers[map->buffer]->data + map->offset, err);

    if (rc)
        err_prefix(err, "arguments[%zu]", index);
    return rc;
}

int buffers_bind(struct binding *out, struct buffers *buffers, struct launch *launch, struct err *err)
{
    const struct argument_place place = {out, address_of, put_tensor_map};
    size_t n = launch->argument_count, i, passed;
    int rc = 0;

    memset(out, 0, sizeof *out);
    out->count = n;
    out->gpu = buffers->gpu;
    out->buffers = calloc(n + 1, sizeof *out->buffers);
    out->unchanged = calloc(n + 1, sizeof *out->unchanged);
    if (!out->buffers || !out->unchanged)
        rc = err_memory(err);
    for (i = 0; !rc && i < n; i++)
        if (argument_is_buffer(&launch->arguments[i]))
            rc = bind_buffer(out, i, buffers, &launch->arguments[i], err);
    if (!rc)
        rc = launch_parameters(&out->parameters, &passed, launch, &place, err);
    if (rc)
        binding_release(out);
    return rc;
}

void binding_release(struct binding *binding)
{
    free(binding->buffers);
    free(binding->parameters);
    free(binding->unchanged);
    memset(binding, 0, sizeof *binding);
}

bool binding_restores(const struct binding *binding)
{
    for (size_t i = 0; i < binding->count; i++)
        if (binding->buffers[i] && binding->buffers[i]->role == ROLE_INOUT && !binding->unchanged[i])
            return true;
    return false;
}

int binding_restore(const struct binding *binding, struct buffers *buffers, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < binding->count; i++) {
        const struct buffer *buffer = binding->buffers[i];

        if (buffer && buffer->role == ROLE_INOUT && !binding->unchanged[i])
            rc = gpu_copy(buffers->gpu, buffer->data, buffer->pristine, buffer->bytes, err);
    }
    return rc;
}

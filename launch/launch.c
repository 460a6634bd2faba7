#include "launch/launch.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>

void launch_init(struct launch *launch)
{
    *launch = (struct launch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}, .carveout = -1};
}

void launch_release(struct launch *launch)
{
    for (size_t i = 0; i < launch->argument_count; i++)
        argument_release(&launch->arguments[i]);
    free(launch->arguments);
    launch_init(launch);
}

int launch_prepare(struct launch *launch, struct err *err)
{
    struct argument *argument;
    int failed;

    for (size_t i = 0; i < launch->argument_count; i++) {
        argument = &launch->arguments[i];
        if (argument_ops(argument)->memory == ARGUMENT_NO_MEMORY || !role_is_filled(argument->role))
            continue;
        failed = fill_prepare(&argument->fill, argument->type, argument->count, err);
        if (failed) {
            err_prefix(err, "%s", argument->name);
            return failed;
        }
    }
    return 0;
}

uint64_t launch_threads(const struct launch *launch)
{
    return (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
}

unsigned launch_cluster_blocks(const struct launch *launch)
{
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}

/* Each parameter begins at a multiple of its strictest alignment, that of a tensor map. */
static size_t padded(size_t bytes)
{
    return (bytes + TENSOR_MAP_ALIGNMENT - 1) / TENSOR_MAP_ALIGNMENT * TENSOR_MAP_ALIGNMENT;
}

int launch_parameters(void ***out, size_t *count, const struct launch *launch,
                      const struct argument_place *place, struct err *err)
{
    const size_t table = padded((launch->argument_count + 1) * sizeof(void *));
    size_t bytes = table, i;
    unsigned char *next;
    int rc = 0;

    *count = 0;
    for (i = 0; i < launch->argument_count; i++)
        bytes += padded(argument_ops(&launch->arguments[i])->parameter_bytes(&launch->arguments[i]));
    *out = aligned_alloc(TENSOR_MAP_ALIGNMENT, bytes);
    if (!*out)
        return err_memory(err);
    next = (unsigned char *)*out + table;
    for (i = 0; i < launch->argument_count && !rc; i++) {
        const struct argument *argument = &launch->arguments[i];
        const size_t size = argument_ops(argument)->parameter_bytes(argument);

        if (!size)
            continue;
        rc = argument_ops(argument)->parameter(next, argument, i, place, err);
        (*out)[(*count)++] = next;
        next += padded(size);
    }
    (*out)[*count] = NULL;
    if (!rc)
        return 0;
    free(*out);
    *out = NULL;
    return rc;
}

int launch_check(const struct launch *launch, struct err *err)
{
    struct err why = {0};

    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument_ops *ops = argument_ops(&launch->arguments[i]);

        if (ops->check && ops->check(&launch->arguments[i], launch, &why))
            return err_set(err, ERR_USAGE, "arguments[%zu].%s", i, why.text);
    }
    return 0;
}

bool launch_needs_bulk_copies(char *out, size_t size, const struct launch *launch)
{
    for (size_t i = 0; i < launch->argument_count; i++)
        if (argument_ops(&launch->arguments[i])->needs_bulk_copies) {
            snprintf(out, size, "arguments[%zu]: a %s", i, argument_ops(&launch->arguments[i])->text);
            return true;
        }
    if (launch_cluster_blocks(launch) > 1)
        snprintf(out, size, "launch.cluster: a cluster");
    else if (launch->programmatic)
        snprintf(out, size, "launch.programmatic: a programmatic dependent launch");
    return launch_cluster_blocks(launch) > 1 || launch->programmatic;
}

bool launch_memory_fits(char *reason, size_t size, const struct launch *launch, uint64_t memory_bytes)
{
    double bytes = 0;

    for (size_t a = 0; a < launch->argument_count; a++)
        if (argument_is_buffer(&launch->arguments[a]))
            bytes += (double)argument_memory_bytes(&launch->arguments[a]);
    if (!memory_bytes || bytes <= (double)memory_bytes)
        return true;
    snprintf(reason, size,
             "arguments: the buffers take %.4g GiB, the device has %.4g: make the problem smaller with --set",
             bytes / (1 << 30), (double)memory_bytes / (1 << 30));
    return false;
}

uint64_t launch_blocks(const struct launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static uint64_t argument_hash(uint64_t hash, const struct argument *argument)
{
    hash = hash_text(hash_u64(hash, argument->kind), argument->name ? argument->name : "");
    return argument_ops(argument)->hash(hash, argument);
}

uint64_t launch_arguments_hash(const struct launch *launch)
{
    uint64_t hash = HASH_START;

    for (size_t i = 0; i < launch->argument_count; i++)
        hash = argument_hash(hash, &launch->arguments[i]);
    return hash;
}

static uint64_t geometry_hash(uint64_t hash, const struct launch *launch)
{
    for (int i = 0; i < 3; i++)
        hash = hash_u64(hash_u64(hash, launch->grid[i]), launch->block[i]);
    hash = hash_u64(hash_u64(hash, launch->shared_bytes), (uint64_t)(int64_t)launch->carveout);
    if (launch_cluster_blocks(launch) == 1 && !launch->cooperative && !launch->programmatic)
        return hash; /* as it was recorded before there were these */
    for (int i = 0; i < 3; i++)
        hash = hash_u64(hash, launch->cluster[i]);
    return hash_u64(hash_u64(hash, launch->cooperative), launch->programmatic);
}

uint64_t launch_hash(const struct launch *launch)
{
    return geometry_hash(launch_arguments_hash(launch), launch);
}

uint64_t launch_result_hash(const struct launch *launch)
{
    uint64_t hash = HASH_START;

    for (size_t i = 0; i < launch->argument_count; i++)
        if (!argument_is_buffer(&launch->arguments[i]) || launch->arguments[i].role != ROLE_SCRATCH)
            hash = argument_hash(hash, &launch->arguments[i]);
    return geometry_hash(hash, launch);
}

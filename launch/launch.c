#include "launch/launch.h"

#include "base/hash.h"

#include <stdlib.h>

void launch_init(struct launch *launch)
{
    *launch = (struct launch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}, .carveout = -1};
}

void launch_release(struct launch *launch)
{
    size_t i;

    for (i = 0; i < launch->argument_count; i++) {
        free(launch->arguments[i].name);
        free(launch->arguments[i].bytes);
        free(launch->arguments[i].tensor_map);
        fill_release(&launch->arguments[i].fill);
    }
    free(launch->arguments);
    launch_init(launch);
}

bool role_is_filled(enum role role)
{
    return role == ROLE_IN || role == ROLE_INOUT;
}

bool role_is_result(enum role role)
{
    return role == ROLE_INOUT || role == ROLE_OUT;
}

int launch_prepare(struct launch *launch, struct err *err)
{
    struct argument *argument;
    size_t i;
    int failed;

    for (i = 0; i < launch->argument_count; i++) {
        argument = &launch->arguments[i];
        if (argument->kind == ARGUMENT_SCALAR || !role_is_filled(argument->role))
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

uint64_t launch_blocks(const struct launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static uint64_t argument_hash(uint64_t hash, const struct argument *argument)
{
    hash = hash_text(hash_u64(hash, argument->kind), argument->name ? argument->name : "");
    if (argument->kind == ARGUMENT_SCALAR)
        return hash_bytes(hash_u64(hash, argument->size), argument->bytes, argument->size);
    hash = hash_u64(hash_u64(hash_u64(hash, argument->type), argument->count), argument->role);
    return role_is_filled(argument->role) ? fill_hash(hash, &argument->fill) : hash;
}

uint64_t launch_arguments_hash(const struct launch *launch)
{
    uint64_t hash = HASH_START;
    size_t i;

    for (i = 0; i < launch->argument_count; i++)
        hash = argument_hash(hash, &launch->arguments[i]);
    return hash;
}

static uint64_t geometry_hash(uint64_t hash, const struct launch *launch)
{
    int i;

    for (i = 0; i < 3; i++)
        hash = hash_u64(hash_u64(hash, launch->grid[i]), launch->block[i]);
    return hash_u64(hash_u64(hash, launch->shared_bytes), (uint64_t)(int64_t)launch->carveout);
}

uint64_t launch_hash(const struct launch *launch)
{
    return geometry_hash(launch_arguments_hash(launch), launch);
}

uint64_t launch_result_hash(const struct launch *launch)
{
    uint64_t hash = HASH_START;
    size_t i;

    for (i = 0; i < launch->argument_count; i++)
        if (launch->arguments[i].kind != ARGUMENT_BUFFER || launch->arguments[i].role != ROLE_SCRATCH)
            hash = argument_hash(hash, &launch->arguments[i]);
    return geometry_hash(hash, launch);
}

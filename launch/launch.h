/* What a launch is: geometry and arguments of one kernel, with every value fixed. Plain data, made by
 * space/variant, executed by gpu/ on a GPU and by model/emulate on the host: both read buffers through
 * fill_read, so both see the same bytes. */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include "launch/element.h"
#include "base/err.h"
#include "launch/fill.h"
#include "base/json.h"
#include "launch/tensor_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum argument_kind {
    ARGUMENT_SCALAR, /* `bytes`, `size` of them, passed by value */
    ARGUMENT_BUFFER, /* global memory; passed by address */
    ARGUMENT_SYMBOL, /* a __constant__ or __device__ variable called `name`, set before the launch; not passed
                      */
    ARGUMENT_TENSOR_MAP /* `tensor_map` of a buffer of the same launch; passed by value, TENSOR_MAP_BYTES */
};

enum role {
    ROLE_IN,     /* filled; the kernel leaves it as it finds it */
    ROLE_INOUT,  /* filled, and a result */
    ROLE_OUT,    /* a result */
    ROLE_SCRATCH /* the kernel's own between its thread blocks: neither filled nor a result */
};

bool role_is_filled(enum role role); /* before a launch */
bool role_is_result(enum role role); /* compared after one */

struct argument {
    enum argument_kind kind;
    char *name;           /* buffers and symbols; scalars may have none */
    unsigned char *bytes; /* scalar */
    size_t size;          /* scalar: its width in bytes */
    enum element_type type;
    uint64_t count; /* buffers and symbols: elements */
    enum role role;
    struct fill fill;
    struct tensor_map *tensor_map; /* owned; null for other kinds */
};

struct launch {
    unsigned grid[3], block[3]; /* all at least 1 */
    unsigned cluster[3];        /* thread blocks of a cluster, which divide the grid; all 1: what the kernel
                                   itself requires, or none */
    bool cooperative;           /* all thread blocks are resident at once */
    bool programmatic;          /* may begin before the kernel ahead of it in the stream has ended */
    unsigned shared_bytes;      /* dynamic shared memory of a block */
    int carveout; /* preferred share of the unified cache for shared memory in per cent, or -1 */
    struct argument *arguments; /* in the kernel's order; symbols anywhere */
    size_t argument_count;
};

void launch_init(struct launch *launch); /* grid and block 1, carve-out -1 */
void launch_release(struct launch *launch);

/* fill_prepare for every argument that has a fill; the message names the argument. */
int launch_prepare(struct launch *launch, struct err *err);

uint64_t launch_threads(const struct launch *launch); /* threads of a block */
uint64_t launch_blocks(const struct launch *launch);  /* thread blocks of the grid */

/* Hash of everything that can change what a launch does or how long it takes: geometry, arguments, fills,
 * seeds. */
uint64_t launch_hash(const struct launch *launch);
/* The same of what can change the result: without scratch memory. */
uint64_t launch_result_hash(const struct launch *launch);
/* Hash of the arguments alone: launches with the same one can share buffers. */
uint64_t launch_arguments_hash(const struct launch *launch);

/* For the protocol between controller and worker: exact, reals included. A file fill travels as its path;
 * what fill_prepare made stays behind. ERR_USAGE or ERR_MEMORY. */
struct json *launch_to_json(const struct launch *launch); /* owned by the caller; null when memory ends */
int launch_from_json(struct launch *out, const struct js_at *at, struct err *err);

#endif

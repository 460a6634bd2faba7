/* What a launch is: geometry and arguments of one kernel, with every value fixed. Plain data, made by
 * space/variant, executed by gpu/ on a GPU and by model/emulate on the host: both read buffers through
 * fill_read, so both see the same bytes. */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include "launch/argument.h"
#include "base/err.h"
#include "base/json_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* What is passed to the kernel, in its order: `out[k]` points to parameter k, for `count` of them. All are
 * owned by `out`, one allocation, which the caller frees. `place` says where things lie. */
int launch_parameters(void ***out, size_t *count, const struct launch *launch,
                      const struct argument_place *place, struct err *err);

/* What is wrong with an argument beside the others: ERR_USAGE, "arguments[2].box[0]: ...". */
int launch_check(const struct launch *launch, struct err *err);

/* Whether it has something that only an architecture with cp.async.bulk can launch (tensor maps, clusters,
 * programmatic launches): writes what, "arguments[2]: a tensor_map", cut to `size`. */
bool launch_needs_bulk_copies(char *out, size_t size, const struct launch *launch);

/* Whether the buffers fit into a memory of so many bytes (0: unknown, they do); else writes the reason. */
bool launch_memory_fits(char *reason, size_t size, const struct launch *launch, uint64_t memory_bytes);

unsigned
launch_cluster_blocks(const struct launch *launch);   /* thread blocks of a cluster; 1: none asked for */
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

/* The same in two parts, for arguments that travel by themselves (null: they do not): launch_to_json() is an object of the
 * members of the geometry and the list "arguments". */
void launch_write_geometry(struct js_line *line, const struct launch *launch);
void launch_write_arguments(struct js_line *line, const char *key, const struct launch *launch);
int launch_from_parts(struct launch *out, const struct js_at *at, const struct js_at *arguments,
                      struct err *err);

#endif

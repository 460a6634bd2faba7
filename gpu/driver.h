/* The CUDA driver, loaded at run time: nothing above it knows cuda.h. One context on one device, one
 * stream; or, attached, somebody else's context.
 *
 * Work is queued on the stream in order; gpu_download and gpu_synchronize wait. Errors are ERR_GPU with
 * CUDA's own words. An error that breaks the context for good (illegal address, trap, ...) also makes
 * gpu_lost() true: the process must then end, since nothing else clears it. */
#ifndef GPU_DRIVER_H
#define GPU_DRIVER_H

#include "base/err.h"
#include "launch/launch.h"
#include "model/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu;
typedef uint64_t gpu_address;
typedef void *gpu_module, *gpu_function, *gpu_event, *gpu_graph;

/* The library is OCCUTUNE_CUDA_DRIVER, else libcuda.so.1. ERR_MISSING: no driver, or no such device. */
int gpu_count(int *out, struct err *err);
int gpu_open(struct gpu **out, int device, struct err *err);
/* gpu_open in two steps. A device that was found can be described; the context, which takes as long again, is
 * made by the thread that uses it, and there is nothing of it where that fails. */
int gpu_find(struct gpu **out, int device, struct err *err);
int gpu_start(struct gpu *gpu, struct err *err);
void gpu_stop(struct gpu *gpu); /* ends the context; the device stays found */
/* Uses the context that is current on the calling thread, which stays its owner's: no context is made, none
 * is kept alive. ERR_USAGE when none is current. What loads, finds and prepares code acts on whatever context
 * is current then; there is no stream, so nothing is launched or copied. */
int gpu_attach(struct gpu **out, struct err *err);
/* Names the context that is current on the calling thread, a number that no other context of the process ever
 * has. ERR_USAGE when none is current. */
int gpu_context(uint64_t *out, const struct gpu *gpu, struct err *err);
void gpu_close(struct gpu *gpu); /* also null */
bool gpu_lost(const struct gpu *gpu);

/* Name, driver version, limits as the driver states them, over those of the architecture. */
int gpu_describe(struct device *out, const struct gpu *gpu, struct err *err);
int gpu_devices(const struct gpu *gpu); /* CUDA devices here, this one among them */
unsigned gpu_sm_count(const struct gpu *gpu);
size_t gpu_l2_bytes(const struct gpu *gpu);
uint64_t gpu_clock_hz(const struct gpu *gpu); /* the highest of its SMs, by the driver; 0: it does not say */
bool gpu_is_exclusive(const struct gpu *gpu); /* only one process at a time may have a context on it */
int gpu_pci(char *out, size_t size, struct gpu *gpu, struct err *err); /* "0000:3B:00.0" */
void *gpu_stream(const struct gpu *gpu); /* a CUstream, for libraries that queue work of their own on it */

/* Memory. Addresses are aligned to 256 bytes. ERR_MEMORY when the device has none left. */
int gpu_alloc(gpu_address *out, struct gpu *gpu, size_t bytes, struct err *err);
void gpu_free(struct gpu *gpu, gpu_address address); /* also 0 */
int gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes, struct err *err);
/* GPU_STAGING_BYTES of the host's memory, page-locked, from which uploads are several times as fast. The GPU's own: what is
 * there lasts until the next caller. Null where none can be had. */
enum { GPU_STAGING_BYTES = 16 << 20 };
void *gpu_staging(struct gpu *gpu);
int gpu_download(void *to, struct gpu *gpu, gpu_address from, size_t bytes, struct err *err);
int gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, size_t bytes, struct err *err);
int gpu_set(struct gpu *gpu, gpu_address to, unsigned char byte, size_t bytes, struct err *err);

/* Code: a cubin, or PTX text ending with a zero. */
int gpu_load(gpu_module *out, struct gpu *gpu, const void *image, struct err *err);
void gpu_unload(struct gpu *gpu, gpu_module module); /* also null */
int gpu_find_function(gpu_function *out, struct gpu *gpu, gpu_module module, const char *name,
                      struct err *err);
int gpu_find_symbol(gpu_address *out, size_t *bytes, struct gpu *gpu, gpu_module module, const char *name,
                    struct err *err);

/* What the driver says of a function once it is loaded. */
struct function_facts {
    int registers, shared_bytes, local_bytes; /* of a thread, a block (static), a thread */
    int blocks_per_sm; /* resident blocks at this launch, by the driver's own calculation */
};

/* Opts in to dynamic shared memory and sets the preferred carve-out, then asks for the facts at this launch. */
int gpu_prepare(struct function_facts *out, struct gpu *gpu, gpu_function function,
                const struct launch *launch, struct err *err);

/* Writes the TENSOR_MAP_BYTES of a tensor map whose coordinates 0 lie at `address`. ERR_GPU where the driver
 * refuses it. */
int gpu_tensor_map(unsigned char *out, struct gpu *gpu, const struct tensor_map *map, gpu_address address,
                   struct err *err);

/* Queues a kernel with the launch's geometry and attributes; its arguments are `parameters`. */
int gpu_launch(struct gpu *gpu, gpu_function function, const struct launch *launch, void **parameters,
               struct err *err);
int gpu_synchronize(struct gpu *gpu, struct err *err);

/* Events and graphs. Between gpu_capture and gpu_capture_end nothing runs: what is queued becomes the graph.
 * An event recorded there with gpu_record is stamped every time the graph runs. */
int gpu_event_create(gpu_event *out, struct gpu *gpu, struct err *err);
void gpu_event_free(struct gpu *gpu, gpu_event event);
int gpu_record(struct gpu *gpu, gpu_event event, struct err *err);
int gpu_elapsed(double *seconds, struct gpu *gpu, gpu_event from, gpu_event to, struct err *err);
/* Whether what was queued before it is done. */
int gpu_event_done(bool *done, struct gpu *gpu, gpu_event event, struct err *err);
int gpu_capture(struct gpu *gpu, struct err *err);
int gpu_capture_end(gpu_graph *out, struct gpu *gpu, struct err *err);
int gpu_run_graph(struct gpu *gpu, gpu_graph graph, struct err *err);
void gpu_graph_free(struct gpu *gpu, gpu_graph graph);

#endif

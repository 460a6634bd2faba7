/* The worker's own kernels (kernels.cu) as functions of the host. All queue on the GPU's stream and return at
 * once. */
#ifndef GPU_KERNELS_HOST_H
#define GPU_KERNELS_HOST_H

#include "launch/argument.h"
#include "gpu/driver.h"
#include "gpu/kernels.h"

struct kernels {
    struct gpu *gpu; /* borrowed */
    gpu_module module;
    gpu_function compare, reduce, differ, poison, fill_real, fill_integer, guard_write, guard_check, stamp,
        pace, empty;
};

/* The PTX of kernels.cu, as it stands in kernels.ptx, ending with a zero. */
extern const char kernels_ptx[];

int kernels_open(struct kernels *out, struct gpu *gpu, struct err *err);
void kernels_close(struct kernels *kernels);

/* Elements of `got` against `want`, within the tolerances (integers: equal). */
int kernels_compare(const struct kernels *kernels, enum element_type type, gpu_address got, gpu_address want,
                    uint64_t count, double relative, double absolute, gpu_address found, struct err *err);
/* Reduces `parts` parts of `count` elements, one behind the other, to one such part of reduced_type(). `out` has place
 * for kernels_reduce_elements() of it; the first `count` are the result. */
int kernels_reduce(const struct kernels *kernels, enum element_type type, enum reduction reduction,
                   gpu_address data, uint64_t parts, uint64_t count, gpu_address out, struct err *err);
uint64_t kernels_reduce_elements(uint64_t parts, uint64_t count);
enum element_type reduced_type(enum element_type type); /* float64, int64 or uint64 */

/* The first byte in which two buffers differ. */
int kernels_differ(const struct kernels *kernels, gpu_address a, gpu_address b, uint64_t bytes,
                   gpu_address found, struct err *err);
/* Fills with values that cannot pass; `want` (what will be expected there) may be 0. */
int kernels_poison(const struct kernels *kernels, enum element_type type, gpu_address data, gpu_address want,
                   uint64_t count, uint64_t seed, struct err *err);
/* Writes the elements of a fill, the same as fill_read's. */
int kernels_fill(const struct kernels *kernels, enum element_type type, gpu_address data, uint64_t count,
                 const struct fill_recipe *recipe, struct err *err);
int kernels_guard_write(const struct kernels *kernels, gpu_address guards, unsigned count, struct err *err);
int kernels_guard_check(const struct kernels *kernels, gpu_address guards, unsigned count, gpu_address found,
                        struct err *err);
/* Clocks of every SM, gpu_sm_count() stamps. */
int kernels_stamp(const struct kernels *kernels, gpu_address stamps, struct err *err);
/* `steps` of arithmetic in every thread of a full GPU, then a pass over `count` floats, none of them negative. */
int kernels_pace(const struct kernels *kernels, gpu_address data, uint64_t count, unsigned steps,
                 struct err *err);

#endif

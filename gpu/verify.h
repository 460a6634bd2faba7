/* Is what a launch left behind right? Every element of every output is compared on the GPU, every input with
 * its pristine copy, every guard with its pattern. */
#ifndef GPU_VERIFY_H
#define GPU_VERIFY_H

#include "gpu/buffers.h"
#include "gpu/trial.h"

/* What a buffer is expected to hold after the launch. */
struct wanted_buffer {
    char *name;
    enum element_type type;
    uint64_t count;
    gpu_address data;
};

struct wanted {
    struct wanted_buffer *items;
    size_t count;
};

void wanted_release(struct wanted *wanted, struct gpu *gpu);

/* Adds a copy of `count` elements at `from` (0: leaves the contents to the caller). */
int wanted_add(struct wanted_buffer **out, struct wanted *wanted, struct gpu *gpu, const char *name,
               enum element_type type, uint64_t count, gpu_address from, struct err *err);

struct verifier;

/* Adds what a launch left in a buffer, reduced where it is compared so (queued). */
int verify_keep(struct wanted *wanted, struct verifier *verifier, const struct buffer *buffer,
                struct err *err);

/* Scratch on the GPU for what the checks find. */
struct verifier {
    struct buffers *buffers; /* borrowed */
    gpu_address found;
    size_t capacity;
    gpu_address reduced; /* elements of 64 bits */
    uint64_t reduced_capacity;
};

void verifier_init(struct verifier *verifier, struct buffers *buffers);
void verifier_release(struct verifier *verifier);

/* Makes sure that there is place for n findings. */
int verify_reserve(struct verifier *verifier, size_t n, struct err *err);

/* Writes values that cannot pass to all `out` buffers, and `inout` ones from their pristine copies. ERR_USAGE
 * when what is wanted has another shape than the buffer of its name. */
int verify_prepare(const struct verifier *verifier, const struct binding *binding,
                   const struct wanted *wanted, struct err *err);

/* Checks everything; sets trial->error_max, and outcome OUTCOME_WRONG with a message where something is not
 * right. Damaged guards and inputs are repaired. Fails only when the GPU does. */
int verify_check(struct trial *trial, struct verifier *verifier, const struct binding *binding,
                 const struct wanted *wanted, const struct protocol *protocol, struct err *err);

#endif

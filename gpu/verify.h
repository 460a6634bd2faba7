/* Is what a launch left behind right? Every element of every output is compared on the GPU, every input with
 * its pristine copy, every guard with its pattern. */
#ifndef GPU_VERIFY_H
#define GPU_VERIFY_H

#include "gpu/buffers.h"
#include "gpu/trial.h"

/* What a buffer is expected to hold after the launch. */
struct expected {
    char *name;
    enum element_type type;
    uint64_t count;
    gpu_address data;
};

struct expectation {
    struct expected *items;
    size_t count;
};

void expectation_release(struct expectation *expectation, struct gpu *gpu);

/* Adds a copy of `count` elements at `from` (0: leaves the contents to the caller). */
int expectation_add(struct expected **out, struct expectation *expectation, struct gpu *gpu, const char *name,
                    enum element_type type, uint64_t count, gpu_address from, struct err *err);

/* Scratch on the GPU for what the checks find. */
struct verifier {
    struct buffers *buffers; /* borrowed */
    gpu_address found;
    size_t room;
};

void verifier_init(struct verifier *verifier, struct buffers *buffers);
void verifier_release(struct verifier *verifier);

/* Writes values that cannot pass to all `out` buffers, and `inout` ones from their pristine copies. ERR_USAGE
 * when the expectation has another shape than the buffer of its name. */
int verify_prepare(const struct verifier *verifier, const struct binding *binding,
                   const struct expectation *expectation, struct err *err);

/* Checks everything; sets trial->error_max, and outcome OUTCOME_WRONG with a message where something is not
 * right. Damaged guards and inputs are repaired. Fails only when the GPU does. */
int verify_check(struct trial *trial, struct verifier *verifier, const struct binding *binding,
                 const struct expectation *expectation, const struct protocol *protocol, struct err *err);

#endif

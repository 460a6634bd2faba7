/* Code that is loaded into the GPU, its launch bound to buffers: ready to run. */
#ifndef GPU_LOADED_H
#define GPU_LOADED_H

#include "gpu/measure.h"
#include "gpu/trial.h"

struct loaded {
    gpu_module module;
    struct binding binding; /* by buffers_bind(), before it is opened */
    struct subject subject;
    struct function_facts facts;
};

/* Loads the code, prepares the launch, which must outlive `out`, and sets the symbols that it names. On
 * failure `out` is to be closed all the same. */
int loaded_open(struct loaded *out, struct buffers *buffers, const struct code *code, struct launch *launch,
                struct err *err);
void loaded_close(struct loaded *loaded, struct buffers *buffers);

/* Runs it once and waits for its end. */
int loaded_run(const struct loaded *loaded, struct buffers *buffers, struct err *err);
/* Makes good what a launch that nobody checks may have done to inputs and guards. */
int loaded_repair(const struct loaded *loaded, struct buffers *buffers, struct err *err);

#endif

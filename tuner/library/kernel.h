/* A tuned kernel at run time, in CUDA contexts that belong to the application: chosen by a `chooser`,
 * compiled when first needed, loaded into the context that is current on the calling thread.
 *
 * Thread-safe. What is compiled and loaded is kept per context and configuration; threads that ask for the
 * same at once wait for one of them. A failure is kept too. */
#ifndef TUNER_LIBRARY_KERNEL_H
#define TUNER_LIBRARY_KERNEL_H

#include "base/err.h"
#include "tuner/library/choice.h"

#include <stddef.h>

struct kernel;

struct kernel_options {
    const char *nvrtc, *worker;                       /* as in site_options; borrowed until kernel_close */
    const char *cache;                                /* null: no cache */
    void (*message)(void *context, const char *text); /* may be null; never called by two threads at once */
    void *context;
};

/* See chooser_init. */
int kernel_open(struct kernel **out, const char *spec, const struct decision *const *decisions, size_t count,
                const struct kernel_options *options, struct err *err);

/* Unloads the code from the context that is current on the calling thread; what is in others goes with them. */
void kernel_close(struct kernel *kernel); /* also null */

struct kernel_ready {
    void *function, *module; /* a CUfunction and its CUmodule, of the current context */
    struct choice choice;
    const struct chooser_variant *variant; /* borrowed from the kernel */
};

/* The best configuration for the current context's device at `sizes`, ready to launch. Where its code fails
 * here, that is said and the default takes its place. Errors: ERR_USAGE without a current context, for sizes
 * at which nothing is valid, or for a source that does not compile; ERR_MISSING without driver or compiler;
 * ERR_GPU where the code cannot be loaded. */
int kernel_get(struct kernel_ready *out, struct kernel *kernel, const double *sizes, struct err *err);

/* The choice alone, for the device of this name (null: unknown) and architecture (0: unknown); function and
 * module are null. Thread-safe like the rest. */
int kernel_choose(struct kernel_ready *out, const struct kernel *kernel, const char *device, unsigned sm,
                  const double *sizes, struct err *err);

#endif

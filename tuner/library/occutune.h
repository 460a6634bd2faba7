/* occutune: tuning CUDA kernels from a program.
 *
 * Tune a spec, or load a decision that was made before, and ask which configuration is best for a device and
 * a problem size and with which options to compile it; or have the kernel compiled and loaded into the CUDA
 * context of the application, ready to launch. Nothing here prints, exits or keeps state outside of its
 * handles; unless said otherwise a handle may be used by one thread at a time. Compiler and GPU are held by
 * workers, executables found beside the library or named in the options; only occutune_kernel_get uses a CUDA
 * library in the calling process, the driver.
 *
 * Numbers in specs and options are written as in C, whatever the locale of the application; its callbacks are
 * called in that of C.
 *
 * Functions return 0, or a negative code and a text in `error` (which may be null). On failure `*out` is null
 * or empty. A pointer that is null where that is not allowed is OCCUTUNE_USAGE, in functions that return codes. */
#ifndef OCCUTUNE_H
#define OCCUTUNE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCCUTUNE_API __attribute__((visibility("default")))

enum occutune_code {
    OCCUTUNE_MEMORY = -1,  /* an allocation failed */
    OCCUTUNE_USAGE = -2,   /* a bad spec, file or option */
    OCCUTUNE_SYSTEM = -3,  /* a file, socket or process failed */
    OCCUTUNE_GPU = -4,     /* the driver or a kernel failed */
    OCCUTUNE_MISSING = -5, /* no GPU and no recording, or no compiler */
    OCCUTUNE_FORMAT = -6,  /* a damaged journal or code */
    OCCUTUNE_STOPPED = -7  /* *stop became true before anything was measured */
};

struct occutune_error {
    int code;
    char text[1024]; /* one line that names the place and the remedy */
};

/* What a run may use and how long. Fill with occutune_options_init(), then change what you need; texts are
 * borrowed. */
struct occutune_options {
    const char *device; /* null: every GPU like the first; "1": that GPU; a name: a recording of that GPU */
    const char
        *recorded; /* take times from this journal or Kernel Tuner cache; null: from a GPU if one is here */
    const char *strategy; /* "model" (default), "exhaustive" or "random" */
    const char *profile;  /* calibrated device profile that the model goes by, a name or a file; null: the
                             installed one of the GPU. Without one measured times alone guide the search */
    uint64_t seed;        /* of what is random */
    double time_s;        /* budget in seconds; 0: none */
    uint64_t trials;      /* most configurations to time; 0: as many as the strategy needs */
    uint64_t audit;       /* "model": time so many of those pruned at the end (default 20; 0: none) */
    unsigned jobs;        /* threads that compile; 0: one per core */
    const char *journal;  /* file that keeps every result and is resumed; null: a default name */
    const char *cache;    /* directory that keeps compiled code; null: OCCUTUNE_CACHE, else the user's cache
                             directory; "": none */
    const char *nvrtc;    /* NVRTC library; null: found */
    const char *worker;   /* worker executable; null: found */
    const char *const *sets; /* overrides of problem sizes, "M=1024" */
    size_t set_count;
    const volatile sig_atomic_t *stop; /* ends the run early once not 0; may be null */
    void (*progress)(void *context, uint64_t done, uint64_t total, /* some times a second; may be null; */
                     double best_s); /* total 0: nobody knows yet; best_s NaN before the first */
    void (*message)(void *context, const char *text); /* warnings, one line each; may be null */
    void *context;
};
OCCUTUNE_API void occutune_options_init(struct occutune_options *options);

/* What was found for one spec: a row per problem size. */
typedef struct occutune_decision occutune_decision;

/* Tunes the spec in file `spec`. Succeeds also when no configuration ran correctly: then there are no rows. */
OCCUTUNE_API int occutune_tune(occutune_decision **out, const char *spec,
                               const struct occutune_options *options, struct occutune_error *error);
OCCUTUNE_API int occutune_load(occutune_decision **out, const char *path, struct occutune_error *error);
OCCUTUNE_API int occutune_save(const occutune_decision *decision, const char *path,
                               struct occutune_error *error);
OCCUTUNE_API void occutune_free(occutune_decision *decision); /* also null */

/* Where the times come from: "live", "recorded", or "predicted" by occutune predict -o; the GPU's name. Borrowed
 * from the decision. */
OCCUTUNE_API const char *occutune_level(const occutune_decision *decision);
OCCUTUNE_API const char *occutune_device(const occutune_decision *decision);

OCCUTUNE_API size_t occutune_size_count(const occutune_decision *decision);
OCCUTUNE_API const char *occutune_size_name(const occutune_decision *decision,
                                            size_t index); /* null past the end */
OCCUTUNE_API size_t occutune_row_count(const occutune_decision *decision);

/* The best configuration of one row; pointers are borrowed from the decision. */
struct occutune_configuration {
    const char *device;
    unsigned sm;         /* 90 for sm_90 */
    const double *sizes; /* of the problem, occutune_size_count() of them */
    double time_s;       /* median; of the level "predicted" the estimate */
    double speedup;      /* over the default configuration; NaN when that has no time */
    unsigned block[3], shared_dynamic_bytes;
    const char *const *options; /* to compile with, without the architecture */
    size_t option_count;
    const occutune_decision *decision;
    size_t row;
};

OCCUTUNE_API int occutune_row(struct occutune_configuration *out, const occutune_decision *decision,
                              size_t row, struct occutune_error *error);

/* The row that fits best: the device's own (null: any) at these sizes, else its nearest by ratio, else the
 * nearest of the same architecture (0: none asked). OCCUTUNE_MISSING when there is none. `sizes` has
 * occutune_size_count() elements. */
OCCUTUNE_API int occutune_best(struct occutune_configuration *out, const occutune_decision *decision,
                               const char *device, unsigned sm, const double *sizes,
                               struct occutune_error *error);

/* The value of a parameter in a configuration. OCCUTUNE_USAGE for an unknown name or a value of another kind;
 * true and false are 1 and 0. */
OCCUTUNE_API int occutune_integer(int64_t *out, const struct occutune_configuration *configuration,
                                  const char *parameter, struct occutune_error *error);
OCCUTUNE_API int occutune_real(double *out, const struct occutune_configuration *configuration,
                               const char *parameter, struct occutune_error *error);
OCCUTUNE_API int occutune_text(const char **out, const struct occutune_configuration *configuration,
                               const char *parameter, struct occutune_error *error);

/* A tuned kernel at run time, in CUDA contexts that belong to the application. Thread-safe.
 *
 * The configuration is the one tuned for the current context's device at the sizes asked for, else at that
 * device's nearest sizes by ratio, else the nearest of the same architecture, else the one that was best over
 * all, else the spec's default. One that is not valid at these sizes is pruned. */
typedef struct occutune_kernel occutune_kernel;

enum occutune_fit {
    OCCUTUNE_FIT_EXACT,
    OCCUTUNE_FIT_NEAREST,
    OCCUTUNE_FIT_ARCHITECTURE,
    OCCUTUNE_FIT_OVERALL,
    OCCUTUNE_FIT_DEFAULT
};

/* What cuLaunchKernel wants; pointers are borrowed from the kernel. */
struct occutune_launch {
    void *function, *module; /* a CUfunction and its CUmodule (for __constant__ symbols), of the current
                                context; opted in to the shared memory and carve-out below */
    unsigned grid[3], block[3], shared_dynamic_bytes; /* the spec's launch at the sizes asked for */
    enum occutune_fit fit;
    const char *configuration;  /* "TILE_M=64 FAST_MATH=True" */
    const char *const *options; /* that it was compiled with, without the architecture */
    size_t option_count;
    unsigned cluster[3];           /* thread blocks of a cluster; all 1: no launch attribute is needed */
    int cooperative, programmatic; /* not 0: with these launch attributes (cuLaunchKernelEx) */
};

/* Takes what it needs of `count` decisions about the kernel of `spec` (none: the default is used); they may
 * be freed afterwards. Of the options (null: all defaults) cache, nvrtc, worker, message and context count,
 * and must outlive the kernel. `message` is told, once each: a source that has changed since it was tuned (it
 * is used all the same), rows that the spec no longer allows, every kind of fallback, a cache that cannot be
 * written; it is called by one thread at a time and must not call back. OCCUTUNE_USAGE for a bad spec or a
 * decision about another kernel. */
OCCUTUNE_API int occutune_kernel_open(occutune_kernel **out, const char *spec,
                                      occutune_decision *const *decisions, size_t count,
                                      const struct occutune_options *options, struct occutune_error *error);

/* `sizes` are the problem's, in the spec's order. The first call for a configuration in a context compiles
 * it, or finds it in the cache, and loads it, while other threads that ask for the same wait; not while a
 * stream of the context captures. Later calls cost microseconds. Never makes a context: OCCUTUNE_USAGE when
 * none is current on the calling thread, and for sizes at which not even the default is valid. Where tuned
 * code does not compile or load here, that is said once and the default takes its place; a failure of the
 * default (OCCUTUNE_USAGE: does not compile, OCCUTUNE_GPU, OCCUTUNE_MISSING: no driver or compiler) is kept
 * until the kernel is closed. */
OCCUTUNE_API int occutune_kernel_get(struct occutune_launch *out, occutune_kernel *kernel,
                                     const double *sizes, struct occutune_error *error);

/* The same choice for any device, by its name (null: unknown) and architecture (90 for sm_90; 0: unknown),
 * without driver or compiler: function and module are null. OCCUTUNE_USAGE for sizes at which not even the
 * default is valid. */
OCCUTUNE_API int occutune_kernel_choose(struct occutune_launch *out, const occutune_kernel *kernel,
                                        const char *device, unsigned sm, const double *sizes,
                                        struct occutune_error *error);

/* Unloads the code from the context that is current; other contexts keep theirs to their end. No thread may
 * be using the kernel, or a function of it. */
OCCUTUNE_API void occutune_kernel_close(occutune_kernel *kernel); /* also null */

/* "0.1.0" */
OCCUTUNE_API const char *occutune_version(void);

#ifdef __cplusplus
}
#endif

#endif

/* occutune: tuning CUDA kernels from a program.
 *
 * Tune a spec, or load a decision that was made before, and ask which configuration is best for a device and
 * a problem size and with which options to compile it. Nothing here prints, exits or keeps state between
 * calls; a handle may be used by one thread at a time. No CUDA library is loaded into the calling process:
 * compiler and GPU are held by workers, executables found beside the library or named in the options.
 *
 * Functions return 0, or a negative code and a text in `error` (which may be null). On failure `*out` is null
 * or empty. */
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
    const char *strategy;    /* "exhaustive" or "random" */
    uint64_t seed;           /* of what is random */
    double time_s;           /* budget in seconds; 0: none */
    uint64_t trials;         /* most configurations to time; 0: all */
    unsigned jobs;           /* threads that compile; 0: one per core */
    const char *journal;     /* file that keeps every result and is resumed; null: a default name */
    const char *cache;       /* directory that keeps compiled code; null: none */
    const char *nvrtc;       /* NVRTC library; null: found */
    const char *worker;      /* worker executable; null: found */
    const char *const *sets; /* overrides of problem sizes, "M=1024" */
    size_t set_count;
    const volatile sig_atomic_t *stop; /* ends the run early once not 0; may be null */
    void (*progress)(void *context, uint64_t done, uint64_t total, /* some times a second; may be null */
                     double best_s);                               /* NaN before the first */
    void (*message)(void *context, const char *text);              /* warnings, one line each; may be null */
    void *context;
};
OCCUTUNE_API void occutune_options_init(struct occutune_options *options);

/* What was found for one spec: a row per problem size. */
typedef struct occutune_decision occutune_decision;

/* Tunes the spec in file `spec`. Succeeds also when no configuration ran correctly: then there are no rows.
 */
OCCUTUNE_API int occutune_tune(occutune_decision **out, const char *spec,
                               const struct occutune_options *options, struct occutune_error *error);
OCCUTUNE_API int occutune_load(occutune_decision **out, const char *path, struct occutune_error *error);
OCCUTUNE_API int occutune_save(const occutune_decision *decision, const char *path,
                               struct occutune_error *error);
OCCUTUNE_API void occutune_free(occutune_decision *decision); /* also null */

/* "live" or "recorded"; the GPU's name; borrowed from the decision. */
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
    double time_s;       /* median */
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

/* "0.1.0" */
OCCUTUNE_API const char *occutune_version(void);

#ifdef __cplusplus
}
#endif

#endif

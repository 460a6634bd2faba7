/* The place where tuning happens: compiler, GPUs, and what they are. */
#ifndef TUNER_EVALUATE_ENVIRONMENT_H
#define TUNER_EVALUATE_ENVIRONMENT_H

#include "base/err.h"
#include "base/share.h"
#include "base/turns.h"
#include "gpu/compile.h"
#include "gpu/worker.h"
#include "model/device/device.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct environment_options {
    const char *device; /* null: every GPU like the first; else the number of one, or the name of a GPU that
                           is not here */
    const char *nvrtc;  /* library; null: see compiler_open */
    const char *worker; /* executable; null: see worker_open */
    const char *cache;  /* directory for cubins; null: none */
    unsigned jobs;      /* threads that compile; 0: one per core */
    const char *const *elsewhere; /* commands that lead to workers elsewhere (tuner/remote); null: none */
    size_t elsewhere_count;
    double elsewhere_wait_s;                          /* for their answers, at most; 0: a minute */
    const volatile sig_atomic_t *stop;                /* ends that waiting once it is not 0; may be null */
    const char *version;                              /* of this program, which theirs must be */
    void (*message)(void *context, const char *text); /* what becomes of them, a line each; may be null */
    void *context;
    struct clock_setting clocks; /* that are locked on the GPUs here */
    bool whole;   /* GPUs of every kind are opened, not only of the first; the pace of several is timed */
    bool no_gpus; /* uses none of those that are here */
    bool ahead;   /* many variants will be compiled: starts what compiles while the GPU is opened */
};

/* A GPU here. */
struct environment_gpu {
    struct worker *worker;
    struct device device;
    struct gpu_pace pace; /* zeros: not measured */
};

struct environment {
    unsigned jobs;
    struct compiler *compiler; /* null when NVRTC is not here */
    struct err compiler_err;   /* then: why */
    struct environment_gpu *gpus;
    size_t gpu_count;
    struct worker **workers; /* those of them that measure now; borrowed */
    size_t worker_count;     /* 0: no GPU is used here */
    struct err worker_err;   /* then: why */
    struct fleet *fleet;     /* workers elsewhere; null: none */
    double waited_s;         /* for their answers */
    struct device *kinds;    /* of GPUs, here and elsewhere; `whole`: each is to be tuned for */
    size_t kind_count;
    size_t kind;          /* of them that `workers` are of */
    struct device device; /* it; empty when there is none */
    struct turns *turns;  /* see environment_part(); null where one kind is tuned for at a time */
    struct share *share;
    void (*message)(void *context, const char *text);
    void *context;
};

/* Opens what is here; a missing compiler or GPU is no error but stands in the struct. ERR_MISSING when
 * `device` is the number of a GPU that is not here. */
int environment_open(struct environment *out, const struct environment_options *options, struct err *err);
void environment_close(struct environment *environment);

/* Of each GPU here that has none yet. */
void environment_time_paces(struct environment *environment);

/* From now on GPUs of this kind measure, but those that are off the others of their kind, which is told. Opening has
 * chosen the first. */
int environment_choose(struct environment *environment, size_t kind, struct err *err);

/* The same environment for another kind, beside it: what tunes in either has the turn (`turns`, set before) but where it
 * waits, and they share the cores. */
int environment_part(struct environment *out, const struct environment *environment, size_t kind,
                     struct err *err);
void environment_part_release(struct environment *part); /* also zeroed */

/* The GPUs that measure are here or elsewhere; else times are a recording's. */
bool environment_measures(const struct environment *environment);

/* Bytes of the GPU that has most of those to be tuned for; 0: not known, or the times are a recording's. */
uint64_t environment_memory(const struct environment *environment);

unsigned environment_cores(void); /* that this process may use, at least 1 */

/* True when `device` is a number. */
bool environment_is_number(const char *device);

/* "NVIDIA H200" and "nvidia-h200" are the same name. */
bool environment_same_name(const char *a, const char *b);

/* The directory where compiled code is kept, or null for none: OCCUTUNE_CACHE, else $XDG_CACHE_HOME/occutune,
 * else ~/.cache/occutune. "" in OCCUTUNE_CACHE means none. */
const char *environment_cache_directory(char *out, size_t size);

/* The name in lower case with '-' for what is no letter or digit, cut to `size`. */
void environment_slug(char *out, size_t size, const char *name);

#endif

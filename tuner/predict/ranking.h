/* The variants of a space in the order of their predicted times, without a GPU: every configuration is
 * compiled and its machine code predicted, on as many threads as there are jobs. */
#ifndef TUNER_PREDICT_RANKING_H
#define TUNER_PREDICT_RANKING_H

#include "base/err.h"
#include "launch/outcome.h"
#include "gpu/compile.h"
#include "model/predict/analyze.h"
#include "model/machine/machine.h"
#include "space/space.h"
#include "space/spec.h"
#include "space/variant.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranked {
    uint64_t index;       /* in the space */
    enum outcome outcome; /* OUTCOME_OK: it compiled and can be launched */
    bool predicted;
    char *reason;  /* owned: why it is not ok, or not predicted; null otherwise */
    double weight; /* of a second, in the objective: see spec_weight */
    double estimate_s, bound_s, needed_warps, had_warps, confidence;
    double interval_low_s, interval_high_s; /* see struct prediction */
    char unrated[96]; /* of a predicted one: its instructions that have no rate, by name */
    enum resource limiter;
    enum limited_by limited_by;
    bool latency_hidden;
    unsigned assumptions; /* enum predict_assumption, or-ed */
    bool bound_proved;    /* else it is likely: PREDICT_BOUND_NOT_PROVED */
    unsigned registers, blocks_per_sm;
    double compile_s; /* of the compiler */
    double predict_s; /* of one core: from the cubin to the prediction */
};

/* Its estimate times its weight: of two, the smaller is better. */
double ranked_cost(const struct ranked *ranked);

struct ranking_progress {
    uint64_t done, total;
    double now_s, left_s; /* since the start; estimated until the end (NaN: not known) */
    double best_s;        /* the estimate of the best so far; NaN: none */
};

struct ranking_options {
    const struct spec *spec;
    size_t problem;
    const struct space *space;
    const uint64_t *indices; /* the configurations to rank; null: all, or `count` of them */
    uint64_t count;          /* of `indices`; without them how many, drawn at random (0: all) */
    const struct machine *machine;
    struct compiler *compiler;
    unsigned jobs;
    bool account;                      /* see struct expect_options */
    const volatile sig_atomic_t *stop; /* ends the ranking, with what is done by then; may be null */
    double time_s;                     /* likewise after so many seconds; 0: never */
    /* Called after each configuration; may be null. */
    void (*progress)(void *context, const struct ranking_progress *now);
    /* Sees a prediction that was made, on the thread that made it; may be null. */
    void (*visit)(void *context, const struct ranked *ranked, const struct variant *variant,
                  const struct analysis *analysis);
    void *context; /* of both */
};

struct ranking {
    struct ranked *rows; /* predicted ones first, by estimate times weight; then the others by index */
    size_t count, predicted;
    size_t total; /* that were to be ranked: more than `count` where it was stopped */
};

/* A variant's own trouble is in its row. A ranking that is stopped is no error: compiles and emulations under
 * way are ended at once, and the rows are those that were done. Without `indices` the order of the work is
 * random, the same each time, so that they stand for the whole space. */
int ranking_make(struct ranking *out, const struct ranking_options *options, struct err *err);
void ranking_release(struct ranking *ranking);

/* One variant; `choices` is a configuration. Releases nothing on failure but what it made; `analysis` and
 * `out` are filled as far as it came, and released by the caller. */
int ranking_one(struct ranked *out, struct analysis *analysis, const struct ranking_options *options,
                const unsigned *choices, struct err *err);

#endif

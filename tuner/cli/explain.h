/* What `occutune explain` shows of one variant, as text and as JSON. */
#ifndef TUNER_CLI_EXPLAIN_H
#define TUNER_CLI_EXPLAIN_H

#include "base/json.h"
#include "model/predict/advice.h"
#include "model/predict/analyze.h"
#include "model/predict/interval.h"
#include "model/machine/machine.h"
#include "tuner/predict/ranking.h"

#include <stddef.h>
#include <stdio.h>

enum {
    EXPLAIN_CHAIN = 8,   /* instructions of the latency chain shown, at most */
    EXPLAIN_CHANGES = 5, /* likewise changes of one parameter */
    EXPLAIN_LINES = 5    /* likewise lines of the source */
};

/* What a warp waits for at one line of the source. */
struct explained_line {
    const char *file;
    unsigned line;
    double waited_cycles;
};

/* A configuration that differs in one parameter and is predicted at least 1 % faster. */
struct explained_change {
    size_t parameter;
    unsigned choice;
    double gain, estimate_s;
};

struct explained_changes {
    struct explained_change best[EXPLAIN_CHANGES]; /* greatest gain first */
    size_t count;
    size_t tried; /* neighbours that have a prediction */
};

/* Predicts all neighbours of `choices`, whose cost is known (see ranked_cost), on as many threads as there are cores. None where `choices` is not in
 * the space, or cannot be changed. */
int explained_changes(struct explained_changes *out, const struct ranking_options *how,
                      const unsigned *choices, double cost, struct err *err);

struct explained {
    const struct analysis *analysis; /* predicted, with its account */
    const struct machine *machine;
    const struct spec *spec;
    size_t problem;
    const unsigned *choices;
    const char *recorded; /* where trials of the kernel were found; null: nobody asked */
    struct interval_trials trials;
    struct explained_changes changes;
    struct advice advice[ADVICE_MOST];
    size_t advice_count;
    size_t chain[EXPLAIN_CHAIN]; /* indices of the instructions that are waited for most */
    size_t chain_count;
    struct explained_line lines[EXPLAIN_LINES]; /* that are waited for most, most first */
    size_t line_count;                          /* 0 also where the code has no lines: see lines_read() */
};

/* Fills the lines from what is expected. */
int explained_find_lines(struct explained *out, struct err *err);

/* What to change first; with `verbose` the tables of bounds, latency and occupancy behind it. */
void explained_print(FILE *out, const struct explained *explained, bool verbose);
struct json *explained_json(const struct explained *explained); /* null when memory ends */

/* The resources that are asked for, tightest first, at most RESOURCE_COUNT; returns how many. */
size_t explained_bounds(enum resource out[RESOURCE_COUNT], const struct throughput *throughput);

/* Names of the profile's values and curves that were measured on another GPU. */
enum { EXPLAINED_ELSEWHERE_MOST = DEVICE_VALUE_COUNT + DEVICE_CURVE_COUNT };
size_t explained_elsewhere(const char **names, const struct device *device);

/* "cache hits are estimated from footprints" for one of enum predict_assumption. */
const char *explained_assumption(enum predict_assumption assumption);

/* The one of them that matters most where this is the limit; null: nothing is assumed. */
const char *explained_most(unsigned assumptions, enum limited_by limited, enum resource limiter);

/* The assumption that matters most, and with `verbose` the others. */
void explained_put_assumed(FILE *out, const struct prediction *prediction, bool verbose);

#endif

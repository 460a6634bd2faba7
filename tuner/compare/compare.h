/* Ways of searching side by side, on the same measurements: a recording is searched again and again on a
 * simulated machine (tuner/evaluate), and what each way had found is compared with the fastest of all.
 *
 *   exhaustive  every configuration, in the order of the space
 *   model       prediction and measurement (tuner/strategy)
 *   random      a random order
 *   occupancy   all are compiled, then timed by falling occupancy
 *   pareto      all are compiled, then those on the Pareto front of Ryoo's two metrics (tuner/predict/pareto)
 *               are timed
 *
 * A seed draws which recorded samples are replayed, the random order, and the order of equals. */
#ifndef TUNER_COMPARE_COMPARE_H
#define TUNER_COMPARE_COMPARE_H

#include "base/err.h"
#include "base/json.h"
#include "tuner/predict/pareto.h"
#include "tuner/evaluate/replay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum compare_way {
    COMPARE_EXHAUSTIVE,
    COMPARE_MODEL,
    COMPARE_RANDOM,
    COMPARE_OCCUPANCY,
    COMPARE_PARETO,
    COMPARE_WAYS
};
const char *compare_way_text(enum compare_way way);

enum { COMPARE_MARKS = 4, COMPARE_SEEDS_MOST = 200 };

/* How often the rules of the model's way kept their promise. A run lost the best by a rule when what it chose
 * is more than 1 % slower than the fastest of all, and the rule had cut that one, or (`bound`) any other that
 * is as much faster. An audit held when the share of what was pruned that truly beats the chosen one, in
 * the times that this run would have measured, is not above the limit that it states. */
struct compare_rules {
    unsigned lost_by_bound, lost_by_estimate; /* runs */
    unsigned audits, audits_held;             /* runs with an audit; those of them whose statement was true */
};

/* What the model says of a configuration, and the core seconds that predicting it took; asked for when the
 * model's way begins to compile it, by several threads at the same time. */
struct compare_predictions {
    int (*prediction)(struct search_prediction *out, double *seconds, void *context, uint64_t index,
                      struct err *err);
    void *context;
};

struct compare_options {
    const struct spec *spec;
    const struct space *space;
    uint64_t first; /* the default configuration */
    const struct replay *replay;
    const struct compare_predictions *predictions; /* null: the way `model` is left out */
    const struct pareto_metrics *pareto;           /* by index, NaN where nothing is known; null: left out */
    unsigned seeds;                                /* 1 to COMPARE_SEEDS_MOST */
    unsigned cores;                                /* of the simulated machine */
    unsigned jobs;                                 /* threads here: so many runs at a time; at least 1 */
    uint64_t trials;                               /* for `model`; 0: its own allowance */
};

/* Median and 10 % and 90 % quantiles over the seeds; infinite where a run never came so far. */
struct compare_spread {
    double median, low, high;
};

/* One way of searching. Qualities are best time of all / time of what it would have chosen. */
struct compared_way {
    bool compared;
    const char *why_not;                        /* else */
    struct compare_spread quality;              /* at its end */
    struct compare_spread timed, compiled;      /* configurations and codes, at its end */
    struct compare_spread seconds;              /* at its end, of the simulated machine */
    struct compare_spread after[COMPARE_MARKS]; /* quality after compare_marks[] trials */
    struct compare_spread
        at_model; /* quality after as many trials as `model` took (median); NaN without it */
    struct compare_spread trials_to_99, seconds_to_99; /* until the quality is and stays at least 0.99 */
    struct compare_spread busy; /* share of the time in which GPU or all cores worked */
    size_t curve_count;
    struct compare_spread *curve; /* quality by trials: [n] after n + 1 */
    struct compare_spread *clock; /* seconds by trials */
};
extern const unsigned compare_marks[COMPARE_MARKS]; /* 10, 30, 100, 300 */

struct compared {
    uint64_t valid, ran, best;
    double best_s;
    struct compare_rules rules; /* over the runs of `model` */
    unsigned seeds, cores;
    struct compared_way ways[COMPARE_WAYS];
};

/* What comes of it does not depend on `jobs`. */
int compare(struct compared *out, const struct compare_options *options, struct err *err);
void compared_release(struct compared *compared);

/* As JSON (the caller frees it), and as charts: quality against trials, and against time; malloc'ed. */
int compared_json(struct json **out, const struct compared *compared, struct err *err);
int compared_chart(char **out, const struct compared *compared, bool by_time, const char *title,
                   struct err *err);

#endif

/* What the files of the comparison share: compare_run.c (one run) and compare.c (all of them). Nobody else
 * includes this. */
#ifndef TUNER_COMPARE_COMPARING_H
#define TUNER_COMPARE_COMPARING_H

#include "tuner/compare/compare.h"
#include "tuner/strategy/strategy.h"

/* One way. With `by_occupancy` or `on_front` it times by a plan, made from what all were compiled to. */
struct compare_row {
    const char *name;
    const struct strategy *strategy;
    bool by_occupancy; /* by falling occupancy, else in random order */
    bool on_front;     /* only the Pareto front */
    const char *worse; /* the chart's name of its 10 % quantile; null where seeds change little */
};
extern const struct compare_row compare_ways[COMPARE_WAYS];

/* One run of one way. */
struct compare_run {
    size_t count;      /* trials */
    double *quality;   /* after each: of what it would choose then; 0 while nothing ran */
    double *clock_s;   /* when each ended */
    uint64_t compiled; /* codes: several configurations may have one */
    double end_s, busy;
    struct compare_rules rules; /* `model`: of this run */
};

int compare_run(struct compare_run *out, const struct compare_options *options, enum compare_way way,
                uint64_t seed, struct err *err);
void compare_run_release(struct compare_run *run);

#endif

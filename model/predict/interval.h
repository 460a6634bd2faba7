/* How far a measurement may lie from the estimate: an interval of the time that is to hold 80 % of
 * measurements.
 *
 * What makes an estimate doubtful is known when it is made: its confidence, how far it lies above the bound,
 * which resource it goes by. Each such feature spreads log(measured / estimate) by a factor of its own;
 * benchmarks/validation/intervals_main.c fits the factors (interval.def) to recorded times and judges them on
 * kernels left out of the fit. */
#ifndef MODEL_INTERVAL_H
#define MODEL_INTERVAL_H

#include "model/predict/predict.h"

#include <stddef.h>

enum interval_feature {
#define INTERVAL_FEATURE(name, weight, text) INTERVAL_##name,
#define INTERVAL_END(name, value)
#include "model/predict/interval.def"
    INTERVAL_FEATURES
};

const char *interval_feature_name(enum interval_feature feature); /* "LATENCY" */
const char *interval_feature_text(enum interval_feature feature);

/* Of a prediction's estimate, bound, confidence, limiter and latency_hidden; each 0 or more,
 * INTERVAL_ALWAYS 1. */
void interval_features(double out[INTERVAL_FEATURES], const struct prediction *from);

/* exp(sum of weight x feature), at most INTERVAL_SPREAD_MOST: from there on the interval says that the
 * estimate may be off by several times, and how often is not known. */
double interval_spread(const double weights[INTERVAL_FEATURES], const double values[INTERVAL_FEATURES]);

#define INTERVAL_SPREAD_MOST 0.5

/* Ends of an interval, as log(time / estimate). */
struct interval_ends {
    double low, high;
};

/* What is known of timed configurations of a kernel: what their estimates missed by. */
struct interval_trials {
    size_t count;
    double sum, squares; /* of log(measured / estimate) */
};
void interval_add_trial(struct interval_trials *to, double estimate_s, double measured_s);

/* The ends for another configuration of the kernel when these were timed. Estimates of one kernel err alike, so that its
 * trials move the interval and narrow it, or widen it where they scatter. Unchanged without trials. */
struct interval_ends interval_after(struct interval_ends before, const struct interval_trials *trials);

/* By which factor the interval reaches higher: where blocks wait for what others store, or go by what they find of it. */
double interval_reach(unsigned assumptions);

/* Sets interval_low_s and interval_high_s from the rest of a prediction. It reaches over the two estimates
 * that are given, which may be the estimate itself, and begins no lower than the bound. Where the prediction
 * rests on published values it is widened, where blocks go by what others store it reaches higher; where its confidence is 0 there is none. */
void interval_find(struct prediction *prediction, double shorter_s, double longer_s);

/* Moves the interval of a prediction, if it has one, as interval_after() says; it begins no lower than the bound. */
void interval_move(struct prediction *prediction, const struct interval_trials *trials);

#endif

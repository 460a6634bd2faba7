#include "model/predict/interval.h"

#include "model/machine/assumption.h"
#include "model/machine/assumptions.h"

#include <math.h>

static const struct {
    const char *name, *text;
    double weight;
} features[] = {
#define INTERVAL_FEATURE(name, weight, text) {#name, text, weight},
#define INTERVAL_END(name, value)
#include "model/predict/interval.def"
};

/* In units of the spread, from log(estimate) on. */
enum interval_end { LOW, HIGH };
static const double ends[] = {
#define INTERVAL_FEATURE(name, weight, text)
#define INTERVAL_END(name, value) [name] = value,
#include "model/predict/interval.def"
};

const char *interval_feature_name(enum interval_feature feature)
{
    return features[feature].name;
}

const char *interval_feature_text(enum interval_feature feature)
{
    return features[feature].text;
}

static bool is_l1(enum resource r)
{
    return r == RESOURCE_L1_DATA || r == RESOURCE_L1_TAGS || r == RESOURCE_LOADS_IN_FLIGHT;
}

static bool is_beyond(enum resource r)
{
    return r == RESOURCE_L2 || r == RESOURCE_L2_WRITE || r == RESOURCE_DRAM_READ || r == RESOURCE_DRAM_WRITE;
}

static bool is_atomic(enum resource r)
{
    return r == RESOURCE_ATOMIC_GLOBAL || r == RESOURCE_ATOMIC_SHARED || r == RESOURCE_ATOMIC_PLACE ||
           r == RESOURCE_REMOTE;
}

void interval_features(double out[INTERVAL_FEATURES], const struct prediction *from)
{
    const double loose =
        from->bound_s > 0 ? from->estimate_s / from->bound_s : assumptions_default.most_loose;

    out[INTERVAL_ALWAYS] = 1;
    out[INTERVAL_DOUBT] = -log(fmin(fmax(from->confidence, assumptions_default.least_confidence), 1));
    out[INTERVAL_LOOSE] = log(fmin(fmax(loose, 1), assumptions_default.most_loose));
    out[INTERVAL_LATENCY] = !from->latency_hidden;
    out[INTERVAL_L1] = is_l1(from->limiter);
    out[INTERVAL_BEYOND] = is_beyond(from->limiter);
    out[INTERVAL_SHARED] = from->limiter == RESOURCE_SHARED;
    out[INTERVAL_ATOMIC] = is_atomic(from->limiter);
    out[INTERVAL_TABLES] = from->limiter == RESOURCE_CONSTANT;
}

double interval_spread(const double weights[INTERVAL_FEATURES], const double values[INTERVAL_FEATURES])
{
    double sum = 0;

    for (int f = 0; f < INTERVAL_FEATURES; f++)
        sum += weights[f] * values[f];
    return fmin(exp(sum), INTERVAL_SPREAD_MOST);
}

static double spread_of(const struct prediction *prediction)
{
    double weights[INTERVAL_FEATURES], values[INTERVAL_FEATURES];

    for (int f = 0; f < INTERVAL_FEATURES; f++)
        weights[f] = features[f].weight;
    interval_features(values, prediction);
    return interval_spread(weights, values);
}

double interval_reach(unsigned assumptions)
{
    if (assumptions & PREDICT_ASSUMED_POLLING)
        return assumptions_default.polling_factor;
    return assumptions & PREDICT_ASSUMED_STORED ||
                   (assumptions & PREDICT_ASSUMED_ATOMIC && !(assumptions & PREDICT_ASSUMED_TICKETS))
               ? assumptions_default.answers_factor
               : 1;
}

void interval_find(struct prediction *p, double shorter_s, double longer_s)
{
    const double spread = spread_of(p);
    const double factor =
        p->assumptions & PREDICT_ASSUMED_PUBLISHED ? assumptions_default.published_factor : 1;
    const double low = fmin(p->estimate_s * exp(ends[LOW] * spread), shorter_s) / factor;
    const double high =
        fmax(p->estimate_s * exp(ends[HIGH] * spread), longer_s) * factor * interval_reach(p->assumptions);

    if (!(p->confidence > 0))
        return; /* instructions without a rate: nothing is known of the time but the bound */
    p->interval_low_s = fmin(fmax(low, p->bound_s), p->estimate_s);
    p->interval_high_s = fmax(high, p->estimate_s);
}

void interval_add_trial(struct interval_trials *to, double estimate_s, double measured_s)
{
    const double missed = log(measured_s / estimate_s);

    to->count++;
    to->sum += missed;
    to->squares += missed * missed;
}

/* A normal distribution whose mean, which is the kernel's, and deviation are not known. Trials err alike, most of all
 * those that a search makes near one another: assumptions.def says how many they are worth, and the interval before. */
#define DEVIATIONS 1.2816 /* on either side of the mean hold 80 % */

struct interval_ends interval_after(struct interval_ends before, const struct interval_trials *trials)
{
    const double prior = assumptions_default.prior_trials, prior_scatter = assumptions_default.prior_scatter;
    const double middle = (before.low + before.high) / 2, n = (double)trials->count;
    const double deviation = (before.high - before.low) / 2 / DEVIATIONS,
                 weight = fmin(n, assumptions_default.trials_most);
    const double mean = n > 0 ? trials->sum / n : 0, squares = n > 0 ? trials->squares / n : 0;
    const double centre = (prior * middle + weight * mean) / (prior + weight);
    const double scatter = squares - 2 * centre * mean + centre * centre;
    const double within = deviation * deviation * prior / (1 + prior);
    const double variance = (prior_scatter * within + weight * scatter) / (prior_scatter + weight);
    const double reach = DEVIATIONS * sqrt(variance * (1 + 1 / (prior + weight)));

    return trials->count ? (struct interval_ends){centre - reach, centre + reach} : before;
}

void interval_move(struct prediction *p, const struct interval_trials *trials)
{
    const struct interval_ends before = {log(p->interval_low_s / p->estimate_s),
                                         log(p->interval_high_s / p->estimate_s)},
                               moved = interval_after(before, trials);

    if (!(p->interval_high_s > 0) || !trials->count)
        return;
    p->interval_low_s = fmax(p->estimate_s * exp(moved.low), p->bound_s);
    p->interval_high_s = fmax(p->estimate_s * exp(moved.high), p->bound_s);
}

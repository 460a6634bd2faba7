/* Which configuration next? A pure state machine: no GPU, no compiler, no clock of its own.
 *
 * Configurations are indices of a space. Each goes through two steps, compiling and timing, and the search is
 * told what came of each. Told the same facts in the same order, it asks for the same things.
 *
 * The strategy (strategy.h) decides. `model` compiles a spread of configurations, learns from their
 * predictions which to compile next (`posterior`), times the most promising, and learns again from what was
 * measured. A compiled variant is pruned by one of two rules:
 *   bound     its lower bound on time is not below the best measured time: safe as long as bounds are true
 *   estimate  it, or what its neighbours' estimates say of one that was never compiled, is expected to be
 *             slower: not safe, and so audited: a random sample of them is timed at the end
 * A compiled variant without a prediction is pruned by neither: it is timed while there are trials.
 * Cores and GPUs are kept busy with what promises most for the time it takes; nothing waits for one compile.
 * It ends when nothing left is likely to win, or when going on is expected to gain little. With a number of
 * trials it makes the most of these instead, and ends when they are used up. Where predictions are missing or
 * mislead, the measured times alone guide it. */
#ifndef TUNER_STRATEGY_SEARCH_H
#define TUNER_STRATEGY_SEARCH_H

#include "base/err.h"
#include "launch/outcome.h"
#include "model/machine/throughput.h"
#include "space/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strategy; /* strategy.h */

enum {
    /* Compiled variants that are kept for their trials: more than `model` asks for unless it is allowed as
     * many trials. */
    SEARCH_READY_MOST = 2048,
    SEARCH_AUDIT = 20, /* of those pruned, unless another number is asked for */
    /* Rule `estimate` cuts what is expected to be slower by this many deviations. They rest on few points,
     * and what the model misses has heavy tails: even so, of 900 runs on the recordings of the library, half
     * of them with predictions made worse by some 5 %, one lost the best by it. */
    SEARCH_MARGIN = 5
};

/* Relative gain: `model` ends when going on for as long again is expected to gain less. */
#define SEARCH_WORTHWHILE 0.001

struct search_options {
    const struct strategy *strategy;
    uint64_t seed;             /* of what is random */
    uint64_t count;            /* configurations of the space; at least 1 */
    uint64_t first;            /* the one to begin with */
    uint64_t trials;           /* how many may be timed; 0: any number */
    unsigned cores;            /* `model`: that compile at the same time; 0: 1 */
    bool goes_on;              /* `model`: does not end for little expected gain: the caller ends it */
    uint64_t audit;            /* `model`: how many of those pruned to time at the end */
    const struct space *space; /* `model`: borrowed */
    const struct spec *spec;   /* `model`: of the space, borrowed */
    size_t problem;            /* of the spec */
    /* `model`: whose results are known, in the order in which they came; borrowed. They cost nothing, and are asked for before all
     * others, until some turn out to be known no more. */
    const uint64_t *answered;
    size_t answered_count;
    const uint64_t *plan; /* `planned`: which to time, in what order; borrowed */
    size_t plan_count;
};

/* A small ration of trials to compare searches by: 2 % of the configurations, 10 to 250. */
uint64_t search_allowance(uint64_t count);

enum search_action {
    SEARCH_COMPILE, /* compile `index`, then tell */
    SEARCH_TIME,    /* time `index`, which was compiled, then tell */
    SEARCH_WAIT,    /* nothing can be started now: tell something first */
    SEARCH_STOP     /* all is done */
};

struct search_step {
    enum search_action action;
    uint64_t index;
    bool audit; /* the search itself has ended: of its audit, if there is one */
};

/* What the caller could start at this moment. It may refuse to compile as long as it likes: then what is
 * ready is timed, and the search ends when nothing of it is worth a trial. */
struct search_capacity {
    bool compile, time;
    double now_s; /* on the caller's clock, which does not run backwards */
};

/* What the model says of a compiled variant; times are positive where it says something. */
struct search_prediction {
    bool predicted; /* else the rest is meaningless */
    double bound_s, estimate_s;
    enum resource limiter; /* of the estimate */
    bool unrated; /* executes what the model has no rate for: the bound holds, the estimate says nothing */
    bool likely;  /* the bound is not proved (PREDICT_BOUND_NOT_PROVED): nothing is cut by it */
};

/* What came of a step. A configuration whose compiling ended other than OUTCOME_OK will not be asked for
 * again. */
struct search_facts {
    bool timed; /* of the timing, else of the compiling */
    enum outcome outcome;
    bool shared;      /* of the compiling: the code is one asked for before, and cost nothing */
    bool answered;    /* of the compiling: timing it costs nothing, the result is known */
    bool impossible;  /* of the compiling: it was refused without */
    double time_s;    /* when timed and ok */
    double spent_s;   /* core or GPU seconds that the step took; 0: nothing, or not known */
    uint64_t same_as; /* OUTCOME_SAME_CODE: whose code it is, which was told before */
    struct search_prediction prediction; /* when compiled and ok */
};

struct search;

int search_open(struct search **out, const struct search_options *options, struct err *err);
void search_close(struct search *search); /* also null */

int search_next(struct search_step *out, struct search *search, struct search_capacity capacity,
                struct err *err);
int search_tell(struct search *search, uint64_t index, const struct search_facts *facts, struct err *err);

/* The times told so far were taken under other conditions: from now on each counts times what `factor` says of its
 * configuration. */
typedef double search_factor(const void *context, uint64_t index);
void search_correct(struct search *search, search_factor *factor, const void *context);

/* How many configurations it has asked to compile so far, audit left out. */
uint64_t search_visited(const struct search *search);

/* How it stands, or ended. */
enum search_end {
    SEARCH_GOING,    /* SEARCH_STOP was not reached: the caller ended it */
    SEARCH_ALL,      /* every configuration was tried or cut by what is certain */
    SEARCH_UNLIKELY, /* nothing left is likely to gain anything */
    SEARCH_SLOW,     /* what is still being compiled takes much longer than the rest did */
    SEARCH_LITTLE,   /* as long again is expected to gain less than SEARCH_WORTHWHILE */
    SEARCH_SPENT     /* the trials are used up */
};
const char *search_end_text(enum search_end end);

struct search_summary {
    enum search_end end;
    double further_gain, again_s; /* relative gain expected of so many seconds more; NaN: not known */
    uint64_t compiled, timed;     /* audit left out */
    uint64_t shared;         /* of `compiled`: with the code of another, which was compiled once for both */
    uint64_t refused;        /* compiled, but the model has no prediction */
    uint64_t cut_bound;      /* compiled, pruned by `bound` */
    uint64_t cut_estimate;   /* compiled, pruned by `estimate` */
    uint64_t not_compiled;   /* pruned by `estimate` without being compiled */
    uint64_t compiling;      /* of `not_compiled`: begun, not ended */
    uint64_t promising;      /* compiled and left though not unlikely to win: the trials were used up */
    double rank_correlation; /* of estimates with measured times (Spearman); NaN while fewer than 8 */
    struct {
        uint64_t timed, faster; /* of the sample: timed, and of those faster than the best before */
        double nearest;         /* fastest of them / best before; NaN when none was timed */
        double limit;           /* 95 % upper limit on the share that is faster; 1 when none was timed */
    } audit;
};
void search_summarise(struct search_summary *out, const struct search *search);

/* What became of a configuration, or would if it ended now; the audit changes nothing. Only of a strategy
 * that prunes. */
enum search_fate {
    SEARCH_TRIED,        /* asked to time, or could not be */
    SEARCH_CUT_BOUND,    /* pruned by `bound` */
    SEARCH_CUT_ESTIMATE, /* pruned by `estimate`, compiled or not: unlikely to gain anything */
    SEARCH_LEFT          /* pruned though not unlikely to win */
};
enum search_fate search_fate(const struct search *search, uint64_t index);

/* Why a compiled configuration was pruned, with the figures that said so. */
struct search_cut {
    uint64_t index;
    enum search_fate fate; /* SEARCH_LEFT: by no rule, the trials were used up */
    struct search_prediction prediction;
    double expected_s, deviation; /* by all that is known: median, and deviation of the logarithm; NaN none */
    double best_s;                /* what it was compared with */
};

/* Those pruned, cut_bound + cut_estimate + promising of them: `out` holds as many as search_summary's
 * numbers. */
size_t search_cuts(struct search_cut *out, const struct search *search);

#endif

/* The state of the strategy `model`, shared by its files: model.c, model_next.c (what next), model_learn.c, model_choose.c (what is
 * worth it), model_gain.c (what to expect of going on), model_audit.c, model_summary.c (what it came to). Nobody
 * else includes this. */
#ifndef TUNER_STRATEGY_MODEL_H
#define TUNER_STRATEGY_MODEL_H

#include "base/map.h"
#include "tuner/strategy/features.h"
#include "tuner/strategy/posterior.h"
#include "tuner/strategy/strategy.h"

enum {
    PLAN = 16,         /* configurations planned to be compiled at a time */
    EXPLORE = 8,       /* every so many compiled one is drawn at random */
    POOL = 1024,       /* configurations looked at for it, besides neighbours of the best */
    AROUND = 3,        /* best variants whose neighbours are looked at */
    BESIDE = 8,        /* every so many compiled one is a neighbour of the best, whatever is expected of it */
    SPREAD = 64,       /* first configurations to compile, at most */
    SPREAD_LEAST = 16, /* of them are drawn before any is planned */
    LARGE = 1000,      /* from here on at most a tenth of the space is compiled ... */
    COMPILED_MOST = 2000, /* ... and at most this many; ... */
    COMPILED_SMALL = 256, /* ... and of smaller spaces this many */
    DEAR = 4,             /* times as long as usual is long for a compile */
    COMPILED_LEAST =
        400,            /* to look for surprises before the end, at most, and half of what may be compiled */
    AFTER_SPREAD = 256, /* to compile besides, shared out among the trials, ... */
    AHEAD_LEAST = 4,    /* ... but for each at least ... */
    AHEAD_MOST = 8,     /* ... and at most so many, while there is something to choose from */
    REFUSED = 16,       /* refused without compiling: so many cost as much as one that is compiled */
    EARLY = 40,         /* of them are enough to begin with trials, ... */
    STRAGGLERS = 8,     /* ... and one in so many is never waited for: it may take long to compile */
    TRIALS_LEAST = 10,  /* before the search may say that nothing is worth a trial */
    TRIALS_MOST = 250,  /* that it allows itself */
    STALE = 4, /* known results that are none any more, after which the rest is not asked for first */
    BLIND = 64 /* failures without a success after which one order is as good as another */
};

enum stage { COMPILING, READY, TIMING, ENDED };

static inline uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t at_least(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A configuration that was asked for. */
struct member {
    uint64_t index;
    enum stage stage;
    bool audit;        /* asked for by the audit */
    bool answered;     /* its result is known: a trial costs nothing */
    size_t recalled;   /* asked for as the how-manieth of options.answered; 0: not for that */
    bool timed;        /* told */
    double time_s;     /* then: NaN where it failed */
    double asked_s;    /* to compile, ... */
    double expected_s; /* ... which was expected to take so long; ... */
    double spent_s;    /* ... what it took; 0 while unknown */
    struct search_prediction prediction;
    double rank;                /* how much its trial promises, ... */
    double gain;                /* ... expected relative gain on the best, ... */
    double likely_s;            /* ... its expected time; 0: not known, ... */
    bool promising;             /* ... and whether it is worth it, ... */
    uint64_t ranked_at;         /* ... by what was known when `learned` was this */
    struct posterior_view view; /* while it is READY */
    unsigned choices[];         /* the features behind them */
};

struct cost;
struct cost_point;

/* What promises a gain. Each is held against all that came of both: a compile gains by the trial after it. */
enum promise { PROMISE_COMPILE, PROMISE_TRIAL, PROMISES };

/* How the search stood after a trial. */
struct past {
    double now_s, log_best;
    double promised[PROMISES]; /* gain, summed up: what was expected of all that was done by then */
};

struct model_search {
    struct search_options options;
    struct features *features;
    size_t feature_count; /* parameters included */
    uint64_t trials_most, compiled_most, compiled_least, spread;
    struct posterior *posterior;
    struct cost *cost;
    double now_s;                     /* when last asked what next */
    struct observation *observations; /* of members, for the posterior */
    struct observation *news;         /* told since it last learned */
    size_t news_count;
    bool news_lost;              /* some were left out */
    bool is_due;                 /* to learn, before it is said what next */
    struct cost_point *compiles; /* likewise, for the cost */
    struct member **members;
    size_t member_count;
    struct member **ready, **under_way; /* those of stage READY; COMPILING */
    size_t ready_count, under_way_count;
    struct map by_index;
    struct member *initial;             /* the default, or whose code it has; null until asked for */
    uint64_t asked, told;               /* to compile, the audit left out, ... */
    double waited_s;                    /* for those told, from when they were asked for, summed up */
    uint64_t impossible;                /* ... and those that were refused without compiling */
    uint64_t shared;                    /* of those told: cost no compile */
    uint64_t predicted, refused;        /* compiled and ok: the model has a prediction, or has none */
    uint64_t started, timed, succeeded; /* trials, the audit left out */
    size_t timing;                      /* now */
    uint64_t learned;                   /* how often it learned */
    uint64_t learned_at;                /* `told` when it last did */
    uint64_t costs_at;                  /* `told` when it last learned costs, ... */
    size_t overdue_at;                  /* ... and how many compiles were overdue then */
    uint64_t drawn;                     /* positions of the random order */
    size_t recalled;                    /* of options.answered: were asked for, or are members anyway */
    unsigned stale;                     /* of those compiled, so many more have another result now */
    double best_s;                      /* infinite before the first */
    uint64_t best_index;                /* then: whose that is */
    uint64_t plan[PLAN];                /* indices, most wanted last */
    size_t plan_count;
    bool plan_stale;
    size_t plan_count_made;    /* when it was made, ... */
    uint64_t plan_started;     /* ... and trials that were begun then */
    double promised[PROMISES]; /* gain expected of all that was done so far */
    double plan_gain, plan_s;  /* expected of the whole plan when it was made; seconds of all cores */
    struct past *past;         /* after each trial */
    size_t past_count;
    double further_gain, again_s; /* expected of that long again, when last asked */
    uint64_t *pool, *neighbours;  /* indices */
    size_t pool_count;
    unsigned *choices;
    enum search_end end;
    struct {
        bool begun;
        uint64_t drawn, compiled, taken, timed, faster;
        size_t compiling; /* now */
        double best_before_s, fastest_s;
    } audit;
};

void model_summarise(struct search_summary *out, const void *state);
enum search_fate model_fate(const void *state, uint64_t index);
size_t model_cuts(struct search_cut *out, const void *state);

/* What a configuration is known by: feature_count numbers. */
void search_describe(unsigned *out, const struct model_search *search, uint64_t index);

/* Learns from what was told since it last did, all at once: little by little, anew where that does not do. */
int search_learn(struct model_search *search, struct err *err);

/* As search_correct(): all is learnt anew. */
void model_correct(void *state, search_factor *factor, const void *context);

/* Keeps what a member was told of for that. */
int search_add_news(struct model_search *search, const struct member *member, struct err *err);

/* Nothing ran, and what failed so far does not tell what will. */
bool search_is_blind(const struct model_search *search);

/* Whether the bound rules a compiled variant out. */
bool search_bounded(const struct model_search *search, const struct member *member);

/* Whether a compiled variant is worth a trial; one without a prediction always is. */
bool search_is_promising(const struct model_search *search, const struct member *member);

/* Whether a configuration that is not compiled is worth compiling. */
bool search_is_promising_unseen(const struct model_search *search, uint64_t index);

/* Expected relative gain of a configuration on the best time, as a logarithm. */
double search_gain(const struct expected *expected, double best_s);

/* Whether a configuration takes unusually long to compile, and as many of that kind are under way already as
 * may be: never all cores. */
bool search_is_too_dear(const struct model_search *search, const unsigned *choices);
/* Whether a compile of the audit, or of the search itself, is under way that does not take much longer than expected. */
bool search_awaits(const struct model_search *search, bool audit);

/* Compiles under way that take much longer than expected. */
size_t search_overdue(const struct model_search *search);

/* Counts what was expected of a compile. */
void search_count_compile(struct model_search *search);

/* Adds to the past, after a trial of which `gain` was expected. */
int search_remember(struct model_search *search, double gain, struct err *err);

/* How many are to be compiled before what is expected of the rest is believed. */
uint64_t search_compiled_least(const struct model_search *search);

/* Whether too little has been compiled yet to believe what is expected of the rest. */
bool search_may_surprise(const struct model_search *search);

/* Whether little is to be expected of going on for as long again. False while the caller's limits rule. */
bool search_is_exhausted(struct model_search *search);

/* How much compiling a configuration promises for the time that it takes; only the order counts. */
double search_worth(const struct model_search *search, const unsigned *choices);

/* The compiled variant whose trial promises most, and whether it is worth one; null when none is left. */
struct member *search_best_ready(bool *worthwhile, struct model_search *search);

/* Whether there is anything that could be compiled next; the plan is made, if need be. */
bool search_has_plan(struct model_search *search);

/* Whether compiling something new promises anything; then search_planned() gives what promises most. */
bool search_promises(struct model_search *search);
uint64_t search_planned(struct model_search *search);

/* The next of the random order that was not asked for. False at its end. */
bool search_draw(uint64_t *index, struct model_search *search);

/* The neighbour of the fastest so far that promises most of those that were not asked for; all differ from it
 * in one parameter. False where there is none. */
bool search_draw_beside(uint64_t *index, struct model_search *search);

/* Likewise; passes over what would take unusually long to compile, while there is other. */
bool search_draw_cheap(uint64_t *index, struct model_search *search);

/* The next to compile, if any is: the default, a spread, then what promises most with a random one now and then. */
bool search_choose_unseen(uint64_t *index, struct model_search *search);

/* The next to time among what is ready; null where nothing there is worth it now. */
struct member *search_choose_ready(struct model_search *search);

/* Trials that count against the ration are left. */
bool search_may_time(const struct model_search *search);

/* Too little is compiled yet to choose the next trial of a ration from; and compiling for it does not run far ahead of what the
 * trials teach. */
bool search_is_hungry(const struct model_search *search);
bool search_is_ahead(const struct model_search *search);

/* The audit's next step, once the search itself has ended. */
struct search_step search_audit_next(struct model_search *search, struct search_capacity capacity);
void search_audit_tell(struct model_search *search, const struct member *member);

#endif

/* What decides which configuration is compiled or timed next: a row of traits and functions. The code that
 * runs a search asks for traits, never for the strategy itself. docs/howto-strategy.md says how to add one.
 *
 * search_open() and the functions beside it (search.h) call these. The contract:
 *
 * open: The options are copied; what they point to outlives the state. ERR_MEMORY, and *state is null.
 *
 * next: Fills *out with what to start now, or with SEARCH_WAIT, or with SEARCH_STOP. It asks only for what
 * `capacity` allows; while compiling is refused, it times what is ready. It waits only while a step is under
 * way or `capacity` refuses one. Each index is compiled at most once, and timed at most once, after tell()
 * said that it compiled with OUTCOME_OK. The steps depend on the options, on the capacities and on what was
 * told in which order, on nothing else. ERR_MEMORY.
 *
 * tell: What came of a step that next() asked for: once each, in any order. ERR_MEMORY.
 *
 * correct: As search_correct(). Null where the strategy goes by no times.
 *
 * visited: How many configurations it has asked to compile, an audit left out.
 *
 * summarise: Fills *out at any time, also before the end.
 *
 * fate, cuts: Of any index at any time, and as search_cuts(). Null where `prunes` is false.
 *
 * close: Frees the state; also null. */
#ifndef TUNER_STRATEGY_STRATEGY_H
#define TUNER_STRATEGY_STRATEGY_H

#include "tuner/strategy/search.h"

struct strategy {
    const char *name;       /* on the command line, in files and in messages */
    bool reads_predictions; /* is told struct search_facts.prediction where there is a profile */
    bool prunes;            /* leaves out what cannot win or will not: counted, explained and audited */
    bool gives_up_slow;     /* a trial ends early when it is far slower than the best */
    bool knows_total;       /* tries every configuration, unless a budget ends it */
    size_t trials_ahead; /* trials under way for each GPU: 1 where each is chosen by what the last taught */
    size_t ready_most;   /* compiled variants that may wait for their trials, which the caller keeps */
    int (*open)(void **state, const struct search_options *options, struct err *err);
    int (*next)(struct search_step *out, void *state, struct search_capacity capacity, struct err *err);
    int (*tell)(void *state, uint64_t index, const struct search_facts *facts, struct err *err);
    void (*correct)(void *state, search_factor *factor, const void *context);
    uint64_t (*visited)(const void *state);
    void (*summarise)(struct search_summary *out, const void *state);
    enum search_fate (*fate)(const void *state, uint64_t index);
    size_t (*cuts)(struct search_cut *out, const void *state);
    void (*close)(void *state);
};

#define STRATEGY(name, file) extern const struct strategy strategy_##name;
#include "tuner/strategy/strategies.def"
#undef STRATEGY
extern const struct strategy strategy_planned; /* all compiled, then those of a plan timed (planned.c) */

/* Those of strategies.def; null ends the table. */
extern const struct strategy *const strategies[];

/* By name, and the default for null; null for an unknown name. */
const struct strategy *strategy_find(const char *name);

enum { STRATEGY_NAMES_MAX = 256 };

/* All names, the default first: "model, exhaustive, random". */
void strategy_names(char *out, size_t size);

/* For help: "model (default), exhaustive or random". */
void strategy_choices(char *out, size_t size);

/* Of those that prune: "model", "model or another". */
void strategy_pruning(char *out, size_t size);

#endif

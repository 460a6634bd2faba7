/* Which configuration next? A pure state machine: no GPU, no compiler, no clock of its own.
 *
 * Configurations are indices of a space. Each goes through two steps, compiling and timing, and the search is
 * told what came of each. Told the same facts in the same order, it asks for the same things. */
#ifndef TUNER_SEARCH_H
#define TUNER_SEARCH_H

#include "base/err.h"
#include "base/outcome.h"

#include <stdbool.h>
#include <stdint.h>

enum search_strategy {
    SEARCH_EXHAUSTIVE, /* every configuration, in the order of the space */
    SEARCH_RANDOM      /* a random order without repetition */
};

const char *search_strategy_text(enum search_strategy strategy); /* "exhaustive", "random" */
int search_strategy_parse(const char *text);                     /* -1 for an unknown name */

struct search_options {
    enum search_strategy strategy;
    uint64_t seed;   /* of what is random */
    uint64_t count;  /* configurations of the space; at least 1 */
    uint64_t first;  /* the one to begin with */
    uint64_t trials; /* how many may be timed; 0: any number */
};

enum search_action {
    SEARCH_COMPILE, /* compile `index`, then tell */
    SEARCH_TIME,    /* time `index`, which was compiled, then tell */
    SEARCH_WAIT,    /* nothing can be started now: tell something first */
    SEARCH_STOP     /* all is done */
};

struct search_step {
    enum search_action action;
    uint64_t index;
};

/* What the caller could start at this moment. */
struct search_room {
    bool compile, time;
};

/* What came of a step. A configuration whose compiling ended other than OUTCOME_OK will not be asked for
 * again. */
struct search_facts {
    bool timed; /* of the timing, else of the compiling */
    enum outcome outcome;
    double time_s; /* when timed and ok */
};

struct search;

int search_open(struct search **out, const struct search_options *options, struct err *err);
void search_close(struct search *search); /* also null */

struct search_step search_next(struct search *search, struct search_room room);
int search_tell(struct search *search, uint64_t index, const struct search_facts *facts, struct err *err);

/* How many configurations it has asked to compile so far. */
uint64_t search_visited(const struct search *search);

#endif

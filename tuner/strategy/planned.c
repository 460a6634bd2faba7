/* A plan that the caller made beforehand: every configuration is compiled, in the order of the space, then
 * those of the plan are timed, in its order. It is in no table, since only a caller with a plan can open it. */
#include "tuner/strategy/strategy.h"

#include <math.h>
#include <stdlib.h>

struct planned {
    struct search_options options;
    uint64_t drawn, compiling; /* asked to compile; and not yet told */
    uint64_t taken;            /* of the plan: asked to time, or passed over because they did not compile */
    uint64_t timing, timed;
    bool ready[]; /* by index: compiled */
};

static int open_planned(void **state, const struct search_options *options, struct err *err)
{
    struct planned *search = NULL;

    if (options->count <= (SIZE_MAX - sizeof *search) / sizeof *search->ready)
        search = calloc(1, sizeof *search + options->count * sizeof *search->ready);
    *state = search;
    if (!search)
        return err_memory(err);
    search->options = *options;
    return 0;
}

static int next_planned(struct search_step *out, void *state, struct search_capacity capacity,
                        struct err *err)
{
    struct planned *search = state;
    const struct search_options *options = &search->options;
    const bool compiled = search->drawn == options->count && !search->compiling;
    const bool spent = options->trials && search->timed + search->timing >= options->trials;

    (void)err;
    *out = (struct search_step){.action = SEARCH_WAIT};
    while (compiled && search->taken < options->plan_count && !search->ready[options->plan[search->taken]])
        search->taken++;
    if (search->drawn < options->count && capacity.compile) {
        *out = (struct search_step){.action = SEARCH_COMPILE, .index = search->drawn++};
        search->compiling++;
    } else if (compiled && !spent && search->taken < options->plan_count) {
        if (!capacity.time)
            return 0;
        *out = (struct search_step){.action = SEARCH_TIME, .index = options->plan[search->taken++]};
        search->timing++;
    } else if (compiled && !search->timing) {
        out->action = SEARCH_STOP;
    }
    return 0;
}

static int tell_planned(void *state, uint64_t index, const struct search_facts *facts, struct err *err)
{
    struct planned *search = state;

    (void)err;
    search->timing -= facts->timed;
    search->timed += facts->timed;
    search->compiling -= !facts->timed;
    if (!facts->timed)
        search->ready[index] = facts->outcome == OUTCOME_OK;
    return 0;
}

static uint64_t visited(const void *state)
{
    return ((const struct planned *)state)->drawn;
}

static void summarise(struct search_summary *out, const void *state)
{
    const struct planned *search = state;
    const bool ended = search->drawn == search->options.count && search->taken == search->options.plan_count;
    const bool spent = search->options.trials && search->timed >= search->options.trials;

    *out = (struct search_summary){.compiled = search->drawn - search->compiling, .timed = search->timed};
    out->rank_correlation = out->audit.nearest = out->further_gain = out->again_s = NAN;
    out->audit.limit = 1;
    out->end = ended ? SEARCH_ALL : spent ? SEARCH_SPENT : SEARCH_GOING;
}

static void close_planned(void *state)
{
    free(state);
}

/* Nothing is timed before the last is compiled, so all of them wait. */
const struct strategy strategy_planned = {.name = "planned",
                                          .trials_ahead = 2,
                                          .ready_most = SIZE_MAX,
                                          .open = open_planned,
                                          .next = next_planned,
                                          .tell = tell_planned,
                                          .visited = visited,
                                          .summarise = summarise,
                                          .close = close_planned};

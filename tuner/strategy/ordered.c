/* Strategies that try every configuration in an order that is fixed beforehand: `exhaustive` in the order of
 * the space, the last ones longest first (tuner/strategy/ending.h), `random` in a random one. */
#include "tuner/strategy/ending.h"
#include "tuner/strategy/order.h"
#include "tuner/strategy/ready.h"
#include "tuner/strategy/strategy.h"

#include <math.h>
#include <stdlib.h>

struct ordered {
    struct search_options options;
    bool shuffled;
    uint64_t drawn;        /* positions of the order that were asked to compile */
    uint64_t compiling;    /* asked to compile and not yet told */
    uint64_t timing;       /* asked to time and not yet told */
    uint64_t timed;        /* told */
    struct ready ready;    /* compiled, not yet asked to time: oldest first, in the ending slowest first */
    struct ending *ending; /* null where the order stays as it is */
};

static int open_ordered(void **state, const struct search_options *options, bool shuffled, struct err *err)
{
    struct ordered *search = calloc(1, sizeof *search);

    *state = search;
    if (!search)
        return err_memory(err);
    search->options = *options;
    search->shuffled = shuffled;
    return shuffled || options->trials || !options->space || !options->spec
               ? 0
               : ending_open(&search->ending, options, err);
}

static int open_in_order(void **state, const struct search_options *options, struct err *err)
{
    return open_ordered(state, options, false, err);
}

static int open_shuffled(void **state, const struct search_options *options, struct err *err)
{
    return open_ordered(state, options, true, err);
}

static void close_ordered(void *state)
{
    struct ordered *search = state;

    if (!search)
        return;
    ending_close(search->ending);
    ready_release(&search->ready);
    free(search);
}

/* The order begins with `first`; the others follow in the strategy's order, which `first` leaves a gap in. */
static uint64_t at_position(const struct ordered *search, uint64_t position)
{
    const struct search_options *options = &search->options;
    uint64_t other = position - 1;

    if (position == 0)
        return options->first;
    if (search->shuffled)
        other = search_permuted(other, options->count - 1, options->seed);
    return other + (other >= options->first);
}

static bool trials_left(const struct ordered *search, uint64_t started)
{
    return !search->options.trials || started < search->options.trials;
}

static double expected_kernel_s(const void *context, uint64_t index)
{
    return ending_kernel_s(context, index);
}

static int begin_ending(struct ordered *search, struct err *err)
{
    const size_t count = search->options.count - search->drawn;
    uint64_t *rest = calloc(count, sizeof *rest);
    int rc;

    if (!rest)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        rest[i] = at_position(search, search->drawn + i);
    rc = ending_begin(search->ending, rest, count, err);
    free(rest);
    if (!rc)
        ready_order(&search->ready, expected_kernel_s, search->ending);
    return rc;
}

/* The next to compile. */
static int draw(uint64_t *index, struct ordered *search, struct err *err)
{
    struct ending *ending = search->ending;

    if (ending && !ending_has_begun(ending) &&
        search->options.count - search->drawn <= ending_count(ending) && begin_ending(search, err))
        return ERR_MEMORY;
    *index = ending && ending_has_begun(ending) ? ending_draw(ending) : at_position(search, search->drawn);
    search->drawn++;
    search->compiling++;
    return 0;
}

static int next_in_order(struct search_step *out, void *state, struct search_capacity capacity,
                         struct err *err)
{
    struct ordered *search = state;
    const uint64_t started = search->timed + search->timing;
    const bool may_time = trials_left(search, started) && search->ready.count;
    const bool may_compile = search->drawn < search->options.count &&
                             trials_left(search, started + search->ready.count + search->compiling);

    *out = (struct search_step){.action = SEARCH_WAIT};
    if (may_time && capacity.time) {
        out->action = SEARCH_TIME;
        out->index = ready_pop(&search->ready);
        search->timing++;
    } else if (may_compile && capacity.compile) {
        out->action = SEARCH_COMPILE;
        return draw(&out->index, search, err);
    } else if (!may_time && !may_compile && !search->compiling && !search->timing) {
        out->action = SEARCH_STOP;
    }
    return 0;
}

static int push_ready(struct ordered *search, uint64_t index, struct err *err)
{
    const struct ending *ending = search->ending;
    const double expected_s = ending && ending_has_begun(ending) ? ending_kernel_s(ending, index) : 0;

    return ready_push(&search->ready, index, expected_s, err);
}

static int tell_ordered(void *state, uint64_t index, const struct search_facts *facts, struct err *err)
{
    struct ordered *search = state;

    if (facts->timed) {
        search->timing--;
        search->timed++;
        if (search->ending)
            ending_tell_kernel(search->ending, index, facts->time_s);
        return 0;
    }
    search->compiling--;
    if (search->ending && ending_tell(search->ending, index, facts->spent_s, err))
        return ERR_MEMORY;
    return facts->outcome == OUTCOME_OK ? push_ready(search, index, err) : 0;
}

static uint64_t visited(const void *state)
{
    return ((const struct ordered *)state)->drawn;
}

static void summarise(struct search_summary *out, const void *state)
{
    const struct ordered *search = state;
    const bool spent = search->options.trials && search->timed >= search->options.trials;

    *out = (struct search_summary){.compiled = search->drawn, .timed = search->timed};
    out->rank_correlation = out->audit.nearest = out->further_gain = out->again_s = NAN;
    out->audit.limit = 1;
    if (search->drawn == search->options.count)
        out->end = SEARCH_ALL;
    else if (spent)
        out->end = SEARCH_SPENT;
}

/* It measures every configuration to the end, as a recording needs. */
const struct strategy strategy_exhaustive = {.name = "exhaustive",
                                             .knows_total = true,
                                             .trials_ahead = 2,
                                             .ready_most = SEARCH_READY_MOST,
                                             .open = open_in_order,
                                             .next = next_in_order,
                                             .tell = tell_ordered,
                                             .visited = visited,
                                             .summarise = summarise,
                                             .close = close_ordered};

const struct strategy strategy_random = {.name = "random",
                                         .gives_up_slow = true,
                                         .knows_total = true,
                                         .trials_ahead = 2,
                                         .ready_most = SEARCH_READY_MOST,
                                         .open = open_shuffled,
                                         .next = next_in_order,
                                         .tell = tell_ordered,
                                         .visited = visited,
                                         .summarise = summarise,
                                         .close = close_ordered};

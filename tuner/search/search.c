#include "tuner/search/searching.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct search {
    struct search_options options;
    struct model_search *model; /* SEARCH_MODEL; the rest then rests */
    uint64_t drawn;             /* positions of the order that were asked to compile */
    uint64_t compiling;         /* asked to compile and not yet told */
    uint64_t timing;            /* asked to time and not yet told */
    uint64_t timed;             /* told */
    uint64_t *ready;            /* compiled, not yet asked to time: a ring, oldest first */
    size_t ready_count, ready_first, ready_capacity;
};

static const char *const strategies[] = {
    [SEARCH_MODEL] = "model", [SEARCH_EXHAUSTIVE] = "exhaustive", [SEARCH_RANDOM] = "random"};

const char *search_strategy_text(enum search_strategy strategy)
{
    return strategies[strategy];
}

int search_strategy_parse(const char *text)
{
    int i;

    for (i = 0; i < (int)(sizeof strategies / sizeof *strategies); i++)
        if (!strcmp(text, strategies[i]))
            return i;
    return -1;
}

size_t search_trials_ahead(enum search_strategy strategy)
{
    return strategy == SEARCH_MODEL ? 1 : 2;
}

int search_open(struct search **out, const struct search_options *options, struct err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return err_memory(err);
    (*out)->options = *options;
    if (options->strategy == SEARCH_MODEL && model_search_open(&(*out)->model, options, err)) {
        search_close(*out);
        *out = NULL;
        return ERR_MEMORY;
    }
    return 0;
}

void search_close(struct search *search)
{
    if (!search)
        return;
    model_search_close(search->model);
    free(search->ready);
    free(search);
}

void search_order_init(struct search_order *out, uint64_t count, uint64_t seed)
{
    unsigned round;

    *out = (struct search_order){.count = count, .half = 1};
    while (out->half < 32 && (UINT64_C(1) << (2 * out->half)) < count)
        out->half++;
    for (round = 0; round < SEARCH_ROUNDS; round++)
        out->streams[round] = hash_stream(seed + round);
}

/* A random permutation without a table: a Feistel network over the smallest even number of bits that holds
 * `count`, walked until it lands inside. */
uint64_t search_order_at(const struct search_order *order, uint64_t position)
{
    const uint64_t mask = (UINT64_C(1) << order->half) - 1;
    uint64_t left, right, swap;
    unsigned round;

    do {
        left = position >> order->half;
        right = position & mask;
        for (round = 0; round < SEARCH_ROUNDS; round++) {
            swap = right;
            right = left ^ (hash_mix(order->streams[round] + right * HASH_STEP) & mask);
            left = swap;
        }
        position = left << order->half | right;
    } while (position >= order->count);
    return position;
}

uint64_t search_permuted(uint64_t position, uint64_t count, uint64_t seed)
{
    struct search_order order;

    search_order_init(&order, count, seed);
    return search_order_at(&order, position);
}

/* The order begins with `first`; the others follow in the strategy's order, which `first` leaves a gap in. */
static uint64_t at_position(const struct search_options *options, uint64_t position)
{
    uint64_t other = position - 1;

    if (position == 0)
        return options->first;
    if (options->strategy == SEARCH_RANDOM)
        other = search_permuted(other, options->count - 1, options->seed);
    return other + (other >= options->first);
}

static bool trials_left(const struct search *search, uint64_t started)
{
    return !search->options.trials || started < search->options.trials;
}

static struct search_step next_in_order(struct search *search, struct search_capacity capacity)
{
    const uint64_t started = search->timed + search->timing;
    const bool may_time = trials_left(search, started) && search->ready_count;
    const bool may_compile = search->drawn < search->options.count &&
                             trials_left(search, started + search->ready_count + search->compiling);
    struct search_step step = {.action = SEARCH_WAIT};

    if (may_time && capacity.time) {
        step.action = SEARCH_TIME;
        step.index = search->ready[search->ready_first];
        search->ready_first = (search->ready_first + 1) % search->ready_capacity;
        search->ready_count--;
        search->timing++;
    } else if (may_compile && capacity.compile) {
        step.action = SEARCH_COMPILE;
        step.index = at_position(&search->options, search->drawn++);
        search->compiling++;
    } else if (!may_time && !may_compile && !search->compiling && !search->timing) {
        step.action = SEARCH_STOP;
    }
    return step;
}

int search_next(struct search_step *out, struct search *search, struct search_capacity capacity,
                struct err *err)
{
    if (search->model)
        return model_search_next(out, search->model, capacity, err);
    *out = next_in_order(search, capacity);
    return 0;
}

static int push_ready(struct search *search, uint64_t index, struct err *err)
{
    const size_t capacity = search->ready_capacity ? search->ready_capacity * 2 : 64;
    uint64_t *larger;
    size_t i;

    if (search->ready_count == search->ready_capacity) {
        larger = malloc(capacity * sizeof *larger);
        if (!larger)
            return err_memory(err);
        for (i = 0; i < search->ready_count; i++)
            larger[i] = search->ready[(search->ready_first + i) % search->ready_capacity];
        free(search->ready);
        search->ready = larger;
        search->ready_first = 0;
        search->ready_capacity = capacity;
    }
    search->ready[(search->ready_first + search->ready_count++) % search->ready_capacity] = index;
    return 0;
}

int search_tell(struct search *search, uint64_t index, const struct search_facts *facts, struct err *err)
{
    if (search->model)
        return model_search_tell(search->model, index, facts, err);
    if (facts->timed) {
        search->timing--;
        search->timed++;
        return 0;
    }
    search->compiling--;
    return facts->outcome == OUTCOME_OK ? push_ready(search, index, err) : 0;
}

uint64_t search_visited(const struct search *search)
{
    return search->model ? search->model->asked + search->model->impossible : search->drawn;
}

const char *search_end_text(enum search_end end)
{
    static const char *const texts[] = {
        [SEARCH_GOING] = "ended early",
        [SEARCH_ALL] = "every configuration was tried or cannot win",
        [SEARCH_UNLIKELY] = "nothing left is likely to gain anything",
        [SEARCH_LITTLE] = "going on is expected to gain little",
        [SEARCH_SPENT] = "the trials are used up",
    };

    return texts[end];
}

void search_summarise(struct search_summary *out, const struct search *search)
{
    const bool spent = search->options.trials && search->timed >= search->options.trials;

    *out = (struct search_summary){.compiled = search->drawn, .timed = search->timed};
    out->rank_correlation = out->audit.nearest = out->further_gain = out->again_s = NAN;
    out->audit.limit = 1;
    if (search->model)
        model_search_summarise(out, search->model);
    else if (search->drawn == search->options.count)
        out->end = SEARCH_ALL;
    else if (spent)
        out->end = SEARCH_SPENT;
}

enum search_fate search_fate(const struct search *search, uint64_t index)
{
    return model_search_fate(search->model, index);
}

size_t search_cuts(struct search_cut *out, const struct search *search)
{
    return search->model ? model_search_cuts(out, search->model) : 0;
}

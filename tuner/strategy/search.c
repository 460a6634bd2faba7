#include "tuner/strategy/search.h"

#include "tuner/strategy/strategy.h"

#include <stdlib.h>

struct search {
    const struct strategy *strategy;
    void *state; /* the strategy's */
};

int search_open(struct search **out, const struct search_options *options, struct err *err)
{
    int rc;

    *out = calloc(1, sizeof **out);
    if (!*out)
        return err_memory(err);
    (*out)->strategy = options->strategy;
    rc = options->strategy->open(&(*out)->state, options, err);
    if (rc) {
        search_close(*out);
        *out = NULL;
    }
    return rc;
}

void search_close(struct search *search)
{
    if (!search)
        return;
    search->strategy->close(search->state);
    free(search);
}

int search_next(struct search_step *out, struct search *search, struct search_capacity capacity,
                struct err *err)
{
    return search->strategy->next(out, search->state, capacity, err);
}

int search_tell(struct search *search, uint64_t index, const struct search_facts *facts, struct err *err)
{
    return search->strategy->tell(search->state, index, facts, err);
}

void search_correct(struct search *search, search_factor *factor, const void *context)
{
    if (search->strategy->correct)
        search->strategy->correct(search->state, factor, context);
}

uint64_t search_visited(const struct search *search)
{
    return search->strategy->visited(search->state);
}

const char *search_end_text(enum search_end end)
{
    static const char *const texts[] = {
        [SEARCH_GOING] = "ended early",
        [SEARCH_ALL] = "every configuration was tried or cannot win",
        [SEARCH_UNLIKELY] = "nothing left is likely to gain anything",
        [SEARCH_SLOW] = "what is still being compiled takes much longer than the rest did",
        [SEARCH_LITTLE] = "going on is expected to gain little",
        [SEARCH_SPENT] = "the trials are used up",
    };

    return texts[end];
}

void search_summarise(struct search_summary *out, const struct search *search)
{
    search->strategy->summarise(out, search->state);
}

enum search_fate search_fate(const struct search *search, uint64_t index)
{
    return search->strategy->fate(search->state, index);
}

size_t search_cuts(struct search_cut *out, const struct search *search)
{
    return search->strategy->cuts ? search->strategy->cuts(out, search->state) : 0;
}

/* The strategy `model` step by step on a space whose truth is known. */
#ifndef TESTS_UNIT_TUNER_STEPPING_H
#define TESTS_UNIT_TUNER_STEPPING_H

#include "check.h"
#include "synthetic.h"

static const struct search_capacity all = {true, true, 0}, no_compile = {false, true, 0};

struct stepping {
    struct synthetic synthetic;
    struct search *search;
};

/* Other options than those of the space are the caller's. */
static inline void open(struct stepping *out, bool large, struct search_options options)
{
    synthetic_open(&out->synthetic, SYNTHETIC_EASY, large, 4);
    options.strategy = &strategy_model;
    options.count = out->synthetic.count;
    options.first = out->synthetic.first;
    options.space = out->synthetic.space;
    options.spec = &out->synthetic.spec;
    assert_int_equal(search_open(&out->search, &options, NULL), 0);
}

static inline void close_steps(struct stepping *s)
{
    search_close(s->search);
    synthetic_close(&s->synthetic);
}

static inline struct search_step next(struct stepping *s, struct search_capacity capacity)
{
    struct search_step step;

    assert_int_equal(search_next(&step, s->search, capacity, NULL), 0);
    return step;
}

static inline struct search_step expect(struct stepping *s, struct search_capacity capacity,
                                        enum search_action action)
{
    const struct search_step step = next(s, capacity);

    assert_int_equal(step.action, action);
    return step;
}

static inline void compiled(struct stepping *s, uint64_t index, enum outcome outcome, uint64_t same_as)
{
    const struct search_facts facts = {
        .outcome = outcome, .same_as = same_as, .prediction = s->synthetic.prediction[index]};

    assert_int_equal(search_tell(s->search, index, &facts, NULL), 0);
}

static inline void timed(struct stepping *s, uint64_t index)
{
    const struct search_facts facts = {.timed = true, .time_s = s->synthetic.time_s[index]};

    assert_int_equal(search_tell(s->search, index, &facts, NULL), 0);
}

static inline void refused(struct stepping *s, uint64_t index)
{
    const struct search_facts facts = {.outcome = OUTCOME_LIMITS, .impossible = true};

    assert_int_equal(search_tell(s->search, index, &facts, NULL), 0);
}

#endif

/* A search that waits although nothing is under way, as none should: who drives it ends with an error. */
#include "check.h"

#include "tuner/compare/compare.h"
#include "tuner/evaluate/recording.h"
#include "tuner/tune/tune.h"

#include <unistd.h>

static const char *const spec_path = "tests/golden/kernels/scale.json",
                         *const recording_path = "tests/golden/kernels/scale-example-gpu.json";
static unsigned honest; /* steps that are still the search's own */

int __real_search_next(struct search_step *out, struct search *search, struct search_capacity capacity,
                       struct err *err);
int __wrap_search_next(struct search_step *out, struct search *search, struct search_capacity capacity,
                       struct err *err);

int __wrap_search_next(struct search_step *out, struct search *search, struct search_capacity capacity,
                       struct err *err)
{
    if (honest)
        return honest--, __real_search_next(out, search, capacity, err);
    *out = (struct search_step){.action = SEARCH_WAIT};
    return 0;
}

static void read_spec(struct spec *out)
{
    struct err err = {0};

    check_ok(spec_read(out, spec_path, SPEC_WHOLE, NULL, 0, &err), &err);
}

static int tune_by(const struct strategy *strategy, uint64_t trials, unsigned cores, struct err *err)
{
    const struct tune_options options = {.strategy = strategy,
                                         .trials = trials,
                                         .audit = 3,
                                         .recorded = recording_path,
                                         .simulated_cores = cores};
    const struct environment_options here = {.device = "recorded", .jobs = 1};
    struct tuned tuned;
    struct environment environment;
    struct spec spec;
    int rc;

    read_spec(&spec);
    assert_int_equal(environment_open(&environment, &here, NULL), 0);
    rc = tune(&tuned, &spec, 0, &environment, &options, err);
    tuned_release(&tuned);
    environment_close(&environment);
    spec_release(&spec);
    return rc;
}

static int tune_scale(struct err *err)
{
    return tune_by(&strategy_exhaustive, 0, 2, err);
}

static int compare_scale(struct err *err)
{
    struct compare_options options = {.seeds = 1, .cores = 2, .jobs = 1};
    struct compared compared = {0};
    struct journal *journal;
    struct replay replay;
    struct space *space;
    struct spec spec;
    int rc;

    read_spec(&spec);
    assert_int_equal(space_open(&space, &spec, 0, NULL), 0);
    assert_int_equal(recording_open(&journal, recording_path, &spec, 0, NULL, NULL), 0);
    assert_int_equal(replay_open(&replay, &spec, space, journal, NULL), 0);
    options.spec = &spec;
    options.space = space;
    options.replay = &replay;
    rc = compare(&compared, &options, err);
    if (!rc)
        compared_release(&compared);
    replay_release(&replay);
    journal_free(journal);
    space_close(space);
    spec_release(&spec);
    return rc;
}

static void check_ends(int (*drive)(struct err *err), unsigned steps)
{
    struct err err = {0};

    honest = steps;
    alarm(30); /* rather than to stand still */
    assert_int_equal(drive(&err), ERR_SYSTEM);
    alarm(0);
    assert_non_null(strstr(err.text, "internal error"));
    assert_non_null(strstr(err.text, "nothing is compiled or timed"));
}

static void tune_ends(void **state)
{
    check_ends(tune_scale, 0);
    check_ends(tune_scale, 5); /* what is under way is taken first */
}

static void compare_ends(void **state)
{
    check_ends(compare_scale, 0);
    check_ends(compare_scale, 5);
}

static void an_honest_search_does_not(void **state)
{
    struct err err = {0};

    honest = UINT32_MAX;
    check_ok(tune_scale(&err) || compare_scale(&err), &err);
}

/* The search ends while all cores compile, which is then given up: the audit has a core again. */
static void an_audit_begins_where_compiling_is_given_up(void **state)
{
    struct err err = {0};

    honest = UINT32_MAX;
    alarm(60);
    for (unsigned trials = 1; trials < 12; trials++)
        for (unsigned cores = 1; cores < 5; cores++)
            if (tune_by(&strategy_model, trials, cores, &err))
                fail_msg("%u trials, %u cores: %s", trials, cores, err.text);
    alarm(0);
}

int main(void)
{
    return RUN_TESTS(tune_ends, compare_ends, an_honest_search_does_not,
                     an_audit_begins_where_compiling_is_given_up);
}

#include "check.h"

#include "base/hash.h"
#include "space/spec.h"
#include "tuner/strategy/posterior.h"

static const char text[] =
    "{\"parameters\": {\"A\": [1, 2, 3, 4, 5, 6, 7, 8], \"B\": [0, 1], \"C\": [1, 2, 4, 8]}}";

enum { A = 8, B = 2, C = 4, ALL = A * B * C };

static int open_posterior(struct posterior **out, const struct spec *spec)
{
    struct surrogate_parameter *parameters;
    int rc;

    assert_int_equal(surrogate_parameters(&parameters, spec, NULL), 0);
    rc = posterior_open(out, parameters, spec->parameter_count, NULL);
    free(parameters);
    return rc;
}

/* Everything of the space: estimates by `estimate`, of which every third is known. */
static struct posterior *learn(struct spec *spec, double (*estimate)(const unsigned *))
{
    static unsigned choices[ALL][3];
    struct observation observations[ALL];
    struct posterior *posterior;
    size_t i, count = 0;

    assert_int_equal(spec_read_text(spec, text, strlen(text), "belief.json", SPEC_SPACE, NULL, 0, NULL), 0);
    assert_int_equal(open_posterior(&posterior, spec), 0);
    for (i = 0; i < ALL; i++) {
        unsigned *at = choices[i];

        at[0] = (unsigned)(i / (B * C));
        at[1] = (unsigned)(i / C % B);
        at[2] = (unsigned)(i % C);
        if (i % 3 == 1)
            continue;
        observations[count++] = (struct observation){
            .choices = at,
            .prediction = {.predicted = true, .estimate_s = estimate(at), .limiter = RESOURCE_ISSUE},
            .time_s = NAN};
    }
    assert_int_equal(posterior_learn(posterior, observations, count, NULL), 0);
    return posterior;
}

/* Where A is small, B makes 3 % of difference. Where it is large, all is many times slower, and scattered. */
static double fine_at_the_top(const unsigned *at)
{
    const double scatter =
        (double)(hash_random(3, at[0] * 100 + at[1] * 10 + at[2]) >> 11) / (double)(UINT64_C(1) << 53);

    if (at[0] >= 2)
        return 3e-3 * (1 + 2 * scatter);
    return 1e-3 * (1 + 0.02 * at[0]) * (1 - 0.03 * at[1]) * (1 + 0.005 * at[2]);
}

/* What is far slower than the fastest must not blur what is near it. */
static void tells_fine_differences_among_the_fast(void **state)
{
    struct spec spec;
    struct posterior *posterior = learn(&spec, fine_at_the_top);
    double gain = 0;
    unsigned a, c;

    (void)state;
    for (a = 0; a < 2; a++)
        for (c = 0; c < C; c++)
            gain += posterior_log_time(posterior, (const unsigned[]){a, 0, c}) -
                    posterior_log_time(posterior, (const unsigned[]){a, 1, c});
    assert_true(gain / (2 * C) > 0.025 && gain / (2 * C) < 0.035);
    posterior_close(posterior);
    spec_release(&spec);
}

static void expects_nothing_before_it_knows(void **state)
{
    const unsigned choices[] = {0, 0, 0};
    struct expected expected;
    struct posterior *posterior;
    struct spec spec;

    (void)state;
    assert_int_equal(spec_read_text(&spec, text, strlen(text), "belief.json", SPEC_SPACE, NULL, 0, NULL), 0);
    assert_int_equal(open_posterior(&posterior, &spec), 0);
    assert_false(posterior_expects(&expected, posterior, choices, NULL));
    assert_true(posterior_log_time(posterior, choices) == 0);
    posterior_close(posterior);
    spec_release(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_fine_differences_among_the_fast),
        cmocka_unit_test(expects_nothing_before_it_knows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

    assert_int_equal(spec_read_text(spec, text, strlen(text), "posterior.json", SPEC_SPACE, NULL, 0, NULL),
                     0);
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

    for (unsigned a = 0; a < 2; a++)
        for (unsigned c = 0; c < C; c++)
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

    assert_int_equal(spec_read_text(&spec, text, strlen(text), "posterior.json", SPEC_SPACE, NULL, 0, NULL),
                     0);
    assert_int_equal(open_posterior(&posterior, &spec), 0);
    assert_false(posterior_expects(&expected, posterior, choices, NULL));
    assert_true(posterior_log_time(posterior, choices) == 0);
    posterior_close(posterior);
    spec_release(&spec);
}

enum { MANY = 600 };

/* A long search, told of one configuration at a time: it learns anew when it has grown by an eighth (some 8 times per
 * doubling) and at surprises, else adds; and believes meanwhile nearly what it would have learned. */
static void learns_anew_now_and_then(void **state)
{
    static unsigned choices[MANY][3];
    static struct observation observations[MANY];
    struct expected expected, wanted;
    struct posterior_view view = {0};
    struct posterior *posterior, *fresh;
    struct spec spec;
    size_t i, anew = 0;
    bool added;

    assert_int_equal(spec_read_text(&spec, text, strlen(text), "posterior.json", SPEC_SPACE, NULL, 0, NULL),
                     0);
    assert_int_equal(open_posterior(&posterior, &spec), 0);
    assert_int_equal(open_posterior(&fresh, &spec), 0);
    for (i = 0; i < MANY; i++) {
        const double noise = 1 + 0.02 * ((double)(hash_random(9, i) % 1000) / 1000 - 0.5);

        choices[i][0] = (unsigned)(hash_random(1, i) % A);
        choices[i][1] = (unsigned)(hash_random(2, i) % B);
        choices[i][2] = (unsigned)(hash_random(3, i) % C);
        observations[i] = (struct observation){.choices = choices[i],
                                               .timed = true,
                                               .prediction = {.predicted = true,
                                                              .estimate_s = 1e-3 * (1 + 0.1 * choices[i][0]),
                                                              .limiter = RESOURCE_ISSUE},
                                               .time_s = 1.2e-3 * (1 + 0.1 * choices[i][0]) *
                                                         (1 + 0.2 * choices[i][1]) * noise};
        assert_int_equal(posterior_add(&added, posterior, &observations[i], 1, NULL), 0);
        if (!added) {
            anew++;
            assert_int_equal(posterior_learn(posterior, observations, i + 1, NULL), 0);
        }
        assert_true(posterior_follow(&expected, &view, posterior, choices[0], &observations[0].prediction));
        if (i % 50 != 49)
            continue;
        assert_int_equal(posterior_learn(fresh, observations, i + 1, NULL), 0);
        assert_true(posterior_expects(&wanted, fresh, choices[0], &observations[0].prediction));
        check_near(expected.time_s / wanted.time_s, 1, 0.01);
        check_near(log(expected.deviation / wanted.deviation), 0,
                   log(2)); /* rates are fitted to other points */
    }
    print_message("learned anew %zu of %d times\n", anew, MANY);
    assert_true(anew < 60);
    free(view.excess.half);
    posterior_close(posterior);
    posterior_close(fresh);
    spec_release(&spec);
}

int main(void)
{
    return RUN_TESTS(tells_fine_differences_among_the_fast, expects_nothing_before_it_knows,
                     learns_anew_now_and_then);
}

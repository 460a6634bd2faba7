#include "check.h"
#include "failing.h"

#include "tuner/strategy/features.h"

static const char text[] =
    "{\"parameters\": {\"X\": [32, 48, 64], \"Y\": [1, 8], \"T\": [1, 3]},"
    "\"problem\": [{\"W\": 4096, \"H\": 64}, {\"W\": 96, \"H\": 1}],"
    "\"launch\": {\"grid\": [\"ceil_div(W, X * T)\", \"round_up(H, Y) // Y\", \"ceil_div(W, 7)\"],"
    "\"block\": [\"X\", \"Y\"]}}";

static void read(struct spec *spec, const char *from)
{
    assert_int_equal(spec_read_text(spec, from, strlen(from), "k.json", SPEC_SPACE, NULL, 0, NULL), 0);
}

static void expect(size_t problem, unsigned x, unsigned y, unsigned t, unsigned wide, unsigned high,
                   unsigned threads)
{
    unsigned choices[6] = {x, y, t};
    struct features *features;
    struct spec spec;

    read(&spec, text);
    assert_int_equal(features_open(&features, &spec, problem, NULL), 0);
    assert_int_equal(features_count(features), 6); /* of the third, which no parameter changes, none */
    features_fill(choices, features);
    assert_int_equal(choices[0], x);
    assert_int_equal(choices[3], wide);
    assert_int_equal(choices[4], high);
    assert_int_equal(choices[5], threads);
    assert_true(choices[5] < features_parameters(features)[5].values);
    features_close(features);
    spec_release(&spec);
}

static void tells_what_divides(void **state)
{
    expect(0, 0, 0, 0, 1, 1, 10); /* 32 threads: two steps for each doubling */
    expect(0, 1, 0, 0, 0, 1, 11);
    expect(0, 2, 1, 1, 0, 1, 18);
    expect(1, 0, 1, 1, 1, 0, 16); /* 32 * 3 = 96; 8 does not divide 1 */
}

/* A space alone, a launch of one parameter: the parameters say it all. */
static void adds_nothing_that_is_known(void **state)
{
    static const char *const texts[] = {"{\"parameters\": {\"X\": [32, 48]}}",
                                        "{\"parameters\": {\"X\": [32, 48], \"Y\": [4]}, \"launch\": "
                                        "{\"grid\": [7], \"block\": [\"X\", \"Y\"]}}"};
    unsigned choices[2] = {1, 0};
    struct features *features;
    struct spec spec;

    for (size_t i = 0; i < 2; i++) {
        read(&spec, texts[i]);
        assert_int_equal(features_open(&features, &spec, 0, NULL), 0);
        assert_int_equal(features_count(features), i + 1);
        features_fill(choices, features);
        features_close(features);
        spec_release(&spec);
    }
}

static struct spec whole;

static int open_whole(struct err *err)
{
    struct features *features;
    int rc = features_open(&features, &whole, 0, err);

    assert_true(!rc == !!features);
    features_close(features);
    return rc;
}

static void ends_when_memory_does(void **state)
{
    read(&whole, text);
    fail_each(open_whole);
    spec_release(&whole);
}

int main(void)
{
    return RUN_TESTS(tells_what_divides, adds_nothing_that_is_known, ends_when_memory_does);
}

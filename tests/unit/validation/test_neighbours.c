/* Estimates for variants that are not compiled, on spaces whose times are known functions. */
#include "check.h"
#include "validation/neighbours.h"

#include "base/hash.h"

static const char *const text =
    "{\"parameters\": {\"A\": [1, 2, 4, 8, 16], \"B\": [1, 2, 4, 8], \"C\": [0, 1], "
    "\"D\": [16, 32, 64, 128, 256]}}";

enum { COUNT = 200 };

/* Estimates are smooth in the parameters, measured times twice as long; `sense` 0: they are noise. */
static void open_space(struct collection *out, struct point points[COUNT], bool sense)
{
    unsigned choices[4];

    *out = (struct collection){.kernel = "written", .points = points, .count = COUNT};
    assert_int_equal(spec_read_text(&out->spec, text, strlen(text), "written", SPEC_SPACE, NULL, 0, NULL), 0);
    assert_int_equal(space_open(&out->space, &out->spec, 0, NULL), 0);
    assert_int_equal(space_count(out->space), COUNT);
    for (uint64_t i = 0; i < COUNT; i++) {
        double log_ms;

        space_configuration(choices, out->space, i);
        log_ms = 0.3 * choices[0] - 0.2 * choices[1] + 0.4 * choices[2] + 0.02 * choices[0] * choices[3];
        if (!sense)
            log_ms = (double)(hash_random(3, i) % 1000) / 500;
        points[i] = (struct point){.index = i,
                                   .ranked.predicted = true,
                                   .measured_s = 2e-3 * exp(log_ms),
                                   .ranked.estimate_s = 1e-3 * exp(log_ms)};
    }
}

static void close_space(struct collection *collection)
{
    space_close(collection->space);
    spec_release(&collection->spec);
}

static void neighbours_tell_of_smooth_estimates(void **state)
{
    struct point points[COUNT];
    struct collection from;
    struct neighbours found;

    open_space(&from, points, true);
    assert_int_equal(neighbours_of(&found, &from, NULL), 0);
    assert_int_equal(found.compiled, NEIGHBOURS_COMPILED);
    assert_int_equal(found.judgement.count, COUNT - NEIGHBOURS_COMPILED);
    assert_true(found.difference < 0.1); /* most of it that of the slow ones, which count less */
    assert_true(found.judgement.pairs_right > 0.97);
    check_near(found.judgement.ratio, 0.5, 0.02);
    close_space(&from);
}

static void neighbours_tell_nothing_of_noise(void **state)
{
    struct point points[COUNT];
    struct collection from;
    struct neighbours found;

    open_space(&from, points, false);
    assert_int_equal(neighbours_of(&found, &from, NULL), 0);
    assert_true(found.difference > 0.3);
    assert_true(found.judgement.pairs_right < 0.65);
    close_space(&from);
}

/* Few points: half of them are learned from. Fewer than four: nothing is said. */
static void few_points_are_halved(void **state)
{
    struct point points[COUNT];
    struct collection from;
    struct neighbours found;

    open_space(&from, points, true);
    for (size_t i = 21; i < COUNT; i++)
        points[i].ranked.predicted = false;
    assert_int_equal(neighbours_of(&found, &from, NULL), 0);
    assert_int_equal(found.compiled, 10);
    assert_int_equal(found.judgement.count, 11);
    from.count = 3;
    assert_int_equal(neighbours_of(&found, &from, NULL), 0);
    assert_int_equal(found.compiled, 0);
    assert_int_equal(found.judgement.count, 0);
    close_space(&from);
}

int main(void)
{
    return RUN_TESTS(neighbours_tell_of_smooth_estimates, neighbours_tell_nothing_of_noise,
                     few_points_are_halved);
}

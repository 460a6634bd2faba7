#include "check.h"
#include "model/emulate/crossing.h"

static bool note(struct crossing *crossing, unsigned warp, uint64_t sector, uint64_t *apart)
{
    bool shared;

    assert_int_equal(crossing_note(&shared, apart, crossing, warp, sector, NULL), 0);
    return shared;
}

/* The second warp comes to sectors of the first earlier or later; the first itself shares nothing. */
static void says_how_far_apart_warps_are(void **state)
{
    struct crossing crossing = {0};
    uint64_t apart = 99;

    (void)state;
    crossing_begin(&crossing);
    crossing.loads[0] = 10;
    assert_false(note(&crossing, 0, 7, &apart));
    crossing.loads[0] = 20;
    assert_false(note(&crossing, 0, 7, &apart));
    assert_false(note(&crossing, 0, 0, &apart));
    crossing.loads[1] = 4;
    assert_true(note(&crossing, 1, 7, &apart));
    assert_int_equal(apart, 6);
    crossing.loads[1] = 50;
    assert_true(note(&crossing, 1, 0, &apart));
    assert_int_equal(apart, 30);
    assert_false(note(&crossing, 1, 8, &apart));
    assert_false(note(&crossing, 1, 8, &apart));
    crossing_begin(&crossing);
    assert_int_equal(crossing.loads[1], 0);
    assert_false(note(&crossing, 1, 7, &apart));
    crossing_release(&crossing);
}

/* More sectors than there is room for: the first ones stay. */
static void keeps_what_came_first(void **state)
{
    struct crossing crossing = {0};
    uint64_t sector, apart, found = 0;

    (void)state;
    crossing_begin(&crossing);
    for (sector = 0; sector < 100000; sector++)
        assert_false(note(&crossing, 0, 3 * sector, &apart));
    for (sector = 0; sector < 100000; sector++)
        found += note(&crossing, 1, 3 * sector, &apart);
    assert_int_equal(found, crossing.count);
    assert_true(found > 1000);
    assert_true(note(&crossing, 1, 3 * (found - 1), &apart));
    assert_false(note(&crossing, 1, 3 * found, &apart));
    crossing_release(&crossing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_how_far_apart_warps_are),
        cmocka_unit_test(keeps_what_came_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

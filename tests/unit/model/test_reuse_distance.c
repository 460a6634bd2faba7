#include "check.h"
#include "model/emulate/reuse_distance.h"

static bool note(struct reuse_distance *distance, unsigned warp, uint64_t sector, uint64_t *apart)
{
    bool shared;

    assert_int_equal(reuse_distance_note(&shared, apart, distance, warp, sector, NULL), 0);
    return shared;
}

/* The second warp comes to sectors of the first earlier or later, the first to its own again. */
static void says_how_far_apart_warps_are(void **state)
{
    struct reuse_distance distance = {0};
    uint64_t apart = 99;

    reuse_distance_begin(&distance);
    distance.loads[0] = 10;
    assert_false(note(&distance, 0, 7, &apart));
    assert_true(note(&distance, 0, 7, &apart));
    assert_int_equal(apart, 0);
    distance.loads[0] = 20;
    assert_true(note(&distance, 0, 7, &apart));
    assert_int_equal(apart, 10);
    distance.loads[0] = 34;
    assert_true(note(&distance, 0, 7, &apart));
    assert_int_equal(apart, 14);
    assert_false(note(&distance, 0, 0, &apart));
    distance.loads[1] = 4;
    assert_true(note(&distance, 1, 7, &apart));
    assert_int_equal(apart, 6);
    distance.loads[1] = 50;
    assert_true(note(&distance, 1, 0, &apart));
    assert_int_equal(apart, 16);
    assert_false(note(&distance, 1, 8, &apart));
    assert_false(note(&distance, 1, 8, &apart));
    reuse_distance_begin(&distance);
    assert_int_equal(distance.loads[1], 0);
    assert_false(note(&distance, 1, 7, &apart));
    reuse_distance_release(&distance);
}

/* More sectors than fit: the first ones stay. */
static void keeps_what_came_first(void **state)
{
    struct reuse_distance distance = {0};
    uint64_t sector, apart, found = 0;

    reuse_distance_begin(&distance);
    for (sector = 0; sector < 100000; sector++)
        assert_false(note(&distance, 0, 3 * sector, &apart));
    for (sector = 0; sector < 100000; sector++)
        found += note(&distance, 1, 3 * sector, &apart);
    assert_int_equal(found, distance.count);
    assert_true(found > 1000);
    assert_true(note(&distance, 1, 3 * (found - 1), &apart));
    assert_false(note(&distance, 1, 3 * found, &apart));
    reuse_distance_release(&distance);
}

int main(void)
{
    return RUN_TESTS(says_how_far_apart_warps_are, keeps_what_came_first);
}

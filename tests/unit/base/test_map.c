/* base/map: what was put in is found again, through every growth of the table, and nothing else is. */
#include "check.h"

#include "base/map.h"

/* Words that differ only in their upper half, as hashes of like things may. */
static uint64_t key(size_t i)
{
    return (uint64_t)i << 32;
}

static void finds_all_through_growth(void **state)
{
    static int values[1000];
    struct map map = {0};
    struct err err = {0};

    for (size_t i = 0; i < 1000; i++) {
        assert_null(map_find(&map, key(i)));
        assert_int_equal(map_put(&map, key(i), &values[i], &err), 0);
    }
    assert_int_equal(map.count, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_ptr_equal(map_find(&map, key(i)), &values[i]);
    assert_null(map_find(&map, key(1000)));
    map_release(&map);
    assert_null(map_find(&map, key(0)));
}

static void replaces_what_had_the_key(void **state)
{
    int first, second;
    struct map map = {0};
    struct err err = {0};

    assert_int_equal(map_put(&map, 0, &first, &err), 0);
    assert_int_equal(map_put(&map, 0, &second, &err), 0);
    assert_int_equal(map.count, 1);
    assert_ptr_equal(map_find(&map, 0), &second);
    map_release(&map);
}

int main(void)
{
    return RUN_TESTS(finds_all_through_growth, replaces_what_had_the_key);
}

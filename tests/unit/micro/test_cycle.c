#include "check.h"

#include "micro/cycle.h"

/* From element 0 the walk is back there after n steps and not before. */
static void check_full(const uint32_t *next, size_t n)
{
    size_t at = 0, step;

    for (step = 1; step <= n; step++) {
        assert_in_range(next[at], 0, n - 1);
        at = next[at];
        assert_int_equal(at == 0, step == n);
    }
}

/* Lemeire et al. VI.B asks for one full pass; the shuffle it prints would not give it. */
static void every_cycle_is_full(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 10, 1000, 4096};
    static uint32_t next[4096];

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint64_t seed = 0; seed < 100; seed++) {
            cycle_random(next, sizes[i], seed);
            check_full(next, sizes[i]);
        }
}

static void the_order_depends_on_the_seed_only(void **state)
{
    uint32_t a[64], b[64], c[64];

    cycle_random(a, 64, 7);
    cycle_random(b, 64, 7);
    cycle_random(c, 64, 8);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
}

/* Of the (n - 1)! full cycles of four elements each must come up about equally often. */
static void all_cycles_of_four_are_equally_likely(void **state)
{
    size_t seen[4][4] = {{0}};
    uint32_t next[4];

    for (uint64_t seed = 0; seed < 6000; seed++) {
        cycle_random(next, 4, seed);
        for (size_t from = 0; from < 4; from++)
            seen[from][next[from]]++;
    }
    for (size_t from = 0; from < 4; from++)
        for (size_t to = 0; to < 4; to++)
            check_near((double)seen[from][to], from == to ? 0 : 2000, from == to ? 0 : 150);
}

int main(void)
{
    return RUN_TESTS(every_cycle_is_full, the_order_depends_on_the_seed_only,
                     all_cycles_of_four_are_equally_likely);
}

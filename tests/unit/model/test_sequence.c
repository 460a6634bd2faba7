#include "check.h"
#include "model/emulate/sequence.h"

static void add_all(struct sequence *sequence, const uint64_t *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        sequence_add(sequence, words[k]);
}

static void check_equal(const struct sequence *a, const struct sequence *b)
{
    assert_int_equal(a->sum, b->sum);
    assert_int_equal(a->count, b->count);
}

/* A part appended at once is what it is one by one, in whatever comes before and behind. */
static void repeats_a_part(void **state)
{
    static const uint64_t words[] = {7, 0, UINT64_MAX, 7, 1};

    for (uint64_t times = 0; times < 70; times++) {
        struct sequence one = {0}, many = {0}, before;

        add_all(&one, words, 2);
        add_all(&many, words, 2);
        before = many;
        add_all(&many, words, 5);
        sequence_repeat(&many, &before, times);
        for (uint64_t k = 0; k <= times; k++)
            add_all(&one, words, 5);
        sequence_add(&one, 3);
        sequence_add(&many, 3);
        check_equal(&one, &many);
    }
}

/* A loop in a loop: the inner one extrapolated in each period of the outer one. */
static void repeats_within_a_part(void **state)
{
    struct sequence one = {0}, many = {0}, outer, inner;

    for (unsigned k = 0; k < 9 * 11; k++) {
        if (k % 9 == 0)
            sequence_add(&one, 1);
        sequence_add(&one, 2);
    }
    outer = many;
    sequence_add(&many, 1);
    inner = many;
    sequence_add(&many, 2);
    sequence_repeat(&many, &inner, 8);
    sequence_repeat(&many, &outer, 10);
    check_equal(&one, &many);
}

static void tells_orders_apart(void **state)
{
    struct sequence ab = {0}, ba = {0};

    sequence_add(&ab, 1);
    sequence_add(&ab, 2);
    sequence_add(&ba, 2);
    sequence_add(&ba, 1);
    assert_int_not_equal(ab.sum, ba.sum);
}

int main(void)
{
    return RUN_TESTS(repeats_a_part, repeats_within_a_part, tells_orders_apart);
}

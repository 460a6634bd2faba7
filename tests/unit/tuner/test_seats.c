#include "check.h"

#include "tuner/tune/seats.h"

enum { COUNT = 9 };

/* Candidates of 100, 101, ... 108 us at 1.5 GHz, all of them at the limit of power. */
static void set_up(struct candidate candidates[COUNT], struct candidate *ranked[COUNT])
{
    for (size_t i = 0; i < COUNT; i++) {
        candidates[i] = (struct candidate){.index = i};
        candidates[i].record.time_s = (100 + (double)i) * 1e-6;
        candidates[i].record.clock_hz = 1.5e9;
        candidates[i].record.throttled = true;
        ranked[i] = &candidates[i];
    }
}

static void the_fastest_have_seats_and_the_default(void **state)
{
    struct candidate candidates[COUNT], *ranked[COUNT], *seats[SEATS];

    set_up(candidates, ranked);
    assert_int_equal(seats_take(seats, ranked, COUNT, NULL), TUNE_FINALISTS);
    for (size_t i = 0; i < TUNE_FINALISTS; i++)
        assert_ptr_equal(seats[i], ranked[i]);
    assert_int_equal(seats_take(seats, ranked, COUNT, &candidates[2]), TUNE_FINALISTS);
    assert_int_equal(seats_take(seats, ranked, COUNT, &candidates[7]), TUNE_FINALISTS + 1);
    assert_ptr_equal(seats[TUNE_FINALISTS], &candidates[7]);
    assert_int_equal(seats_take(seats, ranked, 3, &candidates[7]), 3);
    assert_int_equal(seats_take(seats, ranked, 0, NULL), 0);
}

/* One that was slow since the GPU was hot, by its clock, may be the fastest. */
static void who_needs_the_fewest_cycles_has_a_seat(void **state)
{
    struct candidate candidates[COUNT], *ranked[COUNT], *seats[SEATS];

    set_up(candidates, ranked);
    candidates[8].record.clock_hz = 1.3e9;
    candidates[7].record.clock_hz = 1.35e9;
    assert_int_equal(seats_take(seats, ranked, COUNT, NULL), TUNE_FINALISTS + 1);
    assert_ptr_equal(seats[TUNE_FINALISTS], &candidates[8]);
    assert_int_equal(seats_take(seats, ranked, COUNT, &candidates[8]), TUNE_FINALISTS + 1);
    assert_int_equal(seats_take(seats, ranked, COUNT, &candidates[6]), SEATS);

    candidates[8].record.time_s = 120e-6; /* not even at the clock of the others */
    candidates[7].record.throttled = false;
    assert_int_equal(seats_take(seats, ranked, COUNT, NULL), TUNE_FINALISTS);
}

/* Cycles of a clock that nothing limits say nothing that the time does not. */
static void cycles_count_at_the_limit_only(void **state)
{
    struct candidate candidates[COUNT], *ranked[COUNT], *seats[SEATS];

    set_up(candidates, ranked);
    for (size_t i = 0; i < COUNT; i++)
        candidates[i].record.throttled = false;
    candidates[8].record.clock_hz = 1.3e9;
    assert_int_equal(seats_take(seats, ranked, COUNT, NULL), TUNE_FINALISTS);
    candidates[8].record.throttled = true;
    candidates[8].record.clock_hz = 0; /* not measured */
    assert_int_equal(seats_take(seats, ranked, COUNT, NULL), TUNE_FINALISTS);
}

int main(void)
{
    return RUN_TESTS(the_fastest_have_seats_and_the_default, who_needs_the_fewest_cycles_has_a_seat,
                     cycles_count_at_the_limit_only);
}

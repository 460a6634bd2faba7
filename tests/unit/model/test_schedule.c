#include "check.h"

#include "model/predict/schedule.h"

/* 15 SMs of 4 blocks: a full wave is 60 blocks; 45 blocks reach 75 %. */
static void too_few_blocks(void **state)
{
    struct schedule w;

    schedule_of(&w, 45, 15, 4);
    check_near(w.filled_share, 0.75, 1e-12);
    check_near(w.full, 0, 0);
    check_near(w.rest_per_sm, 3, 0);
    check_near(w.rest_sms, 15, 0);
    schedule_of(&w, 60, 15, 4);
    check_near(w.filled_share, 1, 0);
    check_near(w.count, 1, 0);
    check_near(w.rest, 0, 0);
    schedule_of(&w, 140, 15, 4);
    check_near(w.full, 2, 0);
    check_near(w.rest, 20, 0);
    check_near(w.rest_per_sm, 2, 0);
    check_near(w.rest_sms, 10, 0);
    check_near(w.count, 3, 0);
    check_near(w.filled_share, 140.0 / 180, 1e-12);
}

static void equal_blocks_have_no_imbalance(void **state)
{
    const double cycles[] = {100, 100};
    struct imbalance i;

    assert_int_equal(
        imbalance_of(&i, cycles, 1, 2, 45, &(struct places){.sms = 60, .per_sm = 1, .needed = 1}, NULL, NULL),
        0);
    check_near(i.achieved, 0.75, 1e-12);
    check_near(i.too_few, 0.75, 1e-12);
    check_near(i.between_blocks, 1, 1e-12);
    check_near(i.within_block, 1, 1e-12);
    check_near(i.stretch, 1, 1e-12);
    check_near(i.makespan, 100, 1e-12);
}

static void unequal_warps_leave_their_block_early(void **state)
{
    const double cycles[] = {100, 50, 50, 40};
    struct imbalance i;

    assert_int_equal(
        imbalance_of(&i, cycles, 1, 4, 60, &(struct places){.sms = 60, .per_sm = 1, .needed = 1}, NULL, NULL),
        0);
    check_near(i.within_block, 0.6, 1e-12);
    check_near(i.between_blocks, 1, 1e-12);
    check_near(i.achieved, 0.6, 1e-12);
}

/* Two places, blocks of 30, 10, 10, 10: the three short ones run beside the long one. */
static void unequal_blocks_are_dealt_out_as_places_become_free(void **state)
{
    const double cycles[] = {30, 10, 10, 10}, late[] = {10, 10, 10, 30};
    struct imbalance i;

    assert_int_equal(
        imbalance_of(&i, cycles, 4, 1, 4, &(struct places){.sms = 2, .per_sm = 1, .needed = 1}, NULL, NULL),
        0);
    check_near(i.makespan, 30, 1e-12);
    check_near(i.achieved, 1, 1e-12);
    assert_int_equal(
        imbalance_of(&i, late, 4, 1, 4, &(struct places){.sms = 2, .per_sm = 1, .needed = 1}, NULL, NULL), 0);
    check_near(i.makespan, 40, 1e-12);
    check_near(i.stretch, 40.0 / 30, 1e-12);
    check_near(i.between_blocks, 0.75, 1e-12);
    check_near(i.too_few, 1, 1e-12);
}

/* Two blocks of an SM, of 30 and 10: where one keeps all of it busy, that of 30 goes on twice as fast once the other has ended. */
static void blocks_of_an_sm_share_it(void **state)
{
    const double cycles[] = {30, 10};
    struct places both = {.sms = 1, .per_sm = 2, .needed = 2}, busy = {.sms = 1, .per_sm = 2, .needed = 1};
    struct imbalance i;

    assert_int_equal(imbalance_of(&i, cycles, 2, 1, 2, &both, NULL, NULL), 0);
    check_near(i.makespan, 30, 1e-12);
    check_near(i.stretch, 1.5, 1e-12);
    check_near(i.achieved, 40. / 60, 1e-12);
    assert_int_equal(imbalance_of(&i, cycles, 2, 1, 2, &busy, NULL, NULL), 0);
    check_near(i.makespan, 40, 1e-12);
    check_near(i.stretch, 1, 1e-12);
    check_near(i.achieved, (20 * 2 + 20) / 80., 1e-12);
}

/* Blocks that are nearly equal: those of an SM do not end together, so that half a wave behind a full one goes to all SMs. */
static void half_a_wave_goes_to_all_sms(void **state)
{
    const double cycles[] = {100, 101};
    struct places places = {.sms = 132, .per_sm = 8, .needed = 2, .spread = 0.1};
    struct imbalance i;

    assert_int_equal(imbalance_of(&i, cycles, 2, 1, 132 * 12, &places, NULL, NULL), 0);
    assert_true(i.makespan > 100.5 * 6 && i.makespan < 100.5 * 7); /* not 8 */
    check_near(i.stretch, 1, 0.02);
}

/* Many waves even out what differs between blocks; the pace before the last 32 waves is the mean. */
static void more_blocks_even_out(void **state)
{
    const double cycles[] = {100, 300};
    struct imbalance few, many;

    assert_int_equal(
        imbalance_of(&few, cycles, 2, 1, 3, &(struct places){.sms = 2, .per_sm = 1, .needed = 1}, NULL, NULL),
        0);
    assert_int_equal(imbalance_of(&many, cycles, 2, 1, 100001,
                                  &(struct places){.sms = 2, .per_sm = 1, .needed = 1}, NULL, NULL),
                     0);
    assert_true(many.between_blocks > 0.999 && many.stretch < 1.001);
    assert_true(few.achieved < many.achieved);
    check_near(many.makespan, 100001 * 200.0 / 2, 300);
}

/* Blocks of an abs kernel on an H200: replaced in 450 cycles, dispatched every 157 to an SM with 16 places. */
static void places_wait_for_blocks(void **state)
{
    check_near(schedule_held(4500, 450, 157, 16), 0.9, 1e-12);
    check_near(schedule_held(1482, 450, 157, 16), 1032.0 / (157 * 16), 1e-12); /* the dispatcher is late */
    check_near(schedule_held(300, 450, 0, 16), 0, 0);
    check_near(schedule_held(1e6, 0, 0, 1), 1, 0);
}

static void senseless_input_is_refused(void **state)
{
    const double cycles[] = {10, 0};
    struct imbalance i;
    struct err err = {0};

    assert_int_equal(
        imbalance_of(&i, cycles, 1, 2, 4, &(struct places){.sms = 2, .per_sm = 1, .needed = 1}, NULL, &err),
        ERR_USAGE);
    assert_string_equal(err.text, "warp 1 of sampled block 0 lasts 0 cycles: a positive number is meant");
    assert_int_equal(
        imbalance_of(&i, cycles, 0, 2, 4, &(struct places){.sms = 2, .per_sm = 1, .needed = 1}, NULL, NULL),
        ERR_USAGE);
    assert_int_equal(
        imbalance_of(&i, cycles, 1, 1, 4, &(struct places){.sms = 0, .per_sm = 1, .needed = 1}, NULL, NULL),
        ERR_USAGE);
}

/* Two blocks, six pieces: whoever is free takes the next one. In turn, one block would have all the long ones. */
static void handed_out_pieces_go_to_who_is_free(void **state)
{
    const double longer[] = {30, 30, 30}, shorter[] = {10, 10, 10};
    const struct pieces pieces[] = {{5, longer, 3}, {5, shorter, 3}}, one[] = {{0, shorter, 2}};
    struct imbalance i = {.too_few = 0.5, .within_block = 0.8, .stretch = 3};

    assert_int_equal(imbalance_tickets(&i, pieces, 2, 2, 2, NULL), 0);
    check_near(i.stretch, 75 / 65., 1e-12); /* 5 + 30 + 30 + 10 beside 5 + 10 + 10 + 30 */
    check_near(i.between_blocks, 65 / 75., 1e-12);
    check_near(i.achieved, 0.5 * 0.8 * 65 / 75, 1e-12);
    assert_int_equal(imbalance_tickets(&i, one, 1, 7, 7, NULL), 0);
    check_near(i.stretch, 1, 1e-12);
}

/* Where one block at work gets as much done as two, nothing is lost when the other has ended. */
static void what_throughput_limits_is_not_prolonged(void **state)
{
    const double longer[] = {30, 30, 30}, shorter[] = {10, 10, 10};
    const struct pieces pieces[] = {{5, longer, 3}, {5, shorter, 3}};
    struct imbalance i = {.too_few = 1, .within_block = 1};

    assert_int_equal(imbalance_tickets(&i, pieces, 2, 2, 1, NULL), 0);
    check_near(i.stretch, 1, 1e-12);
    check_near(i.between_blocks, 65 / 75., 1e-12); /* places are empty all the same */
    assert_int_equal(imbalance_tickets(&i, pieces, 2, 2, 1.5, NULL), 0);
    check_near(i.stretch, (2 * 55 + 1.5 * 20) / 130, 1e-12);
}

/* Ten SMs of two blocks, of which two get three times what the others get: a wave of all takes 100 cycles. */
static struct shared_sms favouring(double blocks, double alone_cycles)
{
    return (struct shared_sms){.blocks = blocks,
                               .sms = 10,
                               .blocks_per_sm = 2,
                               .favoured = 2,
                               .favour = 3,
                               .wave_cycles = 100,
                               .alone_cycles = alone_cycles,
                               .block_cycles = alone_cycles / 2};
}

/* What the favoured leave when they have done, the others take. */
static void who_is_favoured_ends_early(void **state)
{
    const struct shared_sms wave = favouring(20, 10), more = favouring(24, 10), slow = favouring(20, 100);

    check_near(schedule_shared(&wave), 100, 1e-9);
    check_near(schedule_shared(&more), 120, 1e-9);
    check_near(schedule_shared(&slow), 100, 1e-9); /* an SM alone is no faster: nobody can be favoured */
}

/* Two SMs take all of the rest, and need as long for it as an SM does. */
static void who_takes_the_rest_ends_last(void **state)
{
    const struct shared_sms rest = favouring(24, 80), half = favouring(22, 80), waves = favouring(40, 80);

    check_near(schedule_shared(&rest), 160, 1e-9);
    check_near(schedule_shared(&half), 120, 1e-9); /* of two blocks a block of each is left: half as long */
    assert_true(schedule_shared(&waves) >= 200 && schedule_shared(&waves) < 220);
}

int main(void)
{
    return RUN_TESTS(too_few_blocks, equal_blocks_have_no_imbalance, unequal_warps_leave_their_block_early,
                     unequal_blocks_are_dealt_out_as_places_become_free, handed_out_pieces_go_to_who_is_free,
                     what_throughput_limits_is_not_prolonged, who_is_favoured_ends_early,
                     who_takes_the_rest_ends_last, blocks_of_an_sm_share_it, half_a_wave_goes_to_all_sms,
                     more_blocks_even_out, places_wait_for_blocks, senseless_input_is_refused);
}

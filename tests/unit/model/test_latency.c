#include "check.h"

#include "model/warp/latency.h"

#define BIT(slot) (UINT64_C(1) << (slot))
#define NO        REPLAY_NO_SLOT

static struct replay_op op(double stall, double latency, unsigned sets, uint64_t waits)
{
    return (struct replay_op){.stall = stall,
                              .latency = latency,
                              .sets = (uint8_t)sets,
                              .sets_read = NO,
                              .counted = NO,
                              .waits = waits};
}

static double issue(struct replay *warp, struct replay_op instruction)
{
    struct replay_issue out;

    assert_int_equal(replay_step(&out, warp, &instruction, NULL), 0);
    return out.cycle;
}

/* Volkov, 3.8, Listing 3.5 and Figure 3.5: each instruction that others depend on has a slot of its own. */
static void vector_add_on_kepler(void **state)
{
    enum { TID, CTAID, INDEX, A, B, C, LOADED_A, LOADED_B, SUM };
    const struct replay_op ops[] = {
        op(0, 9, NO, 0),                              /* MOV, pair */
        op(3, 9, TID, 0),                             /* S2R */
        op(3, 9, CTAID, 0),                           /* S2R */
        op(3, 9, INDEX, BIT(TID) | BIT(CTAID)),       /* IMAD */
        op(0, 9, A, BIT(INDEX)),                      /* ISCADD, pair */
        op(3, 9, B, BIT(INDEX)),                      /* ISCADD */
        op(3, 301, LOADED_A, BIT(A)),                 /* LD */
        op(0, 301, LOADED_B, BIT(B)),                 /* LD, pair */
        op(3, 9, C, BIT(INDEX)),                      /* ISCADD */
        op(3, 9, SUM, BIT(LOADED_A) | BIT(LOADED_B)), /* FADD */
        op(0, 9, NO, BIT(SUM) | BIT(C)),              /* ST, pair */
        op(3, 9, NO, 0),                              /* EXIT */
    };
    const double wanted[] = {0, 0, 3, 12, 21, 21, 30, 33, 33, 334, 343, 343};
    struct replay warp;

    replay_init(&warp, 0);
    for (size_t i = 0; i < 12; i++)
        check_near(issue(&warp, ops[i]), wanted[i], 0);
    check_near(warp.last + 201, 544, 0); /* until the next block */
    assert_int_equal(warp.issued, 12);
}

/* Wong et al., Table III: GT200's 32-bit multiply is 4, multiply-add 5 dependent instructions of latency 24. */
static void dependent_chains(void **state)
{
    struct replay warp;

    replay_init(&warp, 0);
    for (int i = 0; i < 4; i++)
        check_near(issue(&warp, op(4, 24, 0, BIT(0))), 24 * i, 0);
    check_near(issue(&warp, op(4, 24, 0, BIT(0))), 96, 0);
    check_near(issue(&warp, op(4, 24, 0, BIT(0))), 120, 0);
}

/* Volkov, Listing 3.2, Fermi. */
static void independent_instructions(void **state)
{
    const double gaps[] = {6, 6, 26, 6, 6}, loads[] = {0, 6, 12, 38, 44, 513};
    struct replay_op store = op(6, 0, NO, 0);
    struct replay warp;
    struct replay_issue out;

    replay_init(&warp, 0);
    for (int i = 0; i < 5; i++)
        check_near(issue(&warp, op(6, 18, NO, 0)), 6 * i, 0);
    replay_init(&warp, 0);
    store.pipe = 3;
    store.interval = 34;
    for (int i = 0; i < 3; i++)
        check_near(issue(&warp, store), 34 * i, 0);
    replay_init(&warp, 5);
    for (int i = 0; i < 6; i++) {
        struct replay_op load = op(i < 5 ? gaps[i] : 6, 513, NO, 0);

        load.kind = REPLAY_LOAD;
        assert_int_equal(replay_step(&out, &warp, &load, NULL), 0);
        check_near(out.cycle, loads[i], 0);
    }
    check_near(out.cycle, 526, 526 * 0.03);
    assert_int_equal(out.cause, REPLAY_PLACES);
    check_near(warp.waited[REPLAY_PLACES], 513 - 50, 0);
}

/* Volkov, Listing 3.3: the barriers issue at 546 and 32 and cost 34. */
static void a_barrier_waits_for_the_last_warp(void **state)
{
    struct replay slow, fast, *warps[] = {&slow, &fast};

    replay_init(&slow, 0);
    replay_init(&fast, 0);
    issue(&slow, op(32, 546, 0, 0));
    check_near(issue(&slow, op(6, 0, NO, BIT(0))), 546, 0);
    issue(&fast, op(32, 0, NO, 0));
    check_near(issue(&fast, op(6, 0, NO, 0)), 32, 0);
    replay_barrier(warps, 2, 34);
    check_near(issue(&slow, op(6, 0, NO, 0)), 580, 0);
    check_near(issue(&fast, op(6, 0, NO, 0)), 580, 0);
    check_near(fast.waited[REPLAY_AT_BARRIER], 542, 0);
}

static void a_wait_names_its_instruction_and_level(void **state)
{
    struct replay_op load = op(2, 600, 1, 0);
    struct replay_issue out;
    struct replay warp;
    const struct replay_op use = op(4, 0, NO, BIT(0) | BIT(1));

    load.tag = 0x40;
    load.level = 3;
    replay_init(&warp, 0);
    issue(&warp, op(1, 20, 0, 0));
    issue(&warp, load);
    assert_int_equal(replay_step(&out, &warp, &use, NULL), 0);
    check_near(out.cycle, 601, 0);
    check_near(out.waited, 598, 0);
    assert_int_equal(out.cause, REPLAY_SLOT);
    assert_int_equal(out.blamed, 0x40);
    check_near(warp.waited_level[3], 598, 0);
}

/* DEPBAR.LE SB0, n: all but the last n must be there. */
static void a_counted_wait_leaves_the_last_in_flight(void **state)
{
    struct replay_op wait = op(1, 0, NO, 0);
    struct replay warp;

    replay_init(&warp, 0);
    for (int i = 0; i < 3; i++)
        issue(&warp, op(10, 100, 0, 0));
    wait.counted = 0;
    wait.counted_left = 3;
    check_near(issue(&warp, wait), 30, 0);
    wait.counted_left = 2;
    check_near(issue(&warp, wait), 100, 0);
    wait.counted_left = 1;
    check_near(issue(&warp, wait), 110, 0);
    wait.counted_left = 0;
    check_near(issue(&warp, wait), 120, 0);
}

static void a_commit_collects_the_copies(void **state)
{
    struct replay_op copy = op(2, 500, NO, 0), commit = op(2, 10, 2, 0);
    struct replay warp;

    copy.kind = REPLAY_COPY;
    commit.kind = REPLAY_COMMIT;
    replay_init(&warp, 0);
    issue(&warp, copy);
    issue(&warp, copy);
    issue(&warp, commit);
    check_near(issue(&warp, op(1, 0, NO, BIT(2))), 502, 0);
}

/* Simulates a loop until it is steady, and the rest at once. */
static void repeat(struct replay *warp, const struct replay_op *ops, size_t n, uint64_t times)
{
    struct replay before;
    struct replay_issue out;

    do {
        before = *warp;
        for (size_t i = 0; i < n; i++)
            assert_int_equal(replay_step(&out, warp, &ops[i], NULL), 0);
    } while (--times && !replay_is_steady(&before, warp));
    replay_repeat(warp, &before, times);
}

/* A loop with everything in it: extrapolated and stepped through it must agree to the cycle. */
static void a_loop_equals_its_iterations(void **state)
{
    struct replay_op body[] = {op(1, 430, 0, BIT(3)), op(2, 430, 1, 0),     op(4, 29, 2, BIT(0)),
                               op(5, 0, NO, BIT(1)),  op(3, 17, 3, BIT(2)), op(2, 0, NO, 0)};
    struct replay fast, slow;

    body[0].kind = body[1].kind = REPLAY_LOAD;
    body[0].level = body[1].level = 2;
    body[2].pipe = 1;
    body[2].interval = 9;
    body[5].counted = 0;
    body[5].counted_left = 1;
    replay_init(&fast, 3);
    replay_init(&slow, 3);
    repeat(&fast, body, 6, 10000);
    for (int i = 0; i < 10000; i++)
        for (int k = 0; k < 6; k++)
            issue(&slow, body[k]);
    check_near(fast.last, slow.last, 1e-6);
    check_near(fast.waited[REPLAY_SLOT], slow.waited[REPLAY_SLOT], 1e-6);
    check_near(fast.waited_level[2], slow.waited_level[2], 1e-6);
    assert_int_equal(fast.issued, slow.issued);
    check_near(issue(&fast, op(1, 0, NO, BIT(0) | BIT(3))), issue(&slow, op(1, 0, NO, BIT(0) | BIT(3))),
               1e-6);
}

/* A product issued every 12 cycles, of 64 cycles of the tensor pipe, that takes 130 until it is done. */
static struct replay_op product(unsigned sets)
{
    struct replay_op out = op(1, 130, sets, 0);

    out.pipe = 1;
    out.interval = 12;
    out.queued = 64;
    return out;
}

/* Seven go into the queue. The eighth is issued as the first of them, which began 28 cycles after its issue, is through the
 * pipe; what waits for it ends 8 products after the first began. */
static void products_wait_in_a_queue(void **state)
{
    const double wanted[] = {0, 12, 24, 36, 48, 60, 72, 92, 156};
    struct replay warp;

    replay_init(&warp, 0);
    warp.products = (struct products){.lead = 28, .depth = 7};
    for (int k = 0; k < 9; k++)
        check_near(issue(&warp, product(0)), wanted[k], 0);
    check_near(issue(&warp, op(1, 0, NO, BIT(0))), 8 * 64 + 130, 0);
}

/* As long as the pipe has time, and where it has not. */
static void a_loop_of_products_equals_its_iterations(void **state)
{
    for (int stall = 20; stall <= 260; stall += 40) {
        const struct replay_op body[] = {product(NO), product(NO), product(0), op(stall, 0, NO, 0)};
        struct replay fast, slow;

        replay_init(&fast, 0);
        fast.products = (struct products){.lead = 28, .depth = 7};
        slow = fast;
        repeat(&fast, body, 4, 5000);
        for (int i = 0; i < 4 * 5000; i++)
            issue(&slow, body[i % 4]);
        check_near(fast.last, slow.last, 1e-6);
        check_near(slow.last, 5000. * fmax(3 * 64, 25 + stall), 1000);
        check_near(issue(&fast, op(1, 0, NO, BIT(0))), issue(&slow, op(1, 0, NO, BIT(0))), 1e-6);
    }
}

static void a_long_loop_costs_nothing(void **state)
{
    const struct replay_op body[] = {op(4, 30, 0, BIT(0))};
    struct replay warp;

    replay_init(&warp, 0);
    repeat(&warp, body, 1, UINT64_C(1) << 40);
    check_near(warp.last, 30.0 * ((double)(UINT64_C(1) << 40) - 1), 1);
    assert_int_equal(warp.issued, UINT64_C(1) << 40);
}

/* Two unequal warps that meet at a barrier in each of 5000 iterations. */
static void a_loop_with_barriers_can_be_repeated(void **state)
{
    struct replay stepped[2], folded[2], before[2];
    struct replay *warps[] = {&stepped[0], &stepped[1]}, *quick[] = {&folded[0], &folded[1]};
    const struct replay_op load = op(2, 300, 0, BIT(1)), use = op(4, 20, 1, BIT(0)),
                           slow = op(4, 90, 1, BIT(0));
    int i;

    for (int w = 0; w < 2; w++) {
        replay_init(&stepped[w], 0);
        replay_init(&folded[w], 0);
    }
    for (i = 0; i < 5000; i++) {
        for (int w = 0; w < 2; w++) {
            issue(&stepped[w], load);
            issue(&stepped[w], w ? slow : use);
        }
        replay_barrier(warps, 2, 30);
    }
    for (i = 0; i < 5000; i++) {
        memcpy(before, folded, sizeof before);
        for (int w = 0; w < 2; w++) {
            issue(&folded[w], load);
            issue(&folded[w], w ? slow : use);
        }
        replay_barrier(quick, 2, 30);
        if (replay_is_steady(&before[0], &folded[0]) && replay_is_steady(&before[1], &folded[1]))
            break;
    }
    assert_true(i < 10);
    for (int w = 0; w < 2; w++) {
        replay_repeat(&folded[w], &before[w], (uint64_t)(4999 - i));
        check_near(folded[w].earliest, stepped[w].earliest, 1e-6);
        check_near(folded[w].waited[REPLAY_AT_BARRIER], stepped[w].waited[REPLAY_AT_BARRIER], 1e-6);
        assert_int_equal(folded[w].issued, 10000);
    }
}

static void five_warps_run_like_eight(void **state)
{
    check_near(5 * replay_unevenness(5, 4), 8, 1e-12);
    check_near(replay_unevenness(8, 4), 1, 1e-12);
    check_near(replay_unevenness(1, 4), 4, 1e-12);
}

static void what_is_out_of_range_is_refused(void **state)
{
    struct replay_op bad = op(1, 1, 64, 0);
    struct replay_issue out;
    struct err err = {0};
    struct replay warp;

    replay_init(&warp, 1000);
    assert_int_equal(warp.places, REPLAY_FLIGHT);
    bad.tag = 0x120;
    assert_int_equal(replay_step(&out, &warp, &bad, &err), ERR_USAGE);
    assert_string_equal(err.text, "instruction 0x120 sets slot 64 or 255: slots are 0 to 63");
    bad = op(1, 1, 0, 0);
    bad.counted = 8;
    assert_int_equal(replay_step(&out, &warp, &bad, NULL), ERR_USAGE);
    bad = op(1, 1, 0, 0);
    bad.pipe = REPLAY_PIPES;
    assert_int_equal(replay_step(&out, &warp, &bad, NULL), ERR_USAGE);
    assert_int_equal(warp.issued, 0);
}

int main(void)
{
    return RUN_TESTS(vector_add_on_kepler, dependent_chains, independent_instructions,
                     a_barrier_waits_for_the_last_warp, a_wait_names_its_instruction_and_level,
                     a_counted_wait_leaves_the_last_in_flight, a_commit_collects_the_copies,
                     a_loop_equals_its_iterations, a_long_loop_costs_nothing, products_wait_in_a_queue,
                     a_loop_of_products_equals_its_iterations, a_loop_with_barriers_can_be_repeated,
                     five_warps_run_like_eight, what_is_out_of_range_is_refused);
}

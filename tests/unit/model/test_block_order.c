#include "check.h"

#include "model/predict/block_order.h"
#include "model/predict/schedule.h"

#include <string.h>

enum { BLOCKS = 12 };
static const unsigned grid[3] = {100, 20, 3};

/* Blocks along x and, at random, along y. */
static void spread(unsigned positions[BLOCKS][3])
{
    for (unsigned b = 0; b < BLOCKS; b++) {
        positions[b][0] = 9 * b;
        positions[b][1] = 7 * b * b % 20;
        positions[b][2] = b % 3;
    }
}

static void opened(struct block_order *out, const double *cycles, unsigned positions[BLOCKS][3])
{
    assert_int_equal(block_order_of(out, grid, (const unsigned(*)[3])positions, cycles, BLOCKS, NULL), 0);
}

/* The longer the further along x; between blocks and beyond the last one. */
static void a_coordinate_says_how_long(void **state)
{
    unsigned positions[BLOCKS][3];
    double cycles[BLOCKS];
    struct block_order order;

    spread(positions);
    for (unsigned b = 0; b < BLOCKS; b++)
        cycles[b] = 100 + 10 * positions[b][0];
    opened(&order, cycles, positions);
    assert_int_equal(order.count, BLOCKS);
    assert_int_equal(order.axis, 0);
    check_near(block_order_cycles(&order, 0), 100, 1e-9);
    check_near(block_order_cycles(&order, 13), 230, 1e-9);
    check_near(block_order_cycles(&order, 100 * 20 + 100 * 7 + 13), 230, 1e-9); /* in another row and plane */
    check_near(block_order_cycles(&order, 99), 1090, 1e-9);
    block_order_release(&order);
}

/* Along y, of several at one coordinate their mean; and the other way round. */
static void it_may_be_any_and_go_down(void **state)
{
    unsigned positions[BLOCKS][3];
    double cycles[BLOCKS];
    struct block_order order;

    spread(positions);
    for (unsigned b = 0; b < BLOCKS; b++) {
        positions[b][1] = 3 * (b / 2);
        cycles[b] = 1000 - 10 * positions[b][1] + b % 2;
    }
    opened(&order, cycles, positions);
    assert_int_equal(order.axis, 1);
    assert_int_equal(order.count, 6);
    check_near(block_order_cycles(&order, 3 * 100), 970.5, 1e-9);
    block_order_release(&order);
}

/* Lengths at random, equal ones, and those of few coordinates say nothing. */
static void most_say_nothing(void **state)
{
    static const double mixed[BLOCKS] = {31, 4, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26};
    unsigned positions[BLOCKS][3];
    double cycles[BLOCKS];
    struct block_order order;

    spread(positions);
    memcpy(cycles, mixed, sizeof cycles);
    opened(&order, cycles, positions);
    assert_int_equal(order.count, 0);
    block_order_release(&order);
    for (unsigned b = 0; b < BLOCKS; b++)
        cycles[b] = b == BLOCKS - 1 ? 101 : 100;
    opened(&order, cycles, positions);
    assert_int_equal(order.count, 0);
    block_order_release(&order);
    for (unsigned b = 0; b < BLOCKS; b++)
        cycles[b] = 100 + 10 * positions[b][2];
    opened(&order, cycles, positions);
    assert_int_equal(order.count, 0);
    block_order_release(&order);
}

/* Two SMs, blocks of 1 to 6: the longest last end at 12, the longest first at 11. */
static void the_order_counts(void **state)
{
    static const double samples[] = {3.5};
    static const struct places places = {.sms = 2, .per_sm = 1, .needed = 1};
    struct block_point points[2] = {{0, 1}, {5, 6}};
    struct block_order order = {.grid = {6, 1, 1}, .points = points, .count = 2};
    struct imbalance i;

    assert_int_equal(imbalance_of(&i, samples, 1, 1, 6, &places, &order, NULL), 0);
    check_near(i.makespan, 12, 1e-9);
    check_near(i.stretch, 12 / 10.5, 1e-9);
    points[0].cycles = 6;
    points[1].cycles = 1;
    assert_int_equal(imbalance_of(&i, samples, 1, 1, 6, &places, &order, NULL), 0);
    check_near(i.makespan, 11, 1e-9);
}

int main(void)
{
    return RUN_TESTS(a_coordinate_says_how_long, it_may_be_any_and_go_down, most_say_nothing,
                     the_order_counts);
}

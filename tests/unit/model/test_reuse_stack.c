#include "check.h"
#include "model/emulate/reuse_stack.h"

#include <stdlib.h>

static struct reuse_stack *stack_new(void)
{
    struct reuse_stack *stack = calloc(1, sizeof *stack);

    assert_non_null(stack);
    reuse_stack_begin(stack);
    return stack;
}

/* One request to one line; how many other lines lie between, or -1 where it is new. */
static double touch(struct reuse_stack *stack, uint64_t line, unsigned sectors)
{
    struct reuse_stack_found found;

    reuse_stack_request(stack);
    if (!reuse_stack_touch(&found, stack, line, sectors) || !found.count)
        return -1;
    return found.lines[0];
}

/* Different lines count, however often they are touched. */
static void counts_different_lines_between(void **state)
{
    struct reuse_stack *stack = stack_new();

    check_near(touch(stack, 1, 15), -1, 0);
    check_near(touch(stack, 1, 15), 0, 0);
    for (unsigned k = 0; k < 10; k++)
        touch(stack, 2 + k % 3, 15);
    check_near(touch(stack, 1, 15), 3, 0);
    check_near(touch(stack, 4, 15), 2, 0);
    reuse_stack_begin(stack);
    check_near(touch(stack, 1, 15), -1, 0);
    free(stack);
}

/* A line that was away is back with the sector that was asked for; the others have seen the same since. */
static void sectors_of_a_line_are_away_as_long_as_the_line(void **state)
{
    struct reuse_stack *stack = stack_new();

    touch(stack, 1, 3);
    check_near(touch(stack, 1, 4), -1, 0);
    for (unsigned k = 0; k < 100; k++)
        touch(stack, 2 + k, 1);
    check_near(touch(stack, 1, 1), 100, 0);
    check_near(touch(stack, 1, 1), 0, 0);
    check_near(touch(stack, 1, 2), 100, 0);
    check_near(touch(stack, 1, 2), 0, 0);
    free(stack);
}

/* Lanes of one request are one access. */
static void a_request_touches_a_line_once(void **state)
{
    struct reuse_stack *stack = stack_new();
    struct reuse_stack_found found;

    reuse_stack_request(stack);
    assert_true(reuse_stack_touch(&found, stack, 1, 1) && !found.requests);
    assert_false(reuse_stack_touch(&found, stack, 1, 1));
    reuse_stack_request(stack);
    assert_true(reuse_stack_touch(&found, stack, 1, 3));
    assert_true(found.first);
    assert_int_equal(found.count, 1);
    reuse_stack_request(stack);
    assert_true(reuse_stack_touch(&found, stack, 1, 3));
    assert_false(found.first);
    assert_int_equal(found.count, 2);
    free(stack);
}

/* Of more lines than fit a sample tells. */
static void a_sample_tells_of_many(void **state)
{
    struct reuse_stack *stack = stack_new();
    const unsigned lines = 20000;
    struct reuse_stack_found found;
    double seen = 0, apart = 0;

    for (unsigned pass = 0; pass < 3; pass++)
        for (unsigned k = 0; k < lines; k++) {
            reuse_stack_request(stack);
            if (reuse_stack_touch(&found, stack, k, 1) && pass == 2) {
                seen += found.weight;
                apart += found.weight * found.lines[0];
            }
        }
    check_near(seen, lines, 0.15 * lines);
    check_near(apart / seen, lines, 0.15 * lines);
    free(stack);
}

int main(void)
{
    return RUN_TESTS(counts_different_lines_between, sectors_of_a_line_are_away_as_long_as_the_line,
                     a_request_touches_a_line_once, a_sample_tells_of_many);
}

#include "check.h"
#include "failing.h"

#include "base/array.h"

static int fill(struct err *err)
{
    unsigned *items = NULL;
    size_t count = 0;
    int rc = 0;

    while (!rc && count < 1000)
        if (!(rc = ARRAY_GROW(items, count, err))) {
            items[count] = (unsigned)count;
            count++;
        }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(items[i], i); /* also of one that could not grow */
    free(items);
    return rc;
}

static void keeps_what_it_holds(void **state)
{
    fail_each(fill);
}

static void refuses_more_than_memory(void **state)
{
    char *items = NULL;
    struct err err = {0};

    assert_int_equal(array_grow(&items, (SIZE_MAX >> 1) + 1, 8, &err), ERR_MEMORY);
    assert_null(items);
}

int main(void)
{
    return RUN_TESTS(keeps_what_it_holds, refuses_more_than_memory);
}

/* Sets of sectors against a plain array of flags. */
#include "check.h"
#include "base/hash.h"
#include "model/footprint.h"

enum { SECTORS = 1 << 16 }; /* sixteen chunks */

static void marks_what_is_touched(void **state)
{
    static bool wanted[SECTORS];
    struct footprint footprint = {0};
    struct err err = {0};
    uint64_t count = 0, pairs = 0;

    (void)state;
    memset(wanted, 0, sizeof wanted);
    for (uint64_t k = 0; k < 300; k++) {
        const uint64_t address = hash_random(1, k) % (32 * SECTORS - 20000),
                       bytes = 1 + hash_random(2, k) % 9999;

        assert_int_equal(footprint_mark(&footprint, address, bytes, &err), 0);
        for (uint64_t s = address / 32; s <= (address + bytes - 1) / 32; s++)
            wanted[s] = true;
    }
    for (uint64_t s = 0; s < SECTORS; s++) {
        count += wanted[s];
        pairs += s % 2 && (wanted[s] || wanted[s - 1]);
        assert_int_equal(footprint_has(&footprint, 32 * s + s % 32), wanted[s]);
    }
    assert_int_equal(footprint_sectors(&footprint), count);
    assert_int_equal(footprint_pairs(&footprint), pairs);
    footprint_release(&footprint);
}

static void finds_what_is_shared(void **state)
{
    struct footprint a = {0}, b = {0}, c = {0};
    struct err err = {0};

    (void)state;
    assert_int_equal(footprint_shared(&a, &b), 0);
    for (uint64_t k = 0; k < 5000; k++) { /* far apart: many chunks */
        footprint_mark(&a, k << 24, 1, &err);
        if (k % 2 == 0)
            footprint_mark(&b, k << 24, 32, &err);
        if (k % 3 == 0)
            footprint_mark(&c, (k << 24) + 16, 16, &err);
    }
    assert_int_equal(err.code, 0);
    assert_int_equal(footprint_sectors(&a), 5000);
    assert_int_equal(footprint_shared(&a, &b), 2500);
    assert_int_equal(footprint_shared(&b, &a), 2500);
    assert_int_equal(footprint_shared3(&a, &b, &c), 834);
    footprint_release(&a);
    footprint_release(&b);
    footprint_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_what_is_touched),
        cmocka_unit_test(finds_what_is_shared),
    };

    return cmocka_run_group_tests_name("footprint", tests, NULL, NULL);
}

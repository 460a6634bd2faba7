#include "check.h"

#include "model/code/register_reads.h"

static struct sass reading(unsigned a, unsigned b, unsigned c)
{
    struct sass out = {.op = SASS_FFMA, .source_count = 3};
    const unsigned registers[3] = {a, b, c};
    unsigned s;

    for (s = 0; s < 3; s++)
        out.sources[s] =
            (struct sass_operand){.kind = SASS_REGISTER, .index = (uint8_t)registers[s], .count = 1};
    return out;
}

static unsigned cycles(const struct sass *previous, const struct sass *instruction)
{
    uint8_t reads[REGISTER_BANKS];

    register_reads(reads, previous, instruction);
    return reads[0] > reads[1] ? reads[0] : reads[1];
}

/* As measured on an NVIDIA H200: R4, R8, R12 and R4, R6, R8 3 cycles, R4, R5, R6 2; 1 with the reuse flags.
 */
static void as_measured(void **state)
{
    struct sass one = reading(4, 8, 12), two = reading(4, 6, 8), three = reading(4, 5, 6), kept = one;
    unsigned s;

    (void)state;
    assert_int_equal(cycles(NULL, &one), 3);
    assert_int_equal(cycles(NULL, &two), 3);
    assert_int_equal(cycles(NULL, &three), 2);
    for (s = 0; s < 3; s++)
        kept.sources[s].reuse = true;
    assert_int_equal(cycles(&kept, &kept), 0);
    assert_int_equal(cycles(&kept, &two), 2); /* R4 is still there, in the same operand */
    assert_int_equal(cycles(&one, &one), 3);  /* nobody kept anything */
}

static void a_register_is_read_once_and_rz_never(void **state)
{
    struct sass same = reading(4, 4, 4), zero = reading(SASS_RZ, SASS_RZ, 7), wide = reading(4, 5, 6);

    (void)state;
    assert_int_equal(cycles(NULL, &same), 1);
    assert_int_equal(cycles(NULL, &zero), 1);
    wide.sources[0].count = 4; /* R4 to R7, and R5 and R6 again */
    assert_int_equal(cycles(NULL, &wide), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_measured),
        cmocka_unit_test(a_register_is_read_once_and_rz_never),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

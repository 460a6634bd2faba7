#include "check.h"

#include "model/sass/register_reads.h"

static struct sass reading(unsigned a, unsigned b, unsigned c)
{
    struct sass out = {.op = SASS_FFMA, .source_count = 3};
    const unsigned registers[3] = {a, b, c};

    for (unsigned s = 0; s < 3; s++)
        out.sources[s] = (struct sass_operand){
            .kind = SASS_REGISTER, .index = (uint8_t)registers[s], .count = 1, .port = (uint8_t)s};
    return out;
}

static struct sass keeping(struct sass instruction)
{
    for (unsigned s = 0; s < 3; s++)
        instruction.sources[s].reuse = true;
    return instruction;
}

/* Of the last instruction of `code`. */
static unsigned cycles_after(const struct sass *code, size_t count)
{
    uint8_t reads[REGISTER_BANKS];

    register_reads(reads, code, count - 1);
    return reads[0] > reads[1] ? reads[0] : reads[1];
}

static unsigned cycles(struct sass instruction)
{
    return cycles_after(&instruction, 1);
}

/* As measured on an NVIDIA H200: R4, R8, R12 and R4, R6, R8 3 cycles, R4, R5, R6 2; 1 with the reuse flags. */
static void as_measured(void **state)
{
    const struct sass one = reading(4, 8, 12), two = reading(4, 6, 8), three = reading(4, 5, 6);

    assert_int_equal(cycles(one), 3);
    assert_int_equal(cycles(two), 3);
    assert_int_equal(cycles(three), 2);
    assert_int_equal(cycles_after((struct sass[]){keeping(one), keeping(one)}, 2), 0);
    assert_int_equal(cycles_after((struct sass[]){keeping(one), two}, 2), 2); /* R4 is still there */
    assert_int_equal(cycles_after((struct sass[]){one, one}, 2), 3);          /* nobody kept anything */
}

/* LOP3 and FFMA in turn, as ptxas writes them: what reads through other slots or of the other bank, and
 * loads and special functions, leave what was kept; what reads through the same slot and bank does not. */
static void a_register_is_kept_across_other_instructions(void **state)
{
    const struct sass first = keeping(reading(4, 18, 15)), next = reading(6, 18, 15);
    struct sass other = reading(24, 19, 20), load = reading(8, 10, 11), wide = reading(SASS_RZ, 20, SASS_RZ);

    assert_int_equal(cycles_after((struct sass[]){first, other, next}, 3), 1); /* R6 alone is read */
    load.op = SASS_LDS;
    assert_int_equal(cycles_after((struct sass[]){first, load, next}, 3), 1);
    other.sources[1].index = 22; /* the bank of R18 */
    assert_int_equal(cycles_after((struct sass[]){first, other, next}, 3), 2);
    wide.sources[1].count = 2;
    assert_int_equal(cycles_after((struct sass[]){first, wide, next}, 3), 2);
    assert_int_equal(cycles_after((struct sass[]){first, reading(4, 18, 15), next}, 3),
                     2); /* kept no longer */
}

static void a_register_is_read_once_and_rz_never(void **state)
{
    struct sass wide = reading(4, 5, 6);

    assert_int_equal(cycles(reading(4, 4, 4)), 1);
    assert_int_equal(cycles(reading(SASS_RZ, SASS_RZ, 7)), 1);
    wide.sources[0].count = 4; /* R4 to R7, and R5 and R6 again */
    assert_int_equal(cycles(wide), 2);
}

int main(void)
{
    return RUN_TESTS(as_measured, a_register_is_kept_across_other_instructions,
                     a_register_is_read_once_and_rz_never);
}

#include "check.h"

#include "model/sass/spin.h"

enum { ADDRESS = 18, VALUE = 20, MOST = 16 };

/* Code, one character an instruction: `.` arithmetic on the value, `L` a weak and `S` a strong load, `H` a strong load of
 * shared memory, `W` a store, `m` what moves the address, `F` what forgets lines, `<` a branch to the instruction that the
 * number says, `?` one under a predicate. */
static struct sass_spin find(const char *text)
{
    struct sass instructions[MOST] = {0};
    struct sass_spin loop = {MOST, MOST, MOST, MOST};
    struct sass_code code = {.instructions = instructions, .sm = 90};

    for (const char *p = text; *p; p++) {
        struct sass *i = &instructions[code.count++];

        i->op = SASS_IADD3;
        i->guard = SASS_PT;
        i->destination_count = !strchr("<?W", *p);
        i->destinations[0] = (struct sass_operand){
            .kind = SASS_REGISTER, .index = *p == 'm' ? ADDRESS + 1 : VALUE, .count = 1};
        if (strchr("LSHWF", *p)) {
            i->op = *p == 'F' ? SASS_CCTL : *p == 'W' ? SASS_STG : *p == 'H' ? SASS_LDS : SASS_LDG;
            i->mod[SASS_MOD_ORDER] = *p == 'L' ? SASS_ORDER_WEAK : SASS_ORDER_STRONG;
            i->access_count = 1;
            i->accesses[0] = (struct sass_access){.space = *p == 'H' ? SASS_SPACE_SHARED : SASS_SPACE_GLOBAL,
                                                  .access = *p == 'W' ? SASS_WRITES : SASS_READS,
                                                  .bytes = 4,
                                                  .wide = true,
                                                  .index = ADDRESS,
                                                  .uniform = SASS_URZ};
        }
        if (strchr("<?", *p)) {
            i->op = SASS_BRA;
            i->guard = *p == '?' ? 0 : SASS_PT;
            i->has_target = true;
            i->target = (*++p - '0') * SASS_BYTES;
        }
    }
    sass_spin(&loop, &code, 0);
    return loop;
}

static size_t spin_of(const char *text)
{
    return find(text).load;
}

static size_t exit_of(const char *text)
{
    return find(text).exit;
}

static void loops_that_only_ask_again_are_found(void **state)
{
    assert_int_equal(spin_of(".S.<1."), 1);
    assert_int_equal(spin_of(".L..SF<3."), 4);
    assert_int_equal(spin_of("..S<2W.S.<6"), 2);
}

/* The instruction that is executed when the answer has changed. */
static void loops_say_where_they_end(void **state)
{
    assert_int_equal(exit_of(".S.?1."), 4);   /* the branch back is taken while it has not */
    assert_int_equal(exit_of(".S?5<1.."), 5); /* one out of the loop when it has */
    assert_int_equal(exit_of(".S.<1.."), 6);  /* no branch says it: the number of instructions */
}

static void other_loops_are_not(void **state)
{
    assert_int_equal(spin_of(".L.<1."), MOST); /* may be kept in L1: the answer never changes */
    assert_int_equal(spin_of(".S.."), MOST);   /* asks once */
    assert_int_equal(spin_of(".S..<3"), MOST); /* is no part of the loop */
    assert_int_equal(spin_of("mS.<0"), MOST);  /* goes on to another place */
    assert_int_equal(spin_of(".S.W<1"), MOST); /* works meanwhile */
    assert_int_equal(spin_of(".LS.<1"), MOST);
    assert_int_equal(spin_of(".H.<1"), MOST); /* waits for its own block */
}

int main(void)
{
    return RUN_TESTS(loops_that_only_ask_again_are_found, loops_say_where_they_end, other_loops_are_not);
}

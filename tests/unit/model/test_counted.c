/* Counted loops: how often they go round, and which are some. */
#include "check.h"

#include "base/hash.h"
#include "model/sass/counted.h"

#include <string.h>

enum { COUNTER = 4, OTHER = 6, BOUND = 8, MOST = 16 };

/* One instruction a character. `+` the counter, and `-`: plus 4, minus 1; `c` the counter is compared (P0), `C` what it was plus 12;
 * `=` the bound is loaded anew; `?` the counter is moved under a predicate; `.` something else; `v` a branch forward to the
 * instruction that the number says; `x` an exit under a predicate; last comes the branch back to the first one, if P0. */
static size_t write(struct sass code[MOST], const char *text)
{
    size_t count = 0;

    memset(code, 0, MOST * sizeof *code);
    for (const char *p = text;; p++) {
        struct sass *i = &code[count];
        const bool compares = *p == 'c' || *p == 'C';

        i->op = compares ? SASS_ISETP : *p == 'v' || !*p ? SASS_BRA : *p == 'x' ? SASS_EXIT : SASS_IADD3;
        i->guard = strchr("?x", *p) ? 0 : SASS_PT; /* the end, too */
        i->destination_count = *p && !strchr("vx", *p);
        i->destinations[0] = (struct sass_operand){.kind = compares ? SASS_PREDICATE : SASS_REGISTER,
                                                   .index = compares                  ? 0
                                                            : *p == '='               ? BOUND
                                                            : strchr("+-?", *p) && *p ? COUNTER
                                                                                      : OTHER,
                                                   .count = 1};
        i->source_count = 3;
        i->sources[0] =
            (struct sass_operand){.kind = SASS_REGISTER, .index = *p == 'C' ? OTHER : COUNTER, .count = 1};
        i->sources[1] = (struct sass_operand){.kind = SASS_IMMEDIATE,
                                              .count = 1,
                                              .value = *p == '-'   ? UINT32_MAX
                                                       : *p == '.' ? 12
                                                                   : 4};
        i->sources[2] = (struct sass_operand){.kind = SASS_REGISTER, .index = SASS_RZ, .count = 1};
        if (compares) {
            i->sources[1] = (struct sass_operand){.kind = SASS_REGISTER, .index = BOUND, .count = 1};
            i->sources[2] = (struct sass_operand){.kind = SASS_PREDICATE, .index = SASS_PT, .count = 1};
            i->mod[SASS_MOD_COMPARE] = SASS_CMP_LT;
            i->mod[SASS_MOD_SIGNED] = 1;
        }
        i->has_target = i->op == SASS_BRA;
        if (*p == 'v')
            i->target = (*++p - '0') * SASS_BYTES;
        if (!*p)
            break;
        count++;
    }
    return count;
}

static bool find(struct sass_counted *out, const char *text)
{
    struct sass code[MOST];
    const size_t count = write(code, text);

    return sass_counted(out, code, count);
}

static uint64_t trips(const char *text, int counter, int bound)
{
    struct sass_counted loop;

    if (!find(&loop, text))
        return 0;
    return sass_counted_trips(&loop, (uint32_t)counter,
                              loop.ahead.kind == SASS_NONE ? 0 : (uint32_t)loop.ahead.value,
                              (uint32_t)loop.step.value, (uint32_t)bound);
}

static void iterations_follow_from_the_beginning(void **state)
{
    assert_int_equal(trips("..+c.", 0, 40), 10);
    assert_int_equal(trips("..+c.", 0, 41), 11);
    assert_int_equal(trips("..+c.", -8, 8), 4);
    assert_int_equal(trips("..+c.", 50, 40), 1);
    assert_int_equal(trips("c..+.", 0, 40), 11); /* before it moves */
    assert_int_equal(trips(".C+", 0, 40), 8);    /* what is 12 ahead */
    assert_int_equal(trips(".-c", 0, 40), SASS_COUNTED_ENDLESS);
    assert_int_equal(trips(".v3.+c.", 0, 40), 10); /* a branch within */
}

static void others_are_not_counted(void **state)
{
    struct sass_counted loop;
    static const char *const texts[] = {"..c.", "..+=c.", ".?c.", "+.+c", "..+.", ".x+c.", ".v9.+c."};

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (find(&loop, texts[k]))
            fail_msg("\"%s\" is taken for a counted loop", texts[k]);
}

/* By how much the instruction moves its register in each iteration; 0 where it does not by the same. */
static int moves(const char *text, size_t k)
{
    struct sass code[MOST];
    const struct sass_counted loop = {.back = (uint32_t)write(code, text)};
    struct sass_operand by;

    return sass_counted_moves(&by, code, &loop, k) ? (int)by.value : 0;
}

static void some_registers_move_by_the_same(void **state)
{
    assert_int_equal(moves("..+c.", 2), 4);
    assert_int_equal(moves("..-c.", 2), -1);
    assert_int_equal(moves("..+c.", 0), 0); /* what depends on another */
    assert_int_equal(moves("..?c.", 2), 0); /* under a predicate */
    assert_int_equal(moves("+.+c.", 0), 0); /* twice */
    assert_int_equal(moves("..+c.", 3), 0); /* a predicate */
}

static bool goes_on(enum sass_compare how, bool with_sign, uint32_t a, uint32_t b)
{
    const int64_t x = with_sign ? (int32_t)a : (int64_t)a, y = with_sign ? (int32_t)b : (int64_t)b;

    switch (how) {
    case SASS_CMP_LT:
        return x < y;
    case SASS_CMP_LE:
        return x <= y;
    case SASS_CMP_GT:
        return x > y;
    case SASS_CMP_GE:
        return x >= y;
    case SASS_CMP_EQ:
        return x == y;
    default:
        return x != y;
    }
}

/* Numbers near each other, so that no counter wraps around. */
static void as_many_as_going_round(void **state)
{
    enum { LONG = 4000 };

    for (uint64_t k = 0; k < 20000; k++) {
        const struct sass_counted loop = {.while_it =
                                              (enum sass_compare)(SASS_CMP_LT + hash_random(1, k) % 6),
                                          .with_sign = hash_random(2, k) % 2};
        const uint32_t base = loop.with_sign ? 0u - 100 : 1u << 31;
        const uint32_t counter = base + (uint32_t)(hash_random(3, k) % 200),
                       bound = base + (uint32_t)(hash_random(4, k) % 200),
                       ahead = (uint32_t)(hash_random(5, k) % 5),
                       step = (uint32_t)(hash_random(6, k) % 9) - 4;
        uint64_t found = sass_counted_trips(&loop, counter, ahead, step, bound), own = 1;

        for (uint32_t v = counter + ahead; own < LONG && goes_on(loop.while_it, loop.with_sign, v, bound);
             v += step)
            own++;
        if (found < LONG || own < LONG)
            assert_int_equal(found, own);
    }
}

int main(void)
{
    return RUN_TESTS(iterations_follow_from_the_beginning, others_are_not_counted,
                     some_registers_move_by_the_same, as_many_as_going_round);
}

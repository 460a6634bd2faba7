#include "check.h"

#include "launch/expr.h"

static const char *const names[] = {"TILE_M", "THREADS_X", "FAST", "TYPE", "SCALE"};
static const struct value slots[] = {
    {.kind = VALUE_INTEGER, .integer = 64}, {.kind = VALUE_INTEGER, .integer = 12},
    {.kind = VALUE_BOOL, .integer = 1},     {.kind = VALUE_STRING, .string = "float"},
    {.kind = VALUE_REAL, .real = 0.5},
};
static const enum value_kind kinds[] = {VALUE_INTEGER, VALUE_INTEGER, VALUE_BOOL, VALUE_STRING, VALUE_REAL};

struct sample {
    const char *text, *wanted; /* the value's text, or the error's */
};

static void evaluate_text(char *out, size_t size, const char *text)
{
    struct err err = {0};
    struct value value;
    struct expr *expr;

    if (expr_parse(&expr, text, names, 5, &err) || expr_value(&value, expr, slots, 7, &err))
        snprintf(out, size, "%s", err.text);
    else
        value_text(out, size, &value);
    expr_free(expr);
}

static void check_samples(const struct sample *samples, size_t count)
{
    char found[1024];

    for (size_t i = 0; i < count; i++) {
        evaluate_text(found, sizeof found, samples[i].text);
        if (strcmp(found, samples[i].wanted))
            fail_msg("%s gives %s, wanted %s", samples[i].text, found, samples[i].wanted);
    }
}

static void arithmetic_is_pythons(void **state)
{
    static const struct sample samples[] = {
        {"1 + 2 * 3", "7"},
        {"(1 + 2) * 3", "9"},
        {"10 - 4 - 3", "3"},
        {"7 // 2", "3"},
        {"-7 // 2", "-4"},
        {"7 // -2", "-4"},
        {"-7 % 3", "2"},
        {"7 % -3", "-2"},
        {"-7.5 % 2", "0.5"},
        {"6 / 3", "2"},
        {"7 / 2", "3.5"},
        {"2 ** 3 ** 2", "512"},
        {"-2 ** 2", "-4"},
        {"2 ** -1", "0.5"},
        {"2 ** 62", "4611686018427387904"},
        {"(-2) ** 63", "-9223372036854775808"},
        {"--3", "3"},
        {"+3", "3"},
        {"1e3", "1000.0"},
        {".5", "0.5"},
        {"TILE_M * SCALE", "32.0"},
        {"(-9223372036854775807 - 1) % -1", "0"},
        {"1 << 4", "16"},
        {"1 << 2 + 1", "8"},
        {"-16 >> 2", "-4"},
        {"-1 >> 99", "-1"},
        {"0 << 99", "0"},
        {"-1 << 62", "-4611686018427387904"},
        {"12 & 10", "8"},
        {"12 | 3 & 1", "13"},
        {"sin(0) + cos(0)", "1.0"},
        {"exp(0) + log(1)", "1.0"},
        {"0x10 + 0XfF", "271"},
        {"0x7fffffffffffffff", "9223372036854775807"},
    };

    check_samples(samples, sizeof samples / sizeof *samples);
}

/* A list of terms is no nesting: 420 sums of blocks from a table of valid ones were too deep. */
static void a_long_list_is_not_deep(void **state)
{
    enum { TERMS = 5000 };
    char *text = calloc(TERMS, 32), found[64];
    size_t used = 0;

    assert_non_null(text);
    for (int i = 0; i < TERMS; i++)
        used += (size_t)sprintf(text + used, "%sTILE_M == %d", i ? " or " : "", 100000 - i);
    evaluate_text(found, sizeof found, text);
    assert_string_equal(found, "False");
    sprintf(text + used, " or TILE_M == TILE_M");
    evaluate_text(found, sizeof found, text);
    assert_string_equal(found, "True");
    free(text);
}

static void logic_is_pythons(void **state)
{
    static const struct sample samples[] = {
        {"TILE_M % THREADS_X == 0", "False"},
        {"32 <= TILE_M * 2 <= 1024", "True"},
        {"32 <= TILE_M < 64", "False"},
        {"1 < 2 > 1 != 5", "True"},
        {"not FAST or TILE_M == 64", "True"},
        {"not (FAST and true)", "False"},
        {"2 in (1, 2, 4)", "True"},
        {"3 in [1, 2, 4]", "False"},
        {"3 not in (1, 2)", "True"},
        {"'a' in ('a', 'b') and 1 + 1 in (2)", "True"},
        {"not 1 in (1, 2)", "False"},
        {"16 & 15 == 0", "True"},
        {"false or false or false or true or 1 // 0 == 0", "True"},
        {"true and true and false and 1 // 0 == 0 and true", "False"},
        {"true or 1 // 0 == 0", "True"},
        {"false and 1 // 0 == 0", "False"},
        {"1 if FAST else 1 // 0", "1"},
        {"1 if not FAST else 2 if TILE_M < 3 else 3", "3"},
        {"TYPE == 'float'", "True"},
        {"TYPE != \"half\"", "True"},
        {"TYPE", "float"},
        {"1 == 1.0", "True"},
        {"True == true", "True"},
        {"9007199254740993 > 9007199254740992", "True"},
    };

    check_samples(samples, sizeof samples / sizeof *samples);
}

static void functions_compute(void **state)
{
    static const struct sample samples[] = {
        {"ceil_div(7, 2)", "4"},
        {"ceil_div(8, 2)", "4"},
        {"ceil_div(-7, 2)", "-3"},
        {"ceil_div(7.5, 2)", "4.0"},
        {"round_up(65, 32)", "96"},
        {"min(3, 1, 2)", "1"},
        {"max(3, 7.5, 2)", "7.5"},
        {"min(2, 2.0)", "2"},
        {"abs(-3)", "3"},
        {"abs(-0.5)", "0.5"},
        {"sqrt(16)", "4.0"},
        {"log2(8)", "3.0"},
        {"floor(-1.5)", "-2"},
        {"ceil(1.2)", "2"},
        {"ceil(4)", "4"},
        {"random(0) >= 0", "True"},
        {"random(3) == random(3)", "True"},
        {"random(3) == random(4)", "False"},
    };

    check_samples(samples, sizeof samples / sizeof *samples);
}

static void errors_name_the_column(void **state)
{
    static const struct sample samples[] = {
        {"TILE_N", "column 1: unknown name TILE_N; did you mean TILE_M?"},
        {"1 + WIDTH", "column 5: unknown name WIDTH"},
        {"", "column 1: the expression ends where a value is expected"},
        {"1 +", "column 4: the expression ends where a value is expected"},
        {"1 2", "column 3: expected an operator or the end"},
        {"4K", "column 2: expected an operator or the end"},
        {"(1", "column 3: expected \")\""},
        {")", "column 1: expected a value"},
        {"a && b", "column 1: unknown name a"},
        {"FAST && FAST", "column 6: unexpected \"&&\"; write \"and\""},
        {"FAST || FAST", "column 6: unexpected \"||\"; write \"or\""},
        {"1 << -1", "column 3: a shift by a negative number"},
        {"3 << 62", "column 3: overflow: the result does not fit in 64 bits"},
        {"1.5 & 1", "column 5: expected integers on both sides"},
        {"1 in 2", "column 6: expected a list, as in x in (1, 2, 4)"},
        {"1 in (2", "column 8: expected \")\""},
        {"TILE_M = 3", "column 8: unexpected \"=\"; write \"==\" to compare"},
        {"'abc", "column 1: the quoted text does not end"},
        {"2 ^ 3", "column 3: unexpected \"^\"; write \"**\" for a power"},
        {"1 $ 2", "column 3: unexpected character"},
        {"99999999999999999999", "column 1: the number is too large"},
        {"1e999", "column 1: the number is too large"},
        {"0xffffffffffffffff", "column 1: the number is too large"},
        {"1 + 0x", "column 5: expected hexadecimal digits behind \"0x\""},
        {"exp(1000)", "column 1: overflow: the result is not finite"},
        {"log(-1)", "column 1: the logarithm of a number that is not positive"},
        {"1 if FAST", "column 10: expected \"else\""},
        {"min(1)", "column 1: min takes two or more arguments"},
        {"ceil_div(1)", "column 1: ceil_div takes two arguments"},
        {"abs(1, 2)", "column 6: expected \")\""},
        {"1 // (TILE_M - 64)", "column 3: division by zero"},
        {"1.0 / 0", "column 5: division by zero"},
        {"1 % 0", "column 3: division by zero"},
        {"0 ** -1", "column 3: division by zero"},
        {"ceil_div(1, 0)", "column 1: division by zero"},
        {"9223372036854775807 + 1", "column 21: overflow: the result does not fit in 64 bits"},
        {"2 ** 63", "column 3: overflow: the result does not fit in 64 bits"},
        {"-(-9223372036854775807 - 1)", "column 1: overflow: the result does not fit in 64 bits"},
        {"(-9223372036854775807 - 1) // -1", "column 28: overflow: the result does not fit in 64 bits"},
        {"round_up(9223372036854775807, 2)", "column 1: overflow: the result does not fit in 64 bits"},
        {"floor(1e30)", "column 1: overflow: the result does not fit in 64 bits"},
        {"1e308 * 10", "column 7: overflow: the result is not finite"},
        {"sqrt(-1)", "column 1: the square root of a negative number"},
        {"log2(0)", "column 1: the logarithm of a number that is not positive"},
        {"(-8) ** 0.5", "column 6: a negative number has no real power of this kind"},
        {"FAST + 1", "column 6: expected numbers on both sides; a truth value counts as (1 if x else 0)"},
        {"-FAST", "column 1: expected a number; a truth value counts as (1 if x else 0)"},
        {"TILE_M and FAST", "column 1: expected true or false; compare a number, as in x != 0"},
        {"FAST == 1", "column 6: the two sides are of different types and never compare"},
        {"TYPE < 'g'", "column 6: only numbers have an order; use == or !="},
    };

    check_samples(samples, sizeof samples / sizeof *samples);
}

static void nesting_is_bounded(void **state)
{
    char text[1024], found[1024];

    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    evaluate_text(found, sizeof found, text);
    assert_string_equal(found, "column 201: the expression is nested too deeply");
    memset(text, '-', sizeof text - 1);
    evaluate_text(found, sizeof found, text);
    assert_string_equal(found, "column 200: the expression is nested too deeply");
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = i % 2 ? '+' : '1';
    evaluate_text(found, sizeof found, text);
    assert_string_equal(found, "column 400: the expression is nested too deeply");
}

/* Of `**`, too, which groups from the right: at any length it is the nesting that is wrong, not the stack that ends. */
static void exponents_are_bounded(void **state)
{
    const size_t count = 50000;
    char *text = test_malloc(3 * count + 2), found[1024];

    for (size_t i = 0; i < count; i++)
        memcpy(text + 3 * i, "1**", 3);
    strcpy(text + 3 * count, "1");
    evaluate_text(found, sizeof found, text);
    test_free(text);
    assert_string_equal(found, "column 599: the expression is nested too deeply");
}

static void types_are_checked_without_values(void **state)
{
    static const struct sample samples[] = {
        {"TILE_M // 0", "number"},
        {"FAST and TILE_M // 0 == 1", "bool"},
        {"TYPE if FAST else 'x'", "string"},
        {"TILE_M", "number"},
        {"TILE_M and FAST", "column 1: expected true or false, found a number; compare it, as in x != 0"},
        {"FAST * 2", "column 1: expected a number, found true or false; write (1 if x else 0)"},
        {"1 if TILE_M else 0", "column 6: expected true or false, found a number; compare it, as in x != 0"},
        {"1 if FAST else TYPE", "column 3: is a number if the condition holds, but text else"},
        {"1 < 2 == FAST", "column 7: compares a number with true or false"},
        {"TYPE < TYPE", "column 6: only numbers have an order; use == or !="},
        {"abs(TYPE)", "column 5: expected a number, found text"},
    };
    static const char *const texts[] = {"integer", "number", "bool", "string"};
    struct err err;
    struct expr *expr;
    enum value_kind kind;

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        err_clear(&err);
        assert_int_equal(expr_parse(&expr, samples[i].text, names, 5, &err), 0);
        if (expr_check(&kind, expr, kinds, &err))
            assert_string_equal(err.text, samples[i].wanted);
        else
            assert_string_equal(texts[kind], samples[i].wanted);
        expr_free(expr);
    }
}

static void results_have_the_type_asked_for(void **state)
{
    struct err err = {0};
    struct expr *expr;
    int64_t integer;
    double real;
    bool truth;

    assert_int_equal(expr_parse(&expr, "TILE_M * SCALE", names, 5, &err), 0);
    assert_int_equal(expr_integer(&integer, expr, slots, &err), 0);
    assert_int_equal(integer, 32);
    assert_int_equal(expr_real(&real, expr, slots, &err), 0);
    check_near(real, 32, 0);
    assert_int_equal(expr_bool(&truth, expr, slots, &err), ERR_USAGE);
    expr_free(expr);
    err_clear(&err);
    assert_int_equal(expr_parse(&expr, "TILE_M / THREADS_X", names, 5, &err), 0);
    assert_int_equal(expr_integer(&integer, expr, slots, &err), ERR_USAGE);
    assert_string_equal(err.text,
                        "column 1: 5.333333333333333 is not an integer; use //, ceil_div, floor or ceil");
    expr_free(expr);
    err_clear(&err);
    assert_int_equal(expr_parse(&expr, "TILE_M * 1e30", names, 5, &err), 0);
    assert_int_equal(expr_integer(&integer, expr, slots, &err), ERR_USAGE);
    assert_string_equal(err.text, "column 1: overflow: 6.4e+31 does not fit in 64 bits");
    expr_free(expr);
}

static void an_expression_knows_what_it_uses(void **state)
{
    struct expr *expr;

    assert_int_equal(expr_parse(&expr, "TILE_M + random(2)", names, 5, NULL), 0);
    assert_true(expr_uses(expr, 0));
    assert_false(expr_uses(expr, 1));
    assert_true(expr_draws(expr));
    assert_string_equal(expr_text(expr), "TILE_M + random(2)");
    expr_free(expr);
    assert_int_equal(expr_parse(&expr, "1 +", names, 5, NULL), ERR_USAGE);
    assert_null(expr);
}

static void values_read_as_python_writes_them(void **state)
{
    static const struct {
        double real;
        const char *wanted;
    } samples[] = {
        {0.1, "0.1"},
        {1, "1.0"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {1e-4, "0.0001"},
        {1e-5, "1e-05"},
        {-2.5, "-2.5"},
        {1.0 / 3, "0.3333333333333333"},
        {0, "0.0"},
        {123456.789, "123456.789"},
    };
    struct value value = {.kind = VALUE_REAL};
    char text[40];

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        value.real = samples[i].real;
        value_text(text, sizeof text, &value);
        assert_string_equal(text, samples[i].wanted);
    }
}

static void names_are_identifiers(void **state)
{
    assert_true(expr_name("TILE_M2"));
    assert_false(expr_name("2M"));
    assert_false(expr_name("A-B"));
    assert_false(expr_name(""));
    assert_false(expr_name("min"));
    assert_false(expr_name("not"));
    assert_false(expr_name("in"));
}

/* Also where it gives up, of which the last five are. */
static void a_column_is_what_its_elements_are(void **state)
{
    static const char *const texts[] = {"random(i) % 256",
                                        "random(i) % M if M == 7 else i",
                                        "1 if random(i) % 16 == 0 else 0",
                                        "i * 3 + ceil_div(i, 5) * (M - 9) - i // 4",
                                        "(0 - i) // M + (0 - i) % M if i < 20 else M",
                                        "i if random(i) % 3 != 0 or i % 2 == 1 and not i >= 40 else 0 - i",
                                        "max(i, M) if i > 9 else min(i * i, 30) if i <= 5 else M",
                                        "i / M",
                                        "i % (i - 20)",
                                        "9223372036854775807 - 30 + i",
                                        "0.5 * i",
                                        "-i"};
    const char *const called[] = {"M", "i"};
    const size_t count = sizeof texts / sizeof *texts;

    for (size_t t = 0; t < count; t++) {
        struct value at[2] = {{.kind = VALUE_INTEGER, .integer = 7}, {.kind = VALUE_INTEGER}}, value;
        int64_t column[EXPR_COLUMN];
        struct expr *expr;

        assert_int_equal(expr_parse(&expr, texts[t], called, 2, NULL), 0);
        assert_int_equal(expr_column(column, expr, at, 1, 3, EXPR_COLUMN), t < count - 5);
        for (int64_t k = 0; k < EXPR_COLUMN && t < count - 5; k++) {
            at[1].integer = k;
            assert_int_equal(expr_value(&value, expr, at, 3, NULL), 0);
            assert_int_equal(column[k], value.integer);
        }
        expr_free(expr);
    }
}

int main(void)
{
    return RUN_TESTS(arithmetic_is_pythons, logic_is_pythons, a_long_list_is_not_deep, functions_compute,
                     a_column_is_what_its_elements_are, errors_name_the_column, nesting_is_bounded,
                     exponents_are_bounded, types_are_checked_without_values, results_have_the_type_asked_for,
                     an_expression_knows_what_it_uses, values_read_as_python_writes_them,
                     names_are_identifiers);
}

/* What every unit test needs: cmocka with the headers it wants first, a comparison of doubles, and the run of a list of
 * tests. */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka hands every test a state, which few have. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Fails unless |found - wanted| <= tolerance (absolute); NaN never passes. */
#define check_near(found, wanted, tolerance)                                                                 \
    check_near_at((found), (wanted), (tolerance), #found, __FILE__, __LINE__)

static inline void check_near_at(double found, double wanted, double tolerance, const char *text,
                                 const char *file, int line)
{
    if (fabs(found - wanted) <= tolerance)
        return;
    print_error("%s is %.17g, wanted %.17g within %g\n", text, found, wanted, tolerance);
    _fail(file, line);
}

/* Fails with the error's own words where `failed`. */
#define check_ok(failed, err) check_ok_at((failed), (err)->text, __FILE__, __LINE__)

static inline void check_ok_at(bool failed, const char *text, const char *file, int line)
{
    if (!failed)
        return;
    print_error("%s\n", text);
    _fail(file, line);
}

enum { TESTS_MOST = 64 };

/* Runs the tests named, each under its own name; 0 where all pass: `return RUN_TESTS(adds, refuses_text);`. */
#define RUN_TESTS(...) RUN_TEST_LIST(NULL, NULL, NULL, NULL, __VA_ARGS__)

/* The same, with what is done before and after each test, or once before and after all. */
#define RUN_TESTS_EACH(set_up, tear_down, ...) RUN_TEST_LIST(set_up, tear_down, NULL, NULL, __VA_ARGS__)
#define RUN_TESTS_IN(open, close, ...)         RUN_TEST_LIST(NULL, NULL, open, close, __VA_ARGS__)

#define RUN_TEST_LIST(set_up, tear_down, open, close, ...)                                                   \
    run_test_list((char[]){#__VA_ARGS__}, (const CMUnitTestFunction[]){__VA_ARGS__},                         \
                  sizeof(CMUnitTestFunction[]){__VA_ARGS__} / sizeof(CMUnitTestFunction), set_up, tear_down, \
                  open, close)

/* `names` is cut at its commas. */
static inline int run_test_list(char *names, const CMUnitTestFunction *functions, size_t count,
                                CMFixtureFunction set_up, CMFixtureFunction tear_down, CMFixtureFunction open,
                                CMFixtureFunction close)
{
    struct CMUnitTest tests[TESTS_MOST];

    if (count > TESTS_MOST)
        return print_error("more than %d tests in one list\n", TESTS_MOST), 1;
    for (size_t i = 0; i < count; i++)
        tests[i] =
            (struct CMUnitTest){strtok(i ? NULL : names, ", \n"), functions[i], set_up, tear_down, NULL};
    return _cmocka_run_group_tests("tests", tests, count, open, close);
}

#endif

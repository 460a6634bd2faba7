/* What every unit test needs: cmocka with the headers it wants first, and a comparison of doubles. */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
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

#endif

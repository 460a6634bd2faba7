/* Numbers as text, faster than printf says them and in its words. */
#include "base/json_line.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t js_integer_text(char out[JS_INTEGER_BYTES], int64_t value)
{
    char digits[JS_INTEGER_BYTES], *at = digits + sizeof digits;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    size_t count;

    *--at = '\0';
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    count = (size_t)(digits + sizeof digits - at);
    memcpy(out, at, count);
    return count - 1;
}

enum { SURE_DIGITS = 7, POWERS = 23 };
static const double powers[POWERS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* value * 10^power, with one rounding. */
static double scaled(double value, int power)
{
    return power < 0 ? value / powers[-power] : value * powers[power];
}

/* The first `digits` digits of a positive number, and the power of ten of the first. False where the rounding of the
 * scaled number, which is off by less than a millionth, could make another digit of it. */
static bool first_digits(uint64_t *out, int *exponent, double value, int digits)
{
    double all, rest;
    int binary, power;

    if (digits > SURE_DIGITS)
        return false;
    frexp(value, &binary);
    *exponent = (int)floor((binary - 1) * 0.30102999566398120);
    power = digits - 1 - *exponent;
    if (power <= -POWERS || power >= POWERS)
        return false;
    all = scaled(value, power);
    if (all >= powers[digits]) { /* the estimate may be one too low */
        ++*exponent;
        if (--power <= -POWERS)
            return false;
        all = scaled(value, power);
    }
    *out = (uint64_t)all;
    rest = all - (double)*out;
    if (fabs(rest - 0.5) < 1e-6)
        return false;
    *out += rest > 0.5;
    if ((double)*out >= powers[digits]) {
        *out /= 10;
        ++*exponent;
    }
    return (double)*out >= powers[digits - 1];
}

/* `count` digits, the first of which stands for 10^exponent, as "%.15g" has them. */
static void set_number(char *out, const char *digits, int count, int exponent)
{
    while (count > 1 && digits[count - 1] == '0')
        count--;
    if (exponent < -4 || exponent >= JS_DIGITS_MOST) {
        *out++ = digits[0];
        if (count > 1)
            *out++ = '.';
        memcpy(out, digits + 1, (size_t)count - 1);
        snprintf(out + count - 1, JS_NUMBER_BYTES - JS_DIGITS_MOST - 3, "e%c%02d", exponent < 0 ? '-' : '+',
                 abs(exponent));
        return;
    }
    if (exponent < 0) {
        memcpy(out, "0.0000", 6);
        out += 1 - exponent;
    }
    for (int i = 0; i < count || i <= exponent; i++) {
        if (i && i == exponent + 1)
            *out++ = '.';
        *out++ = i < count ? digits[i] : '0';
    }
    *out = '\0';
}

static void plain_point(char *text)
{
    char *point = strchr(text, *localeconv()->decimal_point);

    if (point)
        *point = '.';
}

/* Likewise of a number that few digits say exactly, as most do that a person wrote. */
static bool all_digits(uint64_t *out, int *exponent, double value)
{
    int power;

    if (value < 1e15 && value == (double)(uint64_t)value) {
        *out = (uint64_t)value;
        for (*exponent = JS_DIGITS_MOST - 1; *out < 100000000000000; --*exponent)
            *out *= 10;
        return true;
    }
    if (!first_digits(out, exponent, value, SURE_DIGITS))
        return false;
    power = SURE_DIGITS - 1 - *exponent;
    if (power <= -POWERS || power >= POWERS || scaled((double)*out, -power) != value)
        return false;
    *out *= 100000000; /* to 15 digits */
    return true;
}

/* What printf says, in the same form. */
static void print_number(char out[JS_NUMBER_BYTES], double value, int digits)
{
    snprintf(out, JS_NUMBER_BYTES, "%.*g", digits, value);
    if (digits < JS_DIGITS_MOST && strchr(out, 'e'))
        snprintf(out, JS_NUMBER_BYTES, "%.15g", strtod(out, NULL));
    plain_point(out);
}

void js_number(char out[JS_NUMBER_BYTES], double value, int digits)
{
    const double size = fabs(value);
    char text[24], *at = text + digits;
    uint64_t left;
    int exponent;

    if (size == 0) {
        memcpy(out, signbit(value) ? "-0" : "0", signbit(value) ? 3 : 2);
        return;
    }
    if (!(size > 0) || !(digits == JS_DIGITS_MOST ? all_digits(&left, &exponent, size)
                                                  : first_digits(&left, &exponent, size, digits))) {
        print_number(out, value, digits);
        return;
    }
    for (; at > text; left /= 10)
        *--at = (char)('0' + left % 10);
    if (value < 0)
        *out++ = '-';
    set_number(out, text, digits, exponent);
}

#include "launch/expr.h"

#include "base/json_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const struct value *value)
{
    return value->kind == VALUE_INTEGER || value->kind == VALUE_REAL;
}

bool value_equal(const struct value *a, const struct value *b)
{
    if (a->kind == VALUE_STRING || b->kind == VALUE_STRING)
        return a->kind == b->kind && !strcmp(a->string, b->string);
    if (a->kind == b->kind && a->kind != VALUE_REAL)
        return a->integer == b->integer;
    return is_number(a) && is_number(b) && value_real(a) == value_real(b);
}

double value_real(const struct value *value)
{
    if (value->kind == VALUE_REAL)
        return value->real;
    return value->kind == VALUE_STRING ? NAN : (double)value->integer;
}

/* Python's repr: the fewest digits that read back the same, and an exponent below 1e-4 and from 1e16 on. */
static int real_text(char *out, size_t size, double real)
{
    char text[40];
    int digits, exponent;

    for (digits = 0; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    exponent = atoi(strchr(text, 'e') + 1);
    if (exponent < -4 || exponent >= 16)
        return snprintf(out, size, "%s", text);
    return snprintf(out, size, "%.*f", digits > exponent + 1 ? digits - exponent : 1, real);
}

int value_text(char *out, size_t size, const struct value *value)
{
    char digits[JS_INTEGER_BYTES];
    size_t length;

    switch (value->kind) {
    case VALUE_INTEGER:
        length = js_integer_text(digits, value->integer);
        if (length < size)
            memcpy(out, digits, length + 1);
        return length < size ? (int)length : snprintf(out, size, "%s", digits);
    case VALUE_REAL:
        return isfinite(value->real) ? real_text(out, size, value->real)
                                     : snprintf(out, size, "%g", value->real);
    case VALUE_BOOL:
        return snprintf(out, size, "%s", value->integer ? "True" : "False");
    case VALUE_STRING:
        break;
    }
    return snprintf(out, size, "%s", value->string);
}

int value_quoted(char *out, size_t size, const struct value *value)
{
    return value->kind == VALUE_STRING ? snprintf(out, size, "\"%s\"", value->string)
                                       : value_text(out, size, value);
}

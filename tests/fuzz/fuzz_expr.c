/* Parses, checks and evaluates any text. */
#include "fuzz.h"

#include "launch/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"A", "B", "F", "S", "R"};
static const enum value_kind kinds[] = {VALUE_INTEGER, VALUE_INTEGER, VALUE_BOOL, VALUE_STRING, VALUE_REAL};
static const struct value slots[] = {
    {.kind = VALUE_INTEGER, .integer = INT64_MIN},
    {.kind = VALUE_INTEGER, .integer = 0},
    {.kind = VALUE_BOOL, .integer = 1},
    {.kind = VALUE_STRING, .string = "float"},
    {.kind = VALUE_REAL, .real = -0.5},
};

/* What the check promises of the kind, evaluation keeps; a value is finite. */
static void check_promise(const struct expr *expr)
{
    enum value_kind kind;
    struct value value;

    if (expr_check(&kind, expr, kinds, NULL) || expr_value(&value, expr, slots, 1, NULL))
        return;
    if ((value.kind == VALUE_INTEGER ? VALUE_REAL : value.kind) != kind)
        abort();
    if (value.kind == VALUE_REAL && !isfinite(value.real))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    struct err err = {0};
    struct expr *expr;
    struct value value;
    int rc;

    if (!text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    rc = expr_parse(&expr, text, names, 5, &err);
    if (rc != err.code || !rc != (expr != NULL))
        abort();
    if (expr) {
        expr_value(&value, expr, slots, 1, &err);
        check_promise(expr);
    }
    expr_free(expr);
    free(text);
    return 0;
}

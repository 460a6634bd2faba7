#include "launch/expr_operation.h"

#include "base/hash.h"

#include <math.h>

int expr_fail_at(const struct expr_run *run, const struct node *node, const char *message)
{
    return err_set(run->err, ERR_USAGE, "column %u: %s", node->column, message);
}

bool expr_is_number(const struct value *value)
{
    return value->kind == VALUE_INTEGER || value->kind == VALUE_REAL;
}

static int give_integer(struct value *out, int64_t value)
{
    *out = (struct value){.kind = VALUE_INTEGER, .integer = value};
    return 0;
}

static int give_real(struct value *out, const struct expr_run *run, const struct node *node, double value)
{
    if (!isfinite(value))
        return expr_fail_at(run, node, "overflow: the result is not finite");
    *out = (struct value){.kind = VALUE_REAL, .real = value};
    return 0;
}

static int overflow(const struct expr_run *run, const struct node *node)
{
    return expr_fail_at(run, node, "overflow: the result does not fit in 64 bits");
}

static int division_by_zero(const struct expr_run *run, const struct node *node)
{
    return expr_fail_at(run, node, "division by zero");
}

static int divide_integers(struct value *out, const struct expr_run *run, const struct node *node, int64_t a,
                           int64_t b)
{
    int64_t quotient = 0, remainder = 0;
    bool fits;

    if (b == 0)
        return division_by_zero(run, node);
    fits = floor_division(&quotient, &remainder, a, b);
    if (node->op == OP_MODULO)
        return give_integer(out, remainder);
    if (!fits)
        return overflow(run, node);
    if (node->op == OP_FLOOR_DIVIDE)
        return give_integer(out, quotient);
    if (node->op == OP_DIVIDE)
        return remainder ? give_real(out, run, node, (double)a / (double)b) : give_integer(out, quotient);
    quotient += remainder != 0;
    if (node->op == OP_ROUND_UP && __builtin_mul_overflow(quotient, b, &quotient))
        return overflow(run, node);
    return give_integer(out, quotient);
}

static int power_integers(struct value *out, const struct expr_run *run, const struct node *node,
                          int64_t base, int64_t exponent)
{
    int64_t result = 1;
    bool square = true;

    if (exponent < 0)
        return base ? give_real(out, run, node, pow((double)base, (double)exponent))
                    : division_by_zero(run, node);
    for (; exponent > 0; exponent >>= 1) {
        if (!square || ((exponent & 1) && __builtin_mul_overflow(result, base, &result)))
            return overflow(run, node);
        square = !__builtin_mul_overflow(base, base, &base);
    }
    return give_integer(out, result);
}

/* Of two's complement, as Python's as long as the result fits. */
static int bit_operation(struct value *out, const struct expr_run *run, const struct node *node, int64_t a,
                         int64_t b)
{
    const bool shifts = node->op == OP_SHIFT_LEFT || node->op == OP_SHIFT_RIGHT;
    int64_t result;

    if (shifts && b < 0)
        return expr_fail_at(run, node, "a shift by a negative number");
    switch (node->op) {
    case OP_SHIFT_LEFT:
        if (b > 62)
            return a ? overflow(run, node) : give_integer(out, 0);
        return __builtin_mul_overflow(a, INT64_C(1) << b, &result) ? overflow(run, node)
                                                                   : give_integer(out, result);
    case OP_SHIFT_RIGHT:
        return give_integer(out, a >> (b < 63 ? b : 63));
    case OP_BIT_AND:
        return give_integer(out, a & b);
    default:
        return give_integer(out, a | b);
    }
}

static int integer_operation(struct value *out, const struct expr_run *run, const struct node *node,
                             int64_t a, int64_t b)
{
    int64_t result = 0;
    bool over;

    switch (node->op) {
    case OP_ADD:
        over = __builtin_add_overflow(a, b, &result);
        break;
    case OP_SUBTRACT:
        over = __builtin_sub_overflow(a, b, &result);
        break;
    case OP_MULTIPLY:
        over = __builtin_mul_overflow(a, b, &result);
        break;
    case OP_POWER:
        return power_integers(out, run, node, a, b);
    default:
        return divide_integers(out, run, node, a, b);
    }
    return over ? overflow(run, node) : give_integer(out, result);
}

static int real_operation(struct value *out, const struct expr_run *run, const struct node *node, double a,
                          double b)
{
    switch (node->op) {
    case OP_ADD:
        return give_real(out, run, node, a + b);
    case OP_SUBTRACT:
        return give_real(out, run, node, a - b);
    case OP_MULTIPLY:
        return give_real(out, run, node, a * b);
    case OP_POWER:
        if (a < 0 && b != floor(b))
            return expr_fail_at(run, node, "a negative number has no real power of this kind");
        return a == 0 && b < 0 ? division_by_zero(run, node) : give_real(out, run, node, pow(a, b));
    default:
        break;
    }
    if (b == 0)
        return division_by_zero(run, node);
    switch (node->op) {
    case OP_FLOOR_DIVIDE:
        return give_real(out, run, node, floor(a / b));
    case OP_MODULO:
        return give_real(out, run, node, a - b * floor(a / b));
    case OP_CEIL_DIV:
        return give_real(out, run, node, ceil(a / b));
    case OP_ROUND_UP:
        return give_real(out, run, node, b * ceil(a / b));
    default:
        return give_real(out, run, node, a / b);
    }
}

int expr_operate_two(struct value *out, const struct expr_run *run, const struct node *node,
                     const struct value *a, const struct value *b)
{
    if (!expr_is_number(a) || !expr_is_number(b))
        return expr_fail_at(run, node,
                            "expected numbers on both sides; a truth value counts as (1 if x else 0)");
    if (node->op == OP_MIN || node->op == OP_MAX) {
        *out = (value_real(b) < value_real(a)) == (node->op == OP_MIN) ? *b : *a;
        return 0;
    }
    if (node->op >= OP_SHIFT_LEFT && node->op <= OP_BIT_OR)
        return a->kind == VALUE_INTEGER && b->kind == VALUE_INTEGER
                   ? bit_operation(out, run, node, a->integer, b->integer)
                   : expr_fail_at(run, node, "expected integers on both sides");
    if (a->kind == VALUE_INTEGER && b->kind == VALUE_INTEGER)
        return integer_operation(out, run, node, a->integer, b->integer);
    return real_operation(out, run, node, value_real(a), value_real(b));
}

static int round_real(struct value *out, const struct expr_run *run, const struct node *node, double value)
{
    if (!(value >= -0x1p63 && value < 0x1p63))
        return overflow(run, node);
    return give_integer(out, (int64_t)value);
}

static int draw(struct value *out, const struct expr_run *run, const struct node *node, const struct value *k)
{
    if (k->kind != VALUE_INTEGER)
        return expr_fail_at(run, node, "random takes an integer");
    return give_integer(out, (int64_t)(hash_random(run->seed, (uint64_t)k->integer) >> 1));
}

int expr_operate_one(struct value *out, const struct expr_run *run, const struct node *node,
                     const struct value *a)
{
    const double real = value_real(a);
    int64_t negated;

    if (!expr_is_number(a))
        return expr_fail_at(run, node, "expected a number; a truth value counts as (1 if x else 0)");
    if (node->op == OP_SQRT)
        return real < 0 ? expr_fail_at(run, node, "the square root of a negative number")
                        : give_real(out, run, node, sqrt(real));
    if (node->op == OP_LOG2 || node->op == OP_LOG)
        return real <= 0 ? expr_fail_at(run, node, "the logarithm of a number that is not positive")
                         : give_real(out, run, node, node->op == OP_LOG ? log(real) : log2(real));
    if (node->op == OP_EXP)
        return give_real(out, run, node, exp(real));
    if (node->op == OP_SIN || node->op == OP_COS)
        return give_real(out, run, node, node->op == OP_SIN ? sin(real) : cos(real));
    if (node->op == OP_RANDOM)
        return draw(out, run, node, a);
    if (a->kind == VALUE_REAL) {
        if (node->op == OP_FLOOR || node->op == OP_CEIL)
            return round_real(out, run, node, node->op == OP_FLOOR ? floor(real) : ceil(real));
        return give_real(out, run, node, node->op == OP_NEGATE ? -real : fabs(real));
    }
    *out = *a;
    if (node->op == OP_FLOOR || node->op == OP_CEIL || (node->op == OP_ABS && a->integer >= 0))
        return 0;
    return __builtin_sub_overflow(0, a->integer, &negated) ? overflow(run, node) : give_integer(out, negated);
}

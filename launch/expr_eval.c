#include "launch/expr.h"
#include "launch/expr_operation.h"

#include <math.h>

static int evaluate(struct value *out, const struct expr_run *run, uint32_t index);

static int give_bool(struct value *out, bool value)
{
    *out = (struct value){.kind = VALUE_BOOL, .integer = value};
    return 0;
}

static int truth(bool *out, const struct expr_run *run, uint32_t index)
{
    struct value value;

    if (evaluate(&value, run, index))
        return ERR_USAGE;
    *out = value.kind == VALUE_BOOL && value.integer;
    if (value.kind != VALUE_BOOL)
        return expr_fail_at(run, &run->expr->nodes[index],
                            "expected true or false; compare a number, as in x != 0");
    return 0;
}

static int compare(bool *out, const struct expr_run *run, const struct node *node, const struct value *a,
                   const struct value *b)
{
    const bool integers = a->kind == VALUE_INTEGER && b->kind == VALUE_INTEGER;
    const double x = value_real(a), y = value_real(b);
    const bool less = integers ? a->integer < b->integer : x < y;
    const bool equal = value_equal(a, b);

    if (a->kind != b->kind && !(expr_is_number(a) && expr_is_number(b)))
        return expr_fail_at(run, node, "the two sides are of different types and never compare");
    if (node->op == OP_EQUAL || node->op == OP_UNEQUAL) {
        *out = equal == (node->op == OP_EQUAL);
        return 0;
    }
    if (!expr_is_number(a))
        return expr_fail_at(run, node, "only numbers have an order; use == or !=");
    *out = node->op == OP_LESS         ? less
           : node->op == OP_LESS_EQUAL ? less || equal
           : node->op == OP_GREATER    ? !less && !equal
                                       : !less;
    return 0;
}

static int evaluate_chain(struct value *out, const struct expr_run *run, const struct node *link)
{
    struct value left, right;
    bool holds;

    if (evaluate(&left, run, link->a))
        return ERR_USAGE;
    for (;;) {
        if (evaluate(&right, run, link->b) || compare(&holds, run, link, &left, &right))
            return ERR_USAGE;
        if (!holds || link->c == EXPR_NONE)
            return give_bool(out, holds);
        left = right;
        link = &run->expr->nodes[link->c];
    }
}

static int evaluate(struct value *out, const struct expr_run *run, uint32_t index)
{
    const struct node *node = &run->expr->nodes[index];
    struct value a, b;
    bool holds;

    switch (node->op) {
    case OP_CONSTANT:
        *out = node->constant;
        return 0;
    case OP_SLOT:
        *out = run->slots[node->slot];
        return 0;
    case OP_NOT:
        return truth(&holds, run, node->a) ? ERR_USAGE : give_bool(out, !holds);
    case OP_AND:
    case OP_OR:
        if (truth(&holds, run, node->a))
            return ERR_USAGE;
        if (holds == (node->op == OP_AND) && truth(&holds, run, node->b))
            return ERR_USAGE;
        return give_bool(out, holds);
    case OP_IF:
        return truth(&holds, run, node->c) ? ERR_USAGE : evaluate(out, run, holds ? node->a : node->b);
    default:
        break;
    }
    if (op_compares(node->op))
        return evaluate_chain(out, run, node);
    if (evaluate(&a, run, node->a))
        return ERR_USAGE;
    if (node->b == EXPR_NONE)
        return expr_operate_one(out, run, node, &a);
    return evaluate(&b, run, node->b) ? ERR_USAGE : expr_operate_two(out, run, node, &a, &b);
}

int expr_value(struct value *out, const struct expr *expr, const struct value *slots, uint64_t seed,
               struct err *err)
{
    const struct expr_run run = {.expr = expr, .slots = slots, .seed = seed, .err = err};
    struct value value;

    *out = (struct value){0};
    if (evaluate(&value, &run, expr->root))
        return ERR_USAGE;
    *out = value;
    return 0;
}

int expr_part_value(struct value *out, const struct expr_part *part, const struct value *slots)
{
    const struct expr_run run = {.expr = part->expr, .slots = slots};

    return evaluate(out, &run, part->node);
}

static bool op_divides_up(enum op op)
{
    return op == OP_CEIL_DIV || op == OP_ROUND_UP;
}

size_t expr_divisions(const struct expr *expr)
{
    size_t i, count = 0;

    for (i = 0; i < expr->count; i++)
        count += op_divides_up(expr->nodes[i].op);
    return count;
}

bool expr_divides(const struct expr *expr, size_t k, const struct value *slots)
{
    const struct expr_run run = {.expr = expr, .slots = slots};
    struct value a, b;

    for (size_t i = 0; i < expr->count; i++)
        if (op_divides_up(expr->nodes[i].op) && k-- == 0)
            return !evaluate(&a, &run, expr->nodes[i].a) && !evaluate(&b, &run, expr->nodes[i].b) &&
                   a.kind == VALUE_INTEGER && b.kind == VALUE_INTEGER && b.integer > 0 &&
                   a.integer % b.integer == 0;
    return false;
}

int expr_integer(int64_t *out, const struct expr *expr, const struct value *slots, struct err *err)
{
    char text[64];
    struct value value;

    *out = 0;
    if (expr_value(&value, expr, slots, 0, err))
        return ERR_USAGE;
    if (value.kind == VALUE_INTEGER) {
        *out = value.integer;
        return 0;
    }
    if (value.kind == VALUE_REAL && value.real == floor(value.real) && fabs(value.real) < 0x1p63) {
        *out = (int64_t)value.real;
        return 0;
    }
    value_text(text, sizeof text, &value);
    if (value.kind == VALUE_REAL && fabs(value.real) >= 0x1p63)
        return err_set(err, ERR_USAGE, "column 1: overflow: %s does not fit in 64 bits", text);
    return err_set(err, ERR_USAGE, "column 1: %s is not an integer%s", text,
                   value.kind == VALUE_REAL ? "; use //, ceil_div, floor or ceil" : "");
}

int expr_real(double *out, const struct expr *expr, const struct value *slots, struct err *err)
{
    struct value value;

    *out = 0;
    if (expr_value(&value, expr, slots, 0, err))
        return ERR_USAGE;
    if (!expr_is_number(&value))
        return err_set(err, ERR_USAGE, "column 1: expected a number");
    *out = value_real(&value);
    return 0;
}

int expr_bool(bool *out, const struct expr *expr, const struct value *slots, struct err *err)
{
    const struct expr_run run = {.expr = expr, .slots = slots, .err = err};

    *out = false;
    return truth(out, &run, expr->root);
}

/* The kinds of an expression's nodes, without values: VALUE_REAL stands for any number. */
#include "launch/expr.h"
#include "launch/expr_node.h"

struct check {
    const struct expr *expr;
    const enum value_kind *kinds;
    struct err *err;
};

static int kind_of(enum value_kind *out, const struct check *check, uint32_t index);

static const char *kind_text(enum value_kind kind)
{
    return kind == VALUE_BOOL ? "true or false" : kind == VALUE_STRING ? "text" : "a number";
}

static int expect_kind(const struct check *check, uint32_t index, enum value_kind wanted)
{
    enum value_kind found;

    if (kind_of(&found, check, index))
        return ERR_USAGE;
    if (found == wanted)
        return 0;
    return err_set(check->err, ERR_USAGE, "column %u: expected %s, found %s%s",
                   check->expr->nodes[index].column, kind_text(wanted), kind_text(found),
                   wanted == VALUE_BOOL && found == VALUE_REAL   ? "; compare it, as in x != 0"
                   : wanted == VALUE_REAL && found == VALUE_BOOL ? "; write (1 if x else 0)"
                                                                 : "");
}

static int kind_of_chain(const struct check *check, const struct node *link)
{
    enum value_kind left, right;

    if (kind_of(&left, check, link->a))
        return ERR_USAGE;
    for (;; link = &check->expr->nodes[link->c]) {
        if (kind_of(&right, check, link->b))
            return ERR_USAGE;
        if (left != right)
            return err_set(check->err, ERR_USAGE, "column %u: compares %s with %s", link->column,
                           kind_text(left), kind_text(right));
        if (left != VALUE_REAL && link->op != OP_EQUAL && link->op != OP_UNEQUAL)
            return err_set(check->err, ERR_USAGE,
                           "column %u: only numbers have an order; use == or !=", link->column);
        if (link->c == EXPR_NONE)
            return 0;
        left = right;
    }
}

static int kind_of_choice(enum value_kind *out, const struct check *check, const struct node *node)
{
    enum value_kind other;

    if (expect_kind(check, node->c, VALUE_BOOL) || kind_of(out, check, node->a) ||
        kind_of(&other, check, node->b))
        return ERR_USAGE;
    if (*out != other)
        return err_set(check->err, ERR_USAGE, "column %u: is %s if the condition holds, but %s else",
                       node->column, kind_text(*out), kind_text(other));
    return 0;
}

static int kind_of(enum value_kind *out, const struct check *check, uint32_t index)
{
    const struct node *node = &check->expr->nodes[index];

    switch (node->op) {
    case OP_CONSTANT:
    case OP_SLOT:
        *out = node->op == OP_SLOT ? check->kinds[node->slot] : node->constant.kind;
        *out = *out == VALUE_INTEGER ? VALUE_REAL : *out;
        return 0;
    case OP_IF:
        return kind_of_choice(out, check, node);
    case OP_NOT:
    case OP_AND:
    case OP_OR:
        *out = VALUE_BOOL;
        if (expect_kind(check, node->a, VALUE_BOOL))
            return ERR_USAGE;
        return node->b == EXPR_NONE ? 0 : expect_kind(check, node->b, VALUE_BOOL);
    default:
        break;
    }
    if (op_compares(node->op)) {
        *out = VALUE_BOOL;
        return kind_of_chain(check, node);
    }
    *out = VALUE_REAL;
    if (expect_kind(check, node->a, VALUE_REAL))
        return ERR_USAGE;
    return node->b == EXPR_NONE ? 0 : expect_kind(check, node->b, VALUE_REAL);
}

int expr_check(enum value_kind *out, const struct expr *expr, const enum value_kind *kinds, struct err *err)
{
    const struct check check = {.expr = expr, .kinds = kinds, .err = err};

    return kind_of(out, &check, expr->root);
}

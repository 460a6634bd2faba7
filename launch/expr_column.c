#include "launch/expr.h"
#include "launch/expr_node.h"
#include "base/hash.h"

struct column_run {
    const struct expr *expr;
    const struct value *slots;
    size_t running, count;
    uint64_t seed;
};

static bool column(int64_t *out, const struct column_run *run, uint32_t index);

/* The same for every element but for the running slot, which counts. */
static bool spread(int64_t *out, const struct column_run *run, const struct value *value, bool counts)
{
    for (size_t k = 0; k < run->count; k++)
        out[k] = value->integer + (counts ? (int64_t)k : 0);
    return value->kind == VALUE_INTEGER;
}

/* *left = *left op right; false where that would fail, or gives a number that is no integer. */
static bool combine(int64_t *left, int64_t right, enum op op)
{
    int64_t quotient, remainder;

    switch (op) {
    case OP_ADD:
        return !__builtin_add_overflow(*left, right, left);
    case OP_SUBTRACT:
        return !__builtin_sub_overflow(*left, right, left);
    case OP_MULTIPLY:
        return !__builtin_mul_overflow(*left, right, left);
    case OP_MIN:
    case OP_MAX: /* as numbers: see expr_eval.c */
        *left = ((double)right < (double)*left) == (op == OP_MIN) ? right : *left;
        return true;
    default:
        break;
    }
    if (right == 0 || !floor_division(&quotient, &remainder, *left, right))
        return false;
    *left = op == OP_MODULO ? remainder : op == OP_CEIL_DIV ? quotient + (remainder != 0) : quotient;
    return true;
}

static bool combined(int64_t *out, const struct column_run *run, const struct node *node)
{
    int64_t right[EXPR_COLUMN];
    bool good = column(out, run, node->a) && column(right, run, node->b);

    for (size_t k = 0; k < run->count && good; k++)
        good = combine(&out[k], right[k], node->op);
    return good;
}

static bool compared(int64_t left, int64_t right, enum op op)
{
    switch (op) {
    case OP_EQUAL:
        return left == right;
    case OP_UNEQUAL:
        return left != right;
    case OP_LESS:
        return left < right;
    case OP_LESS_EQUAL:
        return left <= right;
    case OP_GREATER:
        return left > right;
    default:
        return left >= right;
    }
}

/* Whether a condition holds, 1 or 0 for each element: comparisons without chains, and, or, not. As everywhere
 * here both sides are computed for every element: one that is not asked for and fails makes this give up, no
 * more. */
static bool judged(int64_t *out, const struct column_run *run, uint32_t index)
{
    const struct node *node = &run->expr->nodes[index];
    const bool compares = op_compares(node->op) && node->c == EXPR_NONE;
    int64_t right[EXPR_COLUMN];

    if (node->op == OP_NOT) {
        if (!judged(out, run, node->a))
            return false;
        for (size_t k = 0; k < run->count; k++)
            out[k] = !out[k];
        return true;
    }
    if (compares ? !column(out, run, node->a) || !column(right, run, node->b)
                 : (node->op != OP_AND && node->op != OP_OR) || !judged(out, run, node->a) ||
                       !judged(right, run, node->b))
        return false;
    for (size_t k = 0; k < run->count; k++)
        out[k] = compares             ? compared(out[k], right[k], node->op)
                 : node->op == OP_AND ? out[k] && right[k]
                                      : out[k] || right[k];
    return true;
}

static bool selected(int64_t *out, const struct column_run *run, const struct node *node)
{
    int64_t holds[EXPR_COLUMN], other[EXPR_COLUMN];

    if (!judged(holds, run, node->c) || !column(out, run, node->a) || !column(other, run, node->b))
        return false;
    for (size_t k = 0; k < run->count; k++)
        out[k] = holds[k] ? out[k] : other[k];
    return true;
}

static bool drawn(int64_t *out, const struct column_run *run, const struct node *node)
{
    if (!column(out, run, node->a))
        return false;
    for (size_t k = 0; k < run->count; k++)
        out[k] = (int64_t)(hash_random(run->seed, (uint64_t)out[k]) >> 1);
    return true;
}

static bool column(int64_t *out, const struct column_run *run, uint32_t index)
{
    const struct node *node = &run->expr->nodes[index];

    switch (node->op) {
    case OP_CONSTANT:
        return spread(out, run, &node->constant, false);
    case OP_SLOT:
        return spread(out, run, &run->slots[node->slot], node->slot == run->running);
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_FLOOR_DIVIDE:
    case OP_MODULO:
    case OP_CEIL_DIV:
    case OP_MIN:
    case OP_MAX:
        return combined(out, run, node);
    case OP_RANDOM:
        return drawn(out, run, node);
    case OP_IF:
        return selected(out, run, node);
    default:
        return false;
    }
}

bool expr_column(int64_t *out, const struct expr *expr, const struct value *slots, size_t running,
                 uint64_t seed, size_t count)
{
    const struct column_run run = {expr, slots, running, count, seed};

    return column(out, &run, expr->root);
}

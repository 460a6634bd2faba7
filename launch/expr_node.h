/* The inside of an expression: a tree of nodes in one array, made by expr_parse.c, read by expr_eval.c, expr_operation.c and
 * expr_check.c. */
#ifndef LAUNCH_EXPR_NODE_H
#define LAUNCH_EXPR_NODE_H

#include "launch/expr.h"

enum op {
    OP_CONSTANT,
    OP_SLOT,
    OP_NEGATE,
    OP_NOT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_FLOOR_DIVIDE,
    OP_MODULO,
    OP_POWER,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_BIT_AND,
    OP_BIT_OR,
    OP_CEIL_DIV,
    OP_ROUND_UP,
    OP_MIN,
    OP_MAX,
    OP_ABS,
    OP_SQRT,
    OP_LOG2,
    OP_FLOOR,
    OP_CEIL,
    OP_EXP,
    OP_LOG,
    OP_SIN,
    OP_COS,
    OP_RANDOM,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_AND,
    OP_OR,
    OP_IF
};

#define EXPR_NONE  UINT32_MAX
#define EXPR_DEPTH 200 /* of the tree, and of parentheses: what bounds the recursion */

struct node {
    enum op op;
    unsigned column; /* from 1 */
    unsigned depth;
    uint32_t a, b, c; /* operands. OP_IF: value, other value, condition. Comparison: left, right, next of a
                         chain or NONE */
    size_t slot;      /* OP_SLOT */
    struct value constant;
};

struct expr {
    char *text, *literals; /* as written; and a copy in which string literals end with a zero */
    struct node *nodes;
    size_t count;
    uint32_t root;
};

static inline bool op_compares(enum op op)
{
    return op >= OP_EQUAL && op <= OP_GREATER_EQUAL;
}

/* Quotient toward minus infinity and its remainder; the divisor is not 0. False on overflow. */
static inline bool floor_division(int64_t *quotient, int64_t *remainder, int64_t a, int64_t b)
{
    if (b == -1) { /* INT64_MIN % -1 traps */
        *remainder = 0;
        return !__builtin_sub_overflow(0, a, quotient);
    }
    *quotient = a / b;
    *remainder = a % b;
    if (*remainder && (*remainder < 0) != (b < 0)) {
        *quotient -= 1;
        *remainder += b;
    }
    return true;
}

#endif

/* What one operation on numbers gives. For expr_eval.c. */
#ifndef LAUNCH_EXPR_OPERATION_H
#define LAUNCH_EXPR_OPERATION_H

#include "launch/expr_node.h"

/* An evaluation. */
struct expr_run {
    const struct expr *expr;
    const struct value *slots;
    uint64_t seed;
    struct err *err;
};

/* ERR_USAGE: "column 7: ...". */
int expr_fail_at(const struct expr_run *run, const struct node *node, const char *message);

bool expr_is_number(const struct value *value);

int expr_operate_one(struct value *out, const struct expr_run *run, const struct node *node,
                     const struct value *a);
int expr_operate_two(struct value *out, const struct expr_run *run, const struct node *node,
                     const struct value *a, const struct value *b);

#endif

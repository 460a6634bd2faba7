/* The operations that are measured alone and in pairs. */
#ifndef MICRO_OPERATIONS_H
#define MICRO_OPERATIONS_H

#include "micro/bench.h"

enum { OPERATION_LENGTH = 256 }; /* operations of a pass of a saturated kernel */

/* One step of a chain: PTX on the accumulator %0 and the loop-invariant operands %1 and %2, and the machine
 * instructions it must become. A step may need more than the operation itself; those are subtracted. */
struct operation {
    enum device_op_id op;
    const char *type, *constraint; /* of the operands in C++ and in PTX: "float", "f" */
    const char *ptx;
    const char *step;   /* instructions of a step, as in struct body: "FFMA", "MUFU.RCP FADD" */
    int other;          /* operation that stands beside it in a step, whose latency is subtracted; -1: none */
    unsigned count;     /* instructions of a step */
    unsigned own;       /* of them the operation itself */
    unsigned sharing;   /* the saturated step is the time of so many operations: 1 where the others overlap,
                           `count` where all are on one pipe */
    const char *filler; /* what ptxas puts between to wait longer than a stall count can say; null: nothing */
};

/* The row of an operation; null when there is none. */
const struct operation *operation_find(int op);

/* Options for a kernel that defines STEP over a and b: -DOPERAND<suffix>=..., -DSTEP<suffix>(x)=... into
 * out[0..1]. */
struct operation_options {
    char type[64], step[512];
};
void operation_define(struct operation_options *out, const struct operation *operation, const char *suffix,
                      const char *a, const char *b);

/* Compiles `chain` or `saturated` of arithmetic.cu for an operation with so many independent chains a warp. */
int operation_compile(struct micro_code *out, const struct micro *micro, const struct operation *operation,
                      const char *kernel, unsigned ilp, struct err *err);

#endif

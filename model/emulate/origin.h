/* What the way of a block depends on: which of its coordinates, and how. For emulate/strata.c.
 *
 * An instruction of a control slice that reads %ctaid makes its result depend on that axis, and so does what
 * is computed from it. Where all that depends on the coordinates is a sum of them times constants, compared
 * with constants, every comparison divides the grid by a plane: between two blocks that go the same way all
 * blocks do. Quotients, remainders, minima and loaded values have no such order; but they matter only to
 * blocks that execute them, so that they are told one by one: two blocks that go the same way past none of
 * them still have all blocks between them with them. */
#ifndef MODEL_EMULATE_ORIGIN_H
#define MODEL_EMULATE_ORIGIN_H

#include "model/emulate/slice.h"

struct origin {
    bool axis[3]; /* the coordinates x, y and z of the block that the way may depend on */
    bool *bends;  /* instructions by whose results the way depends on them otherwise than by comparing sums of
                     them times constants with constants */
    bool names;   /* such a sum is compared for equality: one block alone may go its way */
    bool *strays; /* accesses whose place is no such sum, of those whose addresses the slice holds */
};

/* `slice` is one of `code`, for any aim but SLICE_EVERYTHING. To be released in either case. */
int origin_find(struct origin *out, const struct slice *slice, const struct sass *code, size_t count,
                struct err *err);
void origin_release(struct origin *origin);

#endif

/* Which lines of constant memory the loads of a block read at computed uniform places (ULDC with a register):
 * a cache of constants keeps lines, so neither how long a table is declared nor how often it is read says
 * what a walk through it costs. The warp that is first to issue one stands for the others. */
#ifndef MODEL_EMULATE_WALK_H
#define MODEL_EMULATE_WALK_H

#include "model/emulate/access.h"

/* Whether the instruction reads constant memory at a computed place that is the same for all lanes. */
static inline bool walks_constants(const struct sass *i)
{
    return (i->op == SASS_ULDC || i->op == SASS_LDCU) && i->access_count &&
           i->accesses[0].uniform != SASS_URZ && i->accesses[0].bank < CUBIN_BANKS;
}

int walk_open(struct emulation *emulation, struct err *err);
void walk_close(struct emulation *emulation);
/* A block begins. */
void walk_begin(struct emulation *emulation);
/* The request goes to its address and `count - 1` times on, `step` bytes further each time. */
void walk_note(struct emulation *emulation, const struct request *request, int64_t step, uint64_t count);

#endif

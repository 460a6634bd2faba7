/* What is needed behind an instruction, anyway or under a guard. For emulate/slice.c alone.
 *
 * Compilers write `@!P2 IADD3 R8, ...; @!P2 LDG R9, [R8]`: what a guarded instruction reads is needed under
 * its guard only, and a definition under the same guard ends that. So beside what is needed anyway there is a
 * set for each guard, kept along straight code for as long as its predicate is not redefined. */
#ifndef MODEL_EMULATE_NEED_H
#define MODEL_EMULATE_NEED_H

#include "model/emulate/slice_sets.h"

enum { GUARDS = 14, NO_GUARD = -1 }; /* P0 to P6, and their negations */

struct need {
    struct slice_set always;
    struct slice_set under[GUARDS];
    struct slice_set
        rest[GUARDS]; /* speculative: because a definition under the opposite guard may not happen */
    unsigned guards;  /* bit g: under[g] or rest[g] may not be empty */
};

/* The guard, of `under`, that the instruction's reads belong to; NO_GUARD also where it is uniform. */
int guard_of(const struct sass *i);

/* All that is needed, without rest: that is what is speculated on. */
void need_collect(struct slice_set *out, const struct need *need);
/* What of `defined` under `guard` is needed: not where the need is under the opposite guard. */
struct slice_set need_of(const struct need *need, const struct slice_set *defined, int guard);

/* Goes behind instruction `i`, which defines `defined`. `speculative`: what a guarded one defines is taken not to
 * be needed in the lanes that are off. */
void need_end(struct need *need, const struct slice_set *defined, const struct sass *i, bool speculative);
/* Behind a definition of its predicate a guard means something else than before it. `from`: the instruction
 * after that. */
void need_forget(struct need *need, const struct slice_set *defined, struct slice *slice,
                 const struct sass *code, size_t count, size_t from);
/* Something may jump to instruction `from`: nothing can be speculated on beyond it. */
void need_trust(struct need *need, struct slice *slice, const struct sass *code, size_t count, size_t from);
/* The lanes that leave by `i` do not come to what is behind. */
void need_part(struct need *need, const struct sass *i);

#endif

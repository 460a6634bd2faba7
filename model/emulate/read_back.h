/* Which stores leave what a load of the slice may read. For emulate/slice.c alone, but slice_doubts() and slice_trusts(). */
#ifndef MODEL_EMULATE_READ_BACK_H
#define MODEL_EMULATE_READ_BACK_H

#include "model/emulate/slice.h"

/* Whether its place in shared memory is one for all lanes: no vector register says it. */
bool slice_is_fixed(const struct sass *i);
/* Whether it writes shared memory at the lanes' own places, of which no wanted load is. */
bool slice_leaves_out(const struct slice *slice, const struct sass *i);
/* Whether some wanted load may read what this instruction stores. */
bool slice_reads_back(const struct slice *slice, const struct sass *i);

#endif

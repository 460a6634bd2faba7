/* Which lines the first warp of a sample's first block comes back to, and how many others lie between. */
#ifndef MODEL_EMULATE_FOLLOW_H
#define MODEL_EMULATE_FOLLOW_H

#include "model/emulate/access.h"
#include "model/emulate/record.h"

/* A block begins: whether it is the one to follow. ERR_MEMORY. */
int follow_begin(struct emulation *emulation, struct err *err);
/* An access that is executed. */
void follow_request(struct emulation *emulation, const struct request *request);
/* What the records of a loop access in `periods` periods from the third on. */
void follow_periods(struct emulation *emulation, const struct record *records, size_t count,
                    uint64_t periods);

#endif

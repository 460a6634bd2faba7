/* What a request asks of the shared memory of other blocks of the cluster. */
#ifndef MODEL_EMULATE_REMOTE_H
#define MODEL_EMULATE_REMOTE_H

#include "model/emulate/access.h"

/* Whether it may ask any. */
bool remote_asks(const struct request *request);
/* Adds that to the cost of such a request; `own` is the rank of the block that it is of. */
void remote_count(struct cost *cost, const struct request *request, unsigned own);

#endif

/* What the search expects of variants that it has not compiled: estimates from the estimates of some that
 * are, by their parameters alone (tuner/strategy/posterior), compared with the measured times like any model. */
#ifndef VALIDATION_NEIGHBOURS_H
#define VALIDATION_NEIGHBOURS_H

#include "base/err.h"
#include "validation/collect.h"
#include "validation/judge.h"

#include <stddef.h>

enum { NEIGHBOURS_COMPILED = 64 }; /* as many as the search compiles before its first choice */

struct neighbours {
    size_t compiled; /* learned from; half of the points where there are fewer than twice as many */
    struct judgement judgement; /* of the others, against their measured times */
    double difference;          /* of the others: mean difference from their own estimates, relative */
};

/* Which are learned from is drawn the same way each time. All 0 where fewer than 4 points have a prediction.
 * ERR_MEMORY. */
int neighbours_of(struct neighbours *out, const struct collection *from, struct err *err);

#endif

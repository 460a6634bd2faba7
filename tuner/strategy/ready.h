/* Compiled configurations that wait for their trials: those that are expected to take longest come first, those
 * that are expected to take the same in the order in which they came. Pure. */
#ifndef TUNER_STRATEGY_READY_H
#define TUNER_STRATEGY_READY_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct ready_one {
    uint64_t index;
    uint64_t came; /* one after another */
    double expected_s;
};

/* Empty as zeros. */
struct ready {
    struct ready_one *heap; /* the next first */
    size_t count, capacity;
    uint64_t came;
};

void ready_release(struct ready *ready);

int ready_push(struct ready *ready, uint64_t index, double expected_s, struct err *err);

/* The next, which is taken; there is one. */
uint64_t ready_pop(struct ready *ready);

/* Orders all anew, by what `expected_s` says of each. */
void ready_order(struct ready *ready, double (*expected_s)(const void *context, uint64_t index),
                 const void *context);

#endif

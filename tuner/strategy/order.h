/* A random order of indices without a table. */
#ifndef TUNER_STRATEGY_ORDER_H
#define TUNER_STRATEGY_ORDER_H

#include <stdint.h>

enum { SEARCH_ROUNDS = 6 };

/* Position, 0 first, to index; all indices below `count` once. */
uint64_t search_permuted(uint64_t position, uint64_t count, uint64_t seed);

/* The same for many positions of one order. */
struct search_order {
    uint64_t count, streams[SEARCH_ROUNDS];
    unsigned half; /* of the bits of an index */
};
void search_order_init(struct search_order *out, uint64_t count, uint64_t seed);
uint64_t search_order_at(const struct search_order *order, uint64_t position);

#endif

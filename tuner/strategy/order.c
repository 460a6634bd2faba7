#include "tuner/strategy/order.h"

#include "base/hash.h"

void search_order_init(struct search_order *out, uint64_t count, uint64_t seed)
{
    *out = (struct search_order){.count = count, .half = 1};
    while (out->half < 32 && (UINT64_C(1) << (2 * out->half)) < count)
        out->half++;
    for (unsigned round = 0; round < SEARCH_ROUNDS; round++)
        out->streams[round] = hash_stream(seed + round);
}

/* A random permutation without a table: a Feistel network over the smallest even number of bits that holds
 * `count`, walked until it lands inside. */
uint64_t search_order_at(const struct search_order *order, uint64_t position)
{
    const uint64_t mask = (UINT64_C(1) << order->half) - 1;
    uint64_t left, right, swap;

    do {
        left = position >> order->half;
        right = position & mask;
        for (unsigned round = 0; round < SEARCH_ROUNDS; round++) {
            swap = right;
            right = left ^ (hash_mix(order->streams[round] + right * HASH_STEP) & mask);
            left = swap;
        }
        position = left << order->half | right;
    } while (position >= order->count);
    return position;
}

uint64_t search_permuted(uint64_t position, uint64_t count, uint64_t seed)
{
    struct search_order order;

    search_order_init(&order, count, seed);
    return search_order_at(&order, position);
}

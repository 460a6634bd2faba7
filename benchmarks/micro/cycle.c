#include "micro/cycle.h"

#include "base/hash.h"

/* A uniform draw from [0, bound): the high half of a 64 x 32 bit product; its bias is below 2^-32. */
static uint32_t draw(uint64_t seed, uint64_t index, uint32_t bound)
{
    return (uint32_t)(((hash_random(seed, index) >> 32) * bound) >> 32);
}

void cycle_random(uint32_t *next, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        next[i] = (uint32_t)i;
    for (size_t i = 0; i + 1 < n; i++) {
        const size_t other = i + 1 + draw(seed, i, (uint32_t)(n - i - 1));
        const uint32_t kept = next[i];

        next[i] = next[other];
        next[other] = kept;
    }
}

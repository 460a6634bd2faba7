#include "model/emulate/sequence.h"

#include "base/hash.h"

#define PRIME ((UINT64_C(1) << 61) - 1)
#define RADIX UINT64_C(0x0b4b5f3c6a1d9e27) /* some number below the prime */

/* a + b c modulo the prime, for which 2^61 is 1. */
static uint64_t add_product(uint64_t a, uint64_t b, uint64_t c)
{
    const __uint128_t product = (__uint128_t)b * c + a;
    const uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

    return sum >= PRIME ? sum - PRIME : sum;
}

void sequence_add(struct sequence *sequence, uint64_t word)
{
    sequence->sum = add_product(hash_mix(word) >> 3, sequence->sum, RADIX);
    sequence->count++;
}

/* x becomes shift + scale x: what appending words does to a sum. */
struct append {
    uint64_t scale, shift;
};

static struct append twice(struct append append)
{
    return (struct append){.scale = add_product(0, append.scale, append.scale),
                           .shift = add_product(append.shift, append.scale, append.shift)};
}

/* x after so many of them. */
static uint64_t append_often(uint64_t x, struct append append, uint64_t times)
{
    for (; times; times /= 2, append = twice(append))
        if (times & 1)
            x = add_product(append.shift, append.scale, x);
    return x;
}

void sequence_repeat(struct sequence *sequence, const struct sequence *before, uint64_t times)
{
    const uint64_t words = sequence->count - before->count;
    const uint64_t scale = append_often(1, (struct append){.scale = RADIX}, words);
    const struct append part = {
        .scale = scale,
        .shift = add_product(sequence->sum, scale, PRIME - before->sum),
    };

    sequence->sum = append_often(sequence->sum, part, times);
    sequence->count += times * words;
}

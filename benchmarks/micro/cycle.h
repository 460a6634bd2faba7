/* Random pointer cycles: one closed walk through all of an array, in an order that no prefetcher guesses. */
#ifndef MICRO_CYCLE_H
#define MICRO_CYCLE_H

#include <stddef.h>
#include <stdint.h>

/* Fills next[0 .. n) with a random permutation that is one single cycle of length n, a function of n and
 * `seed` alone: Sattolo's algorithm, which swaps element i with one strictly after it, [i + 1, n). (The
 * listing in Lemeire et al., VI.B, draws from [i, n), which is Fisher and Yates's shuffle: it closes early in
 * all but 1/n of cases and walks (n + 1)/2 elements on average.) n is at most UINT32_MAX; n = 1 points to
 * itself. */
void cycle_random(uint32_t *next, size_t n, uint64_t seed);

#endif

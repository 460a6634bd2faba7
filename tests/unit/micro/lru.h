/* Simulates an endless chase on a hierarchy of set-associative LRU caches (or TLBs): the curves that inference
 * must read back. A miss goes on to the next level and fills every level it missed. */
#ifndef TESTS_UNIT_MICRO_LRU_H
#define TESTS_UNIT_MICRO_LRU_H

#include <stddef.h>
#include <stdint.h>

struct lru_level {
    size_t bytes, ways, line;
    double latency; /* cycles of a hit */
};

/* Mean latency of an access once laps over addresses[0 .. n) repeat; `beyond` is the latency behind the last
 * level. Aborts when memory ends. */
double lru_chase(const struct lru_level *levels, size_t count, double beyond, const uint64_t *addresses,
                 size_t n);

/* The same for 0, stride, 2 stride, ... below `bytes`. */
double lru_strided(const struct lru_level *levels, size_t count, double beyond, size_t bytes, size_t stride);

#endif

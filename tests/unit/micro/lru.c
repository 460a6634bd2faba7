#include "lru.h"

#include <stdlib.h>
#include <string.h>

enum { WARM_LAPS = 3, MAX_LEVELS = 8 };

/* tags[set x ways + age], the youngest first; 0 is empty, so tags are kept plus one. */
static int touch(uint64_t *tags, const struct lru_level *level, uint64_t address)
{
    const size_t sets = level->bytes / level->ways / level->line;
    const uint64_t line = address / level->line;
    uint64_t *set = tags + line % sets * level->ways;
    size_t age = 0;

    while (age < level->ways && set[age] != line + 1)
        age++;
    const int hit = age < level->ways;
    memmove(set + 1, set, (hit ? age : level->ways - 1) * sizeof *set);
    set[0] = line + 1;
    return hit;
}

static double access_at(uint64_t *const *tags, const struct lru_level *levels, size_t count, double beyond,
                        uint64_t address)
{
    for (size_t i = 0; i < count; i++)
        if (touch(tags[i], &levels[i], address))
            return levels[i].latency;
    return beyond;
}

double lru_chase(const struct lru_level *levels, size_t count, double beyond, const uint64_t *addresses,
                 size_t n)
{
    uint64_t *tags[MAX_LEVELS];
    double sum = 0;
    size_t i;

    if (count > MAX_LEVELS)
        abort();
    for (i = 0; i < count; i++) {
        tags[i] = calloc(levels[i].bytes / levels[i].line, sizeof *tags[i]);
        if (!tags[i])
            abort();
    }
    for (size_t lap = 0; lap <= WARM_LAPS; lap++)
        for (i = 0, sum = 0; i < n; i++)
            sum += access_at(tags, levels, count, beyond, addresses[i]);
    for (i = 0; i < count; i++)
        free(tags[i]);
    return sum / (double)n;
}

double lru_strided(const struct lru_level *levels, size_t count, double beyond, size_t bytes, size_t stride)
{
    const size_t n = (bytes + stride - 1) / stride;
    uint64_t *addresses = malloc(n * sizeof *addresses);
    double mean;

    if (!addresses)
        abort();
    for (size_t i = 0; i < n; i++)
        addresses[i] = i * stride;
    mean = lru_chase(levels, count, beyond, addresses, n);
    free(addresses);
    return mean;
}

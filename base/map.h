/* A map from 64-bit words to pointers: open addressing, no removal. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct map_entry {
    uint64_t key;
    void *value; /* null: empty */
};

struct map {
    struct map_entry *entries;
    size_t count, capacity; /* capacity a power of two, or 0 */
};

void map_release(struct map *map);                   /* {0} is an empty map; what it points to is not freed */
void *map_find(const struct map *map, uint64_t key); /* null when absent */
int map_put(struct map *map, uint64_t key, void *value, struct err *err); /* replaces; value not null */

#endif

#include "base/map.h"

#include "base/hash.h"

#include <stdlib.h>

void map_release(struct map *map)
{
    free(map->entries);
    *map = (struct map){0};
}

static struct map_entry *place(const struct map *map, uint64_t key)
{
    size_t at = (size_t)hash_mix(key) & (map->capacity - 1);

    while (map->entries[at].value && map->entries[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return &map->entries[at];
}

void *map_find(const struct map *map, uint64_t key)
{
    return map->capacity ? place(map, key)->value : NULL;
}

static int grow(struct map *map, struct err *err)
{
    struct map larger = {.count = map->count, .capacity = map->capacity ? map->capacity * 2 : 64};

    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries)
        return err_memory(err);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value)
            *place(&larger, map->entries[i].key) = map->entries[i];
    free(map->entries);
    *map = larger;
    return 0;
}

int map_put(struct map *map, uint64_t key, void *value, struct err *err)
{
    struct map_entry *entry;

    if (2 * (map->count + 1) > map->capacity && grow(map, err))
        return ERR_MEMORY;
    entry = place(map, key);
    map->count += !entry->value;
    *entry = (struct map_entry){key, value};
    return 0;
}

#include "tuner/journal/records.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void records_init(struct records *records)
{
    *records = (struct records){0};
}

void records_release(struct records *records)
{
    for (size_t i = 0; i < records->count; i++)
        record_release(&records->items[i]);
    free(records->items);
    free(records->slots);
    records_init(records);
}

/* The slot that holds the key, or the empty one where it belongs. */
static size_t *slot_of(const struct records *records, const char *key)
{
    const size_t mask = records->slot_count - 1;
    size_t at = (size_t)hash_text(HASH_START, key) & mask;

    while (records->slots[at] && strcmp(records->items[records->slots[at] - 1].key, key))
        at = (at + 1) & mask;
    return &records->slots[at];
}

static int grow(struct records *records, struct err *err)
{
    const size_t capacity = records->capacity ? records->capacity * 2 : 64;
    struct record *items = realloc(records->items, capacity * sizeof *items);
    size_t *slots = items ? calloc(capacity * 2, sizeof *slots) : NULL;

    if (items)
        records->items = items;
    if (!slots)
        return err_memory(err);
    free(records->slots);
    records->slots = slots;
    records->slot_count = capacity * 2;
    records->capacity = capacity;
    for (size_t i = 0; i < records->count; i++)
        *slot_of(records, items[i].key) = i + 1;
    return 0;
}

int records_put(struct records *records, struct record *record, struct err *err)
{
    struct record *earlier = records_find(records, record->key);
    int rc;

    if (earlier) {
        record_release(earlier);
        *earlier = *record;
        return 0;
    }
    if (records->count == records->capacity && (rc = grow(records, err)) != 0) {
        record_release(record);
        return rc;
    }
    records->items[records->count++] = *record;
    *slot_of(records, record->key) = records->count;
    return 0;
}

struct record *records_find(const struct records *records, const char *key)
{
    const size_t slot = records->slot_count ? *slot_of(records, key) : 0;

    return slot ? &records->items[slot - 1] : NULL;
}

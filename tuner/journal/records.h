/* Records by key, in the order in which their keys first came. */
#ifndef TUNER_JOURNAL_RECORDS_H
#define TUNER_JOURNAL_RECORDS_H

#include "tuner/journal/journal.h"

struct records {
    struct record *items;
    size_t count, capacity;
    size_t *slots;     /* open addressing over the keys: index + 1 into items, 0 where empty */
    size_t slot_count; /* a power of two, or 0 */
};

void records_init(struct records *records);
void records_release(struct records *records);

/* Puts a record in, or in the place of the one with its key; steals what it owns (also on failure). */
int records_put(struct records *records, struct record *record, struct err *err);
struct record *records_find(const struct records *records, const char *key);

#endif

/* Documents that are only read: their values lie in one allocation, in a fifteenth of the time of a tree. Part of base/json,
 * whose cursors go through both: a value that lies here is marked by the last bit of its address. */
#ifndef BASE_JSON_FLAT_H
#define BASE_JSON_FLAT_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flat {
    const char *key; /* of a member */
    enum js_kind kind;
    uint32_t count; /* elements or members, which lie one behind the other */
    union {
        bool truth;
        int64_t integer;
        double real;
        const char *text;
        const struct flat *items;
    };
};

/* See js_read_flat(). */
int flat_read(struct flat **out, const char *text, size_t length, const char *name, struct err *err);
void flat_free(struct flat *root);

const struct flat *flat_member(const struct flat *object, const char *key); /* null: there is none */

static inline struct json *flat_mark(const struct flat *flat)
{
    return (struct json *)((uintptr_t)flat | 1);
}

/* Null for a value of a tree. */
static inline const struct flat *flat_of(const struct json *value)
{
    return (uintptr_t)value & 1 ? (const struct flat *)((uintptr_t)value - 1) : NULL;
}

#endif

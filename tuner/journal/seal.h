/* The members of an object, written into a line while the hash of what they say is made: see record_check.h. For the files
 * of this folder. */
#ifndef TUNER_JOURNAL_SEAL_H
#define TUNER_JOURNAL_SEAL_H

#include "base/hash.h"
#include "base/json_line.h"

#include <stddef.h>
#include <stdint.h>

#define SEAL_MEMBER "checksum"

/* Of values: of a number by its text as "%.15g" has it (2 and 2.0 are one number, and digits that no double holds are none);
 * of a list by those of its elements in turn; of an object by those of its members, added, since their order means nothing. */
static inline uint64_t seal_number(const char *text)
{
    return hash_text(HASH_START, text);
}
static inline uint64_t seal_word(const char *text) /* null, true, false */
{
    return hash_text(HASH_START, text);
}
static inline uint64_t seal_string(const char *text)
{
    return hash_text(hash_u64(HASH_START, JS_STRING), text);
}
static inline uint64_t seal_element(uint64_t list, uint64_t element) /* HASH_START at first */
{
    return hash_u64(list, element);
}
static inline uint64_t seal_list(uint64_t list)
{
    return hash_u64(list, JS_ARRAY);
}
static inline uint64_t seal_member(const char *key, uint64_t value) /* to be added */
{
    return hash_u64(value, hash_text(HASH_START, key));
}
static inline uint64_t seal_object(uint64_t sum)
{
    return hash_u64(sum, JS_OBJECT);
}

/* An object that is being written. */
struct seal {
    struct js_line *line;
    uint64_t sum;
};
void seal_put_string(struct seal *seal, const char *key, const char *value);
void seal_put_bool(struct seal *seal, const char *key, bool value);
void seal_put_integer(struct seal *seal, const char *key, int64_t value);
void seal_put_real(struct seal *seal, const char *key, double value, int digits); /* finite */
/* Each value times `scale`. */
void seal_put_reals(struct seal *seal, const char *key, const double *values, size_t count, double scale,
                    int digits);
void seal_put_object(struct seal *seal, const char *key,
                     const struct seal *inner);                   /* already in the line, closed */
void seal_put_tree(struct seal *seal, const struct json *object); /* all its members */

uint64_t seal_value(const struct js_at *at); /* of what was read */

#endif

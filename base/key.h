/* 128-bit content keys (XXH3): two contents with one key do not occur. What is kept under a key may be
 * trusted to be of that content, unlike under the 64 bits of base/hash.h. */
#ifndef BASE_KEY_H
#define BASE_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key {
    uint64_t low, high;
};

/* A key in the making. */
struct keying;
struct keying *keying_new(void);                         /* null when memory ends */
struct keying *keying_copy(const struct keying *keying); /* that goes on from here by itself; likewise */
void keying_free(struct keying *keying);

/* Text with its terminating zero, so that "ab", "c" and "a", "bc" differ; a stretch with its length. */
void keying_text(struct keying *keying, const char *text);
void keying_bytes(struct keying *keying, const void *bytes, size_t size);

struct key keying_key(const struct keying *keying); /* of what was put in so far */

/* The key of one stretch of bytes alone. */
struct key key_bytes(const void *bytes, size_t size);

/* A key continued by text. */
struct key key_text(struct key key, const char *text);

bool key_equal(struct key a, struct key b);

/* 32 lower-case hexadecimal digits and a zero. */
void key_hex(char out[33], struct key key);
bool key_from_hex(struct key *out, const char *hex); /* false: the text is no such key */

/* Kilobytes of memory, for comparisons within a run: nobody keeps the hash. */
uint64_t key_of_memory(uint64_t seed, const void *bytes, size_t size);

#endif

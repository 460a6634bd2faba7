#include "base/key.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct keying {
    XXH3_state_t *state;
};

struct keying *keying_new(void)
{
    struct keying *keying = malloc(sizeof *keying);

    if (!keying)
        return NULL;
    keying->state = XXH3_createState();
    if (keying->state) {
        XXH3_128bits_reset(keying->state);
        return keying;
    }
    free(keying);
    return NULL;
}

struct keying *keying_copy(const struct keying *keying)
{
    struct keying *copy = keying_new();

    if (copy)
        XXH3_copyState(copy->state, keying->state);
    return copy;
}

void keying_free(struct keying *keying)
{
    if (keying)
        XXH3_freeState(keying->state);
    free(keying);
}

void keying_text(struct keying *keying, const char *text)
{
    XXH3_128bits_update(keying->state, text, strlen(text) + 1);
}

void keying_bytes(struct keying *keying, const void *bytes, size_t size)
{
    const uint64_t length = size;

    XXH3_128bits_update(keying->state, &length, sizeof length);
    XXH3_128bits_update(keying->state, bytes, size);
}

static struct key key_of(XXH128_hash_t hash)
{
    return (struct key){hash.low64, hash.high64};
}

struct key keying_key(const struct keying *keying)
{
    return key_of(XXH3_128bits_digest(keying->state));
}

struct key key_bytes(const void *bytes, size_t size)
{
    return key_of(XXH3_128bits(bytes, size));
}

struct key key_text(struct key key, const char *text)
{
    const XXH128_hash_t more = XXH3_128bits_withSeed(text, strlen(text), key.low);
    const uint64_t words[] = {key.low, key.high, more.low64, more.high64};

    return key_of(XXH3_128bits(words, sizeof words));
}

bool key_equal(struct key a, struct key b)
{
    return a.low == b.low && a.high == b.high;
}

void key_hex(char out[33], struct key key)
{
    hash_hex(out, key.high);
    hash_hex(out + 16, key.low);
}

static bool word_from_hex(uint64_t *out, const char *hex)
{
    static const char digits[] = "0123456789abcdef";

    *out = 0;
    for (int i = 0; i < 16; i++) {
        const char *digit = hex[i] ? strchr(digits, hex[i]) : NULL;

        if (!digit)
            return false;
        *out = *out << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

bool key_from_hex(struct key *out, const char *hex)
{
    *out = (struct key){0};
    return word_from_hex(&out->high, hex) && word_from_hex(&out->low, hex + 16) && !hex[32];
}

uint64_t key_of_memory(uint64_t seed, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, seed);
}

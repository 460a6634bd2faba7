#include "base/hash.h"

#include <stdio.h>
#include <string.h>

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash_mix(hash);
}

uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

uint64_t hash_u64(uint64_t hash, uint64_t value)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    return hash_bytes(hash, bytes, sizeof bytes);
}

uint64_t hash_random(uint64_t seed, uint64_t index)
{
    return hash_mix(hash_stream(seed) + index * HASH_STEP);
}

uint64_t hash_stream(uint64_t seed)
{
    return hash_mix(seed + HASH_STEP);
}

void hash_hex(char out[17], uint64_t hash)
{
    for (int i = 0; i < 16; i++)
        out[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    out[16] = '\0';
}

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    letter |= 'a' ^ 'A';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool hex_bytes(unsigned char *out, const char *digits, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const int high = digit_of(digits[2 * i]), low = high < 0 ? -1 : digit_of(digits[2 * i + 1]);

        if (low < 0)
            return false;
        out[i] = (unsigned char)(16 * high + low);
    }
    return true;
}

/* A 64-bit content hash (FNV-1a folded through a finaliser): fast, stable across machines, not cryptographic.
 * Used to tell whether code, sources, options and protocols are the same; and the counter-based random
 * numbers of the fills. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Continues `hash` (HASH_START at first) over bytes; text includes its terminating zero, so that "ab","c" and
 * "a","bc" differ. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t hash_text(uint64_t hash, const char *text);
uint64_t hash_u64(uint64_t hash, uint64_t value);

/* A bijection of 64-bit words that mixes every bit into every other (the finaliser of SplitMix64). */
static inline uint64_t hash_mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* The `index`-th random word of stream `seed`: hash_mix applied twice, random access. For many words of one
 * stream: hash_mix(hash_stream(seed) + index * HASH_STEP). */
#define HASH_STEP UINT64_C(0x9e3779b97f4a7c15)
uint64_t hash_random(uint64_t seed, uint64_t index);
uint64_t hash_stream(uint64_t seed);

/* The bytes that 2 * `size` hexadecimal digits say; false where one of them is none. */
bool hex_bytes(unsigned char *out, const char *digits, size_t size);

/* 16 lower-case hexadecimal digits and a zero. */
void hash_hex(char out[17], uint64_t hash);

#endif

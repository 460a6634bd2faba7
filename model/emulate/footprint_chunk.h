/* Chunks of footprints, for the two files that look into them. */
#ifndef MODEL_FOOTPRINT_CHUNK_H
#define MODEL_FOOTPRINT_CHUNK_H

#include "model/emulate/footprint.h"

#include <stdint.h>

/* The chunk of that number; null where there is none. */
const struct footprint_chunk *footprint_chunk_of(const struct footprint *footprint, uint64_t number);

/* Bits set in a word: what __builtin_popcountll is a call for on processors of 2003. */
static inline unsigned count_bits(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(word * UINT64_C(0x0101010101010101) >> 56);
}

#endif

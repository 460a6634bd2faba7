/* Footprints: which 32-byte sectors of global memory were touched. A sparse set of bits over virtual
 * addresses, so that a block that touches a few rows of a large matrix costs what it touches. */
#ifndef MODEL_FOOTPRINT_H
#define MODEL_FOOTPRINT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FOOTPRINT_SECTOR = 32,                                /* bytes */
    FOOTPRINT_CHUNK_WORDS = 64,                           /* of 64 sectors */
    FOOTPRINT_CHUNK_SECTORS = 64 * FOOTPRINT_CHUNK_WORDS, /* 128 KB of memory */
};

struct footprint_chunk {
    uint64_t number; /* address / 32 / FOOTPRINT_CHUNK_SECTORS */
    uint64_t bits[FOOTPRINT_CHUNK_WORDS];
};

/* Chunks in the order in which they were touched, found through an open hash table of their places. A zeroed
 * struct is the empty set. */
struct footprint {
    struct footprint_chunk *chunks;
    size_t count, capacity;
    uint32_t *places;   /* index of a chunk plus 1; 0 marks a free place */
    size_t place_count; /* 0 or a power of two */
    size_t last;        /* chunk marked last */
};

void footprint_release(struct footprint *footprint);

/* Adds the sector of every byte of [address, address + bytes), bytes >= 1; only ERR_MEMORY. */
int footprint_mark(struct footprint *footprint, uint64_t address, uint64_t bytes, struct err *err);
/* Whether the sector of that byte is in it. */
bool footprint_has(const struct footprint *footprint, uint64_t address);
uint64_t footprint_sectors(const struct footprint *footprint);
/* Aligned pairs of sectors, 64 bytes, of which it has at least one. */
uint64_t footprint_pairs(const struct footprint *footprint);
/* Sectors in both; in all three. */
uint64_t footprint_shared(const struct footprint *a, const struct footprint *b);
uint64_t footprint_shared3(const struct footprint *a, const struct footprint *b, const struct footprint *c);

#endif

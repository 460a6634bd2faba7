/* Footprints: which 32-byte sectors of global memory were touched. A sparse set of bits over virtual
 * addresses, so that a block that touches a few rows of a large matrix costs what it touches. */
#ifndef MODEL_FOOTPRINT_H
#define MODEL_FOOTPRINT_H

#include "base/err.h"
#include "model/sass/arch/geometry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FOOTPRINT_CHUNK_WORDS = 64,                           /* of 64 sectors */
    FOOTPRINT_CHUNK_SECTORS = 64 * FOOTPRINT_CHUNK_WORDS, /* 128 KB of memory */
};

struct footprint_chunk {
    uint64_t number; /* address / 32 / FOOTPRINT_CHUNK_SECTORS */
    uint64_t used;   /* bit k: bits[k] is not 0; columns of a matrix use few of them */
    uint64_t bits[FOOTPRINT_CHUNK_WORDS];
};

/* Where a chunk is found: its number beside its index, so that whoever looks for it need not see the chunk. */
struct footprint_place {
    uint64_t number;
    size_t chunk; /* its index plus 1; 0 marks a free place */
};

enum { FOOTPRINT_RUNS = 64 };

/* Stretches of sectors at equal distances that were added: other warps of a block, and parts of an unrolled
 * loop, add the same again. */
struct footprint_run {
    uint64_t first, sectors, count; /* count: 0 for none */
    int64_t step;                   /* in sectors */
};

/* The same sectors of words at equal distances, as the rows of a matrix are. What was added of a column is noted, so that
 * loads of its single elements look at it once for each sector. */
struct footprint_column {
    uint64_t word, bits; /* the first word, and its sectors */
    uint64_t count;      /* words; 0 for none */
    int64_t step;        /* in words */
};

/* Chunks in the order in which they were touched, found through an open hash table of their places. A zeroed
 * struct is the empty set. */
struct footprint {
    struct footprint_chunk *chunks;
    size_t count, capacity;
    struct footprint_place *places;
    size_t place_count; /* 0 or a power of two */
    size_t last;        /* chunk marked last */
    uint64_t sectors;   /* in it */
    struct footprint_run runs[FOOTPRINT_RUNS];
    struct footprint_column columns[FOOTPRINT_RUNS];
};

void footprint_release(struct footprint *footprint);

/* Adds the sector of every byte of [address, address + bytes), bytes >= 1; only ERR_MEMORY. */
int footprint_mark(struct footprint *footprint, uint64_t address, uint64_t bytes, struct err *err);
/* Does so `count` times, each `step` bytes beyond the one before. */
int footprint_mark_moving(struct footprint *footprint, uint64_t address, uint64_t bytes, int64_t step,
                          uint64_t count, struct err *err);
/* Makes *out, which is empty, the same set; only ERR_MEMORY, after which it is to be released, too. */
int footprint_copy(struct footprint *out, const struct footprint *footprint, struct err *err);
/* Adds the sectors of `from` within [first, end), moved by `bytes`, a multiple of a sector; only ERR_MEMORY. */
int footprint_move(struct footprint *footprint, const struct footprint *from, uint64_t first, uint64_t end,
                   int64_t bytes, struct err *err);
/* The address of the lowest sector within [first, end), both multiples of a sector; false without one. */
bool footprint_first(uint64_t *address, const struct footprint *footprint, uint64_t first, uint64_t end);
bool footprint_equal(const struct footprint *a, const struct footprint *b);
/* Whether the sector of some byte of [address, address + bytes), bytes >= 1, is in it. */
bool footprint_meets(const struct footprint *footprint, uint64_t address, uint64_t bytes);
/* Sectors in all three, of [address, address + bytes); address is a multiple of a chunk's bytes. */
uint64_t footprint_shared_in(const struct footprint *a, const struct footprint *b, const struct footprint *c,
                             uint64_t address, uint64_t bytes);

/* The share of the sectors of `other` in [address, address + bytes), as above, that `own` has, moved by `distance` bytes, a
 * multiple of a sector; 1 of none. Only ERR_MEMORY. */
int footprint_alike(double *share, const struct footprint *own, const struct footprint *other,
                    uint64_t address, uint64_t bytes, int64_t distance, struct err *err);

/* Sectors of some footprints, by how many of these have them. */
struct footprint_met {
    uint64_t any, one, two, all; /* two: exactly; all: of one alone those that it has */
};

/* Of [address, address + bytes), as above. */
void footprint_met_in(struct footprint_met *out, const struct footprint *const *prints, size_t count,
                      uint64_t address, uint64_t bytes);

/* The first and the last of a footprint's sectors, as their addresses / SECTOR. */
struct footprint_ends {
    uint64_t first, last;
};

/* Those of [address, address + bytes), as above; false without any. */
bool footprint_ends_in(struct footprint_ends *out, const struct footprint *footprint, uint64_t address,
                       uint64_t bytes);

/* Lists the sectors of [address, address + bytes), as above, as their addresses / SECTOR, in any order: up to `most`. Returns
 * how many there are. */
uint64_t footprint_list(uint64_t *out, uint64_t most, const struct footprint *footprint, uint64_t address,
                        uint64_t bytes);

/* Aligned pairs of sectors, 64 bytes, of which a footprint has at least one. */
struct footprint_pairs {
    uint64_t pairs;
    uint64_t sectors; /* of those pairs that it or the others have */
    uint64_t lone;    /* pairs whose line has no other sector in any of them */
};

/* Those of [address, address + bytes), as above; some of the `count` others may be null. */
void footprint_pairs_in(struct footprint_pairs *out, const struct footprint *footprint,
                        const struct footprint *const *others, size_t count, uint64_t address,
                        uint64_t bytes);

/* Lines of a footprint, 128 bytes, and how many of them are alone in their aligned pair of lines. */
struct footprint_lines {
    uint64_t lines, lone;
};

/* As above. */
void footprint_lines_in(struct footprint_lines *out, const struct footprint *footprint,
                        const struct footprint *const *others, size_t count, uint64_t address,
                        uint64_t bytes);

#endif

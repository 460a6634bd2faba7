/* Loads and stores. */
#ifndef MODEL_EMULATE_ACCESS_H
#define MODEL_EMULATE_ACCESS_H

#include "model/emulate/state.h"

/* One access of a warp. */
struct request {
    const struct sass *i;
    uint32_t index; /* of the instruction */
    uint32_t mask;  /* lanes that access */
    unsigned width; /* bytes of a lane */
    uint8_t space;  /* enum sass_space; generic until a lane's own is looked up */
    uint8_t access; /* SASS_READS, SASS_WRITES, ... */
    uint8_t second; /* 1: the instruction's second access, which is no request of its own */
    uint64_t address[LANES];
};

bool is_access(const struct sass *i);
/* Whether it knows shared memory of its own block alone. */
bool stays_in_block(const struct sass *i);
/* Executes a memory instruction; STEP_NEXT, STEP_STOPPED or an error. */
int access_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask);
int atomic_execute(struct emulation *emulation, struct warp *warp, const struct request *request);
/* LDSM, STSM: 8x8 matrices of halves. Each lane names a 16-byte row of one; the first drops the lanes whose
 * address counts for nothing. */
void matrix_lanes(struct request *request);
/* A swap in shared memory that says only whether it was made: ATOMS.CAST.SPIN. */
bool atomic_spins(const struct sass *i);
int matrix_execute(struct emulation *emulation, struct warp *warp, const struct request *request);

/* Tells a loop that is being recorded, checks the addresses, counts. */
int request_pass(struct emulation *emulation, const struct request *request, bool wanted);
/* What sass_is_bulk() says is one. */
int bulk_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask);
/* What sass_is_tensor_copy() says is one. */
int tensor_copy_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask);
/* Into the counts: to how many blocks a load of the copy engine goes. */
void note_receivers(struct emulation *emulation, const struct warp *warp, const struct sass *i,
                    unsigned lane);
/* Counts those of the periods first to first + count - 1 of a loop: what steady_copy() was given, and what it
 * advances by. */
int tensor_copy_count(struct emulation *emulation, const struct sass *i, const uint64_t value[LANES],
                      const uint64_t delta[LANES], uint64_t first, uint64_t count);

/* Lanes whose address depends on what cannot be known. */
uint32_t request_unknown(const struct warp *warp, const struct sass_access *access);
/* The address of every lane; stops where one is unknown. */
int request_init(struct request *out, struct emulation *emulation, const struct warp *warp,
                 const struct sass *i, unsigned which, uint32_t mask);
/* Where a generic address lies: global, shared or local memory. */
enum sass_space space_of(uint64_t address);
/* The last request of the access that was told from those before: where this one is like it, its lanes moved
 * alike by what the cost does not depend on, or else this one. */
const struct pattern *request_pattern(struct emulation *emulation, const struct request *request);
/* Whether a request whose lanes are as far from each other as those of its pattern costs the same if it lies so
 * much further than that. Words of shared memory do from whatever bank on; of global memory lines count, unless
 * all is in one sector. */
bool request_costs_same(const struct pattern *pattern, const struct request *request, uint64_t moved);
/* Whether what it reads of constant memory is counted. */
bool request_counts_constants(const struct emulation *emulation, const struct sass *i);
/* Counts it `times` times, as its pattern says. */
void request_tally(struct emulation *emulation, const struct request *request, const struct pattern *pattern,
                   uint64_t times);
/* Counts it once and marks the footprint. */
int request_count(struct emulation *emulation, const struct request *request, const struct pattern *pattern);
/* Whether the running warp leads: is the first of its block to issue the request's instruction, and stands for those that do
 * later. Not of a peek, which counts nothing. */
bool request_leads(const struct emulation *emulation, const struct request *request);
/* Marks bytes of global memory in the block's footprint, as touched by the request's instruction, `count`
 * times, each `step` bytes beyond the one before. */
int request_mark(struct emulation *emulation, const struct request *request, uint64_t address, uint64_t bytes,
                 int64_t step, uint64_t count);
/* Marks what the lanes of `mask` access, once. */
int request_touch(struct emulation *emulation, const struct request *request, uint32_t mask);
/* Whether its lanes access global memory; they do all or, generic addresses, as the first does. */
bool request_is_global(const struct request *request);

/* The bytes behind one lane's address: `width` of them at *bytes, their marks at *unknown or, for global
 * memory, in *page at `*offset`. Stops where there are none. */
struct cell {
    unsigned char *bytes;
    bool *marks;       /* shared and local memory */
    struct page *page; /* global memory */
    size_t offset;     /* in the page */
    struct region *region;
    bool remote; /* shared memory of another block: never known, stores are lost */
};
/* Shared memory of the block that an address names, and its marks; null where that is not followed. */
unsigned char *shared_base(bool **marks, struct emulation *emulation, const struct sass *i, uint32_t address);
int cell_find(struct cell *out, struct emulation *emulation, struct warp *warp, const struct request *request,
              unsigned lane);
bool cell_unknown(const struct cell *cell, unsigned width);
/* Stores; a store of unknown data marks the bytes. Says whether anything changed. */
bool cell_store(struct emulation *emulation, const struct cell *cell, const void *bytes, unsigned width,
                bool unknown);

/* The operands of an instruction that carry data, in order: registers and immediates that are no address. */
const struct sass_operand *data_operand(const struct sass *i, unsigned k);

#endif

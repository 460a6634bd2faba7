/* Which instructions decide addresses, predicates, branches and barriers. Everything else is only counted. */
#ifndef MODEL_EMULATE_SLICE_H
#define MODEL_EMULATE_SLICE_H

#include "base/err.h"
#include "model/sass.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLICE_REGISTERS = 256,
    SLICE_UNIFORM = 256, /* first bit of the uniform registers, and so on */
    SLICE_PREDICATES = 512,
    SLICE_UNIFORM_PREDICATES = 520,
    SLICE_STACK = 528, /* words of local memory, where the stack is plain */
    SLICE_STACK_WORDS = 304,
    SLICE_WORDS = 13
};

/* A set of registers, predicates and words of the stack. */
struct slice_set {
    uint64_t bits[SLICE_WORDS];
};

struct slice {
    bool *needed;           /* executed: it decides something, or it accesses memory */
    bool *wanted;           /* of a needed one: its results, or the data it stores, are */
    uint32_t *next;         /* first needed instruction at or after each; the count beyond the last */
    struct slice_set *live; /* what is needed before each instruction */
    bool reads_shared, reads_local, reads_global; /* some load there is wanted */
    bool stores;                                  /* the data of global stores is wanted */
};

/* `everything`: all instructions are needed and wanted. `stores`: so is the data of stores to global memory,
 * because a wanted load reads it back. */
int slice_init(struct slice *out, const struct sass *code, size_t count, bool everything, bool stores,
               struct err *err);
void slice_release(struct slice *slice);

#endif

/* Which instructions decide addresses, predicates, branches and barriers. Everything else is only counted. */
#ifndef MODEL_EMULATE_SLICE_H
#define MODEL_EMULATE_SLICE_H

#include "base/err.h"
#include "model/sass/sass.h"

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
    SLICE_FLAGS = SLICE_STACK + SLICE_STACK_WORDS, /* the bits of registers that hold predicates */
    SLICE_FLAG_REGISTERS = 4,
    SLICE_WORDS = (SLICE_FLAGS + 32 * SLICE_FLAG_REGISTERS) / 64
};

/* A set of registers, predicates, words of the stack, and bits of flag registers: registers in which
 * predicates are kept (LOP3 Rx, Rx, mask), whose bits live and die one by one. */
struct slice_set {
    uint64_t bits[SLICE_WORDS];
};

struct special;

/* Decoded code, and its branches around special cases (emulate/special.h); borrowed. */
struct slice_code {
    const struct sass *instructions;
    size_t count;
    const struct special *specials;
    size_t special_count;
};

/* What has to be known of an execution. */
enum slice_aim {
    SLICE_EVERYTHING, /* all that it computes */
    SLICE_ACCESSES,   /* which way it goes, and the address of every access to memory */
    SLICE_DATA,       /* the same, but not where lanes read constant memory */
    SLICE_LANES,      /* which way it goes, and which lanes access memory; not where */
    SLICE_CONTROL     /* which way it goes */
};

struct slice {
    enum slice_aim aim;
    bool speculative;                    /* see slice_init */
    bool plain_stack;                    /* local memory is spilled registers: its words are in the sets */
    uint8_t flags[SLICE_FLAG_REGISTERS]; /* the flag registers */
    unsigned flag_count;
    bool *trusted;  /* speculative: instructions after which their old result may be missing, and is */
    bool *pinned;   /* not to be speculated on */
    bool *avoids;   /* branches around special cases whose outcome nobody needs: all lanes jump */
    bool *needed;   /* executed: it decides something, or it accesses memory */
    bool *wanted;   /* of a needed one: its results, or the data it stores, are */
    uint32_t *next; /* first needed instruction at or after each; the count beyond the last */
    struct slice_set *live;                       /* what is needed before each instruction */
    bool reads_shared, reads_local, reads_global; /* some load there is wanted */
    bool reads_moving; /* one of shared memory whose place is each lane's own; see slice_doubts() */
    bool stores;       /* the data of global stores is wanted */
    bool apart;        /* see slice_init */
};

/* `stores`: the data of stores to global memory is wanted as well, because a wanted load reads it back.
 * `apart`: every wait at an mbarrier is over at once. Which one it is then decides nothing, nor does where in
 * shared memory a copy goes: rings of stages and their phases are not followed.
 *
 * A register set under a guard keeps its old value in the lanes that are off, and so its earlier definition
 * seems to be needed, be it the result of a load or of a sum of floats. Compilers read such a register under
 * the same guard only, but the guard may lie in a register between. Where loads seem to decide something, the
 * slice therefore takes it that lanes that are off are not read, if that makes do without loads. At an
 * instruction that is `trusted` they are to be marked; when a needed instruction reads one after all, that
 * was wrong: slice_pin() it and begin anew. */
int slice_init(struct slice *out, const struct slice_code *code, enum slice_aim aim, bool stores, bool apart,
               struct err *err);
/* Whether the result of instruction `index` decides which way a block goes. */
int slice_decides(bool *out, const struct slice_code *code, uint32_t index, struct err *err);
/* Slices again, speculating no more on the instruction `index`. */
int slice_pin(struct slice *slice, const struct slice_code *code, size_t index, struct err *err);
/* Whether what a needed store leaves in shared memory is taken not to be read. A variable of a block's own that decides (the
 * number that its first thread drew at a counter, say) is read and written at one place for all lanes; arrays are written at
 * the lanes' own. So where all wanted loads are of the first kind, stores of the second only mark the bytes as unknown; a load
 * that comes to such bytes after all is to be pinned. */
bool slice_doubts(const struct slice *slice, const struct sass *i);
/* Whether a load of shared memory trusts in that. */
bool slice_trusts(const struct slice *slice, const struct sass *i);
/* Whether register, predicate or word `bit` of a set (of a flag register: any of its bits) is needed before
 * instruction `index`. */
bool slice_has(const struct slice *slice, size_t index, unsigned bit);
void slice_release(struct slice *slice);

#endif

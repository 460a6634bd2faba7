/* What the model counts beside what a GPU's hardware counters counted, variant by variant. */
#ifndef VALIDATION_COUNTS_H
#define VALIDATION_COUNTS_H

#include "base/err.h"
#include "gpu/compile.h"
#include "model/predict/analyze.h"
#include "model/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum counter {
    COUNTER_INSTRUCTIONS,  /* warp instructions executed */
    COUNTER_LOAD_SECTORS,  /* 32-byte sectors that global loads ask of L1 */
    COUNTER_STORE_SECTORS, /* that global stores hand to it */
    COUNTER_LOAD_REQUESTS,
    COUNTER_WAVEFRONTS, /* of shared memory */
    COUNTER_TENSOR,     /* warp instructions of tensor cores */
    COUNTER_COPIED_IN,  /* bytes that the copy engine brings to shared memory, of every SM */
    COUNTER_COPIED_OUT, /* and takes from there */
    COUNTER_L2_SECTORS, /* that SMs ask of L2 and hand to it */
    COUNTER_DRAM_READ,  /* bytes */
    COUNTER_DRAM_WRITTEN,
    COUNTER_OCCUPANCY, /* achieved, in per cent of the warps that an SM can hold */
    COUNTER_ISSUE, /* per cent of a scheduler's cycles in which it issues; in the others no warp is eligible */
    COUNTER_COUNT
};

const char *counter_text(enum counter counter); /* "instructions" */

/* Counted in per cent of something: errors are differences in points, not shares. */
bool counter_is_share(enum counter counter);

/* How far a count may be off: a share of the hardware's figure, or points. */
double counter_tolerance(enum counter counter);

struct counted {
    char kernel[64];
    char *configuration;            /* owned */
    double hardware[COUNTER_COUNT]; /* sums over the GPU; of counters that the table has */
    double model[COUNTER_COUNT];
    bool blocks_equal; /* every sampled block executed the same */
    bool counts;       /* else `reason` says why the model has none */
    char reason[256];
};

struct counted_set {
    struct counted *items;
    size_t count;
    bool has[COUNTER_COUNT]; /* the table has this counter: no other is compared */
};

/* Reads the table that Nsight Compute's figures were collected in; columns are found by the counters' names,
 * that of instructions has to be there. ERR_FORMAT names line and column. `model` is left empty. */
int counts_read(struct counted_set *out, const char *path, struct err *err);
void counts_release(struct counted_set *set);

/* Compiles a variant for `machine`, emulates it and fills `model`; its kernel is in one of `folders`, of which
 * the last is followed by null. */
int counts_take(struct counted *item, const struct machine *machine, struct compiler *compiler,
                const char *const *folders, struct err *err);

/* Model against hardware: the relative error, or the difference in points. NaN where the hardware has 0 and
 * the model something else. */
double counts_error(const struct counted *item, enum counter counter);

/* Markdown: a line per counter, then one per variant, then `notes`, a file of prose, where it is there. */
int counts_write(FILE *out, const struct counted_set *set, const char *notes, struct err *err);

#endif

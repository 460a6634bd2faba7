/* Instructions that a launch executes and the model has no rate for. They are in no estimate, which then says
 * nothing: its confidence is 0, and nothing is pruned for it. What else limits the launch still bounds
 * it. */
#ifndef MODEL_UNRATED_H
#define MODEL_UNRATED_H

#include "model/sass/sass.h"

#include <stddef.h>

enum { UNRATED_MOST = 24, UNRATED_NAME = 24 };

struct unrated_op {
    char name[UNRATED_NAME]; /* mnemonic, or "opcode 0x1c5" of what the decoder does not have */
    const char *missing;     /* what is not known, to follow "not known: "; of static storage */
    double executed;         /* warp instructions of the launch */
};

struct unrated {
    struct unrated_op ops[UNRATED_MOST]; /* each name and reason once, in the order of the code */
    size_t count;                        /* at most UNRATED_MOST; more are added to the last */
};

void unrated_add(struct unrated *unrated, const struct sass *instruction, const char *missing,
                 double executed);

/* "HGMMA, SYNCS", each name once; cut to `size` bytes. Returns `out`. */
char *unrated_names(char *out, size_t size, const struct unrated *unrated);

#endif

/* The control flow of a kernel: basic blocks, natural loops and the instruction mix of each.
 *
 * A block begins at the entry, at the target of a branch or call, and behind every instruction that can leave
 * the straight line. A call is a step to the instruction behind it; the function it calls is another root. A
 * loop is natural: a header that dominates the block that jumps back to it. Jumps back to a block that does
 * not dominate them (irreducible flow) make no loop and are counted. Trip counts are not in the code; they
 * come from emulation. */
#ifndef MODEL_FLOW_H
#define MODEL_FLOW_H

#include "model/sass/cubin.h"
#include "model/sass/sass.h"

struct flow_block {
    size_t first, count; /* instructions of the code */
    size_t edge, edges;  /* slice of flow.edges: indices of the blocks that may follow */
    size_t dominator;    /* immediate dominator, or FLOW_NONE for a root and unreachable blocks */
    size_t loop;         /* innermost loop it is in, or FLOW_NONE */
    bool reachable;
};

struct flow_loop {
    size_t header;                /* block */
    size_t parent;                /* loop around it, or FLOW_NONE */
    size_t depth;                 /* 1 for an outermost loop */
    size_t blocks;                /* number of blocks in it, inner loops included */
    size_t instructions;          /* likewise */
    size_t mix[SASS_CLASS_COUNT]; /* instructions by class, likewise */
};

struct flow {
    struct flow_block *blocks; /* in the order of the code */
    size_t block_count;
    size_t *edges;
    size_t edge_count;
    struct flow_loop *loops; /* an inner loop stands behind the one around it */
    size_t loop_count;
    size_t irreducible; /* jumps back that make no natural loop */
};

#define FLOW_NONE ((size_t)-1)

int flow_read(struct flow *out, const struct sass_code *code, const struct cubin_kernel *kernel,
              struct err *err);
void flow_release(struct flow *flow);

/* Adds the instructions of `count` from `first` on to `mix` by class. */
void flow_mix(size_t mix[SASS_CLASS_COUNT], const struct sass_code *code, size_t first, size_t count);

#endif

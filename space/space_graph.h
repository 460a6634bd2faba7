/* The inside of a space: a decision diagram with one level per parameter.
 *
 * A node stands for all prefixes (choices of the parameters before its level) that leave the same
 * continuations: those that agree in the parameters which a constraint not yet decided still uses. It has an
 * edge per value of its parameter and one more, `before` of which is the number of valid configurations below
 * the node; `before` of the others counts those below the edges to the left. Children have smaller numbers
 * than their parents. Made by space_build.c, walked by space.c. */
#ifndef SPACE_SPACE_GRAPH_H
#define SPACE_SPACE_GRAPH_H

#include "space/space.h"

struct edge {
    uint64_t before;
    int32_t target; /* a node; below the last level 0; or removed_by(constraint, whether it had no value) */
};

struct graph_node {
    uint32_t first; /* of its edges */
    uint16_t level;
};

struct space {
    const struct spec *spec;
    size_t problem;
    uint64_t *tail; /* combinations of the parameters from level k on, saturated; tail[parameter_count] = 1 */
    struct edge *edges;
    size_t edge_count, edge_capacity;
    struct graph_node *nodes; /* the last is the root */
    size_t node_count, node_capacity;
    struct space_removal *removals; /* per constraint; reasons are owned */
};

static inline int32_t removed_by(size_t constraint, bool undefined)
{
    return -1 - (int32_t)(2 * constraint + undefined);
}

/* Makes tail, edges, nodes and the reasons. */
int space_build(struct space *space, const volatile sig_atomic_t *stop, struct err *err);

uint64_t saturated_product(uint64_t a, uint64_t b);
uint64_t saturated_sum(uint64_t a, uint64_t b);

#endif

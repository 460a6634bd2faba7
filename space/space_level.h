/* What is known of each parameter's level of a space's diagram before it is made. For space_build.c. */
#ifndef SPACE_LEVEL_H
#define SPACE_LEVEL_H

#include "space/listed.h"
#include "space/space_graph.h"

struct level {
    struct listed_range listed; /* the listed configurations that the prefix now chosen begins */
    size_t *due;                /* constraints decided here, in the order of the spec */
    size_t due_count;
    struct expr_part
        *live; /* what constraints due here or later use of earlier parameters: a parameter once */
    size_t live_count;
    size_t used;       /* the parameters in them */
    size_t key_length; /* of nodes here */
    bool merges;       /* different prefixes may meet here */
    struct edge *row;  /* of the node being made: at any time there is one per level */
};

/* Fills level k, whose parameter is one of `count`, after those before it. The caller frees `due`, `live` and `row`, also after a
 * failure: ERR_MEMORY. */
int level_prepare(struct level *levels, size_t k, const struct spec *spec, size_t count, struct err *err);

#endif

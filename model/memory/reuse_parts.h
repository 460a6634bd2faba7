/* What a load asks for, parted by who had it last: see model/memory/reuse.h. */
#ifndef MODEL_REUSE_PARTS_H
#define MODEL_REUSE_PARTS_H

#include "model/memory/reuse_phases.h"

/* Of what a load asks for, the sectors that ... */
struct reuse_parts {
    double fresh;  /* are new to the block */
    double shared; /* another warp of the block asks for at about the same time */
    double same;   /* another instruction of the warp's pass asks for */
    double last;   /* the warp's last pass has had */
    double far;    /* an earlier loop has had */
};

struct reuse_parts reuse_parts_of(const struct reuse *reuse, size_t i);

#endif

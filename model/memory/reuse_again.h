/* What L1 and L2 still have of what a warp loads again, by how many lines it was seen to touch in between. */
#ifndef MODEL_REUSE_AGAIN_H
#define MODEL_REUSE_AGAIN_H

#include "model/memory/reuse_phases.h"

/* Of a load's sectors that the warp has had. */
struct reuse_again {
    bool known; /* some of them were seen */
    double l1;  /* share that L1 still has; 0 where the load passes it by */
    double l2;  /* of the rest, the share that L2 has */
    double
        near; /* of what that has not either, the share that the loop's last passes had, not an earlier loop */
};

/* Of what the load was seen to come back to, the share with fewer lines in between; 1 where nothing was seen. */
double reuse_again_near(const struct reuse *reuse, size_t i, double lines);

/* `same` of the load's `again` sectors another instruction of the same pass asks for: nothing comes between, and they are
 * left out. */
struct reuse_again reuse_again_of(const struct reuse *reuse, size_t i, double again, double same);

#endif

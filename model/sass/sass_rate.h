/* What sets the rate at which an SM executes an operation: nothing is free by omission. */
#ifndef MODEL_SASS_RATE_H
#define MODEL_SASS_RATE_H

#include "model/sass/sass.h"

enum sass_rate_kind {
    SASS_RATE_PIPE,      /* its pipe, for an interval that was measured or that sass_issue_interval() knows */
    SASS_RATE_TRAFFIC,   /* requests, sectors, wavefronts, places in constant memory, which are counted */
    SASS_RATE_MATRIX,    /* the tensor cores, by shape and type: sass_matrix.h */
    SASS_RATE_ISSUE,     /* issue slots alone, see `why` */
    SASS_RATE_SIMULATED, /* the simulation of an SM, where the profile has what that needs; else `why` */
    SASS_RATE_NONE       /* not known, see `why` */
};

struct sass_rate {
    enum sass_rate_kind kind;
    const char *why; /* ISSUE: why that is all; NONE, SIMULATED: what is not known; else null */
};

/* sass_rates.def as code; SASS_UNKNOWN has none. */
struct sass_rate sass_rate(enum sass_op op);

#endif

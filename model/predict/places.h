/* Blocks of unequal length on the SMs of a GPU: whenever one ends, the next of the grid takes its place. The blocks of an SM share
 * what it does: so many of them (`needed`) get as much done as all that fit, and what is left when others have ended goes on at its
 * own pace. */
#ifndef MODEL_PLACES_H
#define MODEL_PLACES_H

#include <stddef.h>

struct places {
    size_t sms, per_sm; /* 1 or more */
    double needed;      /* blocks of an SM, 1 to per_sm */
    double
        spread; /* by what share of its length blocks differ that are otherwise equal: else those of an SM would end
                           together, and a few SMs take all of the last wave */
};

/* Cycles until the last of `blocks` blocks has ended: block b takes lengths[b % samples] > 0 cycles where it is alone on an SM.
 * *held becomes the cycles that places were held, all of them together; negative without memory. */
double places_run(double *held, const struct places *places, const double *lengths, size_t samples,
                  size_t blocks);

#endif

/* Who stands in the finals. */
#ifndef TUNER_TUNE_SEATS_H
#define TUNER_TUNE_SEATS_H

#include "tuner/tune/tuning.h"

enum { SEATS = TUNE_FINALISTS + 2 };

/* Of `count` candidates that ran, best first: the first TUNE_FINALISTS; where they run at a limit of power, the one that needs the
 * fewest cycles, if it may be the fastest; and the default, so that the speed-up over it is fair (null: it never ran). Returns
 * how many. All borrowed. */
size_t seats_take(struct candidate *out[SEATS], struct candidate *const *ranked, size_t count,
                  const struct candidate *initial);

#endif

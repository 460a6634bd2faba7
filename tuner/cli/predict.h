/* The decision that `occutune predict -o` writes: the best by estimate, at the level "predicted". */
#ifndef TUNER_CLI_PREDICT_H
#define TUNER_CLI_PREDICT_H

#include "base/err.h"
#include "base/json.h"
#include "model/machine/machine.h"
#include "space/space.h"
#include "tuner/predict/ranking.h"
#include "tuner/tune/tune.h"

/* What a ranking found, as if tuned: the first of it with their estimates and no time. `out` is released by
 * tuned_release(), also on failure. A ranking without a prediction gives no finalist. */
int predicted_take(struct tuned *out, const struct ranking *ranking, const struct spec *spec, size_t problem,
                   const struct space *space, const struct machine *machine, const char *nvrtc,
                   struct err *err);

/* ERR_USAGE where `path` holds a decision that was measured: it says more than a prediction. */
int predicted_may_replace(const char *path, struct err *err);

#endif

/* One variant of a ranking, from its source to its prediction. For ranking.c. */
#ifndef TUNER_PREDICT_RANK_VARIANT_H
#define TUNER_PREDICT_RANK_VARIANT_H

#include "tuner/predict/ranking.h"

#include <stdatomic.h>

/* What goes wrong with the variant is in its row. `halt`: ends it early, once true. */
int rank_variant(struct ranked *out, struct analysis *analysis, const struct ranking_options *options,
                 const atomic_bool *halt, struct variant *variant, struct err *err);

#endif

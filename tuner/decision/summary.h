/* The decision in words: why the winner wins, how the search ended, and what it may have missed. */
#ifndef TUNER_DECISION_WORDS_H
#define TUNER_DECISION_WORDS_H

#include "base/err.h"
#include "base/json.h"
#include "space/spec.h"
#include "tuner/tune/tune.h"

/* A list of sentences; the caller frees it. ERR_MEMORY. */
int summary_new(struct json **out, const struct spec *spec, const struct tuned *tuned, struct err *err);

#endif

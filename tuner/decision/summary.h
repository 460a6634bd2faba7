/* The decision in words: why the winner wins, how the search ended, and what it may have missed. */
#ifndef TUNER_DECISION_SUMMARY_H
#define TUNER_DECISION_SUMMARY_H

#include "base/err.h"
#include "base/json.h"
#include "space/spec.h"
#include "tuner/tune/tune.h"

enum summary_length {
    SUMMARY_SHORT, /* what limits the winner, why the search ended, and what to be wary of */
    SUMMARY_WHOLE
};

/* A list of sentences; the caller frees it. ERR_MEMORY. */
int summary_new(struct json **out, const struct spec *spec, const struct tuned *tuned,
                enum summary_length length, struct err *err);

#endif

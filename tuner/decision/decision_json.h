/* The inside of decision_new(): pieces of its document. */
#ifndef TUNER_DECISION_DECISION_JSON_H
#define TUNER_DECISION_DECISION_JSON_H

#include "base/err.h"
#include "base/json.h"
#include "space/spec.h"
#include "space/variant.h"
#include "tuner/tune/tune.h"

#include <stddef.h>
#include <stdint.h>

/* Each setter takes a value of its own and returns whether memory ended; what is not known (negative, not finite)
 * is left out. Numbers have as many digits as milliseconds and shares can mean. */
int json_set_hash(struct json *object, const char *key, uint64_t hash);
int json_set_count(struct json *object, const char *key, uint64_t count);
int json_set_rounded(struct json *object, const char *key, double value);

/* One of the finalists, or the default. ERR_MEMORY. */
int decision_variant_json(struct json **out, const struct spec *spec, const struct tuned *tuned,
                          const struct tuned_variant *found, struct err *err);

#endif

/* What a decision's `source_hash` is of. */
#ifndef TUNER_DECISION_SOURCE_HASH_H
#define TUNER_DECISION_SOURCE_HASH_H

#include "base/err.h"
#include "space/variant.h"

#include <stdint.h>

/* Of the source, the kernel's name, the options, and the headers that the source includes from folders of the
 * user's own. Without such headers it is variant_source_hash(), which decisions of before have in any case. */
int source_hash(uint64_t *out, const struct variant *variant, struct err *err);

#endif

/* What the compiler is asked for a variant. */
#ifndef TUNER_PREDICT_REQUEST_H
#define TUNER_PREDICT_REQUEST_H

#include "gpu/compile.h"
#include "space/variant.h"

/* Borrows everything. */
struct compile_request request_of(const struct variant *variant, const char *arch, double deadline_s);

/* Which code it gives (gpu/sources.h) where `text` is its source's; 0 where that cannot be told. */
uint64_t request_code(const struct compile_request *request, const char *text);

#endif

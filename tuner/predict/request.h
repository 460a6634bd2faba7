/* What the compiler is asked for a variant. */
#ifndef TUNER_PREDICT_REQUEST_H
#define TUNER_PREDICT_REQUEST_H

#include "gpu/compile.h"
#include "space/variant.h"

/* Borrows everything. */
struct compile_request request_of(const struct variant *variant, const char *arch, double deadline_s);

#endif

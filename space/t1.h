/* A tuning problem in the T1 format of the auto-tuning community, as Kernel Tuner and KTT read it, as a spec: its names,
 * conditions and sizes in a spec's words. Nothing of the file is executed.
 *
 * What T1 says beyond a spec (Search, Budget, General, Device, ReferenceArguments) is not taken: results are not
 * compared. What a spec cannot say (textures, another language, a generator of fills) is ERR_USAGE with its place. */
#ifndef SPACE_T1_H
#define SPACE_T1_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

bool t1_is(const struct js_at *root);

/* The spec's document; the caller frees it. */
int t1_to_spec(struct json **out, const struct js_at *root, struct err *err);

/* A list of values that Python would make of `text`: literals, arithmetic, ranges, list(), sums of lists and
 * comprehensions over one of these. t1_values.c */
int t1_values(struct json **out, const char *text, struct err *err);

#endif

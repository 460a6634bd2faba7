/* What `occutune inspect` shows of a kernel's code: instruction mix, blocks, loops and the listing. */
#ifndef MODEL_INSPECT_H
#define MODEL_INSPECT_H

#include "base/err.h"
#include "base/json.h"
#include "model/sass/cubin.h"

#include <stdio.h>

/* Writes a report for people. With `listing` every instruction follows: offset, control field, text; a bar
 * per enclosing loop; bits that no field claims, where there are some. ERR_FORMAT for an architecture that
 * cannot be read. */
int inspect_text(FILE *out, const struct cubin_kernel *kernel, bool listing, struct err *err);

/* Adds the same to an object: "kernel", "code_hash", "code_bytes", "instructions" (how many), ..., "mix",
 * "blocks", "loops", and with `listing` "listing". */
int inspect_json(struct json *object, const struct cubin_kernel *kernel, bool listing, struct err *err);

#endif

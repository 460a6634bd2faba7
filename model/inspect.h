/* What `occutune inspect` shows of a kernel: resources, instruction mix, blocks, loops and the listing. */
#ifndef MODEL_INSPECT_H
#define MODEL_INSPECT_H

#include "base/err.h"
#include "base/json.h"
#include "model/cubin.h"

#include <stdio.h>

/* Writes a report for people. With `listing` every instruction follows: offset, control field, text; a bar
 * per enclosing loop; bits that no field claims, where there are some. ERR_FORMAT for an architecture that
 * cannot be read, ERR_SYSTEM when writing fails. */
int inspect_text(FILE *out, const struct cubin_kernel *kernel, bool listing, struct err *err);

/* The same as an object: "kernel", "sm", "registers", ..., "mix", "blocks", "loops", and with `listing`
 * "instructions". `*out` is owned by the caller. */
int inspect_json(struct json **out, const struct cubin_kernel *kernel, bool listing, struct err *err);

#endif

/* A variant of a spec, compiled for the emulator and run in it: what test_kernels and test_references share.
 * Whatever goes wrong fails the test with its text. */
#ifndef TESTS_EMULATED_SUBJECT_H
#define TESTS_EMULATED_SUBJECT_H

#include "compiled.h"
#include "space/spec.h"
#include "space/variant.h"

struct subject {
    struct variant variant;
    struct compiled compiled;
};

/* The spec at `path` with the first of `most` sizes that are not null. */
void small_spec(struct spec *out, const char *path, const char *const *sets, size_t most);

/* Compiles and reads the variant that is in place, and prepares its launch; to be closed. */
void subject_open(struct subject *s, unsigned sm);
void subject_close(struct subject *s); /* its variant, too */

/* Runs the whole grid; result and emulation are the caller's. `what` stands in the failure's text. */
void subject_run(struct emulate_result *out, struct emulation **emulation, const struct subject *s,
                 enum emulate_mode mode, const char *what);

#endif

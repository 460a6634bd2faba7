/* Kernels compiled for the emulator and run in it: what the tests of this folder share. Whatever goes wrong fails
 * the test with its text. */
#ifndef TESTS_EMULATED_COMPILED_H
#define TESTS_EMULATED_COMPILED_H

#include "check.h"
#include "gpu/compile.h"
#include "model/emulate/emulate.h"

struct compiled {
    struct compile_result result;
    struct cubin cubin;
    const struct cubin_kernel *kernel;
    struct sass_code code;
};

extern struct compiler *compiler; /* open while run_group runs */

void ok(int rc, const struct err *err);

/* Compiles and reads a kernel, to be closed. */
void compiled_open(struct compiled *out, const struct compile_request *request);
void compiled_close(struct compiled *c);

/* Another kernel of what was compiled, which stays the caller's and must outlive it; to be closed as well. */
void compiled_read(struct compiled *out, const struct compile_result *result, const char *entry);

/* Arguments without values of their own; the value of a scalar stays the caller's. */
struct argument buffer_of(const char *name, enum element_type type, uint64_t count);
struct argument scalar_of(int32_t *value);

/* Runs a sample of so many blocks, or for 0 the whole grid; `what` stands in the failure's text. */
void compiled_run(struct emulate_result *out, const struct compiled *c, const struct launch *launch,
                  const struct emulate_options *options, size_t sample, const char *what);

/* Runs the tests with the compiler open; what main returns, which is 77, said aloud, without a compiler. */
int run_group(const char *name, const struct CMUnitTest *tests, size_t count);

#endif

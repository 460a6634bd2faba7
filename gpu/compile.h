/* CUDA C++ to cubin with NVRTC, which is loaded at run time (12 or 13). */
#ifndef GPU_COMPILE_H
#define GPU_COMPILE_H

#include "base/err.h"
#include "base/outcome.h"

#include <stdbool.h>
#include <stddef.h>

struct compiler;

/* Loads NVRTC from `library` (null: OCCUTUNE_NVRTC, then the build's own copy, then the system's libnvrtc.so.13 and .12).
 * `cache_directory` (null: no cache) keeps cubins by content of source, quoted headers, options and NVRTC version.
 * ERR_MISSING when no library can be loaded: the message lists what was tried. */
int compiler_open(struct compiler **out, const char *library, const char *cache_directory, struct err *err);
void compiler_close(struct compiler *compiler);

/* "13.0", and a text with library path for provenance. */
const char *compiler_version(const struct compiler *compiler);

struct compile_request {
    const char *source_path;    /* the .cu file; quoted headers are found beside it, and in the options' -I */
    const char *name;           /* entry: a plain extern "C" name or an NVRTC name expression such as kernel<4, float> */
    const char *const *options; /* as the spec and the variant give them, without -arch */
    size_t option_count;
    const char *arch; /* "sm_90" */
    double deadline_s; /* a compile that takes longer is given up: OUTCOME_COMPILE, "did not end within ..." */
};

struct compile_result {
    enum outcome outcome; /* OUTCOME_OK or OUTCOME_COMPILE */
    unsigned char *cubin; /* owned; null unless OUTCOME_OK */
    size_t cubin_bytes;
    char *entry;      /* owned; the lowered (mangled) name of the kernel in the cubin */
    char *diagnostic; /* owned; the first error, one line; null when there is none */
    double compile_s; /* time of the compiler; of the original compile when `cached` */
    bool cached;
};

/* Compiles one variant. Thread-safe: call it from many threads. Returns an error only for what is not the variant's fault
 * (unreadable source, no memory, a name that is not in the source); else 0 and an outcome. */
int compile_cubin(struct compile_result *out, struct compiler *compiler, const struct compile_request *request,
                  struct err *err);
void compile_result_release(struct compile_result *result);

#endif

/* CUDA C++ to cubin with NVRTC, which is loaded at run time (12 or 13).
 *
 * Each compile in flight has a process of its own (occutune-worker in its compiling role): only a process can
 * be stopped in the middle of a compile, and a compiler that crashes is then one variant's outcome. The
 * processes are kept for reuse. */
#ifndef GPU_COMPILE_H
#define GPU_COMPILE_H

#include "base/err.h"
#include "base/key.h"
#include "launch/outcome.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct compiler;

/* Loads NVRTC from `library`, a file or a directory (null: OCCUTUNE_NVRTC, then the build's own copy, then
 * CUDA_HOME, then the system's libnvrtc.so.13 and .12). `cache_directory` (null: no cache) is made when it is
 * not there and keeps cubins by content of source, included headers, options and NVRTC version, up to
 * COMPILE_CACHE_BYTES, those that were used last; one that cannot be written is no
 * error, and one of another user's is not used. An entry that does
 * not fit its name and content is removed. ERR_MISSING when no library can be loaded (the message lists what
 * was tried) or occutune-worker is not found. */
int compiler_open(struct compiler **out, const char *library, const char *cache_directory, struct err *err);
/* The same with occutune-worker at `worker` (null: found as process.h says). */
int compiler_open_with(struct compiler **out, const char *worker, const char *library,
                       const char *cache_directory, struct err *err);
void compiler_close(struct compiler *compiler);

/* Starts compile processes until `count` are there, and does not wait for them to load NVRTC: for a caller
 * who has something else to do before the first compiles. */
int compiler_prepare(struct compiler *compiler, unsigned count, struct err *err);

/* Ends the compiles that are under way in other threads, but those whose request says that they are not given up:
 * their results say `own_failure`. Those that begin afterwards are not touched. */
void compiler_interrupt(struct compiler *compiler);

const char *compiler_version(const struct compiler *compiler); /* "13.0"; lives as long as the compiler */

/* Whether a cache directory is another user's, who could put any code in it: it is not used. */
bool compiler_cache_is_foreign(const char *directory);

/* Whether compiled code can be kept there; makes the folder. */
bool compiler_cache_is_writable(const char *directory);

/* Whether NVRTC compiles for `arch`, "sm_90" or, with a suffix, "sm_90a": else ERR_USAGE, naming those it
 * knows. A caller with many variants asks once, rather than to hear it of each. */
int compiler_check_arch(const struct compiler *compiler, const char *arch, struct err *err);

struct compile_request {
    const char *source_path; /* the .cu file; quoted headers are found beside it, and in the options' -I */
    const char
        *name; /* entry: a plain extern "C" name or an NVRTC name expression such as kernel<4, float> */
    const char *const *options; /* as the spec and the variant give them; an -arch only as a variant of
                                   `arch`, such as sm_90a: ERR_USAGE else */
    size_t option_count;
    size_t tuned_count; /* the last of them, which differ from variant to variant: where the compiler never
                           reads a macro among them (sources.h), variants that differ in it have one code */
    const char *arch;   /* "sm_90"; "compute_90" gives PTX instead of a cubin */
    double deadline_s;  /* a compile that spends more of a core, or takes 20 times as long by the clock on the
                           wall, is  given up: "did not end within ...", an own_failure */
    const atomic_bool *given_up; /* false: compiler_interrupt() is not meant for this one; null: it is */
};

struct compile_result {
    enum outcome outcome; /* OUTCOME_OK or OUTCOME_COMPILE */
    unsigned char *cubin; /* owned; null unless OUTCOME_OK */
    size_t cubin_bytes;
    unsigned char
        *packed; /* owned; of what was compiled elsewhere, the cubin compressed; `cubin` is null then until
                              compile_result_unpack() */
    size_t packed_bytes;
    atomic_uint *
        packed_holders; /* results that share `packed`, and free it with the last; null: this one has it alone */
    struct key content; /* with `packed`: the cubin's key, by key_bytes() */
    char *entry;        /* owned; the lowered (mangled) name of the kernel in the cubin */
    char *diagnostic;   /* owned; the first error, one line; null when there is none */
    char *log;          /* owned; all that the compiler said of a variant that does not compile, else null */
    double compile_s;   /* time of the compiler; of the original compile when `cached` */
    bool cached;        /* nothing was compiled for this call */
    bool own_failure;   /* NVRTC failed by itself (no memory, an internal error), was interrupted, stopped or
                         too late, which says nothing about the variant: it is not kept, and another try may
                         succeed */
};

/* Compiles one variant, equal code once: a call whose code is being compiled waits for it, and what was
 * compiled before is in the cache, or where there is none in memory, up to ONCE_BYTES. What ended without a
 * verdict (interrupted, crashed, too late) is tried again. Thread-safe: call it from many threads. Returns an
 * error only for what is not the variant's fault (unreadable source, no memory, a name that is not in the
 * source); else 0 and an outcome. */
int compile_cubin(struct compile_result *out, struct compiler *compiler,
                  const struct compile_request *request, struct err *err);

/* For compiles that are done elsewhere, by a compiler of the same version: what is kept of one, and keeping
 * what came of one, packed or not: found at once, and on disk when the compiler is closed at the latest. `sources` is its
 * key, by gpu/sources.h, which must be complete. */
bool compiler_find(struct compile_result *out, struct compiler *compiler, struct key sources);
void compiler_keep(struct compiler *compiler, struct key sources, struct compile_result *result);

/* Makes `cubin` of `packed` where it is null: ERR_FORMAT where that is not what its key says. The other way round. */
int compile_result_unpack(struct compile_result *result, struct err *err);
int compile_result_pack(struct compile_result *result, struct err *err);

/* Another of the same, `cached`, which shares what is packed. False, and nothing in `out`, where memory ends. */
bool compile_result_share(struct compile_result *out, struct compile_result *from);

void compile_result_release(struct compile_result *result);

#endif

/* Compiled variants on disk, by content. A cache that cannot be written is no error. An entry says what it is
 * of and how long it is; one that is not whole, or of something else than its name says, is removed. */
#ifndef GPU_COMPILE_CACHE_H
#define GPU_COMPILE_CACHE_H

#include "base/key.h"
#include "gpu/compile.h"

#include <stdint.h>

/* Makes the directory and its parents; what fails shows when entries are written. */
void compile_cache_make(const char *directory);

/* Whether it is there and another user's, who could put any code in it: then it is not to be used. */
bool compile_cache_is_foreign(const char *directory);

/* Takes the outcome of a compile by its name: ERR_FORMAT where no compile ends so. */
int compile_take_outcome(struct compile_result *out, const char *text);

/* Gives `out` what comes with its outcome, owned from then on: machine code, or of a failure the log with its
 * zero. ERR_FORMAT where it does not come with what its outcome needs; `bytes` are taken over all the same. */
int compile_take_payload(struct compile_result *out, void *bytes, size_t count);

/* True when there is a whole entry for `key`; it is then in `out`, unpacked, with `cached` set. */
bool compile_cache_read(struct compile_result *out, const char *directory, struct key key);

/* What a cache is held to. */
#define COMPILE_CACHE_BYTES (UINT64_C(2) << 30)

/* Writes an entry all or nothing: temporary file and rename. */
void compile_cache_write(const struct compile_result *result, const char *directory, struct key key);

/* When the entries take more than `limit` bytes, removes those that were used longest ago until three
 * quarters of it are left; also what interrupted writes left behind an hour ago. */
void compile_cache_trim(const char *directory, uint64_t limit);

#endif

/* What a compile depends on: the source, every header it includes from the user's own directories, the
 * options. */
#ifndef GPU_SOURCES_H
#define GPU_SOURCES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hashes the text of a source, and of all headers it includes, found beside the including file and in the -I
 * directories of `options` as the compiler finds them, and the options themselves. Headers that are found
 * nowhere there are the toolkit's and enter by name alone. `*complete` is false when the text includes
 * something that only the preprocessor could tell (a macro for a file name, __has_include): then the hash
 * must not be taken for the whole truth. */
int sources_hash(uint64_t *hash, bool *complete, const char *path, const char *text,
                 const char *const *options, size_t option_count, struct err *err);

#endif

/* What a compile depends on: the source, every header it includes from the user's own directories, the
 * options. */
#ifndef GPU_SOURCES_H
#define GPU_SOURCES_H

#include "base/err.h"
#include "base/key.h"
#include "gpu/compile.h"

#include <stdbool.h>
#include <stdint.h>

struct sources_hash {
    uint64_t all;   /* of all that the compiler is given */
    uint64_t code;  /* likewise, but for what it never reads: the same for all requests with the same code */
    struct key key; /* of what `code` is of: what compiled code is kept under */
    bool complete;  /* else neither must be taken for the whole truth */
};

/* Hashes the source's `text`, and that of all headers it includes, found beside the including file and in the
 * -I directories of the options as the compiler finds them, the options, the kernel's name and the
 * architecture. Headers that are found nowhere there are the toolkit's and enter by name alone. It is not
 * complete when the text includes something that only the preprocessor could tell (a macro for a file name,
 * __has_include), or a zero.
 *
 * Never read are macros of the tuned options whose names stand nowhere: see unread.h. Their values are left
 * out, not their names, which may clash with those in the compiler's own headers. Where a header is the
 * toolkit's there are none, since it might ask for any. */
int sources_hash(struct sources_hash *out, const struct compile_request *request, const char *text,
                 struct err *err);

#endif

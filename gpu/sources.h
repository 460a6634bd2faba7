/* What a compile depends on: the source, every header it includes from the user's own directories, the
 * options. */
#ifndef GPU_SOURCES_H
#define GPU_SOURCES_H

#include "base/err.h"
#include "base/key.h"
#include "gpu/compile.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct sources_hash {
    uint64_t all;   /* of all that the compiler is given */
    uint64_t code;  /* likewise, but for what it never reads: the same for all requests with the same code */
    struct key key; /* of what `code` is of: what compiled code is kept under */
    bool complete;  /* else neither must be taken for the whole truth */
    bool strange;   /* a header that is not found has a name that leads out of every directory: with .. in it,
                       or from the root */
};

/* The source and every header it includes that is not the toolkit's, as the compiler finds them. */
struct sources_file {
    char *path; /* as it is found: beside the including file, or in a -I directory */
    char *text;
    size_t size;
    struct key content; /* key_bytes() of the text */
    struct stat stamp;  /* of a header, taken before it was read */
};
struct sources_files {
    struct sources_file *files; /* the source first */
    size_t count;
    size_t shared; /* by so many more: sources_files_free() leaves it to them. One thread shares */
};
void sources_files_release(struct sources_files *files);
void sources_files_free(struct sources_files *files); /* also null */

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

/* The same, and the files that were hashed: with the toolkit they are all that a compile needs where the hash
 * is complete. */
int sources_list(struct sources_files *files, struct sources_hash *out, const struct compile_request *request,
                 const char *text, struct err *err);

/* The source and its headers, read once for many requests that differ in what is tuned. */
struct sources_kept;
void sources_kept_free(struct sources_kept *kept); /* also null */

/* The same as sources_list(), with the files shared: they are sources_files_free()'s. *kept (null at first) is what is
 * kept from one call to the next; it is read anew where the text, the other options, the names of what is tuned or a
 * header on disk are not those of the call before. Headers are looked at again when `patience_s` has passed since they were.
 * *files is null after a failure. */
int sources_list_kept(struct sources_kept **kept, struct sources_files **files, struct sources_hash *out,
                      const struct compile_request *request, const char *text, double patience_s,
                      struct err *err);

#endif

/* The scan that gpu/sources.c makes of a compile's inputs, in steps, for gpu/sources_kept.c. */
#ifndef GPU_SOURCES_SCAN_H
#define GPU_SOURCES_SCAN_H

#include "gpu/sources.h"
#include "gpu/unread.h"

struct scan {
    const struct compile_request *request;
    const struct unread *left_out; /* macros that are not hashed; null: none */
    struct unread unread;
    uint64_t hash;
    struct keying *keying; /* of the same in the same order */
    bool complete, strange;
    char **visited; /* real paths of the headers hashed so far */
    size_t visited_count;
    struct sources_files *files; /* collects what is hashed; null: nothing */
    struct err *err;
};

/* Options that name a header to be included, up to a null. */
extern const char *const scan_forced[];

/* The value of option k when it is one of `names` ("-I", ...), joined, after '=' or as the next option; else
 * null. */
const char *scan_option_value(const struct scan *scan, size_t k, const char *const *names);

/* Hashes the source and all that it includes; then the options and what they include, and the names. */
int scan_source(struct scan *scan, const char *text);
int scan_options(struct scan *scan);

/* Ends a scan, and gives the key of what it hashed. */
void scan_end(struct scan *scan, struct key *key);

#endif

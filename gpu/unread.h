/* Macros that a compile is given and never reads: tuned parameters that only the launch sees. The code is the
 * same whatever they say. Part of gpu/sources, which is how others see it. */
#ifndef GPU_UNREAD_H
#define GPU_UNREAD_H

#include "gpu/compile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNREAD_MOST = 64 }; /* tuned options that are looked at */

struct unread {
    const struct compile_request *request; /* borrowed */
    uint64_t macros; /* bit k: tuned option k is a macro whose name was not met; of the first UNREAD_MOST */
    struct unread_name {
        const char *text; /* within the option */
        size_t length;    /* 0: the option defines no macro */
    } names[UNREAD_MOST];
};

/* The macros (-DWARPS=8) among the tuned options whose name stands in no other option and not in the kernel's
 * name. Left out are names whose value the compiler's own headers, which nobody else can read, might ask for:
 * those that begin with _, CUDA or NV, NDEBUG, NULL, and the words true, false, nullptr; and values that are
 * no number: a word may be as good a name for something in those headers as the one that it replaces. */
void unread_begin(struct unread *out, const struct compile_request *request);

/* Likewise of all that the tuned options define, whatever the values and the other options: what unread_text() then
 * leaves is what a text says of all requests that tune the same names. */
void unread_begin_names(struct unread *out, const struct compile_request *request);

/* Takes note of the names that stand in a text, comments and strings among it; `followed` of its #includes
 * lead to texts that are shown too. All macros count as read where the text may make names that do not stand
 * in it (## in any spelling, words broken across lines) or may include more than that. */
void unread_text(struct unread *unread, const char *text, size_t followed);

/* All macros count as read: there is a text that cannot be shown. */
void unread_give_up(struct unread *unread);

/* Whether option k of the request is one of them. */
bool unread_has(const struct unread *unread, size_t k);

#endif

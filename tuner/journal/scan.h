/* Members of a JSON object as spans of text, for files that may end in the middle: unlike a parser it gives
 * every member that is complete, repeated ones too. */
#ifndef TUNER_JOURNAL_SCAN_H
#define TUNER_JOURNAL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct span {
    const char *text;
    size_t length;
};

struct scan {
    const char *text;
    size_t length;
    size_t at;
    bool loose; /* a member was found without a comma before it */
};

enum scan_found {
    SCAN_MEMBER, /* *key is the text between the quotes, as written; the scan stands at the value */
    SCAN_END,    /* the object's closing brace; the scan stands behind it */
    SCAN_CUT     /* the text ends here, or what stands here is no member */
};

/* Steps over the opening brace of an object; false when something else stands there. */
bool scan_open(struct scan *scan);

enum scan_found scan_member(struct scan *scan, struct span *key);

/* The complete value at the scan; false when the text ends within it. */
bool scan_value(struct scan *scan, struct span *value);

#endif

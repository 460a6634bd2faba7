/* What the parts of t1.c share: a problem in the T1 format on its way to a spec. */
#ifndef SPACE_T1_READER_H
#define SPACE_T1_READER_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

struct t1_reader {
    struct js_at space, kernel;
    struct json *parameters; /* of the spec: names and lists of values */
    struct json *spec;
    struct err *err;
};

/* The names that a spec gives ProblemSize[0] to [2]. */
extern const char *const t1_sizes[3];

/* The failure for want of memory. */
int t1_memory(struct t1_reader *reader);

/* Text of a member, or `standard` (null: it must be there). */
int t1_text(const char **out, struct t1_reader *reader, const struct js_at *object, const char *key,
            const char *standard);

/* A spec's expression for one of Kernel Tuner's: as text; as JSON, between two others; of a member that is text or
 * a number. Null when memory ends; the caller frees it. */
char *t1_translated(const struct t1_reader *reader, const char *text);
struct json *t1_expression(const struct t1_reader *reader, const char *before, const char *text,
                           const char *after);
int t1_expression_of(struct json **out, struct t1_reader *reader, const struct js_at *at);

/* The list `from` of an object, empty where there is none, as the spec's list `to`, element by element; what
 * `translate` makes is this function's, unless it fails. */
int t1_translate_list(struct t1_reader *reader, const struct js_at *object, const char *from, const char *to,
                      int (*translate)(struct json **out, struct t1_reader *reader,
                                       const struct js_at *element, size_t position));

/* The spec's arguments. t1_argument.c */
int t1_read_arguments(struct t1_reader *reader);

#endif

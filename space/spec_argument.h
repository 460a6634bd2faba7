/* How a spec writes an argument, by kind: the rows of ARGUMENT_KINDS (launch/argument.h), each in
 * spec_KIND.c, and what they share. Inside the spec's files only. */
#ifndef SPACE_SPEC_ARGUMENT_H
#define SPACE_SPEC_ARGUMENT_H

#include "space/spec_reader.h"
#include "space/variant_maker.h"

/* Functions return 0, or ERR_USAGE or ERR_MEMORY as reader and maker say. */
struct spec_argument_ops {
    const char *field; /* the member that an argument of this kind has, and no other: "buffer" */
    /* Reads it; `position` counts from 1. What is half made, spec_release frees. */
    int (*read)(struct spec_argument *argument, struct reader *reader, const struct js_at *at,
                size_t position);
    /* After all arguments are read: finds those that it names. Null: names none. */
    int (*link)(struct spec_argument *argument, struct reader *reader, const struct js_at *at);
    /* Fixes its values; `place` is "arguments[2]". What is half made, launch_release frees. */
    int (*make)(struct argument *out, struct maker *maker, const struct spec_argument *from,
                const char *place);
};

#define ROW(name, suffix) extern const struct spec_argument_ops spec_##suffix;
ARGUMENT_KINDS(ROW)
#undef ROW

bool spec_argument_is_buffer(const struct spec_argument *argument);
/* Which argument the name at `at` is, a buffer. */
int spec_find_buffer(size_t *out, const char *name, const struct reader *reader, const struct js_at *at);

int spec_read_type(enum element_type *out, const struct js_at *at, struct err *err);
int spec_read_length(struct spec_argument *argument, struct reader *reader, const struct js_at *at);
/* Element type, count, role and fill. */
int spec_make_memory(struct argument *out, struct maker *maker, const struct spec_argument *from,
                     const char *place);

#endif

/* The inside of spec_read: its parts, in the order in which they run, and what they share. */
#ifndef SPACE_SPEC_READER_H
#define SPACE_SPEC_READER_H

#include "space/spec.h"

struct reader {
    struct spec *spec;
    struct js_at root;
    const char *const *sets;
    size_t set_count;
    enum value_kind *kinds; /* of spec->names; made with them */
    struct err *err;
};

/* Every part returns 0, or ERR_USAGE or ERR_MEMORY with the error set; what it leaves half made, spec_release
 * frees. */
int read_parameters(struct reader *reader);
int read_problems(struct reader *reader);
int read_names(struct reader *reader); /* spec->names and reader->kinds, from the two above */
int read_constraints(struct reader *reader);
int read_listed(struct reader *reader);
int read_default(struct reader *reader);
int read_kernel(struct reader *reader, bool required);
int read_launch(struct reader *reader, bool required);
int read_arguments(struct reader *reader, bool required);
int read_reference(struct reader *reader);
int read_metrics(struct reader *reader);
int read_objective(struct reader *reader);

/* Behind all of them: what --set has made equal is one problem, unless each has reference files of its own. ERR_MEMORY. */
int drop_repeated_problems(struct spec *spec, struct err *err);

/* Helpers. */

/* What an expression must be. */
enum wanted { WANTED_NUMBER, WANTED_TRUTH, WANTED_NUMBER_OR_TRUTH };

/* Names and kinds for expressions that see names more than the spec's, of numbers; null: none. A name of the spec
 * comes first. */
struct scope {
    const char *extra[SPEC_MEASURED];
    bool draws; /* may call random() */
};

/* `time` and `energy`: for metrics and the objective. */
extern const struct scope scope_measured;

/* An expression written as text, or as a plain number or truth value. */
int read_expression(struct expr **out, struct reader *reader, const struct js_at *at, enum wanted wanted,
                    struct scope scope);

/* Whether a name of `at` is short enough for the tables and messages that it stands in. */
int check_length(const struct js_at *at, const char *name, struct err *err);

/* `file` as seen from the spec's directory, malloc'ed; it must be readable, and no folder. */
int read_path(char **out, struct reader *reader, const struct js_at *file);

int read_fill(struct spec_argument *argument, struct reader *reader, const struct js_at *at, size_t position);

#endif

/* The decision: what tuning found, as JSON that headers, programs and people read. docs/formats.md lists its
 * fields. */
#ifndef TUNER_DECISION_DECISION_H
#define TUNER_DECISION_DECISION_H

#include "base/err.h"
#include "base/json.h"
#include "space/spec.h"
#include "tuner/tune/tune.h"

#include <stdbool.h>
#include <stddef.h>

enum { DECISION_SCHEMA = 1 };

/* Makes the document of the problems tuned, on one kind of GPU or each on several; the caller frees it. All were
 * tuned at one level. */
int decision_new(struct json **out, const struct spec *spec, const struct tuned *tuned, size_t count,
                 struct err *err);

/* A decision read back. Everything points into the document, which it owns, and some into the struct itself:
 * it is not to be moved. */
struct decision_row {
    const char *device;
    unsigned sm;
    double *sizes;        /* of the problem, in the order of decision.sizes */
    struct value *values; /* of the winner, in the order of decision.parameters */
    const char **options; /* for the compiler */
    size_t option_count;
    unsigned block[3], shared_dynamic_bytes;
    double time_s, cost, speedup; /* cost: time times weight; speedup NaN when the default has no time */
    bool estimated;               /* time_s was predicted, never measured */
    struct js_at finalists;       /* the list of VARIANTs */
};

struct decision {
    struct json *document;
    char *path;
    const char *kernel, *level, *device, *driver, *nvrtc, *spec_hash;
    const char *date; /* of the recording, "" when live */
    const char **parameters;
    size_t parameter_count;
    const char **sizes;
    size_t size_count;
    struct value *defaults;
    struct decision_row *rows; /* the problems that have a winner */
    size_t row_count;
    struct js_at root, signature, launch, problems; /* parents of the cursors above */
    struct js_at *problem_at;
};

/* All or nothing: a missing field, another schema, a wrong type is ERR_USAGE that names the place; so is a
 * name that is no identifier, text that would be more than one line of code, a thread block without threads. */
int decision_read(struct decision *out, const char *path, struct err *err);
/* The same from a document in memory, which is taken over (also on failure) and called `name` in messages. */
int decision_take(struct decision *out, struct json *document, const char *name, struct err *err);
void decision_release(struct decision *decision);

/* The row that fits best: the device's own (null: any), exact size or nearest; else one of the same
 * architecture (0: none asked); else null. Sizes are compared by ratio. */
const struct decision_row *decision_find(const struct decision *decision, const char *device, unsigned sm,
                                         const double *sizes);

/* The product of the ratios between problem sizes, each at least 1: 1 is equal. distance.inc is the formula,
 * for generated headers too. */
double decision_distance(const double *a, const double *b, size_t count);

/* The index of the row whose configuration is fastest over all rows, by the sum of its relative speeds where
 * it stood in the finals: one real configuration that is good everywhere, rather than the best of each
 * parameter. 0 without rows. */
size_t decision_overall(const struct decision_row *const *rows, size_t count, const char *const *parameters,
                        size_t parameter_count);

#endif

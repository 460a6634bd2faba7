/* Which configuration of a kernel to run on a device at a problem size, from what was tuned: a spec with any
 * number of decisions about it. Pure: no GPU, no compiler.
 *
 * The fallback is the generated header's: this device at this size, else its nearest size by ratio, else the
 * nearest of the same architecture, else the configuration that is best over all, else the spec's default. A
 * configuration that is not valid at the size asked for is pruned. */
#ifndef TUNER_LIBRARY_CHOICE_H
#define TUNER_LIBRARY_CHOICE_H

#include "base/err.h"
#include "space/spec.h"
#include "space/variant.h"
#include "tuner/decision/decision.h"

#include <stddef.h>

enum choice_fit { CHOICE_EXACT, CHOICE_NEAREST, CHOICE_ARCHITECTURE, CHOICE_OVERALL, CHOICE_DEFAULT };

struct chooser_row {
    char device[128]; /* slug: see site_slug */
    unsigned sm;
    double *sizes;
    size_t variant;
};

/* A distinct configuration. */
struct chooser_variant {
    unsigned *choices;
    char *text;             /* "TILE_M=64 FAST_MATH=True" */
    struct variant variant; /* name and options; its launch is that of the spec's first problem */
};

struct chooser {
    struct spec spec;
    struct chooser_row *rows;
    size_t row_count, overall; /* overall: the row that is best over all */
    struct chooser_variant *variants;
    size_t variant_count; /* at least 1: variants[0] is the default */
};

/* Reads the spec and takes what is needed of the decisions, which may be released afterwards. Rows that the
 * spec no longer allows are left aside; that, and a source that has changed since, is said through `message`
 * (may be null), one line each. ERR_USAGE for a bad spec and for a decision about another kernel. */
int chooser_init(struct chooser *out, const char *spec_path, const struct decision *const *decisions,
                 size_t count, void (*message)(void *context, const char *text), void *context,
                 struct err *err);
void chooser_release(struct chooser *chooser);

struct choice {
    enum choice_fit fit;
    size_t variant;
    struct launch launch; /* geometry at the sizes asked for; no arguments, owns nothing */
};

/* `device` is a slug (null: the default is wanted, "": unknown), `sm` 0 when unknown; `sizes` has
 * spec.size_count finite values in the spec's order. ERR_USAGE when not even the default is valid at these
 * sizes. Thread-safe. */
int chooser_find(struct choice *out, const struct chooser *chooser, const char *device, unsigned sm,
                 const double *sizes, struct err *err);

/* The default configuration at these sizes. */
int chooser_default(struct choice *out, const struct chooser *chooser, const double *sizes, struct err *err);

#endif

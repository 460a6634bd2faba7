/* The validation table: what a collection says of the model, as Markdown and as JSON. */
#ifndef VALIDATION_TABLE_H
#define VALIDATION_TABLE_H

#include "base/err.h"
#include "base/json.h"
#include "validation/collect.h"
#include "validation/judge.h"
#include "validation/neighbours.h"

#include <stdio.h>

enum { TABLE_MISSES = 5 };

struct verdict {
    const struct collection *collection; /* borrowed */
    size_t predicted;
    struct judgement estimate;
    struct judgement baselines[BASELINE_COUNT]; /* count 0 where a model said nothing */
    struct neighbours neighbours;
    struct bound_judgement bound;
    struct confidence_judgement confidence; /* all 0 with fewer than 4 predictions */
    double predict_s_median, predict_s_most;
    size_t misses[TABLE_MISSES]; /* indices of the points missed most, worst first */
    size_t miss_count;
};

/* ERR_USAGE where nothing was predicted, ERR_MEMORY. */
int verdict_of(struct verdict *out, const struct collection *collection, struct err *err);

/* A table over all kernels, their confidence, then per kernel the models side by side and the greatest
 * misses; `notes` is a folder with a Markdown file of prose for each kernel (KERNEL.md), put in where there
 * is one. */
int table_write(FILE *out, const struct verdict *verdicts, size_t count, const char *notes, struct err *err);
struct json *table_json(const struct verdict *verdicts, size_t count); /* null when memory ends */

#endif

/* Predictions beside the recorded times of one space. */
#ifndef VALIDATION_COLLECT_H
#define VALIDATION_COLLECT_H

#include "base/err.h"
#include "gpu/compile.h"
#include "model/machine/machine.h"
#include "baselines/baselines.h"
#include "space/space.h"
#include "space/spec.h"
#include "tuner/predict/ranking.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A variant that was measured correctly. */
struct point {
    uint64_t index; /* in the space */
    char *configuration;
    double measured_s;
    double clock_hz; /* of the SMs while it ran; NaN unknown */
    struct ranked ranked;
    double occupancy; /* theoretical, 0 to 1; this and what follows is 0 where nothing is predicted */
    double reach;     /* interval_reach() */
    double baselines_s[BASELINE_COUNT];
};

struct collection {
    char kernel[64]; /* its folder's name */
    char problem[128], device[128], date[16];
    struct spec spec;
    struct space *space;
    size_t problem_index; /* in the spec */
    size_t valid;         /* configurations of the space */
    size_t recorded;      /* with a record of any outcome */
    struct point *points; /* every `every`-th configuration that was measured correctly, by index */
    size_t count;
};

struct collect_options {
    const char *folder;      /* of the kernel: spec.json and recorded/ */
    const char *const *sets; /* problem sizes that differ from the spec's, "n=1024" */
    size_t set_count;
    const char *recorded; /* a journal; null: the one in the folder */
    size_t problem;
    uint64_t every; /* take every so many-th of the recorded variants, at least 1 */
    size_t most;    /* and of these so many at most, evenly spread; 0: all */
    unsigned jobs;
    const struct machine *machine;
    struct compiler *compiler;
    void (*progress)(void *context, uint64_t done, uint64_t total);
    /* Called for each point that is predicted, on several threads; null: not wanted. */
    void (*visit)(void *context, const struct collection *of, size_t point, const struct variant *variant,
                  const struct analysis *analysis);
    void *context;
};

/* ERR_MISSING where the kernel has no recording for this problem and device. The caller releases *out, also
 * after a failure; one that is all zero may be released too. */
int collect(struct collection *out, const struct collect_options *options, struct err *err);
void collection_release(struct collection *collection);

/* The point of a configuration; null when it is not among them. */
const struct point *collection_find(const struct collection *collection, uint64_t index);

#endif

/* Every problem of a spec for every kind of GPU that there is, all kinds at the same time. */
#ifndef TUNER_CLI_TUNE_KINDS_H
#define TUNER_CLI_TUNE_KINDS_H

#include "tuner/cli/progress.h"
#include "tuner/cli/tune_page.h"
#include "tuner/evaluate/environment.h"

struct tune_kinds {
    const struct spec *spec;
    struct environment *environment; /* of the first kind */
    const struct tune_options *tune; /* for each, but who is told */
    struct progress *progress;
    const struct tune_page *page;
    size_t count; /* of kinds, at least 1 */
    struct tuned
        *tuned; /* an element for each problem of each kind: kind by kind, those that ended side by side */
    size_t tuned_count; /* that ended */
};

/* Where one fails the others end early, and what they found is in `tuned` as well. */
int tune_kinds(struct tune_kinds *kinds, struct err *err);

#endif

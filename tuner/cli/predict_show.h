/* What `occutune predict` shows of a ranking. */
#ifndef TUNER_CLI_PREDICT_SHOW_H
#define TUNER_CLI_PREDICT_SHOW_H

#include "model/machine/machine.h"
#include "space/space.h"
#include "tuner/cli/cli.h"
#include "tuner/cli/progress.h"
#include "tuner/predict/ranking.h"

struct tuned;

struct predict_view {
    struct cli *cli;
    const struct spec *spec;
    const struct machine *machine;
    struct space *space;
    size_t problem;
    uint64_t limit;
    struct ranking ranking;
    struct progress progress;
    size_t predicted, done, total; /* of all problems so far */
    const char *output;            /* where the decision goes; null: nowhere */
    struct tuned *tuned;           /* then: of each problem */
    size_t tuned_count;
};

/* The ranking as a table, with what was refused and why. */
int predict_put(const struct predict_view *view, struct err *err);

/* The best `limit` and all that have no prediction; null when memory ends. */
struct json *predict_json(const struct predict_view *view);

#endif

/* What the model says of a compiled variant, in the few figures that a search and its report need; and a
 * background maker of them for replaying, which compiles. */
#ifndef TUNER_PREDICT_PREDICTOR_H
#define TUNER_PREDICT_PREDICTOR_H

#include "base/err.h"
#include "gpu/compile.h"
#include "model/machine/machine.h"
#include "model/predict/limit.h"
#include "tuner/predict/pareto.h"
#include "space/space.h"
#include "space/variant.h"
#include "tuner/strategy/search.h"

#include <stdatomic.h>
#include <stdbool.h>

struct variant_prediction {
    struct search_prediction told; /* for the search */
    char reason[1024];             /* why nothing is predicted, else "" */
    char unrated[256];             /* instructions that have no rate (model/predict/unrated.h), by name */
    enum limited_by limited_by;
    bool latency_hidden;
    enum resource bound_limiter;
    double needed_warps, had_warps, confidence;
    double interval_low_s, interval_high_s;            /* see struct prediction */
    double issued, stalled_bandwidth, stalled_latency; /* likewise */
    double busy[RESOURCE_COUNT];  /* share of each resource's capacity in use while an SM is full */
    double predict_s;             /* core seconds it took */
    struct pareto_metrics pareto; /* NaN when nothing is predicted */
};

/* The last resorts where emulation outlasts its budget by far (EMULATE_FIRST_TIMES times EXPECT_BUDGET take about
 * one second of a core): seconds of a core, which a busy machine does not spend faster, and seconds that pass. */
enum { PREDICTION_CORE_S = 20, PREDICTION_WALL_S = 600 };

/* Reads compiled code. `launch` is not prepared yet, and is afterwards. What the model cannot do is a
 * prediction without a prediction, and so is what `stop`, once it is true, cuts short (null: nothing); errors
 * are ERR_MEMORY and ERR_SYSTEM. */
int predict_compiled(struct variant_prediction *out, const struct machine *machine,
                     const struct compile_result *compiled, struct launch *launch, bool warm,
                     const atomic_bool *stop, struct err *err);

/* Predictions of a space, made when first asked for and kept. Any thread may announce and ask. */
struct predictor;

struct predictor_options {
    const struct spec *spec;
    size_t problem;
    const struct space *space;
    const struct machine *machine;
    struct compiler *compiler;
    unsigned jobs; /* threads */
};

int predictor_open(struct predictor **out, const struct predictor_options *options, struct err *err);
void predictor_close(struct predictor *predictor); /* also null */

/* Has a background thread work on a configuration, unless it was announced or asked for before. `code` is the
 * code that it is compiled to (gpu/sources.h; 0: not known): no thread waits for another's compile. */
int predictor_announce(struct predictor *predictor, uint64_t index, uint64_t code, struct err *err);

/* The prediction, made by this thread unless another one is at it, which is waited for; borrowed. A
 * configuration that does not compile here has none, and its reason says so. */
int predictor_ask(const struct variant_prediction **out, struct predictor *predictor, uint64_t index,
                  struct err *err);

#endif

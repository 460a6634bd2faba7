/* Where facts come from: compiling and measuring behind one interface, live or recorded.
 *
 * Live, jobs run on the compiling threads and on one worker per GPU, and the clock is the wall's. Recorded, a
 * job with a trusted record costs nothing and takes the time that the record says, on a simulated machine
 * with a number of cores and one GPU: jobs finish in the order, and the clock shows the time, of a run on
 * such a machine. What the model reads is compiled nevertheless: predicting is real at both levels.
 *
 * Jobs that give the same code are compiled once: the later ones wait for the first, on no thread and no core
 * of either machine. */
#ifndef TUNER_SOURCE_SOURCE_H
#define TUNER_SOURCE_SOURCE_H

#include "base/err.h"
#include "gpu/compile.h"
#include "gpu/worker.h"
#include "space/variant.h"
#include "tuner/journal/journal.h"
#include "tuner/predict/predictor.h"

#include <stddef.h>

enum evaluator_level { EVALUATOR_LIVE, EVALUATOR_RECORDED };

struct evaluator_options {
    enum evaluator_level level;
    unsigned cores;            /* that compile, at least 1 */
    unsigned simulated_cores;  /* recorded: of the machine that is simulated */
    struct compiler *compiler; /* null: nothing can be compiled, every job brings a record */
    const char *arch;          /* "sm_90" */
    double compile_deadline_s;
    struct worker *const *workers; /* live: one per GPU */
    size_t worker_count;
    const struct protocol *protocol; /* live */
    const struct machine *machine;   /* predicts what is compiled; null: nobody does */
    bool warm;                       /* then: see predict_compiled() */
};

enum evaluator_kind { EVALUATOR_COMPILE, EVALUATOR_MEASURE };

/* A job belongs to the caller and must stay until evaluator_wait returned it. */
struct evaluator_job {
    enum evaluator_kind kind;
    const struct variant *variant;
    const struct record *known;        /* a trusted record that answers instead, or null */
    uint64_t code;                     /* compiling: which code it gives (gpu/sources.h); 0: not known */
    struct launch *read;               /* compiling: predict it too, though a record is known; or null */
    const struct reference *reference; /* measuring: what results are compared with */
    double give_up_s;                  /* measuring: see struct protocol; 0: never */
    bool shared;                    /* compiling: a job before it gives this code; set when it is submitted */
    struct compile_result compiled; /* what compiling gave (empty with `known`), what measuring takes */
    struct variant_prediction prediction; /* with `read`: what is predicted, if compiling went well */
    struct trial trial;                   /* what measuring gave (empty with `known`) */
    struct err err;                       /* set where the source itself failed */
    double submitted_s, finished_s;       /* on the source's clock */
    struct evaluator *evaluator;
    size_t lane;
    unsigned round; /* of compiling: it counts only while it is the source's */
};

struct evaluator;

int evaluator_open(struct evaluator **out, const struct evaluator_options *options, struct err *err);

/* Waits for what is running; drops what has not begun. Jobs that were not returned are the caller's again. */
void evaluator_close(struct evaluator *evaluator); /* also null */

int evaluator_submit(struct evaluator *evaluator, struct evaluator_job *job, struct err *err);

/* Gives up the compile jobs that were submitted and not returned, for the end of a search, which has no use
 * for them: those that have begun are cut short, nobody waits for them, and they must stay until
 * evaluator_close().
 * From now on nothing is predicted: forecasts stay empty, those under way are cut short. */
void evaluator_give_up_compiling(struct evaluator *evaluator);

/* The next finished job, or null when `timeout_s` passed or nothing is submitted. Negative: no timeout. */
struct evaluator_job *evaluator_wait(struct evaluator *evaluator, double timeout_s);

/* Core or GPU seconds that a job took which evaluator_wait returned; 0 where nothing had to be done. */
double source_spent_s(const struct evaluator_job *job);

/* Jobs submitted and not returned. */
size_t evaluator_pending(const struct evaluator *evaluator, enum evaluator_kind kind);

/* Those of them that compile and are not `shared`: what keeps the cores busy. */
size_t evaluator_compiling(const struct evaluator *evaluator);

/* GPUs that measure at the same time. */
size_t evaluator_gpus(const struct evaluator *evaluator);
unsigned evaluator_cores(const struct evaluator *evaluator);

/* Seconds since the source was opened, real or simulated. */
double evaluator_now_s(const struct evaluator *evaluator);

/* Core seconds and GPU seconds of work done so far. */
double evaluator_busy_s(const struct evaluator *evaluator, enum evaluator_kind kind);

#endif

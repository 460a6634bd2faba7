/* Compiling and measuring behind one interface: a row of traits and functions for each kind of evaluator. The
 * code that uses an evaluator asks for traits, never for the kind itself.
 *
 *   evaluator_local     runs jobs on the threads that compile and on one worker per GPU; the clock is the wall's
 *   evaluator_remote    does the same with the help of workers elsewhere (tuner/remote)
 *   evaluator_asked     compiles like evaluator_local, and has another program make the trials (questions.h)
 *   evaluator_recorded  answers from records: a job with a trusted record costs nothing and takes the time that
 *                       the record says, on a simulated machine with a number of cores and one GPU. Jobs finish
 *                       in the order, and the clock shows the time, of a run on such a machine. What the model
 *                       reads is compiled nevertheless: predictions are real
 *
 * Jobs that give the same code are compiled once: the later ones wait for the first, on no thread and no core
 * of either machine. */
#ifndef TUNER_EVALUATE_EVALUATOR_H
#define TUNER_EVALUATE_EVALUATOR_H

#include "base/err.h"
#include "base/share.h"
#include "base/turns.h"
#include "gpu/compile.h"
#include "gpu/sources.h"
#include "gpu/worker.h"
#include "space/variant.h"
#include "tuner/journal/journal.h"
#include "tuner/predict/code_facts.h"
#include "tuner/predict/predictor.h"

#include <signal.h>
#include <stddef.h>

struct evaluator_type;

struct evaluator_options {
    const struct evaluator_type *type;
    unsigned cores;            /* that compile, at least 1 */
    unsigned simulated_cores;  /* of the machine that evaluator_recorded simulates */
    struct compiler *compiler; /* null: nothing can be compiled, every job brings a record */
    const char *arch;          /* "sm_90" */
    double compile_deadline_s;
    struct worker *const *workers; /* one per GPU that measures */
    size_t worker_count;
    const struct protocol *protocol; /* where there are workers */
    const struct machine *machine;   /* predicts what is compiled; null: nobody does */
    const struct device *profile;    /* that the machine is made of */
    bool warm;                       /* then: see predict_compiled() */
    struct fleet *fleet;             /* evaluator_remote: workers elsewhere */
    struct questions *questions;     /* evaluator_asked */
    unsigned trials_ahead;           /* that the search has submitted for each GPU at most */
    const volatile sig_atomic_t
        *stop;    /* evaluator_recorded: no compile is waited for once it is not 0; may be null */
    int finished; /* event descriptor that a finished job adds to; 0: none */
    /* Where several kinds of GPU are tuned for at the same time, each with an evaluator: */
    struct turns
        *turns; /* which the caller has, and which is given up while the evaluator waits; null: none */
    struct share *share; /* of the cores that compile; null: they are the evaluator's own */
    size_t kind;         /* of the GPUs, see fleet_know_kinds() */
};

enum evaluator_kind { EVALUATOR_COMPILE, EVALUATOR_MEASURE };

/* What a compile depends on. */
struct job_sources {
    struct sources_files *files; /* sources_files_free()'s; null: they are not sent */
    struct sources_hash hash;
};
void job_sources_free(struct job_sources *sources); /* also null */

/* A job belongs to the caller and must stay until evaluator_wait returned it. */
struct evaluator_job {
    enum evaluator_kind kind;
    const struct variant *variant;
    const unsigned *choices;           /* of its configuration */
    const struct record *known;        /* a trusted record that answers instead, or null */
    uint64_t code;                     /* compiling: which code it gives (gpu/sources.h); 0: not known */
    struct job_sources *sources;       /* compiling, where the evaluator sends them: taken over; or null */
    struct launch *read;               /* compiling: predict it too, though a record is known; or null */
    const struct reference *reference; /* measuring: what results are compared with */
    double give_up_s, rival_s;         /* measuring: see struct protocol */
    bool finals;                       /* measuring: on the one GPU that measures all of these */
    bool sustained;                    /* measuring: see protocol_sustain() */
    bool shared;                    /* compiling: a job before it gives this code; set when it is submitted */
    bool takes_packed;              /* compiling: code from elsewhere may be packed, with its facts */
    struct compile_result compiled; /* what compiling gave (empty with `known`), what measuring takes */
    struct code_facts facts;        /* of code that stays packed */
    struct variant_prediction prediction; /* with `read`: what is predicted, if compiling went well */
    struct trial trial;                   /* what measuring gave (empty with `known`) */
    struct err err;                       /* set where the evaluator itself failed */
    double submitted_s, finished_s;       /* on the evaluator's clock */
    const char *host; /* that measured it, on its GPU `lane`; null: this machine alone measures */
    /* The evaluator's own: */
    struct evaluator *evaluator;
    void *state, *task;          /* of the implementations that run it */
    void *compiled_by;           /* remote: the host that has the code; null: none */
    struct evaluator_code *made; /* with `code` */
    size_t lane;
    unsigned round; /* of compiling: it counts only while it is the evaluator's */
};

struct evaluator;

/* One kind of evaluator. evaluator_open() and the functions beside it call these. The contract:
 *
 * open: The options are copied; what they point to outlives the state. On failure *state is null.
 *
 * submit: Takes a job with `evaluator`, `submitted_s` and `shared` set. A job that has a record and nothing to
 * read is answered by the record. A `shared` job waits for the one that is at its code.
 *
 * wait: The next finished job with `finished_s` set, or null when `timeout_s` passed or nothing is submitted;
 * never one that evaluator_is_given_up().
 *
 * drop_compiling: Called after the jobs were given up: ends them as far as it can.
 *
 * spent_s: as evaluator_spent_s(). */
struct evaluator_type {
    const char *name; /* in decisions: "live" */
    unsigned
        choice; /* trials for each GPU that it is given to choose from, beside those that a search sends ahead */
    bool measures; /* takes times of its own, which are kept; else it knows only what has a record */
    bool launches; /* the kernels itself: compares results with a reference, and can measure again */
    bool sends;    /* the sources of compile jobs, which come with them */
    int (*open)(void **state, const struct evaluator_options *options, struct err *err);
    int (*submit)(void *state, struct evaluator_job *job, struct err *err);
    struct evaluator_job *(*wait)(void *state, double timeout_s);
    void (*drop_compiling)(void *state);
    size_t (*gpus)(const void *state);
    unsigned (*cores)(const void *state);
    double (*now_s)(const void *state);
    double (*busy_s)(const void *state, enum evaluator_kind kind);
    double (*spent_s)(const struct evaluator_job *job);
    void (*close)(void *state);
};

extern const struct evaluator_type evaluator_local, /* local.c */
    evaluator_remote,                               /* remote.c */
    evaluator_asked,                                /* asked.c */
    evaluator_recorded;                             /* recorded.c */

int evaluator_open(struct evaluator **out, const struct evaluator_options *options, struct err *err);

/* Waits for what is running; drops what has not begun. Jobs that were not returned are the caller's again. */
void evaluator_close(struct evaluator *evaluator); /* also null */

int evaluator_submit(struct evaluator *evaluator, struct evaluator_job *job, struct err *err);

/* Gives up the compile jobs that were submitted and not returned, for the end of a search, which has no use
 * for them: those that have begun are cut short, nobody waits for them, and they must stay until
 * evaluator_close().
 * From now on nothing is predicted: predictions stay empty, those under way are cut short. */
void evaluator_give_up_compiling(struct evaluator *evaluator);

/* The next finished job, or null when `timeout_s` passed or nothing is submitted. Negative: no timeout. 0: one
 * that has finished by now. */
struct evaluator_job *evaluator_wait(struct evaluator *evaluator, double timeout_s);

/* Core or GPU seconds that a job took which evaluator_wait returned; 0 where nothing had to be done. */
double evaluator_spent_s(const struct evaluator_job *job);

/* Jobs submitted and not returned. */
size_t evaluator_pending(const struct evaluator *evaluator, enum evaluator_kind kind);

/* Core seconds of a compile with its prediction, the mean of late; 0 before the first. */
double evaluator_compile_s(const struct evaluator *evaluator);

/* Those of them that compile and are not `shared`: what keeps the cores busy. */
size_t evaluator_compiling(const struct evaluator *evaluator);

/* Trials for each GPU that may be under way where a search sends so many ahead: one, or some more. */
size_t evaluator_trials_ahead(const struct evaluator *evaluator, size_t ahead);

/* GPUs that measure at the same time. */
size_t evaluator_gpus(const struct evaluator *evaluator);
unsigned evaluator_cores(const struct evaluator *evaluator);

/* Seconds since the evaluator was opened, real or simulated. */
double evaluator_now_s(const struct evaluator *evaluator);

/* Core seconds and GPU seconds of work done so far. */
double evaluator_busy_s(const struct evaluator *evaluator, enum evaluator_kind kind);

#endif

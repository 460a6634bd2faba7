/* Tuning one problem of a spec: the loop that drives search, compiler, GPU and journal. */
#ifndef TUNER_TUNE_TUNE_H
#define TUNER_TUNE_TUNE_H

#include "base/err.h"
#include "launch/outcome.h"
#include "space/spec.h"
#include "tuner/journal/journal.h"
#include "tuner/strategy/strategy.h"
#include "tuner/evaluate/environment.h"
#include "tuner/evaluate/evaluator.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TUNE_FINALISTS = 5,
    TUNE_FINAL_ROUNDS_LEAST = 2,
    TUNE_FINAL_ROUNDS = 7,
    TUNE_ENERGY_ROUNDS = 3 /* each takes a second and more */
};

/* How far a run is. */
struct tune_progress {
    const char *kernel, *problem; /* "matmul", "M=4096 N=4096 K=4096" */
    const char *device;           /* "NVIDIA H200" */
    size_t kind;                  /* of GPU, as workers elsewhere count them */
    uint64_t total;               /* configurations, or trials where their number is limited; 0: not known */
    uint64_t done;                /* of them */
    uint64_t timed, failed;
    double best_s;             /* NaN before the first */
    const struct fleet *fleet; /* workers elsewhere; null: none */
    uint64_t compiled, tried;  /* compiles and trials so far, here and elsewhere */
    double now_s, left_s;      /* on the source's clock; left NaN while unknown */
    bool finals;
};

/* What a run has found so far, as records of a journal. Borrowed, for the time of the call. */
struct tune_result {
    const struct record *record;
    const unsigned *choices;
};
struct tune_view {
    size_t problem;
    bool measured;     /* in this run; else the times come from a recording */
    struct js_at head; /* of the journal, or of the recording */
    const struct tune_result *results;
    size_t count;
    const struct json *not_timed; /* as at the end of a journal; null before the end of the run */
    const char *replay;           /* recorded: a file name for it; "" when live */
    bool finished;
};

/* Writes it as a journal, in place of the file `path`: of a recorded run, which appends to none. */
int tune_view_write(const char *path, const struct tune_view *view, const struct spec *spec, struct err *err);

struct tune_options {
    const struct strategy *strategy;
    uint64_t seed;
    double time_s;               /* budget; 0: none */
    uint64_t trials;             /* budget; 0: none */
    struct questions *questions; /* another program measures; there are no finals. Null: none does */
    const char *recorded;        /* recording to use instead of a GPU; null: what the level needs */
    const char *device;          /* null, or whose recording */
    /* File to append to when live (an error beside `recorded`). Null: none with `questions`; else in the working directory,
     * "matmul.nvidia-h200.4096x4096x4096.journal.json". */
    const char *journal;
    const char *profile;       /* calibrated profile for the model: name or file; null: the GPU's own */
    const char *profiles;      /* folder of profiles by name; null: none */
    uint64_t audit;            /* see struct search_options */
    const unsigned *only;      /* the one configuration to time, without a journal or strategy; null: search
                                  the space */
    unsigned simulated_cores;  /* recorded: cores of the simulated machine; 0: as many as compile here */
    double compile_deadline_s; /* 0: 60 */
    const volatile sig_atomic_t *stop; /* ends the run early once it is not 0; may be null */
    const bool *failed;                /* likewise once it is true: a run beside this failed; may be null */
    void (*progress)(void *context,
                     const struct tune_progress *progress); /* some times a second; may be null */
    void (*message)(void *context, const char *text); /* warnings and remarks, one line each; may be null */
    void *context;
    /* May be null; an error ends the run. Called every `view_s` seconds of the wall clock (0: never), and at
     * the end. */
    int (*view)(void *context, const struct tune_view *view, struct err *err);
    void *view_context;
    double view_s;
};

enum tune_end {
    TUNE_COMPLETE,   /* the search came to its end */
    TUNE_TIME,       /* the time budget ended */
    TUNE_TRIALS,     /* the trials did */
    TUNE_INTERRUPTED /* the user did */
};
const char *tune_end_text(enum tune_end end);

struct tune_counts {
    uint64_t combinations, valid, visited;
    uint64_t outcomes[OUTCOME_COUNT];
    uint64_t compiled; /* in this run, by the compiler or */
    uint64_t cached;   /* found in the cache of compiled code: these are of `compiled` */
    uint64_t shared;   /* have the code of one compiled or answered before: not of `compiled` */
    uint64_t timed;    /* on a GPU, in this run, the audit left out */
    uint64_t audited;  /* likewise, by the audit */
    uint64_t replayed; /* answered by a record */
    uint64_t stale;    /* records left aside: their code, launch, protocol or reference is another now */
    uint64_t missing;  /* recorded: configurations without a record */
    uint64_t distinct_codes;         /* at distinct launches */
    uint64_t read, read_differently; /* by the model, though recorded; of those, code that is another here */
};

struct tuned_variant {
    uint64_t index; /* in the space */
    unsigned *choices;
    double weight; /* of a second, in the objective: see spec_weight */
    struct record record;
    struct variant_prediction prediction;
};

/* Its time times its weight: of two, the smaller is better. */
double tuned_cost(const struct tuned_variant *variant);

/* A better configuration was found. */
struct tuned_step {
    double at_s;    /* on the source's clock */
    uint64_t timed; /* configurations with a time by then, this one included */
    double best_s;
};

/* A host that took part, where workers on others may. */
struct tuned_host {
    char name[280], reason[512]; /* why it was dropped last; "": never */
    unsigned cores, drops;
    size_t gpus; /* that measured for this job */
    uint64_t compiled, timed;
    double compile_s, measure_s; /* core and GPU seconds of that */
};

/* What came of it. */
struct tuned {
    size_t problem;
    const struct evaluator_type *evaluator; /* that answered */
    const struct strategy *strategy;
    enum tune_end end;
    struct device device; /* limits empty when the recording is another tool's */
    char recorded_date[11];
    char nvrtc[64];     /* compiled the winner's measured code: here, or for the recording */
    char journal[4096]; /* written (live) or read (recorded) */
    char replay[320];   /* recorded: the caller's file of tune_view_write(), beside the decision; "" none */
    struct tune_counts counts;
    struct tuned_variant initial;    /* the default; its record's outcome may be any */
    struct tuned_variant *finalists; /* best first: [0] is the winner */
    size_t finalist_count;           /* 0: nothing ran correctly */
    size_t tied; /* finalists that are within noise of the fastest; at least 1 if there are any */
    struct tuned_variant
        *front; /* where energies were measured: those that no other beats in time and energy */
    size_t front_count;
    struct power power;           /* of the GPU; nothing known where NVML or the recording does not say */
    struct search_summary search; /* how the search ended */
    struct tuned_step *steps;     /* the audit left out */
    size_t step_count;
    struct tuned_host *hosts; /* this machine first; none: it was alone */
    size_t host_count;
    char profile[128];        /* the model's profile; "" when nothing was predicted */
    double audit_s;           /* GPU seconds of the audit */
    char first_failure[1200]; /* message of the first variant that failed; "" when none did */
    enum {
        TUNE_UNCHECKED,
        TUNE_CHECKED,
        TUNE_DIFFERS
    } code_check;        /* recorded: winner compiled here, code compared */
    char nvrtc_here[64]; /* then: by what */
    double elapsed_s;    /* on the source's clock */
    double wall_s;
    double compile_busy_s, measure_busy_s; /* core and GPU seconds; predicting is part of compiling */
    double
        controller_s; /* core seconds of the loop itself, until the finals: search, journal, reading code */
    unsigned cores;
    size_t gpus;
};

/* Tunes problem `problem`. Several kinds of GPU may be tuned for at the same time, each on a thread of its own with a part of
 * the environment: where that has turns, the caller has one. Errors: ERR_MISSING without GPU and recording, ERR_SYSTEM when the journal cannot
 * be written (what it holds is kept), ERR_USAGE for a spec that cannot be run at all. */
int tune(struct tuned *out, const struct spec *spec, size_t problem, struct environment *environment,
         const struct tune_options *options, struct err *err);
void tuned_release(struct tuned *tuned);

#endif

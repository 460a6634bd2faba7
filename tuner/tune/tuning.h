/* The state of one tuning run, shared by the files of this folder: tune.c (the loop), opening.c (what it
 * begins with), compiling.c, predicting.c, measuring.c and candidate.c (what happens to one configuration),
 * drift.c (whether the GPU is what it was), pruned.c (what was not timed) and finals.c (choosing among the
 * best). Nobody else includes this. */
#ifndef TUNER_TUNE_TUNING_H
#define TUNER_TUNE_TUNING_H

#include "base/map.h"
#include "base/stats.h"
#include "space/space.h"
#include "space/variant.h"
#include "tuner/tune/tune.h"

/* What a candidate needs on its way, and not once it is settled: most of its memory. */
struct candidate_work {
    struct evaluator_job job;
    struct candidate *candidate; /* whose it is */
    struct variant variant, reference_variant;
    struct reference reference;
};

/* One configuration on its way through compiling and timing. It lives to the end of the run; the variant and
 * its code only until it is settled. */
struct candidate {
    uint64_t index;
    unsigned *choices;
    struct candidate_work *work; /* null: it is settled, and not revived */
    double weight;               /* of a second, in the objective */
    double drift;                /* what it would take now for each second that it took (drift.c) */
    struct record record;
    double energies_j[TUNE_ENERGY_ROUNDS]; /* of its finals */
    size_t energy_count;
    struct variant_prediction prediction;        /* of the model, if it read the code */
    bool audit;                                  /* timed by the audit */
    bool submitted;                              /* to be compiled */
    bool known;                                  /* the record came from the journal or recording */
    bool trusted;                                /* and answers for this configuration */
    bool settled;                                /* the outcome is final */
    struct candidate *same_as;                   /* has the same code at the same launch */
    struct candidate *followers, *next_follower; /* those waiting for this one's time */
};

/* drift.c: how the GPU changes, told by the best so far. */
struct drift {
    struct candidate *timing;         /* is being timed again; null: none */
    const struct candidate *standard; /* took another time when timed again: a witness is asked; else null */
    double suspected;                 /* then: how many times as long it took */
    double since_s, clock_hz; /* when the best was timed last, on the evaluator's clock; at which clock */
    unsigned moved, spacing;  /* trials at another clock since; it is timed again after so many */
    unsigned times;           /* that it was, in all */
    double whole;             /* what the GPU takes at the end for each second at first */
};

struct tuning {
    const struct spec *spec;
    size_t problem;
    struct environment *environment;
    const struct tune_options *options;
    struct tuned *out;
    struct space *space;
    struct search *search;
    struct evaluator *evaluator;
    struct journal *journal; /* live: appended to; recorded: the recording */
    struct protocol protocol;
    uint64_t protocol_hash;
    struct device profile;  /* calibrated: what the model goes by */
    struct machine machine; /* made of it */
    bool has_machine;
    char arch[16];
    char replay[320];                     /* recorded: a name for the file of what the run did */
    char nvrtc[64];                       /* whose code the build hashes speak of */
    size_t source_size;                   /* of: */
    char *source_text;                    /* of the kernel, read when first needed */
    struct sources_kept *sources_kept;    /* it and its headers */
    struct compile_result reference_code; /* compiled beside the first variants, or when first needed */
    uint64_t reference_hash;              /* of that code, or of the files; 0: not known yet */
    struct variant reference_variant;     /* what is compiled beside them, ... */
    struct evaluator_job reference_job;
    bool reference_pending; /* ... and not yet there; or the default, where others equal its result */
    struct variant reference_default; /* the default configuration, when that is the reference */
    uint64_t *answered;               /* indices that the journal has a result of */
    size_t answered_count;
    struct candidate **candidates;
    size_t candidate_count;
    struct map by_index, by_code;
    size_t waiting_to_time; /* compiled and not yet measured: bounds how far compiling runs ahead */
    uint64_t failed;
    struct candidate *best; /* so far; null: none */
    struct drift drift;
    double next_view_s, next_report_s; /* wall clock */
    char finals_on[320]; /* where the finals are measured, where that may change; "": not known */
    bool searched;       /* the search itself has ended: at most its audit goes on */
};

/* opening.c: everything up to the first step of the search. On failure what was opened stays the run's to
 * release. */
int tuning_open(struct tuning *tuning, struct err *err);

/* Each returns an error only for what ends the run; a variant's own trouble becomes its record's outcome.
 *
 * candidate.c: a candidate belongs to the run as soon as it is made. */
int candidate_new(struct candidate **out, struct tuning *tuning, uint64_t index, struct err *err);
void candidate_free(struct candidate *candidate);
double candidate_cost(
    const struct candidate *candidate); /* time, as it would be now, times weight: what is compared */
double tuning_best_cost(const struct tuning *tuning);              /* of the best so far; NaN: none */
int candidate_equip(struct candidate *candidate, struct err *err); /* with work, where it has none */
void candidate_relax(struct candidate *candidate); /* lets go of it: variant, code and trial */
/* Keeps the first failure, as text for the user. */
void candidate_remember(struct tuning *tuning, const struct candidate *candidate);

/* Tells the search; ends a candidate: journals and counts it; both, for one that will not be timed. */
int candidate_tell(struct tuning *tuning, const struct candidate *candidate, bool timed, struct err *err);
int candidate_settle(struct tuning *tuning, struct candidate *candidate, struct err *err);
int candidate_reject(struct tuning *tuning, struct candidate *candidate, enum outcome outcome,
                     const char *why, struct err *err);
int candidate_store(struct tuning *tuning, struct candidate *candidate, struct err *err);
/* Notes that now is when it was compiled or timed, unless a record of an earlier run says when. */
void candidate_stamp(double *at_s, const struct tuning *tuning, const struct candidate *candidate);
int record_explain(struct record *record, const char *message, struct err *err);

/* compiling.c: what the search asks for, and what comes of it. */
int candidate_compile(struct tuning *tuning, uint64_t index, struct err *err);
int candidate_compiled(struct tuning *tuning, struct candidate *candidate, struct err *err);
int candidate_facts(struct candidate *candidate, struct err *err); /* of its code, into its job */

/* measuring.c: likewise; and the reference, which is compiled beside the first variant that needs it:
 * submitted, and taken when it is done. */
int candidate_time(struct tuning *tuning, uint64_t index, bool audit, struct err *err);
int candidate_measured(struct tuning *tuning, struct candidate *candidate, struct err *err);
int candidate_note_host(struct candidate *candidate, struct err *err); /* in its record */
int candidate_set_reference(struct tuning *tuning, struct candidate *candidate, struct err *err);
double candidate_rival_s(const struct tuning *tuning,
                         const struct candidate *candidate); /* see struct protocol */
int reference_submit(struct tuning *tuning, const struct candidate *candidate, struct err *err);
int reference_compiled(struct tuning *tuning, struct err *err);
bool reference_is(const struct tuning *tuning,
                  const struct candidate *candidate); /* others equal its result */

/* reference_hash.c: compiles the reference before the first record is looked up, if there are records whose
 * verdict rests on one; which those are; and what a candidate's result is compared with, once its reference
 * is set. */
bool record_was_compared(const struct record *record);
int reference_prepare(struct tuning *tuning, struct err *err);
int candidate_reference_hash(uint64_t *out, struct tuning *tuning, struct candidate *candidate,
                             struct err *err);

void candidate_take_trial(struct candidate *candidate, struct trial *trial); /* takes the samples over */

/* Makes the variant and its code anew, for a candidate that was settled. */
int candidate_revive(struct tuning *tuning, struct candidate *candidate, struct err *err);

/* predicting.c: what the model goes by; the launch to predict when a candidate is compiled, null where the
 * model does not read it; takes the prediction and compares the code with the record's; reads the winner if
 * that was not done. */
int predicting_open(struct tuning *tuning, struct err *err);
void predicting_close(struct tuning *tuning);
struct launch *candidate_read(const struct tuning *tuning, struct candidate *candidate);
int candidate_take_prediction(struct tuning *tuning, struct candidate *candidate, struct err *err);
int candidate_foresee(struct tuning *tuning, struct candidate *candidate, struct err *err);

/* drift.c: a new best, which is the standard from now on; what a trial's clock says of the GPU: the best is timed again, if
 * need be; it was; at the end, what came of it. */
void drift_open(struct drift *drift);
void drift_begin(struct tuning *tuning);
int drift_note(struct tuning *tuning, const struct candidate *candidate, struct err *err);
int drift_measured(struct tuning *tuning, struct candidate *candidate, struct err *err);
void drift_say(const struct tuning *tuning);

/* pruned.c: what was not timed, counted, and as JSON for the journal (null where there is none). */
void pruned_count(struct tuning *tuning);
int pruned_json(struct json **out, const struct tuning *tuning, struct err *err);

/* energy.c: power of the GPU, live before anything runs and at the end, or as a recording has it; whether a record cannot
 * answer because it has no energy; what the search is told of an estimate where the objective depends on the energy;
 * the weight of what was measured; the front of time and energy. */
bool energy_wanted(const struct tuning *tuning);
int energy_live(struct tuning *tuning, struct err *err);
void energy_end(struct tuning *tuning);
int energy_recorded(struct tuning *tuning, struct err *err);
bool energy_lacks(const struct tuning *tuning, const struct record *record);
int energy_expect(struct tuning *tuning, struct candidate *candidate, struct search_prediction *told,
                  struct err *err);
int energy_weigh(struct tuning *tuning, struct candidate *candidate, struct err *err);
int energy_front(struct tuning *tuning, struct err *err);

/* finals.c: a candidate for the run's caller. */
int candidate_copy(struct tuned_variant *out, const struct tuning *tuning, const struct candidate *candidate,
                   struct err *err);

/* finals.c: measures the best again, interleaved, and fills out->finalists. */
int finals_run(struct tuning *tuning, struct err *err);

/* finals_measure.c: rounds of all finalists, `n` of them. A round leaves out who is behind beyond doubt; the rounds
 * end when no other would change the order. */
int finals_measure(struct tuning *tuning, struct candidate **finalists, size_t n, struct err *err);

/* Two costs closer than this, relatively, are not told apart, however narrow their intervals: the clock, the memory and
 * the power move by as much from one run to the next. */
double finals_resolution(const struct tuning *tuning);

/* The interval of the cost, by samples of the time or by the energies of its finals. */
struct stats_interval finals_interval(const struct candidate *candidate, const double *samples_s,
                                      size_t count);

/* Whether the user has ended the run, or one beside it has failed. */
bool tuning_stopped(const struct tuning *tuning);

/* view.c: shows the run to the caller, if it is time for it; always at the end, with what was not timed. */
int tuning_show(struct tuning *tuning, const struct json *not_timed, bool finished, struct err *err);

/* hosts.c: who took part, for the decision. */
int tuning_take_hosts(struct tuning *tuning, struct err *err);

/* opening.c: says what became of the journal's file during the run, if anything did. */
void tuning_journal_news(struct tuning *tuning);

/* What is to be said of a journal that cannot be written any more. */
int tuning_unwritten(const struct err *why, struct err *err);

/* tune.c */
void tuning_choices(unsigned *choices, const struct tuning *tuning, uint64_t index);
void tuning_message(const struct tuning *tuning, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

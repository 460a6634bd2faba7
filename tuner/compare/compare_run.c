/* One way of searching, once, on the simulated machine. */
#include "tuner/compare/comparing.h"

#include "base/array.h"
#include "base/hash.h"
#include "tuner/drive/drive.h"
#include "tuner/evaluate/evaluator.h"
#include "tuner/strategy/strategy.h"

#include <math.h>
#include <stdlib.h>

/* A configuration under way. */
struct flight {
    struct evaluator_job job;
    uint64_t index;
    struct search_prediction prediction;
    double predict_s;    /* core seconds it took */
    struct flight *next; /* of those at rest */
};

struct replayer {
    const struct compare_options *options;
    const struct compare_row *row;
    uint64_t seed;
    struct evaluator *evaluator;
    struct search *search;
    struct compare_run *run;
    uint64_t *seen; /* by index of the first with a code: 1 + the configuration that was compiled for it */
    struct flight *resting;
    double chosen_s, quality; /* of the fastest as this run measured it */
    double predict_s;         /* core seconds of predicting so far */
    uint64_t chosen;          /* that one; the space's count before the first */
    bool auditing;            /* the search itself has ended */
    unsigned char *passed;    /* then: by index, what the audit samples from */
    size_t waiting;           /* compiled and not yet timed */
    uint64_t *plan;           /* of a way that has one: which to time, in what order */
    size_t plan_count;
};

static int launch(struct replayer *replayer, enum evaluator_kind kind, uint64_t index,
                  const struct record *record, struct err *err)
{
    const struct compare_predictions *predictions = replayer->options->predictions;
    struct flight *flight = replayer->resting;
    int rc = 0;

    if (flight)
        replayer->resting = flight->next;
    else
        flight = malloc(sizeof *flight);
    if (!flight)
        return err_memory(err);
    *flight = (struct flight){.job = {.kind = kind, .known = record}, .index = index};
    flight->job.code = replayer->options->replay->entries[index].build;
    if (replayer->row->strategy->reads_predictions && kind == EVALUATOR_COMPILE && !replayer->auditing)
        rc = predictions->prediction(&flight->prediction, &flight->predict_s, predictions->context, index,
                                     err);
    if (!rc)
        rc = evaluator_submit(replayer->evaluator, &flight->job, err);
    if (rc) {
        free(flight);
        return rc;
    }
    replayer->run->compiled += kind == EVALUATOR_COMPILE && !flight->job.shared && !replayer->auditing;
    return 0;
}

/* Predicting is really done, in a time that is never quite the same again. It must not change the order in
 * which things happen, or else no run could be repeated: it is added to the simulated clock as work that all
 * cores share. */
static double clock_at(const struct replayer *replayer, double simulated_s)
{
    return simulated_s + replayer->predict_s / replayer->options->cores;
}

/* Keeps what the trial says; its time, NaN where it failed, in *time_s. */
static int take_trial(double *time_s, struct replayer *replayer, const struct flight *flight, struct err *err)
{
    const struct replay *replay = replayer->options->replay;
    struct compare_run *run = replayer->run;

    if (ARRAY_GROW(run->quality, run->count, err) || ARRAY_GROW(run->clock_s, run->count, err))
        return ERR_MEMORY;
    *time_s = replay_time(replay, flight->index, replayer->seed);
    if (*time_s < replayer->chosen_s) {
        replayer->chosen_s = *time_s;
        replayer->chosen = flight->index;
        replayer->quality = replay->best_s / replay->entries[flight->index].timed->time_s;
    }
    run->quality[run->count] = replayer->quality;
    run->clock_s[run->count++] = clock_at(replayer, flight->job.finished_s);
    return 0;
}

/* What the loop asks ------------------------------------------------------- */

/* The one told before whose code this is, or itself. A plan has chosen one of each code beforehand. */
static uint64_t twin_of(const struct replayer *replayer, uint64_t index)
{
    const uint64_t code = replayer->options->replay->entries[index].code;

    if (replayer->plan)
        return code;
    return replayer->seen[code] ? replayer->seen[code] - 1 : index;
}

static int tell_compiled(struct replayer *replayer, const struct flight *flight, struct err *err)
{
    const struct replay *replay = replayer->options->replay;
    const uint64_t index = flight->index;
    struct search_facts facts = {.outcome = replay_compiled(replay, index),
                                 .shared = flight->job.shared,
                                 .spent_s = evaluator_spent_s(&flight->job)};
    const uint64_t twin = twin_of(replayer, index);

    if (facts.outcome == OUTCOME_OK && twin != index) {
        facts.outcome = OUTCOME_SAME_CODE;
        facts.same_as = twin;
    }
    if (facts.outcome == OUTCOME_OK) {
        replayer->seen[replay->entries[index].code] = index + 1;
        replayer->waiting++;
        facts.prediction = flight->prediction;
    }
    return search_tell(replayer->search, index, &facts, err);
}

static int start_compile(void *context, uint64_t index, struct err *err)
{
    struct replayer *replayer = context;
    const struct record *record = replayer->options->replay->entries[index].record;

    if (!record)
        return search_tell(
            replayer->search, index,
            &(struct search_facts){.outcome = replay_compiled(replayer->options->replay, index),
                                   .impossible = true},
            err);
    return launch(replayer, EVALUATOR_COMPILE, index, record, err);
}

static int start_trial(void *context, uint64_t index, bool audit, struct err *err)
{
    struct replayer *replayer = context;
    const struct replay_entry *entry = &replayer->options->replay->entries[index];

    (void)audit;
    replayer->waiting--;
    return launch(replayer, EVALUATOR_MEASURE, index, entry->timed ? entry->timed : entry->record, err);
}

static int finish(void *context, struct evaluator_job *job, struct err *err)
{
    struct replayer *replayer = context;
    struct flight *flight = (struct flight *)job;
    struct search_facts facts = {.timed = true};
    int rc = 0;

    if (job->kind == EVALUATOR_COMPILE) {
        replayer->predict_s += flight->predict_s;
        rc = tell_compiled(replayer, flight, err);
    } else {
        if (replayer->auditing)
            facts.time_s = replay_time(replayer->options->replay, flight->index, replayer->seed);
        else
            rc = take_trial(&facts.time_s, replayer, flight, err);
        facts.outcome = replay_timed(replayer->options->replay, flight->index);
        facts.spent_s = evaluator_spent_s(job);
        if (!rc)
            rc = search_tell(replayer->search, flight->index, &facts, err);
    }
    flight->next = replayer->resting;
    replayer->resting = flight;
    return rc;
}

/* The search has ended: what it comes to, before the audit, which is counted in nothing. */
static void end_run(struct replayer *replayer)
{
    const struct compare_options *options = replayer->options;
    struct compare_run *run = replayer->run;

    run->end_s = clock_at(replayer, evaluator_now_s(replayer->evaluator));
    run->busy = fmax((evaluator_busy_s(replayer->evaluator, EVALUATOR_COMPILE) + replayer->predict_s) /
                         options->cores,
                     evaluator_busy_s(replayer->evaluator, EVALUATOR_MEASURE)) /
                run->end_s;
}

/* What the rules cut, compared with the truth; and what the audit will sample from. */
static void judge_cuts(struct replayer *replayer)
{
    const struct replay *replay = replayer->options->replay;
    struct compare_rules *rules = &replayer->run->rules;
    const double lost_s =
        replayer->chosen < replay->count ? replay->entries[replayer->chosen].timed->time_s / 1.01 : INFINITY;
    enum search_fate fate;

    for (uint64_t i = 0; i < replay->count; i++) {
        const struct replay_entry *entry = &replay->entries[i];

        if (!entry->timed)
            continue;
        fate = search_fate(replayer->search, i);
        replayer->passed[i] = fate == SEARCH_CUT_ESTIMATE || fate == SEARCH_LEFT;
        if (fate == SEARCH_CUT_BOUND && entry->timed->time_s < lost_s)
            rules->lost_by_bound = 1;
        if (fate == SEARCH_CUT_ESTIMATE && i == replay->best && entry->timed->time_s < lost_s)
            rules->lost_by_estimate = 1;
    }
}

/* Whether the limit that the audit states is above the true share. A configuration with the code of one that
 * was tried is none of those pruned, and several with the same code are one. */
static void judge_audit(struct replayer *replayer)
{
    const struct replay *replay = replayer->options->replay;
    struct compare_rules *rules = &replayer->run->rules;
    struct search_summary summary;
    uint64_t i, passed = 0, faster = 0;

    search_summarise(&summary, replayer->search);
    for (i = 0; i < replay->count; i++) {
        if (!replayer->passed[i] || replay->entries[i].code != i)
            continue;
        passed++;
        faster += replay_time(replay, i, replayer->seed) < replayer->chosen_s;
    }
    rules->audits = summary.audit.timed > 0;
    rules->audits_held = rules->audits && (double)faster <= summary.audit.limit * (double)passed;
}

/* What was compiled goes on: nothing is freed by it. */
static bool begin_audit(void *context)
{
    struct replayer *replayer = context;

    if (!replayer->auditing) {
        end_run(replayer);
        judge_cuts(replayer);
    }
    replayer->auditing = true;
    return false;
}

/* The plan of a way that has one ------------------------------------------- */

struct placed {
    uint64_t index;
    double rank;   /* larger first */
    uint64_t draw; /* among equals */
};

static int by_rank(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? 1 : -1;
    return (x->draw > y->draw) - (x->draw < y->draw);
}

/* Which distinct codes are timed, in what order. The first configuration with a code stands for it; what did
 * not run is left out. */
static size_t place(struct placed *out, bool *keep, const struct replayer *replayer)
{
    const struct compare_options *options = replayer->options;
    const struct replay *replay = options->replay;
    const struct compare_row *row = replayer->row;
    size_t count = 0;

    if (row->on_front)
        pareto_front(keep, options->pareto, replay->count);
    for (uint64_t i = 0; i < replay->count; i++) {
        const struct replay_entry *entry = &replay->entries[i];

        if (entry->timed && entry->code == i && (!row->on_front || keep[i]))
            out[count++] = (struct placed){i, row->by_occupancy ? entry->timed->occupancy : 0,
                                           hash_random(replayer->seed, i)};
    }
    qsort(out, count, sizeof *out, by_rank);
    return count;
}

static int make_plan(struct replayer *replayer, struct err *err)
{
    const uint64_t count = replayer->options->replay->count + 1;
    struct placed *placed = malloc(count * sizeof *placed);
    bool *keep = malloc(count * sizeof *keep);
    bool whole;

    replayer->plan = malloc(count * sizeof *replayer->plan);
    whole = placed && keep && replayer->plan;
    if (whole)
        replayer->plan_count = place(placed, keep, replayer);
    for (size_t i = 0; i < replayer->plan_count; i++)
        replayer->plan[i] = placed[i].index;
    free(placed);
    free(keep);
    return whole ? 0 : err_memory(err);
}

static int play(struct replayer *replayer, struct err *err)
{
    const struct compare_options *options = replayer->options;
    const struct strategy *strategy = replayer->row->strategy;
    const struct search_options search = {.strategy = strategy,
                                          .seed = replayer->seed,
                                          .count = options->replay->count,
                                          .first = options->first,
                                          .trials = strategy->prunes ? options->trials : 0,
                                          .audit = strategy->prunes ? SEARCH_AUDIT : 0,
                                          .cores = options->cores,
                                          .space = options->space,
                                          .spec = options->spec,
                                          .plan = replayer->plan,
                                          .plan_count = replayer->plan_count};
    int rc = search_open(&replayer->search, &search, err);

    if (!rc)
        rc = drive(&(struct driver){.strategy = strategy,
                                    .search = replayer->search,
                                    .evaluator = replayer->evaluator,
                                    .ready = &replayer->waiting,
                                    .compile = start_compile,
                                    .time = start_trial,
                                    .finish = finish,
                                    .audit = begin_audit,
                                    .context = replayer},
                   err);
    if (rc == ERR_SYSTEM)
        err_prefix(err, "the way %s, seed %llu", replayer->row->name, (unsigned long long)replayer->seed);
    if (!rc && replayer->auditing)
        judge_audit(replayer);
    else if (!rc)
        end_run(replayer);
    search_close(replayer->search);
    return rc;
}

/* One run ------------------------------------------------------------------ */

static void close_player(struct replayer *replayer)
{
    struct evaluator_job *job;
    struct flight *flight;

    while (replayer->evaluator && (job = evaluator_wait(replayer->evaluator, -1)) != NULL)
        free(job);
    evaluator_close(replayer->evaluator);
    while ((flight = replayer->resting) != NULL) {
        replayer->resting = flight->next;
        free(flight);
    }
    free(replayer->seen);
    free(replayer->passed);
    free(replayer->plan);
}

int compare_run(struct compare_run *out, const struct compare_options *options, enum compare_way way,
                uint64_t seed, struct err *err)
{
    const struct evaluator_options evaluator = {
        .type = &evaluator_recorded, .cores = 1, .simulated_cores = options->cores};
    struct replayer replayer = {
        .options = options, .row = &compare_ways[way], .seed = seed, .run = out, .chosen_s = INFINITY};
    int rc = evaluator_open(&replayer.evaluator, &evaluator, err);

    *out = (struct compare_run){0};
    replayer.seen = calloc(options->replay->count + 1, sizeof *replayer.seen);
    replayer.passed = calloc(options->replay->count + 1, 1);
    replayer.chosen = options->replay->count;
    if (!rc && (!replayer.seen || !replayer.passed))
        rc = err_memory(err);
    if (!rc)
        rc = replayer.row->by_occupancy || replayer.row->on_front ? make_plan(&replayer, err) : 0;
    if (!rc)
        rc = play(&replayer, err);
    close_player(&replayer);
    if (rc)
        compare_run_release(out);
    return rc;
}

void compare_run_release(struct compare_run *run)
{
    free(run->quality);
    free(run->clock_s);
    *run = (struct compare_run){0};
}

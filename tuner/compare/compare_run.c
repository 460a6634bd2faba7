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

struct player {
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

static int launch(struct player *player, enum evaluator_kind kind, uint64_t index,
                  const struct record *record, struct err *err)
{
    const struct compare_predictions *predictions = player->options->predictions;
    struct flight *flight = player->resting;
    int rc = 0;

    if (flight)
        player->resting = flight->next;
    else
        flight = malloc(sizeof *flight);
    if (!flight)
        return err_memory(err);
    *flight = (struct flight){.job = {.kind = kind, .known = record}, .index = index};
    flight->job.code = player->options->replay->entries[index].build;
    if (player->row->strategy->reads_predictions && kind == EVALUATOR_COMPILE && !player->auditing)
        rc = predictions->prediction(&flight->prediction, &flight->predict_s, predictions->context, index,
                                     err);
    if (!rc)
        rc = evaluator_submit(player->evaluator, &flight->job, err);
    if (rc) {
        free(flight);
        return rc;
    }
    player->run->compiled += kind == EVALUATOR_COMPILE && !flight->job.shared && !player->auditing;
    return 0;
}

/* Predicting is really done, in a time that is never quite the same again. It must not change the order in
 * which things happen, or else no run could be repeated: it is added to the simulated clock as work that all
 * cores share. */
static double clock_at(const struct player *player, double simulated_s)
{
    return simulated_s + player->predict_s / player->options->cores;
}

/* Keeps what the trial says; its time, NaN where it failed, in *time_s. */
static int take_trial(double *time_s, struct player *player, const struct flight *flight, struct err *err)
{
    const struct replay *replay = player->options->replay;
    struct compare_run *run = player->run;

    if (ARRAY_GROW(run->quality, run->count, err) || ARRAY_GROW(run->clock_s, run->count, err))
        return ERR_MEMORY;
    *time_s = replay_time(replay, flight->index, player->seed);
    if (*time_s < player->chosen_s) {
        player->chosen_s = *time_s;
        player->chosen = flight->index;
        player->quality = replay->best_s / replay->entries[flight->index].timed->time_s;
    }
    run->quality[run->count] = player->quality;
    run->clock_s[run->count++] = clock_at(player, flight->job.finished_s);
    return 0;
}

/* What the loop asks ------------------------------------------------------- */

/* The one told before whose code this is, or itself. A plan has chosen one of each code beforehand. */
static uint64_t twin_of(const struct player *player, uint64_t index)
{
    const uint64_t code = player->options->replay->entries[index].code;

    if (player->plan)
        return code;
    return player->seen[code] ? player->seen[code] - 1 : index;
}

static int tell_compiled(struct player *player, const struct flight *flight, struct err *err)
{
    const struct replay *replay = player->options->replay;
    const uint64_t index = flight->index;
    struct search_facts facts = {.outcome = replay_compiled(replay, index),
                                 .shared = flight->job.shared,
                                 .spent_s = evaluator_spent_s(&flight->job)};
    const uint64_t twin = twin_of(player, index);

    if (facts.outcome == OUTCOME_OK && twin != index) {
        facts.outcome = OUTCOME_SAME_CODE;
        facts.same_as = twin;
    }
    if (facts.outcome == OUTCOME_OK) {
        player->seen[replay->entries[index].code] = index + 1;
        player->waiting++;
        facts.prediction = flight->prediction;
    }
    return search_tell(player->search, index, &facts, err);
}

static int start_compile(void *context, uint64_t index, struct err *err)
{
    struct player *player = context;
    const struct record *record = player->options->replay->entries[index].record;

    if (!record)
        return search_tell(player->search, index,
                           &(struct search_facts){.outcome = replay_compiled(player->options->replay, index),
                                                  .impossible = true},
                           err);
    return launch(player, EVALUATOR_COMPILE, index, record, err);
}

static int start_trial(void *context, uint64_t index, bool audit, struct err *err)
{
    struct player *player = context;
    const struct replay_entry *entry = &player->options->replay->entries[index];

    (void)audit;
    player->waiting--;
    return launch(player, EVALUATOR_MEASURE, index, entry->timed ? entry->timed : entry->record, err);
}

static int finish(void *context, struct evaluator_job *job, struct err *err)
{
    struct player *player = context;
    struct flight *flight = (struct flight *)job;
    struct search_facts facts = {.timed = true};
    int rc = 0;

    if (job->kind == EVALUATOR_COMPILE) {
        player->predict_s += flight->predict_s;
        rc = tell_compiled(player, flight, err);
    } else {
        if (player->auditing)
            facts.time_s = replay_time(player->options->replay, flight->index, player->seed);
        else
            rc = take_trial(&facts.time_s, player, flight, err);
        facts.outcome = replay_timed(player->options->replay, flight->index);
        facts.spent_s = evaluator_spent_s(job);
        if (!rc)
            rc = search_tell(player->search, flight->index, &facts, err);
    }
    flight->next = player->resting;
    player->resting = flight;
    return rc;
}

/* The search has ended: what it comes to, before the audit, which is counted in nothing. */
static void end_run(struct player *player)
{
    const struct compare_options *options = player->options;
    struct compare_run *run = player->run;

    run->end_s = clock_at(player, evaluator_now_s(player->evaluator));
    run->busy =
        fmax((evaluator_busy_s(player->evaluator, EVALUATOR_COMPILE) + player->predict_s) / options->cores,
             evaluator_busy_s(player->evaluator, EVALUATOR_MEASURE)) /
        run->end_s;
}

/* What the rules cut, compared with the truth; and what the audit will sample from. */
static void judge_cuts(struct player *player)
{
    const struct replay *replay = player->options->replay;
    struct compare_rules *rules = &player->run->rules;
    const double lost_s =
        player->chosen < replay->count ? replay->entries[player->chosen].timed->time_s / 1.01 : INFINITY;
    enum search_fate fate;

    for (uint64_t i = 0; i < replay->count; i++) {
        const struct replay_entry *entry = &replay->entries[i];

        if (!entry->timed)
            continue;
        fate = search_fate(player->search, i);
        player->passed[i] = fate == SEARCH_CUT_ESTIMATE || fate == SEARCH_LEFT;
        if (fate == SEARCH_CUT_BOUND && entry->timed->time_s < lost_s)
            rules->lost_by_bound = 1;
        if (fate == SEARCH_CUT_ESTIMATE && i == replay->best && entry->timed->time_s < lost_s)
            rules->lost_by_estimate = 1;
    }
}

/* Whether the limit that the audit states is above the true share. A configuration with the code of one that
 * was tried is none of those pruned, and several with the same code are one. */
static void judge_audit(struct player *player)
{
    const struct replay *replay = player->options->replay;
    struct compare_rules *rules = &player->run->rules;
    struct search_summary summary;
    uint64_t i, passed = 0, faster = 0;

    search_summarise(&summary, player->search);
    for (i = 0; i < replay->count; i++) {
        if (!player->passed[i] || replay->entries[i].code != i)
            continue;
        passed++;
        faster += replay_time(replay, i, player->seed) < player->chosen_s;
    }
    rules->audits = summary.audit.timed > 0;
    rules->audits_held = rules->audits && (double)faster <= summary.audit.limit * (double)passed;
}

/* What was compiled goes on: nothing is freed by it. */
static bool begin_audit(void *context)
{
    struct player *player = context;

    if (!player->auditing) {
        end_run(player);
        judge_cuts(player);
    }
    player->auditing = true;
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
static size_t place(struct placed *out, bool *keep, const struct player *player)
{
    const struct compare_options *options = player->options;
    const struct replay *replay = options->replay;
    const struct compare_row *row = player->row;
    size_t count = 0;

    if (row->on_front)
        pareto_front(keep, options->pareto, replay->count);
    for (uint64_t i = 0; i < replay->count; i++) {
        const struct replay_entry *entry = &replay->entries[i];

        if (entry->timed && entry->code == i && (!row->on_front || keep[i]))
            out[count++] = (struct placed){i, row->by_occupancy ? entry->timed->occupancy : 0,
                                           hash_random(player->seed, i)};
    }
    qsort(out, count, sizeof *out, by_rank);
    return count;
}

static int make_plan(struct player *player, struct err *err)
{
    const uint64_t count = player->options->replay->count + 1;
    struct placed *placed = malloc(count * sizeof *placed);
    bool *keep = malloc(count * sizeof *keep);
    bool whole;

    player->plan = malloc(count * sizeof *player->plan);
    whole = placed && keep && player->plan;
    if (whole)
        player->plan_count = place(placed, keep, player);
    for (size_t i = 0; i < player->plan_count; i++)
        player->plan[i] = placed[i].index;
    free(placed);
    free(keep);
    return whole ? 0 : err_memory(err);
}

static int play(struct player *player, struct err *err)
{
    const struct compare_options *options = player->options;
    const struct strategy *strategy = player->row->strategy;
    const struct search_options search = {.strategy = strategy,
                                          .seed = player->seed,
                                          .count = options->replay->count,
                                          .first = options->first,
                                          .trials = strategy->prunes ? options->trials : 0,
                                          .audit = strategy->prunes ? SEARCH_AUDIT : 0,
                                          .cores = options->cores,
                                          .space = options->space,
                                          .spec = options->spec,
                                          .plan = player->plan,
                                          .plan_count = player->plan_count};
    int rc = search_open(&player->search, &search, err);

    if (!rc)
        rc = drive(&(struct driver){.strategy = strategy,
                                    .search = player->search,
                                    .evaluator = player->evaluator,
                                    .ready = &player->waiting,
                                    .compile = start_compile,
                                    .time = start_trial,
                                    .finish = finish,
                                    .audit = begin_audit,
                                    .context = player},
                   err);
    if (rc == ERR_SYSTEM)
        err_prefix(err, "the way %s, seed %llu", player->row->name, (unsigned long long)player->seed);
    if (!rc && player->auditing)
        judge_audit(player);
    else if (!rc)
        end_run(player);
    search_close(player->search);
    return rc;
}

/* One run ------------------------------------------------------------------ */

static void close_player(struct player *player)
{
    struct evaluator_job *job;
    struct flight *flight;

    while (player->evaluator && (job = evaluator_wait(player->evaluator, -1)) != NULL)
        free(job);
    evaluator_close(player->evaluator);
    while ((flight = player->resting) != NULL) {
        player->resting = flight->next;
        free(flight);
    }
    free(player->seen);
    free(player->passed);
    free(player->plan);
}

int compare_run(struct compare_run *out, const struct compare_options *options, enum compare_way way,
                uint64_t seed, struct err *err)
{
    const struct evaluator_options evaluator = {
        .type = &evaluator_recorded, .cores = 1, .simulated_cores = options->cores};
    struct player player = {
        .options = options, .row = &compare_ways[way], .seed = seed, .run = out, .chosen_s = INFINITY};
    int rc = evaluator_open(&player.evaluator, &evaluator, err);

    *out = (struct compare_run){0};
    player.seen = calloc(options->replay->count + 1, sizeof *player.seen);
    player.passed = calloc(options->replay->count + 1, 1);
    player.chosen = options->replay->count;
    if (!rc && (!player.seen || !player.passed))
        rc = err_memory(err);
    if (!rc)
        rc = player.row->by_occupancy || player.row->on_front ? make_plan(&player, err) : 0;
    if (!rc)
        rc = play(&player, err);
    close_player(&player);
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

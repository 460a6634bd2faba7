#include "model/emulate/steady.h"

#include "base/hash.h"
#include "model/emulate/follow.h"
#include "model/emulate/signing.h"
#include "model/emulate/steady_state.h"
#include "model/emulate/wander.h"

#include <stdlib.h>
#include <string.h>

int steady_open(struct steady **out, struct err *err)
{
    struct steady *steady = calloc(1, sizeof *steady);

    *out = steady;
    return steady ? 0 : err_memory(err);
}

void steady_reset(struct steady *steady)
{
    for (unsigned k = 0; k < steady->snapshots_count; k++) {
        struct snapshots *snapshots = steady->snapshots[k];

        snapshots->repeats = 0;
        snapshots->rest = snapshots->failures > FORGIVEN ? PATIENCE : 0;
        snapshots->taken = 0;
    }
    steady->sampled = 0;
    steady->depth = 0;
}

void steady_close(struct steady *steady)
{
    if (!steady)
        return;
    for (unsigned k = 0; k < steady->snapshots_count; k++)
        snapshots_free(steady->snapshots[k]);
    for (unsigned k = 0; k < NESTED; k++) {
        free(steady->recordings[k].records);
        free(steady->recordings[k].runs);
    }
    trace_release(&steady->rehearsed);
    free(steady);
}

static struct snapshots *find_watch(struct emulation *emulation, const struct group *group, uint32_t branch)
{
    struct steady *steady = emulation->steady;
    struct snapshots *snapshots;

    for (unsigned k = 0; k < steady->snapshots_count; k++)
        if (steady->snapshots[k]->branch == branch && steady->snapshots[k]->target == group->pc)
            return steady->snapshots[k];
    if (steady->snapshots_count == WATCHES)
        return NULL;
    snapshots = snapshots_new(emulation, branch, group->pc);
    if (snapshots)
        steady->snapshots[steady->snapshots_count++] = snapshots;
    return snapshots;
}

uint64_t steady_horizon(const struct recording *recording)
{
    uint64_t horizon = UINT64_MAX;

    for (size_t k = 0; k < recording->record_count; k++) {
        const uint64_t own = record_horizon(&recording->records[k]);

        if (own < horizon)
            horizon = own;
    }
    return horizon > 2 && horizon < UINT64_MAX ? horizon - 2 : 0;
}

static int count_periods(struct emulation *emulation, const struct recording *recording, uint64_t periods)
{
    follow_periods(emulation, recording->records, recording->record_count, periods);
    for (size_t k = 0; k < recording->record_count; k++) {
        const struct record *record = &recording->records[k];
        const int rc = record->wanders ? 0 : record_count(emulation, record, 2, periods);

        if (rc)
            return rc;
    }
    for (size_t k = 0; k < recording->run_count; k++) {
        const struct record_run *run = &recording->runs[k];

        emulation->issue_steps[run->first] += (int64_t)(periods * run->times);
        emulation->issue_steps[run->end] -= (int64_t)(periods * run->times);
    }
    return 0;
}

int steady_extrapolate(struct emulation *emulation, struct warp *warp, const struct recording *recording,
                       uint64_t periods)
{
    const int rc = emulation->rehearsing ? 0 : count_periods(emulation, recording, periods);

    if (emulation->signing && !emulation->rehearsing)
        sequence_repeat(emulation->signing->now, &recording->lanes, periods);
    warp->passed += periods * recording->passed;
    trace_repeat(&warp->trace, periods * recording->period);
    snapshots_set(recording->current, warp, recording->period, periods);
    return rc;
}

/* As far as can be seen, if that is far enough and rehearsals find nothing else on the way; else 0. */
static uint64_t find_periods(struct emulation *emulation, struct warp *warp, struct group *group)
{
    struct recording *recording = &emulation->steady->recordings[0];
    struct snapshots *snapshots = recording->current;
    const uint64_t periods = recording->wanders ? 0 : steady_horizon(recording);
    bool good = periods >= WORTHWHILE;

    if (snapshots->trusted && periods <= snapshots->rehearsed && !snapshots->cuts)
        return good ? periods : 0;
    for (unsigned k = 0; k < (snapshots->trusted ? 1 : REHEARSALS) && good; k++) /* the last, two between */
        good = steady_rehearse(emulation, warp, group,
                               k ? hash_random(snapshots->branch, k) % periods : periods - 1) &&
               !recording->wanders;
    snapshots->rehearsed = good ? periods : 0;
    return snapshots->rehearsed;
}

/* Two periods were recorded, the newest snapshot is at their end. */
static bool is_known(const struct recording *recording)
{
    return !recording->disturbed && recording->next == recording->record_count &&
           recording->next_run == recording->run_count &&
           snapshots_on_line(recording->current, recording->period);
}

/* The loop is looked at again after some iterations, ever more of them where it fails again. */
static void let_rest(struct snapshots *snapshots)
{
    const unsigned often = snapshots->failures > FORGIVEN ? snapshots->failures - FORGIVEN : 0;

    snapshots->rest = (uint64_t)PATIENCE << often;
    snapshots->failures += often < PATIENCE_MOST && !snapshots->trusted;
    snapshots->trusted = 0;
}

/* The outermost loop goes on as far as can be seen. */
static int conclude(struct emulation *emulation, struct warp *warp, struct group *group)
{
    struct steady *steady = emulation->steady;
    struct recording *recording = &steady->recordings[0];
    struct snapshots *snapshots = recording->current;
    const bool known = is_known(recording);
    const uint64_t periods = known ? find_periods(emulation, warp, group) : 0;
    int rc = 0;

    recording->disturbed = false;
    if (periods)
        rc = steady_extrapolate(emulation, warp, recording, periods);
    else if (known && recording->wanders)
        rc = wander_on(emulation, warp, group);
    steady->depth = 0;
    if (rc < 0)
        return rc;
    if (periods || rc) {
        snapshots->rest = 2 * recording->period;
        snapshots->trusted = recording->period;
        snapshots->failures = 0;
        snapshots->sampled = !periods;
    } else if (snapshots->trusted) { /* it ends soon */
        snapshots->rest = snapshots->trusted = 0;
    } else if ((!known || recording->wanders || !recording->nests) && recording->period < SNAPSHOT_PERIOD) {
        /* addresses or comparisons that repeat after more iterations, maybe, or a counter that wraps: it looks
         * steady for as long as it does not */
        snapshots->uneven = recording->period;
        snapshots->this_time = known && !recording->wanders;
    } else {
        let_rest(snapshots);
    }
    return 0;
}

/* A loop inside others that are recorded goes on if that was rehearsed before: each period of the others does
 * the same then. */
static int conclude_inner(struct emulation *emulation, struct warp *warp)
{
    struct steady *steady = emulation->steady;
    const struct recording *recording = &steady->recordings[steady->depth - 1];
    struct snapshots *snapshots = recording->current;
    const uint64_t periods = is_known(recording) && !recording->wanders ? steady_horizon(recording) : 0;
    const bool goes_on = periods >= WORTHWHILE && periods <= snapshots->rehearsed;

    if (goes_on)
        fold_into_outer(steady, periods);
    steady->depth--;
    snapshots->rest = goes_on ? 2 * recording->period : PATIENCE;
    return goes_on ? steady_extrapolate(emulation, warp, recording, periods) : 0;
}

/* The end of an iteration of the loop that is recorded innermost. */
static int next_iteration(struct emulation *emulation, struct warp *warp, struct group *group)
{
    struct steady *steady = emulation->steady;
    struct recording *recording = &steady->recordings[steady->depth - 1];
    int rc;

    snapshots_take(recording->current, warp);
    if (++recording->iteration < recording->period)
        return 0;
    recording->iteration = 0;
    if (recording->phase == PHASE_LEARN) {
        rc = steady->depth > 1 ? conclude_inner(emulation, warp) : conclude(emulation, warp, group);
        recording->current->taken = 0;
        recording->current->repeats = 0;
        return rc;
    }
    recording->passed = warp->passed - recording->passed;
    recording->cost = emulation->result->executed - recording->executed;
    recording->phase = PHASE_LEARN;
    recording->periods = 1;
    if (emulation->signing)
        recording->lanes = *emulation->signing->now;
    recording->next = recording->next_run = 0;
    return 0;
}

static bool recording_init(struct recording *recording)
{
    if (!recording->records)
        recording->records = malloc(RECORD_MOST * sizeof *recording->records);
    if (!recording->runs)
        recording->runs = malloc(RECORD_MOST * sizeof *recording->runs);
    return recording->records && recording->runs;
}

static int start_recording(struct emulation *emulation, struct snapshots *snapshots, const struct warp *warp,
                           unsigned period)
{
    struct recording *recording = &emulation->steady->recordings[emulation->steady->depth];

    if (!recording_init(recording))
        return err_memory(emulation->err);
    emulation->steady->depth++;
    recording->current = snapshots;
    recording->phase = PHASE_RECORD;
    recording->period = period;
    recording->iteration = 0;
    recording->record_count = recording->run_count = 0;
    recording->passed = warp->passed;
    recording->executed = emulation->result->executed;
    recording->disturbed = recording->wanders = recording->nests = false;
    return 0;
}

static bool others_wait(const struct warp *warp, const struct group *group)
{
    for (unsigned k = 0; k < warp->group_count; k++)
        if (&warp->groups[k] != group && warp->groups[k].state <= GROUP_AT_YIELD)
            return false;
    return true;
}

/* Whether a loop that is recorded is this one, or around it. */
static bool is_around(const struct snapshots *recorded, const struct snapshots *loop)
{
    return recorded == loop || (loop->branch > recorded->target && loop->branch < recorded->branch);
}

/* The loop that is recorded innermost was left, or its iterations are not alike. */
static void give_up(struct steady *steady)
{
    struct snapshots *snapshots = steady->recordings[--steady->depth].current;

    let_rest(snapshots);
    snapshots->taken = 0;
}

/* Gives up loops that do not contain this one, and all if the outermost is known not to be steady. */
static void leave_others(struct emulation *emulation, const struct snapshots *loop)
{
    struct steady *steady = emulation->steady;

    while (steady->depth && !is_around(steady->recordings[steady->depth - 1].current, loop))
        give_up(steady);
    while (steady->depth && steady->recordings[0].disturbed && !emulation->rehearsing)
        give_up(steady);
}

/* Whether a loop inside was sampled, which would be executed whole where this one is recorded. */
static bool is_dear(const struct steady *steady, const struct snapshots *loop)
{
    bool dear = false;

    for (unsigned k = 0; k < steady->snapshots_count; k++)
        dear |= steady->snapshots[k]->sampled && steady->snapshots[k] != loop &&
                is_around(loop, steady->snapshots[k]);
    return dear;
}

static int watch(struct emulation *emulation, struct snapshots *snapshots, const struct warp *warp)
{
    static const unsigned periods[] = {1, 2, 3, 4, 5, 6, 7, 8};

    snapshots_take(snapshots, warp);
    if (snapshots->trusted) /* another warp: it will be checked all the same */
        return start_recording(emulation, snapshots, warp, snapshots->trusted);
    for (unsigned k = 0; k < sizeof periods / sizeof *periods; k++)
        if (periods[k] > snapshots->uneven && snapshots->taken > 2 * periods[k] &&
            snapshots_on_line(snapshots, periods[k]))
            return start_recording(emulation, snapshots, warp, periods[k]);
    return 0;
}

/* The loop is begun, or it goes another way than before. */
static void begin_again(struct snapshots *snapshots, const struct group *group, uint64_t repeats)
{
    snapshots->taken = 0;
    snapshots->mask = group->mask;
    if (repeats)
        return;
    if (snapshots->this_time)
        snapshots->uneven = 0;
    if (snapshots->trusted)
        snapshots->rest = 0;
}

int steady_back_edge(struct emulation *emulation, struct warp *warp, struct group *group, uint32_t branch,
                     uint64_t repeats)
{
    struct steady *steady = emulation->steady;
    struct snapshots *snapshots = find_watch(emulation, group, branch);
    bool recorded, again;

    if (!snapshots)
        return 0;
    leave_others(emulation, snapshots);
    recorded = steady->depth && steady->recordings[steady->depth - 1].current == snapshots;
    again = repeats != snapshots->repeats + 1 || group->mask != snapshots->mask ||
            (warp->regs->tainted && snapshots->count > snapshots->register_count) ||
            !others_wait(warp, group);
    snapshots->repeats = repeats;
    if (recorded && !again)
        return next_iteration(emulation, warp, group);
    if (recorded)
        give_up(steady);
    else if (steady->depth)
        steady->recordings[steady->depth - 1].nests = true;
    if (again)
        begin_again(snapshots, group, repeats);
    if (steady->depth && (!snapshots->trusted || steady->depth == NESTED))
        return 0; /* part of a recorded period, which every period must do alike */
    if (snapshots->rest) {
        snapshots->rest--;
        return 0;
    }
    if (repeats < PATIENCE && is_dear(steady, snapshots)) /* which a short loop does not pay back */
        return 0;
    return watch(emulation, snapshots, warp);
}

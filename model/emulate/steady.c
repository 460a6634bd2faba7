#include "model/emulate/steady.h"

#include "base/hash.h"
#include "model/emulate/run.h"
#include "model/emulate/steady_state.h"
#include "model/emulate/wander.h"

#include <stdlib.h>
#include <string.h>

int steady_open(struct steady **out, struct err *err)
{
    struct steady *steady = calloc(1, sizeof *steady);

    *out = steady;
    if (!steady)
        return err_memory(err);
    steady->records = malloc(RECORD_MOST * sizeof *steady->records);
    steady->runs = malloc(RECORD_MOST * sizeof *steady->runs);
    if (!steady->records || !steady->runs)
        return err_memory(err); /* the owner closes it */
    return 0;
}

void steady_reset(struct steady *steady)
{
    for (unsigned k = 0; k < steady->snapshots_count; k++) {
        steady->snapshots[k]->repeats = steady->snapshots[k]->rest = 0;
        steady->snapshots[k]->taken = 0;
    }
    steady->sampled = 0;
    steady->phase = PHASE_WATCH;
}

void steady_close(struct steady *steady)
{
    if (!steady)
        return;
    for (unsigned k = 0; k < steady->snapshots_count; k++)
        snapshots_free(steady->snapshots[k]);
    free(steady->records);
    free(steady->runs);
    free(steady);
}

bool steady_listens(const struct steady *steady)
{
    return steady && steady->phase != PHASE_WATCH;
}

/* Compares it with the record: the same instruction may do the same elsewhere than expected. */
static void compare(struct steady *steady, size_t k, const struct sight *sight)
{
    struct record *record = &steady->records[k];

    if (steady->capture && sight->request)
        memcpy(steady->capture[k], sight->values[0], sizeof *steady->capture);
    if (record_follows(record, sight, steady->periods, steady->phase == PHASE_LEARN))
        return;
    if (record_is_alike(record, sight))
        record->wanders = steady->wanders = true;
    else
        steady->disturbed = true;
}

/* Takes what the period did: into the list at first, compared with it later. */
static void take(struct steady *steady, const struct sight *sight)
{
    if (steady->phase == PHASE_RECORD) {
        if (steady->record_count == RECORD_MOST)
            steady->disturbed = true;
        else
            record_first(&steady->records[steady->record_count++], sight);
        return;
    }
    if (steady->next >= steady->record_count)
        steady->disturbed = true;
    else
        compare(steady, steady->next++, sight);
}

void steady_access(struct steady *steady, const struct request *request, bool wanted, bool is_stack)
{
    const struct sight sight = {.i = request->i,
                                .mask = request->mask,
                                .operand_count = 1,
                                .values = &request->address,
                                .request = request,
                                .fixed = wanted};

    if (wanted && request->access & SASS_WRITES && !is_stack)
        steady->disturbed = true;
    if (!steady->disturbed)
        take(steady, &sight);
}

static bool sets_predicate(const struct sass *i)
{
    for (unsigned k = 0; k < i->destination_count; k++)
        if ((i->destinations[k].kind == SASS_PREDICATE ||
             i->destinations[k].kind == SASS_UNIFORM_PREDICATE) &&
            i->destinations[k].index != SASS_PT)
            return true;
    return false;
}

static bool reads_clock(const struct sass *i)
{
    return i->source_count && i->sources[0].kind == SASS_SPECIAL && i->sources[0].value >= SASS_SR_CLOCKLO &&
           i->sources[0].value <= SASS_SR_GLOBALTIMERHI;
}

void steady_compute(struct steady *steady, const struct alu *x)
{
    uint64_t values[RECORD_OPERANDS][LANES];
    struct sight sight = {.i = x->i, .mask = x->active, .values = (const uint64_t(*)[LANES])values};

    if (reads_clock(x->i))
        steady->disturbed = true;
    if (steady->disturbed || !sets_predicate(x->i) || !x->source_count)
        return;
    /* LEA has a fourth operand, the shift, an immediate */
    sight.operand_count = x->source_count < RECORD_OPERANDS ? x->source_count : RECORD_OPERANDS;
    for (unsigned k = 0; k < sight.operand_count; k++) {
        const bool wide = x->i->sources[x->slot[k]].count > 1;

        for (unsigned l = 0; l < LANES; l++)
            values[k][l] = x->s[k][0][l] | (wide ? (uint64_t)x->s[k][1][l] << 32 : 0);
    }
    take(steady, &sight);
}

void steady_run(struct steady *steady, uint32_t first, uint32_t end)
{
    if (steady->phase == PHASE_RECORD && steady->run_count < RECORD_MOST) {
        steady->runs[steady->run_count++] = (struct record_run){first, end};
        return;
    }
    if (steady->phase == PHASE_RECORD || steady->next_run >= steady->run_count ||
        steady->runs[steady->next_run].first != first || steady->runs[steady->next_run].end != end)
        steady->disturbed = true;
    steady->next_run++;
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

/* Executes one period from the state at the loop's head, uncounted: whether it goes as recorded. */
static bool execute_period(struct emulation *emulation, struct warp *warp, struct group *group)
{
    struct steady *steady = emulation->steady;
    uint32_t start = group->pc;

    while (steady->next_run < steady->run_count && !steady->disturbed) {
        uint32_t pc;
        const int rc = run_step(&pc, emulation, warp, group);

        if (rc == STEP_NEXT)
            continue;
        if (rc < 0 || rc == STEP_STOPPED || group->state != GROUP_READY ||
            group->mask != steady->current->mask)
            return false;
        steady_run(steady, start, pc + 1);
        start = group->pc;
    }
    return !steady->disturbed && steady->next == steady->record_count && group->pc == steady->current->target;
}

/* What a rehearsal may change of a warp beside registers that nobody needs any more. */
struct kept {
    row b[RECONVERGE];
    struct group groups[LANES];
    unsigned group_count, turn;
    uint32_t exited;
    uint64_t passed;
    unsigned alive;
    struct emulate_result result;
};

static void keep(struct kept *kept, const struct emulation *emulation, const struct warp *warp)
{
    memcpy(kept->b, warp->regs->b, sizeof kept->b);
    memcpy(kept->groups, warp->groups, sizeof kept->groups);
    kept->group_count = warp->group_count;
    kept->turn = warp->turn;
    kept->exited = warp->exited;
    kept->passed = warp->passed;
    kept->alive = emulation->alive;
    kept->result = *emulation->result;
}

static void put_back(const struct kept *kept, struct emulation *emulation, struct warp *warp)
{
    const uint64_t executed = emulation->result->executed;

    memcpy(warp->regs->b, kept->b, sizeof kept->b);
    memcpy(warp->groups, kept->groups, sizeof kept->groups);
    warp->group_count = kept->group_count;
    warp->turn = kept->turn;
    warp->exited = kept->exited;
    warp->passed = kept->passed;
    emulation->alive = kept->alive;
    emulation->restart = false;
    emulation->mistrust = NOBODY;
    *emulation->result = kept->result;
    emulation->result->executed = executed;
}

bool steady_rehearse(struct emulation *emulation, struct warp *warp, struct group *group, uint64_t periods)
{
    struct steady *steady = emulation->steady;
    struct snapshots *snapshots = steady->current;
    struct kept kept;
    bool good;

    keep(&kept, emulation, warp);
    snapshots_set(snapshots, warp, steady->period, periods);
    steady->phase = PHASE_REHEARSE;
    steady->next = steady->next_run = 0;
    steady->periods = periods + 2; /* counted from the recorded period */
    emulation->rehearsing = true;
    good = execute_period(emulation, warp, group) &&
           snapshots_agrees(snapshots, warp, steady->period, periods + 1);
    emulation->rehearsing = false;
    put_back(&kept, emulation, warp);
    snapshots_set(snapshots, warp, steady->period, 0);
    steady->disturbed = false;
    return good;
}

uint64_t steady_horizon(const struct steady *steady)
{
    uint64_t horizon = UINT64_MAX;

    for (size_t k = 0; k < steady->record_count; k++) {
        const uint64_t own = record_horizon(&steady->records[k]);

        if (own < horizon)
            horizon = own;
    }
    return horizon > 2 && horizon < UINT64_MAX ? horizon - 2 : 0;
}

int steady_extrapolate(struct emulation *emulation, struct warp *warp, uint64_t periods)
{
    struct steady *steady = emulation->steady;

    for (size_t k = 0; k < steady->record_count; k++) {
        const struct record *record = &steady->records[k];
        const int rc = record->wanders ? 0 : record_count(emulation, record, 2, periods);

        if (rc)
            return rc;
    }
    for (size_t k = 0; k < steady->run_count; k++) {
        emulation->issue_steps[steady->runs[k].first] += (int64_t)periods;
        emulation->issue_steps[steady->runs[k].end] -= (int64_t)periods;
    }
    warp->passed += periods * steady->passed;
    trace_repeat(&warp->trace, periods * steady->period);
    snapshots_set(steady->current, warp, steady->period, periods);
    return 0;
}

/* As far as can be seen, if that is far enough and rehearsals find nothing else on the way; else 0. */
static uint64_t find_periods(struct emulation *emulation, struct warp *warp, struct group *group)
{
    struct steady *steady = emulation->steady;
    struct snapshots *snapshots = steady->current;
    const uint64_t periods = steady->wanders ? 0 : steady_horizon(steady);
    bool good = periods >= WORTHWHILE;

    if (snapshots->trusted && periods <= snapshots->rehearsed)
        return good ? periods : 0;
    for (unsigned k = 0; k < (snapshots->trusted ? 1 : REHEARSALS) && good; k++) /* the last, two between */
        good = steady_rehearse(emulation, warp, group,
                               k ? hash_random(snapshots->branch, k) % periods : periods - 1) &&
               !steady->wanders;
    snapshots->rehearsed = good ? periods : 0;
    return snapshots->rehearsed;
}

/* Two periods are recorded, the newest snapshot is at their end: go as far as can be seen. */
static int conclude(struct emulation *emulation, struct warp *warp, struct group *group)
{
    struct steady *steady = emulation->steady;
    struct snapshots *snapshots = steady->current;
    const bool known = !steady->disturbed && steady->next == steady->record_count &&
                       steady->next_run == steady->run_count && snapshots_on_line(snapshots, steady->period);
    const uint64_t periods = known ? find_periods(emulation, warp, group) : 0;
    int rc = 0;

    steady->disturbed = false;
    if (periods)
        rc = steady_extrapolate(emulation, warp, periods);
    else if (known && steady->wanders)
        rc = wander_on(emulation, warp, group);
    steady->phase = PHASE_WATCH;
    if (rc < 0)
        return rc;
    snapshots->rest = periods || rc        ? 2 * steady->period
                      : snapshots->trusted ? 0
                                           : PATIENCE; /* it ends soon */
    snapshots->trusted = periods || rc ? steady->period : 0;
    snapshots->taken = 0;
    snapshots->repeats = 0;
    return 0;
}

/* The end of an iteration of the loop that is being recorded. */
static int next_iteration(struct emulation *emulation, struct warp *warp, struct group *group)
{
    struct steady *steady = emulation->steady;

    snapshots_take(steady->current, warp);
    if (++steady->iteration < steady->period)
        return 0;
    steady->iteration = 0;
    if (steady->phase == PHASE_LEARN)
        return conclude(emulation, warp, group);
    steady->passed = warp->passed - steady->passed;
    steady->cost = emulation->result->executed - steady->executed;
    steady->phase = PHASE_LEARN;
    steady->periods = 1;
    steady->next = steady->next_run = 0;
    return 0;
}

static void start_recording(struct emulation *emulation, struct snapshots *snapshots, const struct warp *warp,
                            unsigned period)
{
    struct steady *steady = emulation->steady;

    steady->current = snapshots;
    steady->phase = PHASE_RECORD;
    steady->period = period;
    steady->iteration = 0;
    steady->record_count = steady->run_count = 0;
    steady->passed = warp->passed;
    steady->executed = emulation->result->executed;
    steady->disturbed = steady->wanders = false;
}

static bool others_wait(const struct warp *warp, const struct group *group)
{
    for (unsigned k = 0; k < warp->group_count; k++)
        if (&warp->groups[k] != group && warp->groups[k].state == GROUP_READY)
            return false;
    return true;
}

/* The recorded loop was left, or its iterations are no longer alike. */
static void give_up(struct steady *steady)
{
    steady->phase = PHASE_WATCH;
    steady->current->rest = PATIENCE;
    steady->current->trusted = 0;
    steady->current->taken = 0;
}

int steady_back_edge(struct emulation *emulation, struct warp *warp, struct group *group, uint32_t branch,
                     uint64_t repeats)
{
    static const unsigned periods[] = {1, 2, 3, 4, 6, 8};
    struct steady *steady = emulation->steady;
    struct snapshots *snapshots = find_watch(emulation, group, branch);

    if (!snapshots)
        return 0;
    if (steady->phase != PHASE_WATCH && snapshots != steady->current) {
        if (branch > steady->current->target && branch < steady->current->branch)
            return 0; /* an inner loop: part of the recorded period */
        give_up(steady);
    }
    if (repeats != snapshots->repeats + 1 || group->mask != snapshots->mask || warp->regs->tainted ||
        !others_wait(warp, group)) {
        if (steady->phase != PHASE_WATCH)
            give_up(steady);
        snapshots->taken = 0;
        snapshots->mask = group->mask;
    }
    snapshots->repeats = repeats;
    if (steady->phase != PHASE_WATCH)
        return next_iteration(emulation, warp, group);
    if (snapshots->rest) {
        snapshots->rest--;
        return 0;
    }
    snapshots_take(snapshots, warp);
    if (snapshots->trusted) { /* another warp: it will be checked all the same */
        start_recording(emulation, snapshots, warp, snapshots->trusted);
        return 0;
    }
    for (unsigned k = 0; k < sizeof periods / sizeof *periods; k++)
        if (snapshots->taken > 2 * periods[k] && snapshots_on_line(snapshots, periods[k])) {
            start_recording(emulation, snapshots, warp, periods[k]);
            break;
        }
    return 0;
}

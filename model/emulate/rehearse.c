/* Executes a period of a recorded loop where it is expected to be later, to see that it is. */
#include "model/emulate/step.h"
#include "model/emulate/steady.h"
#include "model/emulate/steady_state.h"

#include <string.h>

/* Instructions start to pc were executed and led to where the group is now: a loop inside may be folded. */
static bool end_run(struct emulation *emulation, struct warp *warp, struct group *group, uint32_t start,
                    uint32_t pc)
{
    const uint32_t outer = emulation->steady->recordings[0].current->branch;
    int rc;

    steady_run(emulation->steady, start, pc + 1);
    rc = trace_run(&warp->trace, start, pc + 1, emulation->err);
    if (!rc && group->pc <= pc)
        rc = trace_back(&warp->trace, pc, group->pc, emulation->err);
    if (!rc && group->pc <= pc && pc != outer)
        rc = steady_back_edge(emulation, warp, group, pc, trace_repeats(&warp->trace));
    return rc == 0 && emulation->steady->depth;
}

/* Executes one period from the state at the loop's head, uncounted: whether it goes as recorded. */
static bool execute_period(struct emulation *emulation, struct warp *warp, struct group *group)
{
    const struct recording *recording = &emulation->steady->recordings[0];
    uint32_t start = group->pc;

    while (recording->next_run < recording->run_count && !recording->disturbed) {
        uint32_t pc;
        const int rc = run_step(&pc, emulation, warp, group);

        if (rc == STEP_NEXT)
            continue;
        if (rc < 0 || rc == STEP_STOPPED || group->state != GROUP_READY ||
            group->mask != recording->current->mask)
            return false;
        if (!end_run(emulation, warp, group, start, pc))
            return false;
        start = group->pc;
    }
    return !recording->disturbed && recording->next == recording->record_count &&
           group->pc == recording->current->target;
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
    struct trace trace;
};

static void keep(struct kept *kept, const struct emulation *emulation, const struct warp *warp)
{
    memcpy(kept->b, warp->regs->b, sizeof kept->b);
    memcpy(kept->groups, warp->groups, sizeof kept->groups);
    kept->group_count = warp->group_count;
    kept->turn = warp->turn;
    kept->exited = warp->exited;
    kept->passed = warp->passed;
    kept->alive = emulation->own.alive;
    kept->result = *emulation->result;
    kept->trace = warp->trace;
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
    warp->trace = kept->trace;
    emulation->own.alive = kept->alive;
    emulation->restart = false;
    emulation->mistrust = NOBODY;
    *emulation->result = kept->result;
    emulation->result->executed = executed;
}

bool steady_rehearse(struct emulation *emulation, struct warp *warp, struct group *group, uint64_t periods)
{
    struct steady *steady = emulation->steady;
    struct recording *recording = &steady->recordings[0];
    struct snapshots *snapshots = recording->current;
    struct kept kept;
    bool good;

    keep(&kept, emulation, warp);
    warp->trace = steady->rehearsed;
    trace_clear(&warp->trace);
    snapshots_set(snapshots, warp, recording->period, periods);
    recording->phase = PHASE_REHEARSE;
    recording->next = recording->next_run = 0;
    recording->periods = periods + 2; /* counted from the recorded period */
    emulation->rehearsing = true;
    good = execute_period(emulation, warp, group) &&
           snapshots_agrees(snapshots, warp, recording->period, periods + 1);
    emulation->rehearsing = false;
    steady->depth = 1;
    steady->rehearsed = warp->trace;
    put_back(&kept, emulation, warp);
    snapshots_set(snapshots, warp, recording->period, 0);
    recording->disturbed = false;
    return good;
}

#include "model/sm/run.h"

#include "model/sm/async.h"
#include "model/sm/blocks.h"
#include "model/sm/scheduler.h"
#include "model/sm/serve.h"
#include "model/sm/storing.h"

#include <math.h>
#include <string.h>

enum {
    WATCHFUL = 1 << 14 /* instructions between two looks at whether to stop */
};

/* Issue -------------------------------------------------------------------- */

/* When an instruction chosen at `time` can read its registers. Whoever chooses does not look at that: the
 * instruction keeps those behind it waiting. */
static inline double read_time(const double bank[REGISTER_BANKS], const struct sm_op *op, double window,
                               double time)
{
    for (int b = 0; b < REGISTER_BANKS; b++)
        time = later(time, bank[b] + op->needs[b] - window);
    return time;
}

static inline void read_registers(double bank[REGISTER_BANKS], const struct sm_op *op, double time)
{
    for (int b = 0; b < REGISTER_BANKS; b++)
        bank[b] = later(bank[b], time) + op->reads[b];
}

static struct sm_warp *next_warp(const struct sm_partition *at)
{
    return &at->warps[at->who];
}

/* The next warp has issued, and is the last one; the scheduler is free again at `time`. */
static inline void take_up(struct sm_partition *at, double time)
{
    at->last = at->who;
    sm_free(at, time);
    at->able &= ~(UINT64_C(1) << at->last);
}

/* Issues the next instruction of a sub-partition, at `next` if it can read its registers; when it goes. Who
 * had to wait for the load/store units lets the others go first: stores of ever more warps, which merge while
 * few come in between, showed that on an NVIDIA H200. */
static double issue(const struct sm_state *sm, struct sm_partition *at, double next)
{
    const struct sm_op *op = at->ops[at->who];
    const double time = read_time(at->bank, op, sm->read_window, next);
    struct sm_warp *warp = next_warp(at);

    warp->next++;
    warp->earliest = time + op->stall;
    at->yields = op->yields || (sm_queues(op->port) && sm->queue_free[true] >= next);
    at->pipe[sm_pipe(op->port)] = time + op->interval;
    read_registers(at->bank, op, time);
    take_up(at, time + op->busy);
    return time;
}

/* Whether the next instruction and what it does stay within the sub-partition. */
static bool goes_alone(const struct sm_partition *at)
{
    const struct sm_warp *warp = next_warp(at);

    return at->ops[at->who]->local && warp->next < warp->safe;
}

/* Issues the next instruction of a sub-partition, which goes alone, and those of the same warp that follow at
 * once, wait for nothing else and go alone, too, before `horizon`. Most instructions go that way: it does
 * what issue() does, with what changes from one to the next at hand. How many they are. */
static size_t go_on(struct sm_state *sm, unsigned p, double horizon)
{
    struct sm_partition *at = &sm->partitions[p];
    struct sm_warp *warp = next_warp(at);
    const struct sm_op *op = at->ops[at->who], *last;
    const uint32_t *const first = warp->next, *next = first;
    double bank[REGISTER_BANKS], time, free = sm->next[p];

    memcpy(bank, at->bank, sizeof bank);
    do {
        last = op;
        time = read_time(bank, last, sm->read_window, free);
        free = time + last->busy;
        at->pipe[sm_pipe(last->port)] = time + last->interval;
        read_registers(bank, last, time);
        op = &sm->code->ops[*++next];
    } while (time + last->stall <= free && !last->yields && op->prompt && free < horizon &&
             next < warp->safe && at->pipe[sm_pipe(op->port)] <= free);
    memcpy(at->bank, bank, sizeof bank);
    warp->next = next;
    warp->earliest = time + last->stall;
    at->yields = last->yields;
    take_up(at, free);
    sm_note_next(sm, at, at->last);
    return (size_t)(next - first);
}

/* Lets a sub-partition, whose next instruction goes alone, go on by itself for as long as nobody else sees what it
 * does, nor it what others do: up to `horizon`, before which no warp of its is set going by others. How many instructions
 * that makes. */
static size_t run_ahead(struct sm_state *sm, unsigned p, double horizon)
{
    size_t steps = 0;

    do {
        steps += go_on(sm, p, horizon);
        sm_choose(sm, p);
    } while (steps < WATCHFUL && sm->next[p] < horizon && goes_alone(&sm->partitions[p]));
    sm->issued += steps;
    return steps;
}

/* The warp goes on while its product waits in the queue; how long that is. */
static double queue_product(struct sm_state *sm, struct sm_partition *at, const struct sm_request *request,
                            unsigned port, double time)
{
    const struct sm_warp *warp = &at->warps[at->last];
    double *const free = &at->pipe[sm_pipe(port)];
    double wait;

    sm->storing += sm_stored_for(at, warp->block_slot, warp->group);
    wait = products_issue(&at->products, time, request->queued);
    *free = later(*free, products_open(&at->products));
    return wait;
}

/* Issues the next instruction of a sub-partition; true when others may go earlier or later than thought. */
static bool step(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    struct sm_warp *warp = next_warp(at);
    const struct sm_op *op = at->ops[at->who];
    const size_t i = sm_instruction(sm->code, *warp->next);
    const double time = issue(sm, at, sm->next[p]);

    sm->issued++;
    if (op->async && !sm_has_ended(warp))
        return sm_async_step(sm, at, &sm->code->requests[i], i, time);
    if (op->asks && !op->async) {
        const struct sm_request *request = &sm->code->requests[i];
        const double wait = request->queued > 0 ? queue_product(sm, at, request, op->port, time) : 0;

        sm->turn = p;
        sm_use_memory(sm, warp, request, time + wait);
        sm_move_all(sm);
    }
    if (sm_has_ended(warp)) {
        sm->end = later(sm->end, time + sm->in->code->ops[i].stall);
        return sm_end_warp(sm, at, time);
    }
    if (op->barrier) /* of the cluster: its latency is part of the stall */
        return sm_arrive(sm, at, sm->in->sass->instructions[i].op == SASS_BAR ? time : time + op->stall);
    sm_note_next(sm, at, at->last);
    return false;
}

static bool is_at_fork(const struct sm_warp *warp)
{
    return warp->next >= warp->safe;
}

/* The sub-partition that issues first. */
static unsigned first_of(const struct sm_state *sm)
{
    const unsigned partitions = sm->code->subset.count;
    unsigned first = 0, p;

    for (p = 1; p < partitions; p++)
        first = sm->next[p] < sm->next[first] ? p : first;
    if (!sm->takes_turns)
        return first;
    for (p = sm->turn + 1; p < partitions && sm->next[p] > sm->next[first];)
        p++;
    return p < partitions ? p : first;
}

/* Until when no warp of a sub-partition that goes next at `next`, before all others, is set going by others. */
static double horizon_of(const struct sm_state *sm, const struct sm_partition *at, double next)
{
    return at->idle ? next + sm->lookahead : INFINITY;
}

/* Whether no more is to be simulated, at `time`. */
static bool has_enough(struct sm_state *sm, double time)
{
    for (; sm->most && sm->marked < SM_MARKS && sm->issued * SM_MARKS >= sm->most * (sm->marked + 1);
         sm->marked++)
        sm->marks[sm->marked] = time;
    return sm->most && (sm->starved || sm->issued >= sm->most);
}

static int run_on(struct sm_state *sm, struct err *err)
{
    size_t steps = 0; /* since the last look at whether to stop */

    for (;; steps++) {
        const unsigned first = first_of(sm);
        const struct sm_partition *at = &sm->partitions[first];
        const double next = sm->next[first], horizon = horizon_of(sm, at, next);

        if (steps >= WATCHFUL && sm->in->stop && atomic_load(sm->in->stop))
            return err_set(err, ERR_STOPPED, "SM simulation: nobody waits for it any more");
        steps %= WATCHFUL;
        if (!(next < INFINITY) || sm->ended >= sm->enough)
            break;
        if (has_enough(sm, next)) {
            sm->end = next;
            return 0;
        }
        if (at->moved && sm->queue_free[true] <= next)
            sm_choose_moved(sm, first);
        if (horizon > next && goes_alone(at)) /* a lookahead of less than a rounding error is none */
            steps += run_ahead(sm, first, horizon);
        else if (sm->shared_only && is_at_fork(next_warp(at)))
            return 0;
        else if (sm->queue_free[sm_queues(at->ports[at->who])] > next)
            sm_choose(sm, first);
        else if (!step(sm, first))
            sm_choose(sm, first);
        else
            sm_choose_all(sm);
    }
    sm->end = later(later(later(sm->end, sm->units_free), sm->dram_free), later(sm->l2_free, sm->l2_taken));
    for (int s = 0; s < SM_SERVERS; s++)
        sm->end = later(sm->end, sm->own_free[s]);
    return 0;
}

static int run(struct sm_state *sm, struct err *err)
{
    const size_t before = sm->issued;
    const int rc = run_on(sm, err);

    if (sm->code->issued)
        *sm->code->issued += sm->issued - before;
    return rc;
}

/* Simulation --------------------------------------------------------------- */

static struct sm_ran ran_of(const struct sm_state *sm, bool lost)
{
    return (struct sm_ran){
        .cycles = sm->end,
        .waited = sm->waited / sm->warp_count,
        .engine_busy = sm->engine_busy,
        .under_way = sm->end > 0 ? sm->under_way / sm->end : 0,
        .storing = sm_storing_share(sm),
        .lost = lost,
    };
}

int sm_run(struct sm_ran *out, const struct sm_input *in, const struct sm_code *code,
           const struct sm_list *lists, unsigned blocks, struct err *err)
{
    struct sm_state sm = sm_state_of(in, code);
    int rc = sm_start(&sm, lists, blocks, 0, err);

    if (!rc)
        rc = run(&sm, err);
    *out = ran_of(&sm, sm.lost || sm.ended < sm.slots_used);
    sm_release(&sm);
    return rc;
}

int sm_run_part(struct sm_part *out, const struct sm_input *in, const struct sm_code *code,
                const struct sm_list *lists, unsigned blocks, size_t most, struct err *err)
{
    struct sm_state sm = sm_state_of(in, code);
    int rc = sm_start(&sm, lists, blocks, 0, err);
    unsigned half;

    sm.most = most;
    if (!rc)
        rc = run(&sm, err);
    half = sm.marked / 2;
    *out = (struct sm_part){
        .ran = ran_of(&sm, sm.lost || (sm.ended < sm.slots_used && sm.issued < most && !sm.starved)),
        .issued = (double)sm.issued,
        .half = (double)half * (double)most / SM_MARKS,
        .half_cycles = half ? sm.marks[half - 1] : 0,
        .whole = sm.ended >= sm.slots_used,
    };
    sm_release(&sm);
    return rc;
}

static double ops_of(const struct sm_input *in, const struct sm_list *lists, size_t number)
{
    const struct emulate_block *block = in->blocks[number % in->block_count];
    double ops = 0;

    for (unsigned w = 0; w < block->warps; w++)
        ops += (double)lists[block->paths[w]].count;
    return ops;
}

/* What the blocks of the waves after the first issue, over what as many of the mean do: they may be some of the mixture only. */
static double share_of_waves(const struct sm_state *sm, const struct sm_list *lists, unsigned waves)
{
    const size_t first = sm->slots_used, end = first * (1 + waves), mixed = sm->in->block_count;
    double own = 0, all = 0;

    for (size_t k = first; k < end; k++)
        own += ops_of(sm->in, lists, k);
    for (size_t k = 0; k < mixed; k++)
        all += ops_of(sm->in, lists, k);
    return all > 0 ? own / all * (double)mixed / (double)(end - first) : 1;
}

/* The mean of `waves` waves after the first, of mean work. */
static int run_waves(double *cycles, struct sm_state *sm, const struct sm_list *lists, unsigned waves,
                     struct err *err)
{
    const unsigned blocks = sm->slots_used;
    double first;
    int rc;

    sm->enough = blocks;
    rc = run(sm, err);
    first = sm->ended_at;
    sm->enough = (1 + waves) * blocks;
    if (!rc)
        rc = run(sm, err);
    *cycles = (sm->ended_at - first) / waves / share_of_waves(sm, lists, waves);
    return rc;
}

int sm_run_wave(double *cycles, const struct sm_input *in, const struct sm_code *code,
                const struct sm_list *lists, unsigned blocks, unsigned waves, double stagger, struct err *err)
{
    struct sm_state sm = sm_state_of(in, code);
    int rc;

    sm.replaces = true;
    rc = sm_start(&sm, lists, blocks, stagger, err);
    if (!rc)
        rc = run_waves(cycles, &sm, lists, waves, err);
    sm_release(&sm);
    return rc;
}

/* Runs the rest of a path's lists. */
static int run_rest(double *cycles, struct sm_state *sm, const struct sm_list *lists, unsigned waves,
                    struct err *err)
{
    int rc;

    sm_give_lists(sm, lists);
    if (waves)
        return run_waves(cycles, sm, lists, waves, err);
    rc = run(sm, err);
    *cycles = sm->end;
    return rc;
}

/* Runs the rest of the lists of `sm`, whose common part is over, and of `brief` from the same state. */
static int run_rests(struct sm_both *out, struct sm_state *sm, struct sm_state *fork,
                     const struct sm_list *brief, const struct sm_list *longer, unsigned waves,
                     struct err *err)
{
    int rc;

    sm->shared_only = false;
    sm_copy(fork, sm);
    rc = run_rest(&out->longer, sm, longer, waves, err);
    sm_copy(sm, fork);
    if (!rc)
        rc = run_rest(&out->brief, sm, brief, waves, err);
    return rc;
}

int sm_run_both(struct sm_both *out, const struct sm_input *in, const struct sm_code *code,
                const struct sm_list *brief, const struct sm_list *longer, unsigned blocks, unsigned waves,
                double stagger, struct err *err)
{
    struct sm_state sm = sm_state_of(in, code), fork = sm;
    int rc;

    sm.shared_only = true;
    sm.replaces = waves > 0;
    rc = sm_start(&sm, longer, blocks, stagger, err);
    if (!rc)
        rc = sm_allocate(&fork, blocks, err);
    if (!rc)
        rc = run(&sm, err);
    if (!rc)
        rc = run_rests(out, &sm, &fork, brief, longer, waves, err);
    sm_release(&sm);
    sm_release(&fork);
    return rc;
}

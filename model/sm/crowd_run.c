#include "model/sm/crowd_run.h"

#include "model/sm/crowd_choice.h"

#include <math.h>
#include <string.h>

enum {
    WAVES = 3,          /* that follow the first one, to see how blocks overlap */
    WATCHFUL = 1 << 14, /* instructions between two looks at whether to stop */
    QUEUE_CYCLES = 32   /* of work that the load/store units take on before they stop the issue of more */
};

/* Whose multiples, less their whole parts, spread evenly over a square: 1 / x and 1 / x^2 of x^3 = x + 1. */
static const double EVEN_X = 0.7548776662466927, EVEN_Y = 0.5698402909980532;

/* What warps ask for
 * ---------------------------------------------------------------------------------------------------------
 */

static void set_slot(struct crowd_warp *warp, unsigned slot, double ready)
{
    if (slot >= CROWD_SLOTS)
        return;
    warp->slot[slot] = later(warp->slot[slot], ready);
    (*warp->past)[slot][++warp->sets[slot] % REPLAY_DEPTH] = warp->slot[slot];
}

/* How long a request that starts at `time` waits for a server, which it then keeps busy for `cycles`. */
static double serve(double *free, double time, double cycles)
{
    const double wait = cycles > 0 ? later(*free - time, 0) : 0;

    if (cycles > 0)
        *free = time + wait + cycles;
    return wait;
}

/* Where in the order of all loads, 0 to 1 by how long they take, a warp's next one is: anywhere, but evenly
 * over the warps and over the loads of each, so that few stand for many. What lies together comes together.
 */
static double place_of_load(struct crowd_warp *warp, double pieces)
{
    double whole;

    return modf(floor(warp->number * pieces) * EVEN_X + warp->loads++ * EVEN_Y, &whole);
}

/* How much longer, or less, a load takes than from an empty DRAM: on the mean the longer of what it waits
 * behind the SM's own requests and of what the loaded latency says at the use of DRAM so far, and spread
 * around that by its latency alone: how far waiting spreads is played. */
static double wait_of_load(struct crowd_sim *sim, struct crowd_warp *warp,
                           const struct crowd_request *request, double behind, double time)
{
    const struct machine *machine = sim->in->machine;
    const double used = fmin(sim->dram_busy / (time + request->latency), 1);
    const double mean = request->far * saturation_factor(&machine->dram, used);
    const unsigned share = (unsigned)(place_of_load(warp, request->pieces) * MACHINE_SPREAD);

    return later(behind, mean - request->far) + request->far * (machine->dram_spread[share] - 1);
}

/* What a request that comes to DRAM at `time` waits there. */
static double use_dram(struct crowd_sim *sim, struct crowd_warp *warp, const struct crowd_request *request,
                       double time)
{
    const double wait = serve(&sim->dram_free, time, request->dram);

    sim->dram_busy += request->dram;
    return request->far > 0 ? wait_of_load(sim, warp, request, wait, time) : wait;
}

static void use_memory(struct crowd_sim *sim, struct crowd_warp *warp, const struct crowd_request *request,
                       double time)
{
    double delay = serve(&sim->tags_free, time, request->tags), ready;

    delay += serve(&sim->units_free, time + delay, request->units);
    delay += serve(&sim->l2_free, time + delay, request->l2);
    if (request->stores) /* what is behind a store waits until L2 has taken that, which has one way in */
        sim->units_free = later(sim->units_free, sim->l2_free);
    sim->queue_free[true] = later(sim->units_free, sim->tags_free) - QUEUE_CYCLES;
    delay += use_dram(sim, warp, request, time + delay);
    ready = time + delay + request->latency;
    if (request->kind == REPLAY_COPY)
        warp->copied = later(warp->copied, ready);
    if (request->kind == REPLAY_COMMIT)
        ready = later(ready, warp->copied);
    set_slot(warp, request->sets, ready);
    set_slot(warp, request->sets_read,
             time + request->read_latency + later(sim->units_free - time - QUEUE_CYCLES, 0));
}

/* Blocks
 * ---------------------------------------------------------------------------------------------------------
 */

static bool has_ended(const struct crowd_warp *warp)
{
    return warp->at == warp->list->count;
}

/* All warps of the block have come: they go on together. */
static void pass_barrier(struct crowd_sim *sim, struct crowd_place *at)
{
    const unsigned first = (unsigned)(at - sim->places) * sim->per_block;
    unsigned w;

    for (w = first; w < first + sim->per_block; w++) {
        struct crowd_warp *warp = crowd_warp_at(sim, w);

        if (has_ended(warp) || warp->earliest != INFINITY)
            continue;
        warp->earliest = at->latest + sim->in->code->barrier_alone - sim->arrival_cycles;
        crowd_go(sim, w);
    }
    at->arrived = 0;
    at->latest = 0;
}

static void end_block(struct crowd_sim *sim, struct crowd_place *at)
{
    sim->ended++;
    sim->ended_at = at->latest;
    if (sim->replaces)
        crowd_begin_block(sim, at, at->latest + sim->in->replace_cycles);
}

/* The warp that went last on a sub-partition does not go on by itself. */
static struct crowd_place *stay(struct crowd_partition *partition)
{
    partition->ready[partition->last] = INFINITY;
    partition->idle |= UINT64_C(1) << partition->last;
    return partition->warps[partition->last].place;
}

/* The warp that went last ended at `time`; true when that changes what others can do. */
static bool end_warp(struct crowd_sim *sim, struct crowd_partition *partition, double time)
{
    struct crowd_place *at = stay(partition);

    at->latest = later(at->latest, time);
    at->left--;
    if (!at->left)
        end_block(sim, at);
    else if (at->arrived == at->left)
        pass_barrier(sim, at);
    else
        return false;
    return true;
}

/* The warp that went last came to its block's barrier at `time`; true when that changes what others can do.
 */
static bool arrive(struct crowd_sim *sim, struct crowd_partition *partition, double time)
{
    struct crowd_place *at = stay(partition);

    at->latest = sim->barrier_free = later(sim->barrier_free, time) + sim->arrival_cycles;
    partition->warps[partition->last].earliest = INFINITY;
    if (++at->arrived < at->left)
        return false;
    pass_barrier(sim, at);
    return true;
}

/* Issue
 * ---------------------------------------------------------------------------------------------------------
 */

/* When an instruction chosen at `time` can read its registers. Whoever chooses does not look at that: the
 * instruction keeps those behind it waiting. */
static inline double read_time(const double bank[REGISTER_BANKS], const struct crowd_op *op, double window,
                               double time)
{
    int b;

    for (b = 0; b < REGISTER_BANKS; b++)
        time = later(time, bank[b] + op->needs[b] - window);
    return time;
}

static inline void read_registers(double bank[REGISTER_BANKS], const struct crowd_op *op, double time)
{
    int b;

    for (b = 0; b < REGISTER_BANKS; b++)
        bank[b] = later(bank[b], time) + op->reads[b];
}

static struct crowd_warp *next_warp(const struct crowd_partition *at)
{
    return &at->warps[at->who];
}

/* Issues the next instruction of a sub-partition, at `next` if it can read its registers; when it goes. Who
 * had to wait for the load/store units lets the others go first: stores of ever more warps, which merge while
 * few come in between, showed that on an NVIDIA H200. */
static double issue(const struct crowd_sim *sim, struct crowd_partition *at, double next)
{
    const struct crowd_op *op = at->ops[at->who];
    const double time = read_time(at->bank, op, sim->read_window, next);
    struct crowd_warp *warp = next_warp(at);

    warp->at++;
    warp->earliest = time + op->stall;
    at->last = at->who;
    at->yields = op->yields || (crowd_queues(op->door) && sim->queue_free[true] >= next);
    at->free = time + op->busy;
    at->pipe[crowd_pipe(op->door)] = time + op->interval;
    read_registers(at->bank, op, time);
    return time;
}

/* Whether the next instruction and what it does stay within the sub-partition. */
static bool goes_alone(const struct crowd_partition *at)
{
    const struct crowd_warp *warp = next_warp(at);

    return at->ops[at->who]->local && warp->at < warp->safe;
}

/* Issues the next instruction of a sub-partition, which goes alone, and those of the same warp that follow at
 * once, wait for nothing else and go alone, too, before `horizon`. Most instructions go that way: it does
 * what issue() does, with what changes from one to the next at hand. How many they are. */
static size_t go_on(struct crowd_sim *sim, unsigned p, double horizon)
{
    struct crowd_partition *at = &sim->partitions[p];
    struct crowd_warp *warp = next_warp(at);
    const struct crowd_op *op = at->ops[at->who], *last;
    const size_t first = warp->at;
    double bank[REGISTER_BANKS], time, free = sim->next[p];
    size_t next = first;

    memcpy(bank, at->bank, sizeof bank);
    do {
        last = op;
        time = read_time(bank, last, sim->read_window, free);
        free = time + last->busy;
        at->pipe[crowd_pipe(last->door)] = time + last->interval;
        read_registers(bank, last, time);
        op = &sim->code->ops[warp->list->ops[++next]];
    } while (free < horizon && next < warp->safe && op->prompt && !last->yields &&
             later(time + last->stall, at->pipe[crowd_pipe(op->door)]) <= free);
    memcpy(at->bank, bank, sizeof bank);
    warp->at = next;
    warp->earliest = time + last->stall;
    at->last = at->who;
    at->yields = last->yields;
    at->free = free;
    crowd_note_next(sim, at, at->who);
    return next - first;
}

/* Lets a sub-partition go on by itself for as long as nobody else sees what it does, nor it what others do:
 * up to `horizon`, before which no warp of its is set going by others. How many instructions that makes. */
static size_t run_ahead(struct crowd_sim *sim, unsigned p, double horizon)
{
    size_t steps = 0;

    while (steps < WATCHFUL && sim->next[p] < horizon && goes_alone(&sim->partitions[p])) {
        steps += go_on(sim, p, horizon);
        crowd_choose(sim, p);
    }
    return steps;
}

/* Issues the next instruction of a sub-partition; true when others may go earlier or later than thought. */
static bool step(struct crowd_sim *sim, unsigned p)
{
    struct crowd_partition *at = &sim->partitions[p];
    struct crowd_warp *warp = next_warp(at);
    const struct crowd_op *op = at->ops[at->who];
    const size_t i = (size_t)(op - sim->code->ops) % sim->code->count;
    const double time = issue(sim, at, sim->next[p]);

    if (op->asks) {
        sim->turn = p;
        use_memory(sim, warp, &sim->code->requests[i], time);
    }
    if (has_ended(warp)) {
        sim->end = later(sim->end, time + sim->in->code->ops[i].stall);
        return end_warp(sim, at, time);
    }
    if (op->barrier)
        return arrive(sim, at, time);
    crowd_note_next(sim, at, at->last);
    return false;
}

static bool is_at_fork(const struct crowd_warp *warp)
{
    return warp->at >= warp->list->shared;
}

/* The sub-partition that issues first. */
static unsigned first_of(const struct crowd_sim *sim)
{
    double first = sim->next[0];
    uint64_t bits, after;
    unsigned p;

    for (p = 1; p < sim->in->partitions; p++)
        first = earlier(first, sim->next[p]);
    bits = crowd_at_most(first, sim->next, DEVICE_SUBPARTITIONS);
    after = sim->takes_turns ? bits & ~UINT64_C(1) << sim->turn : 0;
    return (unsigned)__builtin_ctzll(after ? after : bits);
}

/* Until when no warp of a sub-partition that goes next at `next`, before all others, is set going by others.
 */
static double horizon_of(const struct crowd_sim *sim, const struct crowd_partition *at, double next)
{
    return at->idle ? next + sim->foresight : INFINITY;
}

static int run(struct crowd_sim *sim, struct err *err)
{
    size_t steps = 0; /* since the last look at whether to stop */

    for (;; steps++) {
        const unsigned first = first_of(sim);
        const struct crowd_partition *at = &sim->partitions[first];
        const double next = sim->next[first], horizon = horizon_of(sim, at, next);

        if (steps >= WATCHFUL && sim->in->stop && atomic_load(sim->in->stop))
            return err_set(err, ERR_STOPPED, "crowd: nobody waits for it any more");
        steps %= WATCHFUL;
        if (!(next < INFINITY) || sim->ended >= sim->enough)
            break;
        if (horizon > next && goes_alone(at)) /* a foresight of less than a rounding error is none */
            steps += run_ahead(sim, first, horizon);
        else if (sim->shared_only && is_at_fork(next_warp(at)))
            return 0;
        else if (sim->queue_free[crowd_queues(at->doors[at->who])] > next || !step(sim, first))
            crowd_choose(sim, first);
        else
            crowd_choose_all(sim);
    }
    sim->end = later(later(sim->end, sim->units_free), later(sim->l2_free, sim->dram_free));
    return 0;
}

/* Plays
 * ---------------------------------------------------------------------------------------------------------
 */

int crowd_run(double *cycles, const struct crowd_input *in, const struct crowd_code *code,
              const struct crowd_list *lists, unsigned blocks, struct err *err)
{
    struct crowd_sim sim = crowd_sim_of(in, code);
    int rc = crowd_start(&sim, lists, blocks, 0, err);

    if (!rc)
        rc = run(&sim, err);
    *cycles = sim.end;
    crowd_release(&sim);
    return rc;
}

int crowd_run_wave(double *cycles, const struct crowd_input *in, const struct crowd_code *code,
                   const struct crowd_list *lists, unsigned blocks, double stagger, struct err *err)
{
    struct crowd_sim sim = crowd_sim_of(in, code);
    double first;
    int rc;

    sim.replaces = true;
    rc = crowd_start(&sim, lists, blocks, stagger, err);
    sim.enough = blocks;
    if (!rc)
        rc = run(&sim, err);
    first = sim.ended_at;
    sim.enough = (1 + WAVES) * blocks;
    if (!rc)
        rc = run(&sim, err);
    *cycles = (sim.ended_at - first) / WAVES;
    crowd_release(&sim);
    return rc;
}

/* Runs the rest of the lists of `sim`, whose common part is over, and of `brief` from the same state. */
static int run_rests(struct crowd_both *out, struct crowd_sim *sim, struct crowd_sim *fork,
                     const struct crowd_list *brief, const struct crowd_list *longer, struct err *err)
{
    int rc;

    sim->shared_only = false;
    crowd_copy(fork, sim);
    crowd_give_lists(sim, longer);
    rc = run(sim, err);
    out->longer = sim->end;
    crowd_copy(sim, fork);
    crowd_give_lists(sim, brief);
    if (!rc)
        rc = run(sim, err);
    out->brief = sim->end;
    return rc;
}

int crowd_run_both(struct crowd_both *out, const struct crowd_input *in, const struct crowd_code *code,
                   const struct crowd_list *brief, const struct crowd_list *longer, unsigned blocks,
                   double stagger, struct err *err)
{
    struct crowd_sim sim = crowd_sim_of(in, code), fork = sim;
    int rc;

    sim.shared_only = true;
    rc = crowd_start(&sim, longer, blocks, stagger, err);
    if (!rc)
        rc = crowd_allocate(&fork, blocks, err);
    if (!rc)
        rc = run(&sim, err);
    if (!rc)
        rc = run_rests(out, &sim, &fork, brief, longer, err);
    crowd_release(&sim);
    crowd_release(&fork);
    return rc;
}

#include "model/crowd_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 6,
    WATCHFUL = 1 << 14, /* instructions between two looks at whether to stop */
    QUEUE_CYCLES = 32   /* of work that the load/store units take on before they stop the issue of more */
};

/* What the choice among warps looks at, apart from the rest: this is where the time goes. */
struct candidate {
    const struct crowd_op *op; /* a warp's next instruction */
    double ready;              /* of it, scoreboards included; INFINITY when the warp waits or has ended */
};

struct warp {
    const struct crowd_list *list;
    struct place *place;
    struct candidate *candidate;
    size_t at;       /* next instruction */
    double earliest; /* of it, by stall count or barrier; INFINITY while it waits at one */
    double slot[SLOTS], copied, history[SLOTS][REPLAY_DEPTH];
    double stored; /* lines that the SM had stored to before the warp's last store */
    unsigned sets[SLOTS];
};

struct place {
    unsigned left;            /* warps that have not ended */
    unsigned arrived, rounds; /* at the barrier; blocks still to come, this one included */
    double latest;            /* arrival, as the barrier has taken note of it, or end */
};

struct partition {
    double free;                  /* of the scheduler */
    double pipe[SASS_PIPE_COUNT]; /* when each takes the next instruction */
    double bank[REGISTER_BANKS];  /* when each has delivered what was asked for */
    unsigned last;                /* the warp that went last, numbered within the sub-partition */
    bool yields;                  /* it lets the others go first */
    double next;                  /* earliest issue ... */
    unsigned who;                 /* ... and whose */
};

struct sim {
    const struct crowd_input *in;
    const struct crowd_op *ops;
    struct warp *warps; /* by place, then by warp of the block: warp w is on sub-partition w % partitions */
    struct candidate *candidates; /* by sub-partition, then as the warps */
    struct place *places;
    struct partition partitions[DEVICE_SUBPARTITIONS];
    unsigned warp_count, per_block, per_partition;
    bool shared_only; /* stop where a warp's list goes its own way */
    double units_free, tags_free, l2_free, dram_free, barrier_free, end, issue_cycles;
    double arrival_cycles; /* that barriers need for each warp, one after another */
    double stored;         /* lines that warps have stored to so far */
};

/* fmax() without its care for NaN. */
static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* Warps
 * ---------------------------------------------------------------------------------------------------------
 */

/* What comes next, and when it could go as far as the warp itself is concerned. */
static void find_ready(const struct sim *sim, const struct warp *warp)
{
    const struct crowd_op *next = &sim->ops[warp->list->ops[warp->at] & ~CROWD_TAKEN];
    const struct replay_op *op = &next->op;
    unsigned waits = (unsigned)op->waits & ((1u << SLOTS) - 1);
    double ready = warp->earliest;

    for (; waits; waits &= waits - 1)
        ready = later(ready, warp->slot[__builtin_ctz(waits)]);
    if (op->counted < SLOTS && warp->sets[op->counted] > op->counted_left)
        ready = later(
            ready, warp->history[op->counted][(warp->sets[op->counted] - op->counted_left) % REPLAY_DEPTH]);
    *warp->candidate = (struct candidate){next, ready};
}

static void begin_warp(const struct sim *sim, struct warp *warp, double time)
{
    *warp = (struct warp){
        .list = warp->list, .place = warp->place, .candidate = warp->candidate, .earliest = time};
    find_ready(sim, warp);
}

static bool has_ended(const struct warp *warp)
{
    return warp->at == warp->list->count;
}

/* Issue
 * ---------------------------------------------------------------------------------------------------------
 */

/* The earliest issue of a warp on its sub-partition, the partition's `free` or later. */
static double issue_time(const struct sim *sim, const struct partition *partition,
                         const struct candidate *warp)
{
    const struct crowd_op *op = warp->op;
    const double time = later(later(warp->ready, partition->free), partition->pipe[op->op.pipe]);

    return op->units > 0 ? later(time, later(sim->units_free, sim->tags_free) - QUEUE_CYCLES) : time;
}

/* When an instruction chosen at `time` can read its registers. Whoever chooses does not look at that: the
 * instruction keeps those behind it waiting. */
static double read_time(const struct sim *sim, const struct partition *partition, const struct crowd_op *op,
                        double time)
{
    int b;

    for (b = 0; b < REGISTER_BANKS; b++)
        if (op->reads[b])
            time = later(time, partition->bank[b] + op->reads[b] - sim->in->machine->read_window);
    return time;
}

/* Who goes next on a sub-partition: the earliest. Among equals the one that went last, unless it yields; then
 * the others in turn, the younger first. */
static void choose_next(struct sim *sim, unsigned p)
{
    struct partition *partition = &sim->partitions[p];
    const struct candidate *warps = &sim->candidates[p * sim->per_partition];
    unsigned k = partition->last + (partition->yields ? 0 : 1), n;

    partition->who = partition->last;
    partition->next = INFINITY;
    for (n = 0; n < sim->per_partition && partition->next > partition->free; n++) {
        double time;

        k = (k ? k : sim->per_partition) - 1;
        if (!(warps[k].ready < partition->next))
            continue;
        time = issue_time(sim, partition, &warps[k]);
        if (time < partition->next) {
            partition->next = time;
            partition->who = k;
        }
    }
}

static void choose_all(struct sim *sim)
{
    unsigned p;

    for (p = 0; p < sim->in->partitions; p++)
        choose_next(sim, p);
}

static void set_slot(struct warp *warp, unsigned slot, double ready)
{
    if (slot >= SLOTS)
        return;
    warp->slot[slot] = later(warp->slot[slot], ready);
    warp->history[slot][++warp->sets[slot] % REPLAY_DEPTH] = warp->slot[slot];
}

/* How long a request that starts at `time` waits for a server, which it then keeps busy for `cycles`. */
static double serve(double *free, double time, double cycles)
{
    const double wait = cycles > 0 ? later(*free - time, 0) : 0;

    if (cycles > 0)
        *free = time + wait + cycles;
    return wait;
}

/* What a store asks of L2: parts of sectors merge with those of the warp's last store unless the SM has sent
 * that on its way by then. */
static double use_store(struct sim *sim, struct warp *warp, const struct crowd_op *op)
{
    const bool merges = sim->stored - warp->stored <= sim->in->machine->merge_lines;

    if (op->l2_parts > 0 && merges) {
        warp->stored = sim->stored - op->stored;
        return op->l2;
    }
    warp->stored = sim->stored;
    sim->stored += op->stored;
    return op->l2 + op->l2_parts;
}

static void use_memory(struct sim *sim, struct warp *warp, const struct crowd_op *op, double time)
{
    const double l2 = op->stored > 0 ? use_store(sim, warp, op) : op->l2;
    double delay = serve(&sim->tags_free, time, op->tags), ready;

    delay += serve(&sim->units_free, time + delay, op->units);
    delay += serve(&sim->l2_free, time + delay, l2);
    if (op->stored > 0) /* what is behind a store waits until L2 has taken that, which has one way in */
        sim->units_free = later(sim->units_free, sim->l2_free);
    delay += serve(&sim->dram_free, time + delay, op->dram);
    ready = time + delay + op->op.latency;
    if (op->op.kind == REPLAY_COPY)
        warp->copied = later(warp->copied, ready);
    if (op->op.kind == REPLAY_COMMIT)
        ready = later(ready, warp->copied);
    set_slot(warp, op->op.sets, ready);
    set_slot(warp, op->op.sets_read,
             time + op->op.read_latency + later(sim->units_free - time - QUEUE_CYCLES, 0));
}

/* All warps of the block have come: they go on together. */
static void pass_barrier(struct sim *sim, struct place *at)
{
    const unsigned first = (unsigned)(at - sim->places) * sim->per_block;
    unsigned w;

    for (w = first; w < first + sim->per_block; w++) {
        struct warp *warp = &sim->warps[w];

        if (has_ended(warp) || warp->earliest != INFINITY)
            continue;
        warp->earliest = at->latest + sim->in->code->barrier_alone - sim->arrival_cycles;
        find_ready(sim, warp);
    }
    at->arrived = 0;
    at->latest = 0;
}

static void end_block(struct sim *sim, struct place *at)
{
    const unsigned first = (unsigned)(at - sim->places) * sim->per_block;
    unsigned w;

    if (--at->rounds == 0)
        return;
    at->left = sim->per_block;
    for (w = first; w < first + sim->per_block; w++)
        begin_warp(sim, &sim->warps[w], at->latest + sim->in->replace_cycles);
    at->latest = 0;
}

/* Issues the next instruction of a sub-partition; true when others may go earlier or later than thought. */
static bool step(struct sim *sim, unsigned p)
{
    struct partition *partition = &sim->partitions[p];
    struct warp *warp = &sim->warps[partition->who * sim->in->partitions + p];
    struct place *at = warp->place;
    const uint32_t entry = warp->list->ops[warp->at++];
    const struct crowd_op *op = &sim->ops[entry & ~CROWD_TAKEN];
    const double time = read_time(sim, partition, op, partition->next);
    int b;

    partition->last = partition->who;
    partition->yields = op->yields;
    partition->free = time + sim->issue_cycles;
    partition->pipe[op->op.pipe] = time + op->op.interval;
    for (b = 0; b < REGISTER_BANKS; b++)
        partition->bank[b] = later(partition->bank[b], time) + op->reads[b];
    warp->earliest =
        time + (entry & CROWD_TAKEN ? later(op->op.stall, sim->in->code->taken_stall) : op->op.stall);
    if (!op->quiet)
        use_memory(sim, warp, op, time);
    sim->end = later(sim->end, time + op->op.stall);
    if (has_ended(warp)) {
        warp->candidate->ready = INFINITY;
        at->latest = later(at->latest, time);
        at->left--;
        if (!at->left)
            end_block(sim, at);
        else if (at->arrived == at->left)
            pass_barrier(sim, at);
        return true;
    }
    if (op->barrier) {
        at->latest = sim->barrier_free = later(sim->barrier_free, time) + sim->arrival_cycles;
        warp->earliest = INFINITY;
        warp->candidate->ready = INFINITY;
        if (++at->arrived < at->left)
            return false;
        pass_barrier(sim, at);
        return true;
    }
    find_ready(sim, warp);
    return false;
}

static bool is_at_fork(const struct warp *warp)
{
    return warp->at >= warp->list->shared;
}

static int run(struct sim *sim, struct err *err)
{
    unsigned steps;

    for (steps = 1;; steps++) {
        const struct partition *at = sim->partitions;
        unsigned p, first = 0;
        double time;

        if (steps % WATCHFUL == 0 && sim->in->stop && atomic_load(sim->in->stop))
            return err_set(err, ERR_STOPPED, "crowd: nobody waits for it any more");
        for (p = 1; p < sim->in->partitions; p++)
            if (at[p].next < at[first].next)
                first = p;
        if (!(at[first].next < INFINITY))
            break;
        if (sim->shared_only && is_at_fork(&sim->warps[at[first].who * sim->in->partitions + first]))
            return 0;
        time = issue_time(sim, &at[first], &sim->candidates[first * sim->per_partition + at[first].who]);
        if (time > at[first].next || !step(sim, first))
            choose_next(sim, first);
        else
            choose_all(sim);
    }
    sim->end = later(later(sim->end, sim->units_free), later(sim->l2_free, sim->dram_free));
    return 0;
}

/* Plays
 * ---------------------------------------------------------------------------------------------------------
 */

static int allocate(struct sim *sim, unsigned blocks, struct err *err)
{
    const unsigned partitions = sim->in->partitions;
    unsigned c;

    sim->per_block = sim->in->block->warps;
    sim->warp_count = blocks * sim->per_block;
    sim->per_partition = (sim->warp_count + partitions - 1) / partitions;
    sim->warps = calloc(sim->warp_count, sizeof *sim->warps);
    sim->candidates = calloc((size_t)sim->per_partition * partitions, sizeof *sim->candidates);
    sim->places = calloc(blocks, sizeof *sim->places);
    if (!sim->warps || !sim->candidates || !sim->places)
        return err_memory(err);
    for (c = 0; c < sim->per_partition * partitions; c++)
        sim->candidates[c] = (struct candidate){sim->ops, INFINITY};
    return 0;
}

static void release(struct sim *sim)
{
    free(sim->warps);
    free(sim->candidates);
    free(sim->places);
}

/* All warps at the start of their lists, each block `stagger` cycles after the one before. */
static int start(struct sim *sim, const struct crowd_list *lists, unsigned blocks, unsigned rounds,
                 double stagger, struct err *err)
{
    const unsigned partitions = sim->in->partitions;
    const int rc = allocate(sim, blocks, err);
    unsigned w, b, p;

    for (p = 0; p < partitions; p++) /* the youngest goes first */
        sim->partitions[p].yields = true;
    for (b = 0; b < blocks && !rc; b++)
        sim->places[b] = (struct place){.left = sim->per_block, .rounds = rounds};
    for (w = 0; w < sim->warp_count && !rc; w++) {
        struct warp *warp = &sim->warps[w];

        warp->list = &lists[sim->in->block->paths[w % sim->per_block]];
        warp->place = &sim->places[w / sim->per_block];
        warp->candidate = &sim->candidates[w % partitions * sim->per_partition + w / partitions];
        begin_warp(sim, warp, stagger * (w / sim->per_block));
    }
    if (!rc)
        choose_all(sim);
    return rc;
}

static struct sim sim_of(const struct crowd_input *in, const struct crowd_op *ops)
{
    const struct replay_code *code = in->code;
    const double others = fmax(in->block->warps - 1., 1);

    return (struct sim){.in = in,
                        .ops = ops,
                        .issue_cycles =
                            in->partitions / in->machine->capacities.sustained[RESOURCE_ISSUE].per_sm,
                        .arrival_cycles = (code->barrier_cycles - code->barrier_alone) / others};
}

int crowd_run(double *cycles, const struct crowd_input *in, const struct crowd_op *ops,
              const struct crowd_list *lists, unsigned blocks, unsigned rounds, double stagger,
              struct err *err)
{
    struct sim sim = sim_of(in, ops);
    int rc = start(&sim, lists, blocks, rounds, stagger, err);

    if (!rc)
        rc = run(&sim, err);
    *cycles = sim.end;
    release(&sim);
    return rc;
}

/* Makes *out what *from is; both have room for the same. The warps keep pointing to `from`'s places. */
static void copy_state(struct sim *out, const struct sim *from)
{
    const struct sim arrays = *out;
    const size_t candidates = (size_t)from->per_partition * from->in->partitions;

    *out = *from;
    out->warps = memcpy(arrays.warps, from->warps, from->warp_count * sizeof *from->warps);
    out->candidates = memcpy(arrays.candidates, from->candidates, candidates * sizeof *from->candidates);
    out->places =
        memcpy(arrays.places, from->places, from->warp_count / from->per_block * sizeof *from->places);
}

/* Runs the rest of the lists of `sim`, whose common part is over, and of `brief` from the same state. */
static int run_rests(struct crowd_both *out, struct sim *sim, struct sim *fork,
                     const struct crowd_list *brief, struct err *err)
{
    unsigned w;
    int rc;

    sim->shared_only = false;
    copy_state(fork, sim);
    rc = run(sim, err);
    out->longer = sim->end;
    copy_state(sim, fork);
    for (w = 0; w < sim->warp_count; w++)
        sim->warps[w].list = &brief[sim->in->block->paths[w % sim->per_block]];
    if (!rc)
        rc = run(sim, err);
    out->brief = sim->end;
    return rc;
}

int crowd_run_both(struct crowd_both *out, const struct crowd_input *in, const struct crowd_op *ops,
                   const struct crowd_list *brief, const struct crowd_list *longer, unsigned blocks,
                   double stagger, struct err *err)
{
    struct sim sim = sim_of(in, ops), fork = sim;
    int rc = start(&sim, longer, blocks, 1, stagger, err);

    sim.shared_only = true;
    if (!rc)
        rc = allocate(&fork, blocks, err);
    if (!rc)
        rc = run(&sim, err);
    if (!rc)
        rc = run_rests(out, &sim, &fork, brief, err);
    release(&sim);
    release(&fork);
    return rc;
}

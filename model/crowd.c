#include "model/crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 6,
    BRIEF = 2,         /* iterations of each loop in the shorter play ... */
    LONG = 4,          /* ... and in the longer one */
    WAVES = 3,         /* blocks one after another on each place, to see how they overlap */
    LIST_MOST = 40000, /* instructions of a warp that are played at most */
    READ_CYCLES = 3,   /* that an instruction has to collect its operands without holding others up */
    QUEUE_CYCLES = 32  /* of work that the load/store units take on before they stop the issue of more */
};

#define TAKEN UINT32_C(0x80000000)

/* An instruction and what it asks of what warps share, in cycles of it. */
struct crowd_op {
    struct replay_op op;
    uint8_t reads[REGISTER_BANKS];
    double units, tags, l2, dram; /* data path and tags of L1; L2 and DRAM, by the SM's share */
    bool barrier;
};

/* The instructions of a path, loops cut short. */
struct list {
    uint32_t *ops; /* index, with TAKEN where a taken branch */
    size_t count, capacity;
    double all; /* with the loops at full length */
};

struct warp {
    const struct list *list;
    size_t at;       /* next instruction */
    double earliest; /* of it, by stall count or barrier; INFINITY while it waits at one */
    double ready;    /* of it, scoreboards included */
    double slot[SLOTS], copied, history[SLOTS][REPLAY_DEPTH];
    unsigned sets[SLOTS];
};

struct place {
    unsigned left;            /* warps that have not ended */
    unsigned arrived, rounds; /* at the barrier; blocks still to come, this one included */
    double latest;            /* arrival or end */
};

struct partition {
    double free;                  /* of the scheduler */
    double pipe[SASS_PIPE_COUNT]; /* when each takes the next instruction */
    double bank[REGISTER_BANKS];  /* when each has delivered what was asked for */
    unsigned last;                /* the warp that went last */
    double next;                  /* earliest issue ... */
    unsigned who;                 /* ... and whose */
};

enum { PARTITIONS_MOST = 8 };

struct sim {
    const struct crowd_input *in;
    const struct crowd_op *ops;
    struct warp *warps; /* by place, then by warp of the block */
    struct place *places;
    struct partition partitions[PARTITIONS_MOST];
    unsigned warp_count, per_block;
    double units_free, tags_free, l2_free, dram_free, end, issue_cycles;
};

/* Operations
 * ---------------------------------------------------------------------------------------------------------
 */

/* fmax() without its care for NaN: this is where the time goes. */
static inline double later(double a, double b)
{
    return a > b ? a : b;
}

static double server_cycles(const struct crowd_input *in, enum resource resource)
{
    const struct capacity *capacity = &in->machine->capacities.sustained[resource];
    const double own = capacity->per_sm > 0 ? 1 / capacity->per_sm : 0;
    const double shared = capacity->per_gpu > 0 ? in->busy_sms / capacity->per_gpu : 0;

    return fmax(own, shared);
}

static void share_memory(struct crowd_op *out, const struct crowd_input *in, size_t i)
{
    const struct sass *instruction = &in->sass->instructions[i];
    const struct traffic_count *count = &in->traffic->counts[i];
    const bool writes = !(instruction->accesses[0].access & SASS_READS);
    const bool loads = !writes && instruction->access_count == 1;
    const double requests = fmax(count->requests, 1e-9);
    const double sectors = count->sectors / requests;
    const double missing = traffic_is_cached(instruction) ? sectors * (1 - count->l1_hit) : sectors;

    out->units = count->wavefronts / requests * server_cycles(in, RESOURCE_SHARED);
    if (!traffic_is_global(instruction) && instruction->accesses[0].space != SASS_SPACE_LOCAL)
        return;
    out->units += machine_fronts(in->machine, instruction, 1, sectors, loads ? count->passes / requests : 0) *
                  server_cycles(in, RESOURCE_L1_DATA);
    out->tags = count->lines / requests * server_cycles(in, RESOURCE_L1_TAGS);
    if (!traffic_is_global(instruction))
        return;
    out->l2 = (writes ? machine_writes(in->machine, sectors,
                                       fmin(count->bytes / requests / FOOTPRINT_SECTOR, sectors))
                      : machine_reads(in->machine, missing, count->lines / requests * (1 - count->l1_hit))) *
              server_cycles(in, RESOURCE_L2);
    out->dram = writes ? in->traffic->l2_written > 0 ? in->traffic->dram_written / in->traffic->l2_written *
                                                           missing * server_cycles(in, RESOURCE_DRAM_WRITE)
                                                     : 0
                       : machine_brings(in->machine, count->dram_read, count->dram_scattered) / requests *
                             server_cycles(in, RESOURCE_DRAM_READ);
}

static struct crowd_op *make_ops(const struct crowd_input *in, struct err *err)
{
    struct crowd_op *ops = calloc(in->code->count + 1, sizeof *ops);
    size_t i;

    if (!ops)
        err_memory(err);
    for (i = 0; i < in->code->count && ops; i++) {
        ops[i].op = in->code->ops[i];
        ops[i].barrier = in->code->barriers[i];
        memcpy(ops[i].reads, in->code->reads[i], sizeof ops[i].reads);
        if (in->sass->instructions[i].access_count && in->traffic->counts[i].requests > 0)
            share_memory(&ops[i], in, i);
        if (ops[i].units > 0) /* its own pass through the units is queued for below */
            ops[i].op.interval = 1;
    }
    return ops;
}

/* Paths
 * ---------------------------------------------------------------------------------------------------------
 */

static int list_add(struct list *list, uint32_t op, struct err *err)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        uint32_t *grown = realloc(list->ops, capacity * sizeof *grown);

        if (!grown)
            return err_memory(err);
        list->ops = grown;
        list->capacity = capacity;
    }
    list->ops[list->count++] = op;
    return 0;
}

/* Steps that stand for `weight` executions, of which `played` are listed. */
static int list_steps(struct list *list, const struct crowd_input *in, const struct emulate_step *steps,
                      size_t count, unsigned iterations, double weight, struct err *err)
{
    size_t s = 0;
    uint32_t i;
    int rc = 0;

    while (s < count && !rc) {
        const struct emulate_step *step = &steps[s];

        if (step->body) {
            const uint64_t played = step->repeats < iterations ? step->repeats : iterations;
            uint64_t k;

            for (k = 0; k < played && !rc && list->count < LIST_MOST; k++)
                rc = list_steps(list, in, step + 1, step->body, iterations,
                                weight * (double)step->repeats / (double)played, err);
            s += step->body + 1;
            continue;
        }
        list->all += weight * step->count;
        for (i = step->first; i < step->first + step->count && !rc && list->count < LIST_MOST; i++) {
            const bool last = i + 1 == step->first + step->count;
            const bool goes_on = s + 1 < count && !steps[s + 1].body && steps[s + 1].first == i + 1;

            rc = list_add(list, last && !goes_on && in->code->ops[i].pipe == SASS_PIPE_BRANCH ? i | TAKEN : i,
                          err);
        }
        s++;
    }
    return rc;
}

/* Warps
 * ---------------------------------------------------------------------------------------------------------
 */

static const struct crowd_op *next_op(const struct sim *sim, const struct warp *warp)
{
    return &sim->ops[warp->list->ops[warp->at] & ~TAKEN];
}

/* When the warp's next instruction could go, as far as the warp itself is concerned. */
static void find_ready(const struct sim *sim, struct warp *warp)
{
    const struct replay_op *op = &next_op(sim, warp)->op;
    unsigned waits = (unsigned)op->waits & ((1u << SLOTS) - 1);

    warp->ready = warp->earliest;
    for (; waits; waits &= waits - 1)
        warp->ready = later(warp->ready, warp->slot[__builtin_ctz(waits)]);
    if (op->counted < SLOTS && warp->sets[op->counted] > op->counted_left)
        warp->ready =
            later(warp->ready,
                  warp->history[op->counted][(warp->sets[op->counted] - op->counted_left) % REPLAY_DEPTH]);
}

static void begin_warp(const struct sim *sim, struct warp *warp, double time)
{
    const struct list *list = warp->list;

    *warp = (struct warp){.list = list, .earliest = time};
    find_ready(sim, warp);
}

/* The earliest issue of a warp on its sub-partition. */
static double issue_time(const struct sim *sim, const struct partition *partition, const struct warp *warp)
{
    const struct crowd_op *op = next_op(sim, warp);
    double time = later(later(warp->ready, partition->free), partition->pipe[op->op.pipe]);
    int b;

    for (b = 0; b < REGISTER_BANKS; b++)
        if (op->reads[b])
            time = later(time, partition->bank[b] + op->reads[b] - READ_CYCLES);
    return op->units > 0 ? later(time, later(sim->units_free, sim->tags_free) - QUEUE_CYCLES) : time;
}

static bool has_ended(const struct warp *warp)
{
    return warp->at == warp->list->count;
}

/* Who goes next on a sub-partition: the earliest; among equals the one that went last, else the oldest. */
static void choose_next(struct sim *sim, unsigned p)
{
    struct partition *partition = &sim->partitions[p];
    unsigned w;

    partition->next = INFINITY;
    for (w = p; w < sim->warp_count; w += sim->in->partitions) {
        const struct warp *warp = &sim->warps[w];
        double time;

        if (has_ended(warp) || warp->ready > partition->next)
            continue;
        time = issue_time(sim, partition, warp);
        if (time < partition->next || (time == partition->next && w == partition->last)) {
            partition->next = time;
            partition->who = w;
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

static void use_memory(struct sim *sim, struct warp *warp, const struct crowd_op *op, double time)
{
    double delay = serve(&sim->tags_free, time, op->tags), ready;

    delay += serve(&sim->units_free, time + delay, op->units);
    delay += serve(&sim->l2_free, time + delay, op->l2);
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
static void pass_barrier(struct sim *sim, unsigned place)
{
    struct place *at = &sim->places[place];
    unsigned w;

    for (w = place * sim->per_block; w < (place + 1) * sim->per_block; w++) {
        struct warp *warp = &sim->warps[w];

        if (has_ended(warp) || warp->earliest != INFINITY)
            continue;
        warp->earliest = at->latest + sim->in->code->barrier_cycles;
        find_ready(sim, warp);
    }
    at->arrived = 0;
    at->latest = 0;
}

static void end_block(struct sim *sim, unsigned place)
{
    struct place *at = &sim->places[place];
    unsigned w;

    if (--at->rounds == 0)
        return;
    at->left = sim->per_block;
    for (w = place * sim->per_block; w < (place + 1) * sim->per_block; w++)
        begin_warp(sim, &sim->warps[w], at->latest + sim->in->replace_cycles);
    at->latest = 0;
}

/* Issues the next instruction of a sub-partition; true when others may go earlier or later than thought. */
static bool step(struct sim *sim, unsigned p)
{
    struct partition *partition = &sim->partitions[p];
    const unsigned w = partition->who, place = w / sim->per_block;
    struct warp *warp = &sim->warps[w];
    struct place *at = &sim->places[place];
    const uint32_t entry = warp->list->ops[warp->at++];
    const struct crowd_op *op = &sim->ops[entry & ~TAKEN];
    const double time = partition->next;
    int b;

    partition->last = w;
    partition->free = time + sim->issue_cycles;
    partition->pipe[op->op.pipe] = time + op->op.interval;
    for (b = 0; b < REGISTER_BANKS; b++)
        partition->bank[b] = later(partition->bank[b], time) + op->reads[b];
    warp->earliest = time + (entry & TAKEN ? later(op->op.stall, sim->in->code->taken_stall) : op->op.stall);
    use_memory(sim, warp, op, time);
    sim->end = later(sim->end, time + op->op.stall);
    if (has_ended(warp)) {
        at->latest = later(at->latest, time);
        at->left--;
        if (!at->left)
            end_block(sim, place);
        else if (at->arrived == at->left)
            pass_barrier(sim, place);
        return true;
    }
    if (op->barrier) {
        at->latest = later(at->latest, time);
        warp->earliest = INFINITY;
        warp->ready = INFINITY;
        if (++at->arrived < at->left)
            return false;
        pass_barrier(sim, place);
        return true;
    }
    find_ready(sim, warp);
    return false;
}

static void run(struct sim *sim)
{
    for (;;) {
        unsigned p, first = 0;
        double time;

        for (p = 1; p < sim->in->partitions; p++)
            if (sim->partitions[p].next < sim->partitions[first].next)
                first = p;
        if (!(sim->partitions[first].next < INFINITY))
            break;
        time = issue_time(sim, &sim->partitions[first], &sim->warps[sim->partitions[first].who]);
        if (time > sim->partitions[first].next || !step(sim, first))
            choose_next(sim, first);
        else
            choose_all(sim);
    }
    sim->end = later(later(sim->end, sim->units_free), later(sim->l2_free, sim->dram_free));
}

/* Plays
 * ---------------------------------------------------------------------------------------------------------
 */

static int play(double *cycles, const struct crowd_input *in, const struct crowd_op *ops,
                const struct list *lists, unsigned blocks, unsigned rounds, struct err *err)
{
    const unsigned per_block = in->block->warps;
    struct sim sim = {.in = in,
                      .ops = ops,
                      .warp_count = blocks * per_block,
                      .per_block = per_block,
                      .issue_cycles =
                          in->partitions / in->machine->capacities.sustained[RESOURCE_ISSUE].per_sm};
    unsigned w, b;

    sim.warps = calloc(sim.warp_count, sizeof *sim.warps);
    sim.places = calloc(blocks, sizeof *sim.places);
    if (!sim.warps || !sim.places) {
        free(sim.warps);
        free(sim.places);
        return err_memory(err);
    }
    for (b = 0; b < blocks; b++)
        sim.places[b] = (struct place){.left = per_block, .rounds = rounds};
    for (w = 0; w < sim.warp_count; w++) {
        sim.warps[w].list = &lists[in->block->paths[w % per_block]];
        begin_warp(&sim, &sim.warps[w], 0);
    }
    choose_all(&sim);
    run(&sim);
    *cycles = sim.end;
    free(sim.warps);
    free(sim.places);
    return 0;
}

static void free_lists(struct list *lists, size_t count)
{
    size_t l;

    for (l = 0; l < count && lists; l++)
        free(lists[l].ops);
    free(lists);
}

/* One list for each path that the block's warps take; `*played` and `*all` sum up over its warps. */
static int make_lists(struct list **out, const struct crowd_input *in, unsigned iterations, double *played,
                      double *all, struct err *err)
{
    const size_t count = in->emulation->path_count;
    struct list *lists = calloc(count + 1, sizeof *lists);
    unsigned w;
    int rc = lists ? 0 : err_memory(err);

    *played = *all = 0;
    for (w = 0; w < in->block->warps && !rc; w++) {
        struct list *list = &lists[in->block->paths[w]];
        const struct emulate_path *path = &in->emulation->paths[in->block->paths[w]];

        if (!list->count)
            rc = list_steps(list, in, path->steps, path->count, iterations, 1, err);
        *played += (double)list->count;
        *all += list->all;
    }
    *out = lists;
    if (!rc)
        return 0;
    free_lists(lists, count);
    *out = NULL;
    return rc;
}

static int play_loops(double *cycles, double *overlap, const struct crowd_input *in,
                      const struct crowd_op *ops, unsigned blocks, bool waves, struct err *err)
{
    struct list *brief = NULL, *longer = NULL;
    double brief_ops, long_ops, all, brief_cycles, long_cycles, wave_cycles;
    int rc = make_lists(&brief, in, BRIEF, &brief_ops, &all, err);

    *overlap = 0;
    if (!rc)
        rc = make_lists(&longer, in, LONG, &long_ops, &all, err);
    if (!rc)
        rc = play(&brief_cycles, in, ops, brief, blocks, 1, err);
    if (!rc) {
        *cycles = brief_cycles;
        if (all > brief_ops && long_ops > brief_ops &&
            !(rc = play(&long_cycles, in, ops, longer, blocks, 1, err)))
            *cycles = long_cycles + (long_cycles - brief_cycles) / (long_ops - brief_ops) * (all - long_ops);
    }
    /* how much waves overlap matters where loops do not make them long */
    if (!rc && waves && all < 20 * brief_ops) {
        rc = play(&wave_cycles, in, ops, brief, blocks, WAVES, err);
        *overlap = brief_cycles - (wave_cycles - brief_cycles) / (WAVES - 1);
    }
    free_lists(brief, in->emulation->path_count);
    free_lists(longer, in->emulation->path_count);
    return rc;
}

int crowd_play(struct crowd *out, const struct crowd_input *in, unsigned blocks, bool waves, struct err *err)
{
    struct crowd_op *ops = make_ops(in, err);
    double overlap;
    int rc = ops ? play_loops(&out->first, &overlap, in, ops, blocks, waves, err) : ERR_MEMORY;

    if (!rc)
        out->further = fmax(out->first - overlap, 0);
    free(ops);
    return rc;
}

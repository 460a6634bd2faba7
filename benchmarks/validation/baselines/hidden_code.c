#include "baselines/hidden_code.h"

#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { SLOTS = 6 };

struct cutter {
    struct hidden_code *out;
    const struct analysis *from;
    const struct replay_code *ops;
    double issue_cycles;    /* of an instruction, all schedulers together */
    double cycles_per_byte; /* of the memory's bandwidth, for one SM */
    struct hidden_block open;
    uint32_t first;   /* of the open block */
    double latency;   /* longest of the loads it started and nobody waited for */
    unsigned pending; /* scoreboards that stand for global loads */
    double slot_latency[SLOTS], copied;
    size_t run_start;
    bool dry; /* only the state of the scoreboards is wanted */
    struct err *err;
};

static int grow(void **array, size_t *capacity, size_t size, struct err *err)
{
    const size_t wanted = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(*array, wanted * size);

    if (!grown)
        return err_memory(err);
    *array = grown;
    *capacity = wanted;
    return 0;
}

static int grow_blocks(struct hidden_code *out, struct err *err)
{
    const size_t before = out->block_capacity;
    size_t capacity = before;

    if (out->block_count < before)
        return 0;
    if (grow((void **)&out->blocks, &capacity, sizeof *out->blocks, err))
        return ERR_MEMORY;
    capacity = before;
    if (grow((void **)&out->first, &capacity, sizeof *out->first, err))
        return ERR_MEMORY;
    capacity = before;
    if (grow((void **)&out->last, &capacity, sizeof *out->last, err))
        return ERR_MEMORY;
    out->block_capacity = capacity;
    return 0;
}

/* Ends the open block before instruction `next`; one without instructions is left out. */
static int cut(struct cutter *cutter, double latency, bool barrier, uint32_t next)
{
    struct hidden_code *out = cutter->out;
    int rc = 0;

    if (cutter->open.compute > 0 && !cutter->dry) {
        rc = grow_blocks(out, cutter->err);
        if (rc)
            return rc;
        cutter->open.latency = latency;
        cutter->open.barrier = barrier;
        out->first[out->block_count] = cutter->first;
        out->last[out->block_count] = next ? next - 1 : 0;
        out->blocks[out->block_count++] = cutter->open;
    }
    cutter->open = (struct hidden_block){0};
    cutter->first = next;
    return rc;
}

static int close_run(struct cutter *cutter, double repeats, uint32_t next)
{
    struct hidden_code *out = cutter->out;

    if (cut(cutter, 0, false, next))
        return ERR_MEMORY;
    if (cutter->dry || out->block_count == cutter->run_start)
        return 0;
    if (out->run_count == out->run_capacity &&
        grow((void **)&out->runs, &out->run_capacity, sizeof *out->runs, cutter->err))
        return ERR_MEMORY;
    out->runs[out->run_count++] =
        (struct hidden_run){.count = out->block_count - cutter->run_start, .repeats = repeats};
    cutter->run_start = out->block_count;
    return 0;
}

/* Latency of the global loads that this instruction waits for; they are no longer pending. */
static double waited_latency(struct cutter *cutter, const struct replay_op *op)
{
    unsigned waits = (unsigned)op->waits & cutter->pending, slot;
    double latency = 0;

    if (op->counted < SLOTS)
        waits |= 1u << op->counted & cutter->pending;
    cutter->pending &= ~waits;
    for (slot = 0; slot < SLOTS; slot++)
        if (waits >> slot & 1)
            latency = fmax(latency, cutter->slot_latency[slot]);
    return latency;
}

static void note_load(struct cutter *cutter, const struct replay_op *op)
{
    if (op->kind == REPLAY_COPY)
        cutter->copied = op->latency;
    if (op->sets >= SLOTS || (op->kind != REPLAY_LOAD && op->kind != REPLAY_COMMIT))
        return;
    cutter->slot_latency[op->sets] = op->kind == REPLAY_COMMIT ? cutter->copied : op->latency;
    if (cutter->slot_latency[op->sets] > 0)
        cutter->pending |= 1u << op->sets;
}

static int take(struct cutter *cutter, uint32_t index)
{
    const struct replay_op *op = &cutter->ops->ops[index];
    const struct traffic_count *count = &cutter->from->traffic.counts[index];
    const double latency = waited_latency(cutter, op);

    if (latency > 0 && cut(cutter, latency, false, index))
        return ERR_MEMORY;
    if (!(cutter->open.compute > 0))
        cutter->first = index;
    cutter->open.compute += cutter->issue_cycles;
    if (op->level == MACHINE_GLOBAL && count->issued > 0)
        cutter->open.bandwidth += count->sectors / count->issued * SECTOR * cutter->cycles_per_byte;
    note_load(cutter, op);
    return cutter->ops->barriers[index] ? cut(cutter, 0, true, index + 1) : 0;
}

/* Steps that are executed `repeats` times. What is in flight when a loop begins is known from a first, dry
 * pass over it. */
static int walk(struct cutter *cutter, const struct emulate_step *steps, size_t count, double repeats)
{
    const bool dry = cutter->dry;
    uint32_t i, next = 0;
    size_t s = 0;
    int rc = 0;

    while (s < count && !rc) {
        const struct emulate_step *step = &steps[s];

        if (step->body) {
            rc = close_run(cutter, repeats, next);
            cutter->dry = true;
            if (!rc)
                rc = walk(cutter, step + 1, step->body, 1);
            cutter->dry = dry;
            cutter->open = (struct hidden_block){0};
            if (!rc)
                rc = walk(cutter, step + 1, step->body, repeats * (double)step->repeats);
            s += step->body + 1;
            continue;
        }
        for (i = step->first; i < step->first + step->count && !rc; i++)
            rc = take(cutter, i);
        next = step->first + step->count;
        s++;
    }
    return rc ? rc : close_run(cutter, repeats, next);
}

/* The path most warps take. */
static const struct emulate_path *main_path(const struct emulate_result *emulation)
{
    double most = -1;
    size_t best = 0, p, b;

    for (p = 0; p < emulation->path_count; p++) {
        double weight = 0;

        for (b = 0; b < emulation->block_count; b++)
            for (unsigned w = 0; w < emulation->blocks[b].warps; w++)
                weight += emulation->blocks[b].paths[w] == p ? emulation->blocks[b].weight : 0;
        if (weight > most) {
            most = weight;
            best = p;
        }
    }
    return &emulation->paths[best];
}

int hidden_code_init(struct hidden_code *out, const struct analysis *from, const struct machine *machine,
                     struct err *err)
{
    const struct capacity *dram = &machine->capacities.sustained[RESOURCE_DRAM_READ];
    const struct emulate_path *path = main_path(&from->emulation);
    struct replay_code ops = {0};
    struct cutter cutter = {.out = out, .from = from, .ops = &ops, .err = err};
    size_t r, at = 0;
    int rc;

    *out = (struct hidden_code){0};
    if (path->cut)
        return err_set(err, ERR_MISSING, "the warps' path is too irregular to be cut into basic blocks");
    if (!(dram->per_gpu > 0))
        return err_set(err, ERR_MISSING, "the device profile lacks dram_read: calibrate the device");
    rc = replay_code_init(&ops, machine, &from->code, &from->traffic, from->occupancy.warps_per_block, err);
    cutter.issue_cycles = 1 / machine->capacities.sustained[RESOURCE_ISSUE].per_sm;
    cutter.cycles_per_byte = (double)machine->device->limits.sm_count / dram->per_gpu;
    if (!rc)
        rc = walk(&cutter, path->steps, path->count, 1);
    replay_code_release(&ops);
    for (r = 0; r < out->run_count; r++) {
        out->runs[r].blocks = out->blocks + at;
        at += out->runs[r].count;
    }
    return rc;
}

void hidden_code_release(struct hidden_code *code)
{
    free(code->blocks);
    free(code->first);
    free(code->last);
    free(code->runs);
    *code = (struct hidden_code){0};
}

struct hidden_launch hidden_code_launch(const struct analysis *from, const struct machine *machine)
{
    return (struct hidden_launch){
        .warps = from->occupancy.warps,
        .warps_per_block = from->occupancy.warps_per_block,
        .blocks = from->input.residency.blocks,
        .resident_blocks = from->occupancy.blocks,
        .sms = (double)machine->device->limits.sm_count,
        .clock_hz = machine->capacities.clock_hz,
    };
}

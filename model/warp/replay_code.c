#include "model/warp/replay_code.h"

#include "model/machine/assumption.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

struct maker {
    struct replay_code *out;
    const struct machine *machine;
    const struct traffic *traffic;
    bool meets; /* warps meet at barriers */
};

/* The latency of the mean issue, if it is `latency` where any lane is on; else nothing is asked for. Where warps meet they wait for
 * those whose lanes are. */
static double mean_latency(const struct maker *make, const struct traffic_count *count, double latency)
{
    const double on = make->meets && count->requests > 0 ? 1 : fmin(count->requests / count->issued, 1);

    return on * latency + (1 - on) * fmin(make->machine->assumptions.off_latency, latency);
}

/* Mean latency of a global access: through L1 and L2 to DRAM as far as its data lies. */
static int global_latency(double *out, const struct maker *make, const struct traffic_count *count,
                          struct err *err)
{
    const double l1_hit = 1 - count->waits, l2_hit = 1 - count->waits_dram;
    double l1 = 0, l2 = 0, dram = 0;

    if ((l1_hit > 0 && machine_need(&l1, make->machine, DEVICE_L1_LATENCY, err)) ||
        (l1_hit < 1 && machine_need(&l2, make->machine, DEVICE_L2_LATENCY, err)) ||
        (l1_hit < 1 && l2_hit < 1 && machine_need(&dram, make->machine, DEVICE_DRAM_LATENCY, err)))
        return ERR_MISSING;
    dram += machine_places(make->machine, traffic_places(count));
    *out = l1_hit * l1 + (1 - l1_hit) * (l2_hit * l2 + (1 - l2_hit) * dram);
    return 0;
}

/* Beyond the first, per request. */
static double further(double all, double requests, double first)
{
    return requests > 0 ? fmax(all / requests - first, 0) : 0;
}

static int make_shared(struct replay_op *op, const struct maker *make, const struct sass *i,
                       const struct traffic_count *count, struct err *err)
{
    const struct machine *machine = make->machine;
    const double fronts = further(count->wavefronts, count->requests, 1);
    const bool atomic = i->accesses[0].access & SASS_ATOMICALLY;

    op->level = MACHINE_SHARED;
    op->interval = fmax(machine_or_0(machine, DEVICE_SHARED_LOAD_GAP), 1 + fronts);
    op->read_latency += fronts;
    if (!(i->accesses[0].access & SASS_READS))
        return 0;
    if (machine_need(&op->latency, machine, atomic ? DEVICE_ATOMIC_SHARED_LATENCY : DEVICE_SHARED_LATENCY,
                     err))
        return ERR_MISSING;
    op->latency += fronts * machine_or_0(machine, DEVICE_SHARED_WAVEFRONT_LATENCY);
    return 0;
}

/* Generic addresses of which all lie in shared memory, as far as they do in other blocks'. */
static int make_remote(struct replay_op *op, const struct maker *make, const struct sass *i,
                       const struct traffic_count *count, struct err *err)
{
    const double share = fmin(count->remote_lines / count->requests, 1);
    const int rc = make_shared(op, make, i, count, err);

    if (!rc && i->accesses[0].access & SASS_READS)
        op->latency += share * fmax(machine_or_0(make->machine, DEVICE_REMOTE_LATENCY) - op->latency, 0);
    return rc;
}

static int make_global(struct replay_op *op, const struct maker *make, const struct sass *i,
                       const struct traffic_count *count, struct err *err)
{
    const struct machine *machine = make->machine;
    const bool writes = !(i->accesses[0].access & SASS_READS);
    const double sectors = further(count->sectors, count->requests, 1);
    const double lines = further(count->lines, count->requests, 1);
    const double fronts =
        further(fmax(count->requests, count->sectors / (LINE / SECTOR)), count->requests, 1);

    op->level = MACHINE_GLOBAL;
    op->kind = i->op == SASS_LDGSTS ? REPLAY_COPY : writes ? REPLAY_PLAIN : REPLAY_LOAD;
    op->interval = fmax(machine_or_0(machine, writes ? DEVICE_STORE_GAP : DEVICE_LOAD_GAP), 1 + fronts);
    op->read_latency += fronts;
    if (writes)
        return 0;
    if (i->accesses[0].access & SASS_ATOMICALLY) {
        if (machine_need(&op->latency, machine, DEVICE_ATOMIC_GLOBAL_LATENCY, err))
            return ERR_MISSING;
    } else {
        if (global_latency(&op->latency, make, count, err))
            return ERR_MISSING;
        op->latency += fmax(sectors * machine_or_0(machine, DEVICE_SECTOR_LATENCY),
                            lines * machine_or_0(machine, DEVICE_LINE_LATENCY));
    }
    op->latency = mean_latency(make, count, op->latency);
    return 0;
}

/* A load through the cache for constants, which answers one address of a request after the other. */
static int make_constant(struct replay_op *op, const struct maker *make, const struct sass *i,
                         const struct traffic_count *count, struct err *err)
{
    const struct machine *machine = make->machine;
    const double places = traffic_constant_places(i, count) / count->issued;

    const double missed =
        machine_constants_missed(machine, count->jumped / count->issued, make->traffic->constant_bytes);

    op->interval = fmax(op->interval, places * machine_or_0(machine, DEVICE_CONSTANT_ADDRESS));
    if (machine_need(&op->latency, machine, DEVICE_CONSTANT_L1_LATENCY, err))
        return ERR_MISSING;
    op->latency += fmax(places - 1, 0) * machine_or_0(machine, DEVICE_CONSTANT_ADDRESS_LATENCY) +
                   missed * machine_or_0(machine, DEVICE_CONSTANT_MISS);
    return 0;
}

static int make_local(struct replay_op *op, const struct maker *make, const struct sass *i,
                      const struct traffic_count *count, struct err *err)
{
    const enum device_value_id near =
        device_has(make->machine->device, DEVICE_LOCAL_LATENCY) ? DEVICE_LOCAL_LATENCY : DEVICE_L1_LATENCY;
    double l1, l2 = 0;

    op->level = MACHINE_GLOBAL;
    if (!(i->accesses[0].access & SASS_READS))
        return 0;
    if (machine_need(&l1, make->machine, near, err) ||
        (count->waits > 0 && machine_need(&l2, make->machine, DEVICE_L2_LATENCY, err)))
        return ERR_MISSING;
    op->latency = mean_latency(make, count, (1 - count->waits) * l1 + count->waits * l2);
    return 0;
}

static int make_memory(struct replay_op *op, const struct maker *make, const struct sass *i,
                       const struct traffic_count *count, struct err *err)
{
    const uint8_t space = i->accesses[0].space;

    if (sass_copies_in_bulk(i))
        return 0; /* the warp goes on */
    if (space == SASS_SPACE_GENERIC && count->requests > 0 && !(count->sectors > 0))
        return make_remote(op, make, i, count, err);
    if (traffic_is_global(i))
        return make_global(op, make, i, count, err);
    if (space == SASS_SPACE_SHARED)
        return make_shared(op, make, i, count, err);
    if (space == SASS_SPACE_CONSTANT)
        return make_constant(op, make, i, count, err);
    return space == SASS_SPACE_LOCAL ? make_local(op, make, i, count, err) : 0;
}

static uint8_t slot_of(uint8_t barrier)
{
    return barrier == SASS_NO_BARRIER ? REPLAY_NO_SLOT : barrier;
}

/* DEPBAR.LE SBx, n: source 0 is the scoreboard, source 1 how many may be left. */
static void make_counted(struct replay_op *op, const struct sass *i)
{
    for (unsigned s = 0; s < i->source_count; s++)
        if (i->sources[s].kind == SASS_SCOREBOARD)
            op->counted = i->sources[s].index;
        else if (i->sources[s].kind == SASS_IMMEDIATE && op->counted_left == 0)
            op->counted_left = (uint8_t)fmin(i->sources[s].value, REPLAY_DEPTH - 1);
}

/* Cycles until the warp's next instruction may go. */
static double stall_of(const struct sass *i, const struct machine_cost *cost, double reconvergence)
{
    return fmax(fmax(i->control.stall, cost->slots), i->op == SASS_BSYNC ? reconvergence : 1);
}

/* Tensor operations of a warp group wait for the tensor pipe in a queue, so that the warp goes on, and end in order;
 * WARPGROUP.DEPBAR waits until so many groups are left. */
static void make_group(struct replay_op *op, const struct machine *machine, const struct sass *i)
{
    const double latency = machine_group_latency(machine, i), issue = machine_group_issue(machine, i);

    if (issue > 0) {
        op->queued = op->interval;
        op->interval = fmax(issue, 1);
    }
    if (i->mod[SASS_MOD_COMMITS] && op->sets == REPLAY_NO_SLOT && latency > 0) {
        op->sets = REPLAY_GROUP_SLOT;
        op->latency = latency;
    }
    if (i->op == SASS_WARPGROUP && i->mod[SASS_MOD_VARIANT] == SASS_WARPGROUP_WAITS) {
        op->counted = REPLAY_GROUP_SLOT;
        op->counted_left = (uint8_t)fmin((double)i->sources[0].value, REPLAY_DEPTH - 1);
    }
}

static bool is_barrier(const struct sass *i)
{
    return (i->op == SASS_BAR && i->mod[SASS_MOD_BARRIER] != SASS_BAR_ARRIVE) || i->op == SASS_UCGABAR_WAIT;
}

static int make_op(struct maker *make, const struct sass *i, size_t index, struct err *err)
{
    const struct machine_cost cost = machine_cost_of(make->machine, i);
    const struct assumptions *assumed = &make->machine->assumptions;
    const struct sass_info *info = sass_info((enum sass_op)i->op);
    const struct traffic_count *count = &make->traffic->counts[index];
    struct replay_op *op = &make->out->ops[index];
    int rc;

    *op = (struct replay_op){.stall = stall_of(i, &cost, assumed->reconvergence),
                             .latency = cost.latency,
                             .read_latency =
                                 i->op == SASS_LDGSTS ? assumed->copy_operands_read : assumed->operands_read,
                             .interval = info->class == SASS_CLASS_BARRIER ? 1 : fmax(cost.interval, 1),
                             .waits = i->control.wait_mask,
                             .sets = slot_of(i->control.write_barrier),
                             .sets_read = slot_of(i->control.read_barrier),
                             .counted = REPLAY_NO_SLOT,
                             .pipe = (uint8_t)info->pipe,
                             .tag = (uint32_t)index};
    if (!(count->issued > 0))
        return 0;
    if (make->machine->reads_count)
        register_reads(make->out->reads[index], i - index, index);
    make_group(op, make->machine, i);
    if (sass_fences_gpu(i))
        op->stall += machine_or_0(make->machine, DEVICE_FENCE_LATENCY);
    if (i->op == SASS_UCGABAR_WAIT)
        op->stall += machine_or_0(make->machine, DEVICE_CLUSTER_BARRIER_LATENCY);
    if (i->op == SASS_LDGDEPBAR)
        op->kind = REPLAY_COMMIT;
    if (i->op == SASS_DEPBAR)
        make_counted(op, i);
    if (cost.assumed && op->sets != REPLAY_NO_SLOT && !i->access_count)
        make->out->assumptions |= PREDICT_ASSUMED_LATENCY;
    if (i->op == SASS_MATCH)
        op->latency += assumed->match_value * (traffic_match_values(count) - 1);
    rc = i->access_count ? make_memory(op, make, i, count, err) : 0;
    if (rc) {
        make->out->missing_pc = i->pc;
        err_prefix(err, "instruction %#x, %s", i->pc, sass_info((enum sass_op)i->op)->name);
    }
    return rc;
}

int replay_code_init(struct replay_code *out, const struct machine *machine, const struct sass_code *code,
                     const struct traffic *traffic, unsigned warps_per_block, struct err *err)
{
    struct maker make = {out, machine, traffic, false};
    int rc = 0;

    *out = (struct replay_code){.count = code->count};
    out->ops = calloc(code->count + 1, sizeof *out->ops);
    out->barriers = calloc(code->count + 1, sizeof *out->barriers);
    out->reads = calloc(code->count + 1, sizeof *out->reads);
    if (!out->ops || !out->barriers || !out->reads)
        rc = err_memory(err);
    for (size_t i = 0; i < code->count && !rc; i++) {
        out->barriers[i] = is_barrier(&code->instructions[i]);
        make.meets |= out->barriers[i] && traffic->counts[i].issued > 0;
    }
    for (size_t i = 0; i < code->count && !rc; i++)
        rc = make_op(&make, &code->instructions[i], i, err);
    if (!rc && make.meets)
        rc = machine_barrier(&out->barrier_cycles, machine, warps_per_block, err);
    if (!rc && make.meets)
        rc = machine_barrier(&out->barrier_alone, machine, 1, err);
    out->taken_stall = machine_or_0(machine, DEVICE_BRANCH_TAKEN);
    out->loads_per_warp = (unsigned)machine_or_0(machine, DEVICE_LOADS_PER_WARP);
    out->products.lead = machine_or_0(machine, DEVICE_GROUP_QUEUE_LATENCY);
    out->products.depth = (unsigned)fmin(machine_or_0(machine, DEVICE_GROUP_QUEUE), PRODUCTS_MOST);
    return rc;
}

void replay_code_release(struct replay_code *code)
{
    free(code->ops);
    free(code->barriers);
    free(code->reads);
    *code = (struct replay_code){0};
}

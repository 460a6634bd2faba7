#include "model/predict/demands.h"

#include "model/machine/assumption.h"
#include "model/sass/register_reads.h"
#include "model/sass/sass_rate.h"
#include "model/memory/turnaround.h"
#include "model/sass/arch/geometry.h"

#include <math.h>

static const enum resource resources[SASS_PIPE_COUNT] = {
    [SASS_PIPE_NONE] = RESOURCE_COUNT,      [SASS_PIPE_FMA] = RESOURCE_FMA,
    [SASS_PIPE_FMA_HEAVY] = RESOURCE_FMA,   [SASS_PIPE_ALU] = RESOURCE_ALU,
    [SASS_PIPE_FP16] = RESOURCE_FP16,       [SASS_PIPE_FP64] = RESOURCE_FP64,
    [SASS_PIPE_XU] = RESOURCE_XU,           [SASS_PIPE_TENSOR] = RESOURCE_TENSOR,
    [SASS_PIPE_UNIFORM] = RESOURCE_UNIFORM, [SASS_PIPE_LSU] = RESOURCE_LSU,
    [SASS_PIPE_TEX] = RESOURCE_TEX,         [SASS_PIPE_BRANCH] = RESOURCE_BRANCH,
};

/* Of what is written, the share of sectors written in part from which on the output names them. */
static const double PARTS_MATTER = 0.01;
/* Of the time of what is added anywhere, how long additions at one place last from which on others wait for them. */
static const double HOT_MATTERS = 0.25;

static void ask(struct demand *demand, enum resource r, double count, double least)
{
    demand->count[r] += count;
    demand->least[r] += least;
}

/* Constant loads, special registers and barriers go by other ways than data does. */
static bool moves_data(const struct sass *i)
{
    const uint8_t space = i->access_count ? i->accesses[0].space : SASS_SPACE_NONE;

    return (i->access_count && space != SASS_SPACE_CONSTANT && space != SASS_SPACE_TEXTURE) ||
           sass_info((enum sass_op)i->op)->class == SASS_CLASS_SHUFFLE;
}

/* What the model does not know of the rate at which it is executed; null where it knows enough. */
static const char *missing_rate(const struct machine *machine, const struct sass *i,
                                const struct machine_cost *cost)
{
    const struct sass_rate rate = sass_rate((enum sass_op)i->op);

    if (i->op == SASS_UBLKRED && sass_is_bulk_across(i))
        return "the rate of reductions in another block's shared memory";
    switch (rate.kind) {
    case SASS_RATE_NONE:
        return rate.why;
    case SASS_RATE_SIMULATED:
        return machine_simulates(machine, (enum sass_op)i->op) ? NULL : rate.why;
    case SASS_RATE_MATRIX:
        return cost->interval > 0 ? NULL : "the rate of the tensor cores for its shape and type";
    case SASS_RATE_PIPE:
        return cost->interval > 0 ? NULL : "the rate of its pipe";
    default:
        return NULL;
    }
}

static void count_products(struct demands *out, const struct sass *i, double cycles)
{
    struct sass_matrix matrix;

    out->tensor_cycles += cycles;
    out->warp_tensor_cycles += sass_matrix(&matrix, i) && matrix.group ? 0 : cycles;
}

/* Issue slots and cycles of the arithmetic pipes. */
static void ask_pipe(struct demands *out, const struct machine *machine, const struct sass *i,
                     const struct traffic_count *count, double warps)
{
    const struct sass_info *info = sass_info((enum sass_op)i->op);
    const struct machine_cost cost = machine_cost_of(machine, i);
    const struct machine_cost *ffma = &machine->costs[SASS_FFMA];
    const double issued = count->issued, least = count->least_issued;
    const enum resource r = resources[info->pipe];
    const bool fixed = i->control.write_barrier == SASS_NO_BARRIER; /* the latency is in the code */
    const bool simulated = sass_rate((enum sass_op)i->op).kind == SASS_RATE_SIMULATED;
    const char *missing = missing_rate(machine, i, &cost);

    if (missing)
        unrated_add(&out->unrated, i, missing, issued * warps);
    ask(&out->demand, RESOURCE_ISSUE, issued * cost.slots, least);
    out->issued += issued;
    if (i->op == SASS_UNKNOWN || !(cost.latency > 0 || fixed || (simulated && !missing)))
        out->assumptions |= PREDICT_ASSUMED_LATENCY;
    else if (fixed || simulated || !machine->published)
        out->known_share += issued;
    if (r == RESOURCE_COUNT)
        return;
    if (r == RESOURCE_LSU) {
        if (moves_data(i))
            ask(&out->demand, r, issued, least);
    } else if (info->pipe == SASS_PIPE_FMA_HEAVY) {
        /* the heavy half is one of two: both together take as long as an FFMA does */
        ask(&out->demand, RESOURCE_FMA, issued * ffma->interval, least * ffma->interval_best);
        ask(&out->demand, RESOURCE_FMA_HEAVY, issued * cost.interval, least * cost.interval_best);
    } else {
        ask(&out->demand, r, issued * cost.interval, least * cost.interval_best);
        if (r == RESOURCE_TENSOR)
            count_products(out, i, issued * cost.interval_best);
    }
    if (cost.assumed && issued * cost.interval > 0)
        out->assumptions |= PREDICT_ASSUMED_CAPACITY;
}

/* Of what an instruction accesses, the share that is certain. */
static double least_share(const struct traffic_count *count, const struct traffic *traffic)
{
    return count->issued > 0 ? count->least_issued / count->issued * fmax(1 - traffic->access_error, 0) : 0;
}

/* The way to shared memory, which shuffles and the factors of a warp group take too. Most of what the copy engine writes may
 * overlap with what else takes it. */
static void ask_shared(struct demands *out, const struct machine *machine, const struct sass *i,
                       const struct traffic_count *count, const struct traffic *traffic)
{
    struct sass_matrix matrix;
    const double factors = sass_matrix(&matrix, i) ? sass_matrix_shared_bytes(&matrix) / LINE : 0;
    const double passes = traffic_shared_passes(i, count) + factors * count->issued;
    const bool copies = sass_copies_in_bulk(i);

    ask(&out->demand, RESOURCE_MATCH, traffic_match_passes(i, count), 0);
    ask(&out->demand, RESOURCE_SHARED, copies ? machine->assumptions.copied_passes * passes : passes,
        copies ? 0 : passes * least_share(count, traffic));
}

/* The cache for constants answers a request address by address. What they name is certain
 * where each lane's place was followed; what they miss is not. */
static void ask_constants(struct demands *out, const struct machine *machine, const struct sass *i,
                          const struct traffic_count *count, const struct traffic *traffic)
{
    const bool known = machine->capacities.sustained[RESOURCE_CONSTANT_PORT].per_sm > 0;
    const double kept = machine_or_0(machine, DEVICE_CONSTANT_KEPT);

    if (!sass_indexes_constants(i))
        return;
    if (!(kept > 0) || traffic->constant_bytes > kept)
        out->assumptions |= PREDICT_ASSUMED_CONSTANTS;
    out->assumptions |= known ? 0 : PREDICT_ASSUMED_ONE_PLACE;
    if (known)
        ask(&out->demand, RESOURCE_CONSTANT_PORT,
            machine_constant_places(machine, traffic_constant_places(i, count), count->jumped,
                                    traffic->constant_bytes),
            count->wavefronts * least_share(count, traffic));
}

/* What an instruction adds anywhere, in passes at one place that last as long. */
static double passes_anywhere(const struct machine *machine, const struct traffic_count *count, double lanes)
{
    const struct capacity *all = machine->capacities.sustained;
    const double sms = (double)machine->device->limits.sm_count;
    const double l2 = machine_adds(machine, count->sectors, count->lines) / all[RESOURCE_L2].per_sm,
                 lanes_cycles = lanes / all[RESOURCE_ATOMIC_GLOBAL].per_sm;

    return fmax(l2, lanes_cycles) * all[RESOURCE_ATOMIC_PLACE].per_gpu / sms;
}

/* Where many come to one slice of L2, what waits there keeps others waiting, too: of the shorter of both a part comes on top. */
static double passes_beside(const struct machine *machine, double hot, double anywhere)
{
    return hot < anywhere * HOT_MATTERS
               ? hot
               : fmax(hot, anywhere) + machine->assumptions.adds_beside * fmin(hot, anywhere);
}

static void ask_atomics(struct demands *out, const struct machine *machine, const struct sass *i,
                        const struct traffic_count *count, const struct traffic *traffic)
{
    const struct machine_added added = {.lanes = count->lanes,
                                        .sectors = count->sectors,
                                        .lines = count->lines,
                                        .bytes = count->bytes,
                                        .repeats = count->lanes * traffic->repeated};
    const double slice =
        traffic->passes * fmax(machine_busiest_slice(machine, traffic->contended_unevenly),
                               traffic->met_share * machine_busiest_of_row(machine, traffic->met_lines));
    const double place =
        traffic->contended + (machine->assumptions.float_adds - 1) * traffic->contended_behind;
    const double hot = count->lanes * fmax(place, slice), lanes = machine_atomics(machine, i, &added);

    ask(&out->demand, RESOURCE_ATOMIC_GLOBAL, lanes, 0);
    if (machine->capacities.sustained[RESOURCE_ATOMIC_PLACE].per_gpu > 0)
        ask(&out->demand, RESOURCE_ATOMIC_PLACE,
            passes_beside(machine, hot, passes_anywhere(machine, count, lanes)), 0);
}

/* Shared memory of other blocks of the cluster. */
static void ask_remote(struct demands *out, const struct machine *machine, const struct sass *i,
                       const struct traffic_count *count, double warps)
{
    if (!(count->remote_lines > 0))
        return;
    if (!(machine_or_0(machine, DEVICE_REMOTE_SECTOR) > 0))
        unrated_add(&out->unrated, i, "the rate of accesses to other blocks' shared memory",
                    count->issued * warps);
    ask(&out->demand, RESOURCE_REMOTE,
        machine_remote(machine, count->remote_lines, count->remote_sectors, count->remote_parts), 0);
}

/* Reductions by the copy engine keep what adds in L2 busy, as atomics do: counted in lanes of those. */
static void ask_reductions(struct demands *out, const struct machine *machine, const struct sass *i,
                           const struct traffic_count *count)
{
    ask(&out->demand, RESOURCE_ATOMIC_GLOBAL,
        machine_reduces(machine, i, count->bytes) *
            machine->capacities.sustained[RESOURCE_ATOMIC_GLOBAL].per_sm,
        0);
}

/* Whatever conflicts in banks: lines come by four, bytes by 128. */
static double least_fronts(const struct traffic_count *count)
{
    return fmax(fmax(count->requests, count->lines / 4), fmin(count->sectors * SECTOR, count->bytes) / LINE);
}

/* Wavefronts of L1 for global and local memory, and what lies beyond. */
static void ask_memory(struct demands *out, const struct machine *machine, const struct sass *i,
                       const struct traffic_count *count, const struct traffic *traffic)
{
    const double certain = least_fronts(count) * least_share(count, traffic);
    const uint8_t space = i->accesses[0].space;
    const bool atomic = i->accesses[0].access & SASS_ATOMICALLY;
    const bool loads = i->accesses[0].access == SASS_READS && i->access_count == 1;
    const double fronts =
        machine_fronts(machine, i, count->requests, count->sectors, loads ? count->passes : 0);

    ask_remote(out, machine, i, count, traffic->warps);
    if (space == SASS_SPACE_SHARED && !traffic_is_global(i)) {
        if (atomic)
            ask(&out->demand, RESOURCE_ATOMIC_SHARED, count->wavefronts, 0);
        return;
    }
    if (!traffic_is_local(i) && !traffic_is_global(i))
        return;
    if (sass_copies_in_bulk(i)) {
        out->assumptions |= PREDICT_ASSUMED_COPIES;
        if (atomic)
            ask_reductions(out, machine, i, count);
        return; /* past L1: what comes is counted where it is written to shared memory */
    }
    if (atomic) /* what generic addresses find in shared memory */
        ask(&out->demand, RESOURCE_ATOMIC_SHARED, count->wavefronts, 0);
    if (!(count->sectors > 0))
        return;
    if (atomic)
        ask_atomics(out, machine, i, count, traffic);
    ask(&out->demand, RESOURCE_L1_DATA, fronts, certain);
    if (machine->capacities.sustained[RESOURCE_L1_TAGS].per_sm > 0)
        ask(&out->demand, RESOURCE_L1_TAGS, count->lines, 0);
}

static bool reads_l2(const struct sass *i)
{
    const struct sass_access *access = &i->accesses[0];

    return i->access_count && access->access & SASS_READS && !(access->access & SASS_ATOMICALLY) &&
           (traffic_is_local(i) || traffic_is_global(i));
}

/* L2 looks up what one load asks for while it reads what another does. What it answers with and what comes into it, from SMs and
 * from DRAM, go beside each other, but for a part. */
static void ask_l2(struct demands *out, const struct machine *machine, const struct sass_code *code,
                   const struct traffic *traffic)
{
    const struct traffic_stores *stores = &traffic->stores;
    const double brought = traffic->dram.read / SECTOR, beside = machine->assumptions.l2_beside;
    struct traffic_l2 all = {0};
    double out_of, into;

    for (size_t i = 0; i < code->count; i++)
        if (traffic->counts[i].issued > 0 && reads_l2(&code->instructions[i])) {
            const struct traffic_l2 own = traffic_l2_reads(&traffic->counts[i]);

            all.sectors += own.sectors;
            all.lines += own.lines;
            all.merged += own.merged;
        }
    out_of = machine_reads(machine, all.sectors, all.lines, all.merged, traffic->loads.l1_lines);
    into = machine_writes(machine, stores->sectors, stores->lines, stores->filled) +
           machine_adds(machine, traffic->added.sectors, traffic->added.lines);
    ask(&out->demand, RESOURCE_L2, out_of + beside * into, traffic->least.l2_read);
    ask(&out->demand, RESOURCE_L2_WRITE,
        into > 0 ? into + machine_writes(machine, brought, brought / (LINE / SECTOR), brought) +
                       beside * fmax(out_of - brought, 0)
                 : 0,
        traffic->least.l2_written);
}

static void ask_beyond(struct demands *out, const struct machine *machine, const struct traffic *traffic)
{
    struct demand *demand = &out->demand;

    ask(demand, RESOURCE_DRAM_READ,
        machine_brings(machine, traffic->dram.read - traffic->dram.completed, traffic->dram.scattered,
                       traffic->dram.lone, traffic->loads.l1_lines),
        traffic->least.dram_read);
    ask(demand, RESOURCE_DRAM_WRITE,
        traffic->dram.written * turnaround_cost(machine, traffic) + turnaround_added(machine, traffic) +
            machine_completes(machine, traffic->dram.completed, traffic->dram.completed_alone),
        traffic->least.dram_written);
    if (traffic->dram.completed > PARTS_MATTER * traffic->dram.written)
        out->assumptions |= PREDICT_ASSUMED_PARTS;
    if (traffic->loads.l1_read > 0)
        out->assumptions |= PREDICT_ASSUMED_HIT_RATE;
    if (!traffic->blocks_equal)
        out->assumptions |= PREDICT_ASSUMED_EQUAL_BLOCKS;
    if (traffic->touched.read_most + traffic->touched.written_most >
        machine->assumptions.sharing_matters * (traffic->least.read + traffic->least.written))
        out->assumptions |= PREDICT_ASSUMED_SHARING;
}

/* Requests hold a place for as long as they wait. */
static void ask_places(struct demands *out, const struct machine *machine, const struct traffic *traffic)
{
    const double l2 = machine_or_0(machine, DEVICE_L2_LATENCY),
                 dram = machine_or_0(machine, DEVICE_DRAM_LATENCY);
    const double cycles = traffic->loads.waiting * l2 + traffic->loads.waiting_dram * (dram - l2);

    if (machine->capacities.sustained[RESOURCE_LOADS_IN_FLIGHT].per_sm > 0 && l2 > 0 && dram > 0)
        ask(&out->demand, RESOURCE_LOADS_IN_FLIGHT, cycles, 0);
}

static void ask_registers(struct demands *out, const struct sass_code *code, const struct traffic *traffic)
{
    double banks[REGISTER_BANKS] = {0};
    uint8_t reads[REGISTER_BANKS];

    for (size_t i = 0; i < code->count; i++) {
        register_reads(reads, code->instructions, i);
        for (int b = 0; b < REGISTER_BANKS; b++)
            banks[b] += traffic->counts[i].issued * reads[b];
    }
    ask(&out->demand, RESOURCE_REGISTERS, fmax(banks[0], banks[1]), 0);
}

void demands_of(struct demands *out, const struct machine *machine, const struct sass_code *code,
                const struct traffic *traffic)
{
    *out = (struct demands){0};
    for (size_t i = 0; i < code->count; i++) {
        if (!(traffic->counts[i].issued > 0))
            continue;
        ask_pipe(out, machine, &code->instructions[i], &traffic->counts[i], traffic->warps);
        ask_shared(out, machine, &code->instructions[i], &traffic->counts[i], traffic);
        ask_constants(out, machine, &code->instructions[i], &traffic->counts[i], traffic);
        if (code->instructions[i].access_count)
            ask_memory(out, machine, &code->instructions[i], &traffic->counts[i], traffic);
    }
    if (machine->reads_count)
        ask_registers(out, code, traffic);
    ask(&out->demand, RESOURCE_ICACHE, out->issued * SASS_BYTES * machine_supply(machine, traffic->hot_bytes),
        0);
    ask_l2(out, machine, code, traffic);
    ask_beyond(out, machine, traffic);
    ask_places(out, machine, traffic);
    out->known_share = out->issued > 0 ? out->known_share / out->issued : 0;
    if (machine->published)
        out->assumptions |= PREDICT_ASSUMED_PUBLISHED;
}

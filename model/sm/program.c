#include "model/sm/program.h"

#include "model/sm/async.h"

#include "model/memory/turnaround.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

double sm_slowed(const struct sm_input *in)
{
    return in->slowed > 0 ? in->slowed : 1;
}

static double server_cycles(const struct sm_input *in, enum resource resource)
{
    const struct capacity *capacity = &in->machine->capacities.sustained[resource];
    const double own = capacity->per_sm > 0 ? 1 / capacity->per_sm : 0;
    const double shared = capacity->per_gpu > 0 ? in->busy_sms / capacity->per_gpu : 0;

    return fmax(own, shared / sm_slowed(in));
}

/* A sector of L2, as fast as one SM alone can have it: where its warps wait, others have its share,
 * and it has theirs. What all of them together can have is a throughput bound. */
static double alone_cycles(const struct sm_input *in)
{
    const double own = in->machine->capacities.sustained[RESOURCE_L2].per_sm;

    return own > 0 ? 1 / own : server_cycles(in, RESOURCE_L2);
}

double sm_l2_share(const struct sm_input *in)
{
    return server_cycles(in, RESOURCE_L2);
}

/* What a store asks of L2: what merges on its way there asks for nothing. Registers are spilled in bursts, which come at another
 * time on other SMs; results are stored by all at about the same. */
static void share_store(struct sm_request *out, const struct sm_input *in, const struct traffic_count *count,
                        bool local)
{
    const struct traffic *traffic = in->traffic;
    const double each = (local ? alone_cycles(in) : server_cycles(in, RESOURCE_L2)) / count->issued;
    const double sent = count->sectors - count->again;
    const double filled = traffic->stores.sectors > 0 ? traffic->stores.filled / traffic->stores.sectors : 1;

    out->stores = true;
    out->l2 = each * machine_writes(in->machine, sent, count->lines * sent / count->sectors, sent * filled);
}

/* Of a load's latency, what DRAM makes longer or shorter, and the pieces that it brings; not what another
 * block has asked for before. */
static void share_latency(struct sm_request *out, const struct sm_input *in,
                          const struct traffic_count *count)
{
    const double latency =
        machine_or_0(in->machine, DEVICE_DRAM_LATENCY) + machine_places(in->machine, traffic_places(count));

    out->dram_part = fmin(traffic_brought(count), count->waits * count->waits_dram) * latency;
    out->granules = count->lines / count->issued / ((double)DRAM_GRANULE / LINE);
    out->waits = count->waits;
    out->waits_dram = count->waits * count->waits_dram;
}

/* What the mean issue asks for: of those with every lane off, nothing. */
static void share_memory(struct sm_request *out, const struct sm_input *in, size_t i)
{
    const struct sass *instruction = &in->sass->instructions[i];
    const struct traffic_count *count = &in->traffic->counts[i];
    const bool writes = !(instruction->accesses[0].access & SASS_READS);
    const bool loads = instruction->accesses[0].access == SASS_READS && instruction->access_count == 1;
    const double each = 1 / count->issued;
    const struct traffic_l2 l2 = traffic_l2_reads(count);
    const bool global = traffic_is_global(instruction);
    const double stored = in->traffic->stores.sectors + in->traffic->added.sectors;
    const double written =
        stored > 0 ? in->traffic->dram.written / stored * (count->sectors - count->again) : 0;

    out->units = each * traffic_shared_passes(instruction, count) * server_cycles(in, RESOURCE_SHARED);
    out->own[SM_REMOTE] =
        each * machine_remote(in->machine, count->remote_lines, count->remote_sectors, count->remote_parts);
    if ((!global && !traffic_is_local(instruction)) || !(count->sectors > 0))
        return;
    if (instruction->access_count == 1) /* of copies the data path sees only what arrives, counted above */
        out->units += each *
                      machine_fronts(in->machine, instruction, count->requests, count->sectors,
                                     loads ? count->passes : 0) *
                      server_cycles(in, RESOURCE_L1_DATA);
    out->tags = each * count->lines * server_cycles(in, RESOURCE_L1_TAGS);
    if (writes)
        share_store(out, in, count, !global);
    if (!writes && !(instruction->accesses[0].access & SASS_ATOMICALLY))
        share_latency(out, in, count);
    if (!writes)
        out->l2 = each * alone_cycles(in) *
                  machine_reads(in->machine, l2.sectors, l2.lines, l2.merged, in->traffic->loads.l1_lines);
    out->dram = each * (writes ? written * turnaround_cost(in->machine, in->traffic) *
                                     server_cycles(in, RESOURCE_DRAM_WRITE)
                               : machine_brings(in->machine, count->dram_read, count->dram_scattered,
                                                count->dram_lone, in->traffic->loads.l1_lines) *
                                     server_cycles(in, RESOURCE_DRAM_READ));
}

/* Addresses that the mean issue has the cache for constants answer. */
static double constant_places(const struct sm_input *in, size_t i)
{
    const struct traffic_count *count = &in->traffic->counts[i];

    return machine_constant_places(in->machine, traffic_constant_places(&in->sass->instructions[i], count),
                                   count->jumped, in->traffic->constant_bytes) /
           count->issued;
}

/* ERRBAR, which follows a fence. */
static bool is_behind_fence(const struct sass_code *sass, size_t i)
{
    return i > 0 && sass->instructions[i].op == SASS_ERRBAR && sass_fences_gpu(&sass->instructions[i - 1]);
}

/* What the mean issue asks for beside memory: constants, the search of a MATCH, the way of a shuffle through shared memory. */
static void share_others(struct sm_request *out, const struct sm_input *in, size_t i)
{
    const struct sass *instruction = &in->sass->instructions[i];
    const struct traffic_count *count = &in->traffic->counts[i];
    const double each = 1 / count->issued;

    out->own[SM_CONSTANTS] = constant_places(in, i) * server_cycles(in, RESOURCE_CONSTANT_PORT);
    out->own[SM_MATCHES] =
        each * traffic_match_passes(instruction, count) * server_cycles(in, RESOURCE_MATCH);
    if (!instruction->access_count)
        out->units = each * traffic_shared_passes(instruction, count) * server_cycles(in, RESOURCE_SHARED);
}

static struct sm_request request_of(const struct sm_input *in, size_t i)
{
    const struct replay_op *op = &in->code->ops[i];
    struct sm_request out = {.waits = 1,
                             .waits_dram = 1,
                             .latency = op->latency,
                             .read_latency = op->read_latency,
                             .queued = op->queued,
                             .sets = op->sets,
                             .sets_read = op->sets_read,
                             .kind = op->kind};

    if (in->sass->instructions[i].access_count && in->traffic->counts[i].requests > 0)
        share_memory(&out, in, i);
    if (in->traffic->counts[i].issued > 0)
        share_others(&out, in, i);
    out.fences = sass_fences_gpu(&in->sass->instructions[i]);
    out.fenced = is_behind_fence(in->sass, i);
    sm_async_request(&out, in, i);
    return out;
}

static bool asks_own(const struct sm_request *request)
{
    bool asks = false;

    for (int s = 0; s < SM_SERVERS; s++)
        asks |= request->own[s] > 0;
    return asks;
}

static bool asks(const struct sm_request *request)
{
    return request->units > 0 || request->tags > 0 || request->l2 > 0 || request->dram > 0 ||
           asks_own(request) || request->sets != REPLAY_NO_SLOT || request->sets_read != REPLAY_NO_SLOT ||
           request->kind == REPLAY_COPY || request->kind == REPLAY_COMMIT || request->fences ||
           request->fenced || request->queued > 0;
}

/* A product in the queue is issued before its registers are read, which the tensor pipe does while it works: for others the
 * banks are as busy as for any instruction. */
static double needs_of(double reads, const struct sm_request *request)
{
    return reads > 0 && !(request->queued > 0) ? reads : -INFINITY;
}

/* Until the pipe of its sub-partition takes another: the rest of what it takes of what all share is queued for. */
static double interval_of(const struct replay_op *op, const struct machine_cost *cost,
                          const struct sm_request *request)
{
    if (request->units > 0)
        return 1;
    return asks_own(request) ? fmax(cost->interval, 1) : op->interval;
}

static struct sm_op op_of(const struct sm_input *in, size_t i, const struct sm_request *request)
{
    const struct replay_op *op = &in->code->ops[i];
    const struct machine_cost cost = machine_cost_of(in->machine, &in->sass->instructions[i]);
    const bool queues = request->units > 0;
    const double slots_per_cycle = in->machine->capacities.sustained[RESOURCE_ISSUE].per_sm / in->partitions;
    struct sm_op out = {.stall = op->stall,
                        .busy = cost.slots / slots_per_cycle,
                        .interval = interval_of(op, &cost, request),
                        .asks = asks(request),
                        .port = (uint8_t)sm_port(op->pipe, queues),
                        .waits = op->waits & ((1u << SM_SCOREBOARDS) - 1),
                        .counted = op->counted,
                        .counted_left = op->counted_left,
                        .barrier = in->code->barriers[i],
                        .yields = in->sass->instructions[i].control.yield};

    out.async = request->async || (sm_async_applies(in) && emulate_notes(&in->sass->instructions[i]));
    out.barrier &= !out.async;
    out.yields |= request->queued > 0; /* groups that issue products together are done together */
    out.local = !out.asks && !out.barrier && !out.async;
    out.prompt = out.local && !out.waits && out.counted >= SM_SCOREBOARDS;
    for (int b = 0; b < REGISTER_BANKS; b++) {
        out.reads[b] = in->code->reads[i][b];
        out.needs[b] = needs_of(out.reads[b], request);
    }
    return out;
}

int sm_code_init(struct sm_code *out, const struct sm_input *in, struct err *err)
{
    const size_t count = in->code->count;

    out->ops = calloc(count + 1, 2 * sizeof *out->ops + sizeof *out->requests);
    if (!out->ops)
        return err_memory(err);
    out->requests = (struct sm_request *)(out->ops + 2 * (count + 1));
    out->count = count;
    out->subset = sm_subset_whole(in);
    out->dram = machine_dram_mix(in->machine, in->traffic->dram.read, in->traffic->dram.written);
    out->dram_copies = out->dram;
    out->dram_copies.weight *= in->machine->assumptions.copies_delay;
    if (sm_async_init(&out->async, in, err))
        return ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        out->requests[i] = request_of(in, i);
        out->ops[i] = out->ops[count + i] = op_of(in, i, &out->requests[i]);
        out->spreads |= out->requests[i].dram_part > 0;
        out->counts |= out->ops[i].counted < SM_SCOREBOARDS;
        out->ops[count + i].stall = fmax(out->ops[i].stall, in->code->taken_stall);
    }
    return 0;
}

void sm_code_release(struct sm_code *code)
{
    free(code->ops);
    sm_async_release(&code->async);
    *code = (struct sm_code){0};
}

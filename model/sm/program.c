#include "model/sm/program.h"

#include "model/sm/async.h"

#include "model/memory/turnaround.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Operations --------------------------------------------------------------- */

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
    const double brings = fmin(count->dram_read / (count->sectors * SECTOR), 1);

    out->dram_part =
        fmin(brings, count->waits * count->waits_dram) * machine_or_0(in->machine, DEVICE_DRAM_LATENCY);
    out->granules = count->lines / count->issued / ((double)MACHINE_DRAM_GRANULE / LINE);
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

/* Paths -------------------------------------------------------------------- */

/* Reserves space for so many more. */
static int list_reserve(struct sm_list *list, size_t more, struct err *err)
{
    size_t capacity = list->capacity ? list->capacity : 1024;
    uint32_t *grown;

    if (list->count + more <= list->capacity)
        return 0;
    while (capacity < list->count + more)
        capacity *= 2;
    grown = realloc(list->ops, capacity * sizeof *grown);
    if (!grown)
        return err_memory(err);
    list->ops = grown;
    list->capacity = capacity;
    return 0;
}

/* To how many iterations loops are cut at some depth. */
struct depth {
    const struct sm_cut *cut;
    unsigned iterations;
    bool within; /* an outermost loop that is cut */
};

/* That of the loops within one that has `repeats`. Those within a loop that is cut are cut to more, since they
 * begin anew in each iteration; those within these to few, or they would be too many. */
static struct depth deeper(const struct depth *depth, uint64_t repeats)
{
    const struct sm_cut *cut = depth->cut;

    if (depth->within)
        return (struct depth){cut, cut->brief, false};
    if (repeats > cut->brief)
        return (struct depth){cut, cut->inner, true};
    return *depth;
}

int sm_list_run(struct sm_list *list, const struct sm_input *in, const struct emulate_step *steps, size_t s,
                size_t count, size_t most, struct err *err)
{
    const struct emulate_step *step = &steps[s];
    const size_t left = list->count < most ? most - list->count : 0,
                 added = step->count < left ? step->count : left;
    const uint32_t end = step->first + step->count;
    const bool goes_on = s + 1 < count && !steps[s + 1].body && steps[s + 1].first == end;
    const int rc = list_reserve(list, added, err);

    for (uint32_t k = 0; k < added && !rc; k++)
        list->ops[list->count++] = step->first + k;
    if (!rc && added && added == step->count && !goes_on && in->code->ops[end - 1].pipe == SASS_PIPE_BRANCH)
        list->ops[list->count - 1] += (uint32_t)in->code->count;
    return rc;
}

double sm_count_steps(const struct emulate_step *steps, size_t count)
{
    double sum = 0;

    for (size_t s = 0; s < count; s += steps[s].body + 1)
        sum += steps[s].body ? (double)steps[s].repeats * sm_count_steps(steps + s + 1, steps[s].body)
                             : steps[s].count;
    return sum;
}

/* Loops cut short. The two simulations differ in the iterations of the outermost loop that both cut, so that
 * one of these costs what it does with all of its inner loops, and with the barriers between them. */
static int list_steps(struct sm_list *list, const struct sm_input *in, const struct emulate_step *steps,
                      size_t count, const struct depth *depth, struct err *err)
{
    const size_t most = depth->cut->most;
    int rc = 0;

    for (size_t s = 0; s < count && !rc; s += steps[s].body + 1) {
        const struct emulate_step *step = &steps[s];
        const struct depth inner = deeper(depth, step->repeats);
        uint64_t k = 0;

        for (; step->body && k < step->repeats && k < depth->iterations && !rc && list->count < most; k++)
            rc = list_steps(list, in, step + 1, step->body, &inner, err);
        if (!step->body && !rc)
            rc = sm_list_run(list, in, steps, s, count, most, err);
    }
    return rc;
}

void sm_lists_free(struct sm_list *lists, size_t count)
{
    for (size_t l = 0; l < count && lists; l++)
        free(lists[l].ops);
    free(lists);
}

void sm_lists_share(struct sm_list *lists, const struct sm_list *others, size_t count)
{
    size_t k;

    for (size_t l = 0; l < count; l++) {
        for (k = 0; k < lists[l].count && k < others[l].count && lists[l].ops[k] == others[l].ops[k];)
            k++;
        lists[l].shared = k ? k - 1 : 0;
    }
}

/* The steps of a path of which a cut simulates the beginning. */
static size_t steps_shown(const struct sm_list *list, const struct emulate_path *path,
                          const struct sm_cut *cut)
{
    double shown = 0;
    size_t s = 0;

    for (; s < path->count && shown < cut->part * list->all; s += path->steps[s].body + 1)
        shown += sm_count_steps(path->steps + s, path->steps[s].body + 1);
    return s;
}

static int list_path(struct sm_list *list, const struct sm_input *in, const struct emulate_path *path,
                     const struct sm_cut *cut, unsigned iterations, struct err *err)
{
    const struct depth depth = {cut, iterations, false};

    list->all = sm_count_steps(path->steps, path->count);
    list->steps = cut->part < 1 ? steps_shown(list, path, cut) : path->count;
    list->shown = sm_count_steps(path->steps, list->steps);
    return list_steps(list, in, path->steps, list->steps, &depth, err);
}

static void count_instructions(double *out, const struct emulate_step *steps, size_t count, double times)
{
    for (size_t s = 0; s < count; s += steps[s].body + 1) {
        if (steps[s].body)
            count_instructions(out, steps + s + 1, steps[s].body, times * (double)steps[s].repeats);
        for (uint32_t i = 0; i < steps[s].count; i++)
            out[steps[s].first + i] += times;
    }
}

/* Share of the instructions of a path by which its beginning is another mixture. */
static double unlikeness(const struct emulate_path *path, const struct sm_list *list, double *counts,
                         size_t instructions)
{
    double *whole = counts, *shown = counts + instructions, sum = 0;

    memset(counts, 0, 2 * instructions * sizeof *counts);
    count_instructions(whole, path->steps, path->count, 1 / list->all);
    count_instructions(shown, path->steps, list->steps, 1 / list->shown);
    for (size_t i = 0; i < instructions; i++)
        sum += fabs(whole[i] - shown[i]) / 2;
    return sum;
}

int sm_lists_unlike(double *out, const struct sm_list *lists, const struct sm_input *in, struct err *err)
{
    const size_t instructions = in->code->count, paths = in->emulation->path_count;
    double *counts = calloc(2 * instructions + paths + 1, sizeof *counts), *each = counts + 2 * instructions,
           all = 0;
    const size_t warps = in->blocks[0]->warps;

    *out = 0;
    if (!counts)
        return err_memory(err);
    for (size_t l = 0; l < paths; l++)
        if (lists[l].count)
            each[l] = unlikeness(&in->emulation->paths[l], &lists[l], counts, instructions);
    for (size_t w = 0; w < warps * in->block_count; w++) {
        const uint32_t p = in->blocks[w / warps]->paths[w % warps];

        *out += each[p] * lists[p].all;
        all += lists[p].all;
    }
    *out /= fmax(all, 1);
    free(counts);
    return 0;
}

int sm_lists(struct sm_list **out, const struct sm_input *in, const struct sm_cut *cut, unsigned iterations,
             double *simulated, double *all, struct err *err)
{
    const size_t count = in->emulation->path_count;
    struct sm_list *lists = calloc(count + 1, sizeof *lists);
    const size_t warps = in->blocks[0]->warps;
    int rc = lists ? 0 : err_memory(err);

    *simulated = *all = 0;
    for (size_t w = 0; w < warps * in->block_count && !rc; w++) {
        const uint32_t p = in->blocks[w / warps]->paths[w % warps];
        struct sm_list *list = &lists[p];

        if (!list->count)
            rc = list_path(list, in, &in->emulation->paths[p], cut, iterations, err);
        *simulated += (double)list->count;
        *all += list->all;
    }
    *out = lists;
    if (!rc)
        return 0;
    sm_lists_free(lists, count);
    *out = NULL;
    return rc;
}

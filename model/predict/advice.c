#include "model/predict/advice.h"

#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct adviser {
    const struct analysis *from;
    const struct machine *machine;
    struct advice *out;
    size_t count;
    struct predict_input input; /* without the replay of all warps, which a remedy would need anew */
    double estimate_s;          /* of it */
};

static const double LEAST_GAIN = 1.01;

/* Keeps a remedy if the prediction with it is faster; `work` scales the time where the grid changes too. */
static struct advice *offer(struct adviser *a, const struct predict_input *changed, double work,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

static struct advice *offer(struct adviser *a, const struct predict_input *changed, double work,
                            const char *format, ...)
{
    struct advice *advice = &a->out[a->count];
    struct prediction then;
    va_list args;

    if (a->count == ADVICE_MOST || predict(&then, changed, NULL) || !(then.estimate_s > 0))
        return NULL;
    *advice = (struct advice){.gain = a->estimate_s / (then.estimate_s * work)};
    if (!(advice->gain >= LEAST_GAIN))
        return NULL;
    va_start(args, format);
    vsnprintf(advice->text, sizeof advice->text, format, args);
    va_end(args);
    a->count++;
    return advice;
}

static void offer_at(struct adviser *a, struct advice *advice, size_t instruction)
{
    if (!advice)
        return;
    advice->at_code = true;
    advice->pc = a->from->code.instructions[instruction].pc;
}

static const char *name_of(const struct adviser *a, size_t instruction)
{
    return sass_info((enum sass_op)a->from->code.instructions[instruction].op)->name;
}

static const struct traffic_count *count_of(const struct adviser *a, size_t instruction)
{
    return &a->from->traffic.counts[instruction];
}

/* Occupancy ---------------------------------------------------------------- */

/* The most registers with which more blocks fit; 0 where fewer than 16 would be needed. */
static unsigned fewer_registers(const struct adviser *a, struct occupancy *then)
{
    struct occupancy_block block = a->from->block;

    while (--block.registers >= 16) {
        occupancy_of(then, &a->machine->device->limits, &block);
        if (then->blocks > a->from->occupancy.blocks)
            return block.registers;
    }
    return 0;
}

static void advise_occupancy(struct adviser *a)
{
    const struct occupancy *had = &a->from->occupancy;
    const struct device_limits *limits = &a->machine->device->limits;
    struct predict_input in = a->input;
    struct occupancy then;
    unsigned most;

    in.residency.blocks_per_sm = had->blocks + 1;
    if (had->limiter == LIMITER_REGISTERS && (most = fewer_registers(a, &then)) > 0) {
        in.residency.blocks_per_sm = then.blocks;
        offer(a, &in, 1, "at most %u registers a thread (now %u): %u blocks an SM instead of %u", most,
              a->from->block.registers, then.blocks, had->blocks);
    } else if (had->limiter == LIMITER_SHARED) {
        offer(a, &in, 1, "at most %u bytes of shared memory a block (now %u): %u blocks an SM instead of %u",
              occupancy_shared_for(limits, had->blocks + 1), a->from->block.shared, had->blocks + 1,
              had->blocks);
    } else if (had->limiter == LIMITER_BLOCKS) {
        in.residency.blocks_per_sm = had->blocks;
        in.residency.warps_per_block *= 2;
        in.residency.blocks = ceil(in.residency.blocks / 2);
        offer(a, &in, 1,
              "blocks of twice as many threads: an SM holds no more than %u blocks, whatever their size",
              had->blocks);
    }
}

static void advise_grid(struct adviser *a)
{
    struct predict_input in = a->input;
    const double places = in.residency.sms * in.residency.blocks_per_sm, blocks = in.residency.blocks;
    const double waves = ceil(blocks / places), filled = 100 * (blocks - (waves - 1) * places) / places;

    in.residency.blocks = waves * places;
    if (waves > 1)
        offer(a, &in, blocks / in.residency.blocks,
              "a grid of whole waves: the last of %.0f waves fills %.0f %% of the %.0f resident-block slots",
              waves, filled, places);
    else
        offer(a, &in, blocks / in.residency.blocks,
              "more blocks, with less work in each: the grid fills %.0f %% of the %.0f resident-block slots",
              filled, places);
}

static void advise_dispatch(struct adviser *a)
{
    struct predict_input in = a->input;

    in.capacities.block_dispatch_s = 0;
    offer(a, &in, 1, "fewer blocks, by larger ones or more work in each: one is dispatched every %.2g ns",
          1e9 * a->input.capacities.block_dispatch_s);
}

/* Memory ------------------------------------------------------------------- */

static bool in_shared(const struct adviser *a, size_t i)
{
    const struct sass *instruction = &a->from->code.instructions[i];

    for (unsigned k = 0; k < instruction->access_count; k++)
        if (instruction->accesses[k].space == SASS_SPACE_SHARED)
            return true;
    return false;
}

static void advise_banks(struct adviser *a)
{
    struct predict_input in = a->input;
    double worst = 0, saved = 0;
    size_t i, at = 0;

    for (i = 0; i < a->from->code.count; i++) {
        const struct traffic_count *count = count_of(a, i);
        const double extra = count->wavefronts - fmax(count->requests, count->bytes / LINE);

        if (!in_shared(a, i) || !(extra > 0))
            continue;
        saved += extra;
        if (extra > worst) {
            worst = extra;
            at = i;
        }
    }
    in.demand.count[RESOURCE_SHARED] = fmax(in.demand.count[RESOURCE_SHARED] - saved, 0);
    if (worst > 0)
        offer_at(a,
                 offer(a, &in, 1, "no bank conflicts: %s takes %.1f passes where %.1f would do",
                       name_of(a, at), count_of(a, at)->wavefronts / count_of(a, at)->requests,
                       fmax(1, count_of(a, at)->bytes / LINE / count_of(a, at)->requests)),
                 at);
}

static void advise_coalescing(struct adviser *a)
{
    struct predict_input in = a->input;
    double sectors = 0, ideal = 0, worst = 0, lines = 0, share;
    size_t i, at = 0;

    for (i = 0; i < a->from->code.count; i++) {
        const struct traffic_count *count = count_of(a, i);
        const double least = fmin(count->sectors, fmax(count->requests, count->bytes / SECTOR));

        if (!traffic_is_global(&a->from->code.instructions[i]))
            continue;
        sectors += count->sectors;
        ideal += least;
        lines += fmin(count->lines, fmax(count->requests, count->bytes / LINE));
        if (count->sectors - least > worst) {
            worst = count->sectors - least;
            at = i;
        }
    }
    if (!(worst > 0))
        return;
    share = ideal / sectors;
    in.demand.count[RESOURCE_L1_DATA] *= share;
    in.demand.count[RESOURCE_L1_TAGS] = fmin(in.demand.count[RESOURCE_L1_TAGS], lines);
    in.demand.count[RESOURCE_L2] *= share;
    in.demand.count[RESOURCE_LOADS_IN_FLIGHT] *= share;
    in.demand.count[RESOURCE_DRAM_READ] *= share;
    in.demand.count[RESOURCE_DRAM_WRITE] *= share;
    offer_at(a,
             offer(a, &in, 1, "coalesced accesses: %s touches %.1f sectors a request where %.1f would do",
                   name_of(a, at), count_of(a, at)->sectors / count_of(a, at)->requests,
                   fmax(1, count_of(a, at)->bytes / SECTOR / count_of(a, at)->requests)),
             at);
}

/* Bytes that DRAM brings of a thread's own memory, which nobody shares. */
static double read_of_own(const struct adviser *a)
{
    double sum = 0;

    for (size_t i = 0; i < a->from->code.count; i++)
        sum += traffic_is_local(&a->from->code.instructions[i]) ? count_of(a, i)->dram_read : 0;
    return sum;
}

static void advise_traffic(struct adviser *a)
{
    const struct traffic *traffic = &a->from->traffic;
    const double asked = traffic->dram.read - traffic->dram.completed - read_of_own(a);
    struct predict_input in = a->input;

    in.demand.count[RESOURCE_DRAM_READ] -= fmax(asked - traffic->touched.read / traffic->warps, 0);
    offer(a, &in, 1, "blocks that run together share more: DRAM is read %.1f times over",
          asked * traffic->warps / traffic->touched.read);
    in = a->input;
    in.demand.count[RESOURCE_DRAM_WRITE] -=
        machine_completes(a->machine, traffic->dram.completed, traffic->dram.completed_alone);
    offer(a, &in, 1, "sectors of 32 bytes written whole: DRAM brings the rest of %.0f MB of them",
          traffic->dram.completed * traffic->warps / 1e6);
    in = a->input;
    in.demand.count[RESOURCE_L2] *= 0.5;
    in.demand.count[RESOURCE_LOADS_IN_FLIGHT] *= 0.5;
    offer(a, &in, 1, "half the L2 traffic, by larger tiles or shared memory: %.0f sectors a warp now",
          a->from->input.demand.count[RESOURCE_L2]);
    in = a->input;
    in.demand.count[RESOURCE_SHARED] *= 0.5;
    in.demand.count[RESOURCE_LSU] *= 0.5;
    offer(a, &in, 1, "half the passes through shared memory, by more results a thread: %.0f a warp now",
          a->from->input.demand.count[RESOURCE_SHARED]);
}

/* A warp's loads from and stores to local memory. */
struct own {
    double issued, fronts, l2; /* sectors of L2: all that is stored, and what L1 has not */
    double dram_read, dram_written;
};

static struct own own_of(const struct adviser *a)
{
    struct own own = {.dram_read = read_of_own(a)};

    for (size_t i = 0; i < a->from->code.count; i++) {
        const struct traffic_count *count = count_of(a, i);
        const bool loads = traffic_is_local(&a->from->code.instructions[i]) &&
                           a->from->code.instructions[i].accesses[0].access & SASS_READS;

        if (!traffic_is_local(&a->from->code.instructions[i]))
            continue;
        own.issued += count->issued;
        own.fronts += fmax(count->requests, count->sectors / (LINE / SECTOR));
        own.l2 += loads ? count->sectors * (1 - count->l1_hit) : count->sectors;
        own.dram_written += loads || !(own.dram_read > 0) ? 0 : count->sectors * SECTOR;
    }
    return own;
}

static void advise_spills(struct adviser *a)
{
    const struct own own = own_of(a);
    struct predict_input in = a->input;
    double *count = in.demand.count;

    count[RESOURCE_ISSUE] -= own.issued;
    count[RESOURCE_LSU] = fmax(count[RESOURCE_LSU] - own.issued, 0);
    count[RESOURCE_L1_DATA] = fmax(count[RESOURCE_L1_DATA] - own.fronts, 0);
    count[RESOURCE_L2] = fmax(count[RESOURCE_L2] - own.l2, 0);
    count[RESOURCE_DRAM_READ] = fmax(count[RESOURCE_DRAM_READ] - own.dram_read, 0);
    count[RESOURCE_DRAM_WRITE] = fmax(count[RESOURCE_DRAM_WRITE] - own.dram_written, 0);
    if (own.issued > 0)
        offer(a, &in, 1, "no local memory: a warp executes %.0f local loads and stores%s", own.issued,
              a->from->code.spill_loads ? ", spills among them: allow more registers" : "");
}

/* Instructions ------------------------------------------------------------- */

static bool computes(enum sass_class class)
{
    return class == SASS_CLASS_FP32 || class == SASS_CLASS_FP64 || class == SASS_CLASS_FP16 ||
           class == SASS_CLASS_TENSOR || class == SASS_CLASS_MUFU;
}

/* What the code does beside its arithmetic: the class that takes most slots. */
static void advise_instructions(struct adviser *a)
{
    struct predict_input in = a->input;
    double slots[SASS_CLASS_COUNT] = {0}, beside = 0, all = 0;
    int c, most = SASS_CLASS_UNKNOWN;

    for (size_t i = 0; i < a->from->code.count; i++)
        slots[sass_info((enum sass_op)a->from->code.instructions[i].op)->class] += count_of(a, i)->issued;
    for (c = 0; c < SASS_CLASS_COUNT; c++) {
        all += slots[c];
        if (computes((enum sass_class)c))
            continue;
        beside += slots[c];
        if (slots[c] > slots[most] || most == SASS_CLASS_UNKNOWN)
            most = c;
    }
    in.demand.count[RESOURCE_ISSUE] -= beside / 2;
    in.demand.count[RESOURCE_ALU] -= fmin(beside / 2, in.demand.count[RESOURCE_ALU]);
    if (all > beside && beside > 0)
        offer(
            a, &in, 1,
            "half the instructions beside arithmetic: %.0f %% of all, most of them %s (%.0f %%); unroll, or "
            "use wider accesses",
            100 * beside / all, sass_class_text((enum sass_class)most), 100 * slots[most] / all);
}

/* Takes `cycles` from the waits for shared memory, or from those for what lies beyond, in proportion. */
static void shorten_waits(struct latency *latency, bool shared, double cycles)
{
    double waited = 0;

    for (size_t l = 0; l < latency->levels; l++)
        if ((latency->level[l].resource == RESOURCE_SHARED) == shared)
            waited += latency->level[l].cycles;
    for (size_t l = 0; l < latency->levels && waited > 0; l++)
        if ((latency->level[l].resource == RESOURCE_SHARED) == shared)
            latency->level[l].cycles *= fmax(1 - cycles / waited, 0);
    latency->bound_cycles = fmax(latency->bound_cycles - cycles, 1);
}

static void advise_registers(struct adviser *a)
{
    const double cycles = a->input.demand.count[RESOURCE_REGISTERS], issued = a->from->demands.issued;
    struct predict_input in = a->input;

    in.demand.count[RESOURCE_REGISTERS] = 0;
    offer(a, &in, 1,
          "no register bank conflicts: the busier bank reads %.2f operands an instruction; let neighbouring "
          "instructions share an operand",
          issued > 0 ? cycles / issued : 0);
}

static void advise_supply(struct adviser *a)
{
    struct predict_input in = a->input;

    in.demand.count[RESOURCE_ICACHE] = a->from->demands.issued * SASS_BYTES;
    offer(a, &in, 1, "a smaller loop, by less unrolling: its %.0f KB of code come from a farther cache",
          a->from->traffic.hot_bytes / 1024);
}

static void advise_latency(struct adviser *a)
{
    const struct replay_account *account = &a->from->account;
    struct predict_input in = a->input;
    size_t i, at = 0;

    if (!account->count)
        return;
    for (i = 0; i < account->count; i++)
        if (account->blamed[i] > account->blamed[at])
            at = i;
    if (!(account->blamed[at] > 0))
        return;
    shorten_waits(&in.latency, in_shared(a, at) && !traffic_is_global(&a->from->code.instructions[at]),
                  account->blamed[at]);
    offer_at(
        a,
        offer(a, &in, 1,
              "%s started earlier, or more independent work behind it: warps wait %.0f of %.0f cycles for it",
              name_of(a, at), account->blamed[at], a->from->input.latency.bound_cycles),
        at);
}

static void advise_barriers(struct adviser *a)
{
    const double waited = a->from->waited[REPLAY_AT_BARRIER];
    struct predict_input in = a->input;

    in.latency.bound_cycles = fmax(in.latency.bound_cycles - waited / 2, 1);
    offer(a, &in, 1,
          "half the barriers, by larger tiles between them: a warp spends %.0f of %.0f cycles there", waited,
          a->from->input.latency.bound_cycles);
}

/* Results that nothing is multiplied beside: what that costs, as far as the bounds allow. */
static void advise_epilogue(struct adviser *a)
{
    const double gain =
        fmin(1 / (1 - a->from->storing_share), a->from->prediction.estimate_s / a->estimate_s);

    if (a->count == ADVICE_MOST || !(gain >= LEAST_GAIN))
        return;
    a->out[a->count] = (struct advice){.gain = gain};
    snprintf(a->out[a->count++].text, sizeof a->out->text,
             "results stored beside products, by warp groups that take turns or copies from shared memory, "
             "or by wider stores: "
             "tensor cores wait for them %.0f %% of the time",
             100 * a->from->storing_share);
}

/* What the replay of all warps finds beyond the bounds. */
static void advise_simulation(struct adviser *a)
{
    const double gain = a->from->prediction.estimate_s / a->estimate_s;

    if (a->count == ADVICE_MOST || gain < LEAST_GAIN)
        return;
    a->out[a->count] = (struct advice){.gain = gain};
    snprintf(
        a->out[a->count++].text, sizeof a->out->text,
        "more or smaller blocks, or more independent work between waits: the resident warps wait%s together, "
        "and nobody is left to work meanwhile",
        a->from->waited[REPLAY_AT_BARRIER] > 0 ? " at barriers and for data" : " for data");
}

static int by_gain(const void *left, const void *right)
{
    const struct advice *a = left, *b = right;

    return (a->gain < b->gain) - (a->gain > b->gain);
}

size_t advice_of(struct advice out[ADVICE_MOST], const struct analysis *analysis,
                 const struct machine *machine)
{
    static void (*const advisers[])(struct adviser *) = {
        advise_occupancy, advise_grid,     advise_dispatch,     advise_banks,     advise_coalescing,
        advise_traffic,   advise_spills,   advise_instructions, advise_registers, advise_supply,
        advise_latency,   advise_barriers, advise_epilogue,     advise_simulation};
    struct adviser a = {.from = analysis, .machine = machine, .out = out, .input = analysis->input};
    struct prediction alone;

    a.input.simulated = (struct simulated){0};
    if (predict(&alone, &a.input, NULL))
        return 0;
    a.estimate_s = alone.estimate_s;
    for (size_t i = 0; i < sizeof advisers / sizeof *advisers; i++)
        advisers[i](&a);
    qsort(out, a.count, sizeof *out, by_gain);
    return a.count;
}

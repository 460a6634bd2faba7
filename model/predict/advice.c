#include "model/predict/advising.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const double LEAST_GAIN = 1.01;

struct advice *adviser_offer(struct adviser *a, const struct predict_input *changed, double work,
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

void adviser_offer_at(struct adviser *a, struct advice *advice, size_t instruction)
{
    if (!advice)
        return;
    advice->at_code = true;
    advice->pc = a->from->code.instructions[instruction].pc;
}

const char *adviser_name(const struct adviser *a, size_t instruction)
{
    return sass_info((enum sass_op)a->from->code.instructions[instruction].op)->name;
}

const struct traffic_count *adviser_count(const struct adviser *a, size_t instruction)
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
        adviser_offer(a, &in, 1, "at most %u registers a thread (now %u): %u blocks an SM instead of %u",
                      most, a->from->block.registers, then.blocks, had->blocks);
    } else if (had->limiter == LIMITER_SHARED) {
        adviser_offer(a, &in, 1,
                      "at most %u bytes of shared memory a block (now %u): %u blocks an SM instead of %u",
                      occupancy_shared_for(limits, had->blocks + 1), a->from->block.shared, had->blocks + 1,
                      had->blocks);
    } else if (had->limiter == LIMITER_BLOCKS) {
        in.residency.blocks_per_sm = had->blocks;
        in.residency.warps_per_block *= 2;
        in.residency.blocks = ceil(in.residency.blocks / 2);
        adviser_offer(
            a, &in, 1,
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
        adviser_offer(
            a, &in, blocks / in.residency.blocks,
            "a grid of whole waves: the last of %.0f waves fills %.0f %% of the %.0f resident-block slots",
            waves, filled, places);
    else
        adviser_offer(
            a, &in, blocks / in.residency.blocks,
            "more blocks, with less work in each: the grid fills %.0f %% of the %.0f resident-block slots",
            filled, places);
}

static void advise_dispatch(struct adviser *a)
{
    struct predict_input in = a->input;

    in.capacities.block_dispatch_s = 0;
    adviser_offer(a, &in, 1,
                  "fewer blocks, by larger ones or more work in each: one is dispatched every %.2g ns",
                  1e9 * a->input.capacities.block_dispatch_s);
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
        slots[sass_info((enum sass_op)a->from->code.instructions[i].op)->class] +=
            adviser_count(a, i)->issued;
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
        adviser_offer(
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
    adviser_offer(
        a, &in, 1,
        "no register bank conflicts: the busier bank reads %.2f operands an instruction; let neighbouring "
        "instructions share an operand",
        issued > 0 ? cycles / issued : 0);
}

static void advise_supply(struct adviser *a)
{
    struct predict_input in = a->input;

    in.demand.count[RESOURCE_ICACHE] = a->from->demands.issued * SASS_BYTES;
    adviser_offer(a, &in, 1,
                  "a smaller loop, by less unrolling: its %.0f KB of code come from a farther cache",
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
    shorten_waits(&in.latency,
                  adviser_in_shared(a, at) && !traffic_is_global(&a->from->code.instructions[at]),
                  account->blamed[at]);
    adviser_offer_at(
        a,
        adviser_offer(
            a, &in, 1,
            "%s started earlier, or more independent work behind it: warps wait %.0f of %.0f cycles for it",
            adviser_name(a, at), account->blamed[at], a->from->input.latency.bound_cycles),
        at);
}

static void advise_barriers(struct adviser *a)
{
    const double waited = a->from->waited[REPLAY_AT_BARRIER];
    struct predict_input in = a->input;

    in.latency.bound_cycles = fmax(in.latency.bound_cycles - waited / 2, 1);
    adviser_offer(a, &in, 1,
                  "half the barriers, by larger tiles between them: a warp spends %.0f of %.0f cycles there",
                  waited, a->from->input.latency.bound_cycles);
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
        advise_occupancy,  advise_grid,    advise_dispatch, advise_banks,        advise_constants,
        advise_coalescing, advise_traffic, advise_spills,   advise_instructions, advise_registers,
        advise_supply,     advise_latency, advise_barriers, advise_epilogue,     advise_simulation};
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

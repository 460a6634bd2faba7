#include "baselines/baselines.h"

#include "baselines/hidden_code.h"
#include "baselines/mwp_cwp.h"
#include "baselines/pipeline.h"
#include "model/sass/arch/geometry.h"

#include <math.h>

const char *baseline_text(enum baseline baseline)
{
    static const char *const texts[BASELINE_COUNT] = {
        [BASELINE_OCCUPANCY] = "occupancy alone",
        [BASELINE_ROOFLINE] = "roofline",
        [BASELINE_MINIMUM] = "min() of the bounds",
        [BASELINE_GUIDE] = "warps as instructions",
        [BASELINE_HIDDEN] = "latency hidden factor",
        [BASELINE_PIPELINE] = "pipeline model",
        [BASELINE_MWP_CWP] = "MWP/CWP",
    };

    return texts[baseline];
}

/* What the models read of the code. */
struct mix {
    double arithmetic;                     /* pipe cycles of floating-point classes, per warp */
    double latencies;                      /* of all executed instructions, one after another */
    double stalls;                         /* of arithmetic: cycles by its stall counts */
    double computing, computing_interval;  /* instructions without memory, and their pipe cycles */
    double memory, fronts, memory_latency; /* instructions with, their wavefronts, and summed latencies */
    double global, coalesced, lines, bytes, barriers;
};

static void add_memory(struct mix *mix, const struct sass *i, const struct traffic_count *count,
                       double latency)
{
    mix->memory += count->issued;
    mix->memory_latency += count->issued * latency;
    mix->fronts += fmax(fmax(count->wavefronts, count->requests), count->sectors / (LINE / SECTOR));
    if (!traffic_is_global(i))
        return;
    mix->global += count->issued;
    mix->bytes += count->sectors * SECTOR;
    mix->lines += count->lines;
    /* a request is coalesced when it touches no more lines than its bytes fill */
    if (count->lines <= fmax(count->requests, count->bytes / LINE) * 1.01)
        mix->coalesced += count->issued;
}

static int mix_of(struct mix *mix, const struct analysis *from, const struct machine *machine,
                  struct err *err)
{
    struct replay_code ops;
    int rc =
        replay_code_init(&ops, machine, &from->code, &from->traffic, from->occupancy.warps_per_block, err);

    *mix = (struct mix){0};
    for (size_t i = 0; i < from->code.count && !rc; i++) {
        const struct sass *instruction = &from->code.instructions[i];
        const struct traffic_count *count = &from->traffic.counts[i];
        const enum sass_class class = sass_info((enum sass_op)instruction->op)->class;
        const struct machine_cost cost = machine_cost_of(machine, instruction);

        mix->latencies += count->issued * fmax(ops.ops[i].latency, 1);
        mix->barriers += ops.barriers[i] ? count->issued : 0;
        if (class == SASS_CLASS_FP32 || class == SASS_CLASS_FP64 || class == SASS_CLASS_FP16 ||
            class == SASS_CLASS_TENSOR || class == SASS_CLASS_MUFU)
            mix->arithmetic += count->issued * cost.interval;
        if (ops.ops[i].level != MACHINE_CORE) {
            add_memory(mix, instruction, count, ops.ops[i].latency);
            continue;
        }
        mix->computing += count->issued;
        mix->computing_interval += count->issued * fmax(cost.interval, 1);
        mix->stalls += count->issued * ops.ops[i].stall;
    }
    replay_code_release(&ops);
    return rc;
}

/* The time of all warps when each takes so many cycles of its SM. */
static double seconds(const struct analysis *from, const struct machine *machine, double cycles_per_warp)
{
    const struct residency *at = &from->input.residency;

    return at->blocks * at->warps_per_block / fmin(at->sms, at->blocks) * cycles_per_warp /
           machine->capacities.clock_hz;
}

static double roofline(const struct analysis *from, const struct machine *machine, const struct mix *mix)
{
    const double dram = machine->capacities.sustained[RESOURCE_DRAM_READ].per_gpu;
    const double bytes = from->traffic.least.dram_read + from->traffic.least.dram_written;
    const double peak = (double)machine->device->limits.subpartitions;

    return seconds(
        from, machine,
        fmax(mix->arithmetic / peak,
             dram > 0 ? bytes * fmin(from->input.residency.sms, from->input.residency.blocks) / dram : 0));
}

static double two_modes(const struct analysis *from, const struct machine *machine, double latency)
{
    const struct prediction *p = &from->prediction;

    return seconds(from, machine,
                   1 / saturation_two_modes(p->had_warps, latency, p->at_sustained.bound_cycles));
}

static double hidden(const struct analysis *from, const struct machine *machine)
{
    const struct hidden_launch launch = hidden_code_launch(from, machine);
    struct hidden_code code;
    struct hidden_time time = {.time_s = NAN};

    if (!hidden_code_init(&code, from, machine, NULL) &&
        hidden_time(&time, NULL, code.runs, code.run_count, &launch, NULL))
        time.time_s = NAN;
    hidden_code_release(&code);
    return time.time_s;
}

static double pipeline(const struct analysis *from, const struct machine *machine, const struct mix *mix)
{
    const double waited = from->waited[REPLAY_SLOT];
    const double latency = mix->memory > 0 ? mix->memory_latency / mix->memory : 0;
    const double resident = from->occupancy.warps;
    const struct pipeline_class classes[] = {
        {.count = mix->computing,
         .issue = mix->computing_interval / mix->computing / (double)machine->device->limits.subpartitions,
         .completion = mix->stalls / mix->computing,
         .dependent = mix->computing},
        {.count = mix->memory,
         .issue = mix->memory > 0 ? mix->fronts / mix->memory : 0,
         .completion = latency,
         .dependent = latency > 0 ? waited / latency : 0,
         .memory = 1},
    };

    return seconds(from, machine, pipeline_cycles(classes, 2, resident) / resident);
}

static double mwp_cwp(const struct analysis *from, const struct machine *machine, const struct mix *mix)
{
    const struct residency *at = &from->input.residency;
    const struct mwp_cwp_gpu gpu = {
        .clock_hz = machine->capacities.clock_hz,
        .bytes_per_s = machine_or_0(machine, DEVICE_DRAM_READ),
        .latency = machine_or_0(machine, DEVICE_DRAM_LATENCY),
        .departure_coalesced = fmax(machine_or_0(machine, DEVICE_LOAD_GAP), 1),
        .departure_uncoalesced = fmax(machine_or_0(machine, DEVICE_L1_LINE), 1),
        .issue = 1 / machine->capacities.sustained[RESOURCE_ISSUE].per_sm,
        .sms = fmin(at->sms, at->blocks),
    };
    const double uncoalesced = mix->global - mix->coalesced;
    const struct mwp_cwp_kernel kernel = {
        .compute = mix->computing + mix->memory - mix->global,
        .coalesced = mix->coalesced,
        .uncoalesced = uncoalesced,
        .transactions = uncoalesced > 0 ? fmax(mix->lines / mix->global, 1) : 1,
        .bytes = mix->global > 0 ? mix->bytes / mix->global : 0,
        .barriers = mix->barriers,
        .warps_per_block = at->warps_per_block,
        .blocks = at->blocks,
        .blocks_per_sm = at->blocks_per_sm,
    };
    struct mwp_cwp out;

    return mwp_cwp_of(&out, &kernel, &gpu, NULL) ? NAN : out.time_s;
}

int baselines_of(double out_s[BASELINE_COUNT], const struct analysis *from, const struct machine *machine,
                 struct err *err)
{
    struct mix mix;
    int rc = mix_of(&mix, from, machine, NULL), r;

    for (r = 0; r < BASELINE_COUNT; r++)
        out_s[r] = NAN;
    if (rc)
        return rc == ERR_MEMORY ? err_memory(err) : 0;
    out_s[BASELINE_OCCUPANCY] = 1 / from->occupancy.share;
    out_s[BASELINE_ROOFLINE] = roofline(from, machine, &mix);
    out_s[BASELINE_MINIMUM] = two_modes(from, machine, from->input.latency.bound_cycles);
    out_s[BASELINE_GUIDE] = two_modes(from, machine, mix.latencies + from->replace_cycles);
    out_s[BASELINE_HIDDEN] = hidden(from, machine);
    out_s[BASELINE_PIPELINE] = pipeline(from, machine, &mix);
    out_s[BASELINE_MWP_CWP] = mwp_cwp(from, machine, &mix);
    return 0;
}

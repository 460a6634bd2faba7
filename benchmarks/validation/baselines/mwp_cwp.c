#include "baselines/mwp_cwp.h"

#include <math.h>

/* Mem_cycles, Mem_L and Departure_delay: means over coalesced and uncoalesced instructions. */
static void memory(struct mwp_cwp *out, const struct mwp_cwp_kernel *kernel, const struct mwp_cwp_gpu *gpu)
{
    const double all = kernel->coalesced + kernel->uncoalesced;
    const double uncoalesced_latency = gpu->latency + (kernel->transactions - 1) * gpu->departure_uncoalesced;

    out->memory_cycles = kernel->uncoalesced * uncoalesced_latency + kernel->coalesced * gpu->latency;
    out->memory_latency = out->memory_cycles / all;
    out->departure_delay = (gpu->departure_uncoalesced * kernel->transactions * kernel->uncoalesced +
                            gpu->departure_coalesced * kernel->coalesced) /
                           all;
}

/* Exec_cycles of one repetition: too few warps for either parallelism, memory or computation the longer, or
 * memory hidden behind computation. */
static double execution(const struct mwp_cwp *m, double warps, double memory_instructions)
{
    const double compute_period = m->compute_cycles / memory_instructions;

    if (m->mwp >= warps && m->cwp >= warps)
        return m->memory_cycles + m->compute_cycles + compute_period * (m->mwp - 1);
    if (m->cwp >= m->mwp || m->compute_cycles > m->memory_cycles)
        return m->memory_cycles * warps / m->mwp + compute_period * (m->mwp - 1);
    return m->memory_latency + m->compute_cycles * warps;
}

int mwp_cwp_of(struct mwp_cwp *out, const struct mwp_cwp_kernel *kernel, const struct mwp_cwp_gpu *gpu,
               struct err *err)
{
    const double memory_instructions = kernel->coalesced + kernel->uncoalesced;
    const double warps = kernel->warps_per_block * kernel->blocks_per_sm;
    double per_warp_bytes_per_s;

    *out = (struct mwp_cwp){0};
    if (!(memory_instructions > 0))
        return err_set(err, ERR_USAGE,
                       "the kernel has no memory instruction: the MWP/CWP model does not apply");
    if (!(warps >= 1 && kernel->blocks >= 1 && gpu->sms >= 1 && gpu->clock_hz > 0 && gpu->issue > 0))
        return err_set(err, ERR_USAGE, "warps, blocks, SMs, clock and issue cycles must be positive");
    memory(out, kernel, gpu);
    per_warp_bytes_per_s = gpu->clock_hz * kernel->bytes / out->memory_latency;
    out->mwp_peak_bw = gpu->bytes_per_s / (per_warp_bytes_per_s * gpu->sms);
    out->mwp = fmin(fmin(out->memory_latency / out->departure_delay, warps), out->mwp_peak_bw);
    out->compute_cycles = gpu->issue * (kernel->compute + memory_instructions);
    out->cwp = fmin((out->memory_cycles + out->compute_cycles) / out->compute_cycles, warps);
    out->repetitions = kernel->blocks / (kernel->blocks_per_sm * gpu->sms);
    out->barrier_cycles = out->departure_delay * fmax(out->mwp - 1, 0) * kernel->barriers *
                          kernel->blocks_per_sm * out->repetitions;
    out->cycles = execution(out, warps, memory_instructions) * out->repetitions + out->barrier_cycles;
    out->time_s = out->cycles / gpu->clock_hz;
    return 0;
}

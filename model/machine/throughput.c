#include "model/machine/throughput.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *unit;
    bool partitioned;
    enum resource shares; /* another resource of the same bottleneck, or itself */
} resources[RESOURCE_COUNT] = {
    [RESOURCE_ISSUE] = {"issue", "slots", true, RESOURCE_ISSUE},
    [RESOURCE_REGISTERS] = {"register file", "bank cycles", true, RESOURCE_REGISTERS},
    [RESOURCE_FMA] = {"FMA pipe", "pipe cycles", true, RESOURCE_FMA},
    [RESOURCE_FMA_HEAVY] = {"heavy half of the FMA pipe", "pipe cycles", true, RESOURCE_FMA_HEAVY},
    [RESOURCE_ALU] = {"ALU pipe", "pipe cycles", true, RESOURCE_ALU},
    [RESOURCE_FP16] = {"FP16 pipe", "pipe cycles", true, RESOURCE_FP16},
    [RESOURCE_FP64] = {"FP64 pipe", "pipe cycles", true, RESOURCE_FP64},
    [RESOURCE_XU] = {"XU pipe", "pipe cycles", true, RESOURCE_XU},
    [RESOURCE_TENSOR] = {"tensor pipe", "pipe cycles", true, RESOURCE_TENSOR},
    [RESOURCE_UNIFORM] = {"uniform datapath", "pipe cycles", true, RESOURCE_UNIFORM},
    [RESOURCE_BRANCH] = {"branch unit", "pipe cycles", true, RESOURCE_BRANCH},
    [RESOURCE_TEX] = {"texture unit", "warp instructions", false, RESOURCE_TEX},
    [RESOURCE_LSU] = {"load/store units", "warp instructions", false, RESOURCE_LSU},
    [RESOURCE_SHARED] = {"shared memory", "wavefronts", false, RESOURCE_L1_DATA},
    [RESOURCE_L1_DATA] = {"L1 data", "wavefronts", false, RESOURCE_SHARED},
    [RESOURCE_CONSTANT_PORT] = {"constant cache", "addresses", false, RESOURCE_CONSTANT_PORT},
    [RESOURCE_L1_TAGS] = {"L1 tags", "lines", false, RESOURCE_L1_TAGS},
    [RESOURCE_L2] = {"L2", "sectors", false, RESOURCE_L2},
    [RESOURCE_L2_WRITE] = {"L2 write", "sectors", false, RESOURCE_L2_WRITE},
    [RESOURCE_DRAM_READ] = {"DRAM read", "bytes", false, RESOURCE_DRAM_WRITE},
    [RESOURCE_DRAM_WRITE] = {"DRAM write", "bytes and turning", false, RESOURCE_DRAM_READ},
    [RESOURCE_LOADS_IN_FLIGHT] = {"loads in flight", "load-cycles", false, RESOURCE_LOADS_IN_FLIGHT},
    [RESOURCE_CONSTANT] = {"tables in constant memory", "lines", false, RESOURCE_CONSTANT},
    [RESOURCE_ATOMIC_SHARED] = {"shared atomics", "operations", false, RESOURCE_ATOMIC_SHARED},
    [RESOURCE_ATOMIC_GLOBAL] = {"global atomics", "operations", false, RESOURCE_ATOMIC_GLOBAL},
    [RESOURCE_ATOMIC_PLACE] = {"atomics at one place", "passes", false, RESOURCE_ATOMIC_PLACE},
    [RESOURCE_MATCH] = {"match", "cycles", false, RESOURCE_MATCH},
    [RESOURCE_REMOTE] = {"distributed shared memory", "cycles", false, RESOURCE_REMOTE},
    [RESOURCE_BARRIER] = {"barrier", "warp arrivals", false, RESOURCE_BARRIER},
    [RESOURCE_ICACHE] = {"instruction supply", "bytes", false, RESOURCE_ICACHE},
};

_Static_assert(RESOURCE_COUNT <= 32, "struct throughput keeps a bit for each resource in 32");

const char *resource_name(enum resource resource)
{
    return resources[resource].name;
}

const char *resource_unit(enum resource resource)
{
    return resources[resource].unit;
}

int resource_find(const char *name)
{
    for (int r = 0; r < RESOURCE_COUNT; r++)
        if (!strcmp(resources[r].name, name))
            return r;
    return -1;
}

bool resource_is_partitioned(enum resource resource)
{
    return resources[resource].partitioned;
}

/* Units per cycle that one of `busy_sms` SMs can have; 0 when not known. */
static double effective(const struct capacity *capacity, double busy_sms)
{
    const double own = capacity->per_sm, part = capacity->per_gpu / busy_sms;

    if (own > 0 && part > 0)
        return fmin(own, part);
    return own > 0 ? own : part;
}

double throughput_bottleneck(const struct throughput *throughput, enum resource resource)
{
    const enum resource other = resources[resource].shares;

    return throughput->cycles[resource] + (other == resource ? 0 : throughput->cycles[other]);
}

void throughput_bound(struct throughput *out, const double count[RESOURCE_COUNT],
                      const struct capacity capacity[RESOURCE_COUNT], double busy_sms, double unevenness)
{
    enum resource r;

    *out = (struct throughput){0};
    for (r = 0; r < RESOURCE_COUNT; r++) {
        const double rate = effective(&capacity[r], busy_sms);

        if (!(count[r] > 0))
            continue;
        if (rate > 0)
            out->cycles[r] = count[r] / rate * (resources[r].partitioned ? unevenness : 1);
        else
            out->unknown |= UINT32_C(1) << r;
    }
    for (r = 0; r < RESOURCE_COUNT; r++) {
        const double cycles = throughput_bottleneck(out, r);

        if (cycles > out->bound_cycles ||
            (cycles == out->bound_cycles && out->cycles[r] > out->cycles[out->limiter])) {
            out->bound_cycles = cycles;
            out->limiter = r;
        }
    }
    out->warps_per_cycle = 1 / out->bound_cycles;
}

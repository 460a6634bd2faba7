/* Throughput bounds: what a warp asks of each resource over what an SM can give (Volkov, section 3.6).
 *
 * Pure functions over plain structs. The traffic counts and the device profile fill them; tests write them as
 * literals. */
#ifndef MODEL_THROUGHPUT_H
#define MODEL_THROUGHPUT_H

#include <stdbool.h>
#include <stdint.h>

/* Everything that can run out, with the unit in which it is counted. Cycles of a pipe are those for which one
 * sub-partition's pipe is busy: a class at half the pipe's rate takes two for a warp instruction. */
enum resource {
    RESOURCE_ISSUE,           /* issue slots, reissues included */
    RESOURCE_REGISTERS,       /* cycles of the register file's busier bank */
    RESOURCE_FMA,             /* pipe cycles: either half of the FMA pipe */
    RESOURCE_FMA_HEAVY,       /* pipe cycles: what only its heavy half executes (IMAD) */
    RESOURCE_ALU,             /* pipe cycles: integer, logic, compare, select */
    RESOURCE_FP16,            /* pipe cycles */
    RESOURCE_FP64,            /* pipe cycles */
    RESOURCE_XU,              /* pipe cycles: MUFU, conversions, population count */
    RESOURCE_TENSOR,          /* pipe cycles */
    RESOURCE_UNIFORM,         /* pipe cycles of the uniform datapath */
    RESOURCE_BRANCH,          /* pipe cycles of the branch unit */
    RESOURCE_TEX,             /* warp instructions of the texture unit */
    RESOURCE_LSU,             /* warp instructions handed to the load/store units */
    RESOURCE_SHARED,          /* wavefronts of shared memory: bank conflicts multiply them */
    RESOURCE_L1_DATA,         /* wavefronts of global and local memory; adds up with RESOURCE_SHARED */
    RESOURCE_CONSTANT_PORT,   /* different addresses that lanes name in loads from constant memory (LDC) */
    RESOURCE_L1_TAGS,         /* 128-byte lines looked up */
    RESOURCE_L2,              /* 32-byte sectors that L2 answers with, and a part of those below */
    RESOURCE_L2_WRITE,        /* sectors that come into it, as long as those, and a part of those */
    RESOURCE_DRAM_READ,       /* bytes; reads and writes share the pins and so add up */
    RESOURCE_DRAM_WRITE,      /* bytes, more for turning from reads (turnaround_cost()) */
    RESOURCE_LOADS_IN_FLIGHT, /* load-cycles, waits summed over loads; the capacity is a number of loads */
    RESOURCE_CONSTANT,        /* lines of tables in constant memory that miss (model/memory/tables.h) */
    RESOURCE_ATOMIC_SHARED,   /* lane-serialised operations */
    RESOURCE_ATOMIC_GLOBAL,   /* operations at L2 */
    RESOURCE_ATOMIC_PLACE,    /* passes at the place of L2 where most atomics meet */
    RESOURCE_MATCH,           /* cycles of an SM for MATCH */
    RESOURCE_REMOTE,          /* cycles of an SM for shared memory of other blocks of its cluster */
    RESOURCE_BARRIER,         /* warps arriving at a barrier */
    RESOURCE_ICACHE, /* instruction bytes, weighted by how much longer they take to come than the nearest */
    RESOURCE_COUNT
};

/* Lower-case name and unit for people ("L2 sectors"); never null. */
const char *resource_name(enum resource resource);
const char *resource_unit(enum resource resource);

/* The resource of a name; -1 where none has it. */
int resource_find(const char *name);

/* True for what each sub-partition of an SM has for itself, so that warps spread unevenly overload one. */
bool resource_is_partitioned(enum resource resource);

/* What the mean warp asks for, in the unit of each resource. */
struct demand {
    double count[RESOURCE_COUNT]; /* expected: goes into the estimate */
    double
        least[RESOURCE_COUNT]; /* certain: goes into the hard bound; for DRAM unique bytes, less a warm L2 */
};

/* Units per SM cycle. A resource may be limited per SM, per GPU (shared by the SMs that are busy), or both;
 * 0 means no such limit, and both 0 that the capacity is not known. */
struct capacity {
    double per_sm;
    double per_gpu;
};

struct throughput {
    double cycles[RESOURCE_COUNT]; /* per warp and SM; shared resources hold their own part; 0 where nothing
                                      is asked */
    double bound_cycles;           /* the largest, shared parts added up; 0 when nothing is asked */
    double warps_per_cycle;        /* 1 / bound_cycles, per SM; infinite when nothing is asked */
    enum resource
        limiter;      /* which one; of a shared resource its larger part. Meaningless at bound_cycles 0 */
    uint32_t unknown; /* bit r: resource r is asked for but its capacity is not known, and left out */
};

/* Bounds each resource and finds the tightest: cycles = count / capacity (3.6). `busy_sms` >= 1 SMs share
 * what is limited per GPU. `unevenness` >= 1 multiplies the demand on partitioned resources
 * (replay_unevenness()); it is 1 for a hard bound. */
void throughput_bound(struct throughput *out, const double count[RESOURCE_COUNT],
                      const struct capacity capacity[RESOURCE_COUNT], double busy_sms, double unevenness);

/* Cycles of the whole bottleneck that `resource` belongs to: its own and those it shares with. */
double throughput_bottleneck(const struct throughput *throughput, enum resource resource);

#endif

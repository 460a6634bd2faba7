/* All resident warps of an SM replayed together: what a replay of one warp and the throughput bounds cannot
 * say. Warps of a sub-partition compete for its scheduler and pipes, all of them for the load/store units, L2
 * and DRAM; the warps of a block meet at barriers, so that with few blocks an SM idles while they do.
 *
 * Every sub-partition issues at most one instruction a cycle. Of the warps that could go it is the one that
 * went last, else those of the block that began first, in turn, the youngest first; after an instruction that
 * yields (a bit of the control field) all take turns. Measured on an NVIDIA H200
 * (benchmarks/micro/README.md). A barrier takes note of one warp after another, and lets them go on some time
 * after the last. An instruction that finds a bank of the register file busy holds up all behind it. A memory
 * level is a server: DRAM, and L2 for what is written, with the SM's share of its sustained capacity, L2 for
 * what is read with all that one SM can have. Who comes while it is busy waits, and where blocks have drifted
 * apart the sub-partitions take turns. Loops are simulated for a few iterations, loops within them for more, and
 * extrapolated by the cost of the last ones, or simulated whole where that takes less. Latencies are those of an
 * empty machine, and the queues add to them; loads from DRAM spread around their mean under load by the
 * measured shares of its latency, so that a barrier, or the end of a block, waits for the slowest of many.
 * Those of a warp are spread evenly, one after another, so that a few iterations of a loop stand for all. Of
 * sub-partitions that are as busy one stands for all (model/sm/subset.c). */
#ifndef MODEL_SM_SIMULATE_H
#define MODEL_SM_SIMULATE_H

#include "base/err.h"
#include "model/emulate/emulate.h"
#include "model/machine/machine.h"
#include "model/warp/replay_code.h"
#include "model/memory/traffic.h"

#include <stdatomic.h>
#include <stddef.h>

struct sm_input {
    const struct replay_code *code;
    const struct machine *machine;
    const struct sass_code *sass;
    const struct traffic *traffic;
    const struct emulate_result *emulation;
    const struct emulate_block *const *blocks; /* of it, with as many warps each: place p simulates one ... */
    size_t block_count;                        /* ... after another like blocks[p % block_count] */
    double busy_sms;                           /* that share what is limited per GPU */
    double slowed; /* the highest clock over that of the SMs, which L2 and DRAM do not follow; 0: 1 */
    double replace_cycles;
    unsigned partitions;
    const atomic_bool *stop; /* looked at now and then: once it is true, ERR_STOPPED. Null: never */
};

struct sm_cycles {
    double first;     /* cycles from the start of `blocks` resident blocks to the end of the last */
    double further;   /* by which each further wave of as many blocks prolongs that */
    double waited;    /* of `first`, a mean warp for mbarriers */
    double copying;   /* share of `first` in which the copy engine moves data or takes a copy on */
    double under_way; /* bytes of copies from DRAM, at the mean */
    double storing;   /* share of it in which tensor cores have nothing to do while results are stored */
    size_t issued;    /* instructions simulated for that, which is what it costs */
    bool lost;        /* warps wait for each other in a way that was not noted: `first` is too short */
};

/* Simulates `blocks` >= 1 resident blocks; `waves`: whether `further` is wanted, else it is `first`. ERR_MEMORY,
 * ERR_STOPPED. */
int sm_simulate(struct sm_cycles *out, const struct sm_input *in, unsigned blocks, bool waves,
                struct err *err);

#endif

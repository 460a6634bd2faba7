/* The MWP/CWP model of Hong and Kim, "An analytical model for a GPU architecture with memory-level and
 * thread-level parallelism awareness" (ISCA 2009), kept for comparison. MWP is the number
 * of warps whose memory requests overlap, CWP the number of warps that can compute during one warp's memory
 * wait. It counts warps as requests, which Volkov's section 3.3 criticises.
 *
 * The paper's names stand beside ours. Cycles unless a name says otherwise. */
#ifndef BASELINES_MWP_CWP_H
#define BASELINES_MWP_CWP_H

#include "base/err.h"

struct mwp_cwp_gpu {
    double clock_hz;
    double bytes_per_s;         /* memory bandwidth */
    double latency;             /* Mem_LD: of one DRAM access */
    double departure_coalesced; /* between two coalesced transactions */
    double departure_uncoalesced;
    double issue; /* cycles to issue one warp instruction */
    double sms;   /* active */
};

struct mwp_cwp_kernel {
    double compute;   /* instructions of a warp that are not memory accesses */
    double coalesced; /* coalesced memory instructions of a warp */
    double uncoalesced;
    double transactions; /* of one uncoalesced memory instruction (Uncoal_per_mw) */
    double bytes;        /* a warp loads with one memory instruction */
    double barriers;     /* of a warp */
    double warps_per_block;
    double blocks;        /* of the grid */
    double blocks_per_sm; /* active */
};

struct mwp_cwp {
    double memory_latency;  /* Mem_L: mean over memory instructions, Mem_LD + (Uncoal_per_mw - 1) x departure
                               if uncoalesced */
    double departure_delay; /* Departure_delay, mean likewise */
    double mwp;             /* MWP = min(Mem_L / Departure_delay, MWP_peak_BW, N warps) */
    double mwp_peak_bw;     /* MWP_peak_BW = bandwidth / (clock x bytes / Mem_L x SMs) */
    double cwp;             /* CWP = min((Mem_cycles + Comp_cycles) / Comp_cycles, N) */
    double memory_cycles;   /* Mem_cycles, of one warp */
    double compute_cycles;  /* Comp_cycles = issue x all instructions of a warp */
    double repetitions;     /* #Rep = blocks / (active blocks per SM x SMs) */
    double barrier_cycles;  /* Synch_cost = Departure_delay x (MWP - 1) x barriers x active blocks per SM x
                               #Rep */
    double cycles;          /* Exec_cycles with Synch_cost */
    double time_s;
};

/* ERR_USAGE when the kernel has no memory instruction (the model divides by their number) or a count that
 * must be positive is not. */
int mwp_cwp_of(struct mwp_cwp *out, const struct mwp_cwp_kernel *kernel, const struct mwp_cwp_gpu *gpu,
               struct err *err);

#endif

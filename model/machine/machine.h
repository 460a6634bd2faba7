/* The machine as the model sees it: a device profile turned into capacities per SM cycle, costs of single
 * instructions and loaded-latency curves. Made once per device and then only read, by any number of threads.
 *
 * A profile may have holes. A capacity that it lacks stays 0 and predict() refuses by name when a kernel
 * needs it; a latency is asked for with machine_need(), which refuses likewise. Nothing is invented but this:
 * an arithmetic operation nobody measured takes the rate that the CUDA programming guide gives its class
 * (sass_issue_interval()) and the latency of its pipe, and says so in `assumed`. */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "base/err.h"
#include "model/device/device.h"
#include "model/machine/assumptions.h"
#include "model/machine/capacities.h"
#include "model/sass/sass.h"
#include "model/sass/sass_matrix.h"
#include "model/machine/saturation.h"

#include <stdbool.h>

/* Where data that an instruction waits for comes from; levels of struct replay. */
enum machine_level {
    MACHINE_CORE, /* pipes, constant cache, special registers */
    MACHINE_SHARED,
    MACHINE_GLOBAL, /* L1, L2 and DRAM: traffic tells in which shares */
    MACHINE_LEVELS
};

/* One warp instruction in the pipe of its sub-partition; cycles. */
struct machine_cost {
    double interval;      /* for which it keeps the pipe busy; 0 where nothing is known */
    double interval_best; /* the shortest ever seen; 0 where none was measured */
    double latency;       /* from issue until its result is there; 0 where nothing is known */
    double slots;         /* of issue: cycles for which the scheduler sends nothing else, 1 or more */
    bool assumed;         /* from tables, not from measurements */
};

enum { MACHINE_FUNCTIONS = 16 };
enum { MACHINE_SPREAD = 16 }; /* equal shares of all loads, by how long they take */

/* In sectors read in order; `alone` in its line, no less than in order. */
struct machine_write {
    double in_order, alone;
};

/* Multiply-adds a cycle of a sub-partition's tensor core; 0 where not known. */
struct machine_tensor {
    double sustained, best;
};

struct machine {
    const struct device *device; /* borrowed */
    struct assumptions assumptions;
    struct capacities capacities;
    struct saturation_curve shared, l2, dram,
        dram_writes;                    /* of the loaded latency; empty where not measured */
    double dram_spread[MACHINE_SPREAD]; /* latency of a load over the mean, ascending; 1 where not measured */
    struct machine_cost costs[SASS_OP_COUNT];         /* read them with machine_cost_of() */
    struct machine_cost functions[MACHINE_FUNCTIONS]; /* MUFU, by enum sass_function */
    struct machine_cost wide, high;                   /* IMAD.WIDE, IMAD.HI */
    struct machine_tensor tensor[SASS_FACTOR_COUNT];  /* dense */
    double pipe_latency[SASS_PIPE_COUNT];             /* of what nobody measured; 0 unknown */
    bool published;     /* some values were not measured on this GPU, see device_is_published() */
    bool reads_count;   /* registers' banks were seen to limit, see register_reads.h */
    double read_window; /* cycles that an instruction has to collect its operands without holding others up */
    double
        request_fronts; /* wavefronts of L1 that a global request takes at least, however few bytes it has */
    struct machine_write whole, parted; /* what a sector written as a whole, or in part, costs L2 */
    double merge_lines;                 /* see DEVICE_STORE_MERGE_LINES; INFINITY when that is not known */
    double *points;                     /* owned: behind the curves */
};

/* ERR_MISSING when the profile is not calibrated or lacks what every prediction needs: the SM clock, the
 * number of SMs, the limits that occupancy rests on, latency and throughput of L2 and DRAM; ERR_MEMORY. */
int machine_init(struct machine *out, const struct device *device, struct err *err);
/* The same by other assumptions than the default ones. */
int machine_init_assuming(struct machine *out, const struct device *device,
                          const struct assumptions *assumptions, struct err *err);
void machine_release(struct machine *machine);

/* Of one measured operation; zeros where it was not measured. */
struct machine_cost machine_measured(const struct device *device, enum device_op_id op);

/* What one instruction costs its pipe. */
struct machine_cost machine_cost_of(const struct machine *machine, const struct sass *instruction);

/* The same of an operation of the tensor cores (SASS_RATE_MATRIX), but for the latency: interval 0 where the
 * profile has neither the operation's own nor the rate of its type. */
struct machine_cost machine_matrix_cost(const struct machine *machine, const struct sass *instruction);

/* Cycles from the issue of a tensor operation of a warp group until a wait for it is over; 0 where unknown. */
double machine_group_latency(const struct machine *machine, const struct sass *instruction);

/* Cycles from the issue of a tensor operation of a warp group until the next one may be issued, where the queue ahead of the
 * tensor pipe is not full; 0 where it is not known that there is such a queue. */
double machine_group_issue(const struct machine *machine, const struct sass *instruction);

/* Whether the profile has what a simulation of the operation needs (SASS_RATE_SIMULATED). */
bool machine_simulates(const struct machine *machine, enum sass_op op);

/* A value that the model cannot do without: ERR_MISSING "the device profile lacks dram_latency, ...". */
int machine_need(double *out, const struct machine *machine, enum device_value_id id, struct err *err);
/* One of the second order: 0 when it is not known. */
double machine_or_0(const struct machine *machine, enum device_value_id id);

/* Of `lines` lines that lanes read at places of their own in `bytes` of tables in constant memory, those that the first cache
 * does not hold; 0 also where that was not measured. */
double machine_constants_missed(const struct machine *machine, double lines, double bytes);
/* In how many addresses' time the cache for constants answers requests that name so many, in so many lines. */
double machine_constant_places(const struct machine *machine, double places, double lines, double bytes);

/* Cycles of an SM for what is asked of other blocks' shared memory; 0 also where that was not measured. */
double machine_remote(const struct machine *machine, double lines, double sectors, double parts);

/* Wavefronts of L1 that `requests` requests take: in `passes` passes what conflicts in its banks, or, where these are not known (0),
 * 128 bytes each of `sectors` sectors, unless the requests themselves take longer. On an NVIDIA H200 words 36, 68 and 100 bytes
 * apart, in 32 sectors without a conflict, take 3, 5 and 7 cycles, by four lines each. The time of a
 * request was measured with plain LDG; read-only loads (.CONSTANT) go another way, at the width of the data
 * path. */
double machine_fronts(const struct machine *machine, const struct sass *instruction, double requests,
                      double sectors, double passes);

/* Sectors in order that L2 could serve in the time of `sectors` read ones for which it looks up `lines`
 * lines, and `merged` that others look up for them: a lookup takes longer than a sector, the more so the
 * fewer of them, `flight`, an SM can have under way, but goes on beside the reading of others. */
double machine_reads(const struct machine *machine, double sectors, double lines, double merged,
                     double flight);

/* How the latency of loads grows with the use of DRAM, of which `read` and `written` bytes are. */
struct saturation_mix machine_dram_mix(const struct machine *machine, double read, double written);

/* What DRAM takes for a line that is alone in its 256 bytes beyond what it takes for one of two, in lines in
 * order; 0 where that was not measured. */
double machine_lone_line(const struct machine *machine, bool written);
/* The same of a byte written to a sector that is alone in its line. */
double machine_lone_sector(const struct machine *machine);

/* Bytes in order that DRAM could bring in the time of `bytes`, of which `scattered` come from lines with
 * nothing else to bring, and `lone` as a line alone in its 256 bytes. */
double machine_brings(const struct machine *machine, double bytes, double scattered, double lone,
                      double flight);

/* What it takes to complete sectors of `bytes` of which a part is written, `alone` of them where no other of the line is, in
 * bytes that are written whole. Two sectors are counted for one written alone, as by DEVICE_DRAM_SCATTERED_WRITE. */
double machine_completes(const struct machine *machine, double bytes, double alone);

/* Sectors in order that L2 could serve in the time of `sectors` written ones in `lines` lines, whose bytes
 * would fill `filled`: a sector written in part takes longer than a whole one, and so does one that is alone
 * in its line. */
double machine_writes(const struct machine *machine, double sectors, double lines, double filled);

/* The same of sectors that atomics change, in `lines` lines. */
double machine_adds(const struct machine *machine, double sectors, double lines);

/* What a byte that an atomic changes takes of DRAM beyond reading it and writing it, in bytes that are written; 0 where that was
 * not measured. */
double machine_added_beyond(const struct machine *machine);

/* What an atomic of global memory asks for, per launched warp; `repeats`: passes for lanes that have the same word as others. */
struct machine_added {
    double lanes, sectors, lines, bytes, repeats;
};

/* Additions of a lane to consecutive words, as by DEVICE_ATOMIC_GLOBAL_DISTINCT, that L2 could execute in the time of what
 * `instruction` asks for: longer where it answers, where it compares, with doubles, and where lanes have the same word, each of
 * which takes as long as a lane alone in its sector (8 lanes at each of 4 words of their own: 46 passes a cycle of an NVIDIA H200,
 * lanes alone 53). No less than its lanes, which is all that is known without
 * DEVICE_L2_ATOMIC_SINGLE and the like. */
double machine_atomics(const struct machine *machine, const struct sass *instruction,
                       const struct machine_added *added);

/* The share of all passes of atomics that the slice of L2 with most of them gets, where they lie unevenly over the places
 * (contention_unevenness()): which slice has which place is as good as random. 0 where they are even, or the number of slices
 * does not follow from the profile: as many places as are added to at a time. */
double machine_busiest_slice(const struct machine *machine, double unevenness);
/* Likewise of additions to so many lines in a row, evenly; 0 where that was not measured. */
double machine_busiest_of_row(const struct machine *machine, double lines);

/* Cycles for which an SM's share of L2 adds bytes of a reduction by the copy engine (UBLKRED, UTMAREDG), while all SMs do: as
 * long as for those of atomics; 0 also where that was not measured. Of tensor maps the type is not known: doubles are taken
 * for floats. */
double machine_reduces(const struct machine *machine, const struct sass *instruction, double bytes);

/* SMs that blocks of clusters of `blocks` run on at a time: GPCs of unequal size leave some out. NaN where that was not
 * measured. */
double machine_cluster_sms(const struct machine *machine, unsigned blocks);
/* What that assumes of the GPU: of enum predict_assumption, 0 where it is true of any. */
/* Thread blocks of such clusters that an SM holds at most; 0 where nothing is known of that. */
unsigned machine_cluster_blocks(const struct machine *machine, unsigned blocks);
unsigned machine_clusters_assumed(const struct machine *machine, unsigned blocks);

/* How much longer than from the nearest cache instructions take to come when `bytes` of code are executed
 * again and again by all warps: 1 or more. */
double machine_supply(const struct machine *machine, double bytes);

/* How much longer a load from DRAM takes that reads at so many places, pieces of DRAM_GRANULE bytes, than at one, in cycles: the
 * last of them is waited for (benchmarks/micro/places.c). 0 where that was not measured. */
double machine_places(const struct machine *machine, double places);

/* Latency of a barrier at which `warps` warps meet; ERR_MISSING. */
int machine_barrier(double *out, const struct machine *machine, unsigned warps, struct err *err);

#endif

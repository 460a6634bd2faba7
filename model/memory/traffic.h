/* Traffic: what an emulated sample of thread blocks says of the whole grid, and what the caches make of it.
 *
 * Counts are exact for the sampled blocks. Hits are estimated from footprints (model/memory/reuse.h), since
 * the order in which warps and blocks reach a cache is not known:
 *   L1    what a block asks for again hits, as long as what its SM's blocks touch in between fits, in lines. L1
 *         starts empty with every kernel, and stores go through it. A hit on a sector that another warp of the
 *         block has just missed waits as long as that miss: only what the warp itself had is ready. Where they
 *         load from it far apart, it hits as far as L1 holds them for all that they gather from. A warp waits for
 *         the last of its lanes: `waits` counts requests, the hits count sectors.
 *   L2    blocks that run together fetch a sector once (a wave's footprint, from what the sampled neighbours
 *         share). Later waves find again what fits; and, when warm, so does the first.
 *   DRAM  what L2 does not have; written sectors once per wave that writes them.
 * Local memory goes the same way, see model/memory/local.h. */
#ifndef MODEL_TRAFFIC_H
#define MODEL_TRAFFIC_H

#include "base/err.h"
#include "launch/launch.h"
#include "model/emulate/emulate.h"
#include "model/sass/sass.h"

#include <stdbool.h>
#include <stddef.h>

/* Per launched warp, the mean over the grid; one for each instruction of the code. */
struct traffic_count {
    double issued, requests, lanes, bytes, sectors, lines, places, wavefronts, passes, filled, sectors_once,
        lines_once, askew_sectors, askew_lines, remote_lines, remote_sectors,
        remote_parts; /* see struct emulate_count */
    double delivered; /* bytes that the copy engine brings to shared memory, of all blocks that it goes to */
    double least_issued;  /* the fewest of any sampled block */
    double fresh;         /* sectors that the block had not touched before, see struct emulate_touch */
    double own;           /* sectors that the warp had not touched before; >= fresh */
    double late;          /* requests with a sector that the warp had not touched before */
    double apart;         /* requests of a warp between its load of a sector and another warp's */
    double between;       /* and between its own load of a sector and its next */
    double table_lines;   /* the most of any sampled block, and ... */
    double table_moves;   /* of a warp: see struct emulate_touch */
    unsigned table_first; /* of the last sampled block */
    double jumped;        /* lines of constant memory: see struct emulate_touch */
    double again;    /* of a store's sectors, those that merge with what the warp has stored to them before */
    unsigned region; /* of global memory, as in struct emulate_touch, of the last sampled block, ... */
    unsigned other_region; /* ... and of one that goes to another; 0: none */

    /* Of a load's sectors: where its data comes from. */
    double l1_hit;     /* share that L1 answers */
    double l1_ready;   /* share that L1 answers at once: see above */
    double l2_ready;   /* share of the rest that L2 has before; on others blocks of a wave wait together */
    double joined;     /* share that a copy of the neighbouring block's brings along */
    double l2_merged;  /* share of what L1 does not answer that goes to L2 with another request of the pass */
    double waits;      /* share of the requests with a sector that L1 does not answer at once ... */
    double waits_dram; /* ... of those, with one that L2 does not have: all lanes wait for the last */
    double dram_read;  /* bytes that DRAM brings */
    double dram_scattered; /* of them, those that come from lines with nothing else to bring */
    double dram_lone;      /* of the rest, those that come as a line alone in its 256 bytes */
};

struct reuse_regions;

/* What the caches have to offer. */
struct traffic_caches {
    const struct assumptions *assumed;
    double l1_bytes;        /* of an SM, at the carve-out in force */
    double l2_bytes;        /* all of L2: no more than that can hit */
    double l2_holds;        /* the footprint that still hits, of data that all SMs use */
    double l2_holds_once;   /* the next launch, of data that one SM uses each; 0 when that is not known */
    double l2_evict_first;  /* see DEVICE_L2_EVICT_FIRST; INFINITY when that is not known */
    double local_bytes;     /* of a thread: its arrays and spilled registers */
    double merge_lines;     /* of an SM's stores, see DEVICE_STORE_MERGE_LINES */
    double schedulers;      /* of an SM */
    double loads_most;      /* lines that an SM's loads can have under way; INFINITY when that is not known */
    double resident_blocks; /* of an SM */
    double sms;
    double
        skew;  /* share of a wave by which blocks of an SM come apart in it, 0 to below 1: reuse_regions.h */
    bool warm; /* the launch before left its data in L2 */
};

/* The stores of a warp, as they leave the SM, or its atomics. */
struct traffic_stores {
    double sectors; /* whole or in part; what can merge on its way to L2 has merged */
    double lines;   /* of 128 bytes they lie in, request by request */
    double filled;  /* of the sectors, how many their bytes would fill */
};

/* The loads of a warp: sectors, and who answers them. */
struct traffic_loads {
    double l1_read; /* asked of L1, which may keep them */
    double l1_hit;  /* share of them that it answers, 0 to 1 */
    double l2_read; /* that miss L1 or pass it by */

    /* By the level that the last lane of their request waits for. */
    double from_l1, from_l2, from_dram;

    /* Requests, 128 bytes each, that are under way until L2 or DRAM answers: those that miss L1, and those for
     * data that the warp's pass of the loop, or another warp of the block, has just missed. */
    double waiting;
    double waiting_dram; /* of them, those that DRAM answers */

    double l1_lines; /* of an SM: a load that misses needs one until its data comes */
};

/* Bytes that DRAM moves for a warp. */
struct traffic_dram {
    double read;            /* in aligned pairs of sectors */
    double completed;       /* of what is read, sectors of which only a part is written ... */
    double completed_alone; /* ... and of those, what is alone in its line */
    double scattered;       /* of what is read, pairs that are alone in their line */
    double lone;            /* of the rest, lines alone in their 256 bytes */
    double written;         /* written sectors once per wave that writes them */
    double added;           /* of what is written, what atomics changed that come to it in order ... */
    double added_copied;    /* ... and of that, what the copy engine's reductions did */
    double written_lone;    /* of what is written, lines alone in their 256 bytes ... */
    double written_alone;   /* ... and of those, sectors alone in their line */
};

/* How loads ask for what DRAM brings, see model/memory/turnaround.h. */
struct traffic_bursts {
    double bytes;                /* that a warp asks for between its stores: the mean over bytes */
    double narrow;               /* share that comes by requests of one line each */
    double evict_first, past_l1; /* shares of loads that say so */
};

/* Bytes of global memory that the grid touches: what estimates rest on. */
struct traffic_touched {
    double read, written; /* each sector once */
    double read_most,
        written_most; /* the same where what is not proved to be shared is not; `least` is the other end */
    double wave_read; /* by blocks that run together, each sector once */
};

/* What no run can do with less of: for the bound. */
struct traffic_least {
    double read, written;           /* bytes of the grid, each sector once */
    double l2_read, l2_written;     /* sectors of a warp */
    double dram_read, dram_written; /* bytes of a warp */
};

struct traffic {
    struct traffic_count *counts; /* one per instruction; owned */
    size_t instruction_count;
    double warps;        /* of the grid */
    double hot_bytes;    /* of code: instructions executed at least half as often as the most frequent one */
    bool blocks_equal;   /* all sampled blocks executed the same counts */
    double access_error; /* half the width of the interval around requests, sectors, wavefronts that holds
                            those of the grid, relative; 0 where all sampled blocks access alike */
    double constant_bytes; /* of lines that sampled blocks read by LDC with a register */
    double contended, contended_behind, contended_unevenly, repeated, passes; /* see struct emulate_result */
    double met_lines; /* to which atomics of blocks that run together go; 0: not known */
    double met_share; /* of their passes, those that meet others there */

    struct reuse_regions *regions; /* what blocks touch and share: private to traffic.c; owned */

    struct traffic_stores stores, added; /* by stores and by atomics */
    struct traffic_loads loads;
    struct traffic_dram dram;
    struct traffic_bursts bursts;
    struct traffic_touched touched;
    struct traffic_least least;
};

/* `code` and `result` belong together. ERR_USAGE unless the emulation is done and saw a block; ERR_MEMORY. */
int traffic_of(struct traffic *out, const struct sass_code *code, const struct emulate_result *result,
               const struct launch *launch, const struct traffic_caches *caches, struct err *err);
/* Counts the same again with caches that differ in their skew alone: what blocks touch and share, which costs most, is
 * taken from the first count. ERR_MEMORY. */
int traffic_recount(struct traffic *traffic, const struct sass_code *code,
                    const struct emulate_result *result, const struct launch *launch,
                    const struct traffic_caches *caches, struct err *err);
void traffic_release(struct traffic *traffic);

/* Whether L1 may keep what the instruction loads; false for what is no load from global or local memory. */
bool traffic_is_cached(const struct sass *instruction);

/* Different values that the lanes of a warp bring to a MATCH, 1 where that is not known. */
double traffic_match_values(const struct traffic_count *count);

/* Wavefronts of the load/store unit's way to shared memory, per launched warp: passes of shared memory
 * itself, and one for each of what goes the same way: shuffles, reads of a thread's own index, shared
 * accesses with every lane predicated off. A copy through L1 (LDGSTS) takes a pass for every line that
 * arrives; one past L1 comes in by another way. Found with the hardware counters of an NVIDIA H200. */
double traffic_shared_passes(const struct sass *instruction, const struct traffic_count *count);

/* Cycles of an SM for MATCH: two for every different value, with 1 to 32 of them 2.03 to 2.01 each by its times on an NVIDIA H200.
 * Loads from shared memory go on beside it: four wavefronts and four values take 7.9, 32 and 16 take 32.0. */
double traffic_match_passes(const struct sass *instruction, const struct traffic_count *count);

/* Different addresses of constant memory that the lanes of an LDC with a register name, per launched warp, those of 16 bytes
 * twice, since an NVIDIA H200 answers each in 4.0 cycles and those of 4 and 8 in 2.0 and 2.1: one where nobody
 * knows which, or with every lane predicated off. What an LDC without one takes of an SM, as of a kernel's parameters,
 * was not measured; with an address as well, estimates of recorded kernels got worse. */
double traffic_constant_places(const struct sass *instruction, const struct traffic_count *count);

/* What a load asks of L2, per launched warp. Where an NVIDIA H200's L2 is at its limit with requests of
 * single sectors, it is busy looking up: 0.61 lines a cycle and SM, and in seven variants of spmv_csr 0.58 to
 * 0.61 by its counters, misses counted twice. Requests for the same sectors that come at about the same time
 * merge on their way, up to four of them as its counters say; each gets its sectors. */
struct traffic_l2 {
    double sectors; /* on their way to the SM */
    double lines;   /* looked up; what DRAM brings, a second time */
    double merged;  /* lines that another request of the warp's pass asks for */
};
struct traffic_l2 traffic_l2_reads(const struct traffic_count *count);

/* Share of the sectors asked for that DRAM brings, 0 to 1. */
double traffic_brought(const struct traffic_count *count);
/* Pieces of DRAM_GRANULE bytes that DRAM brings of a mean request, 1 or more. */
double traffic_places(const struct traffic_count *count);

/* The instruction's access to global memory, generic ones counted among them; null where it has none. */
const struct sass_access *traffic_global_access(const struct sass *instruction);
bool traffic_is_global(const struct sass *instruction);
bool traffic_is_local(const struct sass *instruction);

#endif

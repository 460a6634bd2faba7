/* The regions of global memory as the blocks of a grid touch them: what they share, what a wave touches, what
 * L2 lets it fetch from DRAM. For model/memory/reuse.c.
 *
 * The blocks of a wave begin together. Where latency limits them they stay in step, and what they share is
 * fetched once. Where they compete for an SM they are served unequally: those of one SM drift apart, while
 * the SMs do alike; what two blocks of an SM share is then fetched twice, unless L2 still holds it. Recorded
 * starts and DRAM counters of matrix multiplies on an NVIDIA H200 showed both, and little between. */
#ifndef MODEL_MEMORY_REUSE_REGIONS_H
#define MODEL_MEMORY_REUSE_REGIONS_H

#include "base/err.h"
#include "model/memory/traffic.h"

enum { REUSE_GAPS = 8 };

/* Of a block's sectors in a region those that no block of its row before it touches, and those that one does, by how
 * many blocks before: of about as many, the mean. `gaps` 0: not known. See model/memory/reuse_shift.h. */
struct reuse_shift {
    double fresh;
    unsigned gaps;
    struct {
        double sectors, blocks;
    } gap[REUSE_GAPS];
};

/* A piece of a region of which all blocks touch some, by what those do that were looked at: see
 * model/memory/reuse_pool.h. In sectors. */
struct reuse_pool {
    double blocks; /* that were looked at; 0: there is no such piece */
    double common; /* of each block, those that all touch ... */
    double each,
        covered; /* ... and the others, and the different ones of those that the blocks touch together */
    double pool; /* that fewer blocks draw from; of more, each finds a share `rate` ... */
    double rate, unseen; /* ... of those that no block has touched */
};

/* Of a mean block's sectors in a region: those that all blocks of its row (x) share, all of its column (y), all of
 * both, those that only the next block in x shares (a halo), and those that the next block in z shares. */
struct sharing {
    double own, x, y, both, halo, z;
    double next;    /* those that the next two blocks in x share */
    double span[3]; /* blocks in a row along x, y and z that share so; then those behind do in the same way */
    double ranks[3]; /* different parts of it that places of a cluster have, along x, y and z; 1 or more */
    struct reuse_pool pool;
    double most;              /* bytes that all blocks together can reach; INFINITY where that is not known */
    double all;               /* bytes of the whole grid, where all its blocks were executed; else INFINITY */
    double pairs;             /* then: how many times those DRAM brings */
    size_t anchor;            /* of the sample: the block whose neighbours tell */
    struct reuse_shift shift; /* then halo and x are not looked at */
};

/* A region of global memory. */
struct reuse_region {
    uint64_t address, bytes;
    struct sharing read, written;
    bool
        ordered; /* the order of the grid says where in it each block reads: neighbours read the same or apart */
    struct emulate_places places; /* where its blocks begin, if that is known */
    double pieces;               /* that its blocks gather from; 0: no gather (model/memory/reuse_gather.h) */
    double asked, fresh, stored; /* sectors per warp; `fresh` and `stored` are what a block reads and stores
                                    of it, each once, over its warps */
    double added;                /* of `stored`, what atomics touch, which L2 has to have to add to it */
    double given, elements;      /* bytes that other stores bring, and in how many elements, per warp */
    double evicted_first;        /* of `fresh`, what loads bring that say so */
    double far;                  /* of what is asked, what an earlier loop has had */
    double issued;               /* sum over `fresh` of how often a warp issues what asks for it */
    double inner, edge;          /* sectors new to a warp, by how it asks for them: see reuse.c */
    double unique, wave;         /* bytes that the grid and that a wave reads, each sector once */
    double unique_written;       /* ... and that the grid writes */
    double again;        /* bytes that a wave's blocks ask for when others of it, no neighbours, touch them */
    double next;         /* share of what a wave touches that the next one touches as well */
    double pairs;        /* DRAM brings 64 bytes: how many times what is asked for that is, 1 to 2 */
    double alone;        /* the same where L2 keeps nothing of what neighbours fetch */
    double anywhere;     /* share of its pairs whose line nobody near asks for otherwise */
    double scattered;    /* share of the bytes that DRAM brings as slowly as those */
    double read_lone;    /* share of the lines read that are alone in their 256 bytes ... */
    double written_lone; /* ... and of those written */
    double written_alone; /* share of the sectors written that are alone in their line */
    double piece;         /* bytes that a mean block reads of it in a round */
    double missed;        /* bytes that waves fetch from DRAM, with what comes along */
    double ready;         /* share of what blocks of a wave ask for that L2 has by then */
};

struct reuse_regions {
    const struct emulate_result *result;
    const struct launch *launch;
    const struct assumptions *assumed;
    const struct traffic_caches *caches;
    double blocks, wave_blocks;         /* of the grid; that run together */
    double rounds;                      /* that they take tiles in: see model/memory/reuse_rounds.h */
    double wave_bytes;                  /* that those touch, read and written */
    double unique_read, unique_written; /* bytes of the grid, each sector once */
    double most_read, most_written;     /* were all of a buffer's that are not known to be shared apart */
    double least_read, least_written;   /* at the least: for a bound, see model/memory/reuse_least.h */
    double touched;                     /* bytes of the grid, read and written, as far as its order tells */
    double copied;                      /* of them, what both halves of L2 keep a copy of */
    double left;                        /* share of them that L2 still has of the launch before */
    double wave_read;                   /* bytes of a wave, likewise */
    struct reuse_region *reuse_region;  /* one per region of the result; the first stands for none */
    size_t count;
};

/* Finds what blocks touch and share, whatever the caches hold: of them, only the number of resident blocks and what is
 * assumed are looked at. Emulation and launch are borrowed; ERR_MEMORY. The caller releases *out, also after an error. */
int reuse_regions_find(struct reuse_regions *out, const struct emulate_result *result,
                       const struct launch *launch, const struct traffic_caches *caches, struct err *err);
/* The same regions with what caches let waves fetch of them: all but what instructions ask for, which is asked, fresh
 * and stored. Borrowed, failing and released as above. */
int reuse_regions_fetch(struct reuse_regions *out, const struct reuse_regions *found,
                        const struct traffic_caches *caches, struct err *err);
void reuse_regions_release(struct reuse_regions *reuse_regions);

/* The share of `bytes`, touched again and again in the same order, that L2 still holds. Not being strictly
 * least-recently-used it keeps some of what does not fit: none at twice its size. */
double reuse_regions_kept(double bytes, double cache);

#endif

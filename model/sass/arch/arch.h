/* GPU architectures: what the decoder, the emulator, profiles and the microbenchmarks need to know of each,
 * one row a file.
 *
 * A row holds facts of machine code, of cubins and of what the driver writes: they are the same for every GPU
 * of the architecture. Measured values of one GPU are in its profile (model/device). No other code compares
 * compute capabilities with numbers; it asks for the row once and reads a field. A new architecture is one
 * file and one row of archs.def (docs/howto-architecture.md). */
#ifndef MODEL_SASS_ARCH_ARCH_H
#define MODEL_SASS_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>

/* Sets of encodings, as bits: an encoding of sass_encodings.def names those it belongs to. Architectures that
 * encode every instruction alike share a bit. */
enum arch_encodings {
    ARCH_75 = 1,
    ARCH_80 = 2,
    ARCH_86 = 4,
    ARCH_89 = 8,
    ARCH_90 = 16,
    ARCH_100 = 32,
    ARCH_120 = 64
};

/* How accesses to global memory give their address. No value is 0, so that a row that leaves it out is seen. */
enum arch_addresses {
    ARCH_ADDRESSES_PLAIN = 1,  /* registers only */
    ARCH_ADDRESSES_DESCRIPTOR, /* a uniform register can hold a descriptor; its bit stands as in sm_80 */
    ARCH_ADDRESSES_MOVED       /* the same; width, descriptor and uniform bits stand as in sm_100 */
};

/* Where the offset of a branch stands, in words of 4 bytes. */
enum arch_branches {
    ARCH_BRANCHES_48 = 1, /* 48 bits at 34 */
    ARCH_BRANCHES_56      /* 48 bits at 34 above 8 bits at 16 */
};

/* What the size of a kernel's section of shared memory counts, and so where its variables begin. */
enum arch_shared {
    ARCH_SHARED_DECLARED = 1, /* what the kernel declares */
    ARCH_SHARED_WITH_RESERVED /* that behind the bytes that the system reserves */
};

/* Lanes per SM of each pipe, by enum sass_pipe: CUDA C++ Programming Guide, "Throughput of Native Arithmetic
 * Instructions". A packed half is one lane. Pipes whose rate is not one of lanes are left out. */
struct arch_lanes {
    unsigned fma, fma_heavy, alu, fp16, fp64, xu, lsu, tex;
};

/* What the driver writes into c[0] beside the parameters, by offset in bytes. */
enum { ARCH_ABSENT = 0xffff };
/* From `cluster` on: whether there are clusters, their extent, its reciprocals, the grid in clusters, blocks. */
enum {
    ARCH_CLUSTER_EXTENT = 0x4,
    ARCH_CLUSTER_RECIPROCAL = 0x10,
    ARCH_CLUSTER_GRID = 0x1c,
    ARCH_CLUSTER_SIZE = 0x48
};
struct arch_bank0 {
    unsigned block, grid;                 /* three dimensions of 4 bytes each */
    unsigned shared_window, local_window; /* generic address of each, 8 bytes */
    unsigned parameters;                  /* generic address of the first parameter, 8 bytes */
    unsigned cluster;                     /* ARCH_CLUSTER_*: a word, three of three words each, a word */
    unsigned stack;                       /* bytes of local memory per thread, 4 bytes */
    unsigned descriptor; /* of global memory, 8 bytes; present where addresses can have one */
};

/* Limits of one compute capability, per SM where nothing else is said: CUDA C++ Programming Guide, table of
 * technical specifications; granule and barriers: the occupancy header of CUDA 13. What is the same
 * everywhere is in model/device/device.c. */
enum { ARCH_LIMITS = 2, ARCH_CARVEOUTS = 10 /* at most */ };
struct arch_limits {
    unsigned sm; /* 0 ends the list */
    unsigned warps, blocks;
    unsigned shared_granule;               /* bytes */
    unsigned optin_kb;                     /* shared memory of a block that asks for more than 48 KB */
    unsigned unified_kb;                   /* L1 and shared memory together */
    unsigned barriers;                     /* 0: not limited */
    unsigned carveouts_kb[ARCH_CARVEOUTS]; /* of shared memory, ascending; the first can be 0 */
};

struct arch {
    unsigned first, last; /* compute capabilities, 90 for 9.0; both are in the range */
    enum arch_encodings encodings;
    struct arch_lanes lanes;
    unsigned uniform_bits; /* of a uniform register's number; all ones is URZ */
    enum arch_addresses addresses;
    enum arch_branches branches;
    unsigned shared_reserved_bytes; /* what the system keeps of each block's shared memory; can be 0 */
    enum arch_shared shared;
    struct arch_bank0 bank0;
    struct arch_limits limits[ARCH_LIMITS]; /* of the capabilities in the range whose limits are known */
    bool bulk_copies;                       /* cp.async.bulk; tensor maps and clusters came with it */
    bool warp_groups;                       /* wgmma */
    bool specific_code; /* there is a target with what only this one has, such as sm_90a */
};

/* The row whose range holds compute capability `sm`; null where it is not known. */
const struct arch *arch_of(unsigned sm);

/* The rows in ascending order of their ranges; null past the last. */
const struct arch *arch_row(size_t index);

#endif

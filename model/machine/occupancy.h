/* Occupancy: how many thread blocks and warps of a kernel an SM holds at once, what limits them, and whether
 * a launch is possible at all.
 *
 * Pure functions over plain structs. The rules are those of CUDA's occupancy header (compute capability 7.5
 * to 12.x): registers go to warps in granules within each sub-partition, shared memory to blocks in granules
 * and with the bytes the system reserves, and the launch itself is refused where registers for all
 * sub-partitions at once would not fit. A limit of 0 is unknown and limits nothing; device_need_occupancy()
 * says whether enough of them are known. NVIDIA (profiler) defines the terms: theoretical occupancy here,
 * achieved occupancy through waves. */
#ifndef MODEL_OCCUPANCY_H
#define MODEL_OCCUPANCY_H

#include "launch/launch.h"
#include "model/sass/cubin.h"
#include "model/device/device.h"

#include <stdbool.h>
#include <stddef.h>

enum limiter {
    LIMITER_NONE, /* no limit is known */
    LIMITER_WARPS,
    LIMITER_BLOCKS,
    LIMITER_REGISTERS,
    LIMITER_SHARED,
    LIMITER_BARRIERS,
    LIMITER_COUNT
};
const char *limiter_text(enum limiter limiter); /* "warps", "blocks", ... */

/* What one thread block takes. */
struct occupancy_block {
    unsigned threads;   /* at least 1 */
    unsigned registers; /* per thread; 0: not known yet, does not limit */
    unsigned shared;    /* bytes, static and dynamic, without the system's reserved ones */
    unsigned barriers;  /* named barriers; 0 or 1 for plain __syncthreads() */
    int carveout; /* preferred share of the largest shared memory in per cent, or -1: the driver's choice */
    unsigned at_most; /* blocks an SM holds however little they take, as of clusters; 0: as the device says */
};

struct occupancy {
    unsigned blocks, warps;         /* resident per SM; 0: nothing fits, or LIMITER_NONE */
    unsigned warps_per_block;       /* started ones, the last perhaps part filled */
    double share;                   /* warps / warps an SM can hold: the theoretical occupancy, 0 to 1 */
    double lanes;                   /* threads / (32 x warps of the block): lanes in use, 0 to 1 */
    enum limiter limiter;           /* first in the order of the enum where several limit alike */
    unsigned limits[LIMITER_COUNT]; /* blocks each would allow; UINT_MAX: no limit */
    uint64_t shared_allocated;      /* bytes a block really takes, reserved ones and granule included */
    uint64_t carveout; /* bytes of shared memory the SM is set to: the preferred size, or for -1 the
                          smallest that holds the resident blocks */
    uint64_t l1;       /* bytes the unified memory leaves to L1; 0 where its size is unknown */
};

void occupancy_of(struct occupancy *out, const struct device_limits *limits,
                  const struct occupancy_block *block);

/* The block that a launch of a kernel makes; resources may be null before it is compiled. */
struct occupancy_block occupancy_block_of(const struct launch *launch,
                                          const struct cubin_resources *resources);

/* Rule `limits`: whether the driver would launch this. Without resources only what the launch itself says is
 * checked. Otherwise writes the reason into `reason` (cut to `size`): "98304 bytes of shared memory a block,
 * the device allows 49152". */
bool occupancy_launchable(char *reason, size_t size, const struct device_limits *limits,
                          const struct launch *launch, const struct cubin_resources *resources);

/* Waves of equally long blocks (NVIDIA (profiler); 45 blocks where 60 fit: 75 %). */
struct waves {
    uint64_t capacity; /* blocks resident on the whole GPU */
    uint64_t full;     /* waves that fill it */
    uint64_t tail;     /* blocks of the last, partial wave */
    double fill;       /* blocks / (waves x capacity): mean share of the resident places in use, 0 to 1 */
    double achieved;   /* fill x theoretical occupancy */
};
void occupancy_waves(struct waves *out, const struct occupancy *occupancy, uint64_t sms,
                     uint64_t grid_blocks);

/* The three curves of the calculator: resident warps while one quantity changes and the others stay. */
enum occupancy_axis { OCCUPANCY_THREADS, OCCUPANCY_REGISTERS, OCCUPANCY_SHARED };
struct occupancy_point {
    unsigned x; /* threads, registers, bytes */
    unsigned warps;
};
enum { OCCUPANCY_POINTS = 256 };
/* Returns how many points it wrote: every warp of block size; every register; every 1 KB. */
size_t occupancy_curve(struct occupancy_point out[OCCUPANCY_POINTS], const struct device_limits *limits,
                       const struct occupancy_block *block, enum occupancy_axis axis);

/* The largest block, a multiple of 32 threads, whose registers the launch check accepts (Wong et al., figure
 * 9). 0 where none is. */
unsigned occupancy_largest_block(const struct device_limits *limits, unsigned registers);

/* Bytes of dynamic shared memory that allow exactly `blocks` (>= 1) resident blocks of a kernel
 * without static shared memory, where nothing else limits them: largest per SM / blocks, down to the granule,
 * less the reserved bytes (Lemeire et al., eq. 2), no more than a block may take. */
unsigned occupancy_shared_for(const struct device_limits *limits, unsigned blocks);

#endif

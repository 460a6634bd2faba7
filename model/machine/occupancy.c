#include "model/machine/occupancy.h"

#include "model/sass/arch/geometry.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const unsigned UNLIMITED = UINT_MAX; /* ISO C has no enumerator above INT_MAX */

static unsigned capped(uint64_t value)
{
    return value < UNLIMITED ? (unsigned)value : UNLIMITED;
}

/* A limit of 0 is unknown, and what is unknown limits nothing. */
static bool over(uint64_t value, uint64_t limit)
{
    return limit && value > limit;
}

static uint64_t round_up(uint64_t value, uint64_t granule)
{
    return granule ? (value + granule - 1) / granule * granule : value;
}

/* How many of `each` a limit allows, likewise. */
static unsigned within(uint64_t limit, uint64_t each)
{
    return limit && each ? capped(limit / each) : UNLIMITED;
}

const char *limiter_text(enum limiter limiter)
{
    static const char *const texts[] = {"none", "warps", "blocks", "registers", "shared memory", "barriers"};

    return texts[limiter];
}

static unsigned warps_of(unsigned threads)
{
    return (unsigned)(((uint64_t)threads + LANES - 1) / LANES);
}

static uint64_t registers_per_warp(const struct device_limits *limits, unsigned registers)
{
    return round_up((uint64_t)registers * LANES, limits->register_granule);
}

/* The hardware checks a launch as if a block took registers in all sub-partitions alike. */
static bool registers_launch(const struct device_limits *limits, unsigned registers, unsigned warps)
{
    return !over(registers, limits->registers_per_thread) &&
           !over(registers_per_warp(limits, registers) * round_up(warps, limits->subpartitions),
                 limits->registers_per_block);
}

static unsigned by_registers(const struct device_limits *limits, unsigned registers, unsigned warps)
{
    const uint64_t parts = limits->subpartitions ? limits->subpartitions : 1;
    const uint64_t per_warp = registers_per_warp(limits, registers);

    if (per_warp == 0)
        return UNLIMITED;
    if (!registers_launch(limits, registers, warps))
        return 0;
    if (!limits->registers_per_sm)
        return UNLIMITED;
    return capped(limits->registers_per_sm / parts / per_warp * parts / warps);
}

/* The smallest carve-out of at least `bytes`; the whole of it where none is or the device has a single one. */
static uint64_t carveout_for(const struct device_limits *limits, uint64_t bytes)
{
    for (size_t i = 0; i < limits->carveout_count; i++)
        if (limits->carveouts[i] >= bytes)
            return limits->carveouts[i];
    return limits->shared_per_sm;
}

/* Bytes of shared memory the blocks of an SM may share: the preferred carve-out unless not even one block
 * fits in it; 0 where nobody knows. */
static uint64_t shared_capacity(const struct device_limits *limits, int carveout, uint64_t block_bytes)
{
    const uint64_t whole = limits->shared_per_sm;
    const uint64_t wanted =
        carveout < 0 || carveout > 100 ? whole : carveout_for(limits, whole * (uint64_t)carveout / 100);

    if (!whole)
        return 0;
    return wanted >= block_bytes ? wanted : carveout_for(limits, block_bytes);
}

/* Bytes of shared memory that one block may take. */
static uint64_t largest_shared(const struct device_limits *limits)
{
    return limits->shared_per_block_optin > limits->shared_per_block ? limits->shared_per_block_optin
                                                                     : limits->shared_per_block;
}

static unsigned by_shared(const struct device_limits *limits, uint64_t block_bytes, uint64_t capacity)
{
    const uint64_t largest = largest_shared(limits);

    return largest && block_bytes > largest + limits->shared_reserved ? 0 : within(capacity, block_bytes);
}

void occupancy_of(struct occupancy *out, const struct device_limits *limits,
                  const struct occupancy_block *block)
{
    const unsigned warps = warps_of(block->threads);
    const uint64_t bytes = round_up(block->shared + limits->shared_reserved, limits->shared_granule);
    const uint64_t capacity = shared_capacity(limits, block->carveout, bytes);
    uint64_t in_use;

    *out = (struct occupancy){.warps_per_block = warps, .shared_allocated = bytes};
    if (block->threads == 0)
        return;
    out->limits[LIMITER_NONE] = UNLIMITED;
    out->limits[LIMITER_WARPS] =
        over(block->threads, limits->threads_per_block) ? 0 : within(limits->warps_per_sm, warps);
    out->limits[LIMITER_BLOCKS] = within(limits->blocks_per_sm, 1);
    if (block->at_most && block->at_most < out->limits[LIMITER_BLOCKS])
        out->limits[LIMITER_BLOCKS] = block->at_most;
    out->limits[LIMITER_REGISTERS] = by_registers(limits, block->registers, warps);
    out->limits[LIMITER_SHARED] = by_shared(limits, bytes, capacity);
    out->limits[LIMITER_BARRIERS] = within(limits->barriers_per_sm, block->barriers);
    for (int i = LIMITER_NONE; i < LIMITER_COUNT; i++)
        if (out->limits[i] < out->limits[out->limiter])
            out->limiter = (enum limiter)i;
    out->blocks = out->limiter == LIMITER_NONE ? 0 : out->limits[out->limiter];
    out->warps = out->blocks * warps;
    out->share = limits->warps_per_sm ? (double)out->warps / (double)limits->warps_per_sm : 0;
    out->lanes = (double)block->threads / ((double)warps * LANES);
    in_use = out->blocks * bytes;
    out->carveout = block->carveout < 0 ? carveout_for(limits, in_use) : capacity;
    out->l1 = limits->unified_bytes > out->carveout ? limits->unified_bytes - out->carveout : 0;
}

struct occupancy_block occupancy_block_of(const struct launch *launch,
                                          const struct cubin_resources *resources)
{
    struct occupancy_block block = {
        .threads = launch->block[0] * launch->block[1] * launch->block[2],
        .shared = launch->shared_bytes,
        .carveout = launch->carveout,
    };

    if (resources) {
        block.registers = resources->registers;
        block.shared += resources->shared_bytes;
        block.barriers = resources->barriers;
    }
    return block;
}

/* Launch limits ------------------------------------------------------------------------------------------- */

struct reason {
    char *text;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct reason *reason, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason->text, reason->size, format, arguments);
    va_end(arguments);
    return false;
}

static bool geometry_fits(struct reason *reason, const struct device_limits *limits,
                          const struct launch *launch)
{
    const uint64_t block_max[] = {limits->block_x_max, limits->block_y_max, limits->block_z_max};
    const uint64_t grid_max[] = {limits->grid_x_max, limits->grid_y_max, limits->grid_z_max};
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];

    for (int i = 0; i < 3; i++) {
        if (launch->block[i] == 0 || launch->grid[i] == 0)
            return refuse(reason, "%s.%c is 0", launch->block[i] ? "grid" : "block", "xyz"[i]);
        if (over(launch->block[i], block_max[i]))
            return refuse(reason, "block.%c is %u, the device allows %llu", "xyz"[i], launch -> block[i],
                          (unsigned long long)block_max[i]);
        if (over(launch->grid[i], grid_max[i]))
            return refuse(reason, "grid.%c is %u, the device allows %llu", "xyz"[i], launch -> grid[i],
                          (unsigned long long)grid_max[i]);
    }
    if (over(threads, limits->threads_per_block))
        return refuse(reason, "%llu threads a block, the device allows %llu", (unsigned long long)threads,
                      (unsigned long long)limits->threads_per_block);
    return true;
}

static bool shared_fits(struct reason *reason, const struct device_limits *limits, uint64_t bytes)
{
    const uint64_t largest = largest_shared(limits);

    if (!over(bytes, largest))
        return true;
    return refuse(reason, "%llu bytes of shared memory a block, the device allows %llu",
                  (unsigned long long)bytes, (unsigned long long)largest);
}

static bool bounds_fit(struct reason *reason, const struct launch *launch,
                       const struct cubin_resources *resources)
{
    const unsigned *most = resources->max_threads, *exactly = resources->required_threads;
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    const uint64_t allowed = (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1);

    if (most[0] && threads > allowed)
        return refuse(reason, "%llu threads a block, __launch_bounds__ allows %llu",
                      (unsigned long long)threads, (unsigned long long)allowed);
    for (int i = 0; exactly[0] && i < 3; i++)
        if (launch->block[i] != (exactly[i] ? exactly[i] : 1))
            return refuse(reason, "block.%c is %u, the kernel requires %u", "xyz"[i], launch -> block[i],
                          exactly[i]);
    return true;
}

/* What is fixed when a kernel is compiled cannot be changed by its launch. */
static bool cluster_fits(struct reason *reason, const struct launch *launch, const unsigned own[3])
{
    const unsigned *asked = launch->cluster;

    if (!own[0])
        return true;
    if (launch_cluster_blocks(launch) > 1)
        for (int i = 0; i < 3; i++)
            if (asked[i] != own[i])
                return refuse(reason, "cluster.%c is %u, __cluster_dims__ of the kernel has %u", "xyz"[i],
                              asked[i], own[i]);
    for (int i = 0; i < 3; i++)
        if (own[i] && launch->grid[i] % own[i])
            return refuse(reason, "grid.%c is %u, not a multiple of the %u in the kernel's __cluster_dims__",
                          "xyz"[i], launch -> grid[i], own[i]);
    return true;
}

/* Blocks of a cooperative launch wait for each other, so all must be resident at once. The carve-out that a launch
 * prefers is a wish: the whole of it counts. */
static bool cooperative_fits(struct reason *reason, const struct device_limits *limits,
                             const struct launch *launch, struct occupancy_block block)
{
    const uint64_t blocks = launch_blocks(launch);
    struct occupancy occupancy;
    uint64_t most;

    block.carveout = -1;
    occupancy_of(&occupancy, limits, &block);
    most = limits->sm_count * occupancy.blocks;
    if (!launch->cooperative || !over(blocks, most))
        return true;
    return refuse(reason,
                  "%llu blocks of a cooperative launch, the device holds %llu at once (%u on each SM)",
                  (unsigned long long)blocks, (unsigned long long)most, occupancy.blocks);
}

bool occupancy_launchable(char *text, size_t size, const struct device_limits *limits,
                          const struct launch *launch, const struct cubin_resources *resources)
{
    const struct occupancy_block block = occupancy_block_of(launch, resources);
    struct reason reason = {text, size};
    struct occupancy occupancy;

    if (!geometry_fits(&reason, limits, launch))
        return false;
    if (!shared_fits(&reason, limits,
                     (uint64_t)launch->shared_bytes + (resources ? resources->shared_bytes : 0)))
        return false;
    if (!launch_memory_fits(text, size, launch, limits->memory_bytes))
        return false;
    if (!resources)
        return true;
    if (!bounds_fit(&reason, launch, resources) || !cluster_fits(&reason, launch, resources->cluster))
        return false;
    occupancy_of(&occupancy, limits, &block);
    if (occupancy.limits[LIMITER_REGISTERS] == 0 && !occupancy_largest_block(limits, block.registers))
        return refuse(&reason, "%u registers a thread are too many for any block", block.registers);
    if (occupancy.limits[LIMITER_REGISTERS] == 0)
        return refuse(&reason, "%u registers a thread are too many for %u threads: at most %u",
                      block.registers, block.threads, occupancy_largest_block(limits, block.registers));
    if (occupancy.blocks == 0 && occupancy.limiter != LIMITER_NONE)
        return refuse(&reason, "no block fits an SM: limited by %s", limiter_text(occupancy.limiter));
    return cooperative_fits(&reason, limits, launch, block);
}

/* Around it ------------------------------------------------------------------------------------------------ */

void occupancy_waves(struct waves *out, const struct occupancy *occupancy, uint64_t sms, uint64_t grid_blocks)
{
    uint64_t waves;

    *out = (struct waves){.capacity = sms * occupancy->blocks};
    if (out->capacity == 0 || grid_blocks == 0)
        return;
    out->full = grid_blocks / out->capacity;
    out->tail = grid_blocks % out->capacity;
    waves = out->full + (out->tail > 0);
    out->fill = (double)grid_blocks / ((double)waves * (double)out->capacity);
    out->achieved = out->fill * occupancy->share;
}

static unsigned resident(const struct device_limits *limits, const struct occupancy_block *block)
{
    struct occupancy occupancy;

    occupancy_of(&occupancy, limits, block);
    return occupancy.warps;
}

size_t occupancy_curve(struct occupancy_point out[OCCUPANCY_POINTS], const struct device_limits *limits,
                       const struct occupancy_block *block, enum occupancy_axis axis)
{
    static const unsigned steps[] = {
        [OCCUPANCY_THREADS] = LANES, [OCCUPANCY_REGISTERS] = 1, [OCCUPANCY_SHARED] = 1024};
    const uint64_t ends[] = {[OCCUPANCY_THREADS] = limits->threads_per_block,
                             [OCCUPANCY_REGISTERS] = limits->registers_per_thread,
                             [OCCUPANCY_SHARED] = limits->shared_per_block_optin};
    struct occupancy_block at = *block;
    unsigned *const moving[] = {[OCCUPANCY_THREADS] = &at.threads,
                                [OCCUPANCY_REGISTERS] = &at.registers,
                                [OCCUPANCY_SHARED] = &at.shared};
    unsigned x = axis == OCCUPANCY_SHARED ? 0 : steps[axis];
    size_t count = 0;

    for (; x <= ends[axis] && count < OCCUPANCY_POINTS; x += steps[axis]) {
        *moving[axis] = x;
        out[count++] = (struct occupancy_point){x, resident(limits, &at)};
    }
    return count;
}

unsigned occupancy_largest_block(const struct device_limits *limits, unsigned registers)
{
    unsigned warps = (unsigned)(limits->threads_per_block / LANES);

    while (warps > 0 && !registers_launch(limits, registers, warps))
        warps--;
    return warps * LANES;
}

unsigned occupancy_shared_for(const struct device_limits *limits, unsigned blocks)
{
    const uint64_t granule = limits->shared_granule ? limits->shared_granule : 1;
    const uint64_t whole = limits->shared_per_sm / blocks / granule * granule;
    const uint64_t bytes = whole > limits->shared_reserved ? whole - limits->shared_reserved : 0;

    return (unsigned)(bytes < limits->shared_per_block_optin ? bytes : limits->shared_per_block_optin);
}

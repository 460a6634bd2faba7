#include "model/memory/reuse_sums.h"

#include "model/memory/reuse_left.h"
#include "model/memory/reuse_parts.h"
#include "model/sass/arch/geometry.h"

#include <math.h>

/* What another instruction of the same pass has just asked for comes no sooner than that. */
static void add_waiting(struct traffic_loads *out, const struct reuse *reuse, size_t i)
{
    const struct traffic_count *count = &reuse->out->counts[i];
    const struct phase *phase = phase_of(reuse, i);
    const double same = traffic_is_cached(&reuse->code->instructions[i])
                            ? reuse_parts_of(reuse, i).same / count->sectors_once
                            : 0;
    const double share = count->waits + (phase->first > 0 ? same * phase->late / phase->first : 0);
    const double waiting = fmax(count->requests * share, count->sectors_once * (1 - count->l1_hit) / 4);

    out->waiting += waiting;
    out->waiting_dram += phase->late > 0 ? waiting * phase->late_dram / phase->late : 0;
}

/* Of what is written, what lies in lines that are alone in their 256 bytes, and sectors alone in their line. */
static void add_lone(struct traffic_dram *out, const struct reuse *reuse)
{
    double stored = 0, lone = 0, alone = 0;

    for (size_t z = 1; z < reuse->reuse_regions.count; z++) {
        const struct reuse_region *reuse_region = &reuse->reuse_regions.reuse_region[z];

        stored += reuse_region->stored;
        lone += reuse_region->stored * reuse_region->written_lone;
        alone += reuse_region->stored * fmin(reuse_region->written_alone, reuse_region->written_lone);
    }
    out->written_lone = stored > 0 ? out->written * lone / stored : 0;
    out->written_alone = stored > 0 ? out->written * alone / stored : 0;
}

static bool passes_l1(const struct sass *i)
{
    const struct sass_access *access = traffic_global_access(i);

    return access && !traffic_is_cached(i) && !(access->access & (SASS_WRITES | SASS_ATOMICALLY));
}

struct traffic_loads reuse_sum_loads(const struct reuse *reuse)
{
    struct traffic_loads out = {.l1_lines = reuse->caches->l1_bytes / LINE};
    double hits = 0;

    for (size_t i = 0; i < reuse->code->count; i++) {
        const struct sass *instruction = &reuse->code->instructions[i];
        const struct traffic_count *count = &reuse->out->counts[i];

        out.l1_read += traffic_is_cached(instruction) ? count->sectors_once : 0;
        out.l2_read += passes_l1(instruction) ? count->sectors_once : 0;
        if (!reuse_reads(instruction) || !(count->sectors > 0))
            continue;
        add_waiting(&out, reuse, i);
        hits += count->sectors_once * count->l1_hit;
        out.from_l1 += count->sectors_once * (1 - count->waits);
        out.from_l2 += count->sectors_once * count->waits * (1 - count->waits_dram);
        out.from_dram += count->sectors_once * count->waits * count->waits_dram;
    }
    out.l1_hit = out.l1_read > 0 ? hits / out.l1_read : 0;
    out.l2_read += out.l1_read - hits;
    return out;
}

/* What a region's blocks write of it, in bytes per warp, as DRAM gets it: sectors once each, and those that other blocks come
 * to by chance as often as L2 has lost them by then. */
struct written {
    double once, lost;
};

/* The share of sectors stored to, alone in their line and by no neighbour, that L2 has lost before another block comes to them.
 * Where they are more than L2 holds of data of one SM each, those are lost that do not lie in what it holds of data of all.
 * Measured on an NVIDIA H200 with words stored to 32 to 512 MB at random: of 32 none is, of 64, 128 and 256 a share of 0.69, 0.90
 * and 0.96. */
static double lost_of(const struct reuse *reuse, const struct reuse_region *reuse_region)
{
    const struct traffic_caches *caches = reuse->caches;
    const struct sharing *written = &reuse_region->written;
    const double unique = reuse_region->unique_written;
    const double beside = fmax(fmax(written->x, written->halo), fmax(written->y, written->z));

    if (reuse_held_whole(caches, unique) || written->shift.gaps)
        return 0;
    return fmin(reuse_region->written_alone, reuse_region->written_lone) *
           fmax(1 - beside / fmax(written->own, 1), 0) * fmax(1 - caches->l2_holds / unique, 0);
}

static struct written written_of(const struct reuse *reuse, const struct reuse_region *reuse_region)
{
    const double sectors = reuse_region->stored - reuse_region->added;

    return (struct written){reuse_region->unique_written / reuse->out->warps,
                            lost_of(reuse, reuse_region) * sectors * SECTOR};
}

/* Adds the bytes of a region's sectors of which only a part is written and none read: DRAM brings the rest before they go
 * there, as its counters showed on an NVIDIA H200 for every way of leaving elements out. The elements that a block
 * leaves out of its sectors are taken to be any of them, and such sectors any of all, as long as other blocks do not
 * write them, or come to those that L2 has lost. */
static void add_completed(struct traffic_dram *out, const struct reuse_region *reuse_region, double warps,
                          const struct written *written)
{
    const double sectors = reuse_region->stored - reuse_region->added;
    const bool again = written->lost > written->once;
    const double bytes = again ? written->lost : fmax(written->once - reuse_region->unique / warps, 0);
    double covered, part, alone;

    if (!(sectors > 0) || !(reuse_region->given > 0) || !(bytes > 0))
        return;
    covered = reuse_region->given / fmin(sectors * SECTOR, again ? INFINITY : written->once);
    part = 1 - pow(fmin(covered, 1), SECTOR * reuse_region->elements / reuse_region->given);
    out->completed += bytes * part;
    alone = fmax((1 - part) * (1 - part), reuse_region->written_alone);
    out->completed_alone += bytes * part * alone;
}

/* Bytes of a region that atomics have L2 fetch, which come back changed, per warp; *copied: of them, by copies that add. */
static double added_of(double *copied, const struct reuse *reuse, const struct reuse_region *reuse_region)
{
    const size_t number = (size_t)(reuse_region - reuse->reuse_regions.reuse_region);
    const double pairs = fmax(reuse_region->pairs, 1);
    double bytes = 0;

    *copied = 0;
    for (size_t i = 0; i < reuse->code->count; i++) {
        const struct sass *instruction = &reuse->code->instructions[i];
        const double own = reuse->out->counts[i].dram_read / pairs;

        if (!reuse_adds(instruction) || reuse->out->counts[i].region != number)
            continue;
        bytes += own;
        *copied += sass_copies_in_bulk(instruction) ? own : 0;
    }
    return bytes;
}

struct traffic_dram reuse_sum_dram(const struct reuse *reuse)
{
    const struct reuse_regions *regions = &reuse->reuse_regions;
    const double back = reuse_written_back(regions);
    struct traffic_dram out = {0};

    for (size_t i = 0; i < reuse->code->count; i++) {
        const struct traffic_count *count = &reuse->out->counts[i];

        out.read += count->dram_read;
        out.scattered += count->dram_scattered;
        out.lone += count->dram_lone;
    }
    for (size_t z = 1; z < regions->count; z++) {
        const struct reuse_region *reuse_region = &regions->reuse_region[z];
        const struct written written = written_of(reuse, reuse_region);
        const double in_order = 1 - fmin(reuse_region->written_alone, 1);
        double copied;
        const double added = added_of(&copied, reuse, reuse_region);

        add_completed(&out, reuse_region, reuse->out->warps, &written);
        out.written += fmax(written.once * back, fmax(written.lost, added));
        out.added += added * in_order;
        out.added_copied += copied * in_order;
    }
    out.completed *= back;
    out.completed_alone *= back;
    out.read += out.completed;
    add_lone(&out, reuse);
    return out;
}

/* Who copies what at the same time is not certain, since blocks that stay take tile after tile: any copy that
 * can be fetched together with another is taken to be. */
struct traffic_least reuse_sum_least(const struct reuse *reuse)
{
    const struct reuse_regions *regions = &reuse->reuse_regions;
    const double warps = reuse->out->warps, least = regions->least_read + regions->least_written,
                 part = fmin(reuse->caches->l2_bytes / fmax(least, 1), 1);
    double past_l1 = 0, joined = 0;

    for (size_t i = 0; i < reuse->code->count; i++) {
        const struct sass *instruction = &reuse->code->instructions[i];
        const double sectors = reuse->out->counts[i].sectors_once;

        past_l1 += passes_l1(instruction) ? sectors : 0;
        joined += reuse_reads(instruction) && sass_copies_in_bulk(instruction) ? sectors / 2 : 0;
    }
    return (struct traffic_least){
        .read = regions->least_read,
        .written = regions->least_written,
        .l2_read = fmax(past_l1 - joined, regions->least_read / SECTOR / warps),
        .l2_written = regions->least_written / SECTOR / warps,
        .dram_read = regions->least_read * (reuse->caches->warm ? 1 - part : 1) / warps,
        .dram_written = regions->least_written * (1 - part) / warps,
    };
}

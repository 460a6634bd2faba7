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

/* Adds the bytes of a region's sectors of which only a part is written and none read: DRAM brings the rest before they go
 * there, as its counters showed on an NVIDIA H200 for every way of leaving elements out. The elements that a block
 * leaves out of its sectors are taken to be any of them, and such sectors any of all, as long as other blocks do not
 * write them. */
static void add_completed(struct traffic_dram *out, const struct reuse_region *reuse_region, double warps)
{
    const double sectors = reuse_region->stored - reuse_region->added;
    const double written = reuse_region->unique_written;
    const double bytes = fmax(written - reuse_region->unique, 0) / warps;
    double covered, part, alone;

    if (!(sectors > 0) || !(reuse_region->given > 0) || !(bytes > 0))
        return;
    covered = fmax(reuse_region->given / (sectors * SECTOR), reuse_region->given * warps / written);
    part = 1 - pow(fmin(covered, 1), SECTOR * reuse_region->elements / reuse_region->given);
    out->completed += bytes * part;
    alone = fmax((1 - part) * (1 - part), reuse_region->written_alone);
    out->completed_alone += bytes * part * alone;
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
    for (size_t z = 1; z < regions->count; z++)
        add_completed(&out, &regions->reuse_region[z], reuse->out->warps);
    out.completed *= back;
    out.completed_alone *= back;
    out.read += out.completed;
    out.written = regions->unique_written * back / reuse->out->warps;
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
        joined += reuse_reads(instruction) && reuse_may_join(instruction) ? sectors / 2 : 0;
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

#include "model/memory/reuse.h"

#include "model/machine/assumptions.h"
#include "model/memory/kept.h"
#include "model/memory/reuse_again.h"
#include "model/memory/reuse_dropped.h"
#include "model/memory/reuse_left.h"
#include "model/memory/reuse_parts.h"
#include "model/memory/reuse_phases.h"
#include "model/memory/reuse_sums.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

/* Caches ------------------------------------------------------------------- */

/* What L1 and L2 still have of what the warp's last pass and an earlier loop have had; and of what other
 * warps load far from it in time, a share `apart` of all that they load, too.
 * Of what nobody else loads, nothing is gathered. */
struct found {
    double last_l1, far_l1, last_l2, far_l2;
    double apart, apart_l1, apart_l2;
    double lone; /* of what L2 has lost, the share that DRAM brings another sector with that nobody wants */
};

/* Of what other warps of the block have loaded or will load, the share that they load so much earlier or
 * later that what the SM asks for in between does not fit into L1. */
static double reuse_distance_share(const struct reuse *reuse, size_t i)
{
    const double warps = reuse->caches->resident_blocks * reuse->warps_per_block;
    const double between =
        reuse->out->counts[i].apart * warps * reuse->lines / fmax(reuse->loads, 1e-9) * LINE;

    return between > reuse->caches->l1_bytes ? 1 - reuse->caches->l1_bytes / between : 0;
}

/* Bytes that the SM's warps load before one of them comes back to a sector, up to all that they touch: what one pass of
 * its loop asks for, `pass`, or as much as its requests are apart. */
static double between_passes(const struct reuse *reuse, size_t i, double pass, double all)
{
    const double warps = reuse->caches->resident_blocks * reuse->warps_per_block;
    const double lines = reuse->out->counts[i].between * warps * reuse->lines / fmax(reuse->loads, 1e-9);

    return fmax(pass, fmin(lines * LINE, all));
}

/* The share of a region that is in L1 where its sectors are loaded at random: what fits into L1. */
static double random_in_l1(const struct reuse *reuse, size_t i)
{
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);
    const double warps = reuse->caches->resident_blocks * reuse->warps_per_block;
    const double bytes = fmin(reuse_region->fresh * SECTOR * warps, (double)reuse_region->bytes);

    return fmin(reuse->caches->l1_bytes / fmax(bytes, 1), 1);
}

/* The same in L2: all of it unless what the wave asks for between two loads of a sector does not fit. */
static double random_in_l2(const struct reuse *reuse, size_t i)
{
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);
    double asked = 0;

    for (size_t z = 1; z < reuse->reuse_regions.count; z++)
        asked += reuse->reuse_regions.reuse_region[z].asked;
    return reuse_kept_l2(reuse->caches, reuse_evicted_first_of(reuse, i),
                         reuse_region->wave * asked / fmax(reuse_region->asked, 1e-9));
}

/* Bytes that the wave touches before a loop comes back to what an earlier one had of the region: the region's
 * own, and of all else what is touched meanwhile, where many loops go over the region and once over the rest. */
static double between_loops(const struct reuse *reuse, size_t i, double block)
{
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);
    const double times = reuse_region->fresh > 0 ? fmax(reuse_region->far / reuse_region->fresh, 1) : 1;
    const double all = fmin(block, reuse->reuse_regions.wave_bytes), own = fmin(reuse_region->wave, all);

    return own + (all - own) / times;
}

/* How many parts of the block's time lie one after another, in each of which the instruction comes back to
 * what was new in it: passes of an outer loop, in which both it and what asks for new data are come to. Of
 * single sectors anywhere, which nothing but the same pass leads to; in order it may be what an earlier one
 * had. */
static double parts_of_time(const struct reuse *reuse, size_t i)
{
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);
    const double asked = reuse_region->fresh > 0 ? reuse_region->issued / reuse_region->fresh : 1;

    return 1 + reuse_region->anywhere * fmax(fmin(reuse->entries[i], asked) - 1, 0);
}

static struct found found_by(const struct reuse *reuse, size_t i, const struct reuse_parts *asked)
{
    const struct traffic_caches *caches = reuse->caches;
    const bool cached = traffic_is_cached(&reuse->code->instructions[i]);
    const double warps = caches->resident_blocks * reuse->warps_per_block;
    const double sms = reuse->reuse_regions.wave_blocks / caches->resident_blocks;
    const struct traffic_count *count = &reuse->out->counts[i];
    const double apart = cached ? reuse_distance_share(reuse, i) : 0;
    const double gathered = count->own > 0 ? apart * fmax(1 - count->fresh / count->own, 0) : 0;
    const double apart_l1 = random_in_l1(reuse, i), apart_l2 = random_in_l2(reuse, i);
    const double pass = phase_bytes(reuse, reuse->loops[i], warps, LINE),
                 passes = phase_bytes(reuse, reuse->loops[i], warps * sms, 2 * SECTOR);
    const double parts = parts_of_time(reuse, i), first = reuse_evicted_first_of(reuse, i);
    const struct reuse_again again =
        reuse_again_of(reuse, i, asked->same + asked->last + asked->far, asked->same);
    struct found out;
    double block = 0, stored = 0; /* bytes that the SM's blocks touch altogether; stores go into L1, too */

    for (size_t z = 1; z < reuse->reuse_regions.count; z++) {
        block += reuse->reuse_regions.reuse_region[z].fresh * SECTOR * warps;
        stored += reuse->reuse_regions.reuse_region[z].stored * SECTOR * warps;
    }
    out = (struct found){
        .last_l1 = cached ? (1 - gathered) * kept_at_random(between_passes(reuse, i, pass, block + stored),
                                                            caches->l1_bytes) +
                                gathered * apart_l1
                          : 0,
        .far_l1 = cached ? kept_at_random((block + stored) / parts, caches->l1_bytes) : 0,
        .last_l2 = (1 - gathered) * reuse_kept_l2(caches, first, passes) + gathered * apart_l2,
        .far_l2 = reuse_kept_l2(caches, first, between_loops(reuse, i, block * sms) / parts),
        .apart = apart,
        .apart_l1 = apart_l1,
        .apart_l2 = apart_l2,
        .lone = count->sectors_once < 2 * count->lines_once ? 1 : 0,
    };
    if (again.known) {
        out.last_l1 = out.far_l1 = again.l1;
        out.last_l2 = out.far_l2 = again.l2;
        out.lone =
            again.near * out.lone + (1 - again.near) * fmin(fmax(reuse_region_of(reuse, i)->alone - 1, 0), 1);
    }
    return out;
}

/* Bytes that DRAM brings for what is new to the block, to whichever instruction asks for it first. */
static double share_of_missed(const struct reuse *reuse, size_t i, const struct reuse_region *reuse_region)
{
    const double asked = reuse_region->fresh + reuse_region->added;

    return asked > 0 ? reuse_region->missed / reuse->out->warps * reuse->out->counts[i].fresh / asked : 0;
}

/* The same of a load. What blocks of a wave share, and what DRAM brings for one and another needs, they ask for at
 * any time of it: on average half of it lies between. */
static double fetched_of(const struct reuse *reuse, size_t i, const struct reuse_region *reuse_region)
{
    const struct traffic_count *count = &reuse->out->counts[i];
    const double shared = share_of_missed(reuse, i, reuse_region);
    const double alone = fmax(count->fresh * SECTOR * reuse_region->alone, shared);

    if (!reuse_evicts_first(&reuse->code->instructions[i]))
        return shared;
    return alone - (alone - shared) * exp2(-reuse_region->wave / 2 / reuse->caches->l2_evict_first);
}

/* Of what is new to the block, the share that DRAM has brought along with what an earlier pass of the loop
 * asked for: it brings 64 bytes, of which a pass may ask for one sector. */
static double brought_along(const struct reuse *reuse, size_t i, const struct reuse_region *reuse_region)
{
    const struct phase *phase = phase_of(reuse, i);
    const double lines = phase_lines(phase) * reuse->out->counts[i].issued;
    const double of_line = lines > 0 ? phase->own / lines : 2; /* sectors that a pass asks for */

    return reuse_region->alone > 0 ? fmax(1 / reuse_region->alone - fmax(of_line, 1) / 2, 0) : 0;
}

/* Whether a load's requests ask for something new beside what others of the warp have asked for. */
static bool is_edge(const struct reuse *reuse, size_t i)
{
    const struct traffic_count *count = &reuse->out->counts[i];
    const struct reuse_parts parts = reuse_parts_of(reuse, i);

    return parts.same + parts.far > 0 &&
           count->own < 0.999 * count->late * count->sectors_once / count->requests;
}

/* Of what is new to a warp, the share that no other warp of the wave asks for; what it asks for at an edge
 * comes last. */
static double alone_of(const struct reuse *reuse, size_t i)
{
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);
    const double all = reuse->reuse_regions.wave_blocks * reuse->warps_per_block * SECTOR;
    const double alone = reuse_region->wave / all;

    if (is_edge(reuse, i))
        return fmin(fmax(alone - reuse_region->inner, 0) / reuse_region->edge, 1);
    return reuse_region->inner > 0 ? fmin(alone / reuse_region->inner, 1) : 1;
}

/* A warp waits for the last of its lanes. Of the requests that ask for nothing new, one whose lanes are in
 * several lines waits where any of them was lost. What lies at an edge neighbours ask for, too, as a whole
 * and at another time: it is waited for in proportion. Of what no other warp asks for, each line is in L2 or
 * not by itself, unless whole lines lie together; what others ask for, too, is there together. */
static void answer_requests(struct reuse *reuse, size_t i, double again, double ready)
{
    struct traffic_count *count = &reuse->out->counts[i];
    const double asked = count->sectors_once, requests = count->requests;
    const double lines = fmax(count->lines_once / requests, 1);
    const double late = fmin(fmax(count->late, fmax(asked - again, 0) * requests / asked), requests);
    const double kept = again > 0 ? fmin(ready / again, 1) : 0;
    const double waits = 1 - (1 - late / requests) * pow(kept, lines);
    const double missing = waits > 0 ? (asked - ready) / asked / waits * lines : 1;
    const double apart = asked < 2 * count->lines_once ? fmax(missing, 1) : 1;
    const double alone = alone_of(reuse, i), whole = is_edge(reuse, i) ? alone : 1;

    count->waits = whole * waits + (1 - whole) * (1 - count->l1_ready);
    count->waits_dram = 1 - alone * pow(count->l2_ready, apart) - (1 - alone) * count->l2_ready;
}

/* The share of a region's copies that is spared since other SMs of the same part of the GPU (GPC) copy the same at about the same
 * time: blocks go round the parts, so that as many as there are each fetch it once. On an NVIDIA H200 (all SMs, 24 KB under way
 * four times, B/cycle and SM, of which more than 52 never come): 37 of bytes that up to 7 SMs copy, 39, 44, 51 where it is
 * 8.3, 9.4, 11; where a third of the bytes is each SM's own 38, 41, 45, 50 with 8.3, 9.4, 11, 13. */
static double joined_far(const struct reuse *reuse, unsigned r)
{
    const struct reuse_region *reuse_region = &reuse->reuse_regions.reuse_region[r];
    const double together = reuse->reuse_regions.wave_blocks / fmax(reuse->caches->resident_blocks, 1);
    const double sharers = reuse_region->wave > 0 ? together * reuse_region->piece / reuse_region->wave : 1;

    return fmax(1 - reuse->caches->assumed->joining_parts / fmax(sharers, 1), 0);
}

/* Two SMs that share a way to L2 run neighbouring blocks. What both copy at about the same time is fetched
 * once: the share of an instruction's sectors that this spares. On an NVIDIA H200 (all SMs, 8 KB a copy, 128 KB
 * under way, B/cycle and SM): 32 of bytes that nobody else copies or that other blocks do, 52 of bytes that the
 * neighbour copies, 51 where it is a copy ahead, 40 where it is four ahead, 32 with sixteen. */
static double joined_copies(const struct reuse *reuse, size_t i)
{
    const struct sass *instruction = &reuse->code->instructions[i];
    const unsigned r = reuse->out->counts[i].region;
    const struct sharing *read = &reuse->reuse_regions.reuse_region[r].read;
    double beside;

    if (!sass_copies_in_bulk(instruction) || !r || !(read->own > 0))
        return 0;
    beside = read->ranks[0] > 1 ? 0 : fmin((read->x + read->halo) / read->own, 1) / 2;
    return fmin(fmax(beside, joined_far(reuse, r)), reuse->caches->assumed->joined_most);
}

static void add_fetched(struct traffic_count *count, const struct reuse_region *reuse_region, double bytes)
{
    count->dram_read += bytes;
    count->dram_scattered += bytes * reuse_region->scattered;
    count->dram_lone += bytes * (1 - reuse_region->scattered) * reuse_region->read_lone;
}

/* Of what is new to a warp of what the load reads, the share that no other warp of its block has brought: its own, or, of what
 * other instructions have, that of the whole region. */
static double share_alone(const struct reuse *reuse, size_t i)
{
    const struct traffic_count *count = &reuse->out->counts[i];
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);
    const double own = reuse_region->inner + reuse_region->edge;

    if (count->own > 0)
        return fmin(count->fresh / count->own, 1);
    return own > 0 ? fmin(reuse_region->fresh / own, 1) : 1;
}

/* Tells a load where it finds its data. A hit on a sector that another warp of the block has just missed
 * waits as long as that miss; what the warp itself has had is ready. */
static void answer(struct reuse *reuse, size_t i)
{
    struct traffic_count *count = &reuse->out->counts[i];
    struct phase *phase = phase_of(reuse, i);
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);
    const struct reuse_parts parts = reuse_parts_of(reuse, i);
    const struct found found = found_by(reuse, i, &parts);
    const double cached = traffic_is_cached(&reuse->code->instructions[i]) ? 1 : 0;
    const double asked = count->sectors_once;
    const double shared = parts.shared * (1 - found.apart), apart = parts.shared * found.apart;
    const double held = parts.last * found.last_l1 + parts.far * found.far_l1;
    const double dropped = held > 0 ? held * reuse_dropped(reuse, i) : 0;
    const double fetched = dropped * share_alone(reuse, i);
    const double ready = cached * parts.same + held - dropped + apart * found.apart_l1;
    const double last = parts.last * (1 - found.last_l1), far = parts.far * (1 - found.far_l1),
                 lost = apart * (1 - found.apart_l1);
    const double again = (1 - cached) * parts.same + last * found.last_l2 + far * found.far_l2 +
                         lost * found.apart_l2 + dropped;
    const double refetched =
        last * (1 - found.last_l2) + far * (1 - found.far_l2) + lost * (1 - found.apart_l2);
    const double there =
        reuse_region->ready + (1 - reuse_region->ready) * brought_along(reuse, i, reuse_region);

    count->waits = count->waits_dram = 1;
    count->joined = joined_copies(reuse, i);
    if (!(asked > 0))
        return;
    count->l1_hit = (cached * shared + dropped - fetched + ready) / asked;
    count->l1_ready = ready / asked;
    count->l2_merged = (1 - cached) * parts.same / asked;
    count->l2_ready = asked > ready ? ((parts.fresh + shared) * there + again) / (asked - ready) : 1;
    answer_requests(reuse, i, asked - parts.fresh - shared, ready);
    phase->first += asked - cached * parts.same;
    phase->late += asked - ready;
    phase->late_dram += (asked - ready) * (1 - count->l2_ready);
    count->dram_read = refetched * SECTOR * (1 + found.lone);
    count->dram_scattered = found.lone * count->dram_read;
    add_fetched(count, reuse_region, fetched_of(reuse, i, reuse_region));
}

/* What L2 has not it fetches before it adds to it: once, where it holds all that is added to, of which there is no copy. */
static void fetch_to_add(struct reuse *reuse, size_t i)
{
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);
    const double once = reuse_region->unique_written * reuse_region->pairs / reuse->out->warps;
    const double missed = share_of_missed(reuse, i, reuse_region);

    add_fetched(&reuse->out->counts[i], reuse_region,
                reuse_held_whole(reuse->caches, reuse_region->unique_written) ? fmin(missed, once) : missed);
}

static bool is_counted_for(const struct reuse *reuse, unsigned region)
{
    for (size_t i = 0; i < reuse->code->count; i++)
        if (reuse_reads(&reuse->code->instructions[i]) && reuse->out->counts[i].region == region)
            return true;
    return false;
}

/* An instruction that reads one region in some blocks and another one in others is counted for one of them: what DRAM brings of
 * the other comes with it. */
static void take_others(struct reuse *reuse)
{
    for (size_t i = 0; i < reuse->code->count; i++) {
        const unsigned other = reuse->out->counts[i].other_region;
        struct reuse_region *left = &reuse->reuse_regions.reuse_region[other];

        if (!other || !reuse_reads(&reuse->code->instructions[i]) || is_counted_for(reuse, other))
            continue;
        reuse_region_of(reuse, i)->missed += left->missed;
        left->missed = 0;
    }
}

int reuse_of(struct traffic *out, const struct sass_code *code, const struct emulate_result *result,
             const struct traffic_caches *caches, struct err *err)
{
    struct reuse reuse = {.out = out,
                          .code = code,
                          .result = result,
                          .caches = caches,
                          .warps_per_block = result->blocks[0].warps};
    int rc = reuse_regions_fetch(&reuse.reuse_regions, out->regions, caches, err);

    if (!rc)
        rc = phases_make(&reuse, err);
    if (!rc) {
        take_others(&reuse);
        for (size_t i = 0; i < code->count; i++)
            if (reuse_reads(&code->instructions[i]) && out->counts[i].sectors_once > 0)
                *(is_edge(&reuse, i) ? &reuse_region_of(&reuse, i)->edge
                                     : &reuse_region_of(&reuse, i)->inner) += out->counts[i].own;
        for (size_t i = 0; i < code->count; i++)
            if (reuse_reads(&code->instructions[i]))
                answer(&reuse, i);
            else if (reuse_adds(&code->instructions[i]))
                fetch_to_add(&reuse, i);
        out->loads = reuse_sum_loads(&reuse);
        out->dram = reuse_sum_dram(&reuse);
        out->touched = (struct traffic_touched){.read = reuse.reuse_regions.unique_read,
                                                .written = reuse.reuse_regions.unique_written,
                                                .read_most = reuse.reuse_regions.most_read,
                                                .written_most = reuse.reuse_regions.most_written,
                                                .wave_read = reuse.reuse_regions.wave_read};
        out->least = reuse_sum_least(&reuse);
    }
    reuse_regions_release(&reuse.reuse_regions);
    free(reuse.loops);
    free(reuse.entries);
    free(reuse.phases);
    return rc;
}

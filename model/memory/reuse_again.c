#include "model/memory/reuse_again.h"

#include "model/machine/assumptions.h"
#include "model/memory/reuse_left.h"
#include "model/sass/arch/geometry.h"

#include <math.h>

/* Share of a region's lines beyond which warps share none. */
#define NOBODY_ELSE 0.95

/* The share that L1 has of what warps go through again and again: what is touched more than once stays, and is gone
 * where all of it does not fit. */
static double kept_hot(const struct reuse *reuse, double times)
{
    const double end = reuse->caches->assumed->l1_swept;

    return fmin(fmax((end - times) / fmax(end - 1, 1e-9), 0), 1);
}

/* The share that L1 has of what was touched once while others come by: what was touched a second time stays, though
 * nobody wants it, and the new takes the place of the new. Of the lines between two touches half belong to passes
 * in which they are found again, a share h of them: those take no place. */
static double kept_new(const struct reuse *reuse, double times)
{
    const struct assumptions *assumed = reuse->caches->assumed;
    double h = 0;

    for (int k = 0; k < 30; k++)
        h = exp(-assumed->l1_streamed * fmax(times * (2 - h) / 2 - assumed->l1_spare, 0));
    return h;
}

/* Of what all loads come back to, the share that they do not say is to be evicted first then: it stays. */
static double find_staying(const struct reuse *reuse)
{
    double all = 0, stays = 0;

    for (size_t i = 0; i < reuse->code->count; i++)
        for (int bin = 0; bin < EMULATE_DISTANCES && reuse_reads(&reuse->code->instructions[i]); bin++) {
            const double sectors = reuse->result->again[i].sectors[bin];

            all += sectors;
            stays += reuse_evicts_first(&reuse->code->instructions[i]) ? 0 : sectors;
        }
    return all > 0 ? stays / all : 0;
}

/* Warps of the wave on one SM: a small grid does not fill it. */
static double warps_of(const struct reuse *reuse)
{
    const struct traffic_caches *caches = reuse->caches;
    const double blocks =
        fmin(caches->resident_blocks, reuse->reuse_regions.wave_blocks / fmax(caches->sms, 1));

    return fmax(blocks, 1) * reuse->warps_per_block;
}

/* Lines that a warp touches of a region: in a pass of the loop, or of all that it does. */
static double lines_of(const struct reuse *reuse, size_t loop, size_t z, bool pass)
{
    double own = 0;

    if (pass)
        return reuse->phases[loop * reuse->reuse_regions.count + z].lines;
    for (size_t l = 0; l < reuse->loop_count; l++)
        own += reuse->phases[l * reuse->reuse_regions.count + z].own;
    return own;
}

/* Of the lines that so many warps touch of a region, each by itself, the share that no other of them does: warps of a block
 * share, and what the wave touches, or a buffer has, is only so much. */
static double alone_of_region(const struct reuse *reuse, size_t z, double warps, bool wave)
{
    const struct reuse_region *reuse_region = &reuse->reuse_regions.reuse_region[z];
    const double own = lines_of(reuse, 0, z, false) * warps;
    const double most = (wave ? reuse_region->wave : (double)reuse_region->bytes) / SECTOR;

    return own > 0 ? fmin(fmin(reuse_region->fresh * warps, most) / own, 1) : 1;
}

/* The same of all lines between two accesses: of a pass of the load's loop, or of all that a warp does. */
static double find_alone(const struct reuse *reuse, size_t i, double warps, bool wave, bool pass)
{
    double each = 0, all = 0;

    for (size_t z = 1; z < reuse->reuse_regions.count; z++) {
        const double lines = lines_of(reuse, reuse->loops[i], z, pass);

        each += lines;
        all += lines * alone_of_region(reuse, z, warps, wave);
    }
    return each > 0 ? all / each : 1;
}

/* Lines of a region that a warp touches in so many requests (its working set: Denning, The working set model for program
 * behavior, 1968): each touch adds the requests until the line is come back to, up to that many. */
static double working_set(const struct reuse *reuse, size_t z, double requests)
{
    const struct emulate_returns *returns = &reuse->result->returns[z - 1];
    double sum = returns->first * requests;

    for (int bin = 0; bin < EMULATE_RETURNS; bin++)
        sum += fmin(returns->requests[bin], returns->lines[bin] * requests);
    return reuse->result->followed > 0 ? sum / reuse->result->followed : 0;
}

/* Of the lines of a region that so many warps touch in as many requests each, the share that no other of them does: where any of
 * them comes to any line, they touch together what one does in all their requests. */
static double alone_meanwhile(const struct reuse *reuse, size_t z, double warps, double requests)
{
    const double alone = alone_of_region(reuse, z, warps, false), own = working_set(reuse, z, requests);

    if (alone > NOBODY_ELSE || !(own > 0))
        return alone;
    return fmin(alone, working_set(reuse, z, warps * requests) / (warps * own));
}

/* By how much fewer lines than that there are where some of them are come to again and again by all warps. */
static double find_hot(const struct reuse *reuse, double warps, double requests)
{
    double all = 0, fewer = 0;

    for (size_t z = 1; z < reuse->reuse_regions.count && reuse->result->returns; z++) {
        const double own = working_set(reuse, z, requests);

        all += own * alone_of_region(reuse, z, warps, false);
        fewer += own * alone_meanwhile(reuse, z, warps, requests);
    }
    return all > 0 ? fewer / all : 1;
}

/* Different lines that a pass of the load's loop touches. */
static double pass_lines(const struct reuse *reuse, size_t i)
{
    double lines = 0;

    for (size_t z = 1; z < reuse->reuse_regions.count; z++)
        lines += phase_lines(&reuse->phases[reuse->loops[i] * reuse->reuse_regions.count + z]);
    return lines;
}

/* Of sectors that were seen to be touched again, those of one distance, and what is kept of them. */
static double kept_of(const struct reuse *reuse, const struct emulate_again *seen, int bin, double bytes,
                      double staying)
{
    const double times = bytes / fmax(reuse->caches->l1_bytes, 1);
    const double hot = kept_hot(reuse, times);
    const double fresh = staying * kept_new(reuse, times) + (1 - staying) * hot;
    const double found = hot < 1 ? fresh / (1 - hot + fresh) : 1; /* the time before */
    const double first = seen->first[bin] / seen->sectors[bin];

    return first * fresh + (1 - first) * (found * hot + (1 - found) * fresh);
}

double reuse_again_near(const struct reuse *reuse, size_t i, double lines)
{
    const struct emulate_again *seen = reuse->result->again ? &reuse->result->again[i] : NULL;
    double all = 0, near = 0;

    for (int bin = 0; bin < EMULATE_DISTANCES && seen; bin++) {
        all += seen->sectors[bin];
        near += seen->lines[bin] < lines * seen->sectors[bin] ? seen->sectors[bin] : 0;
    }
    return all > 0 ? near / all : 1;
}

/* Bytes that the wave touches before a warp comes back. */
static double between(const struct reuse *reuse, size_t i, double lines, bool near)
{
    const double wave = reuse->reuse_regions.wave_blocks * reuse->warps_per_block;
    const struct traffic_count *count = &reuse->out->counts[i];
    const double unit = count->sectors_once < 2 * count->lines_once ? 2 * SECTOR : LINE;

    return near ? phase_bytes(reuse, reuse->loops[i], wave, 2 * SECTOR)
                : lines * unit * wave * find_alone(reuse, i, wave, true, false);
}

/* What becomes of sectors that come back after so many lines. */
static void add_kept(struct reuse_again *out, const struct reuse *reuse, size_t i, int bin, double sectors)
{
    const struct emulate_again *seen = &reuse->result->again[i];
    const double lines = seen->lines[bin] / seen->sectors[bin], warps = warps_of(reuse);
    const bool near = lines < 2 * pass_lines(reuse, i); /* a pass or two ago, not an earlier loop */
    const double hot = find_hot(reuse, warps, seen->requests[bin] / seen->sectors[bin]);
    const double bytes = lines * warps * find_alone(reuse, i, warps, false, near) * hot * LINE;
    const double l1 = traffic_is_cached(&reuse->code->instructions[i])
                          ? kept_of(reuse, seen, bin, bytes, find_staying(reuse))
                          : 0;
    const double l2 =
        reuse_kept_l2(reuse->caches, reuse_evicted_first_of(reuse, i), between(reuse, i, lines, near));

    out->l1 += sectors * l1;
    out->l2 += sectors * (1 - l1) * l2;
    out->near += near ? sectors * (1 - l1) * (1 - l2) : 0;
}

struct reuse_again reuse_again_of(const struct reuse *reuse, size_t i, double again, double same)
{
    const struct emulate_again *seen = reuse->result->again ? &reuse->result->again[i] : NULL;
    struct reuse_again out = {0};
    double all = 0, left, missed;

    for (int bin = 0; bin < EMULATE_DISTANCES && seen; bin++)
        all += seen->sectors[bin];
    if (!(all > 0) || !(again > same))
        return out;
    left = all * same / again;
    for (int bin = 0; bin < EMULATE_DISTANCES; bin++) {
        if (seen->sectors[bin] > left)
            add_kept(&out, reuse, i, bin, seen->sectors[bin] - left);
        left = fmax(left - seen->sectors[bin], 0);
    }
    all *= 1 - same / again;
    missed = all - out.l1;
    out.known = true;
    out.near = missed > out.l2 ? fmin(out.near / (missed - out.l2), 1) : 0;
    out.l2 = missed > 0 ? fmin(out.l2 / missed, 1) : 1;
    out.l1 = fmin(out.l1 / all, 1);
    return out;
}

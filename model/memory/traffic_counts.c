#include "model/memory/traffic_counts.h"

#include "model/machine/assumptions.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9 /* an error that is none */

static void add_count(struct traffic_count *out, const struct emulate_count *count, double weight)
{
    out->issued += weight * (double)count->issued;
    out->requests += weight * (double)count->requests;
    out->lanes += weight * (double)count->lanes;
    out->bytes += weight * (double)count->bytes;
    out->sectors += weight * (double)count->sectors;
    out->lines += weight * (double)count->lines;
    out->places += weight * (double)count->places;
    out->sectors_once += weight * (double)count->sectors_once;
    out->lines_once += weight * (double)count->lines_once;
    out->wavefronts += weight * (double)count->wavefronts;
    out->passes += weight * (double)count->passes;
    out->filled += weight * (double)count->filled;
    out->askew_sectors += weight * (double)count->askew_sectors;
    out->askew_lines += weight * (double)count->askew_lines;
    out->remote_lines += weight * (double)count->remote_lines;
    out->remote_sectors += weight * (double)count->remote_sectors;
    out->remote_parts += weight * (double)count->remote_parts;
    out->delivered += weight * (double)(count->bytes * count->receivers);
}

/* Requests of the first warp from its load of a sector to its next; 0 where most such were not looked at: in loops that go
 * on evenly they are not executed one by one. */
static double requests_between(const struct emulate_count *count, const struct emulate_touch *touch)
{
    const double sectors = count->requests ? (double)count->sectors_once / (double)count->requests : 0;
    const double again = sectors * (double)touch->led - (double)touch->own;

    return touch->came_back && 2 * (double)touch->came_back > again
               ? (double)touch->between / (double)touch->came_back
               : 0;
}

/* What a request of the first warp touches anew stands for those of the others. */
static void add_touch(struct traffic_count *out, const struct emulate_count *count,
                      const struct emulate_touch *touch, double warps, double weight)
{
    const double requests = (double)count->requests;
    const double own = touch->led ? (double)touch->own / (double)touch->led * requests : 0;
    const double late = touch->led ? (double)touch->late / (double)touch->led * requests : 0;

    out->fresh += weight * (double)touch->fresh;
    out->own += weight * fmax(own, (double)touch->fresh);
    out->late += weight * late;
    out->apart += touch->shared ? weight * (double)touch->apart / (double)touch->shared * requests : 0;
    out->between += weight * requests_between(count, touch) * requests;
    if (out->region && touch->region && touch->region != out->region)
        out->other_region = out->region;
    out->region = touch->region ? touch->region : out->region;
    out->table_lines = fmax(out->table_lines, (double)touch->table_lines);
    out->table_first = touch->table_lines ? touch->table_first : out->table_first;
    out->table_moves += weight * warps * (double)touch->table_moves;
    out->jumped += weight * (double)touch->jumped;
}

/* Most instructions access nothing: of these there is but how often they are issued. */
static bool accesses(const struct emulate_count *count, const struct emulate_touch *touch)
{
    return count->requests || count->bytes || touch->region || touch->table_lines;
}

static bool same_counts(const struct emulate_block *a, const struct emulate_block *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a->counts[i].issued != b->counts[i].issued)
            return false;
    return a->warps == b->warps;
}

/* What every warp issues at the least, as a mean: where blocks differ, what all of those that were looked at
 * issue, or what the interval around the mean begins with; else the least of the blocks. */
static void take_least(struct traffic *out, const struct emulate_result *result)
{
    const double sure = result->parted ? assumptions_default.parted_least : 1;

    for (size_t i = 0; i < result->instruction_count; i++) {
        struct traffic_count *count = &out->counts[i];

        if (result->certain) {
            count->least_issued =
                sure * fmin(fmax(result->certain[i] / out->warps, (1 - result->work_error) * count->issued),
                            count->issued);
            continue;
        }
        count->least_issued = INFINITY;
        for (size_t b = 0; b < result->block_count; b++)
            count->least_issued = fmin(count->least_issued,
                                       (double)result->blocks[b].counts[i].issued / result->blocks[b].warps);
        count->least_issued *= sure * fmax(1 - result->work_error, 0);
    }
}

static void sum_blocks(struct traffic *out, const struct emulate_result *result)
{
    double warps = 0;

    for (size_t b = 0; b < result->block_count; b++)
        warps += result->blocks[b].weight * result->blocks[b].warps;
    out->blocks_equal = !(result->unproven > 0);
    for (size_t b = 0; b < result->block_count; b++) {
        const struct emulate_block *block = &result->blocks[b];
        const double weight = block->weight / warps;

        out->blocks_equal &= same_counts(block, &result->blocks[0], result->instruction_count);
        for (size_t i = 0; i < result->instruction_count; i++) {
            struct traffic_count *count = &out->counts[i];

            if (accesses(&block->counts[i], &block->touches[i])) {
                add_count(count, &block->counts[i], weight);
                add_touch(count, &block->counts[i], &block->touches[i], block->warps, weight);
            } else {
                count->issued += weight * (double)block->counts[i].issued;
            }
        }
    }
    for (size_t i = 0; i < result->instruction_count; i++) {
        out->counts[i].apart /= fmax(out->counts[i].requests, 1e-9);
        out->counts[i].between /= fmax(out->counts[i].requests, 1e-9);
    }
}

/* How often the grid executes an instruction is known better than by the blocks that were executed: what
 * they access stands for each time. */
static void take_expected(struct traffic_count *count, double issued)
{
    const double times = count->issued > 0 ? issued / count->issued : 0;
    double *const figures[] = {&count->requests,     &count->lanes,          &count->bytes,
                               &count->sectors,      &count->lines,          &count->wavefronts,
                               &count->passes,       &count->filled,         &count->delivered,
                               &count->sectors_once, &count->lines_once,     &count->fresh,
                               &count->own,          &count->late,           &count->table_moves,
                               &count->remote_lines, &count->remote_sectors, &count->jumped,
                               &count->remote_parts, &count->askew_sectors,  &count->askew_lines,
                               &count->places};

    count->issued = issued;
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        *figures[k] *= times;
}

/* What the accesses of memory are counted by, as far as bounds and estimates go by it. */
enum figure { REQUESTS, LANES_ACTIVE, BYTES, SECTORS, LINES, WAVEFRONTS, PASSES, FIGURES };

struct figures {
    double of[FIGURES];
    bool some; /* of a mean: one of them is not 0 */
};

static struct figures figures_of(const struct emulate_count *count)
{
    return (struct figures){.of = {[REQUESTS] = (double)count->requests,
                                   [LANES_ACTIVE] = (double)count->lanes,
                                   [BYTES] = (double)count->bytes,
                                   [SECTORS] = (double)count->sectors,
                                   [LINES] = (double)count->lines,
                                   [WAVEFRONTS] = (double)count->wavefronts,
                                   [PASSES] = (double)count->passes}};
}

/* Of each figure: the sum over the grid, and what the blocks that were not executed add to the uncertainty. */
struct spread {
    double all, squares, most;
};

/* What a block accesses beyond or below what its instructions do at the mean. */
static void add_block(struct spread spread[FIGURES], const struct figures *means,
                      const struct emulate_block *block, size_t count)
{
    double off[FIGURES] = {0};

    for (size_t i = 0; i < count; i++) {
        struct figures own;

        if (!means[i].some)
            continue;
        own = figures_of(&block->counts[i]);
        for (int f = 0; f < FIGURES; f++) {
            off[f] += own.of[f] - means[i].of[f] * (double)block->counts[i].issued;
            spread[f].all += block->weight * own.of[f];
        }
    }
    for (int f = 0; f < FIGURES; f++) {
        spread[f].squares += block->weight * fmax(block->weight - 1, 0) * off[f] * off[f];
        spread[f].most = fmax(spread[f].most, fabs(off[f]));
    }
}

/* Of what an instruction accesses each time it is issued, the mean over the grid. */
static void find_means(struct figures *means, const struct emulate_result *result)
{
    for (size_t i = 0; i < result->instruction_count; i++) {
        struct figures own;
        double issued = 0;

        for (size_t b = 0; b < result->block_count; b++) {
            const struct emulate_block *block = &result->blocks[b];

            issued += block->weight * (double)block->counts[i].issued;
            if (!accesses(&block->counts[i], &block->touches[i]))
                continue;
            own = figures_of(&block->counts[i]);
            for (int f = 0; f < FIGURES; f++)
                means[i].of[f] += block->weight * own.of[f];
            means[i].some = true;
        }
        for (int f = 0; f < FIGURES && issued > 0; f++)
            means[i].of[f] /= issued;
    }
}

/* Half the width of the interval around what is counted: standard deviations of the sum, more where few
 * blocks tell how much that is. Of n blocks that were looked at none is so rare that it is less than a share
 * 3 / n of all: others may differ as far as the one that differs most or, where loaded values decide and all
 * of the n are alike, by all that a block accesses. */
static double find_error(const struct spread spread[FIGURES], double deviations, double blocks, double all,
                         bool loaded)
{
    const double few = 1 + 4 / fmax(blocks - 1, 1), unseen = fmax(all - blocks, 0);
    double error = 0;

    for (int f = 0; f < FIGURES; f++) {
        const double chance = deviations * few * sqrt(spread[f].squares * blocks / fmax(blocks - 1, 1));
        const bool alike = spread[f].most * all <= ROUNDING * spread[f].all;
        const double other = loaded && alike ? spread[f].all / all : spread[f].most;
        const double rare = 3 / blocks * unseen * other;

        if (spread[f].all > 0)
            error = fmax(error, (chance + rare) / spread[f].all);
    }
    return error > ROUNDING ? error : 0;
}

static int take_error(struct traffic *out, const struct emulate_result *result, double deviations,
                      struct err *err)
{
    struct figures *means = calloc(result->instruction_count + 1, sizeof *means);
    struct spread spread[FIGURES] = {{0}};
    double blocks = 0, all = 0;

    if (!means)
        return err_memory(err);
    find_means(means, result);
    for (size_t b = 0; b < result->block_count; b++) {
        if (result->blocks[b].last_of_all) /* no other is like it */
            continue;
        add_block(spread, means, &result->blocks[b], result->instruction_count);
        blocks += result->blocks[b].weight > 0;
        all += result->blocks[b].weight;
    }
    out->access_error = find_error(spread, deviations, blocks, all, result->loaded);
    free(means);
    return 0;
}

int traffic_take_counts(struct traffic *out, const struct emulate_result *result, double deviations,
                        struct err *err)
{
    sum_blocks(out, result);
    for (size_t i = 0; i < result->instruction_count && result->expected; i++)
        take_expected(&out->counts[i], result->expected[i] / out->warps);
    take_least(out, result);
    return take_error(out, result, deviations, err);
}

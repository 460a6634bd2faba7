#include "model/predict/schedule.h"

#include "model/predict/block_order.h"
#include "model/predict/places.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SIMULATED_WAVES = 32 };

void schedule_of(struct schedule *out, double blocks, double sms, double blocks_per_sm)
{
    const double places = sms * blocks_per_sm;

    *out = (struct schedule){0};
    out->full = floor(blocks / places);
    out->rest = blocks - out->full * places;
    if (out->rest > 0) {
        out->rest_per_sm = ceil(out->rest / sms);
        out->rest_sms = out->rest / out->rest_per_sm;
    }
    out->count = out->full + (out->rest > 0);
    out->filled_share = blocks / (out->count * places);
}

double schedule_held(double period_cycles, double replace_cycles, double dispatch_cycles, double places)
{
    const double held = fmax(period_cycles - replace_cycles, 0);

    return held / fmax(period_cycles, dispatch_cycles * places);
}

/* SMs that hold as many blocks each, begun together. */
struct sm_group {
    double sms, weight;
    double held, left; /* blocks of each, in units of blocks_per_sm; what of them is to be done */
    double rate;       /* of `left` */
};
enum { SM_GROUPS = 2 };

/* The most that one of its SMs does by itself. */
static double most_of(const struct sm_group *group, const struct shared_sms *in)
{
    return group->held / fmax(in->block_cycles, in->alone_cycles * group->held);
}

/* What limits all is shared by weight; a group that cannot take its part leaves it to the others. */
static void share_out(struct sm_group *groups, const struct shared_sms *in)
{
    bool full[SM_GROUPS] = {false};

    for (int round = 0; round < SM_GROUPS; round++) {
        double rest = in->sms / in->wave_cycles, weights = 0;

        for (int g = 0; g < SM_GROUPS; g++) {
            rest -= full[g] ? groups[g].sms * groups[g].rate : 0;
            weights += full[g] || !(groups[g].left > 0) ? 0 : groups[g].sms * groups[g].weight;
        }
        for (int g = 0; g < SM_GROUPS; g++)
            if (groups[g].left > 0 && !full[g]) {
                groups[g].rate = rest * groups[g].weight / weights;
                full[g] = groups[g].rate > most_of(&groups[g], in);
                groups[g].rate = fmin(groups[g].rate, most_of(&groups[g], in));
            }
    }
}

static void take_blocks(struct sm_group *group, double *blocks, const struct shared_sms *in)
{
    const double most = in->blocks_per_sm * group->sms, taken = fmin(*blocks, most);

    *blocks -= taken;
    group->left = group->held = most > 0 ? taken / most : 0;
}

double schedule_shared(const struct shared_sms *in)
{
    struct sm_group groups[SM_GROUPS] = {{.sms = in->favoured, .weight = in->favour},
                                         {.sms = in->sms - in->favoured, .weight = 1}};
    double blocks = in->blocks, cycles = 0;

    for (int g = 0; g < SM_GROUPS; g++)
        take_blocks(&groups[g], &blocks, in);
    for (;;) {
        double step = INFINITY;

        share_out(groups, in);
        for (int g = 0; g < SM_GROUPS; g++)
            step = groups[g].left > 0 ? fmin(step, groups[g].left / groups[g].rate) : step;
        if (isinf(step))
            return cycles;
        cycles += step;
        for (int g = 0; g < SM_GROUPS; g++) {
            const bool ends = groups[g].left > 0 && groups[g].left / groups[g].rate <= step;

            groups[g].left -= groups[g].left > 0 ? groups[g].rate * step : 0;
            if (ends)
                take_blocks(&groups[g], &blocks, in);
        }
    }
}

/* Puts `end` into the place that became free first: the root of a heap of end times, earliest on top. */
static void replace_earliest(double *ends, size_t n, double end)
{
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < n && ends[child + 1] < ends[child])
            child++;
        if (child >= n || ends[child] >= end)
            break;
        ends[at] = ends[child];
        at = child;
    }
    ends[at] = end;
}

static double longest(const double *cycles, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, cycles[i]);
    return most;
}

static int check(const double *cycles, size_t samples, size_t warps, size_t blocks,
                 const struct places *places, struct err *err)
{
    if (!samples || !warps || !blocks || !places->sms || !places->per_sm)
        return err_set(err, ERR_USAGE, "imbalance needs at least one sample, warp, block and place");
    for (size_t i = 0; i < samples * warps; i++)
        if (!(cycles[i] > 0 && isfinite(cycles[i])))
            return err_set(err, ERR_USAGE,
                           "warp %zu of sampled block %zu lasts %g cycles: a positive number is meant",
                           i % warps, i / warps, cycles[i]);
    return 0;
}

static void decompose(struct imbalance *out, const double *cycles, size_t samples, size_t warps, double share,
                      double filled_share)
{
    double mean = 0, longest_sum = 0;

    for (size_t i = 0; i < samples; i++)
        longest_sum += longest(cycles + i * warps, warps) * (double)warps;
    for (size_t i = 0; i < samples * warps; i++)
        mean += cycles[i];
    out->within_block = mean / longest_sum;
    out->too_few =
        fmax(filled_share, share); /* unequal blocks may fill the last wave better than equal ones */
    out->between_blocks = share / out->too_few;
    out->achieved = share * out->within_block;
}

/* Of the last `count` of `blocks`, as long as their longest warps: those of the samples in turn, or as `order` has it. */
static double *block_lengths(const double *cycles, size_t samples, size_t warps, size_t blocks, size_t count,
                             const struct block_order *order)
{
    double *lengths = calloc(count, sizeof *lengths);

    for (size_t b = 0; lengths && b < count; b++)
        lengths[b] = order && order->count ? block_order_cycles(order, blocks - count + b)
                                           : longest(cycles + b % samples * warps, warps);
    return lengths;
}

int imbalance_of(struct imbalance *out, const double *cycles, size_t samples, size_t warps, size_t blocks,
                 const struct places *places, const struct block_order *order, struct err *err)
{
    const size_t all = places->sms * places->per_sm;
    const size_t simulated = blocks / SIMULATED_WAVES < all ? blocks : SIMULATED_WAVES * all;
    struct schedule schedule;
    double *lengths, held, held_equal, sum = 0, length, equal, before;

    *out = (struct imbalance){0};
    if (check(cycles, samples, warps, blocks, places, err))
        return ERR_USAGE;
    lengths = block_lengths(cycles, samples, warps, blocks, simulated, order);
    if (!lengths)
        return err_memory(err);
    for (size_t b = 0; b < simulated; b++)
        sum += lengths[b];
    length = sum / (double)simulated;
    out->makespan = places_run(&held, places, lengths, simulated, simulated);
    equal = places_run(&held_equal, places, &length, 1, simulated);
    free(lengths);
    if (held < 0 || held_equal < 0)
        return err_memory(err);
    before = (double)(blocks - simulated) / (double)simulated * equal;
    out->makespan += before;
    out->stretch = fmax(out->makespan / (equal + before), 1);
    schedule_of(&schedule, (double)blocks, (double)places->sms, (double)places->per_sm);
    held = (held + before * held_equal / equal) / out->makespan / (held_equal / equal);
    decompose(out, cycles, samples, warps, schedule.filled_share * held, schedule.filled_share);
    return 0;
}

/* Hands out piece `round` of each block that has one; their sum. */
static double hand_out(double *ends, const struct pieces *pieces, size_t samples, size_t blocks, size_t round)
{
    double sum = 0;

    for (size_t b = 0; b < blocks; b++) {
        const struct pieces *own = &pieces[b * samples / blocks];

        if (round >= own->count)
            continue;
        sum += own->length[round];
        replace_earliest(ends, blocks, ends[0] + own->length[round]);
    }
    return sum;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Until all have ended, in units of what a place does with all of them at work, of which `needed` do as much. */
static double drain(double *ends, size_t n, double needed)
{
    double sum = 0, before = 0;

    qsort(ends, n, sizeof *ends, by_size);
    for (size_t k = 0; k < n; k++) {
        sum += (ends[k] - before) * fmax((double)(n - k), needed);
        before = ends[k];
    }
    return sum;
}

int imbalance_tickets(struct imbalance *imbalance, const struct pieces *pieces, size_t samples, size_t blocks,
                      double needed, struct err *err)
{
    double *ends = calloc(blocks, sizeof *ends), sum = 0, last, drained;
    size_t rounds = 0;

    if (!ends)
        return err_memory(err);
    for (size_t s = 0; s < samples; s++)
        rounds = pieces[s].count > rounds ? pieces[s].count : rounds;
    for (size_t b = 0; b < blocks; b++) {
        const double before = pieces[b * samples / blocks].before;

        sum += before;
        replace_earliest(ends, blocks, before);
    }
    for (size_t round = 0; round < rounds; round++)
        sum += hand_out(ends, pieces, samples, blocks, round);
    last = longest(ends, blocks);
    drained = drain(ends, blocks, fmin(needed, (double)blocks));
    free(ends);
    if (!(sum > 0))
        return 0;
    imbalance->stretch = drained / sum;
    imbalance->between_blocks = sum / (last * (double)blocks);
    imbalance->achieved = imbalance->too_few * imbalance->between_blocks * imbalance->within_block;
    return 0;
}

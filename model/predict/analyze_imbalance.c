#include "model/predict/analyze_work.h"
#include "model/predict/block_order.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIMULATED_BLOCKS = 64
}; /* slots that the sampled blocks fill by their weight when unequal ones are simulated */

/* The sampled block that stands for slot s of SIMULATED_BLOCKS. */
static const struct emulate_block *slot_block(const struct emulate_result *emulation, double total, int s)
{
    double before = 0;
    size_t b;

    for (b = 0; b + 1 < emulation->block_count; b++) {
        before += emulation->blocks[b].weight;
        if (before > total * (s + 0.5) / SIMULATED_BLOCKS)
            break;
    }
    return &emulation->blocks[b];
}

/* Equal warps and blocks lose nothing but the places of the last wave. */
static void no_imbalance(struct analyze_work *work)
{
    struct schedule schedule;

    schedule_of(&schedule, work->out->input.residency.blocks, work->out->input.residency.sms,
                work->out->input.residency.blocks_per_sm);
    work->out->imbalance =
        (struct imbalance){.too_few = schedule.filled_share,
                           .between_blocks = 1,
                           .within_block = 1,
                           .achieved = schedule.filled_share,
                           .makespan = schedule.count * work->out->input.latency.bound_cycles,
                           .stretch = 1};
}

bool analyze_ends_together(const struct analyze_work *work)
{
    const struct traffic *traffic = &work->out->traffic;
    double met = 0;

    for (size_t i = 0; i < traffic->instruction_count; i++)
        met += work->ops.barriers[i] ? traffic->counts[i].issued : 0;
    return met > 1;
}

/* What a block did with each number that it took, in warp instructions. */
static void find_pieces(struct pieces *out, double *length, const struct emulate_block *block)
{
    *out = (struct pieces){(double)block->ticket_end, length, block->ticket_count};
    if (block->ticket_count)
        out->before = (double)block->tickets[0];
    for (size_t k = 0; k < block->ticket_count; k++)
        length[k] = (double)((k + 1 < block->ticket_count ? block->tickets[k + 1] : block->ticket_end) -
                             block->tickets[k]);
}

/* Where a counter hands out work, no block waits for the one that got most of it. */
static int deal_out(struct analyze_work *work, double total)
{
    const struct emulate_result *emulation = &work->out->emulation;
    const double blocks = work->out->input.residency.blocks;
    struct pieces pieces[SIMULATED_BLOCKS];
    size_t count = 0, used = 0;
    double *lengths;
    int rc;

    for (int s = 0; s < SIMULATED_BLOCKS; s++)
        count += slot_block(emulation, total, s)->ticket_count;
    lengths = calloc(count + 1, sizeof *lengths);
    if (!lengths)
        return err_memory(work->err);
    for (int s = 0; s < SIMULATED_BLOCKS; s++) {
        find_pieces(&pieces[s], lengths + used, slot_block(emulation, total, s));
        used += pieces[s].count;
    }
    rc = imbalance_tickets(&work->out->imbalance, pieces, SIMULATED_BLOCKS, (size_t)blocks,
                           blocks * work->needed_share, work->err);
    free(lengths);
    return rc;
}

/* Blocks of an SM, of `length` cycles in the mean where they are alone, that get as much done as all that it holds. */
static double find_needed(const struct analyze_work *work, double length)
{
    const struct predict_input *in = &work->out->input;
    const double most = in->residency.blocks_per_sm;
    const double held = fmin(most, ceil(in->residency.blocks / in->residency.sms));
    const double waves = in->residency.blocks / (in->residency.sms * held);
    const double among = fmax(in->simulated.wave_cycles, predict_bounds(in) / waves);

    return among > 0 ? fmax(fmin(held * length / among, most), 1) : most;
}

/* How long each of the grid's blocks lasts, as far as its coordinates say so. */
static int find_order(struct block_order *out, struct analyze_work *work)
{
    const struct emulate_result *emulation = &work->out->emulation;
    const size_t count = emulation->block_count;
    unsigned(*positions)[3] = calloc(count, sizeof *positions);
    double *cycles = calloc(count, sizeof *cycles);
    size_t known = 0;
    int rc;

    for (size_t b = 0; positions && cycles && b < count; b++) {
        const struct emulate_block *block = &emulation->blocks[b];

        if (block->last_of_all)
            continue;
        memcpy(positions[known], block->position, sizeof *positions);
        cycles[known++] = expect_longest_path(work, block);
    }
    rc = positions && cycles ? block_order_of(out, work->launch->grid, (const unsigned(*)[3])positions,
                                              cycles, known, work->err)
                             : err_memory(work->err);
    free(positions);
    free(cycles);
    return rc;
}

int analyze_imbalance(struct analyze_work *work)
{
    const struct residency *at = &work->out->input.residency;
    const struct emulate_result *emulation = &work->out->emulation;
    const unsigned warps = emulation->blocks[0].warps;
    const bool together = analyze_ends_together(work);
    struct places places = {.sms = (size_t)at->sms,
                            .per_sm = (size_t)at->blocks_per_sm,
                            .spread = work->machine->assumptions.blocks_spread};
    double cycles[SIMULATED_BLOCKS * LANES], total = 0, sum = 0;
    struct block_order order = {0};
    int rc;

    if (emulation->path_count == 1) {
        no_imbalance(work);
        return 0;
    }
    for (size_t b = 0; b < emulation->block_count; b++)
        total += emulation->blocks[b].weight;
    for (int s = 0; s < SIMULATED_BLOCKS; s++) {
        const struct emulate_block *block = slot_block(emulation, total, s);

        const double longest = expect_longest_path(work, block);

        sum += longest;
        for (unsigned w = 0; w < warps; w++)
            cycles[s * (int)warps + (int)w] = together ? longest : fmax(work->paths[block->paths[w]].last, 1);
    }
    places.needed = find_needed(work, sum / SIMULATED_BLOCKS);
    rc = find_order(&order, work);
    if (!rc)
        rc = imbalance_of(&work->out->imbalance, cycles, SIMULATED_BLOCKS, warps, (size_t)at->blocks, &places,
                          &order, work->err);
    block_order_release(&order);
    return rc || !emulation->tickets ? rc : deal_out(work, total);
}

#include "model/predict/analyze_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share of all warps that take each path. */
static double path_share(const struct emulate_result *emulation, size_t path)
{
    double taken = 0, warps = 0;

    for (size_t b = 0; b < emulation->block_count; b++) {
        const struct emulate_block *block = &emulation->blocks[b];

        for (unsigned w = 0; w < block->warps; w++)
            taken += block->paths[w] == path ? block->weight : 0;
        warps += block->weight * block->warps;
    }
    return taken / warps;
}

static void add_account(struct replay_account *sum, const struct replay_account *own, double share)
{
    for (size_t i = 0; i < own->count; i++) {
        sum->waited[i] += share * own->waited[i];
        sum->blamed[i] += share * own->blamed[i];
    }
}

static int find_path(struct analyze_work *work, size_t p, struct err *why)
{
    struct analysis *out = work->out;
    const double share = path_share(&out->emulation, p);
    struct replay_account account = {0};
    int rc = 0, c;

    if (work->options->account)
        rc = replay_account_init(&account, out->code.count, why);
    if (!rc)
        rc = replay_path(&work->paths[p], &work->ops, &out->emulation.paths[p],
                         work->options->account ? &account : NULL, why);
    if (!rc) {
        for (c = 0; c < REPLAY_CAUSES; c++)
            out->waited[c] += share * work->paths[p].waited[c];
        out->waited_shared += share * work->paths[p].waited_level[MACHINE_SHARED];
        out->waited_l2 += share * work->paths[p].waited_level[MACHINE_GLOBAL];
        out->path_cycles += share * work->paths[p].last;
        if (work->options->account)
            add_account(&out->account, &account, share);
    }
    replay_account_release(&account);
    return rc;
}

/* Parts the wait for global memory by where the data was: as the latencies weigh. */
static void part_levels(struct analyze_work *work)
{
    struct analysis *out = work->out;
    const double waited = out->waited_l2;
    const double l1 = out->traffic.loads.from_l1 * machine_or_0(work->machine, DEVICE_L1_LATENCY);
    const double l2 = out->traffic.loads.from_l2 * machine_or_0(work->machine, DEVICE_L2_LATENCY);
    const double dram = out->traffic.loads.from_dram * machine_or_0(work->machine, DEVICE_DRAM_LATENCY);

    if (!(l1 + l2 + dram > 0))
        return;
    out->waited_l1 = waited * l1 / (l1 + l2 + dram);
    out->waited_l2 = waited * l2 / (l1 + l2 + dram);
    out->waited_dram = waited * dram / (l1 + l2 + dram);
}

double expect_longest_path(const struct analyze_work *work, const struct emulate_block *block)
{
    double longest = 1;

    for (unsigned w = 0; w < block->warps; w++)
        longest = fmax(longest, work->paths[block->paths[w]].last);
    return longest;
}

/* Mean over blocks of the time from a block's start to its successor's. */
static double block_cycles(const struct analyze_work *work)
{
    const struct emulate_result *emulation = &work->out->emulation;
    double sum = 0, weight = 0;

    for (size_t b = 0; b < emulation->block_count; b++) {
        const struct emulate_block *block = &emulation->blocks[b];

        sum += block->weight * (expect_longest_path(work, block) + work->out->replace_cycles);
        weight += block->weight;
    }
    return sum / weight;
}

/* Of all that were executed: there is such a block in the grid, whatever it stands for. */
static double longest_cycles(const struct analyze_work *work)
{
    const struct emulate_result *emulation = &work->out->emulation;
    double longest = 0;

    for (size_t b = 0; b < emulation->block_count; b++)
        if (!emulation->blocks[b].last_of_all)
            longest = fmax(longest, expect_longest_path(work, &emulation->blocks[b]));
    return longest;
}

/* How much longer than the others the block takes that comes last of all. */
static double last_cycles(const struct analyze_work *work)
{
    const struct emulate_result *emulation = &work->out->emulation;
    double cycles = 0;

    for (size_t b = 0; b < emulation->block_count; b++)
        if (emulation->blocks[b].last_of_all)
            cycles = expect_longest_path(work, &emulation->blocks[b]) + work->out->replace_cycles -
                     block_cycles(work);
    return fmax(cycles, 0);
}

static void add_level(struct latency *latency, enum resource resource, double cycles,
                      const struct saturation_mix *mix)
{
    if (!(cycles > 0))
        return;
    latency->level[latency->levels].resource = resource;
    latency->level[latency->levels].cycles = cycles;
    latency->level[latency->levels].mix = *mix;
    latency->levels++;
}

/* What an earlier call has found. */
static void forget(struct analyze_work *work)
{
    struct analysis *out = work->out;

    replay_code_release(&work->ops);
    replay_account_release(&out->account);
    free(work->paths);
    work->paths = NULL;
    memset(out->waited, 0, sizeof out->waited);
    out->waited_shared = out->waited_l1 = out->waited_l2 = out->waited_dram = out->path_cycles = 0;
    out->input.latency = (struct latency){0};
}

int analyze_latency(struct analyze_work *work)
{
    struct analysis *out = work->out;
    struct latency *latency = &out->input.latency;
    struct saturation_mix dram;
    struct err why = {0};
    int rc;

    forget(work);
    rc = replay_code_init(&work->ops, work->machine, &out->code, &out->traffic,
                          out->occupancy.warps_per_block, &why);
    if (rc == ERR_MISSING && work->ops.missing_pc) {
        out->at_code = true;
        out->pc = work->ops.missing_pc;
    }
    if (rc)
        return analyze_refuse(work, rc, &why);
    if (work->options->account && replay_account_init(&out->account, out->code.count, work->err))
        return ERR_MEMORY;
    out->demands.assumptions |= work->ops.assumptions;
    work->paths = calloc(out->emulation.path_count + 1, sizeof *work->paths);
    if (!work->paths)
        return err_memory(work->err);
    for (size_t p = 0; p < out->emulation.path_count; p++)
        if ((rc = find_path(work, p, &why)) != 0)
            return analyze_refuse(work, rc, &why);
    part_levels(work);
    out->barrier_cycles = work->ops.barrier_cycles;
    out->replace_cycles = machine_or_0(work->machine, DEVICE_BLOCK_REPLACE);
    latency->bound_cycles = block_cycles(work);
    latency->longest_cycles = longest_cycles(work);
    latency->last_cycles = last_cycles(work);
    dram = machine_dram_mix(work->machine, out->traffic.dram.read, out->traffic.dram.written);
    add_level(latency, RESOURCE_DRAM_READ, out->waited_dram, &dram);
    add_level(latency, RESOURCE_L2, out->waited_l2, &(struct saturation_mix){.curve = work->machine->l2});
    add_level(latency, RESOURCE_SHARED, out->waited_shared,
              &(struct saturation_mix){.curve = work->machine->shared});
    return 0;
}

#include "model/traffic.h"

#include "model/traffic_cache.h"

#include <math.h>
#include <stdlib.h>

/* Sums over the sample, each block with its weight. */
struct total {
    double issued, requests, lanes, bytes, sectors, lines, wavefronts;
};

static struct total total_of(const struct emulate_result *result, size_t index)
{
    struct total sum = {0};

    for (size_t b = 0; b < result->block_count; b++) {
        const struct emulate_count *count = &result->blocks[b].counts[index];
        const double weight = result->blocks[b].weight;

        sum.issued += weight * (double)count->issued;
        sum.requests += weight * (double)count->requests;
        sum.lanes += weight * (double)count->lanes;
        sum.bytes += weight * (double)count->bytes;
        sum.sectors += weight * (double)count->sectors;
        sum.lines += weight * (double)count->lines;
        sum.wavefronts += weight * (double)count->wavefronts;
    }
    return sum;
}

static enum resource resource_of(enum sass_pipe pipe)
{
    static const enum resource resources[SASS_PIPE_COUNT] = {
        [SASS_PIPE_NONE] = RESOURCE_ISSUE,      [SASS_PIPE_FMA] = RESOURCE_FMA,
        [SASS_PIPE_FMA_HEAVY] = RESOURCE_FMA,   [SASS_PIPE_ALU] = RESOURCE_ALU,
        [SASS_PIPE_FP16] = RESOURCE_FP16,       [SASS_PIPE_FP64] = RESOURCE_FP64,
        [SASS_PIPE_XU] = RESOURCE_XU,           [SASS_PIPE_TENSOR] = RESOURCE_TENSOR,
        [SASS_PIPE_UNIFORM] = RESOURCE_UNIFORM, [SASS_PIPE_LSU] = RESOURCE_LSU,
        [SASS_PIPE_TEX] = RESOURCE_TEX,         [SASS_PIPE_BRANCH] = RESOURCE_BRANCH,
    };

    return resources[pipe];
}

static void add_instruction(struct traffic *out, const struct sass *i, double issued)
{
    const struct sass_info *info = sass_info((enum sass_op)i->op);
    double *count = out->demand.count;

    out->instructions += issued;
    out->by_class[info->class] += issued;
    count[RESOURCE_ISSUE] += issued;
    if (info->pipe != SASS_PIPE_NONE)
        count[resource_of(info->pipe)] += issued;
    if (info->pipe == SASS_PIPE_FMA_HEAVY)
        count[RESOURCE_FMA_HEAVY] += issued;
    if (i->op == SASS_BAR)
        count[RESOURCE_BARRIER] += issued;
}

static bool is_shared(const struct sass *i)
{
    return i->accesses[0].space == SASS_SPACE_SHARED;
}

static bool is_counted(const struct sass *i)
{
    return i->access_count && i->accesses[0].bytes && i->accesses[0].space != SASS_SPACE_CONSTANT &&
           !(i->accesses[0].access & SASS_PREFETCHES);
}

/* Loads that L1 may answer; .STRONG ones ask the L2 every time. */
static bool is_cached_load(const struct sass *i)
{
    return i->accesses[0].access == SASS_READS && !is_shared(i) &&
           i->mod[SASS_MOD_ORDER] != SASS_ORDER_STRONG && i->mod[SASS_MOD_ORDER] != SASS_ORDER_MMIO &&
           !(i->op == SASS_LDGSTS && i->mod[SASS_MOD_BYPASS]);
}

static void add_access(struct traffic *out, const struct sass *i, const struct total *sum)
{
    double *count = out->demand.count;
    const bool atomic = i->accesses[0].access & SASS_ATOMICALLY;

    count[RESOURCE_SHARED] += sum->wavefronts / out->warps;
    count[RESOURCE_L1_TAGS] += sum->lines / out->warps;
    count[RESOURCE_L1_DATA] += sum->sectors > 0 ? fmax(sum->lines, sum->sectors / 4) / out->warps : 0;
    if (atomic)
        count[is_shared(i) ? RESOURCE_ATOMIC_SHARED : RESOURCE_ATOMIC_GLOBAL] += sum->lanes / out->warps;
    out->accesses[out->access_count++] =
        (struct traffic_access){.pc = i->pc,
                                .requests = sum->requests / out->warps,
                                .lanes = sum->requests > 0 ? sum->lanes / sum->requests : 0,
                                .sectors = sum->requests > 0 ? sum->sectors / sum->requests : 0,
                                .lines = sum->requests > 0 ? sum->lines / sum->requests : 0,
                                .wavefronts = sum->requests > 0 ? sum->wavefronts / sum->requests : 0};
    if (atomic || i->accesses[0].access & SASS_WRITES)
        out->l2_write_sectors += sum->sectors / out->warps;
    if (i->accesses[0].access & SASS_READS && !atomic)
        out->l1_sectors += sum->sectors / out->warps;
}

static void count_all(struct traffic *out, const struct emulate_result *result, const struct sass_code *code)
{
    double known = 0;

    for (size_t k = 0; k < result->instruction_count; k++) {
        const struct sass *i = &code->instructions[k];
        const struct total sum = total_of(result, k);

        out->issued[k] = sum.issued / out->warps;
        add_instruction(out, i, out->issued[k]);
        known += i->op == SASS_UNKNOWN ? 0 : out->issued[k];
        if (is_counted(i) && sum.requests > 0)
            add_access(out, i, &sum);
    }
    out->known_share = out->instructions > 0 ? known / out->instructions : 0;
}

/* Sectors that a block's cached loads ask L1 for, the lines, and the turns of the most frequent one. */
static void find_loads(double *sectors, double *lines, double *turns, const struct traffic *traffic,
                       const struct sass_code *code)
{
    *sectors = *lines = *turns = 0;
    for (size_t k = 0; k < traffic->access_count; k++) {
        const struct traffic_access *access = &traffic->accesses[k];

        if (!is_cached_load(&code->instructions[access->pc / SASS_BYTES]))
            continue;
        *sectors += access->requests * access->sectors;
        *lines += access->requests * access->lines;
        *turns = fmax(*turns, access->requests);
    }
}

static void fill_l1(struct traffic *out, const struct emulate_result *result, const struct sass_code *code,
                    const struct traffic_machine *machine)
{
    const double block_warps = result->blocks[0].warps;
    const double first = (double)footprint_sectors(&result->blocks[0].read) / block_warps; /* per warp */
    double sectors, lines, turns, hits, share;

    find_loads(&sectors, &lines, &turns, out, code);
    hits =
        fmax(0, sectors - first) * cache_l1_reuse(machine, first * block_warps, lines * block_warps, turns);
    share = sectors > 0 ? hits / sectors : 0;
    for (size_t k = 0; k < out->access_count; k++)
        if (is_cached_load(&code->instructions[out->accesses[k].pc / SASS_BYTES]))
            out->accesses[k].l1_hits = share;
    out->l1_hit_share = out->l1_sectors > 0 ? hits / out->l1_sectors : 0;
    out->l2_read_sectors = out->l1_sectors - hits;
}

/* Everything counted is certain; cache hits are not, so the least L2 traffic is what must be fetched once. */
static void fill_demand(struct traffic *out, const struct emulate_result *result)
{
    struct demand *demand = &out->demand;
    const double first = (double)footprint_sectors(&result->blocks[0].read) / result->blocks[0].warps;

    demand->count[RESOURCE_L2] = out->l2_read_sectors + out->l2_write_sectors;
    demand->count[RESOURCE_DRAM_READ] = out->dram_read_bytes / out->warps;
    demand->count[RESOURCE_DRAM_WRITE] = out->dram_write_bytes / out->warps;
    for (unsigned r = 0; r < RESOURCE_COUNT; r++)
        demand->least[r] = demand->count[r];
    demand->least[RESOURCE_L2] = fmin(first, out->l2_read_sectors) / 2 + out->l2_write_sectors;
    demand->least[RESOURCE_DRAM_READ] = out->unique_read_bytes / out->warps;
    demand->least[RESOURCE_DRAM_WRITE] = out->unique_written_bytes / out->warps;
}

int traffic_init(struct traffic *out, const struct emulate_result *result, const struct sass_code *code,
                 const struct launch *launch, const struct traffic_machine *machine, struct err *err)
{
    *out = (struct traffic){0};
    if (result->end != EMULATE_DONE || !result->block_count || code->count != result->instruction_count)
        return err_set(err, ERR_USAGE, "the emulation ended as '%s': traffic needs one that is done",
                       emulate_end_text(result->end));
    if (!(machine->sms >= 1) || !(machine->blocks_per_sm >= 1))
        return err_set(err, ERR_USAGE, "traffic on %g SMs with %g blocks each: at least 1 of both",
                       machine->sms, machine->blocks_per_sm);
    out->issued = calloc(code->count, sizeof *out->issued);
    out->accesses = calloc(code->count, sizeof *out->accesses);
    out->instruction_count = code->count;
    if (!out->issued || !out->accesses) {
        traffic_release(out);
        return err_memory(err);
    }
    out->warps = (double)launch_blocks(launch) * result->blocks[0].warps;
    count_all(out, result, code);
    fill_l1(out, result, code, machine);
    cache_fill(out, result, launch, machine);
    fill_demand(out, result);
    return 0;
}

void traffic_release(struct traffic *traffic)
{
    free(traffic->issued);
    free(traffic->accesses);
    *traffic = (struct traffic){0};
}

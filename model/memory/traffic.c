#include "model/memory/traffic.h"

#include "model/machine/assumptions.h"
#include "model/memory/local.h"
#include "model/memory/reuse.h"
#include "model/memory/reuse_regions.h"
#include "model/memory/traffic_counts.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

const struct sass_access *traffic_global_access(const struct sass *i)
{
    for (unsigned a = 0; a < i->access_count; a++)
        if (i->accesses[a].space == SASS_SPACE_GLOBAL || i->accesses[a].space == SASS_SPACE_GENERIC)
            return &i->accesses[a];
    return NULL;
}

bool traffic_is_global(const struct sass *instruction)
{
    return traffic_global_access(instruction) != NULL;
}

bool traffic_is_local(const struct sass *i)
{
    return i->access_count && i->accesses[0].space == SASS_SPACE_LOCAL;
}

/* Loads that must see what other SMs write go to L2, and so do copies that say so and bulk copies. */
bool traffic_is_cached(const struct sass *i)
{
    const struct sass_access *access = traffic_global_access(i);

    if (!access || !(access->access & SASS_READS) || (access->access & SASS_ATOMICALLY) ||
        i->mod[SASS_MOD_BYPASS] || sass_is_bulk(i) || sass_is_tensor_copy(i))
        return false;
    return i->mod[SASS_MOD_ORDER] < SASS_ORDER_STRONG || i->mod[SASS_MOD_SCOPE] < SASS_SCOPE_GPU;
}

/* Whether it reads a thread's index within its block, which lies where shared memory does. */
static bool reads_thread_index(const struct sass *i)
{
    const struct sass_operand *from = &i->sources[0];

    return i->op == SASS_S2R && from->kind == SASS_SPECIAL && from->value >= SASS_SR_TID &&
           from->value <= SASS_SR_TID_Z;
}

double traffic_match_values(const struct traffic_count *count)
{
    return count->requests > 0 ? fmax(count->wavefronts / count->requests, 1) : 1;
}

double traffic_shared_passes(const struct sass *i, const struct traffic_count *count)
{
    if (i->op == SASS_MATCH)
        return 2 * count->issued * traffic_match_values(count);
    if (reads_thread_index(i) || sass_info((enum sass_op)i->op)->class == SASS_CLASS_SHUFFLE)
        return count->issued;
    if (i->op == SASS_LDGSTS)
        return i->mod[SASS_MOD_BYPASS] ? 0 : fmax(count->wavefronts, count->lines);
    if (i->access_count && i->accesses[0].space == SASS_SPACE_SHARED)
        return count->wavefronts + count->issued - count->requests;
    return count->wavefronts;
}

struct traffic_l2 traffic_l2_reads(const struct traffic_count *count)
{
    const double lines = count->lines_once * (1 - count->l1_hit);
    const double bytes = count->lines_once > 0 ? count->sectors_once / count->lines_once * SECTOR : 0;

    return (struct traffic_l2){
        .sectors = count->sectors_once * (1 - count->l1_hit) * (1 - count->joined),
        .lines = lines * (1 - count->l2_merged) + count->dram_read / fmin(fmax(bytes, 64), LINE),
        .merged = lines * count->l2_merged,
    };
}

static void find_hot(struct traffic *out)
{
    double most = 0;

    for (size_t i = 0; i < out->instruction_count; i++)
        most = fmax(most, out->counts[i].issued);
    for (size_t i = 0; i < out->instruction_count; i++)
        out->hot_bytes += out->counts[i].issued > 0 && out->counts[i].issued >= most / 2 ? SASS_BYTES : 0;
}

/* The share of a warp's stores to sectors that it has stored to before that do not merge with what is still
 * on its way to L2. That queue holds so many lines, `queue` of these stores. The warps of a block that store do so
 * together, and those of another one get in between, `others` in all: who goes next is any of them, so that
 * between two stores of a warp the number of those of others has a geometric distribution. Each that does not
 * merge, of the `again` that could and of all the others, moves the queue on. */
static double parts_apart(double queue, double others, double again)
{
    double apart = 1;

    if (queue < 1)
        return 1;
    for (int i = 0; i < 50; i++) {
        const double moves = others * (1 - again * (1 - apart));

        apart = pow(moves / (1 + moves), queue);
    }
    return apart;
}

static bool same_place(const struct sass_access *a, const struct sass_access *b)
{
    return a && a->index == b->index && a->uniform == b->uniform && a->wide == b->wide &&
           a->scale == b->scale && abs(a->offset - b->offset) < SECTOR;
}

/* Whether a store goes to the sectors of one so shortly before it, with nothing to wait for, that those are still there.
 * Then only warps of other schedulers get in between: its own goes on with it. */
static bool follows_at_once(const struct sass_code *code, size_t i, const struct assumptions *assumed)
{
    const struct sass_access *access = traffic_global_access(&code->instructions[i]);
    unsigned cycles = 0;

    while (i > 0 && !code->instructions[i].control.wait_mask) {
        const struct sass *before = &code->instructions[--i];

        cycles += before->control.stall;
        if (sass_is_jump(before) || cycles > assumed->stores_together)
            return false;
        if (before->access_count && before->accesses[0].access & SASS_WRITES &&
            same_place(traffic_global_access(before), access))
            return true;
    }
    return false;
}

/* The same of stores that follow at once: one of each other scheduler may get in between, where it has a warp that
 * stores. */
static double parts_at_once(double queue, double others, double schedulers)
{
    const double busy = others / (others + schedulers - 1);
    double apart = 0, chance = pow(1 - busy, schedulers - 1); /* that so many of them are busy */

    for (double k = 0; k < schedulers; k++) {
        apart += k + 1 > queue ? chance : 0;
        chance *= busy < 1 ? (schedulers - 1 - k) / (k + 1) * busy / (1 - busy) : 0;
    }
    return apart;
}

/* Parts of a sector that a warp stores one after another leave the SM as one where they merge. */
static void send_stores(struct traffic_stores *out, struct traffic_count *count,
                        const struct sass_access *access, const struct traffic_caches *caches, double others,
                        double again, bool at_once)
{
    const bool merges = !(access->access & SASS_ATOMICALLY) && count->requests > 0;
    const double queue = merges ? caches->merge_lines / (count->lines / count->requests) : 0;

    const double apart =
        at_once ? parts_at_once(queue, others, caches->schedulers) : parts_apart(queue, others, again);

    count->again = fmax(count->sectors - count->own, 0) * (1 - apart);
    out->sectors += count->sectors - count->again;
    out->lines += count->lines * (1 - count->again / count->sectors);
    out->filled += fmin(count->bytes / SECTOR, count->sectors);
}

static bool stores(const struct sass_access *access)
{
    return access && access->access & SASS_WRITES && !(access->access & SASS_ATOMICALLY);
}

/* Of the sectors that warps store to, the share that they have stored to before. */
static double stored_again(const struct traffic *traffic, const struct sass_code *code)
{
    double all = 0, again = 0;

    for (size_t i = 0; i < code->count; i++)
        if (stores(traffic_global_access(&code->instructions[i]))) {
            all += traffic->counts[i].sectors;
            again += fmax(traffic->counts[i].sectors - traffic->counts[i].own, 0);
        }
    return all > 0 ? again / all : 0;
}

/* Whether warps queue for the load/store units to store: they come there together, from a barrier, or the
 * loads of all resident ones are more than an SM can have under way. */
static bool stores_queue(const struct traffic *traffic, const struct sass_code *code,
                         const struct traffic_caches *caches, double resident_warps)
{
    double lines = 0; /* that a warp loads, each instruction once */

    for (size_t i = 0; i < code->count; i++) {
        const struct traffic_count *count = &traffic->counts[i];

        if (code->instructions[i].op == SASS_BAR && count->issued > 0)
            return true;
        if (count->requests > 0 && traffic_is_cached(&code->instructions[i]))
            lines += count->lines / fmax(count->issued, 1);
    }
    return lines * resident_warps > caches->loads_most;
}

static bool path_stores(const struct emulate_path *path, const struct sass_code *code)
{
    for (size_t s = 0; s < path->count; s++)
        for (uint32_t i = 0; i < path->steps[s].count && !path->steps[s].body; i++)
            if (stores(traffic_global_access(&code->instructions[path->steps[s].first + i])))
                return true;
    return path->cut;
}

/* Warps of a mean block that store anything: those that only load for others do not get in between. */
static double storing_warps(const struct sass_code *code, const struct emulate_result *result)
{
    double warps = 0, weight = 0;

    for (size_t p = 0; p < result->path_count; p++)
        for (size_t b = 0; b < result->block_count && path_stores(&result->paths[p], code); b++)
            for (unsigned w = 0; w < result->blocks[b].warps; w++)
                warps += result->blocks[b].paths[w] == p ? result->blocks[b].weight : 0;
    for (size_t b = 0; b < result->block_count; b++)
        weight += result->blocks[b].weight;
    return weight > 0 ? warps / weight : 0;
}

/* Also fills `again` of the counts. */
static struct traffic_stores sum_stores(const struct traffic *traffic, const struct sass_code *code,
                                        const struct emulate_result *result,
                                        const struct traffic_caches *caches)
{
    const double resident_warps = caches->resident_blocks * result->blocks[0].warps;
    const double others = stores_queue(traffic, code, caches, resident_warps)
                              ? fmax(fmin(caches->resident_blocks, 2) * storing_warps(code, result) - 1, 0)
                              : 0;
    const double again = stored_again(traffic, code);
    struct traffic_stores out = {0};

    for (size_t i = 0; i < code->count; i++) {
        const struct sass_access *access = traffic_global_access(&code->instructions[i]);

        if (access && access->access & (SASS_WRITES | SASS_ATOMICALLY))
            send_stores(&out, &traffic->counts[i], access, caches, others, again,
                        follows_at_once(code, i, caches->assumed));
    }
    out.filled = fmin(out.filled, out.sectors);
    return out;
}

/* Loads and stores of global memory alternate as they do in the code: what instructions between two stores
 * bring in one go each makes a burst. */
static struct traffic_bursts find_bursts(const struct traffic *traffic, const struct sass_code *code)
{
    struct traffic_bursts out = {0};
    double burst = 0, bytes = 0, all = 0; /* of the burst: per go, and altogether */

    for (size_t i = 0; i < code->count; i++) {
        const struct sass *instruction = &code->instructions[i];
        const struct traffic_count *count = &traffic->counts[i];
        const struct sass_access *access = traffic_global_access(instruction);

        if (!access || !(count->requests > 0))
            continue;
        if (!(access->access & SASS_READS)) {
            out.bytes += burst * bytes;
            burst = bytes = 0;
        }
        burst += count->dram_read / count->issued;
        bytes += count->dram_read;
        all += count->dram_read;
        out.narrow += count->dram_read * fmin(fmax(2 - count->lines / count->requests, 0), 1);
        out.evict_first += instruction->mod[SASS_MOD_EVICT] == SASS_EVICT_FIRST ? count->dram_read : 0;
        out.past_l1 += traffic_is_cached(instruction) ? 0 : count->dram_read;
    }
    out.bytes += burst * bytes;
    all = fmax(all, 1);
    out.bytes /= all;
    out.narrow /= all;
    out.evict_first /= all;
    out.past_l1 /= all;
    return out;
}

/* Finds what does not depend on what the caches hold. */
static int find_regions(struct traffic *out, const struct emulate_result *result, const struct launch *launch,
                        const struct traffic_caches *caches, struct err *err)
{
    out->regions = calloc(1, sizeof *out->regions);
    return out->regions ? reuse_regions_find(out->regions, result, launch, caches, err) : err_memory(err);
}

static int count(struct traffic *out, const struct sass_code *code, const struct emulate_result *result,
                 const struct launch *launch, const struct traffic_caches *caches, struct err *err)
{
    out->instruction_count = result->instruction_count;
    out->counts = calloc(result->instruction_count ? result->instruction_count : 1, sizeof *out->counts);
    if (!out->counts)
        return err_memory(err);
    out->warps = (double)launch_blocks(launch) * result->blocks[0].warps;
    if (traffic_take_counts(out, result, caches->assumed->sample_deviations, err))
        return ERR_MEMORY;
    out->contended = result->contended;
    out->contended_floats = result->contended_floats;
    find_hot(out);
    out->stores = sum_stores(out, code, result, caches);
    if (!out->regions && find_regions(out, result, launch, caches, err))
        return ERR_MEMORY;
    if (reuse_of(out, code, result, caches, err) ||
        local_add(out, code, caches, caches->resident_blocks * result->blocks[0].warps, err))
        return ERR_MEMORY;
    out->bursts = find_bursts(out, code);
    return 0;
}

int traffic_of(struct traffic *out, const struct sass_code *code, const struct emulate_result *result,
               const struct launch *launch, const struct traffic_caches *caches, struct err *err)
{
    *out = (struct traffic){.instruction_count = result->instruction_count};
    if (result->end != EMULATE_DONE || !result->block_count || code->count != result->instruction_count)
        return err_set(err, ERR_USAGE, "the emulation ended as '%s': traffic needs one that is done",
                       emulate_end_text(result->end));
    return count(out, code, result, launch, caches, err);
}

int traffic_recount(struct traffic *traffic, const struct sass_code *code,
                    const struct emulate_result *result, const struct launch *launch,
                    const struct traffic_caches *caches, struct err *err)
{
    struct reuse_regions *const regions = traffic->regions;

    free(traffic->counts);
    *traffic = (struct traffic){.regions = regions};
    return count(traffic, code, result, launch, caches, err);
}

void traffic_release(struct traffic *traffic)
{
    free(traffic->counts);
    if (traffic->regions)
        reuse_regions_release(traffic->regions);
    free(traffic->regions);
    *traffic = (struct traffic){0};
}

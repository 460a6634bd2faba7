#include "model/memory/traffic.h"

#include "model/machine/assumptions.h"
#include "model/memory/local.h"
#include "model/memory/reuse.h"
#include "model/memory/reuse_regions.h"
#include "model/memory/stores.h"
#include "model/memory/traffic_counts.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { CONSTANT_BYTES = 8 /* of constant memory, that an address is answered with at a time */ };

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
        i->mod[SASS_MOD_BYPASS] || sass_copies_in_bulk(i))
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

double traffic_match_passes(const struct sass *i, const struct traffic_count *count)
{
    return i->op == SASS_MATCH ? 2 * count->issued * traffic_match_values(count) : 0;
}

double traffic_shared_passes(const struct sass *i, const struct traffic_count *count)
{
    if (i->op == SASS_MATCH)
        return 0;
    if (reads_thread_index(i) || sass_info((enum sass_op)i->op)->class == SASS_CLASS_SHUFFLE)
        return count->issued;
    if (i->op == SASS_LDGSTS)
        return i->mod[SASS_MOD_BYPASS] ? 0 : fmax(count->wavefronts, count->lines);
    if (i->access_count && i->accesses[0].space == SASS_SPACE_SHARED)
        return count->wavefronts + count->issued - count->requests;
    return i->access_count && i->accesses[0].space == SASS_SPACE_CONSTANT ? 0 : count->wavefronts;
}

double traffic_constant_places(const struct sass *i, const struct traffic_count *count)
{
    const double each = i->accesses[0].bytes > CONSTANT_BYTES ? 2 : 1;

    return sass_indexes_constants(i) ? each * (count->wavefronts + count->issued - count->requests) : 0;
}

double traffic_brought(const struct traffic_count *count)
{
    return count->sectors > 0 ? fmin(count->dram_read / (count->sectors * SECTOR), 1) : 0;
}

double traffic_places(const struct traffic_count *count)
{
    return count->requests > 0 ? fmax(count->places / count->requests * traffic_brought(count), 1) : 1;
}

struct traffic_l2 traffic_l2_reads(const struct traffic_count *count)
{
    const double lines = count->lines_once * (1 - count->l1_hit);
    const double bytes = count->lines_once > 0 ? count->sectors_once / count->lines_once * SECTOR : 0;

    return (struct traffic_l2){
        .sectors = (count->sectors_once * (1 - count->l1_hit) + count->askew_sectors) * (1 - count->joined),
        .lines = lines * (1 - count->l2_merged) + count->askew_lines +
                 count->dram_read / fmin(fmax(bytes, 64), LINE),
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
    out->constant_bytes = (double)emulate_constant_bytes(result);
    out->contended = result->contended;
    out->contended_behind = result->contended_behind;
    out->contended_unevenly = result->contended_unevenly;
    out->repeated = result->repeated;
    out->passes = result->passes;
    out->met_share = result->meeting.share;
    if (result->meeting.run > 0)
        out->met_lines =
            result->meeting.lines * fmax(1, caches->sms * caches->resident_blocks / result->meeting.run);
    find_hot(out);
    stores_sum(out, code, result, caches);
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

#include "model/traffic.h"

#include <math.h>
#include <stdlib.h>

/* What one access of an instruction is to the caches. */
static const struct sass_access *global_access(const struct sass *i)
{
    unsigned a;

    for (a = 0; a < i->access_count; a++)
        if (i->accesses[a].space == SASS_SPACE_GLOBAL || i->accesses[a].space == SASS_SPACE_GENERIC)
            return &i->accesses[a];
    return NULL;
}

bool traffic_is_global(const struct sass *instruction)
{
    return global_access(instruction) != NULL;
}

/* Loads that must see what other SMs write go to L2, and so do copies that say so. */
bool traffic_is_cached(const struct sass *i)
{
    const struct sass_access *access = global_access(i);

    if (!access || !(access->access & SASS_READS) || (access->access & SASS_ATOMICALLY) ||
        i->mod[SASS_MOD_BYPASS])
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

double traffic_shared_passes(const struct sass *i, const struct traffic_count *count)
{
    if (reads_thread_index(i) || sass_info((enum sass_op)i->op)->class == SASS_CLASS_SHUFFLE)
        return count->issued;
    if (i->op == SASS_LDGSTS)
        return i->mod[SASS_MOD_BYPASS] ? 0 : fmax(count->wavefronts, count->lines);
    if (i->access_count && i->accesses[0].space == SASS_SPACE_SHARED)
        return count->wavefronts + count->issued - count->requests;
    return count->wavefronts;
}

double traffic_tagged_sectors(const struct sass *i, const struct traffic_count *count)
{
    return i->op == SASS_LDGSTS && i->mod[SASS_MOD_BYPASS] ? fmax(count->sectors, count->filled)
                                                           : count->sectors;
}

/* Counts
 * ---------------------------------------------------------------------------------------------------------
 */

static void add_count(struct traffic_count *out, const struct emulate_count *count, double weight)
{
    out->issued += weight * (double)count->issued;
    out->requests += weight * (double)count->requests;
    out->lanes += weight * (double)count->lanes;
    out->bytes += weight * (double)count->bytes;
    out->sectors += weight * (double)count->sectors;
    out->lines += weight * (double)count->lines;
    out->wavefronts += weight * (double)count->wavefronts;
    out->filled += weight * (double)count->filled;
}

static bool same_counts(const struct emulate_block *a, const struct emulate_block *b, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (a->counts[i].issued != b->counts[i].issued)
            return false;
    return a->warps == b->warps;
}

static void take_counts(struct traffic *out, const struct emulate_result *result)
{
    double warps = 0;
    size_t b, i;

    for (b = 0; b < result->block_count; b++)
        warps += result->blocks[b].weight * result->blocks[b].warps;
    out->blocks_equal = true;
    for (b = 0; b < result->block_count; b++) {
        const struct emulate_block *block = &result->blocks[b];

        out->blocks_equal &= same_counts(block, &result->blocks[0], result->instruction_count);
        for (i = 0; i < result->instruction_count; i++) {
            struct traffic_count *count = &out->counts[i];
            const double own = (double)block->counts[i].issued / block->warps;

            add_count(count, &block->counts[i], block->weight / warps);
            count->least_issued = b ? fmin(count->least_issued, own) : own;
        }
    }
}

static void find_hot(struct traffic *out)
{
    double most = 0;
    size_t i;

    for (i = 0; i < out->instruction_count; i++)
        most = fmax(most, out->counts[i].issued);
    for (i = 0; i < out->instruction_count; i++)
        out->hot_bytes += out->counts[i].issued > 0 && out->counts[i].issued >= most / 2 ? SASS_BYTES : 0;
}

static void sum_sectors(struct traffic *out, const struct sass_code *code)
{
    size_t i;

    for (i = 0; i < code->count; i++) {
        const struct sass *instruction = &code->instructions[i];
        const struct sass_access *access = global_access(instruction);
        const double sectors = out->counts[i].sectors;

        if (!access)
            continue;
        if (traffic_is_cached(instruction))
            out->l1_read += sectors;
        else if (!(access->access & (SASS_WRITES | SASS_ATOMICALLY)))
            out->l2_read += sectors;
        else {
            out->l2_written += sectors;
            out->l2_filled += fmin(out->counts[i].bytes / FOOTPRINT_SECTOR, sectors);
        }
    }
}

/* Footprints
 * ---------------------------------------------------------------------------------------------------------
 */

/* Of a block's sectors: those that all blocks of its row (x) share, all of its column (y), all of both, and
 * those that only the next block in x shares (a halo). */
struct sharing {
    double own, x, y, both, halo;
};

static const struct footprint *slot_print(const struct emulate_result *result, enum emulate_slot slot,
                                          bool written)
{
    const int b = emulate_sample_slot(result, slot);

    if (b < 0)
        return NULL;
    return written ? &result->blocks[b].written : &result->blocks[b].read;
}

static double shared_by(const struct footprint *a, const struct footprint *b)
{
    return a && b ? (double)footprint_shared(a, b) : 0;
}

static double shared_by3(const struct footprint *a, const struct footprint *b, const struct footprint *c)
{
    return a && b && c ? (double)footprint_shared3(a, b, c) : 0;
}

static struct sharing sharing_of(const struct emulate_result *result, bool written)
{
    const struct footprint *middle = slot_print(result, EMULATE_MIDDLE, written),
                           *x1 = slot_print(result, EMULATE_X1, written),
                           *x2 = slot_print(result, EMULATE_X2, written),
                           *y1 = slot_print(result, EMULATE_Y1, written);
    struct sharing out = {0};
    double near_x;

    if (!middle)
        middle = written ? &result->blocks[0].written : &result->blocks[0].read;
    near_x = shared_by(middle, x1);
    out.own = (double)footprint_sectors(middle);
    out.x = x2 ? shared_by3(middle, x1, x2) : near_x;
    out.halo = near_x - out.x;
    out.y = shared_by(middle, y1);
    out.both = shared_by3(middle, x1, y1);
    return out;
}

/* Different sectors of nx by ny blocks. */
static double together(const struct sharing *s, double nx, double ny)
{
    const double both = fmin(s->both, fmin(s->x, s->y)), x = s->x - both, y = s->y - both;
    const double rest = fmax(s->own - both - x - y, 0);

    return both + x * ny + y * nx + rest * nx * ny - fmin(s->halo, rest) * (nx - 1) * ny;
}

/* The same for `blocks` blocks in the order in which they are dispatched, x first. */
static double of_blocks(const struct sharing *s, const struct launch *launch, double blocks)
{
    const double nx = fmin(launch->grid[0], blocks);

    return together(s, nx, fmax(blocks / nx, 1));
}

static double buffer_bytes(const struct launch *launch)
{
    double bytes = 0;
    size_t a;

    for (a = 0; a < launch->argument_count; a++)
        if (launch->arguments[a].kind != ARGUMENT_SCALAR)
            bytes += (double)launch->arguments[a].count * (double)element_size(launch->arguments[a].type);
    return bytes;
}

/* Caches
 * ---------------------------------------------------------------------------------------------------------
 */

/* Sectors that a warp asks of L1 in one pass of its innermost loops: what must stay there to be found again.
 * A loop that touches memory counts with the mean over its passes; code outside loops once. */
static double sectors_of_pass(const struct traffic *traffic, const struct sass_code *code)
{
    double most = 0, sum = 0;
    size_t i;

    for (i = 0; i < code->count; i++)
        if (traffic->counts[i].issued > 0 && traffic_is_cached(&code->instructions[i]))
            most = fmax(most, traffic->counts[i].issued);
    for (i = 0; i < code->count; i++)
        if (traffic->counts[i].issued > most / 2 && traffic_is_cached(&code->instructions[i]))
            sum += traffic->counts[i].sectors / traffic->counts[i].issued;
    return sum;
}

static void hit_l1(struct traffic *out, const struct sass_code *code, const struct traffic_caches *caches,
                   double unique, double warps_per_block)
{
    const double warps = caches->resident_blocks * warps_per_block;
    const double again = fmax(out->l1_read - unique, 0);
    const double live = fmin(sectors_of_pass(out, code) * warps, unique * warps) * FOOTPRINT_SECTOR;
    const double fits = live > caches->l1_bytes ? caches->l1_bytes / live : 1;

    out->l1_hit = out->l1_read > 0 ? again * fits / out->l1_read : 0;
    out->l1_ready = out->l1_read > 0 ? fmax(1 - unique * warps_per_block / out->l1_read, 0) * fits : 0;
    out->least_l2_read = out->l2_read; /* what passes L1 by, whatever it holds */
    out->l2_read += out->l1_read * (1 - out->l1_hit);
}

/* The share of `bytes`, touched again and again in the same order, that a cache still holds. A cache that is
 * not strictly least-recently-used keeps some of what does not fit: none at twice its size. */
static double kept(double bytes, double cache)
{
    return bytes > 0 ? fmin(fmax(2 - bytes / cache, 0), 1) : 1;
}

/* DRAM is read 64 bytes at a time, found on an NVIDIA H200: a sector that a block needs without its neighbour
 * costs two. How many times what is asked for that makes, 1 to 2. */
static double pairs_of(const struct emulate_result *result)
{
    double pairs = 0, sectors = 0;
    size_t b;

    for (b = 0; b < result->block_count; b++) {
        const struct emulate_block *block = &result->blocks[b];

        pairs += block->weight * (double)footprint_pairs(&block->read);
        sectors += block->weight * (double)footprint_sectors(&block->read);
    }
    return sectors > 0 ? 2 * pairs / sectors : 1;
}

/* `pairs`: see pairs_of; `limit`: bytes of all buffers. */
static void hit_l2(struct traffic *out, const struct traffic_caches *caches, double blocks, double pairs,
                   double limit)
{
    const double wave_blocks = fmin(blocks, caches->sms * caches->resident_blocks);
    const double waves = blocks / wave_blocks;
    const double fetched = fmax(waves * out->wave_read, out->unique_read);
    const double unique = out->unique_read + out->unique_written;
    const double again = fmin(caches->l2_bytes / fmax(unique, 1), 1);
    const double first = caches->warm ? kept(unique, caches->l2_bytes) : 0;
    const double held = caches->warm ? fmin(unique, caches->l2_bytes) / fmax(unique, 1) : 0;
    /* what comes along unasked counts where it is new: not beyond the buffers, all of which may be asked for
     */
    const double fresh = fmin(out->unique_read * pairs, fmax(limit, out->unique_read));
    const double anew = (fetched - out->unique_read) * (1 - again), asked = out->l2_read * FOOTPRINT_SECTOR;
    const double missed = fmin((out->unique_read * (1 - first) + anew) / out->warps, asked);

    out->dram_read = fmin((fresh * (1 - first) + anew * pairs) / out->warps, asked * pairs);
    out->l2_hit = asked > 0 ? 1 - missed / asked : 1;
    out->l2_ready = 1 - fmin(missed * out->warps / fmax(waves * out->wave_read, 1), 1);
    out->dram_written = out->unique_written * (1 - kept(unique, caches->l2_bytes)) / out->warps;
    out->least_dram_read = out->unique_read * (1 - held) / out->warps;
    out->least_dram_written =
        out->unique_written * (1 - fmin(unique, caches->l2_bytes) / fmax(unique, 1)) / out->warps;
}

static void take_footprints(struct traffic *out, const struct emulate_result *result,
                            const struct launch *launch, const struct traffic_caches *caches)
{
    const struct sharing read = sharing_of(result, false), written = sharing_of(result, true);
    const double blocks = (double)launch_blocks(launch);
    const double wave = fmin(blocks, caches->sms * caches->resident_blocks);

    out->unique_read = fmin(of_blocks(&read, launch, blocks) * FOOTPRINT_SECTOR, buffer_bytes(launch));
    out->unique_written = fmin(of_blocks(&written, launch, blocks) * FOOTPRINT_SECTOR, buffer_bytes(launch));
    out->wave_read = fmin(of_blocks(&read, launch, wave) * FOOTPRINT_SECTOR, buffer_bytes(launch));
}

/* Sectors a block reads, each once; the mean over the sampled blocks. */
static double block_sectors(const struct emulate_result *result)
{
    double sectors = 0, weight = 0;
    size_t b;

    for (b = 0; b < result->block_count; b++) {
        sectors += result->blocks[b].weight * (double)footprint_sectors(&result->blocks[b].read);
        weight += result->blocks[b].weight;
    }
    return sectors / weight;
}

int traffic_of(struct traffic *out, const struct sass_code *code, const struct emulate_result *result,
               const struct launch *launch, const struct traffic_caches *caches, struct err *err)
{
    const double blocks = (double)launch_blocks(launch);
    double warps_per_block, unique;

    *out = (struct traffic){.instruction_count = result->instruction_count};
    if (result->end != EMULATE_DONE || !result->block_count || code->count != result->instruction_count)
        return err_set(err, ERR_USAGE, "the emulation ended as '%s': traffic needs one that is done",
                       emulate_end_text(result->end));
    warps_per_block = result->blocks[0].warps;
    out->counts = calloc(result->instruction_count ? result->instruction_count : 1, sizeof *out->counts);
    if (!out->counts)
        return err_memory(err);
    take_counts(out, result);
    out->warps = blocks * warps_per_block;
    find_hot(out);
    sum_sectors(out, code);
    take_footprints(out, result, launch, caches);
    unique = fmin(block_sectors(result) / warps_per_block, out->l1_read);
    hit_l1(out, code, caches, unique, warps_per_block);
    hit_l2(out, caches, blocks, pairs_of(result), buffer_bytes(launch));
    out->least_l2_read = fmax(out->least_l2_read, out->unique_read / FOOTPRINT_SECTOR / out->warps);
    out->least_l2_written = out->unique_written / FOOTPRINT_SECTOR / out->warps;
    return 0;
}

void traffic_release(struct traffic *traffic)
{
    free(traffic->counts);
    *traffic = (struct traffic){0};
}

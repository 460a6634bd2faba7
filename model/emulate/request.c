/* One access of a warp: its addresses, and what it costs. */
#include "model/emulate/access.h"
#include "model/emulate/cluster.h"
#include "model/emulate/constants.h"
#include "model/emulate/count.h"
#include "model/emulate/remote.h"
#include "model/sass/arch/geometry.h"

#include <string.h>

enum {
    SPIN_PASSES =
        2, /* of ATOMS.CAST.SPIN, one for what it reads and one for what it writes: counters on an NVIDIA H200 */
    UNDIVIDED = 4, /* bytes a lane: a request of so many goes through in one part */
    WORD = 4,
    LINES_A_PASS = 4 /* whose tags L1 looks at together (benchmarks/micro/README.md) */
};

static uint32_t register_unknown(const uint32_t unknown[ROWS], unsigned index, bool wide)
{
    if (index == SASS_RZ)
        return 0;
    return unknown[index] | (wide && index + 1 < SASS_RZ ? unknown[index + 1] : 0);
}

uint32_t request_unknown(const struct warp *warp, const struct sass_access *access)
{
    const struct registers *regs = warp->regs;

    return regs->tainted ? register_unknown(regs->r_unknown, access->index, access->wide) |
                               register_unknown(regs->u_unknown, access->uniform, access->uniform_wide)
                         : 0;
}

/* The low and, of a pair, high words of an address register. */
static void address_rows(const uint32_t *out[2], const struct registers *regs, const row file[ROWS],
                         unsigned index, bool wide)
{
    out[0] = index == SASS_RZ ? regs->zero[0] : file[index];
    out[1] = index == SASS_RZ || !wide || index + 1 >= SASS_RZ ? regs->zero[0] : file[index + 1];
}

int request_init(struct request *out, struct emulation *emulation, const struct warp *warp,
                 const struct sass *i, unsigned which, uint32_t mask)
{
    const struct sass_access *access = &i->accesses[which];
    const bool wide = access->wide || access->uniform_wide;
    const bool extends = !access->wide && !access->zero_extend && access->uniform_wide;
    const struct registers *regs = warp->regs;
    const uint32_t *vector[2], *uniform[2];

    out->i = i;
    out->index = i->pc / SASS_BYTES;
    out->mask = mask;
    out->width = access->bytes;
    out->space = access->space;
    out->access = access->access;
    out->second = 0;
    if (mask & request_unknown(warp, access))
        return stop_at(emulation, i, EMULATE_INCOMPLETE, "the address of %s is unknown",
                       sass_info((enum sass_op)i->op)->name);
    address_rows(vector, regs, regs->r, access->index, access->wide);
    address_rows(uniform, regs, regs->u, access->uniform, access->uniform_wide);
    if (!wide) { /* as those of shared memory: most of them */
        for (unsigned l = 0; l < LANES; l++)
            out->address[l] =
                vector[0][l] * (uint32_t)access->scale + uniform[0][l] + (uint32_t)access->offset;
        return STEP_NEXT;
    }
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t low = (uint64_t)vector[0][l] * access->scale;
        const uint64_t base = extends ? (uint64_t)(int64_t)(int32_t)low : low | (uint64_t)vector[1][l] << 32;
        const uint64_t added = uniform[0][l] | (uint64_t)uniform[1][l] << 32;

        out->address[l] = base + added + (uint64_t)(int64_t)access->offset;
    }
    return STEP_NEXT;
}

/* Where a generic address lies. */
enum sass_space space_of(uint64_t address)
{
    if (address >> 32 == SHARED_WINDOW >> 32)
        return SASS_SPACE_SHARED;
    return address >> 32 == LOCAL_WINDOW >> 32 ? SASS_SPACE_LOCAL : SASS_SPACE_GLOBAL;
}

/* Local memory of a warp is interleaved: word w of lane l lies at 128 w + 4 l. */
static uint64_t interleaved(uint64_t address, unsigned lane)
{
    return (address & 0xffffffff) / 4 * LINE + 4 * lane + (address & 3);
}

/* Whether the lanes want the same word, each of its own memory: nearly always. */
static bool same_words(const struct request *request, uint32_t mask)
{
    bool same = true;

    for (uint32_t left = mask; left; left &= left - 1)
        same &= (uint32_t)(request->address[__builtin_ctz(left)] ^ request->address[__builtin_ctz(mask)]) < 4;
    return same;
}

/* How many sectors of a line those lanes have that want one word each. */
static unsigned sectors_of_lanes(uint32_t mask)
{
    const unsigned lanes = SECTOR / 4;
    unsigned sectors = 0;

    for (unsigned l = 0; l < LANES; l += lanes)
        sectors += (mask >> l & ((1u << lanes) - 1)) != 0;
    return sectors;
}

/* A 32-byte sector and a 128-byte line of local memory: wider accesses take one line for each word. */
static void count_local(struct cost *cost, const struct request *request, uint32_t mask)
{
    const unsigned words = request->width > 4 ? request->width / 4 : 1;
    uint64_t address[LANES];

    if (same_words(request, mask)) {
        cost->sectors += words * sectors_of_lanes(mask);
        cost->lines += words * (mask != 0);
        return;
    }
    for (unsigned w = 0; w < words; w++) {
        for (unsigned l = 0; l < LANES; l++)
            address[l] = interleaved(request->address[l] + 4 * w, l);
        cost->sectors += count_blocks(address, mask, 4, SECTOR);
        cost->lines += count_blocks(address, mask, 4, LINE);
    }
}

/* Lanes by space: global, shared, local. Constant memory is none of them. */
static void split_spaces(uint32_t spaces[3], const struct request *request)
{
    spaces[0] = spaces[1] = spaces[2] = 0;
    if (request->space == SASS_SPACE_CONSTANT)
        return;
    if (request->space != SASS_SPACE_GENERIC) {
        spaces[request->space == SASS_SPACE_SHARED  ? 1
               : request->space == SASS_SPACE_LOCAL ? 2
                                                    : 0] = request->mask;
        return;
    }
    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const enum sass_space space = space_of(request->address[lane]);

        spaces[space == SASS_SPACE_SHARED ? 1 : space == SASS_SPACE_LOCAL ? 2 : 0] |= lane_bit(lane);
    }
}

bool request_is_global(const struct request *request)
{
    uint32_t spaces[3];

    split_spaces(spaces, request);
    return spaces[0] != 0;
}

static bool is_one_sector(uint64_t least, uint64_t most)
{
    return least / SECTOR == most / SECTOR;
}

/* Sectors and lines of lanes that go through as those of `width` bytes do. */
static struct count_near count_both(const struct request *request, uint32_t mask, unsigned width,
                                    uint64_t least, uint64_t most)
{
    const uint64_t base = least / LINE * LINE;

    if (is_one_sector(least, most))
        return count_nearest(mask, width);
    if (most - base < COUNT_NEAR)
        return count_near(request->address, mask, width, base);
    return (struct count_near){.sectors = count_blocks(request->address, mask, width, SECTOR),
                               .lines = count_blocks(request->address, mask, width, LINE)};
}

/* Pieces that come from DRAM each by itself, from the lowest line on, so that lanes moved by lines have as many. */
static unsigned count_places(const struct request *request, uint32_t mask, uint64_t least, uint64_t most)
{
    const uint64_t base = least / LINE * LINE, span = (most - base) / DRAM_GRANULE;
    uint64_t address[LANES];

    if (span < 2)
        return (unsigned)span + 1;
    for (unsigned l = 0; l < LANES; l++)
        address[l] = request->address[l] - base;
    return count_blocks(address, mask, UNDIVIDED, DRAM_GRANULE);
}

static unsigned most_of_two(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* What lanes in global memory cost, all of them between the lowest and the highest address. */
static void count_global(struct cost *cost, const struct request *request, uint32_t mask, uint64_t least,
                         uint64_t most)
{
    const struct count_near both = count_both(request, mask, request->width, least, most);
    const struct count_near once =
        request->width > UNDIVIDED ? count_both(request, mask, UNDIVIDED, least, most) : both;

    cost->sectors += both.sectors;
    cost->lines += both.lines;
    cost->places = count_places(request, mask, least, most);
    cost->sectors_once = once.sectors;
    cost->lines_once = once.lines;
    cost->passes += most_of_two(count_narrow(least, most, request->width)
                                    ? both.parts
                                    : count_passes(request->address, mask, request->width),
                                (both.lines + LINES_A_PASS - 1) / LINES_A_PASS);
}

/* What a copy writes; where it reads is the request before it. */
static void count_copy(struct cost *cost, const struct emulation *emulation, const struct request *request,
                       uint32_t mask)
{
    const struct pattern *from = &emulation->patterns[emulation->first_pattern[request->index]];

    cost->filled += count_blocks(request->address, mask, request->width, SECTOR);
    if (request->i->mod[SASS_MOD_BYPASS] && from->mask == mask)
        cost->askew = count_askew(from->address, request->address, mask);
}

/* What one request costs, from its lowest address to the highest. */
static void find_cost(struct cost *cost, const struct emulation *emulation, const struct request *request,
                      uint64_t least, uint64_t most)
{
    uint32_t spaces[3];

    *cost = (struct cost){0};
    split_spaces(spaces, request);
    if (spaces[0])
        count_global(cost, request, spaces[0], least, most);
    if (spaces[1])
        cost->wavefronts += atomic_spins(request->i)
                                ? SPIN_PASSES
                                : count_wavefronts(request->address, spaces[1], request->width);
    if (spaces[1] && request->second)
        count_copy(cost, emulation, request, spaces[1]);
    if (spaces[2])
        count_local(cost, request, spaces[2]);
    if (emulation->cluster && remote_asks(request))
        remote_count(cost, request, cluster_rank(emulation, emulation->own.position));
}

static void take_pattern(struct pattern *out, const struct emulation *emulation,
                         const struct request *request)
{
    out->mask = request->mask;
    memcpy(out->address, request->address, sizeof out->address);
    out->bits = 0;
    count_extent(&out->least, &out->most, request->address, request->mask);
    for (unsigned l = 0; l < LANES; l++)
        out->bits |= request->mask == ALL_LANES || request->mask >> l & 1 ? request->address[l] : 0;
    find_cost(&out->cost, emulation, request, out->least, out->most);
}

bool request_costs_same(const struct pattern *pattern, const struct request *request, uint64_t moved)
{
    const bool words_only = (request->space == SASS_SPACE_SHARED && !request->second) ||
                            request->space == SASS_SPACE_LOCAL || request->space == SASS_SPACE_CONSTANT;

    if (moved % (words_only ? WORD : LINE) == 0)
        return true;
    return request->space == SASS_SPACE_GLOBAL && is_one_sector(pattern->least, pattern->most) &&
           is_one_sector(pattern->least + moved, pattern->most + moved);
}

/* The same of a request whose lanes are as far from each other, but lie elsewhere in their sectors. */
static void move_pattern(struct pattern *out, const struct emulation *emulation,
                         const struct request *request, uint64_t moved)
{
    const uint64_t least = out->least + moved, most = out->most + moved;

    if (least > most) { /* some went beyond the end of all addresses */
        take_pattern(out, emulation, request);
        return;
    }
    out->least = least;
    out->most = most;
    out->bits |= moved;
    memcpy(out->address, request->address, sizeof out->address);
    find_cost(&out->cost, emulation, request, least, most);
}

const struct pattern *request_pattern(struct emulation *emulation, const struct request *request)
{
    struct pattern *pattern =
        &emulation->patterns[emulation->first_pattern[request->index] + request->second];
    const uint64_t moved = request->address[0] - pattern->address[0];
    uint64_t other = request->mask ^ pattern->mask;

    if (request->space == SASS_SPACE_CONSTANT) {
        constants_pattern(pattern, request);
        return pattern;
    }
    for (unsigned l = 0; l < LANES && !other; l += 8)
        for (unsigned k = l; k < l + 8; k++)
            other |= (request->address[k] - pattern->address[k]) ^ moved;
    if (other || remote_asks(request))
        take_pattern(pattern, emulation, request);
    else if (!request_costs_same(pattern, request, moved))
        move_pattern(pattern, emulation, request, moved);
    return pattern;
}

void request_tally(struct emulation *emulation, const struct request *request, const struct pattern *pattern,
                   uint64_t times)
{
    const struct cost *cost = &pattern->cost;
    struct emulate_count *count;

    if (emulation->lowest) /* whose block has no counts */
        return;
    count = &emulation->block->counts[request->index];
    if (!request->second) {
        const unsigned lanes = (unsigned)__builtin_popcount(request->mask);

        count->requests += times;
        count->lanes += times * lanes;
        count->bytes += times * lanes * request->width;
        emulation->block->touches[request->index].led += request_leads(emulation, request) ? times : 0;
        if (emulation->running < REUSE_DISTANCE_WARPS && request->access & SASS_READS &&
            request->space != SASS_SPACE_CONSTANT)
            emulation->distance.loads[emulation->running] += times;
    }
    count->sectors += times * cost->sectors;
    if (request->space == SASS_SPACE_CONSTANT)
        emulation->block->touches[request->index].jumped += times * cost->lines;
    else
        count->lines += times * cost->lines;
    count->places += times * cost->places;
    count->sectors_once += times * cost->sectors_once;
    count->lines_once += times * cost->lines_once;
    count->wavefronts += times * cost->wavefronts;
    count->passes += times * cost->passes;
    count->filled += times * cost->filled;
    count->askew_sectors += times * cost->askew.sectors;
    count->askew_lines += times * cost->askew.lines;
    count->remote_lines += times * cost->remote_lines;
    count->remote_sectors += times * cost->remote_sectors;
    count->remote_parts += times * cost->remote_parts;
}

/* Smallest and largest are found as with integers. */
static bool adds_floats(const struct sass *i)
{
    return (i->op == SASS_REDG || i->op == SASS_RED || i->op == SASS_ATOMG || i->op == SASS_ATOM) &&
           i->mod[SASS_MOD_ATOMIC] == SASS_ATOMIC_ADD && i->mod[SASS_MOD_TYPE] >= SASS_TYPE_F16;
}

bool request_counts_constants(const struct emulation *emulation, const struct sass *i)
{
    return !emulation->skip_constants && sass_indexes_constants(i);
}

int request_count(struct emulation *emulation, const struct request *request, const struct pattern *pattern)
{
    uint32_t spaces[3];

    if (!request->mask || emulation->rehearsing)
        return 0;
    request_tally(emulation, request, pattern, 1);
    split_spaces(spaces, request);
    if (spaces[0] && request->i->accesses[0].access & SASS_ATOMICALLY && !emulation->lowest &&
        contention_note(&emulation->contention, emulation->result->block_count, request->address, spaces[0],
                        adds_floats(request->i), emulation->err))
        return ERR_MEMORY;
    return spaces[0] ? request_touch(emulation, request, spaces[0]) : 0;
}

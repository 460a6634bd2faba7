#include "model/emulate/count.h"

#include "model/sass/arch/geometry.h"

/* Lanes that go through together. */
static unsigned part_lanes(unsigned width)
{
    return width <= 4 ? 32 : width <= 8 ? 16 : width <= 16 ? 8 : 4;
}

/* Different values of address >> shift among the lanes of `mask`, where they ascend; else 0. */
static unsigned count_ascending(const uint64_t address[LANES], uint32_t mask, unsigned shift)
{
    uint64_t last = mask ? address[__builtin_ctz(mask)] >> shift : 0;
    unsigned count = mask != 0;

    for (; mask; mask &= mask - 1) {
        const uint64_t value = address[__builtin_ctz(mask)] >> shift;

        if (value < last)
            return 0;
        count += value != last;
        last = value;
    }
    return count;
}

/* The same in any order: a table of those seen, at most half full. */
static unsigned count_distinct(const uint64_t address[LANES], uint32_t mask, unsigned shift)
{
    uint64_t seen[2 * LANES], taken = 0, last = 0;

    for (; mask; mask &= mask - 1) {
        const uint64_t value = address[__builtin_ctz(mask)] >> shift;
        unsigned at = (unsigned)(value * UINT64_C(0x9e3779b97f4a7c15) >> 58);

        if (taken && value == last)
            continue;
        last = value;
        while (taken >> at & 1 && seen[at] != value)
            at = (at + 1) % (2 * LANES);
        seen[at] = value;
        taken |= UINT64_C(1) << at;
    }
    return (unsigned)__builtin_popcountll(taken);
}

/* The first of the lanes that go through together. */
static uint32_t first_part(unsigned lanes)
{
    return lanes == LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
}

unsigned count_blocks(const uint64_t address[LANES], uint32_t mask, unsigned width, unsigned size)
{
    const unsigned lanes = part_lanes(width), shift = (unsigned)__builtin_ctz(size);
    const uint32_t part = first_part(lanes);
    unsigned count = 0;

    for (unsigned first = 0; first < LANES; first += lanes) {
        const unsigned ascending = count_ascending(address, mask & part << first, shift);

        count += ascending ? ascending : count_distinct(address, mask & part << first, shift);
    }
    return count;
}

struct count_near count_near(const uint64_t address[LANES], uint32_t mask, unsigned width, uint64_t base)
{
    const unsigned lanes = part_lanes(width);
    struct count_near out = {0};

    for (unsigned first = 0; first < LANES; first += lanes) {
        uint64_t sectors = 0, lines;

        for (uint32_t left = mask & first_part(lanes) << first; left; left &= left - 1)
            sectors |= UINT64_C(1) << (address[__builtin_ctz(left)] - base) / SECTOR;
        lines = sectors | sectors >> 1;
        lines = (lines | lines >> 2) & UINT64_C(0x1111111111111111);
        out.sectors += (unsigned)__builtin_popcountll(sectors);
        out.lines += (unsigned)__builtin_popcountll(lines);
        out.parts += sectors != 0;
    }
    return out;
}

struct count_near count_nearest(uint32_t mask, unsigned width)
{
    const unsigned lanes = part_lanes(width);
    unsigned parts = 0;

    for (unsigned first = 0; first < LANES; first += lanes)
        parts += (mask & first_part(lanes) << first) != 0;
    return (struct count_near){.sectors = parts, .lines = parts, .parts = parts};
}

static unsigned words_of(unsigned width)
{
    return width > 4 ? width / 4 : 1;
}

bool count_narrow(uint64_t least, uint64_t most, unsigned width)
{
    return most / 4 - least / 4 + words_of(width) <= BANKS;
}

void count_extent(uint64_t *least, uint64_t *most, const uint64_t address[LANES], uint32_t mask)
{
    uint64_t low = UINT64_MAX, high = 0;

    for (unsigned l = 0; l < LANES && mask == UINT32_MAX; l++) { /* the frequent case */
        low = address[l] < low ? address[l] : low;
        high = address[l] > high ? address[l] : high;
    }
    for (uint32_t left = mask == UINT32_MAX ? 0 : mask; left; left &= left - 1) {
        const uint64_t at = address[__builtin_ctz(left)];

        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    *least = low;
    *most = high;
}

/* Whether all words lie so close together that each has a bank for itself. */
static bool is_narrow(const uint64_t address[LANES], uint32_t mask, unsigned width)
{
    uint64_t least, most;

    count_extent(&least, &most, address, mask);
    return count_narrow(least, most, width);
}

/* Passes for lanes that go through together. */
static unsigned part_wavefronts(const uint64_t address[LANES], uint32_t mask, unsigned width)
{
    uint64_t words[BANKS][LANES];
    unsigned used[BANKS] = {0}, most = 0;
    const unsigned words_per_lane = words_of(width);

    if (mask && is_narrow(address, mask, width))
        return 1;
    for (; mask; mask &= mask - 1) {
        const uint64_t first = address[__builtin_ctz(mask)] / 4;

        for (unsigned w = 0; w < words_per_lane; w++) {
            const unsigned bank = (unsigned)((first + w) % BANKS);
            unsigned k = 0;

            while (k < used[bank] && words[bank][k] != first + w)
                k++;
            if (k < used[bank])
                continue;
            words[bank][used[bank]++] = first + w;
            if (used[bank] > most)
                most = used[bank];
        }
    }
    return most;
}

unsigned count_passes(const uint64_t address[LANES], uint32_t mask, unsigned width)
{
    const unsigned lanes = part_lanes(width);
    const uint32_t part = first_part(lanes);
    unsigned count = 0;

    for (unsigned first = 0; first < LANES; first += lanes)
        count += part_wavefronts(address, mask & part << first, width);
    return count;
}

/* Whether every lane of `mask` whose partner lane ^ distance is in it reads the partner's address. */
static bool partners_agree(const uint64_t address[LANES], uint32_t mask, unsigned distance)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), partner = lane ^ distance;

        if (mask >> partner & 1 && address[lane] != address[partner])
            return false;
    }
    return true;
}

/* Two neighbouring parts of `lanes` lanes each. */
static unsigned two_parts(const uint64_t address[LANES], uint32_t mask, unsigned width, unsigned first,
                          unsigned lanes)
{
    const uint32_t part = (UINT32_C(1) << lanes) - 1;
    const uint32_t low = mask & part << first, high = mask & part << (first + lanes);

    if (partners_agree(address, low | high, 1) || partners_agree(address, low | high, 2))
        return part_wavefronts(address, low | high, width);
    return part_wavefronts(address, low, width) + part_wavefronts(address, high, width);
}

unsigned count_wavefronts(const uint64_t address[LANES], uint32_t mask, unsigned width)
{
    if (width <= 4)
        return part_wavefronts(address, mask, width);
    if (width <= 8)
        return two_parts(address, mask, width, 0, 16);
    return two_parts(address, mask, width, 0, 8) + two_parts(address, mask, width, 16, 8);
}

/* Where a lane of a copy reads and writes, and which half of its sector it writes if that goes to two of shared memory: such
 * halves go by themselves. */
struct ends {
    uint64_t from, to;
    unsigned half; /* 0: the sector stays whole */
};

/* Whether two lanes are in the same blocks of `size` bytes, where they read alone or at both ends. */
static bool are_together(const struct ends *a, const struct ends *b, unsigned size, bool both)
{
    return a->from / size == b->from / size && (!both || a->to / size == b->to / size);
}

struct askew_request {
    uint64_t line;
    unsigned sectors; /* a bit each */
};

static void find_half(struct ends *end, const struct ends *ends, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (are_together(end, &ends[k], SECTOR, false) && !are_together(end, &ends[k], SECTOR, true))
            end->half = 1 + (unsigned)(end->to / (SECTOR / 2) % 2);
}

/* The request of a lane: the sectors of its line that lanes like it read. */
static struct askew_request request_of(const struct ends *end, const struct ends *ends, unsigned count)
{
    struct askew_request out = {.line = end->from / LINE};

    for (unsigned k = 0; k < count; k++)
        if (are_together(end, &ends[k], LINE, true) && ends[k].half == end->half)
            out.sectors |= 1u << ends[k].from / SECTOR % (LINE / SECTOR);
    return out;
}

/* What a lane asks for that those before it do not. */
static void add_askew(struct count_askew *out, struct askew_request requests[LANES], const struct ends *ends,
                      unsigned count, unsigned all)
{
    const struct ends *end = &ends[count];
    struct askew_request *own = &requests[count];
    bool sector = true, piece = true, line = true, request = true; /* is a new one */

    *own = request_of(end, ends, all);
    for (unsigned k = 0; k < count; k++) {
        sector &= !are_together(end, &ends[k], SECTOR, false);
        piece &= !are_together(end, &ends[k], SECTOR, true);
        line &= own->line != requests[k].line;
        request &= own->line != requests[k].line || own->sectors != requests[k].sectors;
    }
    out->sectors += piece - sector;
    out->lines += request - line;
}

struct count_askew count_askew(const uint64_t from[LANES], const uint64_t to[LANES], uint32_t mask)
{
    struct askew_request requests[LANES];
    struct count_askew out = {0};
    struct ends ends[LANES];
    unsigned count = 0;
    uint64_t apart = 0;

    for (uint32_t left = mask; left; left &= left - 1, count++) {
        const unsigned lane = (unsigned)__builtin_ctz(left);

        ends[count] = (struct ends){.from = from[lane], .to = to[lane]};
        apart |= (to[lane] - from[lane]) ^ (ends[0].to - ends[0].from);
    }
    if (apart % LINE == 0) /* whole lines go to whole lines */
        return out;
    for (unsigned k = 0; k < count; k++)
        find_half(&ends[k], ends, count);
    for (unsigned k = 0; k < count; k++)
        add_askew(&out, requests, ends, k, count);
    return out;
}

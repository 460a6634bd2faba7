#include "check.h"

#include "base/hash.h"
#include "model/emulate/count.h"
#include "model/emulate/lane_spans.h"

enum { ALL = -1, SECTORS = 1024 };

/* Groups of `group` lanes share an address, groups lie `apart` bytes from one another. */
static void addresses(uint64_t out[32], unsigned group, unsigned apart)
{
    for (unsigned lane = 0; lane < 32; lane++)
        out[lane] = 4096 + lane / group * apart;
}

/* Cycles of a load by `width` bytes a lane, as an NVIDIA H200 took them from L1 (1.04 to 1.05 of these) and
 * from shared memory (1.00 to 1.09). */
static void passes_are_as_measured(void **state)
{
    static const struct {
        unsigned width, group, apart, l1, shared;
    } cases[] = {
        {4, 32, 0, 1, 1},  {4, 1, 4, 1, 1},     {4, 16, 128, 2, 2}, {4, 8, 128, 4, 4},
        {8, 32, 0, 2, 1},  {8, 4, 8, 2, 1},     {8, 1, 8, 2, 2},    {8, 8, 128, 4, 4},
        {8, 4, 128, 8, 8}, {16, 32, 0, 4, 2},   {16, 2, 16, 4, 2},  {16, 8, 16, 4, 2},
        {16, 1, 16, 4, 4}, {16, 16, 128, 4, 2}, {16, 8, 128, 4, 4}, {16, 4, 128, 8, 8},
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t address[32];

        addresses(address, cases[c].group, cases[c].apart);
        assert_int_equal(count_passes(address, (uint32_t)ALL, cases[c].width), cases[c].l1);
        assert_int_equal(count_wavefronts(address, (uint32_t)ALL, cases[c].width), cases[c].shared);
    }
}

/* A quarter of the warp counts its sectors and lines by itself; lanes off count for nothing. */
static void blocks_count_part_by_part(void **state)
{
    uint64_t address[32];

    addresses(address, 32, 0);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 4, 32), 1);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 8, 32), 2);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 16, 32), 4);
    assert_int_equal(count_blocks(address, 0xff, 16, 32), 1);
    assert_int_equal(count_passes(address, 0xff, 16), 1);
    addresses(address, 1, 16);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 16, 32), 16);
    assert_int_equal(count_blocks(address, (uint32_t)ALL, 16, 128), 4);
    assert_int_equal(count_passes(address, 0, 16), 0);
}

/* Lanes anywhere within some bytes, ascending or not, each on by chance. */
static uint32_t draw(uint64_t out[32], uint64_t n)
{
    const uint64_t range = UINT64_C(1) << (2 + n % 12);

    for (unsigned lane = 0; lane < 32; lane++)
        out[lane] = 4096 + (n % 3 ? hash_random(n, lane) % range : lane * range / 32) * 4;
    return n % 5 ? (uint32_t)hash_random(n, 99) : (uint32_t)ALL;
}

static unsigned count_plainly(const uint64_t address[32], uint32_t mask, unsigned size, unsigned bank,
                              unsigned banks)
{
    unsigned count = 0;

    for (unsigned lane = 0; lane < 32; lane++) {
        bool is_new = mask >> lane & 1 && address[lane] / size % banks == bank;

        for (unsigned k = 0; k < lane && is_new; k++)
            is_new = !(mask >> k & 1 && address[k] / size == address[lane] / size);
        count += is_new;
    }
    return count;
}

static void any_order_counts_the_same(void **state)
{
    for (uint64_t n = 0; n < 2000; n++) {
        uint64_t address[32];
        const uint32_t mask = draw(address, n);
        unsigned most = 0;

        for (unsigned bank = 0; bank < 32; bank++) {
            const unsigned here = count_plainly(address, mask, 4, bank, 32);

            most = here > most ? here : most;
        }
        assert_int_equal(count_blocks(address, mask, 4, 32), count_plainly(address, mask, 32, 0, 1));
        assert_int_equal(count_wavefronts(address, mask, 4), most);
    }
}

/* Of addresses that lie near each other, the same by bits, also in parts of the warp. */
static void near_ones_count_the_same(void **state)
{
    for (uint64_t n = 0; n < 2000; n++) {
        const unsigned width = 4u << n % 4;
        uint64_t address[32], least = UINT64_MAX, most = 0;
        const uint32_t mask = draw(address, n);
        struct count_near near;

        for (unsigned lane = 0; lane < 32; lane++) {
            address[lane] = 4096 + address[lane] % COUNT_NEAR / width * width;
            least = mask >> lane & 1 && address[lane] < least ? address[lane] : least;
            most = mask >> lane & 1 && address[lane] > most ? address[lane] : most;
        }
        near = count_near(address, mask, width, least / LINE * LINE);
        assert_int_equal(near.sectors, count_blocks(address, mask, width, SECTOR));
        assert_int_equal(near.lines, count_blocks(address, mask, width, LINE));
        if (mask && count_narrow(least, most, width))
            assert_int_equal(near.parts, count_passes(address, mask, width));
    }
}

/* Notes the sectors of bytes, counted from `base` on. */
static void mark(bool sectors[SECTORS], uint64_t base, uint64_t first, uint64_t end)
{
    for (uint64_t sector = (first - base) / SECTOR; sector <= (end - 1 - base) / SECTOR; sector++)
        sectors[sector] = true;
}

/* Wherever they are moved, spans touch the sectors that the lanes do, and no others. */
static void spans_touch_what_lanes_do(void **state)
{
    const uint64_t base = UINT64_C(1) << 20;

    for (uint64_t n = 0; n < 2000; n++) {
        const unsigned reach = 16u << n % 8, moved = (unsigned)(hash_random(n, 99) % SECTOR);
        struct request request = {.mask = (uint32_t)hash_random(n, 100) | 1, .width = 1u << n % 4};
        bool lanes[SECTORS] = {false}, found[SECTORS] = {false};
        struct span spans[LANES];
        unsigned count;

        for (unsigned lane = 0; lane < LANES; lane++)
            request.address[lane] = base + hash_random(n, lane) % reach * request.width;
        count = lane_spans(spans, &request);
        for (unsigned k = 0; k < count; k++)
            mark(found, base, spans[k].first + moved, spans[k].end + moved);
        for (unsigned lane = 0; lane < LANES; lane++)
            if (request.mask >> lane & 1)
                mark(lanes, base, request.address[lane] + moved,
                     request.address[lane] + request.width + moved);
        assert_memory_equal(found, lanes, sizeof lanes);
    }
}

/* One sector costs each part of the warp as much. */
static void nearest_ones_count_the_same(void **state)
{
    for (uint64_t n = 0; n < 200; n++) {
        const unsigned width = 1u << n % 5;
        const uint32_t mask = (uint32_t)hash_random(n, 100);
        const struct count_near nearest = count_nearest(mask, width);
        uint64_t address[32];
        struct count_near near;

        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = 4096 + hash_random(n, lane) % (SECTOR / width) * width;
        near = count_near(address, mask, width, 4096);
        assert_memory_equal(&near, &nearest, sizeof near);
    }
}

/* Rows of `units` times 16 bytes each, 256 bytes apart, to rows `pitch` apart, their units in another order. */
static struct count_askew askew(unsigned units, unsigned pitch, unsigned swizzle)
{
    uint64_t from[32], to[32];

    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned number = lane / units, unit = lane % units;

        from[lane] = 4096 + number * 256 + unit * 16;
        to[lane] = 1024 + number * pitch + (unit ^ swizzle) * 16;
    }
    return count_askew(from, to, (uint32_t)ALL);
}

/* Sectors that come to the SM and requests that L2 sees for 16 sectors in rows of so many units, as counters say: 24 and 16,
 * 24 and 12.9, 24 and 10.4 with 16 bytes between rows; 16 each, 10.0 and 7.0 with 32. */
static void askew_rows_are_asked_for_again(void **state)
{
    static const struct {
        unsigned units, between, sectors, requests;
    } cases[] = {{2, 16, 24, 16}, {4, 16, 24, 13}, {8, 16, 24, 10}, {2, 32, 16, 16}, {4, 32, 16, 10},
                 {8, 32, 16, 7},  {2, 0, 16, 16},  {4, 0, 16, 8},   {8, 0, 16, 4}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const unsigned pitch = cases[c].units * 16 + cases[c].between;
        const struct count_askew found = askew(cases[c].units, pitch, 0);

        assert_int_equal(16 + found.sectors, cases[c].sectors);
        assert_int_equal(32 / cases[c].units + found.lines, cases[c].requests);
    }
    assert_int_equal(askew(4, 64, 1).sectors, 0);
    assert_int_equal(askew(4, 64, 1).lines, 0);
}

int main(void)
{
    return RUN_TESTS(passes_are_as_measured, blocks_count_part_by_part, any_order_counts_the_same,
                     near_ones_count_the_same, nearest_ones_count_the_same, spans_touch_what_lanes_do,
                     askew_rows_are_asked_for_again);
}

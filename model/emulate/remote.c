#include "model/emulate/remote.h"

#include "model/emulate/cluster.h"
#include "model/emulate/count.h"
#include "model/sass/arch/geometry.h"

bool remote_asks(const struct request *request)
{
    return request->space == SASS_SPACE_GENERIC || request->i->op == SASS_STAS ||
           sass_is_bulk_across(request->i);
}

/* Of copies by the copy engine only those between blocks come here. */
static uint32_t remote_lanes(const struct request *request, unsigned own)
{
    uint32_t lanes = 0;

    if (sass_is_bulk(request->i))
        return request->mask;
    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t address = request->address[lane];
        const bool shared = request->space == SASS_SPACE_SHARED || space_of(address) == SASS_SPACE_SHARED;

        if (shared && cluster_rank_at((uint32_t)address) != own)
            lanes |= lane_bit(lane);
    }
    return lanes;
}

/* Blocks' shared memories lie apart, so that no line is of two. Stores go sector by sector, whichever lines these
 * are of: 32 sectors of an NVIDIA H200 take 54 to 56 cycles, four of a line 7.3. */
void remote_count(struct cost *cost, const struct request *request, unsigned own)
{
    const uint32_t lanes = remote_lanes(request, own);
    const unsigned count = (unsigned)__builtin_popcount(lanes), width = request->width;
    const uint8_t access = request->i->accesses[0].access;
    unsigned sectors;

    if (!lanes)
        return;
    sectors = count_blocks(request->address, lanes, width, SECTOR);
    cost->remote_lines = count_blocks(request->address, lanes, width, LINE);
    if (access & SASS_ATOMICALLY)
        cost->remote_parts = sectors + count - count_blocks(request->address, lanes, width, width);
    else
        cost->remote_sectors = sectors;
    if (!(access & SASS_READS))
        cost->remote_lines = (sectors + LINE / SECTOR - 1) / (LINE / SECTOR);
}

#include "model/emulate/remote.h"

#include "model/emulate/cluster.h"
#include "model/emulate/count.h"
#include "model/sass/arch/geometry.h"

static uint32_t remote_lanes(const struct request *request, unsigned own)
{
    uint32_t lanes = 0;

    for (uint32_t left = request->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t address = request->address[lane];

        if (space_of(address) == SASS_SPACE_SHARED && cluster_rank_at((uint32_t)address) != own)
            lanes |= lane_bit(lane);
    }
    return lanes;
}

/* Blocks' shared memories lie apart, so that no line is of two. */
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
    else if (access & SASS_WRITES && count * width < sectors * SECTOR)
        cost->remote_parts = sectors;
    else
        cost->remote_sectors = sectors;
}

/* What accesses touch: the sectors of a block, which of them are new to it, how far apart its warps come to the same. */
#include "model/emulate/access.h"

bool request_leads(const struct emulation *emulation, const struct request *request)
{
    uint8_t *leader = &emulation->leaders[request->index];

    if (!*leader)
        *leader = (uint8_t)(emulation->running + 1);
    return *leader == emulation->running + 1;
}

static void note_touch(struct emulation *emulation, const struct request *request, uint64_t address,
                       uint64_t fresh)
{
    struct emulate_touch *touch = &emulation->block->touches[request->index];
    const struct region *region;

    touch->fresh += fresh;
    touch->own += request_leads(emulation, request) ? fresh : 0;
    if (!touch->region && (region = memory_region(&emulation->memory, address, 1)))
        touch->region = (uint32_t)(region - emulation->memory.regions) + 1;
}

/* The sector that ends a region is left out if it is not full, as it is by footprint_first(). */
static void note_lowest(struct emulation *emulation, uint64_t address)
{
    const struct region *region = memory_region(&emulation->memory, address, 1);
    const uint64_t sector = address / SECTOR;
    uint64_t *lowest;
    size_t r;

    if (!region || sector >= (region->address + region->bytes) / SECTOR)
        return;
    r = (size_t)(region - emulation->memory.regions);
    lowest = &emulation->lowest[r];
    if (!*lowest && emulation->until && emulation->until[r] && !--emulation->missing)
        emulation->budget = 0; /* the look is over after this instruction */
    if (!*lowest || sector * SECTOR < *lowest)
        *lowest = sector * SECTOR;
}

int request_mark(struct emulation *emulation, const struct request *request, uint64_t address, uint64_t bytes,
                 int64_t step, uint64_t count)
{
    struct emulate_block *block = emulation->block;
    const bool reads = request->access & (SASS_READS | SASS_ATOMICALLY);
    const uint64_t read = block->read.sectors, written = block->written.sectors;
    int rc = 0;

    if (emulation->lowest) {
        if (reads)
            note_lowest(emulation, step < 0 ? address + (uint64_t)step * (count - 1) : address);
        return 0;
    }
    if (reads)
        rc = footprint_mark_moving(&block->read, address, bytes, step, count, emulation->err);
    if (!rc && request->access & (SASS_WRITES | SASS_ATOMICALLY))
        rc = footprint_mark_moving(&block->written, address, bytes, step, count, emulation->err);
    note_touch(emulation, request, address,
               reads ? block->read.sectors - read : block->written.sectors - written);
    return rc;
}

/* How far apart two warps load from the sector, or one does again. */
static int note_crossing(struct emulation *emulation, const struct request *request, uint64_t address)
{
    struct emulate_touch *touch;
    uint64_t apart = 0;
    bool known;
    int rc;

    if (emulation->running >= REUSE_DISTANCE_WARPS || !(request->access & SASS_READS) || emulation->lowest)
        return 0;
    touch = &emulation->block->touches[request->index];
    rc = reuse_distance_note(&known, &apart, &emulation->distance, emulation->running, address / SECTOR,
                             emulation->err);
    if (!rc && known && emulation->running) {
        touch->shared++;
        touch->apart += apart;
    } else if (!rc && known && apart) {
        touch->came_back++;
        touch->between += apart;
    }
    return rc;
}

static int mark_lanes(struct emulation *emulation, const struct request *request, uint32_t mask)
{
    uint64_t last = UINT64_MAX;

    for (; mask; mask &= mask - 1) {
        const uint64_t address = request->address[__builtin_ctz(mask)];
        int rc;

        if (address / SECTOR == last && request->width <= SECTOR)
            continue;
        last = address / SECTOR;
        rc = request_mark(emulation, request, address, request->width, 0, 1);
        if (!rc)
            rc = note_crossing(emulation, request, address);
        if (rc)
            return rc;
    }
    return 0;
}

int request_touch(struct emulation *emulation, const struct request *request, uint32_t mask)
{
    struct emulate_touch *touch;
    uint64_t before;
    int rc;

    if (emulation->lowest) /* whose block has no touches */
        return mark_lanes(emulation, request, mask);
    touch = &emulation->block->touches[request->index];
    before = touch->own;
    rc = mark_lanes(emulation, request, mask);
    touch->late += touch->own > before;
    return rc;
}

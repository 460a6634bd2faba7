#include "model/emulate/alike.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 128, CORNERS = 8, WARPS = 32 };

struct alike {
    unsigned order[WARPS], warps, probes; /* the order of the warps, the probes first */

    /* What the probes of the first block did. */
    bool kept;
    size_t block; /* of the result */
    uint64_t hashes[CORNERS];
    struct emulate_count *counts;
    struct emulate_touch *touches;
    int64_t *issue_steps;
    struct footprint read, written;
};

static void add_warp(struct alike *alike, unsigned warp)
{
    for (unsigned k = 0; k < alike->warps; k++)
        if (alike->order[k] == warp)
            return;
    alike->order[alike->warps++] = warp;
}

int alike_open(struct alike **out, const unsigned block[3], struct err *err)
{
    const unsigned last[3] = {block[0] - 1, block[1] - 1, block[2] - 1};
    const unsigned warps = (block[0] * block[1] * block[2] + LANES - 1) / LANES;
    struct alike *alike = *out = calloc(1, sizeof *alike);

    if (!alike)
        return err_memory(err);
    for (unsigned k = 0; k < CORNERS; k++) {
        const unsigned x = k & 1 ? last[0] : 0, y = k & 2 ? last[1] : 0, z = k & 4 ? last[2] : 0;

        add_warp(alike, (x + block[0] * (y + block[1] * z)) / LANES);
    }
    alike->probes = alike->warps;
    for (unsigned w = 0; w < warps; w++)
        add_warp(alike, w);
    return 0;
}

void alike_forget(struct alike *alike)
{
    if (!alike)
        return;
    free(alike->counts);
    free(alike->touches);
    free(alike->issue_steps);
    alike->counts = NULL;
    alike->touches = NULL;
    alike->issue_steps = NULL;
    footprint_release(&alike->read);
    footprint_release(&alike->written);
    alike->kept = false;
}

void alike_close(struct alike *alike)
{
    alike_forget(alike);
    free(alike);
}

bool alike_applies(const struct alike *alike, const struct emulation *emulation)
{
    return alike && !emulation->slice.reads_global && alike->warps > alike->probes;
}

unsigned alike_warp(const struct alike *alike, unsigned turn)
{
    return alike->order[turn];
}

static int probe_hashes(uint64_t hashes[CORNERS], const struct alike *alike, struct emulation *emulation)
{
    int rc = 0;

    memset(hashes, 0, CORNERS * sizeof *hashes);
    for (unsigned k = 0; k < alike->probes && !rc; k++)
        rc = trace_finish(&hashes[k], &emulation->warps[alike->order[k]].trace, emulation->err);
    return rc;
}

static int keep(struct alike *alike, struct emulation *emulation)
{
    const struct emulate_block *block = emulation->block;
    const size_t counts = emulation->count * sizeof *alike->counts;
    const size_t touches = emulation->count * sizeof *alike->touches;
    const size_t steps = (emulation->count + 1) * sizeof *alike->issue_steps;
    int rc;

    alike->counts = malloc(counts);
    alike->touches = malloc(touches);
    alike->issue_steps = malloc(steps);
    if (!alike->counts || !alike->touches || !alike->issue_steps)
        return err_memory(emulation->err);
    memcpy(alike->counts, block->counts, counts);
    memcpy(alike->touches, block->touches, touches);
    memcpy(alike->issue_steps, emulation->issue_steps, steps);
    alike->block = emulation->result->block_count - 1;
    alike->kept = true;
    rc = footprint_copy(&alike->read, &block->read, emulation->err);
    if (!rc)
        rc = footprint_copy(&alike->written, &block->written, emulation->err);
    return rc ? rc : probe_hashes(alike->hashes, alike, emulation);
}

/* Whether the probes took the same paths and count the same. */
static int counts_agree(bool *out, const struct alike *alike, struct emulation *emulation)
{
    uint64_t hashes[CORNERS];
    const int rc = probe_hashes(hashes, alike, emulation);

    *out = !rc && !memcmp(hashes, alike->hashes, sizeof hashes) &&
           !memcmp(emulation->block->counts, alike->counts, emulation->count * sizeof *alike->counts) &&
           !memcmp(emulation->block->touches, alike->touches, emulation->count * sizeof *alike->touches) &&
           !memcmp(emulation->issue_steps, alike->issue_steps, emulation->count * sizeof *alike->issue_steps);
    return rc;
}

/* How far the probes of this block are from those of the first one in a region; false where nobody can tell,
 * or the requests would not cost the same. */
static bool find_distance(int64_t *out, const struct alike *alike, const struct emulate_block *block,
                          const struct emulate_block *first, const struct region *region)
{
    const uint64_t from = region->address, end = region->address + region->bytes;
    uint64_t there, here;

    *out = 0;
    if (footprint_first(&there, &alike->read, from, end))
        return footprint_first(&here, &block->read, from, end) &&
               (*out = (int64_t)(here - there)) % LINE == 0;
    if (footprint_first(&there, &alike->written, from, end))
        return footprint_first(&here, &block->written, from, end) &&
               (*out = (int64_t)(here - there)) % LINE == 0;
    return !footprint_first(&there, &first->read, from, end) &&
           !footprint_first(&there, &first->written, from, end);
}

/* What of two footprints is in a region, moved. */
struct moved {
    struct footprint probe, whole;
};

static void moved_release(struct moved *moved)
{
    footprint_release(&moved->probe);
    footprint_release(&moved->whole);
}

static int move(struct moved *out, const struct footprint *probe, const struct footprint *whole,
                const struct region *region, int64_t distance, struct err *err)
{
    const uint64_t from = region->address, end = region->address + region->bytes;
    const int rc = footprint_move(&out->probe, probe, from, end, distance, err);

    return rc ? rc : footprint_move(&out->whole, whole, from, end, distance, err);
}

/* Moves what the first block touched, region by region, to where this one would; *good where its probes are
 * there. */
static int move_all(bool *good, struct moved *read, struct moved *written, const struct alike *alike,
                    struct emulation *emulation)
{
    const struct emulate_block *first = &emulation->result->blocks[alike->block], *block = emulation->block;
    int rc = 0;

    *good = true;
    for (size_t k = 0; k < emulation->memory.region_count && *good && !rc; k++) {
        const struct region *region = &emulation->memory.regions[k];
        int64_t distance;

        *good = find_distance(&distance, alike, block, first, region);
        if (*good)
            rc = move(read, &alike->read, &first->read, region, distance, emulation->err);
        if (*good && !rc)
            rc = move(written, &alike->written, &first->written, region, distance, emulation->err);
    }
    *good = *good && !rc && footprint_equal(&read->probe, &block->read) &&
            footprint_equal(&written->probe, &block->written);
    return rc;
}

static void take_footprint(struct footprint *out, struct footprint *from)
{
    footprint_release(out);
    *out = *from;
    *from = (struct footprint){0};
}

/* They are the same, and remain so. */
static void borrow_counts(struct emulate_block *out, const struct emulate_block *from)
{
    free(out->counts);
    free(out->touches);
    out->counts = from->counts;
    out->touches = from->touches;
    out->borrows = true;
    memcpy(out->paths, from->paths, out->warps * sizeof *out->paths);
}

int alike_probe(struct alike *alike, struct emulation *emulation, unsigned turn)
{
    struct moved read = {0}, written = {0};
    bool good;
    int rc;

    if (turn + 1 != alike->probes)
        return 0;
    if (!alike->kept)
        return keep(alike, emulation);
    rc = counts_agree(&good, alike, emulation);
    if (rc || !good)
        return rc;
    rc = move_all(&good, &read, &written, alike, emulation);
    if (good) {
        borrow_counts(emulation->block, &emulation->result->blocks[alike->block]);
        take_footprint(&emulation->block->read, &read.whole);
        take_footprint(&emulation->block->written, &written.whole);
    }
    moved_release(&read);
    moved_release(&written);
    return rc ? rc : good;
}

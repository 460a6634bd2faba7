#include "model/emulate/memoize.h"

#include "model/emulate/origin.h"
#include "model/sass/arch/geometry.h"

#include <stdlib.h>
#include <string.h>

enum { CORNERS = 8, WARPS = 32 };

enum { DEAR = 1 << 15 }; /* instructions of a block that had better not be executed again */

struct memo {
    unsigned order[WARPS], warps, probes; /* the order of the warps, the probes first */

    /* What the probes of the first block did. */
    bool kept;
    enum { NOT_ASKED, STRAYS, MOVES } places; /* of what blocks access */
    size_t block;                             /* of the result */
    uint64_t hashes[CORNERS];
    struct emulate_count *counts;
    struct emulate_touch *touches;
    int64_t *issue_steps;
    struct footprint read, written;
};

static void add_warp(struct memo *memo, unsigned warp)
{
    for (unsigned k = 0; k < memo->warps; k++)
        if (memo->order[k] == warp)
            return;
    memo->order[memo->warps++] = warp;
}

int memo_open(struct memo **out, const unsigned block[3], struct err *err)
{
    const unsigned last[3] = {block[0] - 1, block[1] - 1, block[2] - 1};
    const unsigned warps = (block[0] * block[1] * block[2] + LANES - 1) / LANES;
    struct memo *memo = *out = calloc(1, sizeof *memo);

    if (!memo)
        return err_memory(err);
    for (unsigned k = 0; k < CORNERS; k++) {
        const unsigned x = k & 1 ? last[0] : 0, y = k & 2 ? last[1] : 0, z = k & 4 ? last[2] : 0;

        add_warp(memo, (x + block[0] * (y + block[1] * z)) / LANES);
    }
    memo->probes = memo->warps;
    for (unsigned w = 0; w < warps; w++)
        add_warp(memo, w);
    return 0;
}

void memo_forget(struct memo *memo)
{
    if (!memo)
        return;
    free(memo->counts);
    free(memo->touches);
    free(memo->issue_steps);
    memo->counts = NULL;
    memo->touches = NULL;
    memo->issue_steps = NULL;
    footprint_release(&memo->read);
    footprint_release(&memo->written);
    memo->kept = false;
}

void memo_close(struct memo *memo)
{
    memo_forget(memo);
    free(memo);
}

bool memo_applies(const struct memo *memo, const struct emulation *emulation)
{
    return memo && !emulation->slice.reads_global && memo->warps > memo->probes;
}

unsigned memo_warp(const struct memo *memo, unsigned turn)
{
    return memo->order[turn];
}

static int probe_hashes(uint64_t hashes[CORNERS], const struct memo *memo, struct emulation *emulation)
{
    int rc = 0;

    memset(hashes, 0, CORNERS * sizeof *hashes);
    for (unsigned k = 0; k < memo->probes && !rc; k++)
        rc = trace_finish(&hashes[k], &emulation->own.warps[memo->order[k]].trace, emulation->err);
    return rc;
}

static int keep(struct memo *memo, struct emulation *emulation)
{
    const struct emulate_block *block = emulation->block;
    const size_t counts = emulation->count * sizeof *memo->counts;
    const size_t touches = emulation->count * sizeof *memo->touches;
    const size_t steps = (emulation->count + 1) * sizeof *memo->issue_steps;
    int rc;

    memo->counts = malloc(counts);
    memo->touches = malloc(touches);
    memo->issue_steps = malloc(steps);
    if (!memo->counts || !memo->touches || !memo->issue_steps)
        return err_memory(emulation->err);
    memcpy(memo->counts, block->counts, counts);
    memcpy(memo->touches, block->touches, touches);
    memcpy(memo->issue_steps, emulation->issue_steps, steps);
    memo->block = emulation->result->block_count - 1;
    memo->kept = true;
    rc = footprint_copy(&memo->read, &block->read, emulation->err);
    if (!rc)
        rc = footprint_copy(&memo->written, &block->written, emulation->err);
    return rc ? rc : probe_hashes(memo->hashes, memo, emulation);
}

/* Looks whether all that blocks access moves with their position by constants: else what goes round a piece of memory, as
 * (i & 1023) does, may go round it in other warps than the probes. Of blocks that take long that is taken to be rare. */
static int find_places(struct memo *memo, const struct emulation *emulation)
{
    const struct emulate_block *first = &emulation->result->blocks[memo->block];
    struct origin origin;
    int rc;

    if (memo->places != NOT_ASKED)
        return 0;
    memo->places = MOVES;
    if (emulation->counted > DEAR)
        return 0;
    rc = origin_find(&origin, &emulation->slice, emulation->instructions, emulation->count, emulation->err);
    for (size_t i = 0; i < emulation->count && !rc; i++)
        if (origin.strays[i] && first->touches[i].region)
            memo->places = STRAYS;
    origin_release(&origin);
    return rc;
}

/* Whether the accesses add the same to what their blocks touch. How far back they find it is seen of those that are
 * executed one by one, which are fewer once a loop is known. */
static bool touches_agree(const struct emulate_touch *a, const struct emulate_touch *b, size_t count)
{
    bool agree = true;

    for (size_t k = 0; k < count && agree; k++)
        agree = a[k].fresh == b[k].fresh && a[k].own == b[k].own && a[k].region == b[k].region &&
                a[k].led == b[k].led && a[k].late == b[k].late && a[k].table_lines == b[k].table_lines &&
                a[k].table_moves == b[k].table_moves && a[k].table_first == b[k].table_first;
    return agree;
}

/* Whether the probes took the same paths and count the same. */
static int counts_agree(bool *out, const struct memo *memo, struct emulation *emulation)
{
    uint64_t hashes[CORNERS];
    const int rc = probe_hashes(hashes, memo, emulation);

    *out = !rc && !memcmp(hashes, memo->hashes, sizeof hashes) &&
           !memcmp(emulation->block->counts, memo->counts, emulation->count * sizeof *memo->counts) &&
           touches_agree(emulation->block->touches, memo->touches, emulation->count) &&
           !memcmp(emulation->issue_steps, memo->issue_steps, emulation->count * sizeof *memo->issue_steps);
    return rc;
}

/* How far the probes of this block are from those of the first one in a region; false where nobody can tell,
 * or the requests would not cost the same. */
static bool find_distance(int64_t *out, const struct memo *memo, const struct emulate_block *block,
                          const struct emulate_block *first, const struct region *region)
{
    const uint64_t from = region->address, end = region->address + region->bytes;
    uint64_t there, here;

    *out = 0;
    if (footprint_first(&there, &memo->read, from, end))
        return footprint_first(&here, &block->read, from, end) &&
               (*out = (int64_t)(here - there)) % LINE == 0;
    if (footprint_first(&there, &memo->written, from, end))
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
static int move_all(bool *good, struct moved *read, struct moved *written, const struct memo *memo,
                    struct emulation *emulation)
{
    const struct emulate_block *first = &emulation->result->blocks[memo->block], *block = emulation->block;
    int rc = 0;

    *good = true;
    for (size_t k = 0; k < emulation->memory.region_count && *good && !rc; k++) {
        const struct region *region = &emulation->memory.regions[k];
        int64_t distance;

        *good = find_distance(&distance, memo, block, first, region);
        if (*good)
            rc = move(read, &memo->read, &first->read, region, distance, emulation->err);
        if (*good && !rc)
            rc = move(written, &memo->written, &first->written, region, distance, emulation->err);
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
    out->issued = from->issued;
    out->borrows = true;
    memcpy(out->paths, from->paths, out->warps * sizeof *out->paths);
}

int memo_probe(struct memo *memo, struct emulation *emulation, unsigned turn)
{
    struct moved read = {0}, written = {0};
    bool good;
    int rc;

    if (turn + 1 != memo->probes)
        return 0;
    if (!memo->kept)
        return keep(memo, emulation);
    rc = find_places(memo, emulation);
    if (rc || memo->places == STRAYS)
        return rc;
    rc = counts_agree(&good, memo, emulation);
    if (rc || !good)
        return rc;
    rc = move_all(&good, &read, &written, memo, emulation);
    if (good) {
        borrow_counts(emulation->block, &emulation->result->blocks[memo->block]);
        take_footprint(&emulation->block->read, &read.whole);
        take_footprint(&emulation->block->written, &written.whole);
    }
    moved_release(&read);
    moved_release(&written);
    return rc ? rc : good;
}

/* Boxes of a grid whose blocks cannot be told apart by planes: one block of each cell is looked at. */
#include "model/emulate/division.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_CELLS = 2,   /* of a box that is not gone through */
    LEAST_LOADED = 6,  /* in cells, however much they cost: with loads of memory to be filled ... */
    LEAST_SIGNED = 24, /* ... and without, unless they cost more than ... */
    DEAR = 1 << 20,    /* ... so many instructions: less than a second of a core */
    FEWEST_PILOTS = 2,
    PILOTS_COST = PILOTS << 20, /* instructions for the pilots, unless there are FEWEST_PILOTS */
    ALIKE_COST = 1 << 24,       /* instructions for all blocks where pilots do the same */
    ALL = 4 /* times the budget: what all blocks may cost rather than those of cells, or more cells */
};

/* How far the mean of as many blocks may be off by chance, relative. */
#define CHANCE 0.02

/* Where pilots issue nearly the same, within so much, this share of the budget goes to more blocks. */
#define NEARLY       0.1
#define NEARLY_SHARE 0.5

/* Parts the borders of a box from what is inside along one axis. */
void division_part_borders(struct division *division, unsigned axis)
{
    const size_t count = division->box_count;

    for (size_t k = 0; k < count && division->extent[axis] > 3; k++) {
        struct box *box = &division->boxes[k], last = *box, inner = *box;

        last.from[axis] = box->to[axis];
        inner.from[axis] = box->from[axis] + 1;
        inner.to[axis] = box->to[axis] - 1;
        box->to[axis] = box->from[axis];
        division->boxes[division->box_count++] = inner;
        division->boxes[division->box_count++] = last;
    }
}

static void nth(unsigned at[3], const struct box *box, uint64_t n)
{
    for (unsigned axis = 0; axis < 3; axis++) {
        const uint64_t extent = (uint64_t)(box->to[axis] - box->from[axis]) + 1;

        at[axis] = box->from[axis] + (unsigned)(n % extent);
        n /= extent;
    }
}

/* Blocks of a box that lie next to each other: `blocks` of them from the one of number `first` on. */
struct cell {
    uint64_t first, blocks;
};

/* Cell number c of as many as `cells`, as equal as whole blocks let them be. */
static struct cell cell_of(const struct box *box, uint64_t cells, uint64_t c)
{
    const double all = box_volume(box), size = all / (double)cells;
    const uint64_t first = (uint64_t)(size * (double)c);
    const uint64_t end = c + 1 < cells ? (uint64_t)(size * (double)(c + 1)) : (uint64_t)all;

    return (struct cell){first, end > first ? end - first : 1};
}

/* Random numbers of a box's own. With those of other boxes the blocks picked of boxes of one size would lie at
 * the same places of all of them, and where the work grows along an axis all would err to the same side. */
static uint64_t stream_of(const struct box *box, uint64_t cells)
{
    uint64_t stream = cells;

    for (unsigned axis = 0; axis < 3; axis++)
        stream = box->from[axis] ? hash_mix(stream + axis) + box->from[axis] : stream;
    return stream;
}

void division_pick(unsigned at[3], const struct box *box, uint64_t cells, uint64_t cell, uint64_t draw)
{
    const struct cell own = cell_of(box, cells, cell);

    nth(at, box, own.first + hash_random(stream_of(box, cells) + draw * HASH_STEP, cell) % own.blocks);
}

/* What a pilot's warps issue. */
static uint64_t *counts_of_pilot(const struct division *division, uint64_t k)
{
    return division->pilot_counts + k * division->signer->emulation->count;
}

static size_t bytes_of_counts(const struct division *division)
{
    return division->signer->emulation->count * sizeof *division->pilot_counts;
}

/* Which pilot is of a cell: those of every other cell come first, and are of all where no others follow. */
static unsigned pilot_of(const struct division *division, uint64_t c)
{
    const unsigned every_other = (division->pilots_wanted + 1) / 2;

    if (division->pilot_count == every_other)
        return (unsigned)c;
    return (unsigned)(c / 2 + (c % 2 ? every_other : 0));
}

/* Signs a block of a cell, *at, unless a pilot is of it; what it issues is certain. */
static int sign_cell(struct signature *out, unsigned at[3], struct division *division, size_t k,
                     uint64_t cells, uint64_t c)
{
    int rc = 0;

    if (cells == division->pilot_count && k == division->piloted) {
        const unsigned pilot = pilot_of(division, c);

        *out = division->pilots[pilot].signature;
        memcpy(at, division->pilots[pilot].at, sizeof division->pilots[pilot].at);
        division->last_hash = out->hash;
        memcpy(division->signer->counts, counts_of_pilot(division, pilot), bytes_of_counts(division));
    } else {
        division_pick(at, &division->boxes[k], cells, c, 0);
        rc = division_sign(out, division, at);
    }
    if (!rc && division->out->known)
        division_add_certain(division, division->column);
    return rc;
}

/* The list is full at each power of two. */
static int note_looked(struct division *division, const struct looked *looked)
{
    const size_t count = division->looked_count;

    if (!(count & (count - 1))) {
        struct looked *list = realloc(division->looked, (count ? 2 * count : 1) * sizeof *list);

        if (!list)
            return err_memory(division->err);
        division->looked = list;
    }
    division->looked[division->looked_count++] = *looked;
    return 0;
}

/* One block of each of `cells` cells, which stands for those of its cell. */
static int sample_box(struct division *division, size_t k, uint64_t cells)
{
    const struct box *box = &division->boxes[k];
    const bool all = box_volume(box) <= (double)cells;
    int rc = 0;

    for (uint64_t c = 0; c < cells && !rc; c++) {
        struct looked looked = {.box = k, .cells = cells, .cell = c};
        struct signature signature;

        looked.blocks = division->column * (double)cell_of(box, cells, c).blocks;
        rc = sign_cell(&signature, looked.at, division, k, cells, c);
        if (rc || !division->out->known)
            return rc;
        looked.issued = (double)signature.issued;
        rc = division_add_blocks(division, &signature, looked.at, looked.blocks);
        looked.stratum = rc ? 0 : strata_nearest(division->out, &signature);
        if (!rc && !all)
            rc = note_looked(division, &looked);
        division->unseen += looked.blocks - division->column;
    }
    return rc;
}

/* What neighbours differ by says how far the sum of a box may be off. */
void division_spread(struct division *division, double slope)
{
    const struct looked *list = division->looked;

    division->variance = division->jump = 0;
    for (size_t first = 0, end; first < division->looked_count; first = end) {
        double squares = 0, pairs = 0;

        for (end = first; end < division->looked_count && list[end].box == list[first].box; end++) {
            const struct looked *own = &list[end], *last = &list[end > first ? end - 1 : end];
            const double jump = fabs(own->issued - last->issued - slope * (own->foreseen - last->foreseen));

            squares += jump * jump / 2;
            pairs += own->blocks * (own->blocks - division->column);
            division->jump = fmax(division->jump, jump);
        }
        division->variance += pairs * squares / fmax((double)(end - first) - 1, 1);
    }
}

/* By how much what the pilots issue differs: the relative variance. */
static double variance_of_pilots(const struct division *division)
{
    double sum = 0, squares = 0;

    for (unsigned k = 0; k < division->pilot_count; k++) {
        sum += (double)division->pilots[k].signature.issued;
        squares +=
            (double)division->pilots[k].signature.issued * (double)division->pilots[k].signature.issued;
    }
    return sum > 0 ? fmax(squares * division->pilot_count / (sum * sum) - 1, 0) : 0;
}

/* How many blocks say what the mean one issues. Where loaded values or numbers of counters decide which way blocks go they
 * differ at random; else there is an order in it, which no number of blocks is told by. */
static double count_telling(const struct division *division)
{
    return division->signer->loaded || division->signer->emulation->result->arrivals
               ? variance_of_pilots(division) / (CHANCE * CHANCE)
               : 0;
}

/* Where a pilot costs so much. */
static double least_signed(double each, double share)
{
    return fmax(fmin(share * DEAR / each, LEAST_SIGNED), LEAST_LOADED);
}

/* Fewer where the blocks that were executed so far took long. */
static unsigned count_pilots(const struct emulate_result *executed)
{
    const double each = (double)executed->executed / (double)executed->block_count;

    return (unsigned)fmax(fmin(PILOTS_COST / fmax(each, 1), PILOTS), FEWEST_PILOTS);
}

/* Those signed so far took long and issue the same: they will do. */
static bool is_enough(const struct division *division, uint64_t cost)
{
    return cost > DEAR && division->pilot_count > 1 && variance_of_pilots(division) < CHANCE * CHANCE;
}

static int sign_pilots(struct division *division)
{
    const struct box *box = &division->boxes[division->piloted = division_largest(division, 0)];
    const unsigned wanted = count_pilots(division->signer->emulation->result), every_other = (wanted + 1) / 2;
    const uint64_t before = division->out->cost;
    int rc = 0;

    division->pilots_wanted = wanted;
    division->pilot_counts = calloc(PILOTS + 1, bytes_of_counts(division));
    if (!division->pilot_counts)
        return err_memory(division->err);
    for (unsigned k = 0; k < wanted && !rc && division->out->known; k++) {
        struct signed_block *pilot = &division->pilots[k];

        if (k == every_other && is_enough(division, division->out->cost - before))
            break;
        division_pick(pilot->at, box, wanted, k < every_other ? 2 * k : 2 * (k - every_other) + 1, 0);
        rc = division_sign(&pilot->signature, division, pilot->at);
        memcpy(counts_of_pilot(division, k), division->signer->counts, bytes_of_counts(division));
        division->pilot_count = k + 1;
    }
    return rc;
}

/* A comparison may name a block that no sample would meet: all pilots did the same, and all blocks are looked at in less than
 * a second. */
static bool may_hide_one(const struct division *division, double all, double each)
{
    return division->names && variance_of_pilots(division) == 0 && all * each < ALIKE_COST;
}

/* How many blocks can be looked at: some at random tell what one costs. */
static int find_affordable(double *out, struct division *division, double all)
{
    const uint64_t before = division->out->cost;
    const int rc = sign_pilots(division);
    const double each = fmax((double)(division->out->cost - before), 1) / division->pilot_count;
    double share;

    *out = division->pilot_count;
    if (division->pilot_count < PILOTS)
        return rc;
    share = variance_of_pilots(division) < NEARLY * NEARLY ? NEARLY_SHARE : 1;
    *out = share * (double)division->budget / each;
    *out = all <= ALL * *out || may_hide_one(division, all, each)
               ? all
               : fmax(*out, fmin(count_telling(division), ALL * *out));
    *out = fmax(*out, division->signer->slice.reads_global ? LEAST_LOADED : least_signed(each, share));
    return rc;
}

int division_sample_boxes(struct division *division)
{
    double blocks = 0, affordable;
    int rc;

    if (!division->box_count)
        return 0;
    for (size_t k = 0; k < division->box_count; k++)
        blocks += box_volume(&division->boxes[k]);
    division->signer->signing.likens = true;
    rc = find_affordable(&affordable, division, blocks);
    for (size_t k = 0; k < division->box_count && !rc && division->out->known; k++) {
        const double all = box_volume(&division->boxes[k]);
        const double cells = fmax(round(affordable * fmin(all / blocks, 1)), LEAST_CELLS);

        rc = sample_box(division, k, blocks <= affordable || cells >= all ? (uint64_t)all : (uint64_t)cells);
    }
    division->signer->signing.likens = false;
    division_spread(division, 0);
    return rc || !division->out->known ? rc : division_foresee(division);
}

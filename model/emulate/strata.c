#include "model/emulate/division.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BORDERS_COST = 1 << 20 }; /* instructions: less than a second of a core */

void strata_release(struct strata *strata)
{
    free(strata->list);
    free(strata->certain);
    free(strata->expected);
    *strata = (struct strata){0};
}

size_t strata_nearest(const struct strata *strata, const struct signature *signature)
{
    size_t nearest = 0;

    for (size_t k = 0; k < strata->count; k++) {
        if (strata->list[k].hash == signature->hash)
            return k;
        if (fabs(strata->list[k].issued - (double)signature->issued) <
            fabs(strata->list[nearest].issued - (double)signature->issued))
            nearest = k;
    }
    return nearest;
}

/* Looking at blocks -------------------------------------------------------- */

static void add_counts(double *sums, const struct signer *signer, double blocks)
{
    for (size_t k = 0; k < signer->emulation->count; k++)
        sums[k] += blocks * (double)signer->counts[k];
}

/* So many blocks are known to issue what the block signed last does. */
void division_add_certain(struct division *division, double blocks)
{
    add_counts(division->out->certain, division->signer, blocks);
}

void division_place(unsigned position[3], const struct division *division, const unsigned at[3])
{
    for (unsigned axis = 0; axis < 3; axis++)
        position[axis] = division->extent[axis] > 1 ? at[axis] : division->middle[axis];
}

int division_sign(struct signature *out, struct division *division, const unsigned at[3])
{
    unsigned position[3];
    bool known;
    int rc;

    division_place(position, division, at);
    rc = signer_sign(out, &known, division->signer, position, division->signer->budget, division->err);
    if (rc)
        return rc;
    division->out->known &= known;
    division->out->likened |= out->likened;
    division->out->cost += out->cost;
    division->last_hash = out->hash;
    return 0;
}

int division_add_blocks(struct division *division, const struct signature *signature, const unsigned at[3],
                        double blocks)
{
    struct strata *out = division->out;
    const size_t k = out->count ? strata_nearest(out, signature) : 0;
    struct stratum *list;

    out->issued += blocks * (double)signature->issued;
    add_counts(out->expected, division->signer, blocks);
    if (out->count && out->list[k].hash == signature->hash) {
        out->list[k].blocks += blocks;
        return 0;
    }
    if (!(out->count & (out->count - 1))) { /* full at each power of two */
        list = realloc(out->list, (out->count ? 2 * out->count : 1) * sizeof *list);
        if (!list)
            return err_memory(division->err);
        out->list = list;
    }
    out->list[out->count] = (struct stratum){.hash = signature->hash,
                                             .issued = (double)signature->issued,
                                             .cost = (double)signature->cost,
                                             .blocks = blocks};
    division_place(out->list[out->count].at, division, at);
    out->count++;
    return 0;
}

double box_volume(const struct box *box)
{
    double blocks = 1;

    for (unsigned axis = 0; axis < 3; axis++)
        blocks *= (double)(box->to[axis] - box->from[axis]) + 1;
    return blocks;
}

/* Planes ------------------------------------------------------------------- */

/* The signature of a block, which is kept. *spent where no more are to be looked at. */
static int look(struct signature *out, bool *spent, struct division *division, const unsigned at[3])
{
    struct signed_block *cut;
    int rc;

    for (size_t k = 0; k < division->cut_count; k++)
        if (!memcmp(division->cuts[k].at, at, sizeof division->cuts[k].at)) {
            *out = division->cuts[k].signature;
            return 0;
        }
    *out = (struct signature){0};
    *spent |= division->cut_count == CUTS_MOST || !division->out->known;
    if (*spent)
        return 0;
    cut = &division->cuts[division->cut_count++];
    memcpy(cut->at, at, sizeof cut->at);
    rc = division_sign(&cut->signature, division, at);
    *out = cut->signature;
    return rc;
}

static void corner(unsigned at[3], const struct box *box, unsigned which)
{
    for (unsigned axis = 0; axis < 3; axis++)
        at[axis] = which >> axis & 1 ? box->to[axis] : box->from[axis];
}

static void middle(unsigned at[3], const struct box *box)
{
    for (unsigned axis = 0; axis < 3; axis++)
        at[axis] = box->from[axis] + (box->to[axis] - box->from[axis]) / 2;
}

/* Finds, between two blocks on a line that go different ways, two neighbours that do: *cut is the first
 * behind the change that lies nearest to `to`, as borders of a grid do. */
static int find_cut(unsigned *cut, bool *spent, struct division *division, unsigned at[3], unsigned axis,
                    unsigned from, unsigned to)
{
    unsigned low = from, high = to, step = 1;
    struct signature first, own;
    int rc;

    at[axis] = from;
    rc = look(&first, spent, division, at);
    while (!rc && !*spent && high - low > 1) {
        at[axis] = step && high - low > step ? high - step : low + (high - low) / 2;
        rc = look(&own, spent, division, at);
        if (own.hash == first.hash) {
            low = at[axis];
            step = 0;
        } else {
            high = at[axis];
            step *= 2;
        }
    }
    *cut = high;
    return rc;
}

/* The axis along which corners of a box go different ways, the longest of them, and where it is to be cut; a
 * box whose middle alone differs is halved. *axis is 3 where all go the same way. *bent: what decides the way
 * of any of them has no planes. */
static int find_split(unsigned *axis, unsigned *cut, bool *bent, bool *spent, struct division *division,
                      const struct box *box)
{
    struct signature own, inner;
    uint64_t hashes[8];
    unsigned at[3], longest = 0, from = 0;
    int rc = 0;

    *axis = 3;
    *bent = true;
    for (unsigned c = 0; c < 8 && !rc; c++) {
        corner(at, box, c);
        rc = look(&own, spent, division, at);
        hashes[c] = own.hash;
        *bent &= own.bent;
    }
    middle(at, box);
    if (!rc)
        rc = look(&inner, spent, division, at);
    *bent &= inner.bent;
    if (rc || *spent || *bent)
        return rc;
    for (unsigned c = 0; c < 24; c++) {
        const unsigned a = c / 8, other = c % 8 ^ 1u << a;

        if (hashes[c % 8] == hashes[other] || box->to[a] - box->from[a] <= longest)
            continue;
        longest = box->to[a] - box->from[a];
        *axis = a;
        from = c % 8 & ~(1u << a);
    }
    if (*axis < 3) {
        corner(at, box, from);
        return find_cut(cut, spent, division, at, *axis, box->from[*axis], box->to[*axis]);
    }
    for (unsigned a = 0; a < 3 && inner.hash != hashes[0]; a++)
        if (box->to[a] - box->from[a] > longest) {
            longest = box->to[a] - box->from[a];
            *axis = a;
            *cut = at[a];
        }
    return 0;
}

/* The box with the middle of the grid in it, along axes that do not matter all of the grid. */
static void note_middle(struct division *division, const struct box *box)
{
    const unsigned *grid = division->signer->emulation->launch->grid;
    struct strata *out = division->out;
    bool inside = true;

    for (unsigned axis = 0; axis < 3; axis++)
        inside &= division->extent[axis] == 1 ||
                  (division->middle[axis] >= box->from[axis] && division->middle[axis] <= box->to[axis]);
    for (unsigned axis = 0; axis < 3 && inside; axis++) {
        out->from[axis] = division->extent[axis] > 1 ? box->from[axis] : 0;
        out->to[axis] = division->extent[axis] > 1 ? box->to[axis] : grid[axis] - 1;
    }
    out->alike |= inside;
}

/* All blocks of the box are like its first, as often the one that was signed last is. */
static int accept(struct division *division, const struct box *box)
{
    const double blocks = division->column * box_volume(box);
    struct signature signature;
    bool spent = false;
    int rc = look(&signature, &spent, division, box->from);

    if (!rc && division->out->known && signature.hash != division->last_hash)
        rc = division_sign(&signature, division, box->from);
    if (rc || !division->out->known)
        return rc;
    note_middle(division, box);
    division_add_certain(division, blocks);
    return division_add_blocks(division, &signature, box->from, blocks);
}

/* Of the boxes from `first` on. */
size_t division_largest(const struct division *division, size_t first)
{
    size_t most = first;

    for (size_t k = first + 1; k < division->box_count; k++)
        if (box_volume(&division->boxes[k]) > box_volume(&division->boxes[most]))
            most = k;
    return most;
}

static void put_bent(struct division *division, size_t k)
{
    const struct box box = division->boxes[k];

    division->boxes[k] = division->boxes[division->bent];
    division->boxes[division->bent++] = box;
}

/* Divides boxes, the largest first, until all blocks of each go the same way. Those of which that could not
 * be found out remain. */
static int divide(struct division *division)
{
    bool spent = false;
    int rc = 0;

    while (division->box_count > division->bent && division->box_count < BOXES_MOST && division->out->known &&
           !rc) {
        const size_t k = division_largest(division, division->bent);
        struct box box = division->boxes[k];
        unsigned axis, cut;
        bool bent;

        rc = find_split(&axis, &cut, &bent, &spent, division, &box);
        if (rc || spent)
            break;
        if (bent) {
            put_bent(division, k);
            continue;
        }
        division->boxes[k] = division->boxes[--division->box_count];
        if (axis == 3) {
            rc = accept(division, &box);
            continue;
        }
        division->boxes[division->box_count] = box;
        division->boxes[division->box_count++].to[axis] = cut - 1;
        division->boxes[division->box_count] = box;
        division->boxes[division->box_count++].from[axis] = cut;
    }
    return rc;
}

static void start(struct division *division, const struct origin *origin)
{
    const unsigned *grid = division->signer->emulation->launch->grid;
    struct box *whole = &division->boxes[division->box_count++];

    division->column = 1;
    division->names = origin->names;
    for (unsigned axis = 0; axis < 3; axis++) {
        division->extent[axis] = origin->axis[axis] ? grid[axis] : 1;
        division->middle[axis] = grid[axis] / 2;
        division->column *= origin->axis[axis] ? 1 : grid[axis];
        whole->to[axis] = division->extent[axis] - 1;
    }
}

/* Beside what chance does there may be blocks so rare that none was met: of n
 * that were looked at none is such, so that hardly more than a share of 3 / n is. */
static void finish(struct strata *out, const struct division *division, double blocks)
{
    const double mean = out->issued / blocks, other = division->jump > 0 ? division->jump : mean;
    out->unproven = division->unseen / blocks;
    out->unseen_each = division->looked_count ? division->unseen / (double)division->looked_count : 0;
    if (out->issued > 0)
        out->error = (division->signer->emulation->deviations * sqrt(division->variance) + division->rare +
                      3 * out->unseen_each * other) /
                     out->issued;
}

/* Borders may differ from what is inside, and are looked at by themselves, unless loaded values make blocks differ anyway and
 * that is not cheap. The grid's first and last block are executed in any case. */
static void part_borders(struct division *division)
{
    const struct emulate_result *executed = division->signer->emulation->result;
    double cost = (double)executed->executed / (double)executed->block_count;

    for (unsigned axis = 0; axis < 3; axis++)
        cost *= division->extent[axis] > 3 ? 3 : 1;
    for (unsigned axis = 0; axis < 3 && !(division->signer->loaded && cost > BORDERS_COST); axis++)
        division_part_borders(division, axis);
}

/* One block took more than the budget, and loaded values decide how long others take: the whole grid is drawn from. */
static bool is_dear(const struct signer *signer)
{
    return signer->loaded && signer->budget > signer->emulation->budget;
}

int strata_find(struct strata *out, struct signer *signer, const struct origin *origin, bool bent,
                uint64_t budget, struct err *err)
{
    const struct emulation *emulation = signer->emulation;
    struct division *division = calloc(1, sizeof *division);
    int rc = 0;

    *out = (struct strata){.known = true};
    out->certain = calloc(emulation->count + 1, sizeof *out->certain);
    out->expected = calloc(emulation->count + 1, sizeof *out->expected);
    if (!division || !out->certain || !out->expected) {
        free(division);
        return err_memory(err);
    }
    division->out = out;
    division->signer = signer;
    division->err = err;
    division->budget = budget;
    start(division, origin);
    if (!bent && !is_dear(signer))
        rc = divide(division);
    if (bent && !is_dear(signer))
        part_borders(division);
    if (!rc && out->known)
        rc = division_sample_boxes(division);
    finish(out, division, (double)launch_blocks(emulation->launch));
    free(division->pilot_counts);
    free(division->looked);
    free(division);
    return rc;
}

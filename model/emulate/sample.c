/* Which blocks of a grid are executed when not all are, and what each stands for. */
#include "model/emulate/sample.h"

#include "base/hash.h"
#include "model/emulate/meeting.h"
#include "model/emulate/memoize.h"
#include "model/emulate/order.h"
#include "model/emulate/places.h"
#include "model/emulate/outlier.h"
#include "model/emulate/represent.h"
#include "model/emulate/span.h"
#include "model/emulate/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where they do not, more say how far those that go the same way differ in what they access. */
enum { CHEAP_TIMES = 3, CHEAP_EXECUTED = 1 << 16 };

/* Where blocks ask memory for unequal amounts, so many at random, unless all cost more than so many instructions. */
enum { DRAWN = 8, DRAWN_EXECUTED = 1 << 19 };
#define UNEQUAL 1.5

/* Where the first block took more than so many times the budget, others are not told apart from it. */
enum { SIGN_MOST = 4 };

enum { SIGN_LEAST = 1 << 16 }; /* instructions to spend on telling blocks apart: as many as the first took */

/* A position along one axis and how many of the axis it stands for. */
struct place {
    unsigned at;
    double weight;
};

/* First, middle, last: the middle stands for all between. */
static unsigned places_of(struct place out[3], unsigned extent)
{
    if (extent == 1) {
        out[0] = (struct place){0, 1};
        return 1;
    }
    if (extent == 2) {
        out[0] = (struct place){0, 1};
        out[1] = (struct place){1, 1};
        return 2;
    }
    out[0] = (struct place){extent / 2, extent - 2.0};
    out[1] = (struct place){0, 1};
    out[2] = (struct place){extent - 1, 1};
    return 3;
}

static int add(struct emulate_result *result, struct emulation *emulation, size_t most, unsigned x,
               unsigned y, struct err *err)
{
    const unsigned position[3] = {x, y, emulation->launch->grid[2] / 2};

    return sample_add_early(result, emulation, most, position, err);
}

static bool all_alike(const struct emulate_result *result)
{
    const struct emulate_block *first = &result->blocks[0];

    for (size_t k = 1; k < result->block_count; k++) {
        const struct emulate_block *other = &result->blocks[k];

        if (memcmp(first->paths, other->paths, first->warps * sizeof *first->paths) ||
            (first->counts != other->counts &&
             memcmp(first->counts, other->counts, result->instruction_count * sizeof *first->counts)))
            return false;
    }
    return true;
}

/* The middle, the neighbours it may share data with, and the grid's first and last block. */
static int add_core(struct emulate_result *result, struct emulation *emulation, size_t most, struct err *err)
{
    const unsigned *grid = emulation->launch->grid;
    const unsigned at[3] = {grid[0] / 2, grid[1] / 2, grid[2] / 2};
    const unsigned last[3] = {grid[0] - 1, grid[1] - 1, grid[2] - 1};
    int rc;

    emulation->budget *= EMULATE_FIRST_TIMES;
    rc = sample_add_early(result, emulation, most, at, err);
    emulation->budget /= EMULATE_FIRST_TIMES;
    if (!rc)
        rc = sample_add_beside(result, emulation, at, most, err);
    if (!rc)
        rc = sample_add_early(result, emulation, most, (const unsigned[3]){0}, err);
    if (!rc && result->last_of_all)
        rc = sample_add(result, emulation, last, 1, err);
    if (!rc)
        rc = sample_add_early(result, emulation, most, last, err);
    return rc ? rc : sample_glimpse(result, emulation, err);
}

/* What a block asks memory for, in requests, sectors and wavefronts alike. */
static double asked(const struct emulate_result *result, const struct emulate_block *block)
{
    double sum = 0;

    for (size_t i = 0; i < result->instruction_count; i++)
        sum += (double)(block->counts[i].requests + block->counts[i].sectors + block->counts[i].wavefronts);
    return sum;
}

static bool asks_unequally(const struct emulate_result *result)
{
    double least = INFINITY, most = 0;

    for (size_t b = 0; b < result->block_count; b++) {
        least = fmin(least, asked(result, &result->blocks[b]));
        most = fmax(most, asked(result, &result->blocks[b]));
    }
    return most > UNEQUAL * least;
}

/* Whether enough blocks were taken, the first `chosen` of them by where they lie: the middle and the edges may be like no others. */
static bool has_enough(const struct emulate_result *result, size_t chosen)
{
    return result->executed > CHEAP_EXECUTED &&
           (result->block_count >= chosen + DRAWN || result->executed > DRAWN_EXECUTED ||
            !asks_unequally(result));
}

/* Blocks at random; of few blocks all in turn. */
static int add_random(struct emulate_result *result, struct emulation *emulation, size_t most,
                      struct err *err)
{
    const unsigned *grid = emulation->launch->grid;
    const uint64_t layer = (uint64_t)grid[0] * grid[1], blocks = layer * grid[2];
    const size_t chosen = result->block_count;
    int rc = 0;

    for (uint64_t k = 0; k < 2 * CHEAP_TIMES * most && !rc && result->block_count < blocks; k++) {
        const uint64_t n = blocks <= CHEAP_TIMES * most ? k % blocks : hash_random(blocks, k) % blocks;
        const unsigned at[3] = {(unsigned)(n % layer % grid[0]), (unsigned)(n % layer / grid[0]),
                                (unsigned)(n / layer)};

        if (result->block_count >= CHEAP_TIMES * most || has_enough(result, chosen))
            break;
        rc = sample_add(result, emulation, at, 1, err);
    }
    return rc;
}

/* All combinations of first, middle and last, then blocks in between. */
int sample_add_more(struct emulate_result *result, struct emulation *emulation, size_t most, struct err *err)
{
    const unsigned *grid = emulation->launch->grid;
    struct place xs[3], ys[3];
    const unsigned nx = places_of(xs, grid[0]), ny = places_of(ys, grid[1]);
    int rc = 0;

    for (unsigned i = 0; i < nx * ny && !rc; i++)
        rc = add(result, emulation, most, xs[i % nx].at, ys[i / nx].at, err);
    return rc ? rc : add_random(result, emulation, most, err);
}

/* Blocks that all go one way, or of which nobody can tell: all of them in one group. */
static int add_equal(struct emulate_result *result, struct emulation *emulation, size_t most, bool loaded,
                     struct err *err)
{
    const bool few = launch_blocks(emulation->launch) <= most, alike = all_alike(result);
    const int rc = alike && !loaded && !few ? 0 : sample_add_more(result, emulation, most, err);
    size_t *group = rc ? NULL : calloc(result->block_count + 1, sizeof *group);

    if (rc)
        return rc;
    if (!group)
        return err_memory(err);
    sample_weigh(result, emulation->launch->grid, group, 0, (double)launch_blocks(emulation->launch));
    free(group);
    return 0;
}

/* Nobody knows what the blocks do that were not executed: those that were differ by so much. Where one was seen not to
 * end, all that was counted may be next to nothing. */
static void doubt(struct emulate_result *result, double blocks, bool spent)
{
    double least = INFINITY, most = 0;

    for (size_t b = 0; b < result->block_count; b++) {
        const double issued = (double)result->blocks[b].issued;

        if (result->blocks[b].last_of_all)
            continue;
        least = fmin(least, issued);
        most = fmax(most, issued);
    }
    result->unproven = 1 - fmin((double)result->block_count / blocks, 1);
    result->work_error =
        result->unproven * fmax(most / fmax(least, 1) - 1, 3.0 / (double)result->block_count);
    if (spent && result->unproven > 0)
        result->work_error = fmax(result->work_error, 1);
}

static void take_whole_grid(struct emulate_alike *alike, const unsigned grid[3])
{
    alike->known = true;
    for (unsigned axis = 0; axis < 3; axis++) {
        alike->from[axis] = 0;
        alike->to[axis] = grid[axis] - 1;
    }
}

/* Takes over what is known of the grid's work. */
static void take_strata(struct emulate_result *result, struct strata *strata, const unsigned grid[3])
{
    if (strata->count == 1 && !(strata->unproven > 0)) {
        take_whole_grid(&result->alike, grid);
    } else if (strata->alike) {
        result->alike.known = true;
        memcpy(result->alike.from, strata->from, sizeof strata->from);
        memcpy(result->alike.to, strata->to, sizeof strata->to);
    }
    result->unproven = strata->unproven;
    result->likened = strata->likened;
    result->work_error = strata->error;
    result->executed += strata->cost;
    result->certain = strata->certain;
    result->expected = strata->expected;
    strata->certain = strata->expected = NULL;
}

/* What the blocks that were executed issue more or less than any that was looked at: others may do so, too. */
static double find_other(const struct emulate_result *result, const struct strata *strata)
{
    double other = 0;

    for (size_t b = 0; b < result->block_count; b++) {
        const double issued = (double)result->blocks[b].issued;
        double nearest = INFINITY;

        for (size_t k = 0; k < strata->count; k++)
            nearest = fmin(nearest, fabs(strata->list[k].issued - issued));
        other = fmax(other, result->blocks[b].last_of_all ? 0 : nearest);
    }
    return other;
}

/* Whether the middle block executed some of the instructions that have no planes. */
static bool is_bent(const struct emulate_result *result, const struct origin *origin)
{
    bool bent = false;

    for (size_t i = 0; i < result->instruction_count; i++)
        bent |= origin->bends[i] && result->blocks[0].counts[i].issued;
    return bent;
}

/* Whether some instruction joins predicates, whose parts are not seen in what a block issues. */
static bool is_joined(const struct emulate_result *result, const struct emulation *emulation)
{
    bool joined = false;

    for (size_t i = 0; i < result->instruction_count; i++)
        joined |= result->blocks[0].counts[i].issued && signature_joins(&emulation->instructions[i]);
    return joined;
}

/* Whether blocks at both ends of the one axis that matters are there and all went the same way, past nothing
 * but comparisons that planes divide the grid by: then all blocks do. */
static bool is_proved(const struct emulate_result *result, const struct emulation *emulation,
                      const struct origin *origin)
{
    const unsigned *grid = emulation->launch->grid;
    unsigned axes = 0;
    bool first = false, last = false;

    for (unsigned axis = 0; axis < 3; axis++) {
        if (!origin->axis[axis] || grid[axis] == 1)
            continue;
        axes++;
        for (size_t k = 0; k < result->block_count; k++) {
            first |= result->blocks[k].position[axis] == 0;
            last |= result->blocks[k].position[axis] == grid[axis] - 1;
        }
    }
    return axes == 0 || (axes == 1 && first && last && !is_bent(result, origin) &&
                         !is_joined(result, emulation) && all_alike(result));
}

static int add_by_strata(struct emulate_result *result, struct emulation *emulation, size_t most,
                         struct signer *signer, const struct origin *origin, struct err *err)
{
    const uint64_t budget = result->executed > SIGN_LEAST ? result->executed : SIGN_LEAST;
    struct strata strata;
    int rc = strata_find(&strata, signer, origin, is_bent(result, origin), budget, err);
    const double other = !rc && strata.known ? find_other(result, &strata) : 0;

    if (!rc && strata.known)
        strata.error += 3 * strata.unseen_each * other / strata.issued;
    if (!rc && strata.known && (strata.count > 1 || other > 0))
        rc = represent(result, signer, &strata, most, err);
    else if (!rc)
        rc = add_equal(result, emulation, most, signer->loaded, err);
    if (!rc && signer->loaded && result->end == EMULATE_DONE)
        rc = outlier_add(result, signer, err);
    if (!rc && strata.known)
        take_strata(result, &strata, emulation->launch->grid);
    else if (!rc)
        doubt(result, (double)launch_blocks(emulation->launch), signer->spent);
    strata_release(&strata);
    return rc;
}

/* What a block gets from a counter goes by its number in the grid, which the code does not say, and by no plane. */
static void follow_counters(struct origin *origin, const struct emulation *emulation)
{
    for (unsigned axis = 0; axis < 3; axis++)
        origin->axis[axis] = true;
    for (size_t k = 0; k < emulation->count; k++)
        origin->bends[k] |= (emulation->instructions[k].accesses[0].access & SASS_ATOMICALLY) != 0;
}

/* Those that the blocks around the middle do not stand for. */
static int add_others(struct emulate_result *out, struct emulation *emulation, size_t most,
                      struct signer *signer, const struct origin *origin, struct err *err)
{
    const bool all = out->block_count == launch_blocks(emulation->launch);

    if (!all && !is_proved(out, emulation, origin))
        return add_by_strata(out, emulation, most, signer, origin, err);
    if (!all)
        take_whole_grid(&out->alike, emulation->launch->grid);
    return add_equal(out, emulation, most, signer->loaded, err);
}

/* In which regions all accesses of the blocks that go one way move with their position. */
static int find_linear(struct emulate_result *result, const struct emulation *emulation, struct err *err)
{
    struct origin origin;
    bool *linear = calloc(result->region_count + 1, sizeof *linear);
    int rc = origin_find(&origin, &emulation->slice, emulation->instructions, emulation->count, err);

    result->alike.linear = linear;
    if (!rc && !linear)
        rc = err_memory(err);
    for (size_t r = 0; r < result->region_count && !rc; r++)
        linear[r] = true;
    for (size_t b = 0; b < result->block_count && !rc; b++)
        for (size_t i = 0; i < result->instruction_count; i++) {
            const uint32_t region = result->blocks[b].touches[i].region;

            if (region && origin.strays[i])
                linear[region - 1] = false;
        }
    origin_release(&origin);
    return rc;
}

/* The blocks around the middle, then those that stand for blocks which go another way. */
static int add_blocks(struct emulate_result *out, struct emulation *emulation, size_t most, struct err *err)
{
    struct signer signer;
    struct origin origin = {0};
    int rc = add_core(out, emulation, most, err);

    if (rc || out->end != EMULATE_DONE)
        return rc;
    rc = signer_open(&signer, emulation, err);
    if (!rc)
        rc = origin_find(&origin, &signer.slice, emulation->instructions, emulation->count, err);
    if (!rc) {
        if (out->tickets || out->arrivals)
            follow_counters(&origin, emulation);
        signer.bends = origin.bends;
        if (out->executed > emulation->budget && out->executed <= SIGN_MOST * emulation->budget)
            signer.budget *= SIGN_MOST; /* enough for no other block, but to tell them apart */
        out->loaded = signer.loaded;
        rc = add_others(out, emulation, most, &signer, &origin, err);
        out->alike.known &= !signer.loaded;
    }
    if (!rc && out->end == EMULATE_DONE)
        rc = find_linear(out, emulation, err);
    if (!rc && out->last_of_all)
        arrivals_set_apart(out, (double)launch_blocks(emulation->launch));
    origin_release(&origin);
    signer_close(&signer);
    return rc;
}

int emulate_sample(struct emulate_result *out, struct emulation *emulation, size_t most, struct err *err)
{
    int rc = memo_open(&emulation->memo, emulation->launch->block, err);

    emulation_begin(out, emulation);
    contention_release(&emulation->contention);
    if (!rc)
        rc = add_blocks(out, emulation, most, err);
    memo_close(emulation->memo);
    emulation->memo = NULL;
    out->contended = contention_busiest(&emulation->contention).passes;
    out->contended_behind = contention_busiest(&emulation->contention).behind;
    out->contended_unevenly = contention_unevenness(&emulation->contention);
    out->repeated = contention_repeats(&emulation->contention);
    out->passes = contention_passes(&emulation->contention);
    meeting_find(out, emulation);
    if (!rc)
        rc = order_find(out, emulation, err);
    if (!rc)
        rc = places_find(out, emulation, err);
    if (!rc)
        rc = span_find(out, emulation, err);
    if (!rc && out->end == EMULATE_DONE)
        rc = told_find(out, emulation, err);
    if (rc)
        emulate_result_release(out);
    return rc;
}

/* Which blocks of a grid are executed when not all are, and what each stands for. */
#include "model/emulate/alike.h"
#include "model/emulate/order.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

/* Where loaded values decide what is done, everything is executed one by one: fewer blocks must do then. */
enum { MORE_WHERE_VARIED = 4, ENOUGH_BLOCKS = 3, ENOUGH_EXECUTED = 1 << 18 };

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

static int find_block(const struct emulate_result *result, const unsigned position[3])
{
    for (size_t k = 0; k < result->block_count; k++)
        if (!memcmp(result->blocks[k].position, position, sizeof result->blocks[k].position))
            return (int)k;
    return -1;
}

static bool enough(const struct emulate_result *result)
{
    return result->block_count >= ENOUGH_BLOCKS && result->executed > ENOUGH_EXECUTED;
}

static int add_at(struct emulate_result *result, struct emulation *emulation, size_t most,
                  const unsigned position[3], struct err *err)
{
    if (result->block_count >= most || result->end != EMULATE_DONE || enough(result) ||
        find_block(result, position) >= 0)
        return 0;
    memory_forget(&emulation->memory);
    return emulation_block(result, emulation, position, err);
}

static int add(struct emulate_result *result, struct emulation *emulation, size_t most, unsigned x,
               unsigned y, struct err *err)
{
    const unsigned position[3] = {x, y, emulation->launch->grid[2] / 2};

    return add_at(result, emulation, most, position, err);
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
    const unsigned x = grid[0] / 2, y = grid[1] / 2, above[3] = {x, y, grid[2] / 2 + 1};
    int rc = add(result, emulation, most, x, y, err);

    for (unsigned d = 1; d <= 2 && !rc && x + d < grid[0]; d++)
        rc = add(result, emulation, most, x + d, y, err);
    if (!rc && y + 1 < grid[1])
        rc = add(result, emulation, most, x, y + 1, err);
    if (!rc && above[2] < grid[2])
        rc = add_at(result, emulation, most, above, err);
    if (!rc)
        rc = add(result, emulation, most, 0, 0, err);
    return rc ? rc : add(result, emulation, most, grid[0] - 1, grid[1] - 1, err);
}

static bool at_edge(unsigned at, unsigned extent)
{
    return at == 0 || at == extent - 1;
}

static bool inside(const struct emulate_block *block, const unsigned grid[3])
{
    bool in = true;

    for (unsigned axis = 0; axis < 2; axis++)
        in &= grid[axis] < 3 || !at_edge(block->position[axis], grid[axis]);
    return in;
}

/* Inside the grid some blocks execute a tenth more than others do: a few do not tell their mean. */
static bool varied(const struct emulate_result *result, const unsigned grid[3])
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t b = 0; b < result->block_count; b++) {
        uint64_t issued = 0;

        if (!inside(&result->blocks[b], grid))
            continue;
        for (size_t i = 0; i < result->instruction_count; i++)
            issued += result->blocks[b].counts[i].issued;
        least = issued < least ? issued : least;
        most = issued > most ? issued : most;
    }
    return least < most && (double)(most - least) > 0.1 * (double)least;
}

/* Blocks at random. */
static int add_random(struct emulate_result *result, struct emulation *emulation, size_t most,
                      struct err *err)
{
    const unsigned *grid = emulation->launch->grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1];
    int rc = 0;

    for (uint64_t k = 0; k < 2 * most && !rc && result->block_count < blocks; k++) {
        const uint64_t n = hash_random(blocks, k) % blocks;

        rc = add(result, emulation, most, (unsigned)(n % grid[0]), (unsigned)(n / grid[0]), err);
    }
    return rc;
}

/* Blocks at the same shares of the grid's extents whatever these are, so that variants are compared by the
 * same part of the work: multiples of the powers of the plastic number's inverse, which spread evenly. */
static int add_spread(struct emulate_result *result, struct emulation *emulation, size_t most,
                      struct err *err)
{
    const unsigned *grid = emulation->launch->grid;
    int rc = 0;

    for (size_t k = 1; k <= most && !rc; k++) {
        const double x = (double)k * 0.7548776662466927, y = (double)k * 0.5698402909980532;

        rc = add(result, emulation, most, (unsigned)((x - floor(x)) * grid[0]),
                 (unsigned)((y - floor(y)) * grid[1]), err);
    }
    return rc;
}

/* All combinations of first, middle and last, then blocks in between, more of them where they vary. */
static int add_more(struct emulate_result *result, struct emulation *emulation, size_t most, struct err *err)
{
    const unsigned *grid = emulation->launch->grid;
    struct place xs[3], ys[3];
    const unsigned nx = places_of(xs, grid[0]), ny = places_of(ys, grid[1]);
    int rc = 0;

    for (unsigned i = 0; i < nx * ny && !rc; i++)
        rc = add(result, emulation, most, xs[i % nx].at, ys[i / nx].at, err);
    if (!rc)
        rc = add_random(result, emulation, most, err);
    if (!rc && varied(result, grid))
        rc = add_spread(result, emulation, MORE_WHERE_VARIED * most, err);
    return rc;
}

static bool near_middle(const struct emulate_block *block, const unsigned grid[3])
{
    return block->position[0] - grid[0] / 2 <= 2 && block->position[1] - grid[1] / 2 <= 1;
}

/* The blocks that add_core() takes around the middle are near each other: where blocks vary, no more than
 * one of them. */
static double places(const struct emulate_result *result, size_t k, const unsigned grid[3], bool vary)
{
    double together = 0;

    if (!vary || !near_middle(&result->blocks[k], grid))
        return 1;
    for (size_t n = 0; n < result->block_count; n++)
        together += near_middle(&result->blocks[n], grid);
    return 1 / together;
}

/* Blocks at the same edges of the grid share the weight of that part of it. */
static void weigh(struct emulate_result *result, const unsigned grid[3])
{
    const bool vary = varied(result, grid);

    for (size_t k = 0; k < result->block_count; k++) {
        const unsigned *at = result->blocks[k].position;
        double sharing = 0, part = grid[2];

        for (unsigned axis = 0; axis < 2; axis++)
            if (!at_edge(at[axis], grid[axis]))
                part *= grid[axis] - 2.0;
        for (size_t n = 0; n < result->block_count; n++) {
            const unsigned *other = result->blocks[n].position;
            bool same = true;

            for (unsigned axis = 0; axis < 2; axis++)
                same &= at_edge(at[axis], grid[axis]) ? other[axis] == at[axis]
                                                      : !at_edge(other[axis], grid[axis]);
            sharing += same ? places(result, n, grid, vary) : 0;
        }
        result->blocks[k].weight = part * places(result, k, grid, vary) / sharing;
    }
}

/* Parts of the grid without a block in the sample are taken to be like those that have one. */
static void normalise(struct emulate_result *result, double blocks)
{
    double sum = 0;

    for (size_t k = 0; k < result->block_count; k++)
        sum += result->blocks[k].weight;
    for (size_t k = 0; k < result->block_count; k++)
        result->blocks[k].weight *= blocks / sum;
}

static int add_blocks(struct emulate_result *out, struct emulation *emulation, size_t most, struct err *err)
{
    int rc = alike_open(&emulation->alike, emulation->launch->block, err);

    if (!rc)
        rc = add_core(out, emulation, most, err);
    if (!rc && !all_alike(out))
        rc = add_more(out, emulation, most, err);
    alike_close(emulation->alike);
    emulation->alike = NULL;
    return rc;
}

int emulate_sample(struct emulate_result *out, struct emulation *emulation, size_t most, struct err *err)
{
    int rc;

    emulation_begin(out, emulation);
    meet_release(&emulation->meet);
    rc = add_blocks(out, emulation, most, err);
    out->meeting = meet_share(&emulation->meet);
    if (!rc)
        rc = order_find(out, emulation, err);
    if (rc) {
        emulate_result_release(out);
        return rc;
    }
    weigh(out, emulation->launch->grid);
    normalise(out, (double)launch_blocks(emulation->launch));
    return 0;
}

int emulate_sample_slot(const struct emulate_result *result, enum emulate_slot slot)
{
    static const unsigned dx[] = {0, 1, 2, 0, 0}, dy[] = {0, 0, 0, 1, 0}, dz[] = {0, 0, 0, 0, 1};
    unsigned position[3];

    if (!result->block_count)
        return -1;
    memcpy(position, result->blocks[0].position, sizeof position);
    position[0] += dx[slot];
    position[1] += dy[slot];
    position[2] += dz[slot];
    return find_block(result, position);
}

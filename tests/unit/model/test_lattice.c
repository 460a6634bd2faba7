/* Unions of copies of random sets of sectors against sets made one by one. */
#include "check.h"
#include "failing.h"
#include "base/hash.h"
#include "model/memory/lattice.h"

enum { SETS = 300, REGION = 1 << 24 };

static uint64_t at;

static uint64_t draw(uint64_t most)
{
    return hash_random(7, at++) % (most + 1);
}

/* Some stretches of a region, and something in another one. */
static void make_set(struct footprint *out)
{
    assert_int_equal(footprint_mark(out, 2 * REGION, 64, NULL), 0);
    for (uint64_t k = 1 + draw(6); k > 0; k--)
        assert_int_equal(
            footprint_mark(out, REGION + 400000 + SECTOR * draw(3000), 1 + SECTOR * draw(200), NULL), 0);
}

static void make_copies(struct footprint *out, const struct footprint *from,
                        const struct lattice_axis axes[3])
{
    for (uint64_t x = 0; x < axes[0].count; x++)
        for (uint64_t y = 0; y < axes[1].count; y++)
            for (uint64_t z = 0; z < axes[2].count; z++) {
                const int64_t sectors =
                    (int64_t)x * axes[0].step + (int64_t)y * axes[1].step + (int64_t)z * axes[2].step;

                assert_int_equal(
                    footprint_move(out, from, REGION, 2 * REGION - SECTOR, sectors * SECTOR, NULL), 0);
            }
}

static void draw_axes(struct lattice_axis axes[3])
{
    static const int64_t steps[] = {0, 1, -3, 40, -200, 900};

    for (unsigned axis = 0; axis < 3; axis++)
        axes[axis] = (struct lattice_axis){steps[draw(5)], 1 + draw(4)};
}

static void unites_copies(void **state)
{
    for (unsigned k = 0; k < SETS; k++) {
        struct footprint set = {0}, all = {0};
        struct lattice_axis axes[3];
        struct stretches stretches;
        double sectors;
        bool whole;

        make_set(&set);
        draw_axes(axes);
        make_copies(&all, &set, axes);
        assert_int_equal(stretches_find(&stretches, &set, REGION, REGION, NULL), 0);
        assert_int_equal(lattice_sectors(&sectors, &whole, &stretches, axes, 3, NULL), 0);
        assert_true(sectors <= (double)all.sectors);
        assert_true(!whole || sectors >= (double)all.sectors);
        if (sectors < 0.5 * (double)all.sectors)
            fail_msg("set %u: %g of %g sectors", k, sectors, (double)all.sectors);
        stretches_release(&stretches);
        footprint_release(&set);
        footprint_release(&all);
    }
}

/* A tile of a matrix, whose copies fill rows first: nothing is missing, however many. */
static void fills_a_matrix(void **state)
{
    const struct lattice_axis axes[] = {{16 * 1024, 1 << 20}, {4, 256}};
    struct footprint tile = {0};
    struct stretches stretches;
    double sectors;
    bool whole;

    for (unsigned row = 0; row < 16; row++)
        assert_int_equal(footprint_mark(&tile, REGION + row * 1024 * SECTOR, 4 * SECTOR, NULL), 0);
    assert_int_equal(stretches_find(&stretches, &tile, REGION, REGION, NULL), 0);
    assert_int_equal(stretches.count, 16);
    assert_int_equal(lattice_sectors(&sectors, &whole, &stretches, axes, 2, NULL), 0);
    check_near(sectors, 16. * 1024 * (1 << 20), 0);
    assert_true(whole);
    stretches_release(&stretches);
    footprint_release(&tile);
}

static struct footprint failing_set;

static int unite_failing(struct err *err)
{
    const struct lattice_axis axes[] = {{1, 3}, {40, 4}};
    struct stretches stretches;
    double sectors;
    bool whole;
    int rc = stretches_find(&stretches, &failing_set, REGION, REGION, err);

    if (!rc)
        rc = lattice_sectors(&sectors, &whole, &stretches, axes, 2, err);
    stretches_release(&stretches);
    return rc;
}

static void says_that_memory_ended(void **state)
{
    make_set(&failing_set);
    fail_each(unite_failing);
    footprint_release(&failing_set);
}

int main(void)
{
    return RUN_TESTS(unites_copies, fills_a_matrix, says_that_memory_ended);
}

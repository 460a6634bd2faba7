/* What the blocks of a grid fetch from DRAM in step, drifting apart, and numbered in groups. */
#include "check.h"
#include "reuse_fixture.h"

enum { FLAT = 3072, ROW = 48000 };

/* A grid of one dimension, each block of which reads as many bytes of a row, of the one above and of the one below: a row
 * is 15.6 blocks. A block `tiled` bytes farther away shows that they go on so, or do not. */
static void set_up_flat(struct fixture *f, double l2, uint64_t tiled)
{
    const uint64_t middle = PANELS * PANELS / 2;

    fixture_set_up(f, l2, 0);
    f->launch = (struct launch){.grid = {PANELS * PANELS, 1, 1}, .block = {32, 1, 1}};
    f->regions[0].bytes = 1 << 24;
    f->result.region_count = 1;
    for (unsigned k = 0; k < BLOCKS; k++) {
        const unsigned at = k < 3 ? (unsigned)middle + k : 64;
        const uint64_t first = A + at * FLAT + (k < 3 ? 0 : tiled);

        f->blocks[k] = (struct emulate_block){.position = {at, 0, 0}, .weight = 1, .warps = 1};
        for (unsigned row = 0; row < 3; row++)
            assert_int_equal(footprint_mark(&f->blocks[k].read, first + row * ROW, FLAT, NULL), 0);
    }
}

/* Two blocks of a cluster along y copy half a panel of their column each, to both: a wave, two rows of blocks, fetches all columns
 * as without clusters, though a block shares none of its half with the next one. */
static void clusters_fetch_what_their_blocks_copy_in_parts(void **state)
{
    static const unsigned at[BLOCKS][2] = {{32, 32}, {33, 32}, {32, 33}, {32, 34}}; /* x, y */
    struct fixture f;
    double apart;

    fixture_set_up_square(&f, SIDE / 4, 0);
    apart = fixture_missed(&f);
    fixture_tear_down(&f);
    fixture_set_up(&f, SIDE / 4, 0);
    f.launch = (struct launch){.grid = {PANELS, PANELS, 1}, .block = {32, 1, 1}, .cluster = {1, 2, 1}};
    f.result.cluster[0] = f.result.cluster[2] = 1;
    f.result.cluster[1] = 2;
    for (size_t k = 0; k < BLOCKS; k++) {
        const unsigned x = at[k][0], y = at[k][1];
        const uint64_t half = B + (uint64_t)x * PANEL + y % 2 * (PANEL / 2);

        f.blocks[k] = (struct emulate_block){.position = {x, y, 0}, .weight = 1, .warps = 1};
        assert_int_equal(footprint_mark(&f.blocks[k].read, A + (uint64_t)y * PANEL, PANEL, NULL), 0);
        assert_int_equal(footprint_mark(&f.blocks[k].read, half, PANEL / 2, NULL), 0);
    }
    check_near(fixture_missed(&f), apart, apart / 50);
    fixture_tear_down(&f);
}

/* 32 waves of two rows of blocks: each fetches two panels of A and all of B. */
static void blocks_in_step_share_a_fetch(void **state)
{
    struct fixture f;

    fixture_set_up_square(&f, 1 << 20, 0);
    check_near(fixture_missed(&f), SIDE + 32.0 * SIDE, 1e-9);
    fixture_tear_down(&f);
}

/* A wave has 66 panels, L2 keeps half of 24 of them: with half a wave coming apart each time, it takes
 * log(1 - 24 / 66) / log(1 / 2) waves until blocks fetch again what others had, and 1 - 2^-w of it another w
 * waves later: in the end every row of blocks fetches B for itself. */
static void blocks_apart_fetch_each(void **state)
{
    const double beyond = 32 - log(1 - 24.0 / 66) / log(0.5);
    const double apart = (beyond - (1 - pow(0.5, beyond)) / log(2)) / 32;
    struct fixture f;

    fixture_set_up_square(&f, 1 << 20, 0.5);
    check_near(fixture_missed(&f), SIDE + 32.0 * SIDE + apart * 32.0 * SIDE, 1e-9);
    assert_true(f.reuse_regions.reuse_region[2].ready == 0);
    fixture_tear_down(&f);
}

/* Neighbours share nothing, but the 16th block after reads what this one has read: DRAM brings it once, with the rows
 * around the grid, if L2 holds two rows, else each time; and
 * each time where rows end before. */
static void blocks_come_back_to_rows(void **state)
{
    const double blocks = PANELS * PANELS;
    struct fixture f;

    set_up_flat(&f, 1 << 20, 0);
    check_near(fixture_missed(&f), blocks * FLAT + 2 * ROW, 1);
    fixture_tear_down(&f);
    set_up_flat(&f, 1 << 20, 0);
    f.caches.sms = 2;
    check_near(fixture_missed(&f), blocks * FLAT + 2 * ROW, 1);
    fixture_tear_down(&f);
    set_up_flat(&f, 1 << 10, 0);
    f.caches.sms = 2;
    check_near(fixture_missed(&f), blocks * FLAT * 3, 1);
    fixture_tear_down(&f);
    set_up_flat(&f, 1 << 20, FLAT);
    check_near(fixture_missed(&f), blocks * FLAT * 3, 1);
    fixture_tear_down(&f);
}

/* On a torus the last block's next row is the first one: that says nothing against the others. */
static void borders_come_round(void **state)
{
    const unsigned last = PANELS * PANELS - 1;
    struct fixture f;

    set_up_flat(&f, 1 << 20, 0);
    footprint_release(&f.blocks[3].read);
    f.blocks[3] = (struct emulate_block){.position = {last, 0, 0}, .weight = 1, .warps = 1};
    for (unsigned row = 0; row < 2; row++)
        assert_int_equal(footprint_mark(&f.blocks[3].read, A + last * FLAT + row * ROW, FLAT, NULL), 0);
    assert_int_equal(footprint_mark(&f.blocks[3].read, A, FLAT, NULL), 0);
    check_near(fixture_missed(&f), PANELS * PANELS * FLAT + 2 * ROW, 1);
    fixture_tear_down(&f);
}

/* Blocks numbered down the columns, each of which reads three columns' piece of its row: a piece is read again after as many
 * blocks as a column has. The order of the grid tells. */
static void blocks_come_back_to_columns(void **state)
{
    static const unsigned numbers[BLOCKS] = {2080, 2081, 2082, 100};
    struct fixture f;

    set_up_flat(&f, 1 << 20, 0);
    for (unsigned k = 0; k < BLOCKS; k++) {
        const unsigned row = numbers[k] % PANELS, column = numbers[k] / PANELS;

        footprint_release(&f.blocks[k].read);
        f.blocks[k] = (struct emulate_block){.position = {numbers[k], 0, 0}, .weight = 1, .warps = 1};
        assert_int_equal(
            footprint_mark(&f.blocks[k].read, A + (row * PANELS + column) * FLAT, 3 * FLAT, NULL), 0);
    }
    check_near(fixture_missed(&f), PANELS * PANELS * FLAT * 3., PANELS * FLAT * 3.);
    reuse_regions_release(&f.reuse_regions);
    f.moves[0] = PANELS * FLAT;
    f.moves[1] = FLAT;
    f.result.order = (struct emulate_order){.digits = 2, .unit = {1, PANELS}, .moves = f.moves};
    check_near(fixture_missed(&f), PANELS * PANELS * FLAT, 2 * PANELS * FLAT);
    fixture_tear_down(&f);
}

/* A wave of 128 blocks reads as many panels as begin anew, of a matrix that its neighbours tell nothing of; where eight blocks begin
 * at one place and each reads half of what two panels have, all of both. */
static void places_that_were_looked_at_are_shared(void **state)
{
    struct emulate_places places[2] = {{0}, {.blocks = 64, .half = 8, .all = 16, .further = 0.25}};
    const double both = 2 * (1 - pow(0.5, 8));
    struct fixture f;

    fixture_set_up_groups(&f, 1 << 10, 0);
    f.result.order = (struct emulate_order){0};
    for (unsigned k = 0; k < BLOCKS; k++) {
        footprint_release(&f.blocks[k].read);
        assert_int_equal(footprint_mark(&f.blocks[k].read, B + k * 7 * PANEL, PANEL, NULL), 0);
    }
    check_near(fixture_missed(&f), 32. * SIDE, 1e-9); /* all that there is, in each wave */
    reuse_regions_release(&f.reuse_regions);
    f.result.places = places;
    check_near(fixture_missed(&f), 32 * 32. * PANEL, 32. * PANEL);
    reuse_regions_release(&f.reuse_regions);
    places[1] =
        (struct emulate_places){.blocks = 64, .half = 4, .all = 8, .further = 0.125, .pool = 2. * PANEL / 32};
    check_near(fixture_missed(&f), 32 * 16. * both * PANEL, 32. * PANEL);
    fixture_tear_down(&f);
}

/* Rows of eight blocks, each with four panels of its own of which block x reads one by its quotient and one by its remainder: of
 * 17 rows that a wave lies in there are no more than their panels, which L2 holds, though neighbours share only one of two. */
static void rows_have_panels_of_their_own(void **state)
{
    static const unsigned at[BLOCKS][2] = {{4, 32}, {5, 32}, {6, 32}, {4, 33}};
    enum { ROWS = 64, OWN = 4 };
    struct fixture f;
    double wave;

    fixture_set_up(&f, 20 * OWN * PANEL, 0);
    f.launch = (struct launch){.grid = {8, ROWS, 1}, .block = {32, 1, 1}};
    f.regions[0].bytes = (uint64_t)ROWS * OWN * PANEL;
    f.result.region_count = 1;
    for (unsigned k = 0; k < BLOCKS; k++) {
        const unsigned x = at[k][0], panels = at[k][1] * OWN;

        f.blocks[k] = (struct emulate_block){.position = {x, at[k][1], 0}, .weight = 1, .warps = 1};
        assert_int_equal(
            footprint_mark(&f.blocks[k].read, A + (uint64_t)(panels + x / 4) * PANEL, PANEL, NULL), 0);
        assert_int_equal(
            footprint_mark(&f.blocks[k].read, A + (uint64_t)(panels + 2 + x % 2) * PANEL, PANEL, NULL), 0);
    }
    check_near(fixture_missed(&f) / ((double)ROWS * OWN * PANEL), 1,
               0.06); /* rows at the edges of waves count twice */
    wave = f.reuse_regions.reuse_region[1].wave;
    assert_true(wave > 16 * OWN * PANEL && wave < 18 * OWN * PANEL);
    fixture_tear_down(&f);
}

/* One block an SM has nobody to drift from; nor does it matter where L2 holds a wave. */
static void drift_needs_two_blocks_and_a_small_cache(void **state)
{
    struct fixture f;

    fixture_set_up_square(&f, 1 << 20, 0.5);
    f.caches.resident_blocks = 1;
    check_near(fixture_missed(&f), SIDE + 64.0 * SIDE, 1e-9);
    fixture_tear_down(&f);
    fixture_set_up_square(&f, 5 << 20, 0.5);
    check_near(fixture_missed(&f), 2.0 * SIDE, 1e-9);
    fixture_tear_down(&f);
}

/* A wave is 8 rows and 16 columns, its next neighbour in the same rows. */
static void groups_share_rows_and_columns(void **state)
{
    struct fixture f;

    fixture_set_up_groups(&f, 10 << 10, 0);
    check_near(fixture_missed(&f), 32.0 * (8 + 16) * PANEL, 1e-9);
    fixture_tear_down(&f);
    fixture_set_up_groups(&f, 2 << 20, 0); /* holds the wave's rows for the next, not B for the next group */
    check_near(fixture_missed(&f), SIDE + 32.0 * 16 * PANEL, 1e-9);
    fixture_tear_down(&f);
    fixture_set_up_groups(&f, 10 << 10, 0.9999); /* apart at once: 64 waves of 8 rows and 8 columns */
    check_near(fixture_missed(&f) / (64.0 * (8 + 8) * PANEL), 1, 0.002);
    fixture_tear_down(&f);
}

/* Four waves go through the same eight rows, of which there are 8 times 8: all wait for the first, half of a
 * wave for each of the others. No wave has had its columns before: all wait for those. */
static void half_of_a_wave_comes_later(void **state)
{
    struct fixture f;

    fixture_set_up_groups(&f, 2 << 20, 0);
    fixture_missed(&f);
    check_near(f.reuse_regions.reuse_region[1].ready, 1 - (1 + 7 / 2.0) / 32, 1e-9);
    check_near(f.reuse_regions.reuse_region[2].ready, 0, 1e-9);
    fixture_tear_down(&f);
}

/* As many blocks as run at a time take 32 tiles each, numbered in groups: block b tiles b, b + 128 and so on, each panel by
 * copies. Each round fetches what a wave does of a grid with a block for each tile. */
static void rounds_of_tiles_are_waves(void **state)
{
    enum { ROUNDS = 32, RESIDENT = 128 };
    struct emulate_step steps[] = {{.body = 2, .repeats = ROUNDS}, {.body = 1, .repeats = 64}, {.count = 2}};
    struct emulate_path path = {.steps = steps, .count = 3};
    struct emulate_count counts[2] = {{.sectors_once = ROUNDS * PANEL / 32, .receivers = 1},
                                      {.sectors_once = ROUNDS * PANEL / 32, .receivers = 1}};
    struct emulate_touch touches[2] = {{.region = 1}, {.region = 2}};

    for (int loops = 0; loops < 2; loops++) {
        struct fixture f;

        fixture_set_up_groups(&f, 10 << 10, 0);
        f.launch.grid[0] = RESIDENT;
        f.result.order.digits = 2;
        f.result.instruction_count = 2;
        f.result.paths = &path;
        f.result.path_count = (size_t)loops;
        for (unsigned k = 0; k < BLOCKS; k++) {
            f.blocks[k].position[0] = k;
            f.blocks[k].counts = counts;
            f.blocks[k].touches = touches;
            footprint_release(&f.blocks[k].read);
            f.blocks[k].read = (struct footprint){0};
            for (unsigned r = 0; r < ROUNDS; r++) {
                const uint64_t row = 8 * (r / 4) + k, column = 16 * (r % 4);

                assert_int_equal(footprint_mark(&f.blocks[k].read, A + row * PANEL, PANEL, NULL), 0);
                assert_int_equal(footprint_mark(&f.blocks[k].read, B + column * PANEL, PANEL, NULL), 0);
            }
        }
        /* without a loop around a loop nothing says that a block comes back: all is fetched once */
        check_near(fixture_missed(&f), loops ? ROUNDS * (8.0 + 16) * PANEL : 2.0 * SIDE, 1e-9);
        fixture_tear_down(&f);
    }
}
int main(void)
{
    return RUN_TESTS(clusters_fetch_what_their_blocks_copy_in_parts, blocks_in_step_share_a_fetch,
                     blocks_apart_fetch_each, blocks_come_back_to_rows, borders_come_round,
                     blocks_come_back_to_columns, places_that_were_looked_at_are_shared,
                     rows_have_panels_of_their_own, drift_needs_two_blocks_and_a_small_cache,
                     groups_share_rows_and_columns, half_of_a_wave_comes_later, rounds_of_tiles_are_waves);
}

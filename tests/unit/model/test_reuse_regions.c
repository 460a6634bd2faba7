/* What the blocks of a grid fetch from DRAM in step, drifting apart, and numbered in groups: matrix
 * multiplies whose block (row, column) reads a panel of 64 KB of A and one of B; and of single sectors. */
#include "check.h"

#include "model/machine/assumptions.h"
#include "model/memory/skew.h"
#include "model/memory/reuse_regions.h"

enum { PANEL = 64 << 10, PANELS = 64, SIDE = PANEL * PANELS, BLOCKS = 4 };
enum { A = 1 << 24, B = 1 << 25 }; /* addresses */

struct fixture {
    struct emulate_block blocks[BLOCKS];
    struct emulate_region regions[2];
    int64_t moves[3 * 2];
    struct emulate_result result;
    struct launch launch;
    struct traffic_caches caches;
    struct reuse_regions reuse_regions;
};

/* Block number k of the sample, at `x`, `y` of the grid, works on that row and column of panels. */
static void add_block(struct fixture *f, size_t k, unsigned x, unsigned y, unsigned row, unsigned column)
{
    struct emulate_block *block = &f->blocks[k];

    *block = (struct emulate_block){.position = {x, y, 0}, .weight = 1, .warps = 1};
    assert_int_equal(footprint_mark(&block->read, A + (uint64_t)row * PANEL, PANEL, NULL), 0);
    assert_int_equal(footprint_mark(&block->read, B + (uint64_t)column * PANEL, PANEL, NULL), 0);
}

/* 128 blocks at once, two on each of 64 SMs; L2 starts empty. */
static void set_up(struct fixture *f, double l2, double skew)
{
    *f = (struct fixture){.regions = {{A, SIDE}, {B, SIDE}},
                          .caches = {.l1_bytes = 1 << 17,
                                     .l2_bytes = l2,
                                     .l2_holds = l2,
                                     .assumed = &assumptions_default,
                                     .resident_blocks = 2,
                                     .sms = 64,
                                     .skew = skew}};
    f->result = (struct emulate_result){
        .blocks = f->blocks, .block_count = BLOCKS, .regions = f->regions, .region_count = 2};
}

/* A block per row and column of panels, x along the columns. */
static void set_up_square(struct fixture *f, double l2, double skew)
{
    set_up(f, l2, skew);
    f->launch = (struct launch){.grid = {PANELS, PANELS, 1}, .block = {32, 1, 1}};
    add_block(f, 0, 32, 32, 32, 32);
    add_block(f, 1, 33, 32, 32, 33);
    add_block(f, 2, 34, 32, 32, 34);
    add_block(f, 3, 32, 33, 33, 32);
}

/* The same in one dimension: down eight rows, then on to the next column, then to the next eight rows. */
static void set_up_groups(struct fixture *f, double l2, double skew)
{
    set_up(f, l2, skew);
    f->launch = (struct launch){.grid = {PANELS * PANELS, 1, 1}, .block = {32, 1, 1}};
    for (unsigned k = 0; k < BLOCKS - 1; k++)
        add_block(f, k, 2048 + k, 0, 32 + k, 0);
    add_block(f, 3, 0, 0, 0, 0);
    f->moves[0 * 2 + 0] = PANEL;
    f->moves[1 * 2 + 1] = PANEL;
    f->moves[2 * 2 + 0] = 8 * PANEL;
    f->result.order = (struct emulate_order){.digits = 3, .unit = {1, 8, 8 * PANELS}, .moves = f->moves};
}

enum { FLAT = 3072, ROW = 48000 };

/* A grid of one dimension, each block of which reads as many bytes of a row, of the one above and of the one below: a row
 * is 15.6 blocks. A block `tiled` bytes farther away shows that they go on so, or do not. */
static void set_up_flat(struct fixture *f, double l2, uint64_t tiled)
{
    const uint64_t middle = PANELS * PANELS / 2;

    set_up(f, l2, 0);
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

static double missed(struct fixture *f)
{
    struct reuse_regions found;
    double sum = 0;

    assert_int_equal(reuse_regions_find(&found, &f->result, &f->launch, &f->caches, NULL), 0);
    assert_int_equal(reuse_regions_fetch(&f->reuse_regions, &found, &f->caches, NULL), 0);
    reuse_regions_release(&found);
    for (size_t z = 1; z < f->reuse_regions.count; z++)
        sum += f->reuse_regions.reuse_region[z].missed;
    return sum;
}

static void tear_down(struct fixture *f)
{
    reuse_regions_release(&f->reuse_regions);
    for (size_t k = 0; k < BLOCKS; k++) {
        footprint_release(&f->blocks[k].read);
        footprint_release(&f->blocks[k].written);
    }
}

/* Two blocks of a cluster along y copy half a panel of their column each, to both: a wave, two rows of blocks, fetches all columns
 * as without clusters, though a block shares none of its half with the next one. */
static void clusters_fetch_what_their_blocks_copy_in_parts(void **state)
{
    static const unsigned at[BLOCKS][2] = {{32, 32}, {33, 32}, {32, 33}, {32, 34}}; /* x, y */
    struct fixture f;
    double apart;

    set_up_square(&f, SIDE / 4, 0);
    apart = missed(&f);
    tear_down(&f);
    set_up(&f, SIDE / 4, 0);
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
    check_near(missed(&f), apart, apart / 50);
    tear_down(&f);
}

/* 32 waves of two rows of blocks: each fetches two panels of A and all of B. */
static void blocks_in_step_share_a_fetch(void **state)
{
    struct fixture f;

    set_up_square(&f, 1 << 20, 0);
    check_near(missed(&f), SIDE + 32.0 * SIDE, 1e-9);
    tear_down(&f);
}

/* A wave has 66 panels, L2 keeps half of 24 of them: with half a wave coming apart each time, it takes
 * log(1 - 24 / 66) / log(1 / 2) waves until blocks fetch again what others had, and 1 - 2^-w of it another w
 * waves later: in the end every row of blocks fetches B for itself. */
static void blocks_apart_fetch_each(void **state)
{
    const double beyond = 32 - log(1 - 24.0 / 66) / log(0.5);
    const double apart = (beyond - (1 - pow(0.5, beyond)) / log(2)) / 32;
    struct fixture f;

    set_up_square(&f, 1 << 20, 0.5);
    check_near(missed(&f), SIDE + 32.0 * SIDE + apart * 32.0 * SIDE, 1e-9);
    assert_true(f.reuse_regions.reuse_region[2].ready == 0);
    tear_down(&f);
}

/* Neighbours share nothing, but the 16th block after reads what this one has read: DRAM brings it once, with the rows
 * around the grid, if L2 holds two rows, else each time; and
 * each time where rows end before. */
static void blocks_come_back_to_rows(void **state)
{
    const double blocks = PANELS * PANELS;
    struct fixture f;

    set_up_flat(&f, 1 << 20, 0);
    check_near(missed(&f), blocks * FLAT + 2 * ROW, 1);
    tear_down(&f);
    set_up_flat(&f, 1 << 20, 0);
    f.caches.sms = 2;
    check_near(missed(&f), blocks * FLAT + 2 * ROW, 1);
    tear_down(&f);
    set_up_flat(&f, 1 << 10, 0);
    f.caches.sms = 2;
    check_near(missed(&f), blocks * FLAT * 3, 1);
    tear_down(&f);
    set_up_flat(&f, 1 << 20, FLAT);
    check_near(missed(&f), blocks * FLAT * 3, 1);
    tear_down(&f);
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
    check_near(missed(&f), PANELS * PANELS * FLAT + 2 * ROW, 1);
    tear_down(&f);
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
    check_near(missed(&f), PANELS * PANELS * FLAT * 3., PANELS * FLAT * 3.);
    reuse_regions_release(&f.reuse_regions);
    f.moves[0] = PANELS * FLAT;
    f.moves[1] = FLAT;
    f.result.order = (struct emulate_order){.digits = 2, .unit = {1, PANELS}, .moves = f.moves};
    check_near(missed(&f), PANELS * PANELS * FLAT, 2 * PANELS * FLAT);
    tear_down(&f);
}

/* A wave of 128 blocks reads as many panels as begin anew, of a matrix that its neighbours tell nothing of. */
static void places_that_were_looked_at_are_shared(void **state)
{
    double anew[2] = {0, 0.25};
    struct fixture f;

    set_up_groups(&f, 1 << 10, 0);
    f.result.order = (struct emulate_order){0};
    for (unsigned k = 0; k < BLOCKS; k++) {
        footprint_release(&f.blocks[k].read);
        assert_int_equal(footprint_mark(&f.blocks[k].read, B + k * 7 * PANEL, PANEL, NULL), 0);
    }
    check_near(missed(&f), 32. * SIDE, 1e-9); /* all that there is, in each wave */
    reuse_regions_release(&f.reuse_regions);
    f.result.anew = anew;
    check_near(missed(&f), 32 * 32. * PANEL, 32. * PANEL);
    tear_down(&f);
}

/* Rows of eight blocks, each with four panels of its own of which block x reads one by its quotient and one by its remainder: of
 * 17 rows that a wave lies in there are no more than their panels, which L2 holds, though neighbours share only one of two. */
static void rows_have_panels_of_their_own(void **state)
{
    static const unsigned at[BLOCKS][2] = {{4, 32}, {5, 32}, {6, 32}, {4, 33}};
    enum { ROWS = 64, OWN = 4 };
    struct fixture f;
    double wave;

    set_up(&f, 20 * OWN * PANEL, 0);
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
    check_near(missed(&f) / ((double)ROWS * OWN * PANEL), 1,
               0.06); /* rows at the edges of waves count twice */
    wave = f.reuse_regions.reuse_region[1].wave;
    assert_true(wave > 16 * OWN * PANEL && wave < 18 * OWN * PANEL);
    tear_down(&f);
}

/* One block an SM has nobody to drift from; nor does it matter where L2 holds a wave. */
static void drift_needs_two_blocks_and_a_small_cache(void **state)
{
    struct fixture f;

    set_up_square(&f, 1 << 20, 0.5);
    f.caches.resident_blocks = 1;
    check_near(missed(&f), SIDE + 64.0 * SIDE, 1e-9);
    tear_down(&f);
    set_up_square(&f, 5 << 20, 0.5);
    check_near(missed(&f), 2.0 * SIDE, 1e-9);
    tear_down(&f);
}

/* A wave is 8 rows and 16 columns, its next neighbour in the same rows. */
static void groups_share_rows_and_columns(void **state)
{
    struct fixture f;

    set_up_groups(&f, 10 << 10, 0);
    check_near(missed(&f), 32.0 * (8 + 16) * PANEL, 1e-9);
    tear_down(&f);
    set_up_groups(&f, 2 << 20, 0); /* holds the wave's rows for the next, not B for the next group */
    check_near(missed(&f), SIDE + 32.0 * 16 * PANEL, 1e-9);
    tear_down(&f);
    set_up_groups(&f, 10 << 10, 0.9999); /* apart at once: 64 waves of 8 rows and 8 columns */
    check_near(missed(&f) / (64.0 * (8 + 8) * PANEL), 1, 0.002);
    tear_down(&f);
}

/* Four waves go through the same eight rows, of which there are 8 times 8: all wait for the first, half of a
 * wave for each of the others. No wave has had its columns before: all wait for those. */
static void half_of_a_wave_comes_later(void **state)
{
    struct fixture f;

    set_up_groups(&f, 2 << 20, 0);
    missed(&f);
    check_near(f.reuse_regions.reuse_region[1].ready, 1 - (1 + 7 / 2.0) / 32, 1e-9);
    check_near(f.reuse_regions.reuse_region[2].ready, 0, 1e-9);
    tear_down(&f);
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

        set_up_groups(&f, 10 << 10, 0);
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
        check_near(missed(&f), loops ? ROUNDS * (8.0 + 16) * PANEL : 2.0 * SIDE, 1e-9);
        tear_down(&f);
    }
}

/* What the launch before left in L2: of 4 MB that one block each reads, in a cache that holds so many MB of data that
 * all SMs use, and so many of data of one; of 8 MB that rows and columns of blocks share. */
static void launches_find_what_one_sm_read(void **state)
{
    static const struct {
        bool shared;
        double holds, once, l2, left;
    } cases[] = {{false, 3, 0, 6, 2. / 3}, {false, 3, 5, 6, 1},      {false, 1, 3, 5, 0.5},
                 {false, 1, 3, 4, 0},      {true, 6, 9, 10, 2. / 3}, {true, 6, 0, 10, 2. / 3}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;

        if (cases[c].shared) {
            set_up_square(&f, 1 << 20, 0);
        } else {
            set_up(&f, 1 << 20, 0);
            f.launch = (struct launch){.grid = {PANELS, 1, 1}, .block = {32, 1, 1}};
            f.result.region_count = 1;
            for (unsigned k = 0; k < BLOCKS; k++) {
                f.blocks[k] = (struct emulate_block){.position = {k, 0, 0}, .weight = 1, .warps = 1};
                assert_int_equal(footprint_mark(&f.blocks[k].read, A + (uint64_t)k * PANEL, PANEL, NULL), 0);
            }
        }
        f.caches.warm = true;
        f.caches.l2_holds = cases[c].holds * (1 << 20);
        f.caches.l2_bytes = cases[c].l2 * (1 << 20);
        f.caches.l2_holds_once = cases[c].once * (1 << 20);
        missed(&f);
        check_near(f.reuse_regions.left, cases[c].left, 1e-9);
        tear_down(&f);
    }
}

/* Blocks of 1024 sectors, each alone in its line: a wave of 128 touches the 4 MB of the region, and DRAM
 * brings 64 bytes for each. L2 has a quarter of the region at any time. */
static void sectors_anywhere_come_again(void **state)
{
    struct fixture f;

    set_up(&f, 1 << 20, 0);
    f.launch = (struct launch){.grid = {PANELS, PANELS, 1}, .block = {32, 1, 1}};
    f.result.region_count = 1;
    for (unsigned k = 0; k < BLOCKS; k++) {
        f.blocks[k] = (struct emulate_block){.position = {k % 3, k / 3, 0}, .weight = 1, .warps = 1};
        for (unsigned i = 0; i < 1024; i++)
            assert_int_equal(footprint_mark(&f.blocks[k].read, A + 256 * (BLOCKS * i + k), 32, NULL), 0);
    }
    check_near(missed(&f), SIDE + (32 * 2.0 * SIDE - SIDE) * 3 / 4, 1e-9);
    tear_down(&f);
}

/* One wave: 128 blocks of 4096 sectors, each alone in its line, ask for the 4 MB of the region eight times, 64 bytes at a
 * time. L2 has a quarter of it: after part h of the wave, exp(-8 h) = 3/4. From then on a quarter is found, up to then as
 * much as has been come to; where the launch before has left a quarter, that from the start. */
static void sectors_anywhere_are_lost_within_a_wave(void **state)
{
    struct fixture f;

    set_up(&f, 1 << 20, 0);
    f.launch = (struct launch){.grid = {16, 8, 1}, .block = {32, 1, 1}};
    f.result.region_count = 1;
    for (unsigned k = 0; k < BLOCKS; k++) {
        f.blocks[k] = (struct emulate_block){.position = {k % 3, k / 3, 0}, .weight = 1, .warps = 1};
        for (unsigned i = 0; i < 4096; i++)
            assert_int_equal(footprint_mark(&f.blocks[k].read, A + 256 * (BLOCKS * i + k), 32, NULL), 0);
    }
    check_near(missed(&f), SIDE * (8 * 3.0 / 4 + 1 - 3.0 / 4 * (1 + log(4.0 / 3))), 1);
    check_near(f.reuse_regions.reuse_region[1].ready, 1 - (7 - 3.0 / 4 * (1 + log(4.0 / 3))) / 8, 1e-6);
    reuse_regions_release(&f.reuse_regions);
    f.caches.warm = true;
    check_near(missed(&f), SIDE * 8 * 3.0 / 4, 1);
    tear_down(&f);
}

/* Blocks read rows of a line each, side by side along x; they write them side by side along y. */
static void lines_of_neighbours_in_x_are_not_alone(void **state)
{
    struct fixture f;

    set_up(&f, 1 << 20, 0);
    f.launch = (struct launch){.grid = {PANELS, PANELS, 1}, .block = {32, 1, 1}};
    for (unsigned k = 0; k < BLOCKS; k++) {
        const unsigned x = k < 3 ? k : 0, y = k < 3 ? 0 : 1;

        f.blocks[k] = (struct emulate_block){.position = {x, y, 0}, .weight = 1, .warps = 1};
        for (unsigned i = 0; i < 32; i++) {
            const uint64_t from = A + 4096 * (32 * y + i) + 128 * x, to = B + 4096 * (32 * x + i) + 128 * y;

            assert_int_equal(footprint_mark(&f.blocks[k].read, from, 128, NULL), 0);
            assert_int_equal(footprint_mark(&f.blocks[k].written, to, 128, NULL), 0);
        }
    }
    missed(&f);
    check_near(f.reuse_regions.reuse_region[1].read_lone, 0, 0);
    check_near(f.reuse_regions.reuse_region[2].written_lone, 1, 0);
    tear_down(&f);
}

/* Blocks write panels in pairs: one that shares all with the next shares nothing with the next but one. */
static void pairs_write_the_same(void **state)
{
    struct fixture f;

    set_up(&f, 1 << 20, 0);
    f.launch = (struct launch){.grid = {2 * PANELS, 1, 1}, .block = {32, 1, 1}};
    for (unsigned k = 0; k < BLOCKS; k++) {
        const unsigned x = k < 3 ? PANELS + k : 0;

        f.blocks[k] = (struct emulate_block){.position = {x, 0, 0}, .weight = 1, .warps = 1};
        assert_int_equal(footprint_mark(&f.blocks[k].written, A + (uint64_t)(x / 2) * PANEL, PANEL, NULL), 0);
    }
    missed(&f);
    check_near(f.reuse_regions.unique_written, SIDE, 0.01 * SIDE);
    tear_down(&f);
}

/* 2 blocks of 4 warps at 100 cycles each take 800. */
static void drift_is_what_latency_leaves(void **state)
{
    static const struct residency at = {
        .blocks = 1000, .sms = 10, .blocks_per_sm = 2, .warps_per_block = 4, .partitions = 4};
    struct capacity capacity[RESOURCE_COUNT] = {
        [RESOURCE_FMA] = {.per_sm = 1}, [RESOURCE_SHARED] = {.per_sm = 1}, [RESOURCE_L2] = {.per_sm = 1}};
    struct demand demand = {.count = {[RESOURCE_FMA] = 100, [RESOURCE_SHARED] = 50}};

    check_near(skew_share(&demand, capacity, &at, 200), 0.75, 1e-12);
    check_near(skew_share(&demand, capacity, &at, 900), 0, 0);
    demand.count[RESOURCE_L2] = 1000; /* all SMs wait for it alike */
    check_near(skew_share(&demand, capacity, &at, 900), 0, 0);
}

int main(void)
{
    return RUN_TESTS(clusters_fetch_what_their_blocks_copy_in_parts, blocks_in_step_share_a_fetch,
                     blocks_come_back_to_rows, borders_come_round, blocks_come_back_to_columns,
                     blocks_apart_fetch_each, places_that_were_looked_at_are_shared,
                     rows_have_panels_of_their_own, drift_needs_two_blocks_and_a_small_cache,
                     groups_share_rows_and_columns, half_of_a_wave_comes_later, rounds_of_tiles_are_waves,
                     launches_find_what_one_sm_read, sectors_anywhere_come_again,
                     sectors_anywhere_are_lost_within_a_wave, lines_of_neighbours_in_x_are_not_alone,
                     pairs_write_the_same, drift_is_what_latency_leaves);
}

/* What samples of random grids say of memory, whose blocks touch unequal amounts of it, against all blocks: usage
 * test_uneven_memory [GRIDS [SEED]]. Of 80 grids by default; 5000 take some minutes. */
#include "uneven_grid.h"
#include "model/machine/assumptions.h"
#include "model/memory/traffic.h"

#include <math.h>

enum { PER_SOURCE = 25, BUFFER = 1 << 22, PAIR = 64 };
enum { SMS = 4, RESIDENT = 2, WAVE = SMS * RESIDENT }; /* of a small GPU */

static const struct {
    const char *source, *name;
} kernels[] = {
    {"uneven_memory.cu", "rows"},    {"uneven_memory.cu", "triangle"},  {"uneven_memory.cu", "diagonal"},
    {"uneven_memory.cu", "lower"},   {"uneven_memory.cu", "borders"},   {"uneven_memory.cu", "partial"},
    {"uneven_memory.cu", "strides"}, {"uneven_memory.cu", "spreading"}, {"uneven_memory.cu", "gather"},
    {"uneven_memory.cu", "masked"},  {"uneven_memory.cu", "banks"},     {"uneven_memory.cu", "ring"},
    {"uneven_memory.cu", "column"},  {"uneven.cu", "partial"},          {"uneven.cu", "rows"},
    {"uneven.cu", "columns"},        {"uneven.cu", "half_grid"},        {"uneven.cu", "strided"},
    {"uneven.cu", "lanes"},          {"uneven.cu", "swizzled"},
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

static unsigned grids = 80;
static uint64_t seed = 1;

/* Estimates of one kind beside what all blocks say. */
struct tally {
    const char *what;
    unsigned count, near, far; /* near: within 10 %; far: not within twice as much or half of it */
};

static struct tally read_bytes = {.what = "bytes read"}, written_bytes = {.what = "bytes written"},
                    fetched = {.what = "bytes from DRAM"}, waves = {.what = "bytes that waves fetch"};
static unsigned wrong, too_many_bytes; /* grids */

static void add(struct tally *tally, const struct grid *g, double estimate, double truth)
{
    const double ratio = estimate / truth;

    tally->count++;
    tally->near += ratio <= 1.1 && ratio >= 1 / 1.1;
    if (ratio <= 2 && ratio >= 0.5)
        return;
    tally->far++;
    printf("%s: %s estimated %.3g times\n", g->text, tally->what, ratio);
}

/* What the grid's memory instructions access ------------------------------- */

enum figure { REQUESTS, ACCESSES, BYTES, SECTORS, TOUCHED_LINES, WAVEFRONTS, PASSES, FIGURES };
static const char *const figures[] = {"requests", "accesses",   "bytes", "sectors",
                                      "lines",    "wavefronts", "passes"};

static double sum_of(const struct traffic *t, enum figure f)
{
    double sum = 0;

    for (size_t i = 0; i < t->instruction_count; i++) {
        const struct traffic_count *c = &t->counts[i];
        const double all[FIGURES] = {c->requests, c->lanes,      c->bytes, c->sectors,
                                     c->lines,    c->wavefronts, c->passes};

        sum += t->warps * all[f];
    }
    return sum;
}

/* Returns whether each is within 1 % or the interval that is stated. */
static bool check_figures(const struct grid *g, const struct traffic *sample, const struct traffic *whole)
{
    bool right = true;

    for (int f = 0; f < FIGURES; f++) {
        const double estimate = sum_of(sample, (enum figure)f), truth = sum_of(whole, (enum figure)f);
        const double off = truth == estimate ? 0 : fabs(truth / estimate - 1);

        if (off <= fmax(0.01, sample->access_error))
            continue;
        right = false;
        printf("%s: %.3g times the %s, give or take %.2g\n", g->text, estimate / truth, figures[f],
               sample->access_error);
    }
    return right;
}

/* Bytes -------------------------------------------------------------------- */

static double bytes_of(const struct footprint *print)
{
    return SECTOR * (double)print->sectors;
}

/* DRAM brings pairs of sectors. */
static double pair_bytes(const struct footprint *print)
{
    struct footprint_pairs pairs;

    footprint_pairs_in(&pairs, print, NULL, 0, 0, UINT64_MAX);
    return PAIR * (double)pairs.pairs;
}

/* What all blocks touch, and what waves of WAVE blocks fetch where L2 keeps nothing between them. */
struct truth {
    struct footprint read, written;
    double waves;
};

static void find_truth(struct truth *out, const struct emulate_result *whole)
{
    struct footprint wave = {0};

    *out = (struct truth){.waves = 0};
    grid_touched(&out->read, &out->written, whole);
    for (size_t b = 0; b < whole->block_count; b++) {
        grid_unite(&wave, &whole->blocks[b].read);
        if (b % WAVE == WAVE - 1 || b + 1 == whole->block_count) {
            out->waves += pair_bytes(&wave);
            footprint_release(&wave);
            wave = (struct footprint){0};
        }
    }
}

/* A sector a block and less is none of DRAM's business. */
static bool is_much(const struct footprint *print, const struct emulate_result *whole)
{
    return print->sectors >= whole->block_count;
}

static void check_bound(const struct grid *g, const struct traffic *t, const struct truth *truth)
{
    const double read = bytes_of(&truth->read) * (1 + 1e-9), written = bytes_of(&truth->written) * (1 + 1e-9);

    assert_true(t->touched.read <= t->touched.read_most * (1 + 1e-9));
    assert_true(t->touched.written <= t->touched.written_most * (1 + 1e-9));
    if (t->least.read <= read && t->least.written <= written)
        return;
    too_many_bytes++;
    printf("%s: at least %g bytes of %g read, %g of %g written\n", g->text, t->least.read, read,
           t->least.written, written);
}

static void measure(struct traffic *out, const struct grid *g, const struct emulate_result *result,
                    const struct traffic_caches *caches)
{
    struct err err = {0};

    ok(traffic_of(out, &g->compiled.code, result, &g->launch, caches, &err), &err);
}

static void check_memory(const struct grid *g, const struct emulate_result *sample,
                         const struct emulate_result *whole)
{
    const struct traffic_caches large = {.sms = 132,
                                         .resident_blocks = 8,
                                         .l1_bytes = 200 << 10,
                                         .l2_bytes = 50 << 20,
                                         .l2_holds = 50 << 20,
                                         .assumed = &assumptions_default};
    struct traffic_caches small = large;
    struct traffic t, all;
    struct truth truth;

    small.sms = SMS;
    small.resident_blocks = RESIDENT;
    small.l2_bytes = small.l2_holds = 1;
    find_truth(&truth, whole);
    measure(&t, g, sample, &large);
    measure(&all, g, whole, &large);
    wrong += !check_figures(g, &t, &all);
    check_bound(g, &t, &truth);
    if (is_much(&truth.read, whole)) {
        add(&read_bytes, g, t.touched.read, bytes_of(&truth.read));
        add(&fetched, g, t.dram.read * t.warps, pair_bytes(&truth.read));
    }
    if (is_much(&truth.written, whole))
        add(&written_bytes, g, t.touched.written, bytes_of(&truth.written));
    traffic_release(&t);
    traffic_release(&all);
    measure(&t, g, sample, &small);
    if (is_much(&truth.read, whole) && g->launch.grid[0] * g->launch.grid[1] >= WAVE)
        add(&waves, g, t.dram.read * t.warps, truth.waves);
    traffic_release(&t);
    footprint_release(&truth.read);
    footprint_release(&truth.written);
}

/* Grids -------------------------------------------------------------------- */

static void check_kernel(const char *source, const char *name, unsigned count, struct draws *draws)
{
    struct grid g = {0};

    grid_compile(&g, source, name, (const char *const[]){"-DUNROLL=1"}, 1);
    for (unsigned k = 0; k < count; k++) {
        struct emulate_result sample, whole;

        grid_draw(&g, name, draws, BUFFER, BUFFER);
        grid_run(&sample, &g, false, 0);
        grid_run(&whole, &g, true, 0);
        check_memory(&g, &sample, &whole);
        emulate_result_release(&sample);
        emulate_result_release(&whole);
        grid_release_launch(&g);
    }
    grid_release(&g);
}

static void check_tally(const struct tally *t)
{
    printf("%s: of %u grids %.1f %% within 10 %%, %.1f %% within a factor of 2\n", t->what, t->count,
           100. * t->near / t->count, 100 - 100. * t->far / t->count);
    if (t->near < 0.7 * t->count || t->far > 0.05 * t->count)
        fail_msg("%s: %u of %u estimates are within 10 %%, %u off by more than twice", t->what, t->near,
                 t->count, t->far);
}

static void says_what_uneven_grids_touch(void **state)
{
    const unsigned each = grids < PER_SOURCE * KERNELS ? (grids + KERNELS - 1) / KERNELS : PER_SOURCE;
    struct draws draws = {.seed = seed};

    for (unsigned done = 0; done < grids; done += each)
        check_kernel(kernels[done / each % KERNELS].source, kernels[done / each % KERNELS].name, each,
                     &draws);
    if (wrong > 1 + grids / 100)
        fail_msg("accesses of %u of %u grids are counted wrongly", wrong, grids);
    if (too_many_bytes)
        fail_msg("of %u of %u grids more bytes are in the bound than they touch", too_many_bytes, grids);
    check_tally(&read_bytes);
    check_tally(&written_bytes);
    check_tally(&fetched);
    check_tally(&waves);
}

/* What a grid touches: by its sample, and by all of its blocks. */
struct seen {
    struct emulate_result sample, whole;
    struct footprint read, written; /* of all */
    struct traffic traffic;         /* of the sample */
};

static void look(struct seen *out, struct grid *g)
{
    grid_run(&out->sample, g, false, 0);
    grid_run(&out->whole, g, true, 0);
    grid_touched(&out->read, &out->written, &out->whole);
    measure(&out->traffic, g, &out->sample, &grid_caches);
}

/* Of the launch, too. */
static void let_go(struct seen *seen, struct grid *g)
{
    traffic_release(&seen->traffic);
    footprint_release(&seen->read);
    footprint_release(&seen->written);
    emulate_result_release(&seen->sample);
    emulate_result_release(&seen->whole);
    grid_release_launch(g);
}

/* Addresses that are sums of coordinates times constants: all that the grid touches is in the bound. */
static void straight_lines_are_proved(void **state)
{
    struct draws draws = {.seed = seed};
    struct grid g = {0};

    grid_compile(&g, "uneven_memory.cu", "wide", NULL, 0);
    for (unsigned k = 0; k < 4; k++) {
        struct seen seen;

        grid_draw(&g, "wide", &draws, BUFFER, BUFFER);
        for (unsigned axis = 0; axis < 3; axis++) {
            g.launch.grid[axis] = axis ? 1 : draw(&draws, 1, 200);
            g.launch.block[axis] = axis ? 1 : 32 * draw(&draws, 1, 8);
        }
        look(&seen, &g);
        check_near(seen.traffic.least.read, bytes_of(&seen.read), 1e-9 * bytes_of(&seen.read));
        check_near(seen.traffic.least.written, bytes_of(&seen.written), 1e-9 * bytes_of(&seen.written));
        let_go(&seen, &g);
    }
    grid_release(&g);
}

/* Bytes read by a grid in groups of blocks, beside those of all blocks. */
static void check_groups(struct grid *g, const char *name, const unsigned extent[3], int step)
{
    struct draws draws = {.seed = seed};
    struct seen seen;

    grid_draw(g, name, &draws, BUFFER, BUFFER);
    memcpy(g->launch.grid, extent, sizeof g->launch.grid);
    g->step = step;
    look(&seen, g);
    if (!(fabs(seen.traffic.touched.read / bytes_of(&seen.read) - 1) < 0.05))
        fail_msg("%s, %u x %u blocks in groups of %d: %g bytes of %g", name, extent[0], extent[1], step,
                 seen.traffic.touched.read, bytes_of(&seen.read));
    let_go(&seen, g);
}

/* Blocks that share all with their neighbours do so in groups, or along the whole row. */
static void groups_of_blocks_share(void **state)
{
    struct grid g = {0};

    grid_compile(&g, "uneven_memory.cu", "groups_of_x", NULL, 0);
    for (int step = 1; step <= 32; step *= 2)
        check_groups(&g, "groups_of_x", (const unsigned[3]){32, 8, 1}, step);
    grid_release(&g);
    grid_compile(&g, "uneven_memory.cu", "groups_of_y", NULL, 0);
    for (int step = 1; step <= 32; step *= 2)
        check_groups(&g, "groups_of_y", (const unsigned[3]){4, 32, 2}, step);
    grid_release(&g);
}

/* Grids of blocks that all touch some of a few KB, where they go round it by their number, round it in a grid of more than
 * one dimension, gather through loaded indices, or wrap around, and of blocks whose ranges overlap. */
static const struct {
    const char *source, *name, *lengths;
    unsigned grid[3], block;
    int count, step;
} shared[] = {
    {"uneven_memory.cu", "ring", "i % 97", {161, 1, 1}, 27, 3596, 5},
    {"uneven_memory.cu", "ring", "i % 97", {18, 1, 1}, 96, 1533, 5},
    {"uneven_memory.cu", "ring", "i % 97", {89, 1, 3}, 96, 4547, 5},
    {"uneven_memory.cu", "ring", "i % 97", {4, 36, 1}, 64, 230, 4},
    {"uneven_memory.cu", "gather", "5 + random(i) % 60", {3, 23, 2}, 96, 382, 5},
    {"uneven_memory.cu", "gather", "i % 97", {20, 19, 1}, 32, 382, 2},
    {"uneven.cu", "strided", "i % 97", {106, 1, 1}, 64, 1563, 2},
    {"uneven.cu", "partial", "i % 97", {126, 1, 1}, 27, 3223, 1},
    {"uneven_memory.cu", "windows", "i % 97", {150, 1, 1}, 64, 1, 2},
};

/* Bytes of what such a grid touches, within a factor of `most`. */
static void check_shared(struct grid *g, size_t k, double most)
{
    struct draws draws = {.seed = seed};
    struct seen seen;

    grid_draw(g, shared[k].name, &draws, BUFFER, BUFFER);
    memcpy(g->launch.grid, shared[k].grid, sizeof g->launch.grid);
    g->launch.block[0] = shared[k].block;
    g->count = shared[k].count;
    g->step = shared[k].step;
    grid_set_lengths(g, shared[k].lengths);
    look(&seen, g);
    for (int stored = 0; stored < 2; stored++) {
        const double estimate = stored ? seen.traffic.touched.written : seen.traffic.touched.read,
                     truth = bytes_of(stored ? &seen.written : &seen.read);

        if (estimate > most * truth || estimate < truth / most)
            fail_msg("%s, case %zu: %g bytes %s, estimated %g", shared[k].name, k, truth,
                     stored ? "written" : "read", estimate);
    }
    if (!(seen.traffic.dram.read * seen.traffic.warps < most * pair_bytes(&seen.read)))
        fail_msg("%s, case %zu: %g bytes from DRAM, estimated %g", shared[k].name, k, pair_bytes(&seen.read),
                 seen.traffic.dram.read * seen.traffic.warps);
    assert_true(seen.traffic.touched.read_most >= bytes_of(&seen.read) &&
                seen.traffic.least.read <= bytes_of(&seen.read));
    let_go(&seen, g);
}

static void few_bytes_are_touched_by_all(void **state)
{
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
        struct grid g = {0};

        grid_compile(&g, shared[k].source, shared[k].name, (const char *const[]){"-DUNROLL=1"}, 1);
        check_shared(&g, k, 2);
        grid_release(&g);
    }
}

/* The first warp comes back to a row of 256 lines, of which it reads every other one, after as many as these. */
static void second_passes_are_followed(void **state)
{
    struct draws draws = {.seed = seed};
    struct grid g = {0};
    struct emulate_result sample;
    double sectors = 0, lines = 0;

    grid_compile(&g, "uneven_memory.cu", "twice", NULL, 0);
    grid_draw(&g, "twice", &draws, BUFFER, BUFFER);
    memcpy(g.launch.grid, (unsigned[3]){64, 1, 1}, sizeof g.launch.grid);
    memcpy(g.launch.block, (unsigned[3]){64, 1, 1}, sizeof g.launch.block);
    g.count = 256 * 32;
    grid_run(&sample, &g, false, 0);
    assert_non_null(sample.again);
    for (size_t i = 0; i < sample.instruction_count; i++)
        for (int bin = 0; bin < EMULATE_DISTANCES; bin++) {
            sectors += sample.again[i].sectors[bin];
            lines += sample.again[i].lines[bin];
        }
    assert_float_equal(sectors, 128 * 4, 1e-9);
    assert_float_equal(lines / sectors, 127, 1e-9);
    emulate_result_release(&sample);
    grid_release_launch(&g);
    grid_release(&g);
}

static double sectors_of(const struct grid *g, bool whole)
{
    struct emulate_result result;
    double sum = 0;

    grid_run(&result, g, whole, 0);
    for (size_t b = 0; b < result.block_count; b++)
        for (size_t i = 0; i < result.instruction_count; i++)
            sum += result.blocks[b].weight * (double)result.blocks[b].counts[i].sectors;
    emulate_result_release(&result);
    return sum;
}

/* The middle row, around which blocks are chosen, is like no other: few ask for as little. */
static void others_than_the_middle_are_drawn(void **state)
{
    struct draws draws = {.seed = seed};
    struct grid g = {0};
    double ratio;

    grid_compile(&g, "uneven_memory.cu", "fan", NULL, 0);
    grid_draw(&g, "fan", &draws, BUFFER, BUFFER);
    memcpy(g.launch.grid, (unsigned[3]){8, 44, 1}, sizeof g.launch.grid);
    memcpy(g.launch.block, (unsigned[3]){256, 1, 1}, sizeof g.launch.block);
    g.count = 200;
    ratio = sectors_of(&g, false) / sectors_of(&g, true);
    if (!(ratio > 0.75 && ratio < 1.35))
        fail_msg("%.3g times as many sectors as all blocks ask for", ratio);
    grid_release_launch(&g);
    grid_release(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_uneven_grids_touch), cmocka_unit_test(straight_lines_are_proved),
        cmocka_unit_test(groups_of_blocks_share),       cmocka_unit_test(few_bytes_are_touched_by_all),
        cmocka_unit_test(second_passes_are_followed),   cmocka_unit_test(others_than_the_middle_are_drawn)};

    grids = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : grids;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    return run_group("uneven memory", tests, sizeof tests / sizeof *tests);
}

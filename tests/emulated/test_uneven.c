/* Samples of random grids whose blocks do unequal work, against the emulation of all blocks: usage
 * test_uneven [GRIDS [SEED]]. Of 60 grids by default; 5000 take some minutes. */
#include "uneven_grid.h"
#include "model/memory/traffic.h"
#include "model/predict/analyze.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PER_SOURCE = 30 };

static const char *const names[] = {"partial",   "rows",     "columns", "planes",  "triangle",
                                    "half_grid", "border",   "every",   "strided", "lanes",
                                    "tail",      "swizzled", "single",  "between"};

enum { NAMES = sizeof names / sizeof *names };

static unsigned grids = 60;
static uint64_t seed = 1;
static unsigned too_many_bytes; /* grids that are said to touch more than they do */

static double issued_of(const struct emulate_result *result, double *weight)
{
    double sum = 0;

    *weight = 0;
    for (size_t b = 0; b < result->block_count; b++) {
        *weight += result->blocks[b].weight;
        for (size_t i = 0; i < result->instruction_count; i++)
            sum += result->blocks[b].weight * (double)result->blocks[b].counts[i].issued;
    }
    return sum;
}

/* Bytes that a bound is made of are no more than the grid touches. */
static void check_bytes(const struct grid *g, const struct traffic *t, const struct emulate_result *whole,
                        unsigned *too_many)
{
    struct footprint read, written;
    double most[2];

    grid_touched(&read, &written, whole);
    most[0] = SECTOR * (double)read.sectors * (1 + 1e-9);
    most[1] = SECTOR * (double)written.sectors * (1 + 1e-9);
    footprint_release(&read);
    footprint_release(&written);
    if (t->least.read > most[0] || t->least.written > most[1]) {
        printf("%s: at least %g bytes of %g read, %g of %g written\n", g->text, t->least.read, most[0],
               t->least.written, most[1]);
        (*too_many)++;
    }
}

/* What goes into the hard bound is no more than the grid issues; and blocks are equal only where they are. */
static void check_bound(const struct grid *g, const struct emulate_result *sample,
                        const struct emulate_result *whole, double issued)
{
    struct traffic t, all;
    struct err err = {0};
    double least = 0;

    ok(traffic_of(&t, &g->compiled.code, sample, &g->launch, &grid_caches, &err), &err);
    ok(traffic_of(&all, &g->compiled.code, whole, &g->launch, &grid_caches, &err), &err);
    for (size_t i = 0; i < t.instruction_count; i++)
        least += t.counts[i].least_issued * t.warps;
    if (least > issued * (1 + 1e-9))
        fail_msg("%s: at least %g warp instructions of %g", g->text, least, issued);
    check_bytes(g, &t, whole, &too_many_bytes);
    if (t.blocks_equal && !all.blocks_equal)
        fail_msg("%s: blocks are taken to be equal", g->text);
    traffic_release(&t);
    traffic_release(&all);
}

/* With a budget that not all blocks of the sample fit into, or none but the first, the weights add up all the same, and the
 * interval says what is not known of what is issued (0: whatever that is). */
static void check_tight(const struct grid *g, uint64_t budget, double blocks, double issued)
{
    struct emulate_result sample;
    double weight, off;

    grid_run(&sample, g, false, budget);
    if (sample.end == EMULATE_DONE) {
        const double counted = issued_of(&sample, &weight);

        off = issued > 0 ? fabs(counted / issued - 1) : 0;
        if (!(fabs(weight / blocks - 1) < 1e-9))
            fail_msg("%s: within %llu instructions the weights add up to %g of %g blocks", g->text,
                     (unsigned long long)budget, weight, blocks);
        if (!(off <= fmax(0.01, sample.work_error * (1 + 1e-9))))
            fail_msg("%s: within %llu instructions off by %g, stated is %g", g->text,
                     (unsigned long long)budget, off, sample.work_error);
    }
    emulate_result_release(&sample);
}

static unsigned far_off; /* grids whose work is not counted within 1 % */

/* Returns whether the work counted is within 1 % or the interval stated. */
static bool check_grid(struct grid *g)
{
    struct emulate_result sample, whole;
    double weight, all, counted, issued, off;
    bool held;

    grid_run(&sample, g, false, 0);
    grid_run(&whole, g, true, 0);
    counted = issued_of(&sample, &weight);
    issued = issued_of(&whole, &all);
    off = fabs(counted / issued - 1);
    if (fabs(weight / all - 1) > 1e-9)
        fail_msg("%s: the weights add up to %g of %g blocks", g->text, weight, all);
    check_bound(g, &sample, &whole, issued);
    for (double part = 0.9; part > 0.01; part *= 0.5)
        check_tight(g, (uint64_t)((double)sample.executed * part), all, part > 0.1 ? issued : 0);
    held = off <= fmax(0.01, sample.work_error);
    far_off += off > 0.01;
    if (!held)
        printf("%s: %.3g of the work, give or take %.2g\n", g->text, counted / issued, sample.work_error);
    emulate_result_release(&sample);
    emulate_result_release(&whole);
    return held;
}

/* Compiles a kernel and launches it in `count` ways; returns how many are counted wrongly. */
static unsigned check_kernel(const char *name, unsigned count, struct draws *draws)
{
    const unsigned unroll = 1u << draw(draws, 0, 2);
    struct grid g = {0};
    char text[80], option[40];
    unsigned wrong = 0;

    snprintf(option, sizeof option, "-DUNROLL=%u", unroll);
    grid_compile(&g, "uneven.cu", name, (const char *const[]){option}, 1);
    snprintf(text, sizeof text, "%s, unrolled %u times", name, unroll);
    for (unsigned k = 0; k < count; k++) {
        grid_draw(&g, text, draws, 1 << 16, 1024);
        wrong += !check_grid(&g);
        grid_release_launch(&g);
    }
    grid_release(&g);
    return wrong;
}

static void counts_the_work_of_uneven_grids(void **state)
{
    const unsigned each = grids < PER_SOURCE * NAMES ? (grids + NAMES - 1) / NAMES : PER_SOURCE;
    struct draws draws = {.seed = seed};
    unsigned wrong = 0;

    for (unsigned done = 0; done < grids; done += each)
        wrong += check_kernel(names[done / each % NAMES], each, &draws);
    if (wrong * 100 > grids)
        fail_msg("%u of %u grids are counted wrongly", wrong, grids);
    printf("%u of %u grids are counted within 1 %%\n", grids - far_off, grids);
    if (far_off * 20 > grids)
        fail_msg("%u of %u grids are not counted within 1 %%", far_off, grids);
    if (too_many_bytes)
        fail_msg("of %u of %u grids more bytes are in the bound than they touch", too_many_bytes, grids);
}

/* Of many small boxes of blocks, in which the work grows along an axis, those that are looked at lie at places of their
 * own, and each stands for as many as are in its cell: else all boxes err to the same side. */
static void boxes_err_apart(void **state)
{
    static const struct {
        unsigned x, y, threads, unroll;
        int32_t step;
    } cases[] = {{4, 35, 96, 1, 1},  {4, 33, 91, 1, 1},  {8, 40, 91, 2, 3},
                 {15, 34, 96, 1, 5}, {17, 34, 96, 4, 5}, {92, 6, 96, 4, 5}};
    struct draws draws = {.seed = 1};
    unsigned wrong = 0;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct grid g = {0};
        char option[40];

        snprintf(option, sizeof option, "-DUNROLL=%u", cases[k].unroll);
        grid_compile(&g, "uneven.cu", "triangle", (const char *const[]){option}, 1);
        grid_draw(&g, "triangle", &draws, 1 << 16, 1024);
        g.launch.grid[0] = cases[k].x;
        g.launch.grid[1] = cases[k].y;
        g.launch.grid[2] = 1;
        g.launch.block[0] = cases[k].threads;
        g.step = cases[k].step;
        snprintf(g.text, sizeof g.text, "triangle, grid %u, %u", cases[k].x, cases[k].y);
        wrong += !check_grid(&g);
        grid_release_launch(&g);
        grid_release(&g);
    }
    assert_int_equal(wrong, 0);
}

/* No time for a second block, and the first is like none that were told apart: it stands for the grid. */
static void one_block_stands_for_others(void **state)
{
    const char *const option = "-DUNROLL=2";
    struct draws draws = {.seed = 1};
    struct grid g = {0};

    grid_compile(&g, "uneven.cu", "tail", &option, 1);
    for (unsigned k = 0; k < 30; k++) {
        grid_draw(&g, "tail", &draws, 1 << 16, 1024);
        memcpy(g.launch.grid, (const unsigned[]){3, 33, 1}, sizeof g.launch.grid);
        check_tight(&g, 100, 99, 0);
        grid_release_launch(&g);
    }
    grid_release(&g);
}

/* The simulated cycles of a grid of 16 blocks of one warp an SM, each a chain of dependent additions as long as
 * `expression` says. */
static double cycles_of(struct grid *g, const struct machine *machine, const char *expression)
{
    const struct analyze_options options = {.warm = true};
    struct analysis *analysis = calloc(1, sizeof *analysis);
    struct draws draws = {.seed = seed};
    struct err err = {0};
    double cycles;

    assert_non_null(analysis);
    grid_draw(g, "columns", &draws, 1 << 16, 1 << 16);
    g->launch.grid[0] = 16 * 132;
    g->launch.grid[1] = g->launch.grid[2] = 1;
    g->launch.block[0] = 32;
    g->step = 1;
    fill_release(&g->arguments[2].fill);
    g->arguments[2].fill = (struct fill){.kind = FILL_EXPRESSION, .expression = strdup(expression)};
    assert_non_null(g->arguments[2].fill.expression);
    ok(launch_prepare(&g->launch, &err), &err);
    ok(analyze(analysis, machine, &g->compiled.cubin, g->compiled.kernel, &g->launch, &options, &err), &err);
    if (!analysis->predicted)
        fail_msg("%s", analysis->reason);
    cycles = analysis->input.simulated.all_cycles * analysis->input.latency.stretch;
    analysis_release(analysis);
    free(analysis);
    grid_release_launch(g);
    return cycles;
}

/* All blocks are resident and none is in another's way: the grid takes as long as its longest block. */
static void the_longest_block_counts_once(void **state)
{
    const char *const option = "-DUNROLL=1024"; /* so that all of it is simulated */
    struct machine machine;
    struct device device;
    struct grid g = {0};
    struct err err = {0};
    double equal, unequal;

    device_init(&device);
    ok(device_load(&device, "nvidia-h200", "model/device/profiles", &err), &err);
    ok(machine_init(&machine, &device, &err), &err);
    grid_compile(&g, "uneven.cu", "columns", &option, 1);
    equal = cycles_of(&g, &machine, "4096");
    unequal = cycles_of(&g, &machine, "4096 if i % 4 == 0 else 1024");
    if (!(fabs(unequal / equal - 1) < 0.15))
        fail_msg("%g cycles where three of four blocks are shorter, %g else", unequal, equal);
    grid_release(&g);
    machine_release(&machine);
    device_release(&device);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_the_work_of_uneven_grids), cmocka_unit_test(boxes_err_apart),
        cmocka_unit_test(one_block_stands_for_others), cmocka_unit_test(the_longest_block_counts_once)};

    grids = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : grids;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    return run_group("uneven", tests, sizeof tests / sizeof *tests);
}

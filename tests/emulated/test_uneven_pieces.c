/* What samples of random grids of random kernels say of their work and memory, against all blocks: usage
 * test_uneven_pieces [KERNELS [SEED]]. Of 6 kernels by default, each launched in several ways; 1000 take some minutes. */
#include "uneven_grid.h"
#include "model/memory/traffic.h"

#include <math.h>

enum { LAUNCHES = 5, BUFFER = 1 << 22 };

static const char *const pieces[] = {
    "ring",      "stride",   "stride_back", "parts",   "triangle", "triangle_store",
    "halo",      "loaded",   "halo_tiles",  "windows", "turns",    "shared_rows",
    "quotients", "partners", "gather",      "spread",  "borders",  "masked_store",
};
static const char *const numbers[] = {"flat()", "across()", "backwards()", "scattered()"};

static unsigned kernels = 6;
static uint64_t seed = 8;
static unsigned grids, bounds_above, work_near, work_held, sums, sums_near, sums_held;

static double issued_of(const struct emulate_result *result)
{
    double sum = 0;

    for (size_t b = 0; b < result->block_count; b++)
        for (size_t i = 0; i < result->instruction_count; i++)
            sum += result->blocks[b].weight * (double)result->blocks[b].counts[i].issued;
    return sum;
}

static void check_work(const struct grid *g, const struct emulate_result *sample,
                       const struct emulate_result *whole)
{
    const double off = fabs(issued_of(sample) / issued_of(whole) - 1);

    work_near += off <= 0.01;
    work_held += off <= fmax(0.01, sample->work_error);
    if (off > fmax(0.01, sample->work_error))
        printf("%s: %.3g of the work, give or take %.2g\n", g->text, issued_of(sample) / issued_of(whole),
               sample->work_error);
}

/* A sum of bytes: what the bound has of it, what the estimate. */
static void check_bytes(const struct grid *g, const char *what, double least, double estimate, double most,
                        double all)
{
    bounds_above += least > all * (1 + 1e-9);
    if (least > all * (1 + 1e-9))
        printf("%s: %s at least %g of %g bytes\n", g->text, what, least, all);
    if (!(all > 0))
        return;
    sums++;
    sums_near += fabs(estimate / all - 1) <= 0.1;
    sums_held += fabs(estimate / all - 1) <= 0.1 || all <= most * 1.01;
    if (!(fabs(estimate / all - 1) <= 0.1 || all <= most * 1.01))
        printf("%s: %s at most %g of %g bytes\n", g->text, what, most, all);
    if (fabs(estimate / all - 1) > 0.1)
        printf("%s: %s estimated %.3g times\n", g->text, what, estimate / all);
}

static void check_grid(const struct grid *g)
{
    struct emulate_result sample, whole;
    struct footprint read, written;
    struct traffic traffic;
    struct err err = {0};

    grid_run(&sample, g, false, 0);
    grid_run(&whole, g, true, 0);
    grid_touched(&read, &written, &whole);
    ok(traffic_of(&traffic, &g->compiled.code, &sample, &g->launch, &grid_caches, &err), &err);
    grids++;
    check_work(g, &sample, &whole);
    check_bytes(g, "read", traffic.least.read, traffic.touched.read,
                traffic.touched.read_most * (1 + traffic.access_error), SECTOR * (double)read.sectors);
    check_bytes(g, "written", traffic.least.written, traffic.touched.written,
                traffic.touched.written_most * (1 + traffic.access_error), SECTOR * (double)written.sectors);
    traffic_release(&traffic);
    footprint_release(&read);
    footprint_release(&written);
    emulate_result_release(&sample);
    emulate_result_release(&whole);
}

#define DRAW(draws, list) list[draw(draws, 0, sizeof list / sizeof *list - 1)]

static void check_kernel(struct draws *draws)
{
    const char *first = DRAW(draws, pieces), *second = DRAW(draws, pieces), *number = DRAW(draws, numbers);
    char options[3][60], text[90];
    struct grid g = {0};

    snprintf(options[0], sizeof *options, "-DFIRST=%s", first);
    snprintf(options[1], sizeof *options, "-DSECOND=%s", second);
    snprintf(options[2], sizeof *options, "-DNUMBER=%s", number);
    snprintf(text, sizeof text, "%s(%s) + %s", first, number, second);
    grid_compile(&g, "uneven_pieces.cu", "pieces", (const char *const[]){options[0], options[1], options[2]},
                 3);
    for (unsigned k = 0; k < LAUNCHES; k++) {
        grid_draw(&g, text, draws, BUFFER, BUFFER);
        check_grid(&g);
        grid_release_launch(&g);
    }
    grid_release(&g);
}

static void says_what_random_kernels_touch(void **state)
{
    struct draws draws = {.seed = seed};

    for (unsigned k = 0; k < kernels; k++)
        check_kernel(&draws);
    printf("work of %u grids: %.1f %% within 1 %%, %.1f %% within the interval stated\n", grids,
           100. * work_near / grids, 100. * work_held / grids);
    printf("%u sums of bytes: %.1f %% estimated within 10 %%, %.1f %% so or within the interval stated, %u "
           "bounds above\n",
           sums, 100. * sums_near / sums, 100. * sums_held / sums, bounds_above);
    if (bounds_above)
        fail_msg("%u sums of bytes in the bound are more than the grid touches", bounds_above);
    if (100 * sums_held < 99 * sums)
        fail_msg("of %u of %u sums of bytes the interval does not hold the truth", sums - sums_held, sums);
    if (100 * work_held < 99 * grids)
        fail_msg("the work of %u of %u grids is counted wrongly", grids - work_held, grids);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_random_kernels_touch)};

    kernels = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : kernels;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    return run_group("uneven pieces", tests, sizeof tests / sizeof *tests);
}

/* Samples of random grids whose blocks do unequal work, against the emulation of all blocks: usage
 * test_uneven [GRIDS [SEED]]. Of 60 grids by default; 5000 take some minutes. */
#include "check.h"
#include "gpu/compile.h"
#include "base/hash.h"
#include "model/emulate/emulate.h"
#include "model/memory/traffic.h"
#include "model/sass/arch/geometry.h"

#include <math.h>

enum { SKIPPED = 77, PER_SOURCE = 30, MOST_BLOCKS = 600 };

static const char *const names[] = {"partial",   "rows",     "columns", "planes",  "triangle",
                                    "half_grid", "border",   "every",   "strided", "lanes",
                                    "tail",      "swizzled", "single",  "between"};

enum { NAMES = sizeof names / sizeof *names };

static struct compiler *compiler;
static unsigned grids = 60;
static uint64_t seed = 1;
static unsigned too_many_bytes; /* grids that are said to touch more than they do */

struct grid {
    struct compile_result compiled;
    struct cubin cubin;
    const struct cubin_kernel *kernel;
    struct sass_code code;
    struct launch launch;
    struct argument arguments[5];
    int32_t count, step;
    char text[200];
};

static void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

static unsigned draw(uint64_t *at, unsigned least, unsigned most)
{
    return least + (unsigned)(hash_random(seed, (*at)++) % (most - least + 1));
}

static void compile(struct grid *g, const char *name, unsigned unroll)
{
    char option[40];
    const char *const options[] = {option};
    const struct compile_request request = {.source_path = "tests/emulated/uneven.cu",
                                            .name = name,
                                            .options = options,
                                            .option_count = 1,
                                            .arch = "sm_90",
                                            .deadline_s = 120};
    struct err err = {0};

    snprintf(option, sizeof option, "-DUNROLL=%u", unroll);
    ok(compile_cubin(&g->compiled, compiler, &request, &err), &err);
    if (g->compiled.outcome != OUTCOME_OK)
        fail_msg("%s", g->compiled.diagnostic);
    ok(cubin_init(&g->cubin, g->compiled.cubin, g->compiled.cubin_bytes, name, &err), &err);
    ok(cubin_find(&g->kernel, &g->cubin, g->compiled.entry, &err), &err);
    ok(sass_read(&g->code, g->kernel, &err), &err);
}

static struct argument buffer(const char *name, enum element_type type, uint64_t count)
{
    return (struct argument){.kind = ARGUMENT_BUFFER, .name = (char *)name, .type = type, .count = count};
}

static struct argument scalar(int32_t *value)
{
    return (struct argument){.kind = ARGUMENT_SCALAR, .bytes = (unsigned char *)value, .size = sizeof *value};
}

/* Grids of one, two and three dimensions, and three kinds of loaded lengths. */
static void set_launch(struct grid *g, uint64_t *at)
{
    static const char *const lengths[] = {"5 + random(i) % 60", "i % 97",
                                          "8 if random(i) % 20 != 0 else 200"};
    struct err err = {0};

    launch_init(&g->launch);
    do {
        g->launch.grid[0] = draw(at, 1, draw(at, 0, 1) ? 8 : 200);
        g->launch.grid[1] = draw(at, 0, 1) ? draw(at, 1, 40) : 1;
        g->launch.grid[2] = draw(at, 0, 2) ? 1 : draw(at, 2, 12);
    } while (g->launch.grid[0] * g->launch.grid[1] * g->launch.grid[2] > MOST_BLOCKS);
    g->launch.block[0] = 32 * draw(at, 1, 3) - draw(at, 0, 1) * 5;
    g->step = (int32_t)draw(at, 1, 5);
    g->count = (int32_t)draw(at, 1, g->launch.grid[0] * g->launch.block[0] + 3);
    g->arguments[0] = buffer("out", ELEMENT_FLOAT32, 1 << 16);
    g->arguments[1] = buffer("in", ELEMENT_FLOAT32, 1024);
    g->arguments[2] = buffer("length", ELEMENT_INT32, 4096);
    g->arguments[2].fill =
        (struct fill){.kind = FILL_EXPRESSION, .seed = *at, .expression = strdup(lengths[draw(at, 0, 2)])};
    assert_non_null(g->arguments[2].fill.expression);
    g->arguments[3] = scalar(&g->count);
    g->arguments[4] = scalar(&g->step);
    g->launch.arguments = g->arguments;
    g->launch.argument_count = 5;
    ok(launch_prepare(&g->launch, &err), &err);
}

static void run(struct emulate_result *out, const struct grid *g, bool whole, uint64_t budget)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED, .budget = budget};
    struct emulation *emulation;
    struct err err = {0};

    ok(emulation_open(&emulation, &g->cubin, g->kernel, &g->code, &g->launch, &options, &err), &err);
    ok(whole ? emulate_grid(out, emulation, &err) : emulate_sample(out, emulation, 16, &err), &err);
    if (out->end != EMULATE_DONE && !budget)
        fail_msg("%s ended as %s: %s", g->text, emulate_end_text(out->end), out->reason);
    emulation_close(emulation);
}

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

static void unite(struct footprint *out, const struct footprint *from)
{
    struct err err = {0};

    ok(footprint_move(out, from, 0, UINT64_MAX, 0, &err), &err);
}

/* Bytes that a bound is made of are no more than the grid touches, unless it is said that this is likely
 * only. */
static void check_bytes(const struct traffic *t, const struct emulate_result *sample,
                        const struct emulate_result *whole, unsigned *too_many)
{
    struct footprint read = {0}, written = {0};
    double most[2];

    for (size_t b = 0; b < whole->block_count; b++) {
        unite(&read, &whole->blocks[b].read);
        unite(&written, &whole->blocks[b].written);
    }
    most[0] = SECTOR * (double)read.sectors * (1 + 1e-9);
    most[1] = SECTOR * (double)written.sectors * (1 + 1e-9);
    footprint_release(&read);
    footprint_release(&written);
    if (!(sample->unproven > 0) && (t->least.read > most[0] || t->least.written > most[1]))
        (*too_many)++;
}

/* What goes into the hard bound is no more than the grid issues; and blocks are equal only where they are. */
static void check_bound(const struct grid *g, const struct emulate_result *sample,
                        const struct emulate_result *whole, double issued)
{
    const struct traffic_caches caches = {.sms = 132,
                                          .resident_blocks = 8,
                                          .l1_bytes = 200 << 10,
                                          .l2_bytes = 50 << 20,
                                          .l2_holds = 50 << 20,
                                          .apart_half = 1.5};
    struct traffic t, all;
    struct err err = {0};
    double least = 0;

    ok(traffic_of(&t, &g->code, sample, &g->launch, &caches, &err), &err);
    ok(traffic_of(&all, &g->code, whole, &g->launch, &caches, &err), &err);
    for (size_t i = 0; i < t.instruction_count; i++)
        least += t.counts[i].least_issued * t.warps;
    if (least > issued * (1 + 1e-9))
        fail_msg("%s: at least %g warp instructions of %g", g->text, least, issued);
    check_bytes(&t, sample, whole, &too_many_bytes);
    if (t.blocks_equal && !all.blocks_equal)
        fail_msg("%s: blocks are taken to be equal", g->text);
    traffic_release(&t);
    traffic_release(&all);
}

/* With a budget that not all blocks of the sample fit into, the weights add up all the same, and the interval
 * says what is not known. */
static void check_tight(const struct grid *g, uint64_t budget, double blocks, double issued)
{
    struct emulate_result sample;
    double weight, off;

    run(&sample, g, false, budget);
    if (sample.end == EMULATE_DONE) {
        off = fabs(issued_of(&sample, &weight) / issued - 1);
        if (!(fabs(weight / blocks - 1) < 1e-9))
            fail_msg("%s: within %llu instructions the weights add up to %g of %g blocks", g->text,
                     (unsigned long long)budget, weight, blocks);
        if (!(off <= fmax(0.01, sample.work_error * (1 + 1e-9))))
            fail_msg("%s: within %llu instructions off by %g, stated is %g", g->text,
                     (unsigned long long)budget, off, sample.work_error);
    }
    emulate_result_release(&sample);
}

/* Returns whether the work counted is within 1 % or the interval stated. */
static bool check_grid(struct grid *g)
{
    struct emulate_result sample, whole;
    double weight, all, counted, issued, off;

    run(&sample, g, false, 0);
    run(&whole, g, true, 0);
    counted = issued_of(&sample, &weight);
    issued = issued_of(&whole, &all);
    off = fabs(counted / issued - 1);
    if (fabs(weight / all - 1) > 1e-9)
        fail_msg("%s: the weights add up to %g of %g blocks", g->text, weight, all);
    check_bound(g, &sample, &whole, issued);
    check_tight(g, sample.executed * 2 / 3, all, issued);
    if (off > fmax(0.01, sample.work_error))
        printf("%s: %.3g of the work, give or take %.2g\n", g->text, counted / issued, sample.work_error);
    emulate_result_release(&sample);
    emulate_result_release(&whole);
    return off <= fmax(0.01, sample.work_error);
}

/* Compiles a kernel and launches it in `count` ways; returns how many are counted wrongly. */
static unsigned check_kernel(const char *name, unsigned count, uint64_t *at)
{
    const unsigned unroll = 1u << draw(at, 0, 2);
    struct grid g = {0};
    unsigned wrong = 0;

    compile(&g, name, unroll);
    for (unsigned k = 0; k < count; k++) {
        set_launch(&g, at);
        snprintf(g.text, sizeof g.text, "%s, unrolled %u times, grid %u, %u, %u, block %u, count %d, step %d",
                 name, unroll, g.launch.grid[0], g.launch.grid[1], g.launch.grid[2], g.launch.block[0],
                 g.count, g.step);
        wrong += !check_grid(&g);
        fill_release(&g.arguments[2].fill);
    }
    sass_release(&g.code);
    cubin_release(&g.cubin);
    compile_result_release(&g.compiled);
    return wrong;
}

static void counts_the_work_of_uneven_grids(void **state)
{
    const unsigned each = grids < PER_SOURCE * NAMES ? (grids + NAMES - 1) / NAMES : PER_SOURCE;
    uint64_t at = 0;
    unsigned wrong = 0;

    (void)state;
    for (unsigned done = 0; done < grids; done += each)
        wrong += check_kernel(names[done / each % NAMES], each, &at);
    if (wrong * 100 > grids)
        fail_msg("%u of %u grids are counted wrongly", wrong, grids);
    if (too_many_bytes * 200 > grids)
        fail_msg("of %u of %u grids more bytes are in the bound than they touch", too_many_bytes, grids);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_the_work_of_uneven_grids)};
    struct err err = {0};
    int failed;

    grids = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : grids;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    if (compiler_open(&compiler, NULL, getenv("OCCUTUNE_TEST_CACHE"), &err)) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return SKIPPED;
    }
    failed = cmocka_run_group_tests_name("uneven", tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}

/* Nested loops: what a block does is counted as if every instruction were executed, and hardly any is. */
#include "compiled.h"

#include <math.h>
#include <stdlib.h>

struct nest {
    struct compiled compiled;
    struct launch launch;
    struct argument arguments[4];
    const char *name;
};

/* A kernel of nested.cu: warp instructions executed at most, and how far what its first warp's requests bring
 * may be off, relative: of requests in several loops one after another is counted, not in their order. */
struct nest_case {
    const char *name;
    int32_t outer, inner;
    unsigned threads;
    uint64_t executed;
    double late;
};

static void compile(struct nest *n)
{
    const struct compile_request request = {
        .source_path = "tests/emulated/nested.cu", .name = n->name, .arch = "sm_90", .deadline_s = 120};

    compiled_open(&n->compiled, &request);
}

static void emulate(struct emulate_result *out, const struct nest *n, enum emulate_mode mode)
{
    const struct emulate_options options = {.mode = mode};

    compiled_run(out, &n->compiled, &n->launch, &options, 0, n->name);
}

static uint64_t late_of(const struct emulate_result *result)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < result->instruction_count; i++)
        sum += result->blocks[0].touches[i].late;
    return sum;
}

static void compare(const struct nest *n, const struct emulate_result *full,
                    const struct emulate_result *sliced, double error)
{
    const struct emulate_block *a = &full->blocks[0], *b = &sliced->blocks[0];
    const double late = (double)late_of(full), counted = (double)late_of(sliced);

    for (size_t i = 0; i < full->instruction_count; i++)
        if (memcmp(&a->counts[i], &b->counts[i], sizeof a->counts[i]))
            fail_msg("%s at %#zx: issued %llu and %llu, sectors %llu and %llu, wavefronts %llu and %llu",
                     n->name, 16 * i, (unsigned long long)a->counts[i].issued,
                     (unsigned long long)b->counts[i].issued, (unsigned long long)a->counts[i].sectors,
                     (unsigned long long)b->counts[i].sectors, (unsigned long long)a->counts[i].wavefronts,
                     (unsigned long long)b->counts[i].wavefronts);
    if (!footprint_equal(&a->read, &b->read) || !footprint_equal(&a->written, &b->written))
        fail_msg("%s touches %llu and %llu sectors", n->name, (unsigned long long)a->read.sectors,
                 (unsigned long long)b->read.sectors);
    if (fabs(counted - late) > error * late)
        fail_msg("%s: %g requests of the first warp bring something new, %g counted", n->name, late, counted);
    for (unsigned w = 0; w < a->warps; w++)
        assert_int_equal(full->paths[a->paths[w]].hash, sliced->paths[b->paths[w]].hash);
}

static void prepare(struct nest *n, int32_t *outer, int32_t *inner, unsigned threads)
{
    struct err err = {0};

    compile(n);
    launch_init(&n->launch);
    n->launch.block[0] = threads;
    n->launch.shared_bytes = 4096;
    n->arguments[0] = buffer_of("out", ELEMENT_FLOAT32, 1 << 20);
    n->arguments[1] = buffer_of("in", ELEMENT_FLOAT32, 1 << 20);
    n->arguments[2] = scalar_of(outer);
    n->arguments[3] = scalar_of(inner);
    n->launch.arguments = n->arguments;
    n->launch.argument_count = 4;
    ok(launch_prepare(&n->launch, &err), &err);
}

static void check(const struct nest_case *c)
{
    struct nest n = {.name = c->name};
    struct emulate_result full, sliced;
    int32_t outer = c->outer, inner = c->inner;

    prepare(&n, &outer, &inner, c->threads);
    emulate(&full, &n, EMULATE_FULL);
    emulate(&sliced, &n, EMULATE_SLICED);
    compare(&n, &full, &sliced, c->late);
    if (sliced.executed > c->executed)
        fail_msg("%s: %llu of %llu instructions were executed", c->name, (unsigned long long)sliced.executed,
                 (unsigned long long)full.executed);
    emulate_result_release(&full);
    emulate_result_release(&sliced);
    compiled_close(&n.compiled);
}

static void counts_loops_in_loops(void **state)
{
    static const struct nest_case cases[] = {
        {"tiled", 60, 600, 128, 3000, 0},    {"swizzled", 60, 200, 128, 3000, 0},
        {"ring", 60, 200, 64, 3000, 0},      {"rows", 60, 200, 64, 1000, 0.1},
        {"deep", 30, 50, 64, 4000, 0.02},    {"columns", 60, 200, 64, 1000, 0},
        {"apart", 60, 200, 64, 1000, 1.5},   {"triangle", 120, 0, 64, 20000, 0},
        {"once", 60, 200, 64, 2000, 0},      {"turns", 60, 200, 64, 6000, 0},
        {"parts", 60, 200, 64, 50000, 0.01}, {"stores", 60, 200, 32, 1000, 0},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(&cases[k]);
}

/* Of a loop that the first block has shown fewer iterations are executed in the next ones, which are copies all the same. */
static void copies_blocks_with_loops(void **state)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    struct nest n = {.name = "swizzled"};
    struct emulate_result sampled;
    int32_t outer = 60, inner = 200;

    prepare(&n, &outer, &inner, 128);
    n.launch.grid[0] = 64;
    compiled_run(&sampled, &n.compiled, &n.launch, &options, 4, n.name);
    for (size_t b = 1; b < sampled.block_count; b++)
        assert_true(sampled.blocks[b].borrows);
    emulate_result_release(&sampled);
    compiled_close(&n.compiled);
}

/* Values that cannot be known do not keep a loop from going on like before. */
static void counts_loops_with_unknown_values(void **state)
{
    struct nest n = {.name = "products"};
    struct emulate_result sliced;
    int32_t outer = 60, inner = 200;
    uint64_t requests = 0;

    prepare(&n, &outer, &inner, 64);
    emulate(&sliced, &n, EMULATE_SLICED);
    for (size_t i = 0; i < sliced.instruction_count; i++)
        requests += sliced.blocks[0].counts[i].requests;
    assert_true(sliced.skipped);
    assert_int_equal(requests, 2 * (60 * 200 + 1));
    assert_in_range(sliced.executed, 1, 4000);
    emulate_result_release(&sliced);
    compiled_close(&n.compiled);
}

/* A loop that is sampled is sampled again in each iteration of a short loop around it, none of which is looked at whole. */
static void samples_loops_in_short_loops(void **state)
{
    struct nest n = {.name = "strewn"};
    struct emulate_result sliced;
    int32_t outer = 8, inner = 4000;

    prepare(&n, &outer, &inner, 32);
    emulate(&sliced, &n, EMULATE_SLICED);
    assert_true(sliced.wandered);
    assert_in_range(sliced.executed, 1, 8000);
    emulate_result_release(&sliced);
    compiled_close(&n.compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_loops_in_loops), cmocka_unit_test(counts_loops_with_unknown_values),
        cmocka_unit_test(samples_loops_in_short_loops), cmocka_unit_test(copies_blocks_with_loops)};

    return run_group("nested", tests, sizeof tests / sizeof *tests);
}

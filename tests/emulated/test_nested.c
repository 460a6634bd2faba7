/* Nested loops: what a block does is counted as if every instruction were executed, and hardly any is. */
#include "check.h"
#include "gpu/compile.h"
#include "model/emulate/emulate.h"

#include <math.h>
#include <stdlib.h>

enum { SKIPPED = 77 };

static struct compiler *compiler;

struct nest {
    struct compile_result compiled;
    struct cubin cubin;
    const struct cubin_kernel *kernel;
    struct sass_code code;
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

static void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

static void compile(struct nest *n)
{
    const struct compile_request request = {
        .source_path = "tests/emulated/nested.cu", .name = n->name, .arch = "sm_90", .deadline_s = 120};
    struct err err = {0};

    ok(compile_cubin(&n->compiled, compiler, &request, &err), &err);
    if (n->compiled.outcome != OUTCOME_OK)
        fail_msg("%s", n->compiled.diagnostic);
    ok(cubin_init(&n->cubin, n->compiled.cubin, n->compiled.cubin_bytes, n->name, &err), &err);
    ok(cubin_find(&n->kernel, &n->cubin, n->compiled.entry, &err), &err);
    ok(sass_read(&n->code, n->kernel, &err), &err);
}

static struct argument buffer(const char *name)
{
    return (struct argument){
        .kind = ARGUMENT_BUFFER, .name = (char *)name, .type = ELEMENT_FLOAT32, .count = 1 << 20};
}

static struct argument scalar(int32_t *value)
{
    return (struct argument){.kind = ARGUMENT_SCALAR, .bytes = (unsigned char *)value, .size = sizeof *value};
}

static void emulate(struct emulate_result *out, const struct nest *n, enum emulate_mode mode)
{
    const struct emulate_options options = {.mode = mode};
    struct emulation *emulation;
    struct err err = {0};

    ok(emulation_open(&emulation, &n->cubin, n->kernel, &n->code, &n->launch, &options, &err), &err);
    ok(emulate_grid(out, emulation, &err), &err);
    if (out->end != EMULATE_DONE)
        fail_msg("%s ended as %s: %s", n->name, emulate_end_text(out->end), out->reason);
    emulation_close(emulation);
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

static void check(const struct nest_case *c)
{
    struct nest n = {.name = c->name};
    struct emulate_result full, sliced;
    int32_t outer = c->outer, inner = c->inner;
    struct err err = {0};

    compile(&n);
    launch_init(&n.launch);
    n.launch.block[0] = c->threads;
    n.launch.shared_bytes = 4096;
    n.arguments[0] = buffer("out");
    n.arguments[1] = buffer("in");
    n.arguments[2] = scalar(&outer);
    n.arguments[3] = scalar(&inner);
    n.launch.arguments = n.arguments;
    n.launch.argument_count = 4;
    ok(launch_prepare(&n.launch, &err), &err);
    emulate(&full, &n, EMULATE_FULL);
    emulate(&sliced, &n, EMULATE_SLICED);
    compare(&n, &full, &sliced, c->late);
    if (sliced.executed > c->executed)
        fail_msg("%s: %llu of %llu instructions were executed", c->name, (unsigned long long)sliced.executed,
                 (unsigned long long)full.executed);
    emulate_result_release(&full);
    emulate_result_release(&sliced);
    sass_release(&n.code);
    cubin_release(&n.cubin);
    compile_result_release(&n.compiled);
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

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(&cases[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_loops_in_loops)};
    struct err err = {0};
    int failed;

    if (compiler_open(&compiler, NULL, getenv("OCCUTUNE_TEST_CACHE"), &err)) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return SKIPPED;
    }
    failed = cmocka_run_group_tests_name("nested", tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}

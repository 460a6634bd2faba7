/* Instructions that the library's kernels do not use, on every architecture that is emulated: usage
 * test_odd SM. */
#include "compiled.h"
#include "odd_expected.h"

static unsigned sm;
static struct compiled whole; /* its cubin has all kernels of the file */

/* A compiled kernel and its launch. */
struct subject {
    struct compiled compiled;
    struct launch launch;
    struct argument arguments[3];
    int32_t count;
};

static void compile_whole(void)
{
    char arch[16];
    const struct compile_request request = {
        .source_path = "tests/emulated/odd.cu", .name = "bytes", .arch = arch, .deadline_s = 120};

    snprintf(arch, sizeof arch, "sm_%u", sm);
    compiled_open(&whole, &request);
}

static void subject_open(struct subject *s, const char *name)
{
    struct err err = {0};

    if (!whole.kernel)
        compile_whole();
    compiled_read(&s->compiled, &whole.result, name);
    launch_init(&s->launch);
    s->count = N;
    s->launch.grid[0] = N / THREADS;
    s->launch.block[0] = THREADS;
    s->launch.arguments = s->arguments;
    s->launch.argument_count = 3;
    s->arguments[0] = buffer_of("out", ELEMENT_UINT32, N * PER_THREAD);
    s->arguments[0].role = ROLE_OUT;
    s->arguments[1] = buffer_of("in", ELEMENT_UINT32, N);
    s->arguments[1].fill = (struct fill){.kind = FILL_UNIFORM, .seed = 7, .b = 4294967295.0};
    s->arguments[2] = scalar_of(&s->count);
    ok(launch_prepare(&s->launch, &err), &err);
}

static void emulate(struct emulate_result *out, const struct subject *s, enum emulate_mode mode,
                    uint32_t *output)
{
    const struct emulate_options options = {.mode = mode};
    struct emulation *emulation;
    struct err err = {0};

    ok(emulation_open(&emulation, &s->compiled.cubin, s->compiled.kernel, &s->compiled.code, &s->launch,
                      &options, &err),
       &err);
    ok(emulate_grid(out, emulation, &err), &err);
    if (out->end != EMULATE_DONE)
        fail_msg("ended as %s at %#x: %s", emulate_end_text(out->end), out->pc, out->reason);
    if (output)
        ok(emulation_read(output, emulation, 0, 0, N * PER_THREAD, &err), &err);
    emulation_close(emulation);
}

static void computes_what_c_computes(void **state)
{
    const struct odd *odd = *state;
    struct emulate_result full, sliced;
    uint32_t in[N], found[N * PER_THREAD], wanted[PER_THREAD];
    struct subject s = {0};
    struct err err = {0};

    if (sm < odd->first_sm)
        skip();
    subject_open(&s, odd->name);
    ok(fill_read(&s.arguments[1].fill, ELEMENT_UINT32, 0, N, in, &err), &err);
    emulate(&full, &s, EMULATE_FULL, found);
    for (int i = 0; i < N; i++) {
        odd->compute(wanted, in, i);
        for (int k = 0; k < PER_THREAD; k++)
            if (found[PER_THREAD * i + k] != wanted[k])
                fail_msg("%s on sm_%u: word %d of thread %d is %#x, wanted %#x", odd->name, sm, k, i,
                         found[PER_THREAD * i + k], wanted[k]);
    }
    emulate(&sliced, &s, EMULATE_SLICED, NULL);
    for (size_t b = 0; b < full.block_count; b++)
        assert_memory_equal(full.blocks[b].counts, sliced.blocks[b].counts,
                            full.instruction_count * sizeof *full.blocks[b].counts);
    emulate_result_release(&full);
    emulate_result_release(&sliced);
    compiled_close(&s.compiled);
}

static void check_end(const char *name, enum emulate_end end, const char *reason)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED, .budget = 100000};
    struct emulation *emulation;
    struct emulate_result result;
    struct subject s = {0};
    struct err err = {0};

    subject_open(&s, name);
    ok(emulation_open(&emulation, &s.compiled.cubin, s.compiled.kernel, &s.compiled.code, &s.launch, &options,
                      &err),
       &err);
    ok(emulate_grid(&result, emulation, &err), &err);
    assert_int_equal(result.end, end);
    if (!strstr(result.reason, reason))
        fail_msg("\"%s\" is not in \"%s\"", reason, result.reason);
    emulate_result_release(&result);
    emulation_close(emulation);
    compiled_close(&s.compiled);
}

static void says_where_it_ends(void **state)
{
    check_end("prints", EMULATE_INCOMPLETE, "CALL of vprintf, whose code is not the kernel's own");
    check_end("asserts", EMULATE_TRAP, "an assertion of the kernel failed");
}

static size_t find_op(const struct subject *s, size_t from, enum sass_op op)
{
    while (from < s->compiled.code.count && s->compiled.code.instructions[from].op != op)
        from++;
    assert_true(from < s->compiled.code.count);
    return from;
}

/* Executed in full, which is right; sliced emulation takes the other way. */
static void check_avoided(const struct subject *s, size_t special)
{
    struct emulate_result full, sliced;

    emulate(&full, s, EMULATE_FULL, NULL);
    emulate(&sliced, s, EMULATE_SLICED, NULL);
    assert_true(full.blocks[0].counts[special].issued > 0);
    assert_true(sliced.blocks[0].counts[special].issued == 0);
    assert_true(sliced.blocks[0].counts[0].issued == full.blocks[0].counts[0].issued);
    emulate_result_release(&full);
    emulate_result_release(&sliced);
}

/* It does not look at what is divided, and not at the exponent that exp() compares before a branch. */
static void avoids_special_cases(void **state)
{
    struct subject division = {0}, root = {0}, exponential = {0};

    subject_open(&division, "divides");
    check_avoided(&division, find_op(&division, 0, SASS_CALL));
    compiled_close(&division.compiled);
    subject_open(&root, "roots");
    check_avoided(&root, find_op(&root, 0, SASS_CALL));
    compiled_close(&root.compiled);
    subject_open(&exponential, "exponentials");
    check_avoided(&exponential, find_op(&exponential, find_op(&exponential, 0, SASS_FSETP), SASS_BRA) + 1);
    compiled_close(&exponential.compiled);
}

/* Lanes bring up to four different values to the match of "masks". */
static void counts_what_a_match_looks_for(void **state)
{
    struct emulate_result full;
    struct subject s = {0};
    uint64_t matches = 0, values = 0;

    subject_open(&s, "masks");
    emulate(&full, &s, EMULATE_FULL, NULL);
    for (size_t i = 0; i < s.compiled.code.count; i++)
        if (s.compiled.code.instructions[i].op == SASS_MATCH) {
            matches += full.blocks[0].counts[i].requests;
            values += full.blocks[0].counts[i].wavefronts;
        }
    assert_true(matches > 0);
    assert_true(values > matches && values <= 4 * matches);
    emulate_result_release(&full);
    compiled_close(&s.compiled);
}

/* Shared memory swaps for one lane of a bank at a time, in two passes. */
static void swaps_once_a_bank(void **state)
{
    struct subject s = {0};
    struct emulate_result full;
    size_t first, second;

    subject_open(&s, "banks");
    emulate(&full, &s, EMULATE_FULL, NULL);
    first = find_op(&s, 0, SASS_ATOMS);
    second = find_op(&s, first + 1, SASS_ATOMS);
    assert_int_equal(full.blocks[0].counts[first].issued, THREADS / WARP);
    assert_int_equal(full.blocks[0].counts[first].wavefronts, THREADS / WARP * 2);
    assert_int_equal(full.blocks[0].counts[second].issued, THREADS);
    assert_int_equal(full.blocks[0].counts[second].wavefronts, THREADS * 2);
    emulate_result_release(&full);
    compiled_close(&s.compiled);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[ODDS + 4];
    int failed;

    if (argc != 2)
        return 2;
    sm = (unsigned)strtoul(argv[1], NULL, 10);
    for (size_t k = 0; k < ODDS; k++)
        tests[k] = (struct CMUnitTest){
            .name = odds[k].name, .test_func = computes_what_c_computes, .initial_state = (void *)&odds[k]};
    tests[ODDS] = (struct CMUnitTest)cmocka_unit_test(says_where_it_ends);
    tests[ODDS + 1] = (struct CMUnitTest)cmocka_unit_test(avoids_special_cases);
    tests[ODDS + 2] = (struct CMUnitTest)cmocka_unit_test(counts_what_a_match_looks_for);
    tests[ODDS + 3] = (struct CMUnitTest)cmocka_unit_test(swaps_once_a_bank);
    failed = run_group("odd", tests, ODDS + 4);
    compiled_close(&whole);
    return failed;
}

/* Kernels of benchmarks/unseen in the emulator: what they compute on small problems, against the reference
 * kernel of their spec, which is emulated as well: usage test_references SM [KERNEL]. */
#include "check.h"
#include "gpu/compile.h"
#include "model/emulate/emulate.h"
#include "space/configuration.h"
#include "space/space.h"
#include "space/variant.h"

enum { CONFIGURATIONS = 3, SETS = 3, SKIPPED = 77 };

struct subject {
    const char *name;
    const char *sets[SETS]; /* a small problem */
};

static const struct subject subjects[] = {
    {"sgemm_async", {"M=128", "N=128", "K=128"}},
    {"igemm_dp4a", {"M=128", "N=128", "K=128"}},
    {"scan_lookback", {"n=15360"}},
    {"radix_tile", {"tiles=1"}},
    {"layernorm_residual", {"rows=16"}},
    {"smith_waterman", {"pairs=64", "length=12"}},
    {"asian_option", {"sms=1", "paths=16384", "steps=8"}},
    {"resize_bicubic", {"dw=70", "dh=20"}},
    {"topk_rows", {"rows=20", "columns=128"}},
    {"sddmm", {"rows=40"}},
    {"hash_probe", {"n=5000", "slots=4096", "sms=1"}},
    {"wave3d", {"nx=80", "ny=40", "nz=20"}},
    {"ntt", {"count=2"}},
    {"fir_producer", {"channels=2", "length=16384"}},
    {"cholesky_batched", {"count=64"}},
};

static struct compiler *compiler;
static unsigned sm;

static void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

/* A variant and what its emulation leaves in memory. */
struct run {
    struct variant variant;
    struct compile_result compiled;
    struct cubin cubin;
    struct sass_code code;
    struct emulation *emulation;
};

static void run_open(struct run *run, const struct spec *spec)
{
    const struct emulate_options options = {.mode = EMULATE_FULL};
    const struct cubin_kernel *kernel;
    struct emulate_result result;
    struct err err = {0};
    char arch[16];

    snprintf(arch, sizeof arch, "sm_%u", sm);
    assert_int_equal(run->variant.outcome, OUTCOME_OK);
    const struct compile_request request = {.source_path = run->variant.source_path,
                                            .name = run->variant.name,
                                            .options = (const char *const *)run->variant.options,
                                            .option_count = run->variant.option_count,
                                            .arch = arch,
                                            .deadline_s = 120};
    ok(compile_cubin(&run->compiled, compiler, &request, &err), &err);
    if (run->compiled.outcome != OUTCOME_OK)
        fail_msg("%s", run->compiled.diagnostic);
    ok(cubin_init(&run->cubin, run->compiled.cubin, run->compiled.cubin_bytes, spec->kernel.name, &err),
       &err);
    ok(cubin_find(&kernel, &run->cubin, run->compiled.entry, &err), &err);
    ok(sass_read(&run->code, kernel, &err), &err);
    ok(launch_prepare(&run->variant.launch, &err), &err);
    ok(emulation_open(&run->emulation, &run->cubin, kernel, &run->code, &run->variant.launch, &options, &err),
       &err);
    ok(emulate_grid(&result, run->emulation, &err), &err);
    if (result.end != EMULATE_DONE)
        fail_msg("%s ended as %s at %#x: %s", run->variant.name, emulate_end_text(result.end), result.pc,
                 result.reason);
    emulate_result_release(&result);
}

static void run_close(struct run *run)
{
    emulation_close(run->emulation);
    sass_release(&run->code);
    cubin_release(&run->cubin);
    compile_result_release(&run->compiled);
    variant_release(&run->variant);
}

static void compare_buffer(const struct spec *spec, const struct run *run, const struct run *reference,
                           size_t argument, const char *what)
{
    const struct argument *buffer = &run->variant.launch.arguments[argument];
    const size_t size = element_size(buffer->type);
    unsigned char *found = malloc(buffer->count * size), *wanted = malloc(buffer->count * size);
    struct err err = {0};

    assert_non_null(found);
    assert_non_null(wanted);
    ok(emulation_read(found, run->emulation, argument, 0, buffer->count, &err), &err);
    ok(emulation_read(wanted, reference->emulation, argument, 0, buffer->count, &err), &err);
    for (uint64_t i = 0; i < buffer->count; i++) {
        const double f = element_to_real(buffer->type, found + i * size),
                     w = element_to_real(buffer->type, wanted + i * size);
        const bool equal = !memcmp(found + i * size, wanted + i * size, size);

        if (!equal && (element_is_integer(buffer->type) || buffer->role == ROLE_IN ||
                       !(fabs(f - w) <= spec->absolute + spec->relative * fabs(w))))
            fail_msg("%s on sm_%u: %s[%llu] is %.9g, wanted %.9g", what, sm, buffer->name,
                     (unsigned long long)i, f, w);
    }
    free(found);
    free(wanted);
}

static void check_configuration(const struct spec *spec, const unsigned *choices)
{
    char *what = configuration_text(spec, choices);
    struct run run = {0}, reference = {0};
    struct err err = {0};

    assert_non_null(what);
    ok(variant_make(&run.variant, spec, 0, choices, &err), &err);
    ok(variant_reference(&reference.variant, spec, 0, spec->defaults, choices, &err), &err);
    run_open(&run, spec);
    run_open(&reference, spec);
    for (size_t i = 0; i < run.variant.launch.argument_count; i++)
        if (run.variant.launch.arguments[i].kind == ARGUMENT_BUFFER &&
            run.variant.launch.arguments[i].role != ROLE_SCRATCH)
            compare_buffer(spec, &run, &reference, i, what);
    run_close(&run);
    run_close(&reference);
    free(what);
}

static void computes_its_reference(void **state)
{
    const struct subject *subject = *state;
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct space *space;
    struct spec spec;
    struct err err = {0};
    char path[100];
    size_t sets = 0;

    while (sets < SETS && subject->sets[sets])
        sets++;
    snprintf(path, sizeof path, "benchmarks/unseen/%s/spec.json", subject->name);
    ok(spec_read(&spec, path, SPEC_WHOLE, subject->sets, sets, &err), &err);
    ok(space_open(&space, &spec, 0, &err), &err);
    check_configuration(&spec, spec.defaults);
    for (uint64_t k = 1; k < CONFIGURATIONS; k++) {
        space_configuration(choices, space, space_count(space) * (2 * k - 1) / (2 * (CONFIGURATIONS - 1)));
        check_configuration(&spec, choices);
    }
    space_close(space);
    spec_release(&spec);
}

int main(int argc, char **argv)
{
    enum { COUNT = sizeof subjects / sizeof *subjects };
    struct CMUnitTest tests[COUNT];
    struct err err = {0};
    size_t count = 0;
    int failed;

    if (argc < 2)
        return 2;
    sm = (unsigned)strtoul(argv[1], NULL, 10);
    if (compiler_open(&compiler, NULL, getenv("OCCUTUNE_CACHE"), &err)) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return SKIPPED;
    }
    for (size_t k = 0; k < COUNT; k++)
        if (argc < 3 || !strcmp(argv[2], subjects[k].name))
            tests[count++] = (struct CMUnitTest){.name = subjects[k].name,
                                                 .test_func = computes_its_reference,
                                                 .initial_state = (void *)&subjects[k]};
    failed = _cmocka_run_group_tests("references", tests, count, NULL, NULL);
    compiler_close(compiler);
    return failed;
}

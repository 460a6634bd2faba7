/* Kernels of benchmarks/unseen in the emulator: what they compute on small problems, against the reference
 * kernel of their spec, which is emulated as well: usage test_references SM [KERNEL]. */
#include "check.h"
#include "space/configuration.h"
#include "space/space.h"
#include "subject.h"

enum { CONFIGURATIONS = 2, SETS = 3 };

struct listed {
    const char *name;
    const char *sets[SETS]; /* a small problem */
};

static const struct listed kernels[] = {
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

static unsigned sm;

/* A variant and what its emulation leaves in memory. */
struct run {
    struct subject subject;
    struct emulation *emulation;
};

static void run_open(struct run *run)
{
    struct emulate_result result;

    subject_open(&run->subject, sm);
    subject_run(&result, &run->emulation, &run->subject, EMULATE_FULL, run->subject.variant.name);
    emulate_result_release(&result);
}

static void run_close(struct run *run)
{
    emulation_close(run->emulation);
    subject_close(&run->subject);
}

static void compare_buffer(const struct spec *spec, const struct run *run, const struct run *reference,
                           size_t argument, const char *what)
{
    const struct argument *buffer = &run->subject.variant.launch.arguments[argument];
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
    ok(variant_make(&run.subject.variant, spec, 0, choices, &err), &err);
    ok(variant_reference(&reference.subject.variant, spec, 0, spec_default(spec, 0), choices, &err), &err);
    run_open(&run);
    run_open(&reference);
    for (size_t i = 0; i < run.subject.variant.launch.argument_count; i++)
        if (run.subject.variant.launch.arguments[i].kind == ARGUMENT_BUFFER &&
            run.subject.variant.launch.arguments[i].role != ROLE_SCRATCH)
            compare_buffer(spec, &run, &reference, i, what);
    run_close(&run);
    run_close(&reference);
    free(what);
}

static void computes_its_reference(void **state)
{
    const struct listed *kernel = *state;
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct space *space;
    struct spec spec;
    struct err err = {0};
    char path[100];

    snprintf(path, sizeof path, "benchmarks/unseen/%s/spec.json", kernel->name);
    small_spec(&spec, path, kernel->sets, SETS);
    ok(space_open(&space, &spec, 0, &err), &err);
    check_configuration(&spec, spec_default(&spec, 0));
    for (uint64_t k = 1; k < CONFIGURATIONS; k++) {
        space_configuration(choices, space, space_count(space) * (2 * k - 1) / (2 * (CONFIGURATIONS - 1)));
        check_configuration(&spec, choices);
    }
    space_close(space);
    spec_release(&spec);
}

int main(int argc, char **argv)
{
    enum { COUNT = sizeof kernels / sizeof *kernels };
    struct CMUnitTest tests[COUNT];
    size_t count = 0;

    if (argc < 2)
        return 2;
    sm = (unsigned)strtoul(argv[1], NULL, 10);
    for (size_t k = 0; k < COUNT; k++)
        if (argc < 3 || !strcmp(argv[2], kernels[k].name))
            tests[count++] = (struct CMUnitTest){.name = kernels[k].name,
                                                 .test_func = computes_its_reference,
                                                 .initial_state = (void *)&kernels[k]};
    return run_group("references", tests, count);
}

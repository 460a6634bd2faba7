/* The library's kernels in the emulator: usage test_kernels SM CONFIGURATIONS [KERNEL], so many of each kernel. */
#include "check.h"
#include "reference.h"
#include "space/configuration.h"
#include "space/space.h"
#include "subject.h"

enum { SETS = 4 };

/* The arguments' values: buffers as arrays, the first scalars as numbers. */
struct values {
    int n[3];   /* integer scalars, in order */
    float f[2]; /* real ones */
    void *buffer[6];
};

struct library_kernel {
    const char *name;
    const char *sets[SETS]; /* a small problem */
    size_t output;          /* which buffer, counted among buffers */
    double tolerance;       /* absolute and relative */
    void (*compute)(struct values *v);
    const char *only; /* configuration that is run; null: the default and a few from all over the space */
};

static void vector_add(struct values *v)
{
    reference_vector_add(v->n[0], v->buffer[0], v->buffer[1], v->buffer[2]);
}

static void permutation(struct values *v)
{
    reference_permutation(v->n[0], v->buffer[0], v->buffer[1], v->buffer[2]);
}

static void abs_inplace(struct values *v)
{
    reference_abs_inplace(v->n[0], v->buffer[0]);
}

static void matmul(struct values *v)
{
    reference_matmul(v->n[0], v->n[1], v->n[2], v->buffer[0], v->buffer[1], v->buffer[2]);
}

static void matmul_volkov(struct values *v)
{
    reference_matmul_volkov(v->n[0], v->n[1], v->n[2], v->buffer[0], v->buffer[1], v->buffer[2]);
}

static void transpose(struct values *v)
{
    reference_transpose(v->n[0], v->n[1], v->buffer[0], v->buffer[1]);
}

static void black_scholes(struct values *v)
{
    reference_black_scholes(v->n[0], v->f[0], v->f[1], v->buffer[0], v->buffer[1], v->buffer[2], v->buffer[3],
                            v->buffer[4]);
}

static void reduction(struct values *v)
{
    reference_reduction(v->n[0], v->buffer[0], v->buffer[1]);
}

static void stencil3d(struct values *v)
{
    reference_stencil3d(v->n[0], v->n[1], v->n[2], v->buffer[0], v->buffer[1]);
}

static void row_softmax(struct values *v)
{
    reference_row_softmax(v->n[0], v->n[1], v->buffer[0], v->buffer[1]);
}

static void spmv_csr(struct values *v)
{
    reference_spmv_csr(v->n[0], v->buffer[0], v->buffer[1], v->buffer[2], v->buffer[3], v->buffer[4]);
}

static void lattice_boltzmann(struct values *v)
{
    reference_lattice_boltzmann(v->n[0], v->n[1], v->n[2], v->f[0], v->buffer[0], v->buffer[1], v->buffer[2]);
}

static const struct library_kernel kernels[] = {
    {"vector_add", {"n=5000"}, 2, 0, vector_add, NULL},
    {"permutation", {"n=5000"}, 2, 0, permutation, NULL},
    {"abs_inplace", {"n=5000"}, 0, 0, abs_inplace, NULL},
    {"matmul", {"M=150", "N=140", "K=52"}, 2, 1e-4, matmul, NULL},
    {"matmul", {"M=75", "N=61", "K=37"}, 2, 1e-4, matmul, NULL},
    {"matmul",
     {"M=64", "N=64", "K=4096"},
     2,
     1e-4,
     matmul,
     "TILE_M=64,TILE_N=64,THREAD_M=8,THREAD_N=4,RUN=4,SPLIT_K=16"},
    {"matmul",
     {"M=66", "N=65", "K=4099"},
     2,
     1e-4,
     matmul,
     "TILE_M=64,TILE_N=64,THREAD_M=8,THREAD_N=4,RUN=4,COPY=1,SPLIT_K=16"},
    {"matmul_naive", {"M=70", "N=50", "K=45"}, 2, 1e-4, matmul, NULL},
    {"matmul_tiled", {"M=96", "N=70", "K=65"}, 2, 1e-4, matmul, NULL},
    {"matmul_volkov", {"M=150", "N=70", "K=50"}, 2, 1e-4, matmul_volkov, NULL},
    {"transpose", {"rows=140", "columns=100"}, 1, 0, transpose, NULL},
    {"black_scholes", {"n=3000"}, 3, 2e-3, black_scholes, NULL},
    {"reduction", {"n=30000", "sms=2"}, 1, 1e-3, reduction, NULL},
    {"stencil3d", {"nx=70", "ny=40", "nz=12"}, 1, 1e-5, stencil3d, NULL},
    {"row_softmax", {"rows=20", "columns=260"}, 1, 1e-4, row_softmax, NULL},
    {"spmv_csr", {"rows=200", "columns=300", "short_row=9", "long_row=70"}, 4, 1e-4, spmv_csr, NULL},
    {"lattice_boltzmann", {"nx=36", "ny=10", "nz=6"}, 2, 1e-5, lattice_boltzmann, NULL},
};

static unsigned sm, configurations;

static void read_values(struct values *out, const struct spec *spec, const struct launch *launch)
{
    size_t n = 0, f = 0, buffers = 0;
    struct err err = {0};

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];

        if (argument->kind == ARGUMENT_SCALAR && spec->arguments[i].type == ELEMENT_FLOAT32)
            memcpy(&out->f[f++], argument->bytes, sizeof(float));
        else if (argument->kind == ARGUMENT_SCALAR)
            memcpy(&out->n[n++], argument->bytes, sizeof(int));
        else {
            void *bytes = calloc(argument->count, element_size(argument->type));

            assert_non_null(bytes);
            ok(fill_read(&argument->fill, argument->type, 0, argument->count, bytes, &err), &err);
            out->buffer[buffers++] = bytes;
        }
    }
}

static size_t buffer_argument(const struct launch *launch, size_t buffer)
{
    for (size_t i = 0; i < launch->argument_count; i++)
        if (launch->arguments[i].kind == ARGUMENT_BUFFER && buffer-- == 0)
            return i;
    fail_msg("no such buffer");
    return 0;
}

static void check_output(const struct library_kernel *kernel, const struct spec *spec,
                         const struct subject *s, struct emulation *emulation, const char *what)
{
    const size_t argument = buffer_argument(&s->variant.launch, kernel->output);
    const uint64_t count = s->variant.launch.arguments[argument].count;
    float *found = malloc(count * sizeof *found);
    struct values values;
    struct err err = {0};

    assert_non_null(found);
    read_values(&values, spec, &s->variant.launch);
    kernel->compute(&values);
    ok(emulation_read(found, emulation, argument, 0, count, &err), &err);
    for (uint64_t i = 0; i < count; i++) {
        const double wanted = ((const float *)values.buffer[kernel->output])[i];

        if (!(fabs(found[i] - wanted) <= kernel->tolerance * (1 + fabs(wanted))))
            fail_msg("%s on sm_%u with %s: element %llu is %.9g, wanted %.9g", kernel->name, sm, what,
                     (unsigned long long)i, (double)found[i], wanted);
    }
    for (size_t b = 0; b < 6; b++)
        free(values.buffer[b]);
    free(found);
}

static void check_counts(const struct emulate_result *full, const struct emulate_result *sliced,
                         const struct subject *s, const char *what)
{
    for (size_t b = 0; b < full->block_count; b++)
        for (size_t k = 0; k < full->instruction_count; k++)
            if (memcmp(&full->blocks[b].counts[k], &sliced->blocks[b].counts[k],
                       sizeof(struct emulate_count))) {
                char text[200];

                sass_text(text, sizeof text, &s->compiled.code.instructions[k]);
                fail_msg("%s: block %zu, %#zx %s: %llu issued in full, %llu sliced", what, b, 16 * k, text,
                         (unsigned long long)full->blocks[b].counts[k].issued,
                         (unsigned long long)sliced->blocks[b].counts[k].issued);
            }
}

/* A sample's blocks count what they do in the whole grid. */
static void check_sample(const struct emulate_result *full, const struct subject *s, const char *what)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    const unsigned *grid = s->variant.launch.grid;
    struct emulation *emulation;
    struct emulate_result sample;
    struct err err = {0};

    ok(emulation_open(&emulation, &s->compiled.cubin, s->compiled.kernel, &s->compiled.code,
                      &s->variant.launch, &options, &err),
       &err);
    ok(emulate_sample(&sample, emulation, 16, &err), &err);
    assert_int_equal(sample.end, EMULATE_DONE);
    for (size_t b = 0; b < sample.block_count; b++) {
        const struct emulate_block *block = &sample.blocks[b];
        const unsigned *at = block->position;
        const struct emulate_block *wanted = &full->blocks[at[0] + grid[0] * (at[1] + grid[1] * at[2])];

        if (memcmp(block->counts, wanted->counts, full->instruction_count * sizeof *block->counts) ||
            !footprint_equal(&block->read, &wanted->read) ||
            !footprint_equal(&block->written, &wanted->written))
            fail_msg("%s: block %u, %u of the sample counts otherwise than in full", what, at[0], at[1]);
    }
    emulate_result_release(&sample);
    emulation_close(emulation);
}

static void check_configuration(const struct library_kernel *kernel, const struct spec *spec,
                                const unsigned *choices)
{
    char *what = configuration_text(spec, choices);
    struct emulate_result full, sliced;
    struct emulation *emulation;
    struct subject s = {0};
    struct err err = {0};

    assert_non_null(what);
    ok(variant_make(&s.variant, spec, 0, choices, &err), &err);
    subject_open(&s, sm);
    subject_run(&full, &emulation, &s, EMULATE_FULL, what);
    check_output(kernel, spec, &s, emulation, what);
    emulation_close(emulation);
    subject_run(&sliced, &emulation, &s, EMULATE_SLICED, what);
    emulation_close(emulation);
    if (!full.assumed) {
        check_counts(&full, &sliced, &s, what);
        check_sample(&full, &s, what);
    }
    emulate_result_release(&full);
    emulate_result_release(&sliced);
    subject_close(&s);
    free(what);
}

static void computes_the_reference(void **state)
{
    const struct library_kernel *kernel = *state;
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct space *space;
    struct spec spec;
    struct err err = {0};
    char path[100];

    snprintf(path, sizeof path, "kernels/%s/spec.json", kernel->name);
    small_spec(&spec, path, kernel->sets, SETS);
    ok(space_open(&space, &spec, 0, &err), &err);
    memcpy(choices, spec_default(&spec, 0), spec.parameter_count * sizeof *choices);
    if (kernel->only)
        ok(configuration_parse(choices, &spec, kernel->only, &err), &err);
    check_configuration(kernel, &spec, choices);
    for (uint64_t k = 1; k < configurations && !kernel->only; k++) {
        space_configuration(choices, space, space_count(space) * (2 * k - 1) / (2 * configurations));
        check_configuration(kernel, &spec, choices);
    }
    space_close(space);
    spec_release(&spec);
}

int main(int argc, char **argv)
{
    enum { COUNT = sizeof kernels / sizeof *kernels };
    struct CMUnitTest tests[COUNT];
    size_t count = 0;

    if (argc < 3)
        return 2;
    sm = (unsigned)strtoul(argv[1], NULL, 10);
    configurations = (unsigned)strtoul(argv[2], NULL, 10);
    for (size_t k = 0; k < COUNT; k++)
        if (argc < 4 || !strcmp(argv[3], kernels[k].name))
            tests[count++] = (struct CMUnitTest){.name = kernels[k].name,
                                                 .test_func = computes_the_reference,
                                                 .initial_state = (void *)&kernels[k]};
    return run_group("emulated", tests, count);
}

/* The specs of the kernel library: they read, their spaces are as large as promised, and every configuration
 * has a launch that fits an NVIDIA H200. */
#include "check.h"

#include "space/space.h"
#include "space/variant.h"

static const struct {
    const char *name;
    uint64_t least; /* valid configurations */
} kernels[] = {
    {"abs_inplace", 200},   {"attention_half", 500}, {"black_scholes", 200}, {"lattice_boltzmann", 200},
    {"matmul", 2000},       {"matmul_half", 3000},   {"matmul_naive", 200},  {"matmul_tiled", 200},
    {"matmul_volkov", 200}, {"permutation", 200},    {"reduction", 200},     {"row_softmax", 200},
    {"spmv_csr", 200},      {"stencil3d", 200},      {"transpose", 200},     {"vector_add", 200},
};

static void check_configuration(const struct spec *spec, const struct space *space, uint64_t index)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct variant variant;
    struct err err = {0};

    space_configuration(choices, space, index);
    assert_int_equal(variant_make(&variant, spec, 0, choices, &err), 0);
    if (variant.outcome != OUTCOME_OK)
        fail_msg("configuration %llu: %s", (unsigned long long)index, variant.message);
    assert_in_range(launch_threads(&variant.launch), 32, 1024);
    assert_in_range(variant.launch.shared_bytes, 0, 227 * 1024);
    variant_release(&variant);
}

/* Every `step`th configuration, and the default. */
static void check_problem(const char *name, const char *const *sizes, size_t size_count, uint64_t least,
                          uint64_t step)
{
    char path[128];
    struct spec spec;
    struct space *space;
    struct err err = {0};
    uint64_t index;

    snprintf(path, sizeof path, "kernels/%s/spec.json", name);
    check_ok(spec_read(&spec, path, SPEC_WHOLE, sizes, size_count, &err), &err);
    assert_int_equal(space_open(&space, &spec, 0, &err), 0);
    assert_true(space_count(space) >= least);
    assert_int_equal(space_default(&index, space, &err), 0);
    check_configuration(&spec, space, index);
    for (index = 0; index < space_count(space); index += step)
        check_configuration(&spec, space, index);
    space_close(space);
    spec_release(&spec);
}

static void every_spec_holds_what_it_promises(void **state)
{
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        check_problem(kernels[k].name, NULL, 0, kernels[k].least, 1);
}

/* Sizes that fill no tile: tiles of the transpose and clusters of eight are in the space there. */
static void odd_products_of_halves_fit(void **state)
{
    static const char *const shapes[][3] = {
        {"M=777", "N=5000", "K=3000"}, {"M=300", "N=7000", "K=5000"}, {"M=1111", "N=3000", "K=2008"},
        {"M=257", "N=8448", "K=8"},    {"M=1", "N=1", "K=8"},
    };

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        check_problem("matmul_half", shapes[s], 3, 100, 61);
}

int main(void)
{
    return RUN_TESTS(every_spec_holds_what_it_promises, odd_products_of_halves_fit);
}

/* What is inserted into a kernel's text, and where. */
#include "check.h"

#include "base/file.h"
#include "warp_trace/instrument.h"

static void check_made(const char *text, const char *kernel, const char *wanted)
{
    struct err err = {0};
    char *made;

    assert_int_equal(instrument(&made, text, kernel, &err), 0);
    assert_non_null(strstr(made, "#line 1\n"));
    assert_string_equal(strstr(made, "#line 1\n") + strlen("#line 1\n"), wanted);
    free(made);
}

#define PARAMETER "unsigned long long *warp_trace_words"
#define STATEMENT " warp_trace_scope warp_trace_recorder(warp_trace_words);"

static void inserts_a_parameter_and_a_statement(void **state)
{
    check_made("__global__ void k(int n, float *a) { if (n) return; }", "k",
               "__global__ void k(int n, float *a, " PARAMETER ") {" STATEMENT " if (n) return; }");
    check_made("__global__ void k( )\n{\n}\n", "k",
               "__global__ void k(  " PARAMETER ")\n{" STATEMENT "\n}\n");
    check_made("template <int N> __global__ void k(int (*f)(int)) {}", "ns::k<4, float>",
               "template <int N> __global__ void k(int (*f)(int), " PARAMETER ") {" STATEMENT "}");
}

static void passes_by_what_only_looks_like_it(void **state)
{
    check_made("// k(int) {\n/* k() { */ void k(int);\nint kk(int a) { return \"k(\\\"){\"[0]; }\nvoid k(int "
               "a /* ) */) {}",
               "k",
               "// k(int) {\n/* k() { */ void k(int);\nint kk(int a) { return \"k(\\\"){\"[0]; }\nvoid k(int "
               "a /* ) */, " PARAMETER ") {" STATEMENT "}");
}

static void refuses_what_is_not_there(void **state)
{
    static const char *const texts[] = {"", "void k(int a);", "void k(int a", "/* void k() {}",
                                        "void other() {}"};
    struct err err;
    char *made;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        err = (struct err){0};
        assert_int_equal(instrument(&made, texts[i], "k", &err), ERR_USAGE);
        assert_null(made);
        assert_non_null(strstr(err.text, "no definition of k"));
    }
}

static void finds_the_kernels_of_the_library(void **state)
{
    static const char *const names[] = {"abs_inplace",  "black_scholes", "lattice_boltzmann", "matmul",
                                        "matmul_naive", "matmul_tiled",  "matmul_volkov",     "permutation",
                                        "reduction",    "row_softmax",   "spmv_csr",          "stencil3d",
                                        "transpose",    "vector_add"};
    struct err err = {0};
    char path[256], *text, *made;
    size_t size;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "kernels/%s/%s.cu", names[i], names[i]);
        assert_int_equal(file_read(&text, &size, path, &err), 0);
        assert_int_equal(instrument(&made, text, names[i], &err), 0);
        assert_non_null(strstr(made, STATEMENT));
        free(text);
        free(made);
    }
}

int main(void)
{
    return RUN_TESTS(inserts_a_parameter_and_a_statement, passes_by_what_only_looks_like_it,
                     refuses_what_is_not_there, finds_the_kernels_of_the_library);
}

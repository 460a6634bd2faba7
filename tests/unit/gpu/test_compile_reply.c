/* gpu/compile_reply: what an error's remedy is said to be, with the NVRTC that is here. Without one the test is skipped, aloud. */
#include "compile_fixture.h"

/* Compiles the text with an option, if any; a diagnostic holds `words`. */
static void check_text(const char *text, const char *kernel, const char *option, enum outcome outcome,
                       const char *words)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_request request = request_of("names.cu", kernel);
    struct compile_result result;

    write_text("names.cu", text);
    request.options = &option;
    request.option_count = option != NULL;
    assert_int_equal(compile(&result, compiler, request), outcome);
    assert_true(!words || strstr(result.diagnostic, words));
    compile_result_release(&result);
    compiler_close(compiler);
}

static void test_names_of_the_compilers_own_headers(void **state)
{
    check_text("extern \"C\" __global__ void k(float *a) { *a = T; }\n", "k", "-DT=4", OUTCOME_COMPILE,
               "have the name T, too: make it longer");
    check_text("extern \"C\" __global__ void k(float *a) { *a = 1; }\n", "k", "-Dint=1", OUTCOME_COMPILE,
               "a parameter's name seems to stand in the compiler's own headers: make it longer");
}

static void test_missing_headers(void **state)
{
    check_text("#include \"mine.h\"\n", "k", NULL, OUTCOME_COMPILE, "in the folders that -I names");
    check_text("#include <vector>\n", "k", NULL, OUTCOME_COMPILE, "__CUDACC_RTC__");
}

static void test_functions_without_a_space(void **state)
{
    static const char kernel[] = "extern \"C\" __global__ void k(int *a) { *a = next(*a); }\n";
    static const char *const functions[] = {
        "constexpr int next(int i) { return i + 1; }\n",
        "constexpr auto next = [](int i) { return i + 1; };\n",
        "int step = 1; __device__ int next(int i) { return i + step; }\n"};
    char text[256];

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        snprintf(text, sizeof text, "%s%s", functions[i], kernel);
        check_text(text, "k", NULL, OUTCOME_COMPILE, "\"options\": [\"-default-device\"]");
        check_text(text, "k", "-default-device", OUTCOME_OK, NULL);
    }
    snprintf(text, sizeof text, "__host__ int next(int i);\n%s", kernel);
    check_text(text, "k", NULL, OUTCOME_COMPILE, " (NVRTC compiles code of the device alone: ");
}

static void test_names_of_a_templates_own_parameters(void **state)
{
    static const char text[] = "template <int TILE> __global__ void k(float *a) { *a = TILE; }\n";

    check_text(text, "k<4>", "-DTILE=4", OUTCOME_COMPILE, "\"macro\": false");
    check_text(text, "k<4>", NULL, OUTCOME_OK, NULL);
}

int main(void)
{
    return compiler_is_here()
               ? RUN_TESTS_IN(make_directory, remove_directory, test_names_of_the_compilers_own_headers,
                              test_missing_headers, test_functions_without_a_space,
                              test_names_of_a_templates_own_parameters)
               : 77;
}

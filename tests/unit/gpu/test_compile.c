/* gpu/compile: real compiles with the NVRTC that is here. Without one the test is skipped, aloud. */
#include "check.h"
#include "gpu/compile.h"
#include "gpu/compile_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char directory[] = "/tmp/occutune-compile-XXXXXX";

static void write_text(const char *name, const char *text)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char *in_directory(const char *name)
{
    static _Thread_local char paths[4][200];
    static _Thread_local unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static struct compile_request request_of(const char *name, const char *kernel)
{
    return (struct compile_request){
        .source_path = in_directory(name), .name = kernel, .arch = "sm_90", .deadline_s = 60};
}

/* Compiles without error and gives the outcome; the result stays in `out`. */
static enum outcome compile(struct compile_result *out, struct compiler *compiler,
                            struct compile_request request)
{
    struct err err = {0};

    if (compile_cubin(out, compiler, &request, &err))
        fail_msg("%s", err.text);
    return out->outcome;
}

static struct compiler *open_compiler(const char *cache)
{
    struct compiler *compiler;
    struct err err = {0};

    if (compiler_open(&compiler, NULL, cache, &err))
        fail_msg("%s", err.text);
    return compiler;
}

static void test_cubin_and_entry(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_result result;

    (void)state;
    write_text(
        "k.cu",
        "#include \"k.cuh\"\nextern \"C\" __global__ void plain(float *a) { a[threadIdx.x] = VALUE; }\n"
        "__global__ void mangled(float *a) { *a = 1; }\n"
        "template <int N, typename T> __global__ void templated(T *a) { *a = N; }\n");
    write_text("k.cuh", "#define VALUE 3\n");
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    assert_string_equal(result.entry, "plain");
    assert_memory_equal(result.cubin, "\177ELF", 4);
    assert_null(result.diagnostic);
    assert_false(result.cached);
    assert_true(result.compile_s > 0);
    compile_result_release(&result);
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "mangled")), OUTCOME_OK);
    assert_string_equal(result.entry, "_Z7mangledPf");
    compile_result_release(&result);
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "templated<4, float>")), OUTCOME_OK);
    assert_string_equal(result.entry, "_Z9templatedILi4EfEvPT0_");
    compile_result_release(&result);
    compiler_close(compiler);
}

static void test_toolkit_headers(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_result result;

    (void)state;
    write_text(
        "half.cu",
        "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(__half *a) { a[0] = __hadd(a[1], a[2]); }\n");
    assert_int_equal(compile(&result, compiler, request_of("half.cu", "k")), OUTCOME_OK);
    compile_result_release(&result);
    compiler_close(compiler);
}

/* What an architecture has alone (wgmma) must be asked for; another architecture cannot be. */
static void test_architecture_of_the_options(void **state)
{
    static const char *const options[] = {"-arch=sm_90a", "--gpu-architecture=sm_90", "-arch=sm_100a",
                                          "-arch"};
    struct compiler *compiler = open_compiler(NULL);
    struct compile_result with, without;
    struct err err = {0};

    (void)state;
    write_text("arch.cu", "extern \"C\" __global__ void k(float *a)\n{\n#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n"
                          "    *a = 1;\n#else\n    *a = sinf(*a);\n#endif\n}\n");
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        struct compile_request request = request_of("arch.cu", "k");

        request.options = &options[k];
        request.option_count = 1;
        if (k < 2)
            assert_int_equal(compile(k ? &without : &with, compiler, request), OUTCOME_OK);
        else
            assert_int_equal(compile_cubin(&with, compiler, &request, &err), ERR_USAGE);
        if (k == 1)
            assert_true(with.cubin_bytes < without.cubin_bytes);
        if (k == 1)
            compile_result_release(&with);
    }
    assert_string_equal(err.text,
                        "the option -arch=sm_100a: the code is compiled for sm_90: leave it out, or "
                        "write -arch=sm_90a");
    compile_result_release(&without);
    compiler_close(compiler);
}

static void test_bad_variants_are_outcomes(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_result result;
    struct compile_request request;
    const char *bad_option[] = {"--no-such-option"};

    (void)state;
    write_text("bad.cu", "extern \"C\" __global__ void k(float *a) {\n  int unused;\n  a[0] = nowhere;\n"
                         "  a[1] = elsewhere;\n}\n");
    assert_int_equal(compile(&result, compiler, request_of("bad.cu", "k")), OUTCOME_COMPILE);
    assert_non_null(strstr(result.diagnostic, "bad.cu(3): error: identifier \"nowhere\" is undefined"));
    assert_non_null(strstr(result.log, "bad.cu(4): error: identifier \"elsewhere\" is undefined"));
    assert_null(result.cubin);
    compile_result_release(&result);

    write_text("big.cu",
               "extern \"C\" __global__ void k(int *a) { __shared__ int s[20000]; s[threadIdx.x] = a[0]; "
               "__syncthreads(); a[1] = s[a[2]]; }\n");
    assert_int_equal(compile(&result, compiler, request_of("big.cu", "k")), OUTCOME_COMPILE);
    assert_non_null(strstr(result.diagnostic, "uses too much shared data"));
    compile_result_release(&result);

    request = request_of("big.cu", "k");
    request.options = bad_option;
    request.option_count = 1;
    assert_int_equal(compile(&result, compiler, request), OUTCOME_COMPILE);
    assert_non_null(strstr(result.diagnostic, "--no-such-option"));
    compile_result_release(&result);
    compiler_close(compiler);
}

static void test_names_of_the_compilers_own_headers(void **state)
{
    static const char *const option = "-DT=4";
    struct compiler *compiler = open_compiler(NULL);
    struct compile_request request = request_of("names.cu", "k");
    struct compile_result result;

    (void)state;
    write_text("names.cu", "extern \"C\" __global__ void k(float *a) { *a = T; }\n");
    request.options = &option;
    request.option_count = 1;
    assert_int_equal(compile(&result, compiler, request), OUTCOME_COMPILE);
    assert_non_null(strstr(result.diagnostic, "make it longer"));
    compile_result_release(&result);
    compiler_close(compiler);
}

static void test_users_mistakes_are_errors(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_request request;
    struct compile_result result;
    struct err err = {0};

    (void)state;
    write_text("k.cu", "extern \"C\" __global__ void plain(float *a) { *a = 1; }\n");
    request = request_of("k.cu", "missing");
    assert_int_equal(compile_cubin(&result, compiler, &request, &err), ERR_USAGE);
    assert_non_null(
        strstr(err.text, "k.cu: no kernel is called missing: identifier \"missing\" is undefined"));
    err_clear(&err);
    write_text("t.cu", "template <int SIZE> __global__ void t(float *a) { *a = SIZE; }\n");
    request = request_of("t.cu", "t<1, 2>");
    assert_int_equal(compile_cubin(&result, compiler, &request, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "t.cu: no kernel is called t<1, 2>: "));
    err_clear(&err);
    request = request_of("nowhere.cu", "k");
    assert_int_equal(compile_cubin(&result, compiler, &request, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "nowhere.cu"));
    assert_non_null(strstr(err.text, strerror(ENOENT)));
    compiler_close(compiler);
}

/* The front end alone is busy for ever with this one: no callback of NVRTC's would ever be asked. */
static void write_endless(void)
{
    write_text("endless.cu",
               "template <int A, unsigned long long B> struct f { static constexpr int v = "
               "(f<A - 1, 2 * B>::v + f<A - 1, 2 * B + 1>::v) & 1023; };\n"
               "template <unsigned long long B> struct f<0, B> { static constexpr int v = 1; };\n"
               "extern \"C\" __global__ void k(int *a) { a[0] = f<40, 0>::v; }\n");
}

static void test_endless_compile(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_request request;
    struct compile_result result;

    (void)state;
    write_endless();
    request = request_of("endless.cu", "k");
    request.deadline_s = 1;
    assert_int_equal(compile(&result, compiler, request), OUTCOME_COMPILE);
    assert_string_equal(result.diagnostic, "did not end within 1 s");
    compile_result_release(&result);
    write_text("k.cu", "extern \"C\" __global__ void plain(float *a) { *a = 1; }\n");
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    compile_result_release(&result);
    compiler_close(compiler);
}

struct endless {
    struct compiler *compiler;
    struct compile_result result;
    atomic_bool ended;
};

static void *compile_endless(void *argument)
{
    struct endless *endless = argument;

    compile(&endless->result, endless->compiler, request_of("endless.cu", "k"));
    atomic_store(&endless->ended, true);
    return NULL;
}

/* What is under way ends at once, is no verdict on the variant, and what comes later is compiled. */
static void test_interrupted_compile(void **state)
{
    struct endless endless = {.compiler = open_compiler(in_directory("interrupted-cache"))};
    const struct timespec tick = {.tv_nsec = 10000000};
    struct compile_result result;
    pthread_t thread;

    (void)state;
    compiler_interrupt(endless.compiler); /* nothing to end */
    write_endless();
    write_text("k.cu", "extern \"C\" __global__ void plain(float *a) { *a = 1; }\n");
    assert_int_equal(pthread_create(&thread, NULL, compile_endless, &endless), 0);
    while (!atomic_load(&endless.ended)) {
        compiler_interrupt(endless.compiler);
        nanosleep(&tick, NULL);
    }
    pthread_join(thread, NULL);
    assert_int_equal(endless.result.outcome, OUTCOME_COMPILE);
    assert_true(endless.result.own_failure);
    assert_string_equal(endless.result.diagnostic, "was interrupted");
    compile_result_release(&endless.result);
    assert_int_equal(compile(&result, endless.compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    compile_result_release(&result);
    compiler_close(endless.compiler);
}

/* Flips one byte of every file in the cache; returns their number. */
static int corrupt_cache(const char *cache)
{
    char command[300];

    snprintf(command, sizeof command,
             "for f in %s/*.cubin; do printf X | dd of=$f bs=1 seek=200 conv=notrunc status=none; done",
             cache);
    return system(command);
}

static void test_cache(void **state)
{
    struct compiler *compiler;
    struct compile_result first, again;
    struct compile_request request;
    const char *defines[] = {"-DVALUE=4"};
    char cache[200];

    (void)state;
    snprintf(cache, sizeof cache, "%s/deep/cache", directory);
    compiler = open_compiler(cache);
    write_text("c.cu", "#include \"c.cuh\"\nextern \"C\" __global__ void k(float *a) { *a = VALUE; }\n");
    write_text("c.cuh", "#ifndef VALUE\n#define VALUE 3\n#endif\n");
    assert_int_equal(compile(&first, compiler, request_of("c.cu", "k")), OUTCOME_OK);
    assert_false(first.cached);
    assert_int_equal(compile(&again, compiler, request_of("c.cu", "k")), OUTCOME_OK);
    assert_true(again.cached);
    assert_int_equal(again.cubin_bytes, first.cubin_bytes);
    assert_memory_equal(again.cubin, first.cubin, first.cubin_bytes);
    check_near(again.compile_s, first.compile_s, 1e-9);
    assert_string_equal(again.entry, "k");
    compile_result_release(&again);

    request = request_of("c.cu", "k");
    request.options = defines;
    request.option_count = 1;
    compile(&again, compiler, request);
    assert_false(again.cached); /* another option */
    compile_result_release(&again);

    assert_int_equal(corrupt_cache(cache), 0);
    compile(&again, compiler, request_of("c.cu", "k"));
    assert_false(again.cached); /* a damaged entry is no entry */
    assert_memory_equal(again.cubin, first.cubin, first.cubin_bytes);
    compile_result_release(&again);

    write_text("c.cuh", "#define VALUE 5\n");
    compile(&again, compiler, request_of("c.cu", "k"));
    assert_false(again.cached); /* another header */
    compile_result_release(&again);
    compile_result_release(&first);
    compiler_close(compiler);
}

static void test_unwritable_cache(void **state)
{
    struct compiler *compiler = open_compiler("/proc/no/cache/here");
    struct compile_result result;

    (void)state;
    write_text("k.cu", "extern \"C\" __global__ void plain(float *a) { *a = 1; }\n");
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    compile_result_release(&result);
    compiler_close(compiler);
}

static enum outcome compile_with_fake(struct compile_result *out, const char *cache, const char *text)
{
    struct compiler *compiler;
    struct err err = {0};
    enum outcome outcome;

    write_text("fake.cu", text);
    if (compiler_open(&compiler, getenv("FAKE_NVRTC"), cache, &err))
        fail_msg("%s", err.text);
    outcome = compile(out, compiler, request_of("fake.cu", "k"));
    compiler_close(compiler);
    return outcome;
}

static void test_own_failures_are_not_kept(void **state)
{
    static const struct {
        const char *source, *diagnostic;
        bool own;
    } cases[] = {
        {"no memory", "NVRTC_ERROR_OUT_OF_MEMORY", true},
        {"internal", "NVRTC_ERROR_INTERNAL_ERROR", true},
        {"wrong", "k.cu(1): error: as told", false},
    };
    struct compile_result result;
    char cache[200];

    (void)state;
    snprintf(cache, sizeof cache, "%s/own", directory);
    for (size_t k = 0; k < 6; k++) {
        assert_int_equal(compile_with_fake(&result, cache, cases[k / 2].source), OUTCOME_COMPILE);
        assert_string_equal(result.diagnostic, cases[k / 2].diagnostic);
        assert_int_equal(result.own_failure, cases[k / 2].own);
        assert_int_equal(result.cached, !cases[k / 2].own && k % 2 == 1);
        if (!cases[k / 2].own)
            assert_non_null(strstr(result.log, "k.cu(1): error: as told"));
        compile_result_release(&result);
    }
}

/* A file of the cache, so many bytes, last used so many seconds ago. */
static void put_entry(const char *cache, const char *name, size_t bytes, time_t age_s)
{
    const struct timespec used = {.tv_sec = time(NULL) - age_s};
    const struct timespec times[2] = {used, used};
    char path[300];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", cache, name);
    file = fopen(path, "w");
    assert_non_null(file);
    for (size_t k = 0; k < bytes; k++)
        fputc('x', file);
    fclose(file);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const char *cache, const char *name)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", cache, name);
    return !access(path, F_OK);
}

static void test_cache_is_held_to_its_size(void **state)
{
    char cache[200], name[24];

    (void)state;
    snprintf(cache, sizeof cache, "%s/full", directory);
    compile_cache_make(cache);
    for (int k = 0; k < 10; k++) {
        snprintf(name, sizeof name, "%016x.cubin", k);
        put_entry(cache, name, 100, k == 3 ? 0 : 1000 - k);
    }
    put_entry(cache, "somebody-elses.cubin", 5000, 100000);
    put_entry(cache, "new-abcdef", 10, 7200);
    put_entry(cache, "new-ghijkl", 10, 60);
    compile_cache_trim(cache, 1000); /* just fits */
    assert_true(is_there(cache, "0000000000000000.cubin"));
    compile_cache_trim(cache, 999);
    for (int k = 0; k < 10; k++) {
        snprintf(name, sizeof name, "%016x.cubin", k);
        assert_int_equal(is_there(cache, name), k >= 3); /* 3 was used last */
    }
    assert_true(is_there(cache, "somebody-elses.cubin"));
    assert_false(is_there(cache, "new-abcdef"));
    assert_true(is_there(cache, "new-ghijkl"));
    compile_cache_trim("/proc/no/cache/here", 1);
}

static void *compile_in_thread(void *argument)
{
    struct compile_request request = request_of("k.cu", "plain");
    struct compile_result result;

    request.source_path = argument;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            compile_cubin(&result, *(struct compiler **)((char *)argument + 200), &request, NULL), 0);
        assert_int_equal(result.outcome, OUTCOME_OK);
        compile_result_release(&result);
    }
    return NULL;
}

static void test_many_threads(void **state)
{
    struct compiler *compiler = open_compiler(in_directory("shared-cache"));
    struct {
        char path[200];
        struct compiler *compiler;
    } work = {"", compiler};
    pthread_t threads[4];

    (void)state;
    write_text("k.cu", "extern \"C\" __global__ void plain(float *a) { *a = 1; }\n");
    snprintf(work.path, sizeof work.path, "%s", in_directory("k.cu"));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_in_thread, &work), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    compiler_close(compiler);
}

/* Processes that were started ahead do the work, and one that died meanwhile is replaced: all of them here,
 * by number, as children of this process. */
static void test_started_ahead(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_result result;

    (void)state;
    write_text("k.cu", "extern \"C\" __global__ void plain(float *a) { *a = 1; }\n");
    assert_int_equal(compiler_prepare(compiler, 3, NULL), 0);
    assert_int_equal(system("test $(pgrep -c -P $PPID occutune-worker) = 3"), 0);
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    compile_result_release(&result);
    assert_int_equal(compiler_prepare(compiler, 3, NULL), 0);
    assert_int_equal(system("test $(pgrep -c -P $PPID occutune-worker) = 3"), 0);
    assert_int_equal(system("kill -KILL $(pgrep -P $PPID occutune-worker)"), 0);
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    compile_result_release(&result);
    assert_int_equal(compiler_prepare(compiler, 4, NULL), 0);
    assert_int_equal(system("kill -KILL $(pgrep -P $PPID occutune-worker)"), 0);
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    compile_result_release(&result);
    compiler_close(compiler);
}

static void test_no_library(void **state)
{
    struct compiler *compiler;
    struct err err = {0};

    (void)state;
    assert_int_equal(compiler_open(&compiler, "/nowhere/libnvrtc.so.13", NULL, &err), ERR_MISSING);
    assert_null(compiler);
    assert_non_null(strstr(err.text, "/nowhere/libnvrtc.so.13"));
    assert_non_null(strstr(err.text, "OCCUTUNE_NVRTC"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cubin_and_entry),
                                       cmocka_unit_test(test_toolkit_headers),
                                       cmocka_unit_test(test_architecture_of_the_options),
                                       cmocka_unit_test(test_bad_variants_are_outcomes),
                                       cmocka_unit_test(test_names_of_the_compilers_own_headers),
                                       cmocka_unit_test(test_users_mistakes_are_errors),
                                       cmocka_unit_test(test_endless_compile),
                                       cmocka_unit_test(test_interrupted_compile),
                                       cmocka_unit_test(test_cache),
                                       cmocka_unit_test(test_unwritable_cache),
                                       cmocka_unit_test(test_own_failures_are_not_kept),
                                       cmocka_unit_test(test_cache_is_held_to_its_size),
                                       cmocka_unit_test(test_many_threads),
                                       cmocka_unit_test(test_started_ahead),
                                       cmocka_unit_test(test_no_library)};
    struct compiler *compiler;
    struct err err = {0};
    char command[100];
    int failed;

    if (compiler_open(&compiler, NULL, NULL, &err) == ERR_MISSING) {
        fprintf(stderr, "SKIPPED: %s\n", err.text);
        return 77;
    }
    compiler_close(compiler);
    if (!mkdtemp(directory))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command) || failed;
}

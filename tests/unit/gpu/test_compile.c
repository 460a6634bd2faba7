/* gpu/compile: real compiles with the NVRTC that is here. Without one the test is skipped, aloud. */
#include "compile_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

static void test_cubin_and_entry(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_result result;

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

    write_text(
        "half.cu",
        "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(__half *a) { a[0] = __hadd(a[1], a[2]); }\n");
    assert_int_equal(compile(&result, compiler, request_of("half.cu", "k")), OUTCOME_OK);
    compile_result_release(&result);
    compiler_close(compiler);
}

static void test_a_byte_order_mark_is_no_code(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_result result;

    write_text("marked.cu",
               "\xef\xbb\xbf#define VALUE 3\nextern \"C\" __global__ void k(float *a) { *a = VALUE; }\n");
    assert_int_equal(compile(&result, compiler, request_of("marked.cu", "k")), OUTCOME_OK);
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
    assert_non_null(strstr(err.text,
                           "/arch.cu: the option -arch=sm_100a: the code is compiled for sm_90: leave "
                           "it out, or write -arch=sm_90a"));
    compile_result_release(&without);
    compiler_close(compiler);
}

static void test_bad_variants_are_outcomes(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_result result;
    struct compile_request request;
    const char *bad_option[] = {"--no-such-option"};

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

static void test_users_mistakes_are_errors(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    struct compile_request request;
    struct compile_result result;
    struct err err = {0};

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

/* The process that was started ahead is not there yet when nobody waits for its work any more. */
static void test_interrupted_before_the_compile(void **state)
{
    const struct timespec begun = {.tv_nsec = 300000000};
    const char *worker = in_directory("worker");
    struct endless endless = {0};
    struct err err = {0};
    pthread_t thread;

    write_endless();
    write_text("worker", "#!/bin/sh\ntest ! -e \"$0.slow\" || sleep 1\nexec \"$OCCUTUNE_WORKER\" \"$@\"\n");
    assert_int_equal(chmod(worker, 0700), 0);
    check_ok(compiler_open_with(&endless.compiler, worker, NULL, NULL, &err), &err);
    write_text("worker.slow", "");
    assert_int_equal(compiler_prepare(endless.compiler, 2, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, compile_endless, &endless), 0);
    nanosleep(&begun, NULL);
    compiler_interrupt(endless.compiler);
    pthread_join(thread, NULL);
    assert_true(endless.result.own_failure);
    assert_string_equal(endless.result.diagnostic, "was interrupted");
    compile_result_release(&endless.result);
    compiler_close(endless.compiler);
}

/* What is killed or stopped before it has said a word is replaced: something outside did that. */
static void test_killed_at_start(void **state)
{
    static const char *const signals[] = {"KILL", "STOP"};
    const char *worker = in_directory("worker");
    struct compiler *compiler;
    struct err err = {0};
    char text[200];

    for (size_t k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 "#!/bin/sh\nrm \"$0.once\" 2>/dev/null && kill -%s $$\nexec \"$OCCUTUNE_WORKER\" \"$@\"\n",
                 signals[k]);
        write_text("worker", text);
        write_text("worker.once", "");
        assert_int_equal(chmod(worker, 0700), 0);
        check_ok(compiler_open_with(&compiler, worker, NULL, NULL, &err), &err);
        compiler_close(compiler);
    }
}

/* A worker left behind by an earlier installation greets, but says less than is asked of it. */
static void test_worker_of_another_build(void **state)
{
    const char *worker = in_directory("worker");
    struct compiler *compiler;
    struct err err = {0};

    write_text("worker", "#!/bin/sh\n"
                         "printf 'tcco\\0\\0\\0\\0\\043\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0' >&3\n"
                         "printf '{\"version\": \"13.0\", \"library\": \"x\"}' >&3\n"
                         "cat <&3 >/dev/null\n");
    assert_int_equal(chmod(worker, 0700), 0);
    assert_int_not_equal(compiler_open_with(&compiler, worker, NULL, NULL, &err), 0);
    assert_non_null(strstr(err.text, "occutune-worker is of another build than this program: "));
    assert_null(strstr(err.text, ": :"));
    assert_non_null(strstr(err.text, "architectures"));
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

    write_text("k.cu", "extern \"C\" __global__ void plain(float *a) { *a = 1; }\n");
    snprintf(work.path, sizeof work.path, "%s", in_directory("k.cu"));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_in_thread, &work), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    compiler_close(compiler);
}

/* What was not compiled before: that would need no process. */
static void compile_another(struct compiler *compiler)
{
    static int value;
    struct compile_result result;
    char text[100];

    snprintf(text, sizeof text, "extern \"C\" __global__ void plain(float *a) { *a = %d; }\n", ++value);
    write_text("k.cu", text);
    assert_int_equal(compile(&result, compiler, request_of("k.cu", "plain")), OUTCOME_OK);
    assert_false(result.cached);
    compile_result_release(&result);
}

/* Processes that were started ahead do the work, and one that died meanwhile is replaced: all of them here,
 * by number, as children of this process. */
static void test_started_ahead(void **state)
{
    struct compiler *compiler = open_compiler(NULL);

    assert_int_equal(compiler_prepare(compiler, 3, NULL), 0);
    assert_int_equal(system("test $(pgrep -c -P $PPID occutune-worker) = 3"), 0);
    compile_another(compiler);
    assert_int_equal(compiler_prepare(compiler, 3, NULL), 0);
    assert_int_equal(system("test $(pgrep -c -P $PPID occutune-worker) = 3"), 0);
    assert_int_equal(system("kill -KILL $(pgrep -P $PPID occutune-worker)"), 0);
    compile_another(compiler);
    assert_int_equal(compiler_prepare(compiler, 4, NULL), 0);
    assert_int_equal(system("kill -KILL $(pgrep -P $PPID occutune-worker)"), 0);
    compile_another(compiler);
    compiler_close(compiler);
}

static void test_no_library(void **state)
{
    struct compiler *compiler;
    struct err err = {0};

    assert_int_equal(compiler_open(&compiler, "/nowhere/libnvrtc.so.13", NULL, &err), ERR_MISSING);
    assert_null(compiler);
    assert_non_null(strstr(err.text, "/nowhere/libnvrtc.so.13"));
    assert_non_null(strstr(err.text, "OCCUTUNE_NVRTC"));
}

int main(void)
{
    return compiler_is_here() ? RUN_TESTS_IN(make_directory, remove_directory, test_cubin_and_entry,
                                             test_toolkit_headers, test_a_byte_order_mark_is_no_code,
                                             test_architecture_of_the_options, test_bad_variants_are_outcomes,
                                             test_users_mistakes_are_errors, test_endless_compile,
                                             test_interrupted_compile, test_interrupted_before_the_compile,
                                             test_killed_at_start, test_worker_of_another_build,
                                             test_many_threads, test_started_ahead, test_no_library)
                              : 77;
}

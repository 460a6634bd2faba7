/* Each code is compiled once, by an NVRTC that counts its compiles. */
#include "compile_fixture.h"

#include "gpu/compile_once.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 4 };

struct call {
    struct compiler *compiler;
    const char *source;
    char macro[32];
    double deadline_s; /* 0: the fixture's */
    const atomic_bool *given_up;
    struct compile_result result;
};

static void *run_call(void *argument)
{
    struct call *call = argument;
    struct compile_request request = request_of(call->source, "k");
    const char *options[] = {call->macro};

    request.options = options;
    request.option_count = request.tuned_count = 1;
    request.deadline_s = call->deadline_s > 0 ? call->deadline_s : request.deadline_s;
    request.given_up = call->given_up;
    compile(&call->result, call->compiler, request);
    return NULL;
}

static struct compiler *open_library(const char *library, const char *cache)
{
    struct compiler *compiler;
    struct err err = {0};

    remove(in_directory("calls"));
    setenv("FAKE_NVRTC_CALLS", in_directory("calls"), 1);
    check_ok(compiler_open(&compiler, library, cache, &err), &err);
    return compiler;
}

static struct compiler *open_fake(const char *cache)
{
    return open_library(getenv("FAKE_NVRTC"), cache);
}

/* So often was the compiler's work done. */
static long compiles(void)
{
    struct stat status;

    return stat(in_directory("calls"), &status) ? 0 : (long)status.st_size;
}

/* Variants -DWARPS=0, 1, ... of a text, all at once. */
static void start(pthread_t threads[CALLS], struct call calls[CALLS], struct compiler *compiler,
                  const char *text, double deadline_s)
{
    write_text("fake.cu", text);
    for (int k = 0; k < CALLS; k++) {
        calls[k] = (struct call){.compiler = compiler, .source = "fake.cu", .deadline_s = deadline_s};
        snprintf(calls[k].macro, sizeof calls[k].macro, "-DWARPS=%d", k);
        assert_int_equal(pthread_create(&threads[k], NULL, run_call, &calls[k]), 0);
    }
}

static void compile_within(struct call calls[CALLS], struct compiler *compiler, const char *text,
                           double deadline_s)
{
    pthread_t threads[CALLS];

    start(threads, calls, compiler, text, deadline_s);
    for (int k = 0; k < CALLS; k++)
        pthread_join(threads[k], NULL);
}

static void compile_at_once(struct call calls[CALLS], struct compiler *compiler, const char *text)
{
    compile_within(calls, compiler, text, 0);
}

static void release(struct call calls[CALLS])
{
    for (int k = 0; k < CALLS; k++)
        compile_result_release(&calls[k].result);
}

static void test_equal_code(const char *cache)
{
    struct compiler *compiler = open_fake(cache);
    struct call calls[CALLS];
    int made = 0;

    for (int round = 0; round < 2; round++) {
        compile_at_once(calls, compiler, "slow fine");
        for (int k = 0; k < CALLS; k++) {
            assert_int_equal(calls[k].result.outcome, OUTCOME_OK);
            assert_string_equal((const char *)calls[k].result.cubin, "machine code");
            assert_string_equal(calls[k].result.entry, "k");
            assert_true(calls[k].result.compile_s > 0.29);
            made += !calls[k].result.cached;
        }
        release(calls);
    }
    assert_int_equal(made, 1);
    assert_int_equal(compiles(), 1);
    compile_at_once(calls, compiler, "slow fine WARPS"); /* which is read */
    assert_int_equal(compiles(), 1 + CALLS);
    release(calls);
    compiler_close(compiler);
}

static void test_equal_at_once(void **state)
{
    test_equal_code(NULL);
    test_equal_code(in_directory("cache"));
}

static void test_another_compiler(void **state)
{
    struct call calls[CALLS];
    char command[1000];

    snprintf(command, sizeof command, "cp '%s' '%s'", getenv("FAKE_NVRTC"), in_directory("libnvrtc.so.13"));
    assert_int_equal(system(command), 0);
    for (int other = 0; other < 2; other++) {
        struct compiler *compiler = open_library(
            other ? in_directory("libnvrtc.so.13") : getenv("FAKE_NVRTC"), in_directory("cache of both"));

        compile_at_once(calls, compiler, "fine");
        assert_int_equal(compiles(), 1);
        release(calls);
        compiler_close(compiler);
    }
}

/* What such a source includes may have changed. */
static void test_unknown_code(void **state)
{
    struct call calls[CALLS];

    for (int cached = 0; cached < 2; cached++) {
        struct compiler *compiler = open_fake(cached ? in_directory("unknown") : NULL);

        for (int round = 1; round <= 2; round++) {
            compile_at_once(calls, compiler, "#define HEADER \"some.h\"\n#include HEADER\nfine");
            assert_int_equal(compiles(), round * CALLS);
            release(calls);
        }
        compiler_close(compiler);
    }
}

/* An error is every variant's own. */
static void test_equal_errors(void **state)
{
    struct compiler *compiler = open_fake(NULL);
    struct call calls[CALLS];

    compile_at_once(calls, compiler, "slow wrong");
    for (int k = 0; k < CALLS; k++) {
        assert_int_equal(calls[k].result.outcome, OUTCOME_COMPILE);
        assert_string_equal(calls[k].result.diagnostic, "k.cu(1): error: as told");
        assert_non_null(strstr(calls[k].result.log, "as told"));
    }
    assert_int_equal(compiles(), 1);
    release(calls);
    compiler_close(compiler);
}

/* What is no verdict is nobody else's. */
static void test_failures_of_the_compilers_own(void **state)
{
    struct compiler *compiler = open_fake(NULL);
    struct call calls[CALLS];

    compile_at_once(calls, compiler, "slow memory");
    for (int k = 0; k < CALLS; k++)
        assert_true(calls[k].result.own_failure);
    assert_int_equal(compiles(), CALLS);
    release(calls);
    compile_at_once(calls, compiler, "slow crash");
    for (int k = 0; k < CALLS; k++)
        assert_string_equal(calls[k].result.diagnostic, "the compiler crashed (signal 6)");
    assert_true(compiles() >= 2 * CALLS);
    release(calls);
    compile_within(calls, compiler, "endless", 0.2);
    for (int k = 0; k < CALLS; k++)
        assert_string_equal(calls[k].result.diagnostic, "did not end within 0.2 s");
    for (int k = 0; k < CALLS; k++)
        assert_true(calls[k].result.own_failure);
    release(calls);
    compiler_close(compiler);
}

/* A deadline is of the compiler's own time: a process that does not get to run is not late. */
static void test_a_stall_is_no_verdict(void **state)
{
    struct compiler *compiler = open_fake(NULL);
    struct call calls[CALLS];

    compile_within(calls, compiler, "asleep fine", 0.2);
    for (int k = 0; k < CALLS; k++)
        assert_int_equal(calls[k].result.outcome, OUTCOME_OK);
    release(calls);
    compile_within(calls, compiler, "asleep fine, but too late", 0.05);
    for (int k = 0; k < CALLS; k++) {
        assert_string_equal(calls[k].result.diagnostic, "did not end within 0.05 s");
        assert_true(calls[k].result.own_failure);
    }
    release(calls);
    compiler_close(compiler);
}

static pid_t child_that_compiles(void)
{
    char command[80];
    FILE *found;
    int pid = 0;

    snprintf(command, sizeof command, "pgrep -n -P %ld -f 'occutune-[w]orker.* compile'", (long)getpid());
    found = popen(command, "r");
    assert_non_null(found);
    if (fscanf(found, "%d", &pid) != 1)
        pid = 0;
    pclose(found);
    return pid;
}

/* One that a signal stops is replaced. */
static void test_a_stopped_compiler_is_replaced(void **state)
{
    const struct timespec tick = {.tv_nsec = 50000000};
    struct compiler *compiler = open_fake(NULL);
    struct call calls[CALLS];
    pthread_t threads[CALLS];

    start(threads, calls, compiler, "asleep fine", 0);
    while (!compiles())
        nanosleep(&tick, NULL);
    assert_int_equal(kill(child_that_compiles(), SIGSTOP), 0);
    for (int k = 0; k < CALLS; k++) {
        pthread_join(threads[k], NULL);
        assert_int_equal(calls[k].result.outcome, OUTCOME_OK);
    }
    assert_int_equal(compiles(), 2);
    release(calls);
    compiler_close(compiler);
}

/* Those who wait are interrupted with the one who compiles. */
static void test_interrupted_waiting(void **state)
{
    const struct timespec tick = {.tv_nsec = 300000000};
    struct compiler *compiler = open_fake(NULL);
    struct call calls[CALLS];
    pthread_t threads[CALLS];

    start(threads, calls, compiler, "endless", 0);
    while (!compiles())
        nanosleep(&tick, NULL);
    nanosleep(&tick, NULL); /* the others wait */
    compiler_interrupt(compiler);
    for (int k = 0; k < CALLS; k++) {
        pthread_join(threads[k], NULL);
        assert_true(calls[k].result.own_failure);
        assert_string_equal(calls[k].result.diagnostic, "was interrupted");
    }
    assert_int_equal(compiles(), 1);
    release(calls);
    compile_at_once(calls, compiler, "slow fine");
    for (int k = 0; k < CALLS; k++)
        assert_int_equal(calls[k].result.outcome, OUTCOME_OK);
    release(calls);
    compiler_close(compiler);
}

/* Who is not given up goes on, whether it compiles or waits. */
static void test_interrupts_are_for_those_given_up(void **state)
{
    const struct timespec tick = {.tv_nsec = 50000000};
    struct compiler *compiler = open_fake(NULL);
    const atomic_bool no = false;
    struct call calls[CALLS];
    pthread_t threads[CALLS];

    write_text("fake.cu", "slow fine");
    for (int k = 0; k < CALLS; k++) {
        calls[k] = (struct call){.compiler = compiler, .source = "fake.cu", .given_up = &no};
        snprintf(calls[k].macro, sizeof calls[k].macro, "-DWARPS=%d", k);
        assert_int_equal(pthread_create(&threads[k], NULL, run_call, &calls[k]), 0);
    }
    while (!compiles())
        nanosleep(&tick, NULL);
    compiler_interrupt(compiler);
    for (int k = 0; k < CALLS; k++) {
        pthread_join(threads[k], NULL);
        assert_int_equal(calls[k].result.outcome, OUTCOME_OK);
    }
    release(calls);
    compiler_close(compiler);
}

static bool is_kept(struct once *once, uint64_t key)
{
    struct compile_result result = {0};
    const bool kept = once_begin(&result, once, key, NULL) == ONCE_KEPT;

    compile_result_release(&result);
    return kept;
}

static void test_memory_is_bounded(void **state)
{
    unsigned char bytes[100] = {7};
    struct compile_result result = {.outcome = OUTCOME_OK, .cubin = bytes, .cubin_bytes = sizeof bytes};
    struct once once;

    once_init(&once, 250);
    for (uint64_t key = 1; key <= 5; key++) {
        assert_false(is_kept(&once, key));
        once_keep(&once, key, &result);
        once_end(&once, key);
        assert_true(is_kept(&once, key));
    }
    for (uint64_t key = 1; key <= 5; key++)
        assert_int_equal(is_kept(&once, key), key > 3);
    once_keep(&once, 1, &result); /* compiled again */
    assert_true(is_kept(&once, 1));
    assert_false(is_kept(&once, 4));
    once_release(&once);
}

/* Packed code is not copied: all who have it hold the same bytes, until the last lets go. */
static void test_packed_code_is_shared(void **state)
{
    struct compile_result result = {.outcome = OUTCOME_OK, .cubin_bytes = 9, .packed_bytes = 4}, first,
                          second;
    struct once once;

    result.packed = malloc(4);
    memcpy(result.packed, "code", 4);
    once_init(&once, 250);
    once_put(&once, 1, &result);
    assert_true(once_find(&first, &once, 1));
    assert_ptr_equal(first.packed, result.packed);
    compile_result_release(&result);
    once_release(&once);
    second = first;
    atomic_fetch_add(second.packed_holders, 1);
    compile_result_release(&first);
    assert_memory_equal(second.packed, "code", 4);
    compile_result_release(&second);
}

static void keep(struct once *once, uint64_t key, struct compile_result *result)
{
    assert_false(is_kept(once, key));
    once_keep(once, key, result);
    once_end(once, key);
}

/* What is too large for the cache drives nobody out, and what the compiler said counts. */
static void test_sizes_count(void **state)
{
    unsigned char bytes[300] = {7};
    char log[200];
    struct compile_result small = {.outcome = OUTCOME_OK, .cubin = bytes, .cubin_bytes = 100};
    struct compile_result large = {.outcome = OUTCOME_OK, .cubin = bytes, .cubin_bytes = 251};
    struct compile_result fails = {.outcome = OUTCOME_COMPILE, .log = log};
    struct once once;

    memset(log, 'e', sizeof log);
    log[sizeof log - 1] = '\0';
    once_init(&once, 250);
    keep(&once, 1, &small);
    keep(&once, 2, &large);
    keep(&once, 3, &small);
    assert_false(is_kept(&once, 2));
    assert_true(is_kept(&once, 1));
    assert_true(is_kept(&once, 3));
    keep(&once, 4, &fails);
    assert_true(is_kept(&once, 4));
    assert_false(is_kept(&once, 1));
    assert_false(is_kept(&once, 3));
    once_release(&once);
}

int main(void)
{
    return RUN_TESTS_IN(make_directory, remove_directory, test_equal_at_once, test_unknown_code,
                        test_another_compiler, test_equal_errors, test_failures_of_the_compilers_own,
                        test_a_stall_is_no_verdict, test_a_stopped_compiler_is_replaced,
                        test_interrupted_waiting, test_interrupts_are_for_those_given_up,
                        test_memory_is_bounded, test_packed_code_is_shared, test_sizes_count);
}

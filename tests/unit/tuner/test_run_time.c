/* The run-time part of occutune.h, through the installed library's own interface, in contexts of a pretended
 * driver. Skipped aloud where there is no NVRTC. */
#include "made_kernel.h"

#include <occutune.h>

#include "fake.h"

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

enum { THREADS = 8 };

static struct fake_state *gpu;
static int (*set_current)(void *context), (*get_current)(void **context);
static char said[4000];
static unsigned said_count;
static char contexts[2];        /* two addresses that name contexts */
static occutune_kernel *kernel; /* of open_kernel(), until the next or the end of the test */

static void close_kernel(void)
{
    occutune_kernel_close(kernel);
    kernel = NULL;
}

static void keep(void *context, const char *text)
{
    said_count++;
    strncat(said, text, sizeof said - strlen(said) - 2);
    strcat(said, "\n");
}

static struct occutune_options options_here(void)
{
    struct occutune_options options;

    occutune_options_init(&options);
    options.cache = made_path("cache");
    options.message = keep;
    return options;
}

static void open_kernel(const char *decision, const struct occutune_options *options)
{
    const struct occutune_options here = options_here();
    struct occutune_error error = {0};
    occutune_decision *tuned = NULL;

    close_kernel();
    said[0] = '\0';
    said_count = 0;
    if (decision && occutune_load(&tuned, made_path(decision), &error))
        fail_msg("%s", error.text);
    if (occutune_kernel_open(&kernel, made_path("spec.json"), &tuned, decision != NULL,
                             options ? options : &here, &error))
        fail_msg("%s", error.text);
    occutune_free(tuned);
}

static struct occutune_launch get(double n)
{
    struct occutune_launch launch;
    struct occutune_error error = {0};

    if (occutune_kernel_get(&launch, kernel, &n, &error))
        fail_msg("%s", error.text);
    assert_non_null(launch.function);
    assert_non_null(launch.module);
    return launch;
}

static void check_error(double n, int rc, const char *text)
{
    struct occutune_launch launch;
    struct occutune_error error = {0};

    assert_int_equal(occutune_kernel_get(&launch, kernel, &n, &error), rc);
    assert_null(launch.function);
    if (!strstr(error.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, error.text);
}

static int set_up(void **state)
{
    set_current(&contexts[0]);
    gpu->modules = 0;
    return made_set_up(state);
}

static int tear_down(void **state)
{
    close_kernel();
    return made_tear_down(state);
}

static void gives_what_was_tuned(void **state)
{
    struct occutune_launch launch;

    made_decision("d.json", "Pretended GPU", 90, "", (struct made_row[]){{4096, 64, 0}, {1 << 20, 128, 0}},
                  2);
    open_kernel("d.json", NULL);
    launch = get(4096);
    assert_int_equal(launch.fit, OCCUTUNE_FIT_EXACT);
    assert_int_equal(launch.grid[0], 64);
    assert_int_equal(launch.block[0], 64);
    assert_int_equal(launch.shared_dynamic_bytes, 0);
    assert_string_equal(launch.configuration, "THREADS=64 BROKEN=0 SHARED=0");
    assert_int_equal(launch.option_count, 3);
    assert_string_equal(launch.options[0], "-DTHREADS=64");
    assert_string_equal(said, "");
    assert_int_equal(get(1 << 21).fit, OCCUTUNE_FIT_NEAREST);
    assert_int_equal(get(1 << 22).grid[0], (1 << 22) / 128);
    assert_int_equal(said_count, 1); /* once */
    assert_non_null(strstr(said, "on pretended-gpu was tuned for other problem sizes only"));
    assert_int_equal(gpu->modules, 2);
    close_kernel();
    assert_int_equal(gpu->modules, 0);
}

static void says_how_it_falls_back(void **state)
{
    made_decision("d.json", "Another GPU", 90, "", (struct made_row[]){{4096, 64, 0}}, 1);
    open_kernel("d.json", NULL);
    assert_int_equal(get(4096).fit, OCCUTUNE_FIT_ARCHITECTURE);
    assert_int_equal(get(4096).block[0], 64);
    assert_int_equal(said_count, 1);
    assert_non_null(strstr(said, "another one of its architecture"));

    made_decision("d.json", "Another GPU", 80, "", (struct made_row[]){{4096, 128, 0}}, 1);
    open_kernel("d.json", NULL);
    assert_int_equal(get(4096).fit, OCCUTUNE_FIT_OVERALL);
    assert_non_null(strstr(said, "best over all"));
    assert_int_equal(get(32).fit, OCCUTUNE_FIT_DEFAULT); /* 128 threads do not divide it */
    check_error(33, OCCUTUNE_USAGE, "N=33");

    open_kernel(NULL, NULL);
    assert_int_equal(get(4096).fit, OCCUTUNE_FIT_DEFAULT);
    assert_int_equal(get(8192).fit, OCCUTUNE_FIT_DEFAULT);
    assert_int_equal(said_count, 1);
}

static void chooses_for_any_device(void **state)
{
    struct occutune_launch launch;
    struct occutune_error error = {0};

    made_decision("d.json", "Another GPU", 80, "", (struct made_row[]){{4096, 128, 0}, {1 << 20, 64, 0}}, 2);
    open_kernel("d.json", NULL);
    set_current(NULL);
    assert_int_equal(occutune_kernel_choose(&launch, kernel, "another-gpu", 80, &(double){4096}, &error), 0);
    assert_int_equal(launch.fit, OCCUTUNE_FIT_EXACT);
    assert_int_equal(launch.grid[0], 32);
    assert_string_equal(launch.options[0], "-DTHREADS=128");
    assert_null(launch.function);
    assert_int_equal(occutune_kernel_choose(&launch, kernel, NULL, 80, &(double){1 << 21}, &error), 0);
    assert_int_equal(launch.fit, OCCUTUNE_FIT_ARCHITECTURE);
    assert_int_equal(launch.block[0], 64);
    assert_int_equal(occutune_kernel_choose(&launch, kernel, NULL, 0, &(double){4096}, &error), 0);
    assert_int_equal(launch.fit, OCCUTUNE_FIT_OVERALL);
    assert_int_equal(occutune_kernel_choose(&launch, kernel, NULL, 0, &(double){1}, &error), OCCUTUNE_USAGE);
    assert_string_equal(said, "");
}

static void makes_no_context(void **state)
{
    void *current = &contexts;

    open_kernel(NULL, NULL);
    set_current(NULL);
    check_error(4096, OCCUTUNE_USAGE, "no CUDA context is current on this thread");
    get_current(&current);
    assert_null(current);
    set_current(&contexts[0]);
    get(4096);
    set_current(NULL);
    check_error(4096, OCCUTUNE_USAGE, "no CUDA context is current");
    assert_int_equal(gpu->contexts, 0);
    close_kernel();
    assert_int_equal(gpu->modules, 1); /* its context is not current: it goes with it */
}

static void keeps_contexts_apart(void **state)
{
    open_kernel(NULL, NULL);

    get(4096);
    set_current(&contexts[1]);
    get(4096);
    get(4096);
    assert_int_equal(gpu->modules, 2);
    close_kernel();
    assert_int_equal(gpu->modules, 1);
}

static void *get_at_once(void *unused)
{
    set_current(&contexts[0]);
    for (int i = 0; i < 100; i++)
        get(i % 2 ? 4096 : 1 << 20);
    return NULL;
}

static void loads_once_for_all_threads(void **state)
{
    pthread_t threads[THREADS];

    made_decision("d.json", "Pretended GPU", 90, "", (struct made_row[]){{4096, 64, 0}, {1 << 20, 128, 0}},
                  2);
    open_kernel("d.json", NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, get_at_once, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(gpu->modules, 2);
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void costs_microseconds(void **state)
{
    enum { CALLS = 20000 };
    double start_s, each_s;

    made_decision("d.json", "Pretended GPU", 90, "", (struct made_row[]){{4096, 64, 0}, {1 << 20, 128, 0}},
                  2);
    open_kernel("d.json", NULL);
    get(4096);
    start_s = now_s();
    for (int i = 0; i < CALLS; i++)
        get(4096);
    each_s = (now_s() - start_s) / CALLS;
    print_message("a call takes %.2f us\n", each_s * 1e6);
    assert_true(each_s < 100e-6);
}

static void lives_with_a_cache_that_cannot_be_written(void **state)
{
    struct occutune_options options = options_here();

    options.cache = "/dev/null/cache";
    open_kernel(NULL, &options);
    get(4096);
    assert_non_null(strstr(said, "/dev/null/cache: cannot be written: kernels are compiled anew"));
    close_kernel();
    options.cache = "";
    open_kernel(NULL, &options);
    get(4096);
    assert_null(strstr(said, "cannot be written"));
}

static void lives_with_a_source_that_has_changed(void **state)
{
    made_decision("d.json", "Pretended GPU", 90, "0123456789abcdef", (struct made_row[]){{4096, 64, 0}}, 1);
    open_kernel("d.json", NULL);
    assert_non_null(strstr(said, "have changed since it was tuned"));
    assert_int_equal(get(4096).block[0], 64);
}

static void uses_the_default_for_what_does_not_compile(void **state)
{
    struct occutune_launch launch;

    made_decision("d.json", "Pretended GPU", 90, "", (struct made_row[]){{4096, 64, 1}}, 1);
    open_kernel("d.json", NULL);
    launch = get(4096);
    assert_int_equal(launch.fit, OCCUTUNE_FIT_DEFAULT);
    assert_int_equal(launch.block[0], 32);
    get(4096);
    assert_int_equal(said_count, 1);
    assert_non_null(strstr(said, "does not compile for sm_90a with THREADS=64 BROKEN=1"));
    assert_non_null(strstr(said, "the default configuration is used"));

    made_write("copy.cu", "#error nothing compiles\n");
    open_kernel("d.json", NULL);
    check_error(4096, OCCUTUNE_USAGE, "nothing compiles");
    check_error(4096, OCCUTUNE_USAGE, "nothing compiles");
}

/* 256 threads have 4 bytes of shared memory for each element: the pretended driver opts in to 227 KB. */
static void opts_in_to_more_shared_memory(void **state)
{
    made_decision("d.json", "Pretended GPU", 90, "", (struct made_row[]){{4096, 256, 0}}, 1);
    open_kernel("d.json", NULL);
    assert_int_equal(get(4096).shared_dynamic_bytes, 4 * 4096);
    assert_int_equal(get(32768).shared_dynamic_bytes, 4 * 32768);
    assert_int_equal(get(65536).fit, OCCUTUNE_FIT_DEFAULT);
    assert_non_null(strstr(said, "opting in to dynamic shared memory"));
    assert_int_equal(get(4096).shared_dynamic_bytes, 4 * 4096);
}

static void refuses_what_it_cannot_use(void **state)
{
    struct occutune_options options = options_here();
    struct occutune_error error = {0};
    occutune_decision *tuned;
    char driver[512];

    made_write("newer.json", "{\"schema\": 2, \"kernel\": \"copy\"}\n");
    assert_int_equal(occutune_load(&tuned, made_path("newer.json"), &error), OCCUTUNE_USAGE);
    assert_null(tuned);
    assert_non_null(strstr(error.text, "schema: is 2, this occutune reads 1"));
    assert_int_equal(occutune_load(&tuned, "tests/header/example.json", &error), 0);
    assert_int_equal(occutune_kernel_open(&kernel, made_path("spec.json"), &tuned, 1, &options, &error),
                     OCCUTUNE_USAGE);
    assert_null(kernel);
    assert_non_null(strstr(error.text, "about kernel scale, not copy"));
    occutune_free(tuned);
    assert_int_equal(occutune_kernel_open(&kernel, made_path("none.json"), NULL, 0, NULL, &error),
                     OCCUTUNE_USAGE);

    open_kernel(NULL, NULL);
    snprintf(driver, sizeof driver, "%s", getenv("OCCUTUNE_CUDA_DRIVER"));
    setenv("OCCUTUNE_CUDA_DRIVER", "/nonexistent/libcuda.so", 1);
    check_error(4096, OCCUTUNE_MISSING, "no CUDA driver");
    setenv("OCCUTUNE_CUDA_DRIVER", driver, 1);
    get(4096); /* it may come later */

    options.nvrtc = "/nonexistent/libnvrtc.so";
    open_kernel(NULL, &options);
    check_error(4096, OCCUTUNE_MISSING, "no NVRTC library can be loaded");
    close_kernel();
    options.worker = "/nonexistent/occutune-worker";
    open_kernel(NULL, &options);
    check_error(4096, OCCUTUNE_MISSING, "/nonexistent/occutune-worker: not an executable file");
}

/* Without NVRTC nothing can be compiled. */
static int skipped(void)
{
    struct occutune_options options;
    struct occutune_error error = {0};
    struct occutune_launch launch;
    int rc;

    made_set_up(NULL);
    set_current(&contexts[0]);
    options = options_here();
    if (occutune_kernel_open(&kernel, made_path("spec.json"), NULL, 0, &options, &error))
        fail_msg("%s", error.text);
    rc = occutune_kernel_get(&launch, kernel, &(double){4096}, &error);
    close_kernel();
    made_tear_down(NULL);
    if (rc == OCCUTUNE_MISSING)
        printf("skipped: %s\n", error.text);
    return rc == OCCUTUNE_MISSING;
}

int main(void)
{
    void *library = dlopen(getenv("OCCUTUNE_CUDA_DRIVER"), RTLD_NOW);

    if (!library) {
        fprintf(stderr, "OCCUTUNE_CUDA_DRIVER must name the pretended driver: %s\n", dlerror());
        return 1;
    }
    gpu = dlsym(library, "fake");
    *(void **)&set_current = dlsym(library, "cuCtxSetCurrent");
    *(void **)&get_current = dlsym(library, "cuCtxGetCurrent");
    if (skipped())
        return 77;
    return RUN_TESTS_EACH(set_up, tear_down, gives_what_was_tuned, says_how_it_falls_back,
                          chooses_for_any_device, makes_no_context, keeps_contexts_apart,
                          loads_once_for_all_threads, costs_microseconds,
                          lives_with_a_cache_that_cannot_be_written, lives_with_a_source_that_has_changed,
                          uses_the_default_for_what_does_not_compile, opts_in_to_more_shared_memory,
                          refuses_what_it_cannot_use);
}

/* Preloaded into a program, it fails the allocation number OCCUTUNE_FAIL_AT (from 0) since main() began,
 * once, and makes the file OCCUTUNE_FAILED then. Processes that the program starts are left alone. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                           void *);

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

static atomic_long left = -1; /* allocations until one fails; negative: none will */
static const char *failed;
static main_function *real_main;

static int fails(void)
{
    if (atomic_load(&left) < 0 || atomic_fetch_sub(&left, 1) != 0)
        return 0;
    close(open(failed, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

static int watched_main(int argc, char **argv, char **environment)
{
    const char *at = getenv("OCCUTUNE_FAIL_AT");

    void *frame;

    failed = getenv("OCCUTUNE_FAILED");
    unsetenv("LD_PRELOAD");
    backtrace(&frame,
              1); /* loads libgcc_s, without which the end of a thread aborts the process in the C library */
    if (at && failed)
        atomic_store(&left, atol(at));
    return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    start_function *start;

    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(watched_main, argc, argv, init, fini, rtld_fini, stack_end);
}

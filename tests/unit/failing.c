#include "check.h"
#include "failing.h"

static long countdown = -1; /* allocations until one fails; negative: none does */

static bool fails(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
FILE *__real_open_memstream(char **text, size_t *size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
FILE *__wrap_open_memstream(char **text, size_t *size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails() ? NULL : __real_strndup(text, size);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return fails() ? NULL : __real_open_memstream(text, size);
}

void fail_each(int (*scenario)(struct err *err))
{
    struct err err;
    long n;
    int rc = ERR_MEMORY;

    for (n = 0; n < 10000; n++) {
        err_clear(&err);
        countdown = n;
        rc = scenario(&err);
        if (countdown >= 0)
            break;
        countdown = -1;
        if (rc != ERR_MEMORY || err.code != ERR_MEMORY)
            fail_msg("allocation %ld: code %d, %s", n, rc, err.text);
    }
    countdown = -1;
    assert_int_equal(rc, 0);
    assert_true(n > 0);
}

/* Fails every allocation in turn: each call must end with ERR_MEMORY, an empty result and nothing leaked
 * (preset asan sees leaks). The linker sends the allocations of this program, not those of the libraries,
 * through the wrappers below. */
#include "check.h"

#include "base/launch.h"
#include "base/queue.h"
#include "space/configuration.h"
#include "space/space.h"
#include "space/variant.h"

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

static const char path[] = "tests/data/variant/whole.json";

/* Runs `scenario` with the first, the second, ... allocation failing, until it gets through. */
static void fail_each(int (*scenario)(struct err *err))
{
    struct err err;
    long n;
    int code;

    for (n = 0; n < 10000; n++) {
        err_clear(&err);
        countdown = n;
        code = scenario(&err);
        if (countdown >= 0)
            break;
        countdown = -1;
        if (code != ERR_MEMORY || err.code != ERR_MEMORY)
            fail_msg("allocation %ld: code %d, %s", n, code, err.text);
    }
    countdown = -1;
    assert_int_equal(code, 0);
    assert_true(n > 0);
}

static int read_spec(struct err *err)
{
    struct spec spec;
    int code = spec_read(&spec, path, SPEC_WHOLE, NULL, 0, err);

    if (code)
        assert_null(spec.document);
    spec_release(&spec);
    return code;
}

static struct spec whole;

static int open_space(struct err *err)
{
    struct space *space;
    int code = space_open(&space, &whole, 0, err);

    if (code)
        assert_null(space);
    space_close(space);
    return code;
}

static int make_variant(struct err *err)
{
    unsigned choices[SPEC_PARAMETERS_MAX] = {0};
    struct variant variant;
    int code = variant_make(&variant, &whole, 0, choices, err);

    if (!code)
        code = launch_prepare(&variant.launch, err);
    else
        assert_null(variant.options);
    variant_release(&variant);
    return code;
}

static int send_launch(struct err *err)
{
    static const unsigned choices[SPEC_PARAMETERS_MAX] = {0};
    struct variant variant;
    struct launch back;
    struct json *json;
    struct js_at at;
    int code = variant_make(&variant, &whole, 0, choices, err);

    if (code)
        return code;
    json = launch_to_json(&variant.launch);
    variant_release(&variant);
    if (!json)
        return err_memory(err);
    at = js_root(json, "launch");
    code = launch_from_json(&back, &at, err);
    js_free(json);
    launch_release(&back);
    return code;
}

static int write_key(struct err *err)
{
    static const unsigned choices[SPEC_PARAMETERS_MAX] = {0};
    char *key = configuration_key(&whole, choices), *text = key ? configuration_text(&whole, choices) : NULL;
    const int code = key && text ? 0 : err_memory(err);

    free(key);
    free(text);
    return code;
}

static void do_nothing(void *argument)
{
    (void)argument;
}

static int run_queue(struct err *err)
{
    static const unsigned threads[] = {1, 1};
    struct queue *queue;
    void *argument;
    int code = queue_open(&queue, threads, 2, err);

    if (!code)
        code = queue_submit(queue, 0, do_nothing, NULL, err);
    if (!code)
        queue_wait(queue, &argument, -1);
    queue_close(queue);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fail_each(read_spec);
    assert_int_equal(spec_read(&whole, path, SPEC_WHOLE, NULL, 0, NULL), 0);
    fail_each(open_space);
    fail_each(make_variant);
    fail_each(send_launch);
    fail_each(write_key);
    fail_each(run_queue);
    spec_release(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

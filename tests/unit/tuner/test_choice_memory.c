/* Fails every allocation of tuner/choice in turn: each call must end with ERR_MEMORY, an empty result and
 * nothing leaked (preset asan sees leaks). The linker sends the allocations of this program through the
 * wrappers below. */
#include "made_kernel.h"

#include "tuner/choice.h"

static long countdown = -1; /* allocations until one fails; negative: none does */

static bool fails(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
FILE *__real_open_memstream(char **text, size_t *size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
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

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return fails() ? NULL : __real_open_memstream(text, size);
}

static int choose(const struct decision *decision, struct err *err)
{
    struct chooser chooser;
    struct choice choice;
    int code = chooser_init(&chooser, made_path("spec.json"), &decision, 1, NULL, NULL, err);

    if (code)
        return code;
    code = chooser_find(&choice, &chooser, "first-gpu", 90, &(double){8192}, err);
    if (!code) {
        assert_int_equal(choice.fit, CHOICE_NEAREST);
        assert_int_equal(choice.launch.block[0], 64);
    }
    chooser_release(&chooser);
    return code;
}

static void survives_every_failure(void **state)
{
    struct decision decision;
    struct err err = {0};
    int code = ERR_MEMORY;
    long n;

    (void)state;
    made_decision("a.json", "First GPU", 90, "0123456789abcdef",
                  (struct made_row[]){{4096, 64, 0}, {1 << 20, 128, 0}}, 2);
    assert_int_equal(decision_read(&decision, made_path("a.json"), &err), 0);
    for (n = 0; code && n < 10000; n++) {
        err_clear(&err);
        countdown = n;
        code = choose(&decision, &err);
        if (code)
            assert_int_equal(code, ERR_MEMORY);
        assert_int_equal(code, err.code);
    }
    countdown = -1;
    assert_int_equal(code, 0);
    assert_true(n > 20);
    decision_release(&decision);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(survives_every_failure, made_set_up, made_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* base/json while memory ends inside Jansson: each of its allocations fails in turn, in reading and in
 * writing. A parse that lost a byte, or a message about the text, is a failure. */
#include "check.h"

#include "base/json.h"

/* Jansson's, whose header one file alone includes. */
void json_set_alloc_funcs(void *(*own_malloc)(size_t size), void (*own_free)(void *old));

static long countdown = -1; /* allocations until one fails; negative: none does */

static void *failing_malloc(size_t size)
{
    return countdown >= 0 && countdown-- == 0 ? NULL : malloc(size);
}

/* Before base/json has a look at which functions there are. */
__attribute__((constructor(101))) static void fail_when_told(void)
{
    json_set_alloc_funcs(failing_malloc, free);
}

static char *make_text(void)
{
    char *text = calloc(1, 1 << 16);
    size_t used = 1;

    assert_non_null(text);
    text[0] = '{';
    for (int i = 0; i < 40; i++)
        used += (size_t)sprintf(
            text + used,
            "%s\"THREADS_and_a_long_key_\\u00e9%d\": [1, 2.5, \"a\\u20ac%0200d\", {\"x\": null}]",
            i ? "," : "", i, i);
    text[used] = '}';
    return text;
}

static void what_is_read_is_whole(void **state)
{
    char *text = make_text();
    struct json *json;
    long n;

    for (n = 0;; n++) {
        struct err err = {0};
        int rc;

        countdown = n;
        rc = js_read_text(&json, text, strlen(text), "text", &err);
        if (countdown >= 0)
            break;
        assert_int_equal(rc, ERR_MEMORY);
        assert_string_equal(err.text, "out of memory");
        assert_null(json);
    }
    countdown = -1;
    assert_true(n > 200);
    js_free(json);
    free(text);
}

static void what_is_written_is_whole(void **state)
{
    char *text = make_text(), *wanted, *found;
    struct json *json;
    long n;

    assert_int_equal(js_read_text(&json, text, strlen(text), "text", NULL), 0);
    wanted = js_text(json, JS_PRETTY);
    assert_non_null(wanted);
    for (n = 0;; n++) {
        countdown = n;
        found = js_text(json, JS_PRETTY);
        if (countdown >= 0)
            break;
        assert_null(found);
    }
    countdown = -1;
    assert_true(n > 1);
    assert_string_equal(found, wanted);
    free(found);
    free(wanted);
    js_free(json);
    free(text);
}

int main(void)
{
    return RUN_TESTS(what_is_read_is_whole, what_is_written_is_whole);
}

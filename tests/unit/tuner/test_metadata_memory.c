/* Whether a journal is of a spec and its sizes, while memory ends inside Jansson: that is said, and no journal
 * is called another problem's for it. */
#include "check.h"

#include "gpu/power.h"
#include "tuner/journal/metadata.h"

#include <unistd.h>

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

static struct journal *open_journal(const struct spec *spec, const char *path)
{
    const struct protocol protocol = {.samples_min = 3};
    struct journal *journal = NULL;
    struct device device;
    struct power power;
    struct json *head;
    struct err err = {0};

    device_init(&device);
    power_init(&power);
    check_ok(metadata_new(&head, spec, 0, &device, &power, "13.0", &protocol, &err) ||
                 journal_open(&journal, path, head, &err),
             &err);
    js_free(head);
    device_release(&device);
    return journal;
}

static void no_size_is_another_for_want_of_memory(void **state)
{
    char path[] = "/tmp/metadata-XXXXXX";
    struct journal *journal = NULL;
    struct err err = {0};
    struct spec spec;
    long n = 0;
    int file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    unlink(path);
    check_ok(spec_read(&spec, "kernels/vector_add/spec.json", SPEC_WHOLE, NULL, 0, &err), &err);
    journal = open_journal(&spec, path);
    for (;; n++) {
        int rc;

        err = (struct err){0};
        countdown = n;
        rc = metadata_check(journal, &spec, 0, &err);
        if (countdown >= 0)
            break;
        if (rc)
            assert_int_equal(rc, ERR_MEMORY);
    }
    countdown = -1;
    assert_int_equal(metadata_check(journal, &spec, 0, &err), 0);
    assert_true(n > 3);
    journal_free(journal);
    unlink(path);
    spec_release(&spec);
}

int main(void)
{
    return RUN_TESTS(no_size_is_another_for_want_of_memory);
}

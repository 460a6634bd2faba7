/* Every allocation of base/ and space/ may fail. */
#include "check.h"
#include "failing.h"

#include "launch/launch.h"
#include "base/queue.h"
#include "space/configuration.h"
#include "space/space.h"
#include "space/variant.h"

static const char path[] = "tests/data/variant/whole.json";

static int read_spec(struct err *err)
{
    struct spec spec;
    int rc = spec_read(&spec, path, SPEC_WHOLE, NULL, 0, err);

    if (rc)
        assert_null(spec.document);
    spec_release(&spec);
    return rc;
}

static int read_listed(struct err *err)
{
    static const char text[] = "{\"parameters\": {\"A\": [1, 2], \"B\": [1, 2, 3]}, "
                               "\"configurations\": [[2, 3], [1, 1], [2, 1]]}";
    struct space *space = NULL;
    struct spec spec;
    int rc = spec_read_text(&spec, text, sizeof text - 1, "listed", SPEC_SPACE, NULL, 0, err);

    if (!rc)
        rc = space_open(&space, &spec, 0, err);
    if (!rc)
        assert_int_equal(space_count(space), 3);
    space_close(space);
    spec_release(&spec);
    return rc;
}

static struct spec whole;

static int open_space(struct err *err)
{
    struct space *space;
    int rc = space_open(&space, &whole, 0, err);

    if (rc)
        assert_null(space);
    space_close(space);
    return rc;
}

static int make_variant(struct err *err)
{
    unsigned choices[SPEC_PARAMETERS_MAX] = {0};
    struct variant variant;
    int rc = variant_make(&variant, &whole, 0, choices, err);

    if (!rc)
        rc = launch_prepare(&variant.launch, err);
    else
        assert_null(variant.options);
    variant_release(&variant);
    return rc;
}

static int send_launch(struct err *err)
{
    static const unsigned choices[SPEC_PARAMETERS_MAX] = {0};
    struct variant variant;
    struct launch back;
    struct json *json;
    struct js_at at;
    int rc = variant_make(&variant, &whole, 0, choices, err);

    if (rc)
        return rc;
    json = launch_to_json(&variant.launch);
    variant_release(&variant);
    if (!json)
        return err_memory(err);
    at = js_root(json, "launch");
    rc = launch_from_json(&back, &at, err);
    js_free(json);
    launch_release(&back);
    return rc;
}

static int write_key(struct err *err)
{
    static const unsigned choices[SPEC_PARAMETERS_MAX] = {0};
    char *key = configuration_key(&whole, choices), *text = key ? configuration_text(&whole, choices) : NULL;
    const int rc = key && text ? 0 : err_memory(err);

    free(key);
    free(text);
    return rc;
}

static void do_nothing(void *argument)
{
}

static int run_queue(struct err *err)
{
    static const unsigned threads[] = {1, 1};
    struct queue *queue;
    void *argument;
    int rc = queue_open(&queue, threads, 2, err);

    if (!rc)
        rc = queue_submit(queue, 0, do_nothing, NULL, err);
    if (!rc)
        queue_wait(queue, &argument, -1);
    queue_close(queue);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    fail_each(read_spec);
    fail_each(read_listed);
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
    return RUN_TESTS(every_allocation_may_fail);
}

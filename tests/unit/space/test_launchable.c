#include "check.h"
#include "space/launchable.h"

static int check(const char *parameters, const char *grid, struct err *err)
{
    struct space *space;
    struct spec spec;
    char text[700];
    int rc;

    snprintf(text, sizeof text,
             "{\"kernel\": {\"file\": \"tests/data/spec/kernel.cu\", \"name\": \"k\"}, \"parameters\": %s, "
             "\"problem\": {\"N\": 0}, \"launch\": {\"grid\": [\"%s\"], \"block\": [\"A\"]}, "
             "\"arguments\": [{\"scalar\": \"int32\", \"value\": \"N\"}]}",
             parameters, grid);
    assert_int_equal(spec_read_text(&spec, text, strlen(text), "t.json", SPEC_WHOLE, NULL, 0, NULL), 0);
    assert_int_equal(space_open(&space, &spec, 0, NULL), 0);
    rc = space_launchable(space, &spec, 0, 0, err);
    space_close(space);
    spec_release(&spec);
    return rc;
}

static void no_launch_anywhere_is_the_problems_fault(void **state)
{
    struct err err = {0};

    assert_int_equal(check("{\"A\": [32, 64]}", "ceil_div(N, A)", &err), ERR_USAGE);
    assert_string_equal(err.text, "t.json: no configuration can be launched at this problem size: "
                                  "launch.grid[0]: \"ceil_div(N, A)\" is 0, expected 1 to 4294967295");
}

static void one_launch_is_enough(void **state)
{
    struct err err = {0};

    assert_int_equal(check("{\"A\": [32, 64, 128]}", "A // 128", &err), 0);
    assert_int_equal(check("{\"A\": [32, 64, 128]}", "N + 1", &err), 0);
    assert_int_equal(err.code, 0);
}

static int check_problems(const char *problems, uint64_t memory_bytes, struct err *err)
{
    struct spec spec;
    char text[700];
    int rc;

    snprintf(text, sizeof text,
             "{\"kernel\": {\"file\": \"tests/data/spec/kernel.cu\", \"name\": \"k\"}, \"parameters\": "
             "{\"A\": [32, 64]}, \"constraints\": [\"A <= N + 64\"], \"problem\": %s, "
             "\"launch\": {\"grid\": [\"ceil_div(N, A)\"], \"block\": [\"A\"]}, "
             "\"arguments\": [{\"buffer\": \"float32\", \"name\": \"a\", \"role\": \"out\", "
             "\"length\": \"1024 * A * abs(N)\"}]}",
             problems);
    assert_int_equal(spec_read_text(&spec, text, strlen(text), "t.json", SPEC_WHOLE, NULL, 0, NULL), 0);
    rc = space_check_problems(&spec, memory_bytes, NULL, err);
    spec_release(&spec);
    return rc;
}

static void the_problem_at_fault_is_named_as_the_file_lists_it(void **state)
{
    struct err launch = {0}, valid = {0}, none = {0};

    assert_int_equal(check_problems("[{\"N\": 8}, {\"N\": 8}, {\"N\": 0}, {\"N\": 9}]", 0, &launch),
                     ERR_USAGE);
    assert_string_equal(launch.text,
                        "problem[2] (N=0): t.json: no configuration can be launched at this problem size: "
                        "launch.grid[0]: \"ceil_div(N, A)\" is 0, expected 1 to 4294967295");
    assert_int_equal(check_problems("[{\"N\": 8}, {\"N\": -64}]", 0, &valid), ERR_USAGE);
    assert_string_equal(valid.text, "problem[1] (N=-64): t.json: constraints[0]: no configuration is valid; "
                                    "\"A <= N + 64\" removes most");
    assert_int_equal(check_problems("[{\"N\": 8}, {\"N\": 9}]", 0, &none), 0);
}

/* The default takes 128 KiB times N, the other configuration twice as much. */
static void buffers_of_some_configuration_must_fit(void **state)
{
    struct err err = {0};

    assert_int_equal(check_problems("[{\"N\": 1}, {\"N\": 8}]", 1 << 20, &err), 0);
    assert_int_equal(check_problems("[{\"N\": 1}, {\"N\": 65536}]", 1 << 30, &err), ERR_USAGE);
    assert_string_equal(
        err.text, "problem[1] (N=65536): t.json: no configuration can be launched at this problem size: "
                  "arguments: the buffers take 8 GiB, the device has 1: make the problem smaller with --set");
}

int main(void)
{
    return RUN_TESTS(no_launch_anywhere_is_the_problems_fault, one_launch_is_enough,
                     the_problem_at_fault_is_named_as_the_file_lists_it,
                     buffers_of_some_configuration_must_fit);
}

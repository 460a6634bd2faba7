/* Decisions read through the shared library, as an application does. */
#include "check.h"

#include <occutune.h>

#include <unistd.h>

static occutune_decision *load(const char *path)
{
    struct occutune_error error = {0};
    occutune_decision *decision;

    if (occutune_load(&decision, path, &error))
        fail_msg("%s", error.text);
    return decision;
}

static void tells_what_a_decision_is_of(void **state)
{
    occutune_decision *decision = load("tests/header/example.json");

    assert_string_equal(occutune_level(decision), "live");
    assert_string_equal(occutune_device(decision), "Example GPU");
    assert_int_equal(occutune_size_count(decision), 1);
    assert_string_equal(occutune_size_name(decision, 0), "N");
    assert_null(occutune_size_name(decision, 1));
    assert_int_equal(occutune_row_count(decision), 2);
    assert_true(occutune_version()[0] >= '0' && occutune_version()[0] <= '9');
    occutune_free(decision);
    occutune_free(NULL);
}

static void gives_the_rows(void **state)
{
    struct occutune_configuration row;
    struct occutune_error error = {0};
    occutune_decision *decision = load("tests/header/example.json");

    assert_int_equal(occutune_row(&row, decision, 1, &error), 0);
    assert_string_equal(row.device, "Example GPU");
    assert_int_equal(row.sm, 90);
    check_near(row.sizes[0], 1048576, 0);
    check_near(row.time_s, 0.5e-3, 1e-12);
    check_near(row.speedup, 3, 1e-12);
    assert_int_equal(occutune_row(&row, decision, 2, &error), OCCUTUNE_USAGE);
    assert_string_equal(error.text, "tests/header/example.json: there is no row 2 of 2");
    assert_null(row.device);
    occutune_free(decision);
}

static void finds_the_nearest_size(void **state)
{
    const double small = 2000, large = 1e6;
    struct occutune_configuration best;
    struct occutune_error error = {0};
    occutune_decision *decision = load("tests/header/example.json");

    assert_int_equal(occutune_best(&best, decision, "Example GPU", 90, &small, &error), 0);
    assert_int_equal(best.row, 0);
    assert_int_equal(occutune_best(&best, decision, "another", 90, &large, &error), 0);
    assert_int_equal(best.row, 1);
    assert_int_equal(occutune_best(&best, decision, "another", 80, &large, &error), OCCUTUNE_MISSING);
    assert_string_equal(error.text, "tests/header/example.json: holds nothing for another");
    occutune_free(decision);
}

static void gives_parameters_by_name_and_kind(void **state)
{
    struct occutune_configuration row;
    struct occutune_error error = {0};
    occutune_decision *decision = load("tests/header/example.json");
    const char *text;
    int64_t integer;
    double real;

    assert_int_equal(occutune_row(&row, decision, 1, &error), 0);
    assert_int_equal(occutune_integer(&integer, &row, "THREADS", &error), 0);
    assert_int_equal(integer, 256);
    assert_int_equal(occutune_integer(&integer, &row, "FAST_MATH", &error), 0);
    assert_int_equal(integer, 1);
    assert_int_equal(occutune_real(&real, &row, "SCALE", &error), 0);
    check_near(real, 1, 0);
    assert_int_equal(occutune_real(&real, &row, "ITEMS", &error), 0);
    check_near(real, 4, 0);
    assert_int_equal(occutune_integer(&integer, &row, "SCALE", &error), OCCUTUNE_USAGE);
    assert_string_equal(error.text, "parameter SCALE is no integer");
    assert_int_equal(occutune_text(&text, &row, "THREADS", &error), OCCUTUNE_USAGE);
    assert_string_equal(error.text, "parameter THREADS is no text");
    assert_null(text);
    assert_int_equal(occutune_integer(&integer, &row, "TREADS", &error), OCCUTUNE_USAGE);
    assert_string_equal(error.text, "tests/header/example.json: kernel scale has no parameter TREADS");
    occutune_free(decision);
}

static void what_is_saved_is_read_again(void **state)
{
    struct occutune_error error = {0};
    occutune_decision *decision = load("tests/header/example.json"), *again;
    char path[] = "/tmp/occutune-library-XXXXXX";

    close(mkstemp(path));
    assert_int_equal(occutune_save(decision, path, &error), 0);
    again = load(path);
    assert_int_equal(occutune_row_count(again), 2);
    unlink(path);
    assert_int_equal(occutune_save(decision, "/nowhere/decision.json", &error), OCCUTUNE_USAGE);
    assert_string_equal(error.text, "/nowhere/decision.json: cannot be written: No such file or directory");
    occutune_free(again);
    occutune_free(decision);
}

/* Whichever of its pointers is null, and whether the error is wanted or not. */
static void a_null_is_an_error(void **state)
{
    const char *const spec = "tests/golden/kernels/scale.json";
    struct occutune_options options;
    struct occutune_configuration row = {0};
    struct occutune_error error = {0};
    struct occutune_launch launch;
    occutune_decision *decision = load("tests/header/example.json"), *none = NULL, *made;
    occutune_kernel *kernel;
    const double size = 1;
    const char *text;
    int64_t integer;
    double real;

    occutune_options_init(&options);
    assert_int_equal(occutune_tune(NULL, spec, &options, &error), OCCUTUNE_USAGE);
    assert_string_equal(error.text, "out is null: give one");
    assert_int_equal(occutune_tune(&made, NULL, &options, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_tune(&made, spec, NULL, NULL), OCCUTUNE_USAGE);
    options.set_count = 1;
    assert_int_equal(occutune_tune(&made, spec, &options, NULL), OCCUTUNE_USAGE);
    assert_null(made);
    assert_int_equal(occutune_load(NULL, spec, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_load(&made, NULL, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_save(NULL, "/tmp/none.json", NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_save(decision, NULL, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_row(NULL, decision, 0, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_row(&row, NULL, 0, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_integer(&integer, &row, "ITEMS", NULL), OCCUTUNE_USAGE); /* it is empty */
    assert_int_equal(occutune_best(NULL, decision, NULL, 0, &size, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_best(&row, NULL, NULL, 0, &size, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_best(&row, decision, NULL, 0, NULL, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_best(&row, decision, NULL, 0, &size, NULL), 0);
    assert_int_equal(occutune_integer(NULL, &row, "ITEMS", NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_real(&real, NULL, "ITEMS", NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_text(&text, &row, NULL, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_open(NULL, spec, NULL, 0, NULL, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_open(&kernel, NULL, NULL, 0, NULL, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_open(&kernel, spec, NULL, 1, NULL, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_open(&kernel, spec, &none, 1, NULL, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_get(&launch, NULL, &size, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_choose(&launch, NULL, NULL, 0, &size, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_open(&kernel, spec, NULL, 0, NULL, &error), 0);
    assert_int_equal(occutune_kernel_get(NULL, kernel, &size, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_choose(NULL, kernel, NULL, 0, &size, NULL), OCCUTUNE_USAGE);
    assert_int_equal(occutune_kernel_choose(&launch, kernel, NULL, 0, NULL, &error), OCCUTUNE_USAGE);
    assert_string_equal(error.text, "sizes is null: give the problem's, 1 of them");
    occutune_kernel_close(kernel);
    occutune_free(decision);
}

int main(void)
{
    return RUN_TESTS(tells_what_a_decision_is_of, gives_the_rows, finds_the_nearest_size,
                     gives_parameters_by_name_and_kind, what_is_saved_is_read_again, a_null_is_an_error);
}

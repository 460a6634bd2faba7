/* Bad specs are data: every folder of tests/data/spec holds one beside the exact message it gets.
 * OCCUTUNE_REFRESH=1 in the environment writes the messages anew. */
#include "check.h"

#include "space/spec.h"

#include <dirent.h>
#include <unistd.h>

#define CASES "tests/data/spec"

static int is_case(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
}

/* The first line of a file, or an empty text. */
static void read_line(char *out, size_t size, const char *path)
{
    FILE *file = fopen(path, "r");

    out[0] = '\0';
    if (!file)
        return;
    if (!fgets(out, (int)size, file))
        out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    fclose(file);
}

static void write_line(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "%s\n", text);
    assert_int_equal(fclose(file), 0);
}

static bool case_holds(const char *name)
{
    char wanted[1024];
    struct err err = {0};
    struct spec spec;
    int rc = spec_read(&spec, "spec.json", SPEC_WHOLE, NULL, 0, &err);

    spec_release(&spec);
    if (getenv("OCCUTUNE_REFRESH"))
        write_line("expected", err.text);
    read_line(wanted, sizeof wanted, "expected");
    if (rc == ERR_USAGE && !strcmp(err.text, wanted))
        return true;
    print_error("%s: code %d\n   got: %s\nwanted: %s\n", name, rc, err.text, wanted);
    return false;
}

static void bad_specs_get_their_message(void **state)
{
    struct dirent **cases;
    char root[4096], path[4352];
    int count = scandir(CASES, &cases, is_case, alphasort), i, failed = 0;

    assert_true(count > 50);
    assert_non_null(getcwd(root, sizeof root));
    for (i = 0; i < count; i++) {
        snprintf(path, sizeof path, CASES "/%s", cases[i]->d_name);
        assert_int_equal(chdir(path), 0);
        failed += !case_holds(cases[i]->d_name);
        assert_int_equal(chdir(root), 0);
        free(cases[i]);
    }
    free(cases);
    assert_int_equal(failed, 0);
}

static int read_with(struct spec *spec, const char *text, const char *const *sets, size_t set_count,
                     struct err *err)
{
    *err = (struct err){0};
    return spec_read_text(spec, text, strlen(text), "t.json", SPEC_SPACE, sets, set_count, err);
}

static const char sizes[] =
    "{\"parameters\": {\"A\": [1]}, \"problem\": [{\"M\": 4, \"N\": \"2 * M\"}, {\"N\": 3, \"M\": 7}]}";

static void sizes_come_from_sizes_before_them(void **state)
{
    char text[64];
    struct spec spec;
    struct err err;

    assert_int_equal(read_with(&spec, sizes, NULL, 0, &err), 0);
    assert_int_equal(spec.problem_count, 2);
    spec_problem_text(text, sizeof text, &spec, 0);
    assert_string_equal(text, "M=4 N=8");
    spec_problem_text(text, sizeof text, &spec, 1);
    assert_string_equal(text, "M=7 N=3");
    assert_int_equal(spec_problem_text(text, 6, &spec, 1), 7);
    assert_string_equal(text, "M=7 N");
    spec_release(&spec);
}

static void sizes_can_be_set_from_outside(void **state)
{
    static const char *const sets[] = {"M=100", "M=10"}, *const expression[] = {"N=M + 1"};
    struct spec spec;
    struct err err;
    uint64_t hash;

    assert_int_equal(read_with(&spec, sizes, sets, 2, &err), 0);
    assert_int_equal(spec.problems[0][0].integer, 10);
    assert_int_equal(spec.problems[0][1].integer, 20);
    assert_int_equal(spec.problems[1][0].integer, 10);
    hash = spec.hash;
    spec_release(&spec);
    assert_int_equal(read_with(&spec, sizes, expression, 1, &err), 0);
    assert_int_equal(spec.problems[1][1].integer, 8);
    assert_true(spec.hash != hash);
    spec_release(&spec);
}

static void sizes_made_equal_are_one_problem(void **state)
{
    static const char text[] =
        "{\"parameters\": {\"A\": [1]}, \"problem\": [{\"M\": 1, \"N\": 2}, {\"M\": 3, \"N\": 4},"
        " {\"M\": 1, \"N\": 6}, {\"M\": 3, \"N\": 4.0}]}";
    static const char *const sets[] = {"N=5"};
    struct spec spec;
    struct err err;

    assert_int_equal(read_with(&spec, text, sets, 1, &err), 0);
    assert_int_equal(spec.problem_count, 2);
    assert_int_equal(spec.problems[0][0].integer, 1);
    assert_int_equal(spec.problems[1][0].integer, 3);
    spec_release(&spec);
    assert_int_equal(read_with(&spec, text, NULL, 0, &err), 0);
    assert_int_equal(spec.problem_count, 3);
    assert_int_equal(spec.problems[2][1].integer, 6);
    spec_release(&spec);
}

static void bad_sizes_from_outside_are_explained(void **state)
{
    static const char *const samples[][2] = {
        {"K=3", "--set K=3: names no problem size of t.json; write SIZE=VALUE of M, N"},
        {"M", "--set M: names no problem size of t.json; write SIZE=VALUE of M, N"},
        {"N=M / 0", "--set N=M / 0: column 3: division by zero"},
        {"M=", "--set M=: column 1: the expression ends where a value is expected"},
        {"M=N", "--set M=N: column 1: unknown name N"},
    };
    struct spec spec;
    struct err err;

    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        assert_int_equal(read_with(&spec, sizes, samples[k], 1, &err), ERR_USAGE);
        assert_string_equal(err.text, samples[k][1]);
        assert_null(spec.parameters);
    }
}

static void a_missing_spec_says_so(void **state)
{
    struct err err = {0};
    struct spec spec;

    assert_int_equal(spec_read(&spec, "absent/spec.json", SPEC_WHOLE, NULL, 0, &err), ERR_USAGE);
    assert_string_equal(err.text, "absent/spec.json: cannot be read: No such file or directory");
    spec_release(&spec);
}

static void a_space_alone_is_no_whole_spec(void **state)
{
    static const char text[] = "{\"parameters\": {\"A\": [1]}}";
    struct err err = {0};
    struct spec spec;

    assert_int_equal(spec_read_text(&spec, text, sizeof text - 1, "t.json", SPEC_SPACE, NULL, 0, &err), 0);
    assert_null(spec.kernel.path);
    assert_int_equal(spec.problem_count, 1);
    check_near(spec.relative, 1e-5, 0);
    spec_release(&spec);
    assert_int_equal(spec_read_text(&spec, text, sizeof text - 1, "t.json", SPEC_WHOLE, NULL, 0, &err),
                     ERR_USAGE);
    assert_string_equal(err.text, "t.json: the field \"kernel\" is missing");
}

int main(void)
{
    return RUN_TESTS(bad_specs_get_their_message, sizes_come_from_sizes_before_them,
                     sizes_can_be_set_from_outside, sizes_made_equal_are_one_problem,
                     bad_sizes_from_outside_are_explained, a_missing_spec_says_so,
                     a_space_alone_is_no_whole_spec);
}

/* validation/program: the options of the programs over recordings. */
#include "check.h"

#include "validation/program.h"

struct given {
    const char *output;
    unsigned jobs;
    bool points;
};

/* Reads a command line of up to seven words. */
static int read_words(struct given *given, char *words[8])
{
    const struct program_option options[] = {{"output", .text = &given->output},
                                             {"jobs", .number = &given->jobs},
                                             {"points", .flag = &given->points},
                                             {0}};
    int count = 0;

    while (words[count])
        count++;
    return program_options(count, words, options);
}

static void options_are_taken_from_anywhere(void **state)
{
    struct given given = {.jobs = 2};
    char *words[8] = {"validation", "--points", "first", "--output", "name", "--jobs=16", "second"};

    assert_int_equal(read_words(&given, words), 5);
    assert_string_equal(words[5], "first");
    assert_string_equal(words[6], "second");
    assert_string_equal(given.output, "name");
    assert_int_equal(given.jobs, 16);
    assert_true(given.points);
}

static void what_is_not_given_stays(void **state)
{
    struct given given = {.output = "name", .jobs = 2};
    char *words[8] = {"validation"};

    assert_int_equal(read_words(&given, words), 1);
    assert_string_equal(given.output, "name");
    assert_int_equal(given.jobs, 2);
    assert_false(given.points);
}

static void wrong_use_is_refused(void **state)
{
    static char *const jobs[] = {"0", "-1", "+1", " 1", "2x", "", "4294967296", "99999999999999999999"};
    struct given given = {0};
    char *unknown[8] = {"validation", "--nothing"}, *missing[8] = {"validation", "--output"};

    assert_int_equal(read_words(&given, unknown), -1);
    assert_int_equal(read_words(&given, missing), -1);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        assert_int_equal(read_words(&given, (char *[8]){"validation", "--jobs", jobs[i]}), -1);
}

int main(void)
{
    return RUN_TESTS(options_are_taken_from_anywhere, what_is_not_given_stays, wrong_use_is_refused);
}

/* gpu/sources: what changes the hash of a source and what does not. */
#include "check.h"
#include "gpu/sources.h"

#include <sys/stat.h>

static char directory[] = "/tmp/occutune-sources-XXXXXX";

static const char *in_directory(const char *name)
{
    static char paths[4][200];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_directory(name), "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static uint64_t hash_of(const char *text, const char *const *options, size_t count, bool *complete)
{
    struct err err = {0};
    uint64_t hash;
    bool whole;

    if (sources_hash(&hash, complete ? complete : &whole, in_directory("k.cu"), text, options, count, &err))
        fail_msg("%s", err.text);
    return hash;
}

static void test_headers(void **state)
{
    char include[300];
    const char *options[] = {"-I", include, "-DX=1"}, *joined[] = {include};
    const char *text = "#include \"a.h\"\n  #  include <deep.h>\n#include <cuda_fp16.h>\n";
    uint64_t before;

    (void)state;
    snprintf(include, sizeof include, "%s/sub", directory);
    mkdir(include, 0700);
    write_text("a.h", "#include \"b.h\"\n#include \"a.h\"\n");
    write_text("b.h", "one");
    write_text("sub/deep.h", "one");
    before = hash_of(text, options, 3, NULL);
    assert_true(before == hash_of(text, options, 3, NULL));
    write_text("b.h", "two"); /* included by a header */
    assert_true(before != hash_of(text, options, 3, NULL));
    write_text("b.h", "one");
    write_text("sub/deep.h", "two"); /* found through -I */
    assert_true(before != hash_of(text, options, 3, NULL));
    snprintf(include, sizeof include, "-I%s/sub", directory);
    before = hash_of(text, joined, 1, NULL);
    write_text("sub/deep.h", "one");
    assert_true(before != hash_of(text, joined, 1, NULL));
    options[2] = "-DX=2";
    assert_true(hash_of("", options + 2, 1, NULL) != hash_of("", options + 2, 0, NULL));
}

static void test_forced_header(void **state)
{
    char option[300];
    const char *options[] = {option};
    uint64_t before;

    (void)state;
    snprintf(option, sizeof option, "--pre-include=%s", in_directory("forced.h"));
    write_text("forced.h", "one");
    before = hash_of("", options, 1, NULL);
    write_text("forced.h", "two");
    assert_true(before != hash_of("", options, 1, NULL));
}

static void test_what_only_the_compiler_knows(void **state)
{
    bool complete;

    (void)state;
    hash_of("#include \"nowhere.h\"\n#include <nowhere>\n#include \"unclosed\n", NULL, 0, &complete);
    assert_true(complete);
    hash_of("#define H \"a.h\"\n#include H\n", NULL, 0, &complete);
    assert_false(complete);
    hash_of("#if __has_include(\"a.h\")\n#endif\n", NULL, 0, &complete);
    assert_false(complete);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_headers), cmocka_unit_test(test_forced_header),
                                       cmocka_unit_test(test_what_only_the_compiler_knows)};
    char command[100];
    int failed;

    if (!mkdtemp(directory))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command) || failed;
}

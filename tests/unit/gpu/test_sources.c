/* gpu/sources: what changes the hash of a source and what does not. */
#include "check.h"
#include "base/hash.h"
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

/* `tuned` of the options are a variant's. */
static struct sources_hash hashes_of(const char *text, const char *const *options, size_t count, size_t tuned)
{
    const struct compile_request request = {.source_path = in_directory("k.cu"),
                                            .name = "k<WIDTH>",
                                            .arch = "sm_90",
                                            .options = options,
                                            .option_count = count,
                                            .tuned_count = tuned};
    struct sources_hash hash;
    struct err err = {0};

    check_ok(sources_hash(&hash, &request, text, &err), &err);
    return hash;
}

static uint64_t hash_of(const char *text, const char *const *options, size_t count, bool *complete)
{
    const struct sources_hash hash = hashes_of(text, options, count, 0);

    assert_true(hash.code == hash.all); /* none of the options is tuned */
    if (complete)
        *complete = hash.complete;
    return hash.all;
}

static void test_headers(void **state)
{
    char include[300];
    const char *options[] = {"-I", include, "-DX=1"}, *joined[] = {include};
    const char *text = "#include \"a.h\"\n  #  include <deep.h>\n#include <cuda_fp16.h>\n";
    uint64_t before;

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

    snprintf(option, sizeof option, "--pre-include=%s", in_directory("forced.h"));
    write_text("forced.h", "one");
    before = hash_of("", options, 1, NULL);
    write_text("forced.h", "two");
    assert_true(before != hash_of("", options, 1, NULL));
}

/* However it is spelled, what it includes counts. */
static void test_spellings_of_include(void **state)
{
    static const char *const spellings[] = {"# include \"b.h\"",
                                            "\f#\v include \"b.h\"",
                                            "%:include \"b.h\"",
                                            "\?\?=include \"b.h\"",
                                            "/* */ #include \"b.h\"",
                                            "/*\n */ /* */#include \"b.h\" /* */",
                                            "# /* */ /**/ include/* */\"b.h\"",
                                            "int a; /* a\n# b */ #include \"b.h\""};

    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++) {
        uint64_t before;

        write_text("b.h", "one");
        before = hash_of(spellings[k], NULL, 0, NULL);
        write_text("b.h", "two");
        if (before == hash_of(spellings[k], NULL, 0, NULL))
            fail_msg("not followed: %s", spellings[k]);
    }
}

static void test_what_only_the_compiler_knows(void **state)
{
    FILE *file;
    bool complete;

    hash_of("#include \"nowhere.h\"\n#include <nowhere>\n#include \"unclosed\n", NULL, 0, &complete);
    assert_true(complete);
    hash_of("#define H \"a.h\"\n#include H\n", NULL, 0, &complete);
    assert_false(complete);
    hash_of("#if __has_include(\"a.h\")\n#endif\n", NULL, 0, &complete);
    assert_false(complete);
    file = fopen(in_directory("zero.h"), "w");
    assert_non_null(file);
    assert_int_equal(fwrite("a\0b", 1, 3, file), 3);
    fclose(file);
    hash_of("#include \"zero.h\"\n", NULL, 0, &complete);
    assert_false(complete);
}

/* Whether -D`macro`=1 and =2 give one code, beside another tuned option. */
static bool is_left_out(const char *text, const char *macro, const char *beside)
{
    char one[100], two[100];
    const char *a[] = {"--std=c++17", beside, one}, *b[] = {"--std=c++17", beside, two};
    struct sources_hash x, y;

    snprintf(one, sizeof one, "-D%s=1", macro);
    snprintf(two, sizeof two, "-D%s=2", macro);
    x = hashes_of(text, a, 3, 2);
    y = hashes_of(text, b, 3, 2);
    assert_true(x.all != y.all);
    return x.code == y.code;
}

static void test_macros_that_nobody_reads(void **state)
{
    static const char *const read[] = {
        "int a = WARPS;",
        "#if WARPS > 4\n#endif",
        "#ifdef WARPS\n#endif",
        "#if defined(WARPS)\n#endif",
        "_Pragma(\"unroll WARPS\")",
        "// WARPS, though a comment is never read",
        "WARPS",
        "#define PASTE(a, b) a##b\nint a = PASTE(WAR, PS);",
        "#define PASTE(a, b) a\\\n##b\nint a = PASTE(WAR, PS);",
        "#define PASTE(a, b) a#\\\n#b\nint a = PASTE(WAR, PS);",
        "#define PASTE(a, b) a%:%:b\nint a = PASTE(WAR, PS);",
        "#define PASTE(a, b) a\?\?=\?\?=b\nint a = PASTE(WAR, PS);",
        "int a = WAR\\\nPS;",
        "int a = WAR\\ \t\r\nPS;",
        "int a = WAR\?\?/\nPS;",
        "#include \"reads.h\"\n",
        "#include \"deep/reads.h\"\n",
        "#include \"through.h\"\n",
        "#include <cuda_fp16.h>\n",
        "#include \"nowhere.h\"\n",
        "#define H \"reads.h\"\n#include H\n",
        "/* */ #include \"reads.h\"\n",
        "# /* */ include \"reads.h\"\n",
        "#inc\\\nlude \"reads.h\"\n",
        "# \\\n include \"reads.h\"\n",
        "%:include \"reads.h\"\n",
        "#import \"reads.h\"\n",
        "import \"reads.h\";\n",
        "#if __has_include(\"reads.h\")\n#endif\n",
    };
    static const char *const unread[] = {
        "",
        "int WARPS_ = 1, MY_WARPS = 2, WARPS2 = 3;",
        "#define TWICE(a) \\\n    (2 * (a))\nint a = TWICE(2);",
        "#define TWICE(a)\\\n    (2 * (a))\nint a = TWICE(2);",
        "#define TEXT(a) #a\nconst char *a = TEXT(b \\n c);",
        "#include \"other.h\"\n#include \"other.h\"\n",
    };
    char folder[300];

    snprintf(folder, sizeof folder, "%s/deep", directory);
    mkdir(folder, 0700);
    write_text("reads.h", "static const int warps = WARPS;\n");
    write_text("deep/reads.h", "static const int warps = WARPS;\n");
    write_text("through.h", "#include \"deep/reads.h\"\n");
    write_text("other.h", "static const int other = 1;\n");
    for (size_t k = 0; k < sizeof read / sizeof *read; k++)
        if (is_left_out(read[k], "WARPS", "-DTILE=4"))
            fail_msg("left out of: %s", read[k]);
    for (size_t k = 0; k < sizeof unread / sizeof *unread; k++)
        if (!is_left_out(unread[k], "WARPS", "-DTILE=4"))
            fail_msg("not left out of: %s", unread[k]);
}

static void test_macros_that_others_may_read(void **state)
{
    static const char *const names[] = {"_WARPS",
                                        "__WARPS",
                                        "NDEBUG",
                                        "NULL",
                                        "true",
                                        "false",
                                        "nullptr",
                                        "CUDA_WARPS",
                                        "CUDART_WARPS",
                                        "NV_WARPS",
                                        "WIDTH" /* stands in the kernel's name */,
                                        "WARPS(a)",
                                        "WARPS,"};
    static const char *const beside[] = {"-DTILE=WARPS", "-DTILE=2*WARPS", "-UWARPS", "-DWARPS=3",
                                         "-DPASTE(a,b)=a##b"};
    char forced[300], value[2][100];

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (is_left_out("", names[k], "-DTILE=4"))
            fail_msg("left out: %s", names[k]);
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++)
        if (is_left_out("", "WARPS", beside[k]))
            fail_msg("left out beside %s", beside[k]);
    write_text("reads.h", "static const int warps = WARPS;\n");
    snprintf(forced, sizeof forced, "--pre-include=%s", in_directory("reads.h"));
    assert_false(is_left_out("", "WARPS", forced));
    /* a value that may be more than one word can say anything */
    for (size_t k = 0; k < 2; k++)
        snprintf(value[k], sizeof value[k], "-DWARPS=%zu\n#define TILE 3", k);
    for (size_t k = 0; k < 2; k++) {
        const char *options[] = {value[k]};

        assert_true(hashes_of("", options, 1, 1).code == hashes_of("", options, 1, 1).all);
    }
}

/* -DT=float and -DT=other change the compiler's own headers differently, where every number breaks them. */
static void test_only_numbers(void **state)
{
    static const char *const numbers[] = {"-DT=1", "-DT=-1", "-DT=1.5", "-DT=-.5", "-DT=2e-05", "-DT=0x1fu"};
    static const char *const others[] = {"-DT=float", "-DT=U",  "-DT=", "-DT=-",      "-DT=e5",  "-DT=(1)",
                                         "-DT=1 2",   "-DT=1,", "-DT",  "-DT=-float", "-DT=1/2", "-DT=\"1\""};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        assert_true(hashes_of("", &numbers[k], 1, 1).code == hashes_of("", numbers, 1, 1).code);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (hashes_of("", &others[k], 1, 1).code != hashes_of("", &others[k], 1, 1).all)
            fail_msg("left out: %s", others[k]);
}

/* The user's own options stay. */
static void test_only_what_is_tuned(void **state)
{
    const char *options[] = {"-DWARPS=1", "-DTILE=1"}, *mine[] = {"-DWARPS=2", "-DTILE=1"},
               *tuned[] = {"-DWARPS=1", "-DTILE=2"};

    assert_true(hashes_of("", options, 2, 1).code == hashes_of("", tuned, 2, 1).code);
    assert_true(hashes_of("", options, 2, 1).code != hashes_of("", mine, 2, 1).code);
    assert_true(hashes_of("int a = TILE;", options, 2, 1).code ==
                hashes_of("int a = TILE;", options, 2, 0).code);
}

/* The first 64 are looked at. */
static void test_many_are_tuned(void **state)
{
    enum { MANY = 70, ASKED = 64 };
    char texts[MANY][16], other[16];
    const char *options[MANY], *others[MANY];

    for (int k = 0; k < MANY; k++) {
        snprintf(texts[k], sizeof texts[k], "-DPART%d=1", k);
        options[k] = texts[k];
    }
    for (int k = 0; k < MANY; k++) {
        memcpy(others, options, sizeof others);
        snprintf(other, sizeof other, "-DPART%d=2", k);
        others[k] = other;
        assert_int_equal(hashes_of("", options, MANY, MANY).code == hashes_of("", others, MANY, MANY).code,
                         k < ASKED);
    }
}

static void test_architectures(void **state)
{
    struct compile_request request = {.source_path = "k.cu", .name = "k", .arch = "sm_90"};
    struct sources_hash one, other;

    assert_int_equal(sources_hash(&one, &request, "", NULL), 0);
    request.arch = "sm_80";
    assert_int_equal(sources_hash(&other, &request, "", NULL), 0);
    assert_true(one.code != other.code && one.all != other.all);
}

/* The compiler's own headers are full of T: -DT fails what -DTILE does not, though nobody reads either. */
static void test_a_name_counts(void **state)
{
    const char *fails[] = {"-DT=1"}, *fails_too[] = {"-DT=2"}, *well[] = {"-DTILE=1"};

    assert_true(hashes_of("", fails, 1, 1).code == hashes_of("", fails_too, 1, 1).code);
    assert_true(hashes_of("", fails, 1, 1).code != hashes_of("", well, 1, 1).code);
}

/* What is kept from call to call ------------------------------------------- */

static void assert_as_alone(struct sources_kept **kept, const struct compile_request *request,
                            const char *text)
{
    struct sources_files alone = {0}, *files = NULL;
    struct sources_hash hash, wanted;
    struct err err = {0};

    check_ok(sources_list(&alone, &wanted, request, text, &err) ||
                 sources_list_kept(kept, &files, &hash, request, text, 0, &err),
             &err);
    assert_true(hash.all == wanted.all && hash.code == wanted.code && key_equal(hash.key, wanted.key));
    assert_true(hash.complete == wanted.complete && hash.strange == wanted.strange);
    assert_int_equal(files->count, alone.count);
    for (size_t k = 0; k < alone.count; k++) {
        assert_string_equal(files->files[k].path, alone.files[k].path);
        assert_string_equal(files->files[k].text, alone.files[k].text);
    }
    sources_files_free(files);
    sources_files_release(&alone);
}

/* A header that has changed is read again when the caller's patience has passed. */
static void test_kept_patience(void **state)
{
    static const char *const options[] = {"-DTILE=8"};
    const struct compile_request request = {.source_path = in_directory("k.cu"),
                                            .name = "k",
                                            .arch = "sm_90",
                                            .options = options,
                                            .option_count = 1,
                                            .tuned_count = 1};
    static const char text[] = "#include \"patience.h\"\n";
    static const double patience_s[] = {0, 1000, 0};
    struct sources_kept *kept = NULL;
    uint64_t all[3];

    for (int k = 0; k < 3; k++) {
        struct sources_files *files;
        struct sources_hash hash;
        struct err err = {0};

        write_text("patience.h", k ? "int after;\n" : "int b;\n");
        check_ok(sources_list_kept(&kept, &files, &hash, &request, text, patience_s[k], &err), &err);
        all[k] = hash.all;
        sources_files_free(files);
    }
    assert_true(all[0] == all[1] && all[1] != all[2]);
    sources_kept_free(kept);
}

static void test_kept(void **state)
{
    static const char *const texts[] = {"#include \"kept.h\"\nint a = TILE;\n", "int a = UNROLL;\n",
                                        "#define H \"kept.h\"\n#include H\n", "int b = TI##LE;\n",
                                        "#include <../far.h>\nint a;\n"};
    static const char *const headers[] = {"int kept;\n", "int kept = UNROLL;\n"};
    static const char *const fixed[][2] = {
        {"-lineinfo", "-DWIDE=1"}, {"-lineinfo", "-DWIDE=TILE"}, {"-include", "kept.h"}, {"-lineinfo", "-I"}};
    static const char *const values[] = {"-DTILE=8", "-DTILE=16", "-DTILE=row", "-DTILE=1.UNROLL", "-DTILE"};
    struct sources_kept *kept = NULL;

    for (unsigned k = 0; k < 2000; k++) {
        const uint64_t draw = hash_mix(k);
        const char *options[] = {fixed[draw % 4][0], fixed[draw % 4][1], values[draw / 4 % 5],
                                 draw / 20 % 3 ? "-DUNROLL=4" : "-DUNROLL=2"};
        const struct compile_request request = {.source_path = in_directory("k.cu"),
                                                .name = draw / 60 % 3 ? "k" : "k<TILE>",
                                                .arch = "sm_90",
                                                .options = options,
                                                .option_count = 4,
                                                .tuned_count = 2};

        if (k % 50 == 0)
            write_text("kept.h", headers[draw / 180 % 2]);
        assert_as_alone(&kept, &request, texts[k / 20 % 5]);
    }
    sources_kept_free(kept);
}

int main(void)
{
    char command[100];
    int failed;

    if (!mkdtemp(directory))
        return 1;
    failed = RUN_TESTS(test_macros_that_nobody_reads, test_macros_that_others_may_read, test_only_numbers,
                       test_only_what_is_tuned, test_many_are_tuned, test_architectures, test_a_name_counts,
                       test_headers, test_forced_header, test_spellings_of_include,
                       test_what_only_the_compiler_knows, test_kept_patience, test_kept);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command) || failed;
}

/* gpu/unread against the compiler itself: where two variants are said to have one code, NVRTC gives the same
 * for both, however hard the source tries to hide that it reads the parameter. */
#include "compile_fixture.h"

#include "gpu/sources.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { ROUNDS = 60, OPTIONS = 3 };

/* Ways of naming TUNED, or of seeming to, before the kernel. */
static const char *const ways[] = {
    "",
    "enum { MY_TUNED = 3 };\n#define VALUE MY_TUNED\n",
    "#define VALUE TUNED\n",
    "#if TUNED > 1\n#define VALUE 5\n#endif\n",
    "#if defined TUNED && TUNED == 2\n#define VALUE 5\n#endif\n",
    "#define PASTE(a, b) a##b\n#define VALUE PASTE(TU, NED)\n",
    "#define PASTE(a, b) a%:%:b\n#define VALUE PASTE(TU, NED)\n",
    "#define PASTE(a, b) a\?\?=\?\?=b\n#define VALUE PASTE(TU, NED)\n",
    "#define PASTE(a, b) a#\\\n#b\n#define VALUE PASTE(TU, NED)\n",
    "#define VALUE TU\\\nNED\n",
    "#define VALUE TU\\ \t\nNED\n",
    "#define VALUE TU\\\r\nNED\r\n",
    "#define VALUE TU\\\v\nNED\n",
    "#define VALUE TU\\\rNED\n",
    "#define VALUE TU\?\?/\nNED\n",
    "#define VALUE T\\u0055NED\n",
    "#define VALUE $TUNED\n",
    "#define TEXT_(a) #a\n#define TEXT(a) TEXT_(a)\n#define VALUE (TEXT(TUNED)[0])\n",
    "_Pragma(\"push_macro(\\\"TUNED\\\")\")\n#undef TUNED\n",
    "__device__ const char raw[] = R\"(TUNED)\";\n#define VALUE raw[0]\n",
    "__device__ const char raw[] = R\"(TU\\\nNED)\";\n#define VALUE raw[0]\n",
    "#include \"reads.h\"\n",
    "#include \"through.h\"\n",
    "\f#include \"reads.h\"\n",
    "%:include \"reads.h\"\n",
    "/* */ #include \"reads.h\"\n",
    "# /* */ include \"reads.h\"\n",
    "#inc\\\nlude \"reads.h\"\n",
    "#define H \"reads.h\"\n#include H\n",
    "#if __has_include(\"reads.h\")\n#include \"reads.h\"\n#endif\n",
    "#import \"reads.h\"\n",
    "#include_next \"reads.h\"\n",
    "#include <cuda_fp16.h>\n",
    "#if 0\n#includefoo\n#include \"\n#endif\n/* */ #include \"reads.h\"\n",
};

static const char *const bodies[] = {"a[0] = VALUE;", "a[0] = 1;", "assert(a[0]); a[1] = blockDim.x;",
                                     "printf(\"%d\", a[0]);", "for (int i = 0; i < 8; i++) a[i] += VALUE;"};
static const char *const beside[] = {"-lineinfo", "-G",      "--use_fast_math",   "-DVALUE=TUNED",
                                     "-DTU=NED",  "-UTUNED", "-DHIDDEN(a,b)=a##b"};
/* Names that the compiler, its own headers or the kernel may use, and values. */
static const char *const names[] = {"TUNED",  "TUNED", "TUNED",   "T",        "N",      "val",
                                    "x",      "min",   "true",    "false",    "NULL",   "nullptr",
                                    "this",   "const", "linux",   "blockDim", "assert", "printf",
                                    "float4", "_FOO",  "default", "warpSize"};
static const char *const values[][2] = {{"1", "2"},        {"0", "1"},     {"-1", "1.5"},
                                        {"row", "column"}, {"float", "3"}, {"", "1"}};

static unsigned draw(unsigned count)
{
    static unsigned state = 7;

    state = state * 1664525 + 1013904223;
    return (state >> 8) % count;
}

/* Always of the same time, which -lineinfo writes into the code. */
static void write_old(const char *name, const char *text)
{
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

    write_text(name, text);
    assert_int_equal(utimensat(AT_FDCWD, in_directory(name), times, 0), 0);
}

/* Compiles by itself: none of the options is said to be tuned. An error stands for no result. */
static void compile_alone(struct compile_result *out, struct compiler *compiler,
                          struct compile_request request)
{
    struct err err = {0};

    request.tuned_count = 0;
    if (compile_cubin(out, compiler, &request, &err))
        *out = (struct compile_result){.outcome = OUTCOME_COMPILE};
}

static bool is_same_code(struct compiler *compiler, const struct compile_request requests[2])
{
    struct compile_result results[2];
    bool same;

    for (int k = 0; k < 2; k++)
        compile_alone(&results[k], compiler, requests[k]);
    same = results[0].outcome == results[1].outcome && results[0].cubin_bytes == results[1].cubin_bytes &&
           (!results[0].cubin || !memcmp(results[0].cubin, results[1].cubin, results[0].cubin_bytes));
    for (int k = 0; k < 2; k++)
        compile_result_release(&results[k]);
    return same;
}

/* Whether both values are said to give one code; they do then. */
static bool is_shared(struct compiler *compiler, const char *text, const char *name,
                      const char *const value[2], const char *other)
{
    char macro[2][64];
    const char *options[2][OPTIONS] = {{"--std=c++14", other, macro[0]}, {"--std=c++14", other, macro[1]}};
    struct compile_request requests[2];
    struct sources_hash hashes[2];
    bool shared;

    write_old("k.cu", text);
    write_old("reads.h", "#ifndef VALUE\n#define VALUE TUNED\n#endif\n");
    write_old("through.h", "#include \"reads.h\"\n");
    for (int k = 0; k < 2; k++) {
        requests[k] = request_of("k.cu", "k");
        snprintf(macro[k], sizeof macro[k], "-D%s=%s", name, value[k]);
        requests[k].options = options[k];
        requests[k].option_count = OPTIONS;
        requests[k].tuned_count = 1;
        assert_int_equal(sources_hash(&hashes[k], &requests[k], text, NULL), 0);
    }
    shared = hashes[0].code == hashes[1].code && hashes[0].complete && hashes[1].complete;
    if (shared && !is_same_code(compiler, requests))
        fail_msg("-D%s=%s and =%s beside %s have not one code in:\n%s", name, value[0], value[1], other,
                 text);
    return shared;
}

static const char *kernel_text(const char *way, const char *body)
{
    static char text[1000];

    snprintf(text, sizeof text,
             "%s\n#ifndef VALUE\n#define VALUE 3\n#endif\nextern \"C\" __global__ void k(int *a) { %s }\n",
             way, body);
    return text;
}

static void test_every_way(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    unsigned shared = 0;

    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        shared += is_shared(compiler, kernel_text(ways[k], bodies[0]), "TUNED", values[0], "-DA=1");
    assert_in_range(shared, 2, sizeof ways / sizeof *ways / 2);
    compiler_close(compiler);
}

static void test_every_name(void **state)
{
    struct compiler *compiler = open_compiler(NULL);
    unsigned shared = 0;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            shared += is_shared(compiler, kernel_text("", "a[0] = 1;"), names[k], values[v], "-DA=1");
    assert_in_range(shared, sizeof names / sizeof *names, 3 * sizeof names / sizeof *names);
    compiler_close(compiler);
}

static void test_at_random(void **state)
{
    struct compiler *compiler = open_compiler(NULL);

    for (int k = 0; k < ROUNDS; k++) {
        const char *way = ways[draw(sizeof ways / sizeof *ways)],
                   *body = bodies[draw(sizeof bodies / sizeof *bodies)];
        const char *other = beside[draw(sizeof beside / sizeof *beside)],
                   *name = names[draw(sizeof names / sizeof *names)];

        is_shared(compiler, kernel_text(way, body), name, values[draw(sizeof values / sizeof *values)],
                  other);
    }
    compiler_close(compiler);
}

int main(void)
{
    if (!compiler_is_here())
        return 77;
    return RUN_TESTS_IN(make_directory, remove_directory, test_every_way, test_every_name, test_at_random);
}

/* Tuning problems in the T1 format as specs: lists of values, conditions, sizes, arguments, and what is refused. */
#include "check.h"
#include "failing.h"

#include "space/t1.h"

static void lists_are_pythons(void **state)
{
    static const struct {
        const char *text, *values;
    } cases[] = {
        {"[16, 32]", "[16, 32]"},
        {"[]", "[]"},
        {" [ 1 ,2,] ", "[1, 2]"},
        {"[-1, 2*3, 0.5, 1e3]", "[-1, 6, 0.5, 1000.0]"},
        {"[True, False]", "[true, false]"},
        {"['a', \"b,c\", 'd]']", "[\"a\", \"b,c\", \"d]\"]"},
        {"range(3)", "[0, 1, 2]"},
        {"list(range(2, 4))", "[2, 3]"},
        {"list(range(10, 3, -3))", "[10, 7, 4]"},
        {"[1, 2] + list(range(32, 97, 32)) + [5]", "[1, 2, 32, 64, 96, 5]"},
        {"[2**i for i in range(4)]", "[1, 2, 4, 8]"},
        {"[i for i in range(3,9,2)]", "[3, 5, 7]"},
        {"[16*i+1 for i in [1, 3]]", "[17, 49]"},
        {"[min(i, 2) for i in range(4)]", "[0, 1, 2, 2]"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct err err = {0};
        struct json *values;
        char *text;

        if (t1_values(&values, cases[k].text, &err))
            fail_msg("%s: %s", cases[k].text, err.text);
        text = js_text(values, JS_LINE);
        assert_string_equal(text, cases[k].values);
        free(text);
        js_free(values);
    }
}

static void bad_lists_are_explained(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "expected a list at \"\""},
        {"16", "expected a list at \"16\""},
        {"[1, 2", "expected , or ] at \"\""},
        {"[1] 2", "expected the end at \"2\""},
        {"[,]", "expected a value at \",]\""},
        {"[x]", "column 1: unknown name x"},
        {"range(0, 9, 0)", "a range has a step of 0 at \"\""},
        {"range(1, 2, 3, 4)", "a range has three numbers at most at \"4)\""},
        {"range(0.5)", "a range is of integers at \"0.5)\""},
        {"range(100000)", "more than 65536 values"},
        {"[i for in range(2)]", "expected a name before this at \" range(2)]\""},
        {"[i for i range(2)]", "expected in at \"range(2)]\""},
        {"[i for 3 in range(2)]", "expected a name before this at \" in range(2)]\""},
        {"[i for i in range(2) if i]", "expected ] at \"if i]\""},
        {"__import__('os').listdir()", "expected a list at \"__import__('os').listdir()\""},
        {"[__import__('os')]", "column 1: unknown name __import__"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct err err = {0};
        struct json *values;

        assert_int_equal(t1_values(&values, cases[k].text, &err), ERR_USAGE);
        assert_null(values);
        if (strncmp(err.text, cases[k].why, strlen(cases[k].why)))
            fail_msg("%s: \"%s\", not \"%s\"", cases[k].text, err.text, cases[k].why);
    }
}

/* Problems ----------------------------------------------------------------- */

/* One with `space` among the parameters' siblings and `kernel` among the kernel's members. */
static void make_text(char *out, size_t size, const char *values, const char *kernel)
{
    snprintf(
        out, size,
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"B\", \"Type\": \"int\", \"Values\": "
        "\"%s\", "
        "\"Default\": 64}], \"Conditions\": [{\"Parameters\": [\"B\"], \"Expression\": \"B %% max(B) == 0 or "
        "B < "
        "ProblemSize[0]\"}]}, \"KernelSpecification\": {%s\"KernelName\": \"k\", \"KernelFile\": \"k.cu\", "
        "\"GlobalSize\": {\"X\": \"N\"}, \"LocalSize\": {\"X\": \"B\"}}}",
        values, kernel);
}

static int convert(struct json **out, const char *text, struct err *err)
{
    struct json *document;
    struct js_at root;
    int rc = js_read_text(&document, text, strlen(text), "t1.json", err);

    *out = NULL;
    if (rc)
        return rc;
    root = js_root(document, "t1.json");
    assert_true(t1_is(&root));
    rc = t1_to_spec(out, &root, err);
    js_free(document);
    return rc;
}

static const char whole[] =
    "\"Language\": \"CUDA\", \"ProblemSize\": [100, 200], \"GridDivX\": [\"B\", 2], \"GridDivY\": \"B * 2\", "
    "\"SharedMemory\": "
    "64, \"CompilerOptions\": [\"-DX\"], \"Arguments\": ["
    "{\"Name\": \"a\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Size\": \"ProblemSize[1] * "
    "max(B)\", \"FillType\": "
    "\"Random\", \"FillValue\": 3, \"RandomSeed\": 7, \"AccessType\": \"ReadOnly\"},"
    "{\"Type\": \"half\", \"MemoryType\": \"Vector\", \"Size\": 8, \"AccessType\": \"WriteOnly\"},"
    "{\"Name\": \"c\", \"Type\": \"double\", \"MemoryType\": \"Symbol\", \"Size\": 4, \"FillValue\": 0.5},"
    "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 100}], ";

static void a_problem_becomes_a_spec(void **state)
{
    static const char wanted[] = "{\"parameters\": {\"B\": [32, 64]}, \"default\": {\"B\": 64}, "
                                 "\"constraints\": [\"B % 64 == 0 or B < "
                                 "problem_size_x\"], \"problem\": {\"problem_size_x\": 100, "
                                 "\"problem_size_y\": 200}, \"kernel\": {\"file\": \"k.cu\", "
                                 "\"name\": \"k\", \"options\": [\"-DX\"]}, \"launch\": {\"grid\": "
                                 "[\"ceil_div(problem_size_x, 1 * (B) * (2))\", "
                                 "\"ceil_div(problem_size_y, 1 * (B * 2))\"], \"block\": [\"B\"], "
                                 "\"shared\": 64}, \"arguments\": [{\"buffer\": "
                                 "\"float32\", \"name\": \"a\", \"role\": \"in\", \"length\": "
                                 "\"problem_size_y * 64\", \"fill\": {\"uniform\": [0, 3.0], "
                                 "\"seed\": 7}}, {\"buffer\": \"float16\", \"name\": \"argument_1\", "
                                 "\"role\": \"out\", \"length\": 8}, {\"symbol\": "
                                 "\"c\", \"type\": \"float64\", \"length\": 4, \"fill\": {\"constant\": "
                                 "0.5}}, {\"scalar\": \"int32\", \"value\": 100}], "
                                 "\"reference\": \"none\"}";
    char text[4096], *found;
    struct err err = {0};
    struct json *spec;

    make_text(text, sizeof text, "[32, 64]", whole);
    check_ok(convert(&spec, text, &err), &err);
    found = js_text(spec, JS_LINE);
    assert_string_equal(found, wanted);
    free(found);
    js_free(spec);
}

/* Threads are counted where OpenCL's way is asked for. */
static void sizes_in_threads_are_divided(void **state)
{
    char text[4096], *found;
    struct err err = {0};
    struct json *spec;

    make_text(text, sizeof text, "[128]", "\"Language\": \"CUDA\", \"GlobalSizeType\": \"OpenCL\", ");
    assert_int_equal(convert(&spec, text, &err), 0);
    found = js_text(spec, JS_LINE);
    assert_non_null(strstr(found, "\"grid\": [\"ceil_div(N, B)\"]"));
    assert_null(strstr(found, "default")); /* 64 is none of the values */
    free(found);
    js_free(spec);
}

static void what_no_spec_can_say_is_refused(void **state)
{
    static const struct {
        const char *values, *kernel, *why;
    } cases[] = {
        {"[1", "\"Language\": \"CUDA\", ",
         "t1.json: ConfigurationSpace.TuningParameters[0].Values: expected , or ] at \"\""},
        {"[1]", "\"Language\": \"OpenCL\", ",
         "t1.json: KernelSpecification.Language: OpenCL is not supported: CUDA is"},
        {"[1]", "", "t1.json: KernelSpecification: the field \"Language\" is missing"},
        {"[1]", "\"Language\": \"CUDA\", \"ProblemSize\": [1, 2, 3, 4], ",
         "t1.json: KernelSpecification.ProblemSize: expected three sizes at most"},
        {"[1]", "\"Language\": \"CUDA\", \"Arguments\": 3, ",
         "t1.json: KernelSpecification.Arguments: expected a list, found an integer"},
        {"[1]",
         "\"Language\": \"CUDA\", \"Arguments\": [{\"Type\": \"float4\", \"MemoryType\": \"Vector\"}], ",
         "t1.json: KernelSpecification.Arguments[0].Type: float4 is not supported"},
        {"[1]", "\"Language\": \"CUDA\", \"Arguments\": [{\"Type\": \"float\", \"MemoryType\": \"Local\"}], ",
         "t1.json: KernelSpecification.Arguments[0].MemoryType: Local is not supported: Scalar, Vector and "
         "Symbol are"},
        {"[1]",
         "\"Language\": \"CUDA\", \"Arguments\": [{\"Type\": \"float\", \"MemoryType\": \"Vector\", "
         "\"Size\": 1, "
         "\"FillType\": \"Script\"}], ",
         "t1.json: KernelSpecification.Arguments[0].FillType: Script is not supported: Constant and Random "
         "are"},
        {"[1]",
         "\"Language\": \"CUDA\", \"Arguments\": [{\"Type\": \"float\", \"MemoryType\": \"Vector\"}], ",
         "t1.json: KernelSpecification.Arguments[0]: the field \"Size\" is missing"},
        {"[1]", "\"Language\": \"CUDA\", \"GlobalSizeType\": 3, ",
         "t1.json: KernelSpecification.GlobalSizeType: expected a string, found an integer"},
    };
    char text[4096];

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct err err = {0};
        struct json *spec;

        make_text(text, sizeof text, cases[k].values, cases[k].kernel);
        assert_int_equal(convert(&spec, text, &err), ERR_USAGE);
        assert_string_equal(err.text, cases[k].why);
        assert_null(spec);
    }
}

static int everything(struct err *err)
{
    char text[4096];
    struct json *spec;
    int rc;

    make_text(text, sizeof text, "[32, 64] + [2**i for i in range(3)]", whole);
    rc = convert(&spec, text, err);
    js_free(spec);
    return rc;
}

static void allocations_may_fail(void **state)
{
    fail_each(everything);
}

int main(void)
{
    return RUN_TESTS(lists_are_pythons, bad_lists_are_explained, a_problem_becomes_a_spec,
                     sizes_in_threads_are_divided, what_no_spec_can_say_is_refused, allocations_may_fail);
}

#include "check.h"

#include "launch/fill.h"
#include "base/hash.h"
#include "launch/npy.h"

static void parts_are_the_whole(void **state)
{
    static const enum fill_kind kinds[] = {FILL_CONSTANT, FILL_UNIFORM, FILL_NORMAL};
    struct fill fill = {.seed = 5, .a = -1, .b = 1};
    float whole[64], part[7];

    for (size_t k = 0; k < 3; k++) {
        fill.kind = kinds[k];
        assert_int_equal(fill_read(&fill, ELEMENT_FLOAT32, 0, 64, whole, NULL), 0);
        assert_int_equal(fill_read(&fill, ELEMENT_FLOAT32, 31, 7, part, NULL), 0);
        assert_memory_equal(part, whole + 31, sizeof part);
    }
}

static void uniform_integers_reach_both_ends(void **state)
{
    struct fill fill = {.kind = FILL_UNIFORM, .seed = 1, .a = -1, .b = 2};
    unsigned seen[4] = {0};
    int8_t values[4000];

    assert_int_equal(fill_prepare(&fill, ELEMENT_INT8, 4000, NULL), 0);
    assert_int_equal(fill_read(&fill, ELEMENT_INT8, 0, 4000, values, NULL), 0);
    for (size_t i = 0; i < 4000; i++) {
        assert_in_range(values[i] + 1, 0, 3);
        seen[values[i] + 1]++;
    }
    for (size_t i = 0; i < 4; i++)
        assert_in_range(seen[i], 850, 1150);
}

static void normal_has_its_mean_and_deviation(void **state)
{
    const struct fill fill = {.kind = FILL_NORMAL, .seed = 3, .a = 10, .b = 2};
    static double values[20000];
    double sum = 0, squares = 0;

    assert_int_equal(fill_read(&fill, ELEMENT_FLOAT64, 0, 20000, values, NULL), 0);
    for (size_t i = 0; i < 20000; i++) {
        sum += values[i];
        squares += (values[i] - 10) * (values[i] - 10);
    }
    check_near(sum / 20000, 10, 0.06);
    check_near(sqrt(squares / 20000), 2, 0.05);
}

static void seeds_differ(void **state)
{
    const struct fill one = {.kind = FILL_UNIFORM, .seed = 1, .b = 1},
                      two = {.kind = FILL_UNIFORM, .seed = 2, .b = 1};
    double a[4], b[4];

    fill_read(&one, ELEMENT_FLOAT64, 0, 4, a, NULL);
    fill_read(&two, ELEMENT_FLOAT64, 0, 4, b, NULL);
    assert_memory_not_equal(a, b, sizeof a);
    assert_true(fill_hash(HASH_START, &one) != fill_hash(HASH_START, &two));
}

static struct fill expression(const char *text)
{
    struct fill fill = {.kind = FILL_EXPRESSION, .seed = 2, .expression = strdup(text), .name_count = 1};

    fill.names = calloc(1, sizeof *fill.names);
    fill.values = calloc(1, sizeof *fill.values);
    fill.names[0] = strdup("M");
    fill.values[0] = (struct value){.kind = VALUE_INTEGER, .integer = 10};
    return fill;
}

static void read_integers(int32_t *values, uint64_t count, const char *text)
{
    struct fill fill = expression(text);

    assert_int_equal(fill_prepare(&fill, ELEMENT_INT32, count, NULL), 0);
    assert_int_equal(fill_read(&fill, ELEMENT_INT32, 0, count, values, NULL), 0);
    fill_release(&fill);
}

static void expressions_see_index_names_and_random(void **state)
{
    int32_t values[100];

    read_integers(values, 100, "random(i) % M if i % 2 == 1 else -i");
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(values[i], i % 2 ? (int32_t)((hash_random(2, i) >> 1) % 10) : -(int32_t)i);
}

static void integers_take_the_nearest_of_an_expression(void **state)
{
    int32_t values[8];

    read_integers(values, 8, "i / 4 - 1");
    for (int i = 0; i < 8; i++)
        assert_int_equal(values[i], (int32_t)nearbyint(i / 4.0 - 1));
}

static void expression_refused(const char *text, enum element_type type, const char *message)
{
    struct fill fill = expression(text);
    struct err err = {0};
    double values[20];

    assert_int_equal(fill_prepare(&fill, type, 20, NULL), 0);
    assert_int_equal(fill_read(&fill, type, 0, 20, values, &err), ERR_USAGE);
    assert_string_equal(err.text, message);
    fill_release(&fill);
}

static void a_failing_expression_names_the_element(void **state)
{
    expression_refused("1 // (M - i)", ELEMENT_INT32, "element 10: column 3: division by zero");
}

static void reals_that_do_not_fit_name_the_element(void **state)
{
    expression_refused("i * 100.0", ELEMENT_INT8, "element 2: column 1: 200.0 does not fit in int8");
    expression_refused("1e300 * i", ELEMENT_FLOAT32, "element 1: column 1: 1e+300 does not fit in float32");
    expression_refused("8000 * i", ELEMENT_FLOAT16, "element 9: column 1: 72000 does not fit in float16");
}

static void integers_of_an_expression_are_cut_to_the_width(void **state)
{
    struct fill fill = expression("300 + i - M");
    int8_t values[20];

    assert_int_equal(fill_prepare(&fill, ELEMENT_INT8, 20, NULL), 0);
    assert_int_equal(fill_read(&fill, ELEMENT_INT8, 0, 20, values, NULL), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(values[i], 290 + i - 256);
    fill_release(&fill);
}

static void a_constant_or_range_must_fit_the_type(void **state)
{
    static const struct {
        struct fill fill;
        enum element_type type;
        const char *message; /* none: it fits */
    } cases[] = {
        {{.kind = FILL_CONSTANT, .a = 300}, ELEMENT_INT8, "300 does not fit in int8"},
        {{.kind = FILL_CONSTANT, .a = -1}, ELEMENT_UINT64, "-1 does not fit in uint64"},
        {{.kind = FILL_CONSTANT, .a = 1.5}, ELEMENT_INT32, "1.5 does not fit in int32"},
        {{.kind = FILL_CONSTANT, .a = 1e300}, ELEMENT_FLOAT32, "1e+300 does not fit in float32"},
        {{.kind = FILL_CONSTANT, .a = -65504}, ELEMENT_FLOAT16, NULL},
        {{.kind = FILL_UNIFORM, .a = 0, .b = 1000}, ELEMENT_INT8, "1000 does not fit in int8"},
        {{.kind = FILL_UNIFORM, .a = -0.5, .b = 255.5}, ELEMENT_UINT8, NULL},
        {{.kind = FILL_UNIFORM, .a = -1e6, .b = 0}, ELEMENT_FLOAT16, "-1000000 does not fit in float16"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct fill fill = cases[k].fill;
        struct err err = {0};
        const int wanted = cases[k].message ? ERR_USAGE : 0;

        assert_int_equal(fill_prepare(&fill, cases[k].type, 1, &err), wanted);
        assert_string_equal(err.text, cases[k].message ? cases[k].message : "");
    }
}

static void an_empty_range_is_refused(void **state)
{
    struct fill fill = {.kind = FILL_UNIFORM, .a = 0.2, .b = 0.8};
    struct err err = {0};

    assert_int_equal(fill_prepare(&fill, ELEMENT_FLOAT32, 1, &err), 0);
    assert_int_equal(fill_prepare(&fill, ELEMENT_INT32, 1, &err), ERR_USAGE);
    assert_string_equal(
        err.text, "nothing lies between 0.2 and 0.8; give [low, high] with low <= high, both within 2^53");
    err_clear(&err);
    fill.a = -1e308;
    fill.b = 1e308;
    assert_int_equal(fill_prepare(&fill, ELEMENT_FLOAT64, 1, &err), ERR_USAGE);
    assert_string_equal(err.text,
                        "from -1e+308 to 1e+308 is too wide; give [low, high] with a finite high - low");
}

static void files_are_read_in_place(void **state)
{
    struct fill fill = {.kind = FILL_FILE, .path = strdup("tests/data/npy/int32.npy")};
    int32_t values[3];

    assert_int_equal(fill_prepare(&fill, ELEMENT_INT32, 6, NULL), 0);
    assert_int_equal(fill_read(&fill, ELEMENT_INT32, 1, 3, values, NULL), 0);
    assert_int_equal(values[0], -1);
    assert_int_equal(values[2], 1);
    fill_release(&fill);
}

static void files_of_another_type_or_length_are_refused(void **state)
{
    struct fill fill = {.kind = FILL_FILE, .path = strdup("tests/data/npy/int32.npy")};
    struct err err = {0};

    assert_int_equal(fill_prepare(&fill, ELEMENT_FLOAT32, 6, &err), ERR_USAGE);
    assert_string_equal(err.text, "tests/data/npy/int32.npy holds int32, the argument is float32");
    err_clear(&err);
    assert_int_equal(fill_prepare(&fill, ELEMENT_INT32, 7, &err), ERR_USAGE);
    assert_string_equal(err.text, "tests/data/npy/int32.npy holds 6 elements, the argument has 7");
    fill_release(&fill);
}

static void npy_headers_are_understood(void **state)
{
    static const struct {
        const char *file;
        enum element_type type;
        uint64_t count;
    } good[] = {
        {"int32", ELEMENT_INT32, 6},
        {"float16", ELEMENT_FLOAT16, 13},
        {"scalar", ELEMENT_FLOAT64, 1},
        {"version2", ELEMENT_UINT8, 3},
    };
    char path[64];
    struct npy npy;
    void *mapping;
    size_t bytes;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(path, sizeof path, "tests/data/npy/%s.npy", good[i].file);
        assert_int_equal(npy_map(&npy, &mapping, &bytes, path, NULL), 0);
        assert_int_equal(npy.type, good[i].type);
        assert_int_equal(npy.count, good[i].count);
        assert_int_equal(npy.offset + npy.count * element_size(npy.type), bytes);
    }
}

static void bad_npy_files_are_named(void **state)
{
    static const char *const bad[][2] = {
        {"absent", "cannot be read: No such file or directory"},
        {"fortran", "not in C order; save numpy.ascontiguousarray(a)"},
        {"big-endian", "element type '>f4', ' is not supported; save a little-endian number type"},
        {"cut-header", "cut off within its header"},
        {"cut-elements", "cut off: 12 bytes of elements"},
    };
    char path[64], wanted[256];
    struct npy npy;
    struct err err;
    void *mapping;
    size_t bytes;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err_clear(&err);
        snprintf(path, sizeof path, "tests/data/npy/%s.npy", bad[i][0]);
        snprintf(wanted, sizeof wanted, "%s: %s", path, bad[i][1]);
        assert_true(npy_map(&npy, &mapping, &bytes, path, &err) < 0);
        assert_string_equal(err.text, wanted);
        assert_null(mapping);
    }
}

/* NumPy rounded these from single precision; element.c must agree. */
static void halves_agree_with_numpy(void **state)
{
    static const float values[] = {
        0, 1, -1, 0.1f, 65504, 65520, 6e-8f, 2.98e-8f, 1e-8f, INFINITY, 0.333251953125f, 2049, 2051};
    struct fill fill = {.kind = FILL_FILE, .path = strdup("tests/data/npy/float16.npy")};
    uint16_t file[13], own;

    assert_int_equal(fill_prepare(&fill, ELEMENT_FLOAT16, 13, NULL), 0);
    fill_read(&fill, ELEMENT_FLOAT16, 0, 13, file, NULL);
    for (size_t i = 0; i < 13; i++) {
        element_from_real(&own, ELEMENT_FLOAT16, values[i]);
        assert_int_equal(own, file[i]);
    }
    fill_release(&fill);
}

int main(void)
{
    return RUN_TESTS(parts_are_the_whole, uniform_integers_reach_both_ends, normal_has_its_mean_and_deviation,
                     seeds_differ, expressions_see_index_names_and_random,
                     integers_take_the_nearest_of_an_expression, a_failing_expression_names_the_element,
                     reals_that_do_not_fit_name_the_element, integers_of_an_expression_are_cut_to_the_width,
                     a_constant_or_range_must_fit_the_type, an_empty_range_is_refused,
                     files_are_read_in_place, files_of_another_type_or_length_are_refused,
                     npy_headers_are_understood, bad_npy_files_are_named, halves_agree_with_numpy);
}

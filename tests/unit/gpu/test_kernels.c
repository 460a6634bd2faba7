/* gpu/kernels.cu: what its comparison, fills, poison and guards do, run on the host from the same source; and
 * whether kernels.ptx, which the worker carries, is still what that source compiles to. */
#include "check.h"

#include "launch/fill.h"
#include "gpu/compile.h"

static unsigned block;
#define HOST_BLOCK   block
#define HOST_NOW_NS  0ull
#define HOST_COOL_NS 0ull
#include "tests/fake/host_gpu.h"

#include "gpu/kernels.cu"

static const struct found nothing = {~0ull, ~0ull};

static double worst_of(const struct found *found)
{
    unsigned long long bits = ~found->worst_flips;
    double worst;

    memcpy(&worst, &bits, sizeof worst);
    return worst;
}

/* Compares one float with one expected. */
static double ratio_of(float got, float want, double relative, double absolute)
{
    struct found found = nothing;

    occ_compare(KIND_FLOAT32, 4, &got, &want, 1, relative, absolute, &found);
    assert_int_equal(found.first, worst_of(&found) > 1 ? 0 : ~0ull);
    return worst_of(&found);
}

static void test_tolerance(void **state)
{
    check_near(ratio_of(1.5f, 1, 0.5, 0), 1, 1e-12);
    check_near(ratio_of(1, 1.5f, 0, 0.25), 2, 1e-12);
    check_near(ratio_of(-3, -2, 0.25, 0.5), 1, 1e-12);
    check_near(ratio_of(1, 1, 0, 0), 0, 0);
    check_near(ratio_of(0.0f, -0.0f, 0, 0), 0, 0);
    assert_true(isinf(ratio_of(1, 2, 0, 0)));
    assert_true(isinf(ratio_of(1e-30f, 0, 0.5, 0))); /* a relative tolerance allows nothing beside zero */
}

static void test_nan_and_infinity(void **state)
{
    check_near(ratio_of(NAN, NAN, 0.5, 0.5), 0, 0);
    assert_true(isinf(ratio_of(NAN, 1, 0.5, 0.5)));
    assert_true(isinf(ratio_of(1, NAN, 0.5, 0.5)));
    check_near(ratio_of(INFINITY, INFINITY, 0.5, 0.5), 0, 0);
    assert_true(isinf(ratio_of(INFINITY, -INFINITY, 0.5, 0.5)));
    assert_true(isinf(ratio_of(INFINITY, 1, 0.5, 0.5)));
    assert_true(isinf(ratio_of(1, INFINITY, 0.5, 0.5)));
}

static void test_lowest_mismatch_and_worst(void **state)
{
    float want[100] = {0}, got[100] = {0};
    struct found found = nothing;

    got[70] = 3;
    got[30] = 2;
    got[10] = 0.5f;
    occ_compare(KIND_FLOAT32, 4, got, want, 100, 0, 1, &found);
    assert_int_equal(found.first, 30);
    check_near(worst_of(&found), 3, 0);
}

/* Every bit of every kind of element, near values excepted, is seen. */
static void test_flipped_bits(void **state)
{
    static const struct {
        int kind;
        unsigned size;
        unsigned long long value;
    } elements[] = {{KIND_BITS, 1, 0x5a},           {KIND_BITS, 2, 0x1234},
                    {KIND_BITS, 4, 0x12345678},     {KIND_BITS, 8, 0x123456789abcdef0},
                    {KIND_FLOAT16, 2, 0x3c00},      {KIND_BFLOAT16, 2, 0x3f80},
                    {KIND_FLOAT32, 4, 0x3f800000u}, {KIND_FLOAT64, 8, 0x3ff0000000000000ull}};

    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        for (unsigned bit = 0; bit < 8 * elements[i].size; bit++) {
            unsigned long long want[3] = {0}, got[3];
            struct found found = nothing;
            word value = elements[i].value;

            set_bits(want, elements[i].size, 1, value);
            memcpy(got, want, sizeof got);
            set_bits(got, elements[i].size, 1, value ^ 1ull << bit);
            occ_compare(elements[i].kind, elements[i].size, got, want, 3, 0, 0, &found);
            assert_int_equal(found.first, 1);
        }
}

/* What `parts` parts of `count` elements reduce to, in the two passes of the host. */
static void reduce(unsigned long long *out, int kind, unsigned size, int is_signed, int operation,
                   const void *data, word parts, word count, word chunks)
{
    unsigned long long partial[64];

    assert_true(chunks * count <= 64);
    occ_reduce(kind, size, is_signed, operation, data, parts, count, chunks, partial);
    occ_reduce(kind == KIND_BITS ? KIND_BITS : KIND_FLOAT64, 8, is_signed, operation, partial, chunks, count,
               1, out);
}

static double as_real(unsigned long long bits)
{
    return value_of(KIND_FLOAT64, bits);
}

static void test_reduce(void **state)
{
    static const float reals[6] = {1, -2, 3.5f, 0, 10, -20};
    static const signed char small[4] = {-1, 2, -128, 127};
    static const unsigned char bytes[4] = {255, 2, 128, 127};
    static const unsigned short halves[2] = {0x3c00, 0xc500};
    float holed[3] = {1, NAN, 2};
    unsigned long long out[3];
    word chunks;

    for (chunks = 1; chunks <= 3; chunks++) {
        reduce(out, KIND_FLOAT32, 4, 0, REDUCE_SUM, reals, 3, 2, chunks);
        check_near(as_real(out[0]), 14.5, 0);
        check_near(as_real(out[1]), -22, 0);
        reduce(out, KIND_FLOAT32, 4, 0, REDUCE_MIN, reals, 3, 2, chunks);
        check_near(as_real(out[0]), 1, 0);
        check_near(as_real(out[1]), -20, 0);
        reduce(out, KIND_FLOAT32, 4, 0, REDUCE_MAX, holed, 3, 1, chunks);
        assert_true(isnan(as_real(out[0])));
        reduce(out, KIND_BITS, 1, 1, REDUCE_MIN, small, 4, 1, chunks);
        assert_int_equal((long long)out[0], -128);
        reduce(out, KIND_BITS, 1, 1, REDUCE_SUM, small, 4, 1, chunks);
        assert_int_equal((long long)out[0], 0);
        reduce(out, KIND_BITS, 1, 0, REDUCE_MAX, bytes, 4, 1, chunks);
        assert_int_equal(out[0], 255);
        reduce(out, KIND_BITS, 1, 0, REDUCE_SUM, bytes, 4, 1, chunks);
        assert_int_equal(out[0], 512);
    }
    reduce(out, KIND_FLOAT16, 2, 0, REDUCE_SUM, halves, 2, 1, 2);
    check_near(as_real(out[0]), -4, 0);
}

static void test_half_values(void **state)
{
    check_near(value_of(KIND_FLOAT16, 0x3c00), 1, 0);
    check_near(value_of(KIND_FLOAT16, 0xc500), -5, 0);
    check_near(value_of(KIND_FLOAT16, 0x7bff), 65504, 0);
    check_near(value_of(KIND_FLOAT16, 0x0001), 0x1p-24, 0);
    check_near(value_of(KIND_FLOAT16, 0x83ff), -1023 * 0x1p-24, 0);
    assert_true(isinf(value_of(KIND_FLOAT16, 0x7c00)));
    assert_true(isnan(value_of(KIND_FLOAT16, 0x7e01)));
    check_near(value_of(KIND_BFLOAT16, 0xc0a0), -5, 0);
    assert_true(isnan(value_of(KIND_BFLOAT16, 0x7fc1)));
}

/* No poison passes, whatever is expected. */
static void test_poison(void **state)
{
    static const struct {
        int kind;
        unsigned size;
        unsigned long long expected[3];
    } elements[] = {{KIND_BITS, 1, {0, 0xff, 7}},
                    {KIND_BITS, 8, {0, ~0ull, 7}},
                    {KIND_FLOAT16, 2, {0, 0x7e00, 0x7e02}},
                    {KIND_BFLOAT16, 2, {0, 0x7fc0, 0x3f80}},
                    {KIND_FLOAT32, 4, {0, 0x7fc00001, 0x3f800000}},
                    {KIND_FLOAT64, 8, {0, 0x7ff8000000000001ull, 0x3ff0000000000000ull}}};

    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        unsigned long long want[3] = {0}, got[3] = {0};

        for (unsigned k = 0; k < 3; k++)
            set_bits(want, elements[i].size, k, elements[i].expected[k]);
        occ_poison(elements[i].kind, elements[i].size, got, want, 3, 1);
        for (unsigned k = 0; k < 3; k++) {
            struct found found = nothing;
            const char *a = (const char *)got + k * elements[i].size,
                       *b = (const char *)want + k * elements[i].size;

            occ_compare(elements[i].kind, elements[i].size, a, b, 1, 1e3, 1e3, &found);
            assert_int_equal(found.first, 0);
        }
    }
}

static void test_differ(void **state)
{
    unsigned long long a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4};

    for (unsigned at = 0; at < 29; at++) {
        struct found found = nothing;

        occ_differ(a, b, 29, &found);
        assert_int_equal(found.first, ~0ull);
        ((char *)b)[at] ^= 16;
        occ_differ(a, b, 29, &found);
        assert_int_equal(found.first, at);
        ((char *)b)[at] ^= 16;
    }
}

static void test_guards(void **state)
{
    unsigned char memory[2][100];
    struct guard guards[2] = {{(word)(uintptr_t)memory[0], 100, 1}, {(word)(uintptr_t)memory[1], 99, 2}};
    struct found found[2] = {nothing, nothing};

    for (block = 0; block < 2; block++)
        occ_guard_write(guards);
    for (unsigned at = 0; at < 99; at++) {
        unsigned char kept = memory[1][at];

        memory[1][at] = (unsigned char)at; /* below 0x81: never a guard's byte */
        for (block = 0; block < 2; block++) {
            found[block] = nothing;
            occ_guard_check(guards, found);
        }
        assert_int_equal(found[0].first, ~0ull);
        assert_int_equal(found[1].first, at);
        memory[1][at] = kept;
    }
}

/* Makes the elements of a fill as the worker does and compares them with the host's. */
static void fill_is_the_hosts(const struct fill *fill, enum element_type type)
{
    static const int kinds[ELEMENT_TYPE_COUNT] = {[ELEMENT_FLOAT16] = KIND_FLOAT16,
                                                  [ELEMENT_BFLOAT16] = KIND_BFLOAT16,
                                                  [ELEMENT_FLOAT32] = KIND_FLOAT32,
                                                  [ELEMENT_FLOAT64] = KIND_FLOAT64};
    enum { COUNT = 5000 };
    static unsigned long long made[COUNT], wanted[COUNT];
    const unsigned size = (unsigned)element_size(type);
    struct fill_recipe recipe;

    assert_true(fill_recipe(&recipe, fill, type));
    if (recipe.real)
        occ_fill_real(kinds[type], size, made, COUNT, recipe.stream, recipe.low, recipe.width);
    else
        occ_fill_integer(size, made, COUNT, recipe.stream, recipe.first, recipe.span);
    assert_int_equal(fill_read(fill, type, 0, COUNT, wanted, NULL), 0);
    assert_memory_equal(made, wanted, COUNT * size);
}

/* Ranges that meet subnormal and infinite halves among them. */
static void test_fills(void **state)
{
    static const double ranges[][2] = {{-1, 1},         {0, 0},          {-3e-7, 3e-7}, {-1e5, 1e5},
                                       {-1e-39, 1e-39}, {-1e300, 1e300}, {65504, 65536}};
    static const double whole[][2] = {{-100, 27}, {0, 0}, {5, 120}};
    struct fill fill = {.seed = 7};
    enum element_type type;

    for (type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        fill.kind = FILL_UNIFORM;
        for (size_t r = 0; r < (element_is_integer(type) ? sizeof whole : sizeof ranges) / sizeof *ranges;
             r++) {
            fill.a = element_is_integer(type) ? whole[r][0] : ranges[r][0];
            fill.b = element_is_integer(type) ? whole[r][1] : ranges[r][1];
            fill_is_the_hosts(&fill, type);
        }
        fill.kind = FILL_CONSTANT;
        for (fill.a = -2.5; fill.a < 4; fill.a += 1.25)
            fill_is_the_hosts(&fill, type);
        fill.a = -0.0;
        fill_is_the_hosts(&fill, type);
    }
}

/* PTX from its first directive on, without the line of its version. */
static char *ptx_body(const char *text)
{
    const char *target = strstr(text, ".target");

    assert_non_null(target);
    return strdup(target);
}

/* Takes the numbers out of register names: NVRTC gives them differently from run to run. */
static void forget_registers(char *ptx)
{
    const char *from = ptx;
    char *to = ptx;

    while (*from) {
        bool name = *from == '%';

        *to++ = *from++;
        while (name && *from >= 'a' && *from <= 'z')
            *to++ = *from++;
        while (name && *from >= '0' && *from <= '9')
            from++;
    }
    *to = '\0';
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* OCCUTUNE_REFRESH=1 writes the file anew. */
static void update(const char *path, const char *body)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file,
            "// Made from kernels.cu by NVRTC 13.0: OCCUTUNE_REFRESH=1 and the test unit_kernels make it "
            "anew, and the test\n"
            "// tells when the two differ. The version is lowered to the oldest that has these instructions, "
            "so that older\n"
            "// drivers take it.\n.version 7.0\n%s",
            body);
    fclose(file);
}

static void test_ptx_is_current(void **state)
{
    struct compile_request request = {
        .source_path = "gpu/kernels.cu", .name = "occ_compare", .arch = "compute_75", .deadline_s = 60};
    struct compile_result result;
    struct compiler *compiler;
    struct err err = {0};
    char *made, *kept, *text;

    if (compiler_open(&compiler, NULL, NULL, &err)) {
        print_message("SKIPPED: %s\n", err.text);
        skip();
    }
    if (strcmp(compiler_version(compiler), "13.0")) {
        print_message("SKIPPED: gpu/kernels.ptx was made by NVRTC 13.0, here is %s\n",
                      compiler_version(compiler));
        compiler_close(compiler);
        skip();
    }
    assert_int_equal(compile_cubin(&result, compiler, &request, &err), 0);
    assert_int_equal(result.outcome, OUTCOME_OK);
    made = ptx_body((const char *)result.cubin);
    if (getenv("OCCUTUNE_REFRESH"))
        update("gpu/kernels.ptx", made);
    text = read_text("gpu/kernels.ptx");
    kept = ptx_body(text);
    forget_registers(kept);
    forget_registers(made);
    assert_string_equal(kept, made);
    free(kept);
    free(text);
    free(made);
    compile_result_release(&result);
    compiler_close(compiler);
}

/* The calibration kernel leaves memory as it was, whatever it reads there. */
static void test_pace(void **state)
{
    float data[] = {0, 1, 2, 3};

    occ_pace(data, 4, 100);
    for (int i = 0; i < 4; i++)
        check_near(data[i], i, 0);
}

int main(void)
{
    (void)occ_stamp;
    (void)occ_empty;
    return RUN_TESTS(test_tolerance, test_nan_and_infinity, test_flipped_bits, test_lowest_mismatch_and_worst,
                     test_reduce, test_half_values, test_poison, test_differ, test_guards, test_pace,
                     test_fills, test_ptx_is_current);
}

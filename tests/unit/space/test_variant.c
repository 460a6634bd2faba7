#include "check.h"

#include "launch/element.h"
#include "space/configuration.h"
#include "space/variant.h"

/* Read as if it lay in tests/data/variant, where kernel.cu and table.npy are. */
static const char text[] =
    "{\"kernel\": {\"file\": \"kernel.cu\", \"name\": \"ns::kernel<TILE, HALF, TYPE, TILES>\", \"options\": "
    "[\"--std=c++17\"]},"
    " \"parameters\": {\"TILE\": [16, 32, 0, -1], \"HALF\": [false, true], \"TYPE\": [\"float\"], \"ALPHA\": "
    "[0.5],"
    "   \"FAST\": {\"values\": [false, true], \"option\": \"--use_fast_math\"},"
    "   \"CAP\": {\"values\": [64, 128], \"option\": \"--maxrregcount=%\"}},"
    " \"default\": {\"TILE\": 32, \"FAST\": true},"
    " \"problem\": {\"N\": 1000, \"M\": \"2 * N\"},"
    " \"launch\": {\"grid\": [\"ceil_div(N, TILE)\", 2], \"block\": [\"TILE\"], \"shared\": \"TILE * 4\", "
    "\"carveout\": \"CAP - 28\"},"
    " \"arguments\": [{\"scalar\": \"int32\", \"value\": \"M\"}, {\"scalar\": \"float16\", \"value\": "
    "\"ALPHA\"},"
    "   {\"scalar\": \"bytes\", \"value\": \"00ff10\"}, {\"scalar\": \"uint8\", \"value\": \"HALF\"},"
    "   {\"buffer\": \"float32\", \"name\": \"A\", \"length\": \"N * TILE\", \"fill\": {\"uniform\": [-1, "
    "1], \"seed\": 7}},"
    "   {\"buffer\": \"int32\", \"name\": \"index\", \"length\": \"N\", \"fill\": {\"expression\": "
    "\"random(i) % M\"}},"
    "   {\"symbol\": \"table\", \"type\": \"int32\", \"length\": 6, \"fill\": {\"file\": \"table.npy\"}},"
    "   {\"buffer\": \"float32\", \"name\": \"C\", \"length\": \"N\", \"role\": \"out\"}],"
    " \"reference\": {\"file\": \"kernel.cu\", \"name\": \"plain\", \"launch\": {\"grid\": [\"ceil_div(N, "
    "256)\"], \"block\": [256]}},"
    " \"metrics\": {\"GB/s\": \"4 * N / time / 1e9\"}}";

static void open_spec(struct spec *spec)
{
    struct err err = {0};

    check_ok(spec_read_text(spec, text, sizeof text - 1, "tests/data/variant/spec.json", SPEC_WHOLE, NULL, 0,
                            &err),
             &err);
}

static void make_variant(struct variant *variant, const struct spec *spec, const char *configuration)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct err err = {0};

    check_ok(configuration_parse(choices, spec, configuration, &err) ||
                 variant_make(variant, spec, 0, choices, &err),
             &err);
}

/* What the compiler does not see is a number to expressions all the same; a configuration without an objective
 * cannot be compared. */
static void a_hidden_parameter_weighs_and_launches(void **state)
{
    static const char hidden[] =
        "{\"kernel\": {\"file\": \"kernel.cu\", \"name\": \"k<STEPS>\"}, \"parameters\": {\"TILE\": [16],"
        "   \"STEPS\": {\"values\": [1, 4, 0], \"macro\": false}},"
        " \"launch\": {\"grid\": [\"STEPS + 1\"], \"block\": [32]},"
        " \"arguments\": [{\"buffer\": \"float32\", \"name\": \"C\", \"length\": 8, \"role\": \"out\"},"
        "   {\"scalar\": \"int32\", \"value\": \"STEPS\"}],"
        " \"reference\": {\"file\": \"kernel.cu\", \"name\": \"plain\", \"launch\": {\"grid\": [1], "
        "\"block\": [32]}},"
        " \"objective\": {\"maximize\": \"2 * STEPS / time\"}}";
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct variant variant;
    struct spec spec;
    struct err err = {0};

    check_ok(spec_read_text(&spec, hidden, sizeof hidden - 1, "tests/data/variant/spec.json", SPEC_WHOLE,
                            NULL, 0, &err),
             &err);
    assert_int_equal(configuration_parse(choices, &spec, "STEPS=4", NULL), 0);
    assert_null(
        spec_reference_split(&spec, 0, choices)); /* no macro: the reference has the argument's value alone */
    make_variant(&variant, &spec, "STEPS=4");
    assert_int_equal(variant.option_count, 1);
    assert_string_equal(variant.options[0], "-DTILE=16");
    assert_string_equal(variant.name, "k<4>");
    assert_int_equal(variant.launch.grid[0], 5);
    assert_true(variant.weight == 0.125);
    assert_true(spec_objective(&spec, variant.weight, 0.5) == 16);
    variant_release(&variant);
    make_variant(&variant, &spec, "STEPS=0");
    assert_int_equal(variant.outcome, OUTCOME_CONSTRAINT);
    assert_string_equal(variant.message,
                        "objective: \"2 * STEPS / time\" is 0 at a time of 1 s; expected more than 0");
    variant_release(&variant);
    spec_release(&spec);
}

/* A struct is laid out as in C; what does not fit in a field is the configuration's fault, by its name. */
static void structs_are_laid_out_as_in_c(void **state)
{
    static const char layout[] =
        "{\"kernel\": {\"file\": \"kernel.cu\", \"name\": \"k\"}, \"parameters\": {\"TILE\": [16, 300]},"
        " \"problem\": {\"N\": 1000}, \"launch\": {\"grid\": [1], \"block\": [32]},"
        " \"arguments\": [{\"scalar\": \"struct\", \"name\": \"args\", \"fields\": ["
        "   {\"scalar\": \"uint8\", \"value\": \"TILE\"}, {\"scalar\": \"float64\", \"value\": 0.5},"
        "   {\"scalar\": \"struct\", \"fields\": [{\"scalar\": \"int16\", \"value\": -2},"
        "     {\"scalar\": \"int32\", \"value\": \"2 * N\"}]}, {\"scalar\": \"bytes\", \"value\": \"07\"}]},"
        "   {\"buffer\": \"float32\", \"name\": \"C\", \"length\": \"N\", \"role\": \"out\"}]}";
    const struct {
        uint8_t tile;
        double half;
        struct {
            int16_t small;
            int32_t twice;
        } inner;
        uint8_t last;
    } wanted = {16, 0.5, {-2, 2000}, 7};
    const struct argument *a;
    struct variant variant;
    struct spec spec;
    struct err err = {0};

    check_ok(spec_read_text(&spec, layout, sizeof layout - 1, "tests/data/variant/spec.json", SPEC_WHOLE,
                            NULL, 0, &err),
             &err);
    make_variant(&variant, &spec, "TILE=16");
    a = variant.launch.arguments;
    assert_string_equal(a->name, "args");
    assert_int_equal(a->size, sizeof wanted);
    assert_int_equal(a->bytes[0], wanted.tile);
    assert_memory_equal(a->bytes + 8, &wanted.half, sizeof wanted.half);
    assert_memory_equal(a->bytes + 16, &wanted.inner.small, sizeof wanted.inner.small);
    assert_memory_equal(a->bytes + 20, &wanted.inner.twice, sizeof wanted.inner.twice);
    assert_int_equal(a->bytes[24], wanted.last);
    assert_int_equal(a->bytes[1] + a->bytes[31], 0);
    variant_release(&variant);
    make_variant(&variant, &spec, "TILE=300");
    assert_int_equal(variant.outcome, OUTCOME_LIMITS);
    assert_string_equal(variant.message, "arguments[0].fields[0]: 300 does not fit in uint8");
    variant_release(&variant);
    spec_release(&spec);
}

static void check_options(const struct variant *variant, const char *wanted)
{
    char all[512] = "";

    for (size_t k = 0; k < variant->option_count; k++) {
        strcat(all, k ? " " : "");
        strcat(all, variant->options[k]);
    }
    assert_string_equal(all, wanted);
}

static void parameters_become_options_and_name(void **state)
{
    struct variant variant;
    struct spec spec;

    open_spec(&spec);
    make_variant(&variant, &spec, "TILE=16,HALF=true");
    assert_string_equal(variant.source_path, "tests/data/variant/kernel.cu");
    assert_string_equal(variant.name, "ns::kernel<16, true, float, TILES>");
    check_options(
        &variant,
        "--std=c++17 -DTILE=16 -DHALF=1 -DTYPE=float -DALPHA=0.5 --use_fast_math --maxrregcount=64");
    variant_release(&variant);
    make_variant(&variant, &spec, "FAST=False,CAP=128");
    assert_string_equal(variant.name, "ns::kernel<32, false, float, TILES>");
    check_options(&variant, "--std=c++17 -DTILE=32 -DHALF=0 -DTYPE=float -DALPHA=0.5 --maxrregcount=128");
    variant_release(&variant);
    spec_release(&spec);
}

static void launches_have_every_value_fixed(void **state)
{
    const struct argument *a;
    struct variant variant;
    struct spec spec;
    int32_t integer;

    open_spec(&spec);
    make_variant(&variant, &spec, "TILE=16,HALF=true");
    assert_int_equal(variant.outcome, OUTCOME_OK);
    assert_int_equal(variant.launch.grid[0], 63);
    assert_int_equal(variant.launch.grid[1], 2);
    assert_int_equal(variant.launch.grid[2], 1);
    assert_int_equal(variant.launch.block[0], 16);
    assert_int_equal(variant.launch.shared_bytes, 64);
    assert_int_equal(variant.launch.carveout, 36);
    assert_int_equal(variant.launch.argument_count, 8);
    a = variant.launch.arguments;
    memcpy(&integer, a[0].bytes, 4);
    assert_int_equal(integer, 2000);
    check_near(element_to_real(ELEMENT_FLOAT16, a[1].bytes), 0.5, 0);
    assert_int_equal(a[2].size, 3);
    assert_memory_equal(a[2].bytes, "\x00\xff\x10", 3);
    assert_int_equal(a[3].bytes[0], 1);
    assert_int_equal(a[4].count, 16000);
    assert_int_equal(a[4].fill.seed, 7);
    assert_int_equal(a[5].fill.seed, 6);
    assert_int_equal(a[5].fill.name_count, 1);
    assert_string_equal(a[5].fill.names[0], "M");
    assert_int_equal(a[6].kind, ARGUMENT_SYMBOL);
    assert_int_equal(a[7].role, ROLE_OUT);
    assert_int_equal(launch_prepare(&variant.launch, NULL), 0);
    variant_release(&variant);
    spec_release(&spec);
}

static void what_cannot_be_launched_is_an_outcome(void **state)
{
    static const char *const samples[][2] = {
        {"TILE=0", "launch.grid[0]: \"ceil_div(N, TILE)\": column 1: division by zero"},
        {"TILE=-1", "launch.grid[0]: \"ceil_div(N, TILE)\" is -1000, expected 1 to 4294967295"},
        {"CAP=128,TILE=16", ""},
    };
    struct variant variant;
    struct spec spec;

    open_spec(&spec);
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        make_variant(&variant, &spec, samples[k][0]);
        assert_int_equal(variant.outcome, *samples[k][1] ? OUTCOME_LIMITS : OUTCOME_OK);
        assert_string_equal(variant.message, samples[k][1]);
        assert_int_equal(variant.launch.argument_count, *samples[k][1] ? 0 : 8);
        variant_release(&variant);
    }
    spec_release(&spec);
}

/* One spec per bad argument: `argument` replaces the whole list. */
static void bad_arguments_are_outcomes(void **state)
{
    static const char *const samples[][2] = {
        {"{\"buffer\": \"float16\", \"name\": \"a\", \"length\": \"4096\", \"fill\": {\"constant\": 0}}, "
         "{\"tensor_map\": \"a\", \"dimensions\": [64, 64], \"box\": [64, 8], \"swizzle\": 48}",
         "arguments[1].swizzle: is 48, expected 0, 32, 64 or 128"},
        {"{\"scalar\": \"int8\", \"value\": \"N\"}", "arguments[0]: 1000 does not fit in int8"},
        {"{\"scalar\": \"float16\", \"value\": \"N * N\"}", "arguments[0]: 1000000 does not fit in float16"},
        {"{\"scalar\": \"int32\", \"value\": 0.5}",
         "arguments[0]: \"0.5\": column 1: 0.5 is not an integer; use //, ceil_div, floor or ceil"},
        {"{\"buffer\": \"float64\", \"name\": \"A\", \"role\": \"out\", \"length\": \"2 ** 61\"}",
         "arguments[0].length: \"2 ** 61\" is 2305843009213693952, expected 1 to 1152921504606846975"},
        {"{\"buffer\": \"float64\", \"name\": \"A\", \"role\": \"out\", \"length\": \"N - 1000\"}",
         "arguments[0].length: \"N - 1000\" is 0, expected 1 to 1152921504606846975"},
        {"{\"scalar\": \"int64\", \"value\": \"2 ** (N // 10)\"}",
         "arguments[0]: \"2 ** (N // 10)\": column 3: overflow: the result does not fit in 64 bits"},
    };
    char document[1024];
    const unsigned choices[1] = {0};
    struct variant variant;
    struct spec spec;

    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        snprintf(
            document, sizeof document,
            "{\"kernel\": {\"file\": \"kernel.cu\", \"name\": \"k\"}, \"parameters\": {\"A\": [1]}, "
            "\"problem\": {\"N\": 1000}, \"launch\": {\"grid\": [1], \"block\": [1]}, \"arguments\": [%s]}",
            samples[k][0]);
        assert_int_equal(spec_read_text(&spec, document, strlen(document), "tests/data/variant/spec.json",
                                        SPEC_WHOLE, NULL, 0, NULL),
                         0);
        assert_int_equal(variant_make(&variant, &spec, 0, choices, NULL), 0);
        assert_int_equal(variant.outcome, OUTCOME_LIMITS);
        assert_string_equal(variant.message, samples[k][1]);
        variant_release(&variant);
        spec_release(&spec);
    }
}

static void the_reference_has_the_defaults_macros(void **state)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct variant variant;
    struct spec spec;

    open_spec(&spec);
    assert_int_equal(configuration_parse(choices, &spec, "TILE=16", NULL), 0);
    assert_int_equal(configuration_parse(choices, &spec, "TILE=16,TILE=32", NULL), ERR_USAGE);
    assert_int_equal(variant_reference(&variant, &spec, 0, spec_default(&spec, 0), choices, NULL), 0);
    assert_string_equal(variant.name, "plain");
    check_options(&variant, "--std=c++17 -DTILE=32 -DHALF=0 -DTYPE=float -DALPHA=0.5");
    assert_int_equal(variant.launch.grid[0], 4);
    assert_int_equal(variant.launch.block[0], 256);
    assert_int_equal(variant.launch.arguments[4].count, 16000);
    variant_release(&variant);
    assert_string_equal(spec_reference_split(&spec, 0, choices), "TILE"); /* in the length of an argument */
    assert_null(spec_reference_split(&spec, 0, spec_default(&spec, 0)));
    assert_int_equal(configuration_parse(choices, &spec, "FAST=false", NULL), 0);
    assert_null(spec_reference_split(&spec, 0, choices)); /* in no argument */
    spec_release(&spec);
}

static void source_hashes_see_options_and_text(void **state)
{
    uint64_t one, two, again;
    struct variant variant;
    struct spec spec;

    open_spec(&spec);
    make_variant(&variant, &spec, "TILE=16");
    assert_int_equal(variant_source_hash(&one, &variant, NULL), 0);
    assert_int_equal(variant_source_hash(&again, &variant, NULL), 0);
    variant.options[1][0] = '_';
    assert_int_equal(variant_source_hash(&two, &variant, NULL), 0);
    assert_true(one == again);
    assert_true(one != two);
    variant.source_path = "tests/data/variant/absent.cu";
    assert_int_equal(variant_source_hash(&two, &variant, NULL), ERR_SYSTEM);
    variant_release(&variant);
    spec_release(&spec);
}

static void metrics_come_from_seconds(void **state)
{
    const unsigned choices[SPEC_PARAMETERS_MAX] = {0};
    struct err err = {0};
    struct spec spec;
    double value;

    open_spec(&spec);
    assert_int_equal(spec_metric(&value, &spec, 0, 0, choices, (struct spec_measured){1e-6, 0}, &err), 0);
    check_near(value, 4, 1e-12);
    assert_int_equal(spec_metric(&value, &spec, 0, 0, choices, (struct spec_measured){0, 0}, &err),
                     ERR_USAGE);
    assert_string_equal(err.text, "column 7: division by zero");
    spec_release(&spec);
}

int main(void)
{
    return RUN_TESTS(parameters_become_options_and_name, launches_have_every_value_fixed,
                     a_hidden_parameter_weighs_and_launches, structs_are_laid_out_as_in_c,
                     what_cannot_be_launched_is_an_outcome, bad_arguments_are_outcomes,
                     the_reference_has_the_defaults_macros, source_hashes_see_options_and_text,
                     metrics_come_from_seconds);
}

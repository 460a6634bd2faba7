#include "check.h"

#include "space/configuration.h"

static const char text[] = "{\"parameters\": {\"TILE\": [16, 32, 0, -1], \"HALF\": [false, true], \"TYPE\": "
                           "[\"float\"], \"ALPHA\": [0.5],"
                           "   \"FAST\": {\"values\": [false, true], \"option\": \"--use_fast_math\"},"
                           "   \"CAP\": {\"values\": [64, 128], \"option\": \"--maxrregcount=%\"}},"
                           " \"default\": {\"TILE\": 32, \"FAST\": true}}";

static void open_spec(struct spec *spec)
{
    struct err err = {0};

    check_ok(spec_read_text(spec, text, sizeof text - 1, "t.json", SPEC_SPACE, NULL, 0, &err), &err);
}

static void configurations_go_both_ways(void **state)
{
    unsigned choices[SPEC_PARAMETERS_MAX], back[SPEC_PARAMETERS_MAX];
    struct err err = {0};
    struct json *json;
    struct js_at at;
    struct spec spec;
    char *key;

    open_spec(&spec);
    assert_int_equal(
        configuration_parse(choices, &spec, "TILE=16,HALF=true,CAP=128.0,FAST=False,ALPHA=5e-1", &err), 0);
    key = configuration_key(&spec, choices);
    assert_string_equal(key, "16,True,float,0.5,False,128");
    free(key);
    key = configuration_text(&spec, choices);
    assert_string_equal(key, "TILE=16 HALF=True TYPE=float ALPHA=0.5 FAST=False CAP=128");
    free(key);
    json = configuration_json(&spec, choices);
    at = js_root(json, "record");
    assert_int_equal(configuration_read(back, &spec, &at, &err), 0);
    assert_memory_equal(back, choices, spec.parameter_count * sizeof *back);
    js_set_integer(json, "TILE", 17);
    assert_int_equal(configuration_read(back, &spec, &at, &err), ERR_USAGE);
    assert_string_equal(err.text, "record: TILE: 17 is not among the values of the parameter");
    js_free(json);
    spec_release(&spec);
}

/* One value may begin as another does. */
static void keys_are_read_back(void **state)
{
    static const char like[] = "{\"parameters\": {\"A\": [1, 16], \"OP\": [\"x\", \"x1\", \"x 16\", \"\"], "
                               "\"R\": [0.5, 2.5, 1], \"C\": [\"16\", \"x\"]}}";
    static const char *const strange[] = {"",          "1",       "1,x,0.5", "1,x,0.5,x,",
                                          "1,x,0.5,y", "1,x,2,x", "16",      "1,x,0.5,x,x"};
    unsigned choices[4], back[4];
    struct err err = {0};
    struct spec spec;

    check_ok(spec_read_text(&spec, like, sizeof like - 1, "t.json", SPEC_SPACE, NULL, 0, &err), &err);
    for (unsigned k = 0; k < 2 * 4 * 3 * 2; k++) {
        char *key;

        choices[0] = k % 2;
        choices[1] = k / 2 % 4;
        choices[2] = k / 8 % 3;
        choices[3] = k / 24;
        key = configuration_key(&spec, choices);
        assert_true(configuration_of_key(back, &spec, key));
        assert_memory_equal(back, choices, sizeof back);
        free(key);
    }
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++)
        assert_false(configuration_of_key(back, &spec, strange[k]));
    spec_release(&spec);
}

static void reals_survive_a_written_record(void **state)
{
    static const char thirds[] = "{\"parameters\": {\"R\": [0.5, 0.33333333333333331, 0.1]}}";
    const unsigned choices[1] = {1};
    unsigned back[1];
    struct json *json;
    struct js_at at;
    struct spec spec;
    char *line;

    assert_int_equal(spec_read_text(&spec, thirds, sizeof thirds - 1, "t.json", SPEC_SPACE, NULL, 0, NULL),
                     0);
    json = configuration_json(&spec, choices);
    line = js_text(json, JS_LINE);
    js_free(json);
    assert_int_equal(js_read_text(&json, line, strlen(line), "record", NULL), 0);
    at = js_root(json, "record");
    assert_int_equal(configuration_read(back, &spec, &at, NULL), 0);
    assert_int_equal(back[0], 1);
    free(line);
    js_free(json);
    spec_release(&spec);
}

static void a_truth_is_also_given_as_its_macro(void **state)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct spec spec;
    char *key;

    open_spec(&spec);
    assert_int_equal(configuration_parse(choices, &spec, "HALF=1,FAST=0", NULL), 0);
    key = configuration_text(&spec, choices);
    assert_string_equal(key, "TILE=32 HALF=True TYPE=float ALPHA=0.5 FAST=False CAP=64");
    free(key);
    assert_int_equal(configuration_parse(choices, &spec, "HALF=10", NULL), ERR_USAGE);
    assert_int_equal(configuration_parse(choices, &spec, "HALF=", NULL), ERR_USAGE);
    spec_release(&spec);
}

/* The first constraint that does not hold is named; one without a value says why. */
static void violations_are_named(void **state)
{
    static const char several[] =
        "{\"parameters\": {\"A\": [1, 2, 4]}, \"constraints\": [\"A > 0\", \"A <= N\","
        " \"8 % (A - 2) == 0\"], \"problem\": [{\"N\": 2}, {\"N\": 4}]}";
    struct err err = {0};
    struct spec spec;

    assert_int_equal(spec_read_text(&spec, several, sizeof several - 1, "t.json", SPEC_SPACE, NULL, 0, NULL),
                     0);
    assert_int_equal(configuration_check(&spec, 0, (const unsigned[]){0}, &err), 0);
    assert_int_equal(configuration_check(&spec, 1, (const unsigned[]){2}, &err), 0);
    assert_int_equal(configuration_check(&spec, 0, (const unsigned[]){2}, &err), ERR_USAGE);
    assert_string_equal(err.text, "violates constraints[1], \"A <= N\" for N=2");
    err_clear(&err);
    assert_int_equal(configuration_check(&spec, 1, (const unsigned[]){1}, &err), ERR_USAGE);
    assert_string_equal(err.text,
                        "violates constraints[2], \"8 % (A - 2) == 0\" for N=4: column 3: division by zero");
    spec_release(&spec);
}

static void bad_configurations_are_explained(void **state)
{
    static const char *const samples[][2] = {
        {"TIL=16", "t.json: no parameter is called \"TIL\"; did you mean TILE?"},
        {"WIDTH=16", "t.json: no parameter is called \"WIDTH\""},
        {"TILE=17", "t.json: parameters.TILE: \"17\" is none of 16, 32, 0, -1"},
        {"TILE=", "t.json: parameters.TILE: \"\" is none of 16, 32, 0, -1"},
        {"HALF=2", "t.json: parameters.HALF: \"2\" is none of false, true"},
        {"TILE", "the configuration \"TILE\": write NAME=VALUE,NAME=VALUE"},
    };
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct spec spec;
    struct err err;

    open_spec(&spec);
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        err_clear(&err);
        assert_int_equal(configuration_parse(choices, &spec, samples[k][0], &err), ERR_USAGE);
        assert_string_equal(err.text, samples[k][1]);
    }
    spec_release(&spec);
}

int main(void)
{
    return RUN_TESTS(configurations_go_both_ways, keys_are_read_back, reals_survive_a_written_record,
                     a_truth_is_also_given_as_its_macro, violations_are_named,
                     bad_configurations_are_explained);
}

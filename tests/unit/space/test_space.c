#include "check.h"

#include "space/space.h"

static void open_text(struct spec *spec, struct space **space, const char *text)
{
    struct err err = {0};

    check_ok(spec_read_text(spec, text, strlen(text), "t.json", SPEC_SPACE, NULL, 0, &err) ||
                 space_open(space, spec, 0, &err),
             &err);
}

static void close_both(struct spec *spec, struct space *space)
{
    space_close(space);
    spec_release(spec);
}

/* The next combination in lexicographic order. */
static bool next_combination(unsigned *choices, const struct spec *spec)
{
    for (size_t p = spec->parameter_count; p-- > 0;) {
        if (++choices[p] < spec->parameters[p].value_count)
            return true;
        choices[p] = 0;
    }
    return false;
}

static bool satisfies(const struct spec *spec, const unsigned *choices)
{
    struct value slots[64];
    bool holds;

    spec_slots(slots, spec, 0, choices);
    for (size_t c = 0; c < spec->constraint_count; c++)
        if (expr_bool(&holds, spec->constraints[c], slots, NULL) || !holds)
            return false;
    return listed_has(&spec->listed, choices);
}

/* Every combination, the slow way. */
static void check_against_brute_force(const char *text)
{
    unsigned choices[SPEC_PARAMETERS_MAX] = {0}, found[SPEC_PARAMETERS_MAX];
    uint64_t expected = 0, index, removed = 0;
    struct space *space;
    struct spec spec;
    bool valid;

    open_text(&spec, &space, text);
    do {
        valid = satisfies(&spec, choices);
        assert_int_equal(space_index(&index, space, choices), valid);
        if (!valid)
            continue;
        assert_int_equal(index, expected++);
        space_configuration(found, space, index);
        assert_memory_equal(found, choices, spec.parameter_count * sizeof *found);
    } while (next_combination(choices, &spec));
    assert_int_equal(space_count(space), expected);
    for (size_t c = 0; c <= spec.constraint_count; c++)
        removed += space_removed(space, c).removed;
    assert_int_equal(expected + removed, space_combinations(space));
    close_both(&spec, space);
}

static void indices_agree_with_brute_force(void **state)
{
    static const char *const texts[] = {
        "{\"parameters\": {\"A\": [1, 2, 3]}}",
        "{\"parameters\": {\"A\": [1, 2, 3], \"B\": [1, 2]}, \"constraints\": [\"A != 2\"]}",
        "{\"parameters\": {\"A\": [1, 2, 3, 4], \"B\": [1, 2, 3], \"C\": [true, false], \"D\": [1, 2, 3, 4, "
        "5]},"
        " \"constraints\": [\"A % B == 0\", \"D > A if C else D == 1\", \"B * D < 9\"]}",
        "{\"parameters\": {\"A\": [0, 1, 2], \"B\": [0, 1, 2], \"C\": [0, 1, 2], \"D\": [0, 1, 2], \"E\": "
        "[0, 1]},"
        " \"constraints\": [\"A % D == 0\", \"B <= C\", \"E == 1 or A + B > 1\", \"C // E >= 0\"]}",
        "{\"parameters\": {\"A\": [1, 2], \"B\": [1, 2]}, \"constraints\": [\"false\"]}",
        "{\"parameters\": {\"A\": [1, 2], \"B\": [1, 2]}, \"constraints\": [\"N > 3\", \"A < N\"], "
        "\"problem\": {\"N\": 4}}",
        "{\"parameters\": {\"A\": [1, 2, 3], \"B\": [4, 5], \"C\": [true, false]}, \"configurations\": "
        "[[3, 4, true], [1, 5, false], [3, 4, false], [1, 5, false], [2, 4, true]]}",
        "{\"parameters\": {\"A\": [1, 2, 3], \"B\": [4, 5]}, \"constraints\": [\"A < 3\"], "
        "\"configurations\": [[3, 4], [1, 5], [2, 4]]}",
        "{\"parameters\": {\"A\": [1, 2]}, \"constraints\": [\"A > 1\"], \"configurations\": [[1]]}",
        "{\"parameters\": {\"A\": [0, 1, 2, 3], \"B\": [0, 1, 2, 3], \"C\": [0, 1, 2], \"D\": [0, 1, 2]},"
        " \"constraints\": [\"A * B + C * D <= 6\", \"A + B != 2 * D\", \"A * B <= C + D < 9 - A\"]}",
        "{\"parameters\": {\"A\": [0, 1, 2, 3], \"B\": [0, 1, 2, 3], \"C\": [0, 1, 2], \"D\": [0, 1, 2]},"
        " \"constraints\": [\"A // B + C // D in (1, 2, A + B)\", \"(A * B if A < 2 else C) != D\"]}",
        "{\"parameters\": {\"A\": [0.5, 1, 2, 4], \"B\": [0.5, 1, 2], \"C\": [\"x\", \"y\"], \"D\": [1, 2, "
        "4]},"
        " \"constraints\": [\"A / B * D >= 1\", \"C == 'x' or A * B < D\", \"not (A + B > 4 and D > 1)\"]}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_against_brute_force(texts[i]);
}

/* Fifty spaces of six parameters with constraints picked at random: the merging of prefixes must never show. */
static void random_spaces_agree_with_brute_force(void **state)
{
    static const char *const forms[] = {"%c %% %c == 0", "%c + %c <= 5", "%c != %c", "%c // (%c - 1) > 0",
                                        "%c * %c >= 3"};
    char text[1024];
    unsigned draw;
    int used;

    for (unsigned seed = 0; seed < 50; seed++) {
        used = snprintf(text, sizeof text,
                        "{\"parameters\": {\"A\": [1,2,3], \"B\": [1,2,3,4], \"C\": [2,3], \"D\": [1,2,3], "
                        "\"E\": [1,4], \"F\": [1,2,3]}, \"constraints\": [");
        draw = seed * 2654435761u + 12345;
        for (unsigned c = 0; c < 1 + seed % 4; c++) {
            draw = draw * 1664525u + 1013904223u;
            used += snprintf(text + used, sizeof text - (size_t)used, "%s\"", c ? ", " : "");
            used += snprintf(text + used, sizeof text - (size_t)used, forms[(draw >> 8) % 5],
                             'A' + (draw >> 16) % 6, 'A' + (draw >> 24) % 6);
            used += snprintf(text + used, sizeof text - (size_t)used, "\"");
        }
        snprintf(text + used, sizeof text - (size_t)used, "]}");
        check_against_brute_force(text);
    }
}

static void published_spaces_are_counted(void **state)
{
    static const struct {
        const char *path;
        uint64_t combinations, count;
    } spaces[] = {
        {"tests/data/spaces/gemm.json", 663552, 116928},
        {"tests/data/spaces/hotspot.json", 4440000, 82984},
    };
    unsigned choices[SPEC_PARAMETERS_MAX];
    uint64_t back;
    struct space *space;
    struct spec spec;

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(spec_read(&spec, spaces[i].path, SPEC_SPACE, NULL, 0, NULL), 0);
        assert_int_equal(space_open(&space, &spec, 0, NULL), 0);
        assert_int_equal(space_combinations(space), spaces[i].combinations);
        assert_int_equal(space_count(space), spaces[i].count);
        for (uint64_t index = 0; index < space_count(space); index += 97) {
            space_configuration(choices, space, index);
            assert_true(satisfies(&spec, choices));
            assert_true(space_index(&back, space, choices));
            assert_int_equal(back, index);
        }
        close_both(&spec, space);
    }
}

static void free_parameters_cost_nothing(void **state)
{
    char text[4096] = "{\"parameters\": {\"A\": [1, 2]";
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct space *space;
    struct spec spec;
    uint64_t index;

    for (int p = 0; p < 62; p++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", \"P%d\": [0, 1]", p);
    strcat(text, "}, \"constraints\": [\"A == 2\"]}");
    open_text(&spec, &space, text);
    assert_true(space_combinations(space) == UINT64_C(1) << 63);
    assert_true(space_count(space) == UINT64_C(1) << 62);
    space_configuration(choices, space, (UINT64_C(1) << 62) - 1);
    for (int p = 0; p < 63; p++)
        assert_int_equal(choices[p], 1);
    assert_true(space_index(&index, space, choices));
    assert_true(index == (UINT64_C(1) << 62) - 1);
    close_both(&spec, space);
}

/* Sums and products of many parameters: 4 * 20^6 prefixes come to some thousand values. */
static void sums_are_counted_by_their_values(void **state)
{
    char text[4096] = "{\"parameters\": {", values[128] = "";
    uint64_t products[401] = {0}, sums[3][1301] = {{0}}, count = 0;
    struct space *space;
    struct spec spec;

    for (int v = 1; v <= 20; v++)
        snprintf(values + strlen(values), sizeof values - strlen(values), "%s%d", v > 1 ? ", " : "", v);
    for (char name = 'A'; name <= 'F'; name++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"%c\": [%s]", name > 'A' ? ", " : "",
                 name, values);
    strcat(text, "}, \"constraints\": [\"(A*B + C*D + E*F) * 4 <= 1200\"]}");
    open_text(&spec, &space, text);
    for (int a = 1; a <= 20; a++)
        for (int b = 1; b <= 20; b++)
            products[a * b]++;
    memcpy(sums[0], products, sizeof products);
    for (int k = 1; k < 3; k++)
        for (int s = 0; s <= 800; s++)
            for (int p = 0; p <= 400; p++)
                sums[k][s + p] += sums[k - 1][s] * products[p];
    for (int s = 0; s <= 300; s++)
        count += sums[2][s];
    assert_true(space_count(space) == count);
    close_both(&spec, space);
}

/* Where two constraints tie the same parameters in different ways their values are many: an error after some seconds, or
 * at once when asked to stop. */
static void too_many_cases_are_refused(void **state)
{
    char text[4096] = "{\"parameters\": {";
    const volatile sig_atomic_t stop = 1;
    struct err err = {0};
    struct space *space;
    struct spec spec;

    for (char name = 'A'; name <= 'H'; name++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s\"%c\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]",
                 name > 'A' ? ", " : "", name);
    strcat(text, "}, \"constraints\": [\"A*B*C + D*E*F + G*H*A*4 <= 20000\", \"(A*B*4 + C*D*8 + E*F*2) * 4 "
                 "<= 49152\"]}");
    check_ok(spec_read_text(&spec, text, strlen(text), "t.json", SPEC_SPACE, NULL, 0, &err), &err);
    assert_int_equal(space_open_until(&space, &spec, 0, &stop, &err), ERR_STOPPED);
    assert_string_equal(err.text, "t.json: interrupted while its configurations were counted");
    assert_null(space);
    err_clear(&err);
    assert_int_equal(space_open(&space, &spec, 0, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "t.json: constraints: too many cases to count"));
    assert_null(space);
    spec_release(&spec);
}

static void more_than_64_bits_are_refused_or_saturate(void **state)
{
    char text[4096] = "{\"parameters\": {\"A\": [1, 2]";
    struct err err = {0};
    struct space *space;
    struct spec spec;

    for (int p = 0; p < 70; p++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", \"P%d\": [0, 1]", p);
    strcat(text, "}, \"constraints\": [\"P0 + P1 + P2 + P3 + P4 + P5 + P6 + P7 + P8 == 0\"]}");
    open_text(&spec, &space, text);
    assert_true(space_combinations(space) == UINT64_MAX);
    assert_true(space_count(space) == UINT64_C(1) << 62);
    close_both(&spec, space);
    strcpy(strstr(text, ", \"constraints\""), "}");
    assert_int_equal(spec_read_text(&spec, text, strlen(text), "t.json", SPEC_SPACE, NULL, 0, &err), 0);
    assert_int_equal(space_open(&space, &spec, 0, &err), ERR_USAGE);
    assert_string_equal(err.text,
                        "t.json: parameters: more than 2^64 valid configurations; give fewer values or more "
                        "constraints");
    assert_null(space);
    spec_release(&spec);
}

static void removals_say_which_constraint(void **state)
{
    struct space_removal removal;
    struct space *space;
    struct spec spec;

    open_text(&spec, &space,
              "{\"parameters\": {\"A\": [0, 1, 2, 4], \"B\": [1, 2, 3]},"
              " \"constraints\": [\"B % A == 0\", \"A < 4\"]}");
    removal = space_removed(space, 1); /* decided first: A is bound before B */
    assert_int_equal(removal.removed, 3);
    assert_int_equal(removal.undefined, 0);
    assert_null(removal.reason);
    removal = space_removed(space, 0);
    assert_int_equal(removal.removed, 5);
    assert_int_equal(removal.undefined, 3);
    assert_string_equal(removal.reason, "column 3: division by zero, at A=0 B=1");
    assert_int_equal(space_count(space), 4);
    close_both(&spec, space);
    open_text(&spec, &space, "{\"parameters\": {\"A\": [0]}, \"constraints\": [\"1 % (2 - 2) == 0\"]}");
    assert_string_equal(space_removed(space, 0).reason,
                        "column 3: division by zero"); /* whatever the values */
    close_both(&spec, space);
}

static void neighbours_differ_in_one_parameter(void **state)
{
    static const uint64_t wanted[] = {3, 1, 2};
    uint64_t found[8];
    struct space *space;
    struct spec spec;

    open_text(&spec, &space,
              "{\"parameters\": {\"A\": [1, 2, 3], \"B\": [1, 2, 3]}, \"constraints\": [\"not (A == 3 and B "
              "== 1)\"]}");
    assert_int_equal(space_neighbour_limit(space), 4);
    assert_int_equal(space_neighbours(found, space, 0), 3);
    assert_memory_equal(found, wanted, sizeof wanted);
    close_both(&spec, space);
}

static uint64_t default_of(const char *text)
{
    struct space *space;
    struct spec spec;
    uint64_t index;

    open_text(&spec, &space, text);
    assert_int_equal(space_default(&index, space, NULL), 0);
    close_both(&spec, space);
    return index;
}

static void a_search_starts_somewhere_valid(void **state)
{
    assert_int_equal(default_of("{\"parameters\": {\"A\": [1, 2, 3]}}"), 0);
    assert_int_equal(default_of("{\"parameters\": {\"A\": [1, 2, 3]}, \"constraints\": [\"A > 1\"]}"), 0);
    assert_int_equal(default_of("{\"parameters\": {\"A\": [1, 2], \"B\": [1, 2]}, \"default\": {\"B\": 2}}"),
                     1);
}

static void an_empty_space_names_the_constraint(void **state)
{
    struct err err = {0};
    struct space *space;
    struct spec spec;
    uint64_t index;

    open_text(&spec, &space,
              "{\"parameters\": {\"A\": [0, 1, 2]}, \"constraints\": [\"A < 2\", \"1 // (A - A) == 1\"]}");
    assert_int_equal(space_count(space), 0);
    assert_int_equal(space_default(&index, space, &err), ERR_USAGE);
    assert_string_equal(
        err.text, "t.json: constraints[1]: no configuration is valid; \"1 // (A - A) == 1\" removes most "
                  "(column 3: division by zero, at A=0)");
    close_both(&spec, space);
}

static void a_problem_changes_its_space(void **state)
{
    static const char text[] = "{\"parameters\": {\"A\": [1, 2, 3]}, \"constraints\": [\"N % A == 0\"],"
                               " \"problem\": [{\"N\": 4}, {\"N\": 6}, {\"N\": 5}]}";
    static const uint64_t counts[] = {2, 3, 1};
    struct space *space;
    struct spec spec;

    assert_int_equal(spec_read_text(&spec, text, strlen(text), "t.json", SPEC_SPACE, NULL, 0, NULL), 0);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(space_open(&space, &spec, k, NULL), 0);
        assert_int_equal(space_count(space), counts[k]);
        space_close(space);
    }
    spec_release(&spec);
}

int main(void)
{
    return RUN_TESTS(indices_agree_with_brute_force, random_spaces_agree_with_brute_force,
                     published_spaces_are_counted, free_parameters_cost_nothing,
                     sums_are_counted_by_their_values, too_many_cases_are_refused,
                     more_than_64_bits_are_refused_or_saturate, removals_say_which_constraint,
                     neighbours_differ_in_one_parameter, a_search_starts_somewhere_valid,
                     an_empty_space_names_the_constraint, a_problem_changes_its_space);
}

/* tuner/library/choice: which configuration stands for a device and a size, without GPU or compiler. */
#include "made_kernel.h"

#include "base/hash.h"
#include "space/configuration.h"
#include "tuner/decision/source_hash.h"
#include "tuner/library/choice.h"

static char said[2000];

static void keep(void *context, const char *text)
{
    strncat(said, text, sizeof said - strlen(said) - 2);
    strcat(said, "\n");
}

static struct chooser open_chooser(const char *const *names, size_t count)
{
    struct decision decisions[4];
    const struct decision *list[4];
    struct chooser chooser;
    struct err err = {0};

    said[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        check_ok(decision_read(&decisions[i], made_path(names[i]), &err), &err);
        list[i] = &decisions[i];
    }
    check_ok(chooser_init(&chooser, made_path("spec.json"), list, count, keep, NULL, &err), &err);
    for (size_t i = 0; i < count; i++)
        decision_release(&decisions[i]);
    return chooser;
}

static void check_choice(const struct chooser *chooser, const char *device, unsigned sm, double n,
                         enum choice_fit fit, unsigned threads)
{
    struct choice choice;
    struct err err = {0};

    check_ok(chooser_find(&choice, chooser, device, sm, &n, &err), &err);
    assert_int_equal(choice.fit, fit);
    assert_int_equal(choice.launch.block[0], threads);
    assert_int_equal(choice.launch.grid[0], n / threads);
}

static void falls_back_as_the_header(void **state)
{
    const char *const names[] = {"a.json", "b.json"};
    struct chooser chooser;

    made_decision("a.json", "First GPU", 90, "", (struct made_row[]){{4096, 64, 0}, {1 << 20, 128, 0}}, 2);
    made_decision("b.json", "Second GPU", 80, "", (struct made_row[]){{4096, 128, 0}}, 1);
    chooser = open_chooser(names, 2);
    check_choice(&chooser, "first-gpu", 90, 4096, CHOICE_EXACT, 64);
    check_choice(&chooser, "first-gpu", 90, 1 << 20, CHOICE_EXACT, 128);
    check_choice(&chooser, "first-gpu", 90, 1 << 15, CHOICE_NEAREST, 64);
    check_choice(&chooser, "first-gpu", 90, 1 << 17, CHOICE_NEAREST, 128);
    check_choice(&chooser, "second-gpu", 80, 4096, CHOICE_EXACT, 128);
    check_choice(&chooser, "third-gpu", 90, 4096, CHOICE_ARCHITECTURE, 64);
    check_choice(&chooser, "third-gpu", 75, 4096, CHOICE_OVERALL, 128); /* best in two rows of three */
    chooser_release(&chooser);
}

/* A row of the device itself stands before one of another of its architecture, however near that is and
 * whichever is read first. */
static void prefers_its_own_device(void **state)
{
    const char *const orders[2][2] = {{"a.json", "b.json"}, {"b.json", "a.json"}};
    struct chooser chooser;

    made_decision("a.json", "First GPU", 90, "", (struct made_row[]){{1 << 20, 64, 0}}, 1);
    made_decision("b.json", "Second GPU", 90, "", (struct made_row[]){{4096, 128, 0}}, 1);
    for (int k = 0; k < 2; k++) {
        chooser = open_chooser(orders[k], 2);
        check_choice(&chooser, "first-gpu", 90, 4096, CHOICE_NEAREST, 64);
        chooser_release(&chooser);
    }
}

static void passes_over_what_is_not_valid(void **state)
{
    const char *const names[] = {"a.json"};
    struct chooser chooser;
    struct choice choice;
    struct err err = {0};

    made_decision("a.json", "First GPU", 90, "", (struct made_row[]){{4096, 128, 0}, {1 << 20, 64, 0}}, 2);
    chooser = open_chooser(names, 1);
    check_choice(&chooser, "first-gpu", 90, 4096 + 64, CHOICE_NEAREST, 64);
    check_choice(&chooser, "first-gpu", 90, 4096 + 32, CHOICE_DEFAULT, 32);
    assert_int_equal(chooser_find(&choice, &chooser, "first-gpu", 90, &(double){4097}, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "valid for N=4097, and the default is not: constraints[0]"));
    err_clear(&err);
    assert_int_equal(chooser_find(&choice, &chooser, "first-gpu", 90, &(double){0}, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "launch.grid[0]"));
    err_clear(&err);
    assert_int_equal(chooser_find(&choice, &chooser, "first-gpu", 90, &(double){NAN}, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "problem size N is not finite"));
    chooser_release(&chooser);
}

static void does_without_decisions(void **state)
{
    struct chooser chooser = open_chooser(NULL, 0);

    check_choice(&chooser, "first-gpu", 90, 4096, CHOICE_DEFAULT, 32);
    assert_string_equal(said, "");
    chooser_release(&chooser);
}

static void leaves_aside_what_the_spec_no_longer_has(void **state)
{
    const char *const names[] = {"a.json"};
    struct chooser chooser;

    made_decision("a.json", "First GPU", 90, "", (struct made_row[]){{4096, 512, 0}, {1 << 20, 64, 0}}, 2);
    chooser = open_chooser(names, 1);
    assert_non_null(strstr(said, "problems[0].best.configuration"));
    assert_non_null(strstr(said, "left aside: tune again"));
    check_choice(&chooser, "first-gpu", 90, 4096, CHOICE_NEAREST, 64);
    chooser_release(&chooser);
}

static void says_that_the_source_has_changed(void **state)
{
    const char *const names[] = {"a.json"};
    struct chooser chooser;

    made_decision("a.json", "First GPU", 90, "0123456789abcdef", (struct made_row[]){{4096, 64, 0}}, 1);
    chooser = open_chooser(names, 1);
    assert_non_null(strstr(said, "a.json: "));
    assert_non_null(strstr(said, "copy.cu, its headers or its options have changed since it was tuned"));
    check_choice(&chooser, "first-gpu", 90, 4096, CHOICE_EXACT, 64);
    chooser_release(&chooser);
}

/* Of the default, by either function. */
static const char *hash_text_of(int (*hash)(uint64_t *, const struct variant *, struct err *))
{
    static char digits[17];
    unsigned choices[3];
    struct variant variant;
    struct spec spec;
    uint64_t value;
    struct err err = {0};

    check_ok(spec_read(&spec, made_path("spec.json"), SPEC_WHOLE, NULL, 0, &err), &err);
    check_ok(configuration_parse(choices, &spec, "THREADS=32,BROKEN=0,SHARED=0", &err), &err);
    check_ok(variant_make(&variant, &spec, 0, choices, &err), &err);
    check_ok(hash(&value, &variant, &err), &err);
    hash_hex(digits, value);
    variant_release(&variant);
    spec_release(&spec);
    return digits;
}

static void check_said(bool wanted)
{
    struct chooser chooser = open_chooser(&(const char *){"a.json"}, 1);

    assert_int_equal(strstr(said, "have changed since it was tuned") != NULL, wanted);
    chooser_release(&chooser);
}

static void says_that_a_header_has_changed(void **state)
{
    const struct made_row rows[] = {{4096, 64, 0}};

    made_write("factor.h", "#define FACTOR 1\n");
    made_write("copy.cu", "#include \"factor.h\"\nextern \"C\" __global__ void copy() {}\n");
    made_decision("a.json", "First GPU", 90, hash_text_of(source_hash), rows, 1);
    check_said(false);
    made_write("factor.h", "#define FACTOR 3\n");
    check_said(true);
    made_decision("a.json", "First GPU", 90, hash_text_of(variant_source_hash), rows, 1);
    check_said(false); /* a decision of before headers were looked at */
}

int main(void)
{
    return RUN_TESTS_EACH(made_set_up, made_tear_down, falls_back_as_the_header, prefers_its_own_device,
                          passes_over_what_is_not_valid, does_without_decisions,
                          leaves_aside_what_the_spec_no_longer_has, says_that_the_source_has_changed,
                          says_that_a_header_has_changed);
}

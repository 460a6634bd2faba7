/* Tuning through the shared library, from the recording of a kernel of the library: it finds what is
 * installed or built beside it. Skipped aloud where there is no NVRTC. */
#include "check.h"

#include <occutune.h>

static char said[4000];

static void keep(void *context, const char *text)
{
    strncat(said, text, sizeof said - strlen(said) - 2);
    strcat(said, "\n");
}

static int tune(occutune_decision **out, struct occutune_options *options, struct occutune_error *error)
{
    said[0] = '\0';
    options->recorded = "kernels/abs_inplace/recorded/nvidia-h200.json.gz";
    options->trials = 1;
    options->audit = 0;
    options->message = keep;
    return occutune_tune(out, "kernels/abs_inplace/spec.json", options, error);
}

static void goes_by_the_model(void **state)
{
    struct occutune_options options;
    struct occutune_error error = {0};
    occutune_decision *decision;

    occutune_options_init(&options);
    assert_string_equal(options.strategy, "model");
    assert_int_equal(options.audit, 20);
    if (tune(&decision, &options, &error))
        fail_msg("%s", error.text);
    assert_null(strstr(said, "nothing is predicted"));
    assert_string_equal(occutune_level(decision), "recorded");
    assert_int_equal(occutune_row_count(decision), 1);
    occutune_free(decision);
}

static void says_when_there_is_no_profile(void **state)
{
    struct occutune_options options;
    struct occutune_error error = {0};
    occutune_decision *decision;

    occutune_options_init(&options);
    setenv("OCCUTUNE_SHARE", "/nonexistent", 1);
    if (tune(&decision, &options, &error))
        fail_msg("%s", error.text);
    unsetenv("OCCUTUNE_SHARE");
    assert_non_null(strstr(said, "nothing is predicted, measured times alone guide the search"));
    assert_int_equal(occutune_row_count(decision), 1);
    occutune_free(decision);
}

static void takes_the_profile_asked_for(void **state)
{
    struct occutune_options options;
    struct occutune_error error = {0};
    occutune_decision *decision;

    occutune_options_init(&options);
    options.profile = "model/device/profiles/nvidia-h200.json";
    if (tune(&decision, &options, &error))
        fail_msg("%s", error.text);
    assert_string_equal(said, "");
    occutune_free(decision);
    options.profile = "tests/data/spaces/gemm.json";
    assert_int_equal(tune(&decision, &options, &error), OCCUTUNE_USAGE);
    assert_null(decision);
    assert_non_null(strstr(error.text, "tests/data/spaces/gemm.json"));
}

/* Whether anything can be compiled here. */
static bool skipped(void)
{
    struct occutune_options options;
    struct occutune_error error = {0};
    occutune_decision *decision;
    bool missing;

    occutune_options_init(&options);
    if (tune(&decision, &options, &error))
        return false;
    occutune_free(decision);
    missing = strstr(said, "NVRTC") != NULL;
    if (missing)
        printf("skipped: %s", said);
    return missing;
}

int main(void)
{
    if (skipped())
        return 77;
    return RUN_TESTS(goes_by_the_model, says_when_there_is_no_profile, takes_the_profile_asked_for);
}

/* The shared library in an application whose locale writes numbers with a comma. The locale is made here,
 * since few machines have one installed; where that cannot be done the test is skipped aloud. */
#include "made_kernel.h"

#include <occutune.h>

#include <locale.h>
#include <stdlib.h>

static void numbers_are_those_of_c(void **state)
{
    struct occutune_error error = {0};
    struct occutune_launch launch;
    occutune_kernel *kernel;
    char text[8];

    made_write(
        "spec.json",
        "{\"kernel\": {\"file\": \"copy.cu\", \"name\": \"copy\"}, \"parameters\": {\"ALPHA\": [0.25, 0.5]},"
        " \"constraints\": [\"ALPHA * 2.5 > 1.0\"], \"default\": {\"ALPHA\": 0.5},"
        " \"launch\": {\"grid\": [1], \"block\": [32]}, \"arguments\": []}");
    if (occutune_kernel_open(&kernel, made_path("spec.json"), NULL, 0, NULL, &error) ||
        occutune_kernel_choose(&launch, kernel, "Example GPU", 90, NULL, &error))
        fail_msg("%s", error.text);
    assert_string_equal(launch.options[0], "-DALPHA=0.5");
    occutune_kernel_close(kernel);
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* the application has its own again */
}

/* Into the folder of the test, which is there by then. */
static int enter_german(void **state)
{
    char command[256];

    if (made_set_up(state))
        return -1;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             made_folder);
    if (!system(command) && !setenv("LOCPATH", made_folder, 1) && setlocale(LC_ALL, "de_DE.UTF-8"))
        return 0;
    printf("no locale with a comma can be made here (localedef, Debian's package locales): skipped\n");
    made_tear_down(state);
    exit(77);
}

int main(void)
{
    return RUN_TESTS_EACH(enter_german, made_tear_down, numbers_are_those_of_c);
}

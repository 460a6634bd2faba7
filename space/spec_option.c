#include "space/spec_option.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Of NVRTC, and of ptxas, which it hands -Xptxas to. Written with one dash or two, and with or without a
 * value. */
static const char *const writing[] = {"time",
                                      "fdevice-time-trace",
                                      "create-pch",
                                      "pch",
                                      "pch-dir",
                                      "keep",
                                      "keep-dir",
                                      "save-temps",
                                      "Xnvvm",
                                      "o",
                                      "output-file",
                                      "options-file",
                                      "optf",
                                      "ftrace-phase-after",
                                      "use-trace-pid",
                                      "compiler-stats-file",
                                      "dump-perf-stats",
                                      "dump-perf-metrics-file",
                                      "dump-nvvmir",
                                      "ext-desc-file",
                                      NULL};

/* What comes of these is for a linker. */
static const char *const linking[] = {"dlto", "dlink-time-opt", NULL};

static bool is_named(const char *option, const char *const *name)
{
    size_t length;

    option += strspn(option, "-");
    length = strcspn(option, "= \t");
    for (; *name; name++)
        if (strlen(*name) == length && !strncmp(option, *name, length))
            return true;
    return false;
}

/* What an option hands on to ptxas; null for others. */
static const char *handed_on(const char *option)
{
    static const char *const names[] = {"Xptxas", "ptxas-options"};

    option += strspn(option, "-");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strncmp(option, names[k], strlen(names[k])))
            return option + strlen(names[k]);
    return NULL;
}

int spec_option_check(const struct js_at *at, const char *option, struct err *err)
{
    const char *rest = handed_on(option), *c;
    bool writes = *option == '-' && is_named(option, writing);

    for (; rest && *rest && !writes; rest += strcspn(rest, "=, \t")) {
        rest += strspn(rest, "=, \t");
        writes = *rest == '-' && is_named(rest, writing);
    }
    if (writes)
        return js_fail(at, err, "%s makes the compiler write or read files: a spec may not", option);
    if (is_named(option, linking))
        return js_fail(at, err, "%s leaves no machine code to launch: leave it out", option);
    for (c = option; *c; c++)
        if (iscntrl((unsigned char)*c))
            return js_fail(at, err, "holds a control character");
    return 0;
}

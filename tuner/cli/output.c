#include "tuner/cli/output.h"

#include "tuner/cli/choose.h"
#include "tuner/evaluate/environment.h"

#include <stdlib.h>

int output_write(struct cli *cli, const char *path, const struct format *format,
                 const struct format_input *in, struct err *err)
{
    char *text;
    size_t size;
    int rc = format_text(&text, &size, format, in, err);

    if (!rc)
        rc = cli_write(cli, path, text, size, err);
    free(text);
    return rc;
}

/* False without an error: there is none. */
static bool open_profile(struct device *out, const char *profile, const struct report_options *runs,
                         struct err *err)
{
    struct js_at at;
    const char *name;
    char slug[128];

    device_init(out);
    if (profile)
        return !choose_device(out, profile, err);
    if (!runs->problem_count || !js_find(&at, &runs->problems[0].head, "device_name") ||
        js_string(&name, &at, NULL))
        return false;
    environment_slug(slug, sizeof slug, name);
    return !choose_device(out, slug, NULL);
}

int output_runs(struct cli *cli, const char *path, const struct format *format,
                const struct decision *decision, const struct report_options *runs, const char *profile,
                struct err *err)
{
    struct report_options shown = *runs;
    const struct format_input in = {
        .decisions = decision, .decision_count = decision != NULL, .runs = &shown};
    struct device device;
    struct err why = {0};
    const bool known = open_profile(&device, profile, runs, &why);
    int rc = why.code ? err_set(err, (enum err_code)why.code, "%s", why.text) : 0;

    shown.profile = known ? &device : NULL;
    shown.version = OCCUTUNE_VERSION;
    if (!rc)
        rc = output_write(cli, path, format, &in, err);
    device_release(&device);
    return rc;
}

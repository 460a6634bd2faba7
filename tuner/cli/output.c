#include "tuner/cli/output.h"

#include "tuner/cli/choose.h"
#include "tuner/evaluate/environment.h"

#include <stdlib.h>
#include <string.h>

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

static const char *device_name(const struct report_problem *problem)
{
    struct js_at at;
    const char *name;

    return js_find(&at, &problem->head, "device_name") && !js_string(&name, &at, NULL) ? name : "";
}

/* Of a problem's GPU; without an error where there is none. */
static int open_profile(struct device *out, struct report_problem *problem, const char *profile,
                        struct err *err)
{
    char slug[128];

    device_init(out);
    if (profile) {
        problem->profile = out;
        return choose_device(out, profile, err);
    }
    environment_slug(slug, sizeof slug, device_name(problem));
    problem->profile = *device_name(problem) && !choose_device(out, slug, NULL) ? out : NULL;
    return 0;
}

/* Each problem's profile; several of one GPU share it. */
static int open_profiles(struct device *out, struct report_problem *problems, size_t count,
                         const char *profile, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; i < count; i++)
        device_init(&out[i]);
    for (size_t i = 0; i < count && !rc; i++) {
        size_t same = 0;

        while (same < i && strcmp(device_name(&problems[same]), device_name(&problems[i])))
            same++;
        if (same < i)
            problems[i].profile = problems[same].profile;
        else
            rc = open_profile(&out[i], &problems[i], profile, err);
    }
    return rc;
}

int output_runs(struct cli *cli, const char *path, const struct format *format,
                const struct decision *decision, const struct report_options *runs, const char *profile,
                struct err *err)
{
    const size_t count = runs->problem_count;
    struct report_options shown = *runs;
    const struct format_input in = {
        .decisions = decision, .decision_count = decision != NULL, .runs = &shown};
    struct report_problem *problems = malloc((count + 1) * sizeof *problems);
    struct device *devices = malloc((count + 1) * sizeof *devices);
    int rc = problems && devices ? 0 : err_memory(err);

    if (!rc) {
        memcpy(problems, runs->problems, count * sizeof *problems);
        rc = open_profiles(devices, problems, count, profile, err);
        shown.problems = problems;
        shown.version = OCCUTUNE_VERSION;
        if (!rc)
            rc = output_write(cli, path, format, &in, err);
        for (size_t i = 0; i < count; i++)
            device_release(&devices[i]);
    }
    free(problems);
    free(devices);
    return rc;
}

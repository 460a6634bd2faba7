#include "tuner/cli/choose.h"
#include "tuner/cli/cli.h"

#include "base/file.h"
#include "micro/agree.h"
#include "micro/calibrate.h"
#include "micro/report.h"
#include "tuner/evaluate/environment.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"device", 0, "N", "the GPU to measure; 0 when not given"},
    {"output", 'o', "FILE", "write the profile here; when not given, the GPU's name and .json"},
    {"full", 0, NULL, "measure what only people read, too, not just what the model needs"},
    {"report", 0, "FILE", "write a page of tables and pictures"},
    {"against", 0, "PROFILE", "say what differs from an earlier calibration"},
    {"quiet", 'q', NULL, "no progress"},
    {"json", 0, NULL, "print the profile"},
    {0},
};

struct watcher {
    struct cli *cli;
    bool quiet;
};

static int watch(void *context, const char *group, size_t done, size_t total)
{
    const struct watcher *watcher = context;

    if (!watcher->quiet)
        fprintf(watcher->cli->err, "%2zu of %zu  %s\n", done + 1, total, group);
    return watcher->cli->stop && *watcher->cli->stop;
}

static int write_report(const char *path, const struct device *device, struct err *err)
{
    char *page;
    int rc = calibrate_report(&page, device, err);

    if (!rc)
        rc = file_write(path, page, strlen(page), err);
    free(page);
    return rc;
}

static void print_summary(FILE *out, const struct device *device, bool full, const char *path)
{
    size_t known = 0, wanted = 0;

    for (int i = 0; i < DEVICE_VALUE_COUNT; i++) {
        known += device->values[i].known;
        wanted += full || !device_value_info((enum device_value_id)i)->full;
    }
    fprintf(out, "%s: %zu of %zu values known, written to %s\n", device->name, known, wanted, path);
    for (size_t i = 0; i < device->note_count; i++)
        fprintf(out, "  %s\n", device->notes[i]);
}

/* What differs from an earlier profile, if one was named. */
static int print_differences(FILE *out, const struct device *device, const struct device *earlier,
                             const char *path, struct err *err)
{
    size_t compared;
    char *lines;
    const int rc = calibrate_differences(&lines, &compared, earlier, device, err);

    if (rc)
        return rc;
    fprintf(out,
            "%s %s: %zu values compared, latencies and throughputs within 2 %%, capacities within 5 %%%s\n%s",
            *lines ? "differs from" : "agrees with", path, compared, *lines ? ", save" : "", lines);
    free(lines);
    return 0;
}

static int deliver(struct cli *cli, const struct cli_args *args, const struct device *device,
                   const struct device *earlier, struct err *err)
{
    const char *report = cli_text(args, "report"), *output = cli_text(args, "output");
    char name[160];
    int rc;

    if (!output) {
        environment_slug(name, sizeof name - sizeof ".json", device->name);
        strcat(name, ".json");
        output = name;
    }
    rc = device_write(device, output, err);
    if (!rc && report)
        rc = write_report(report, device, err);
    if (rc)
        return rc;
    if (cli_given(args, "json"))
        return cli_print_json(cli, device_to_json(device), err);
    print_summary(cli->out, device, cli_given(args, "full"), output);
    return earlier->name[0] ? print_differences(cli->out, device, earlier, cli_text(args, "against"), err)
                            : 0;
}

static int measure(struct cli *cli, const struct cli_args *args, const struct environment *environment,
                   const struct device *earlier, struct err *err)
{
    struct watcher watcher = {cli, cli_given(args, "quiet")};
    const struct calibrate_options calibrate_options = {
        .progress = watch, .context = &watcher, .full = cli_given(args, "full")};
    struct device device;
    int rc;

    if (!environment->compiler)
        return err_set(err, ERR_MISSING, "%s", environment->compiler_err.text);
    if (environment->worker_count == 0)
        return err_set(err, ERR_MISSING, "a GPU is needed to calibrate it: %s", environment->worker_err.text);
    rc = calibrate(&device, environment->workers[0], environment->compiler, &calibrate_options, err);
    if (rc)
        return rc;
    rc = deliver(cli, args, &device, earlier, err);
    device_release(&device);
    return rc;
}

static int run_calibrate(struct cli *cli, const struct cli_args *args, struct err *err)
{
    const char *device = cli_text(args, "device"), *against = cli_text(args, "against");
    char cache[4096];
    const struct environment_options environment_options = {.device = device ? device : "0",
                                                            .cache = cli_cache(cli, cache, sizeof cache)};
    struct device earlier;
    struct environment environment;
    int rc;

    cli->catch_stop();
    device_init(&earlier); /* no name: nothing to compare with */
    if (device && !environment_is_number(device)) {
        err_set(err, ERR_USAGE, "--device %s: the number of a GPU is wanted", device);
        return CLI_WRONG_USE;
    }
    if (cli_check_output(args, "output", NULL, err) || cli_check_output(args, "report", NULL, err))
        return CLI_WRONG_USE;
    rc = against ? choose_profile(&earlier, against, err) : 0;
    if (!rc)
        rc = environment_open(&environment, &environment_options, err);
    if (!rc) {
        rc = measure(cli, args, &environment, &earlier, err);
        environment_close(&environment);
    }
    device_release(&earlier);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_calibrate = {
    "calibrate", "", "measures a GPU and writes its device profile", options, 0, 0, run_calibrate};

#include "micro/calibrate.h"

#include "micro/micro.h"
#include "micro/sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { READ = 0, FULL = 1 };
static const struct group {
    const char *name;
    int (*run)(const struct micro *micro, struct err *err);
    bool full; /* see struct part */
} groups[] = {
#define GROUP(text, name, full, file) {text, micro_##name, full},
#include "micro/groups.def"
#undef GROUP
};
enum { GROUPS = sizeof groups / sizeof *groups };

static int write_source(const char *directory, const struct micro_source *source, struct err *err)
{
    char path[2048];
    FILE *file;
    bool written;

    snprintf(path, sizeof path, "%s/%s", directory, source->name);
    file = fopen(path, "w");
    written = file && fputs(source->text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    return written ? 0 : err_set(err, ERR_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
}

static int make_directory(char path[1024], struct err *err)
{
    const char *parent = getenv("TMPDIR");
    int rc = 0;

    snprintf(path, 1024, "%.900s/occutune-calibrate-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(path))
        return err_set(err, ERR_SYSTEM, "%s: cannot be made: %s", path, strerror(errno));
    for (size_t i = 0; rc == 0 && i < micro_source_count; i++)
        rc = write_source(path, &micro_sources[i], err);
    return rc;
}

static void remove_directory(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        char file[2048];

        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(file);
    }
    if (directory)
        closedir(directory);
    rmdir(path);
}

static int run_groups(const struct micro *micro, const struct calibrate_options *options, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < GROUPS; i++) {
        if (options->progress && options->progress(options->context, groups[i].name, i, GROUPS))
            return err_set(err, ERR_STOPPED, "calibration stopped before %s", groups[i].name);
        if (micro->full || !groups[i].full)
            rc = groups[i].run(micro, err);
    }
    return rc;
}

/* What was measured on the way and nothing reads. */
static void leave_out(struct device *device)
{
    for (int i = 0; i < DEVICE_VALUE_COUNT; i++)
        if (device_value_info((enum device_value_id)i)->full)
            device->values[i] = (struct device_value){0};
    for (int i = 0; i < DEVICE_CURVE_COUNT; i++)
        if (device_curve_info((enum device_curve_id)i)->full)
            device_curve_release(&device->curves[i]);
}

static void stamp_identity(struct device *device, const struct compiler *compiler)
{
    const time_t now = time(NULL);
    struct tm today;

    snprintf(device->toolkit, sizeof device->toolkit, "NVRTC %.20s", compiler_version(compiler));
    if (gmtime_r(&now, &today))
        strftime(device->date, sizeof device->date, "%Y-%m-%d", &today);
}

int calibrate(struct device *out, struct worker *worker, struct compiler *compiler,
              const struct calibrate_options *options, struct err *err)
{
    char directory[1024];
    struct micro micro = {
        .worker = worker, .compiler = compiler, .device = out, .directory = directory, .full = options->full};
    int rc = worker_describe(out, worker, err);

    if (rc)
        return rc;
    stamp_identity(out, compiler);
    snprintf(micro.arch, sizeof micro.arch, "sm_%u", out->sm);
    micro.sms = (unsigned)out->limits.sm_count;
    rc = make_directory(directory, err);
    if (rc == 0)
        rc = run_groups(&micro, options, err);
    remove_directory(directory);
    if (rc == 0 && !options->full)
        leave_out(out);
    if (rc)
        device_release(out);
    return rc;
}

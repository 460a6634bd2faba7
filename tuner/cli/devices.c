#include "tuner/cli/cli.h"

#include "base/place.h"
#include "gpu/worker.h"
#include "model/device/device.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {"json", 0, NULL, "print JSON"},
    {0},
};

static const char *calibration(const struct device *device)
{
    if (!device_is_calibrated(device))
        return "not calibrated";
    if (!device_has(device, DEVICE_DRAM_LATENCY))
        return "published values without latencies, not enough to predict";
    return device_is_published(device) ? "published values, not measured" : "calibrated";
}

static void put_device(FILE *out, const char *label, const struct device *device)
{
    const struct device_limits *l = &device->limits;

    fprintf(out, "%s: %s, sm_%u, %llu SMs, %.4g GiB, %s\n", label, device->name, device->sm,
            (unsigned long long)l->sm_count, (double)l->memory_bytes / (1 << 30), calibration(device));
}

static int show(struct cli *cli, const char *label, const struct device *device, struct json *list,
                struct err *err)
{
    struct json *object;
    int failed;

    if (!list) {
        put_device(cli->out, label, device);
        return 0;
    }
    object = js_new_object();
    failed = js_set_string(object, "label", label) | js_set_string(object, "name", device->name) |
             js_set_integer(object, "sm", device->sm) |
             js_set_integer(object, "sm_count", (int64_t)device->limits.sm_count) |
             js_set_integer(object, "memory_bytes", (int64_t)device->limits.memory_bytes) |
             js_set_string(object, "driver", device->driver) |
             js_set_bool(object, "calibrated", device_is_calibrated(device)) |
             js_set_bool(object, "published", device_is_published(device));
    return failed | js_append(list, object) ? err_memory(err) : 0;
}

static int show_gpu(struct cli *cli, int number, struct json *list, struct err *err)
{
    char label[32];
    struct worker *worker;
    struct device device;
    int rc = worker_open(&worker, number, NULL, err);

    if (rc)
        return rc;
    device_init(&device);
    rc = worker_describe(&device, worker, err);
    snprintf(label, sizeof label, "GPU %d", number);
    if (!rc)
        rc = show(cli, label, &device, list, err);
    device_release(&device);
    worker_close(worker);
    return rc;
}

static int show_gpus(struct cli *cli, struct json *list, struct err *err)
{
    struct err none = {0};
    int count = 0, number, rc = worker_device_count(&count, NULL, &none);

    if (rc && rc != ERR_MISSING)
        return err_set(err, (enum err_code)rc, "%s", none.text);
    if (!count && !list)
        fprintf(cli->out, "no GPU here%s%s\n", none.code ? ": " : "", none.text);
    for (number = 0, rc = 0; number < count && !rc; number++)
        rc = show_gpu(cli, number, list, err);
    return rc;
}

static int is_profile(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && !strcmp(dot, ".json");
}

static int show_profiles(struct cli *cli, struct json *list, struct err *err)
{
    char folder[4096], label[256];
    struct dirent **entries = NULL;
    struct device device;
    const int count =
        place_share(folder, sizeof folder, "profiles") ? scandir(folder, &entries, is_profile, alphasort) : 0;
    int i, rc = 0;

    for (i = 0; i < count; i++) {
        snprintf(label, sizeof label, "%.*s", (int)(strrchr(entries[i]->d_name, '.') - entries[i]->d_name),
                 entries[i]->d_name);
        if (!rc) {
            device_init(&device);
            rc = device_load(&device, label, folder, err);
            if (!rc)
                rc = show(cli, label, &device, list, err);
            device_release(&device);
        }
        free(entries[i]);
    }
    free(entries);
    return rc;
}

static int run_devices(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct json *list = cli_given(args, "json") ? js_new_array() : NULL;
    int rc = cli_given(args, "json") && !list ? err_memory(err) : 0;

    if (!rc)
        rc = show_gpus(cli, list, err);
    if (!rc)
        rc = show_profiles(cli, list, err);
    if (!rc && list)
        return cli_print_json(cli, list, err) ? CLI_FAILED : CLI_OK;
    js_free(list);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_devices = {
    "devices", "", "lists the GPUs here and the device profiles", options, 0, 0, run_devices};

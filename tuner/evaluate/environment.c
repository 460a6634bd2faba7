#include "tuner/evaluate/environment.h"

#include "tuner/remote/fleet.h"

#include <ctype.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool environment_is_number(const char *device)
{
    return *device && strspn(device, "0123456789") == strlen(device);
}

void environment_slug(char *out, size_t size, const char *name)
{
    size_t used = 0;

    for (; *name && used + 1 < size; name++) {
        if (isalnum((unsigned char)*name))
            out[used++] = (char)tolower((unsigned char)*name);
        else if (used && out[used - 1] != '-')
            out[used++] = '-';
    }
    if (used && out[used - 1] == '-')
        used--;
    out[used] = '\0';
}

bool environment_same_name(const char *a, const char *b)
{
    char slug_a[128], slug_b[128];

    environment_slug(slug_a, sizeof slug_a, a);
    environment_slug(slug_b, sizeof slug_b, b);
    return !strcmp(slug_a, slug_b);
}

unsigned environment_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* Opens a worker for GPU `number`; keeps it if it is like the first. */
static int add_worker(struct environment *environment, int *count, int number,
                      const struct environment_options *options, struct err *err)
{
    struct device device;
    struct worker **larger, *worker;
    int code = worker_open_clocked(&worker, number, &options->clocks, options->worker, err);

    if (code)
        return code;
    device_init(&device);
    *count = worker_devices(worker);
    larger = realloc(environment->workers, (environment->worker_count + 1) * sizeof(struct worker *));
    if (larger)
        environment->workers = larger;
    code = larger ? worker_describe(&device, worker, err) : err_memory(err);
    if (!code && environment->worker_count == 0) {
        environment->device = device;
        environment->workers[environment->worker_count++] = worker;
        return 0;
    }
    if (!code && device.sm == environment->device.sm && !strcmp(device.name, environment->device.name))
        environment->workers[environment->worker_count++] = worker;
    else
        worker_close(worker);
    device_release(&device);
    return code;
}

/* No worker found its GPU: because there is none, or not that many? */
static int tell_missing(const struct environment_options *options, const struct err *why, struct err *err)
{
    int count, code = worker_device_count(&count, options->worker, err);

    if (code)
        return code;
    if (options->device)
        return err_set(err, ERR_MISSING, "there is no GPU %s: %d found", options->device, count);
    return err_set(err, ERR_MISSING, "%s", count ? why->text : "no GPU was found");
}

/* The GPU that is asked for, or the first and those like it. */
static int open_workers(struct environment *environment, const struct environment_options *options,
                        struct err *err)
{
    const long first = options->device ? strtol(options->device, NULL, 10) : 0;
    struct err why = {0};
    int count = 0, number = (int)first, code = ERR_MISSING;

    if (first <= INT_MAX)
        code = add_worker(environment, &count, number, options, &why);
    if (code == ERR_MISSING)
        return tell_missing(options, &why, err);
    while (!code && !options->device && ++number < count)
        code = add_worker(environment, &count, number, options, &why);
    return code ? err_set(err, (enum err_code)code, "%s", why.text) : 0;
}

/* Where there is no GPU here, the job measures on the first kind that is elsewhere. */
static int find_device(struct environment *environment, struct err *err)
{
    struct json *json;
    struct js_at at;
    size_t i;
    int code = 0;

    for (i = 0; i < fleet_count(environment->fleet) && !environment_measures(environment) && !code; i++) {
        const struct host *host = fleet_host(environment->fleet, i);

        if (!host->all_gpus)
            continue;
        json = device_to_json(&host->device);
        at = js_root(json, "device");
        code = json ? device_from_json(&environment->device, &at, err) : err_memory(err);
        js_free(json);
    }
    return code;
}

static int open_fleet(struct environment *environment, const struct environment_options *options,
                      struct err *err)
{
    const struct fleet_options fleet = {
        .commands = options->elsewhere,
        .count = options->elsewhere_count,
        .version = options->version,
        .nvrtc = environment->compiler ? compiler_version(environment->compiler) : NULL,
        .message = options->message,
        .context = options->context,
    };
    int code = fleet_open(&environment->fleet, &fleet, err);

    if (!code)
        code = find_device(environment, err);
    if (!code && environment_measures(environment))
        fleet_measure_on(environment->fleet, &environment->device);
    return code;
}

bool environment_measures(const struct environment *environment)
{
    return environment->worker_count || *environment->device.name;
}

int environment_open(struct environment *out, const struct environment_options *options, struct err *err)
{
    const bool by_name = options->device && !environment_is_number(options->device);
    int code = 0;

    *out = (struct environment){.jobs = options->jobs ? options->jobs : environment_cores()};
    device_init(&out->device);
    if (compiler_open_with(&out->compiler, options->worker, options->nvrtc, options->cache,
                           &out->compiler_err))
        code = out->compiler_err.code == ERR_MISSING
                   ? 0
                   : err_set(err, (enum err_code)out->compiler_err.code, "%s", out->compiler_err.text);
    if (!code && out->compiler && options->ahead)
        code = compiler_prepare(out->compiler, out->jobs, err);
    if (!code && by_name)
        err_set(&out->worker_err, ERR_MISSING, "device %s is looked for among the recordings",
                options->device);
    else if (!code && open_workers(out, options, &out->worker_err))
        code = out->worker_err.code == ERR_MISSING && !options->device
                   ? 0
                   : err_set(err, (enum err_code)out->worker_err.code, "%s", out->worker_err.text);
    if (!code && options->elsewhere_count)
        code = open_fleet(out, options, err);
    if (code)
        environment_close(out);
    return code;
}

void environment_close(struct environment *environment)
{
    size_t i;

    fleet_close(environment->fleet);
    for (i = 0; i < environment->worker_count; i++)
        worker_close(environment->workers[i]);
    free(environment->workers);
    if (environment->compiler)
        compiler_close(environment->compiler);
    device_release(&environment->device);
    *environment = (struct environment){0};
    device_init(&environment->device);
}

const char *environment_cache_directory(char *out, size_t size)
{
    const char *own = getenv("OCCUTUNE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (own)
        snprintf(out, size, "%s", own);
    else if (xdg && *xdg)
        snprintf(out, size, "%s/occutune", xdg);
    else if (home && *home)
        snprintf(out, size, "%s/.cache/occutune", home);
    else
        out[0] = '\0';
    return *out ? out : NULL;
}

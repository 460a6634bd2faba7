#include "tuner/evaluate/environment.h"

#include "base/clock.h"
#include "tuner/evaluate/environment_kinds.h"
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

/* Takes a worker that was begun over; closes it if its GPU is of another kind than the first, unless all are wanted. */
static int keep_worker(struct environment *environment, struct worker *worker, bool whole, struct err *err)
{
    struct environment_gpu *larger =
                               reallocarray(environment->gpus, environment->gpu_count + 1, sizeof *larger),
                           *gpu;
    int rc;

    if (!larger) {
        worker_close(worker);
        return err_memory(err);
    }
    environment->gpus = larger;
    gpu = &larger[environment->gpu_count];
    *gpu = (struct environment_gpu){.worker = worker};
    device_init(&gpu->device);
    rc = worker_wait(worker, err);
    if (!rc)
        rc = worker_describe(&gpu->device, worker, err);
    if (!rc && (whole || !environment->gpu_count || device_same_kind(&gpu->device, &larger[0].device))) {
        environment->gpu_count++; /* which closes it, if this fails */
        return environment_add_kind(environment, &gpu->device, err);
    }
    device_release(&gpu->device);
    worker_close(worker);
    return rc;
}

/* No worker found its GPU: because there is none, or not that many? */
static int tell_missing(const struct environment_options *options, const struct err *why, struct err *err)
{
    const char *driver = getenv("OCCUTUNE_CUDA_DRIVER");
    int count, rc = worker_device_count(&count, options->worker, err);

    if (rc)
        return rc;
    if (!count && driver && *driver) /* whoever names one wants to know why it will not do */
        return err_set(err, ERR_MISSING, "no GPU was found (%s)", why->text);
    if (options->device)
        return err_set(err, ERR_MISSING, "there is no GPU %s: %d found", options->device, count);
    return err_set(err, ERR_MISSING, "%s", count ? why->text : "no GPU was found");
}

/* Begins a worker for the GPU that is asked for, or for the first; it looks for its GPU while other things start. Null
 * where the number cannot be one. */
static int begin_first(struct worker **out, const struct environment_options *options, struct err *err)
{
    const long first = options->device ? strtol(options->device, NULL, 10) : 0;

    *out = NULL;
    return first <= INT_MAX ? worker_begin(out, (int)first, &options->clocks, options->worker, err) : 0;
}

/* Those beside the first look for their GPUs all at once. */
static int add_others(struct environment *environment, int count, const struct environment_options *options,
                      struct err *err)
{
    struct worker **workers = calloc((size_t)count + 1, sizeof(struct worker *));
    int rc = workers ? 0 : err_memory(err), number;

    for (number = 1; number < count && !rc; number++)
        rc = worker_begin(&workers[number], number, &options->clocks, options->worker, err);
    for (number = 1; number < count && !rc; number++) {
        rc = keep_worker(environment, workers[number], options->whole, err);
        workers[number] = NULL;
    }
    for (number = 1; workers && number < count; number++)
        worker_close(workers[number]);
    free(workers);
    return rc;
}

/* The GPU that is asked for, whose worker was begun, or the first and those like it. */
static int open_workers(struct environment *environment, struct worker *first,
                        const struct environment_options *options, struct err *err)
{
    struct err why = {0};
    int rc = first ? keep_worker(environment, first, options->whole, &why) : ERR_MISSING;

    if (rc == ERR_MISSING)
        return tell_missing(options, &why, err);
    if (!rc && !options->device)
        rc = add_others(environment, worker_devices(first), options, &why);
    return rc ? err_set(err, (enum err_code)rc, "%s", why.text) : 0;
}

/* Opening ------------------------------------------------------------------ */

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
        .stop = options->stop,
        .wait_s = options->elsewhere_wait_s,
    };
    const double began_s = clock_wall_s();
    const int rc = fleet_open(&environment->fleet, &fleet, err);

    environment->waited_s = clock_wall_s() - began_s;
    return rc;
}

/* Which GPUs there are, and which of them measure first. */
static int choose_first(struct environment *environment, const struct environment_options *options,
                        struct err *err)
{
    int rc = environment_find_kinds(environment, options->device != NULL, err);

    if (!rc && options->whole && (environment->gpu_count > 1 || options->elsewhere_count))
        environment_time_paces(environment);
    if (!rc)
        rc = environment_tell_fleet(environment, err);
    environment->workers = calloc(environment->gpu_count + 1, sizeof(struct worker *));
    if (!rc && !environment->workers)
        rc = err_memory(err);
    return rc || !environment->kind_count ? rc : environment_choose(environment, 0, err);
}

bool environment_measures(const struct environment *environment)
{
    return environment->worker_count || *environment->device.name;
}

uint64_t environment_memory(const struct environment *environment)
{
    uint64_t most = environment->device.limits.memory_bytes;

    for (size_t k = 0; k < environment->kind_count; k++)
        if (environment->kinds[k].limits.memory_bytes > most)
            most = environment->kinds[k].limits.memory_bytes;
    return environment_measures(environment) ? most : 0;
}

static bool is_by_name(const struct environment_options *options)
{
    return options->device && !environment_is_number(options->device);
}

/* `begun`: what beginning the first worker, which is taken over, came to. */
static int open_gpus(struct environment *out, struct worker *first, int begun,
                     const struct environment_options *options, struct err *err)
{
    if (is_by_name(options)) {
        err_set(&out->worker_err, ERR_MISSING, "device %s is looked for among the recordings",
                options->device);
        return 0;
    }
    if (options->no_gpus) {
        err_set(&out->worker_err, ERR_MISSING, "no GPU of this machine is used");
        return 0;
    }
    if (!begun)
        begun = open_workers(out, first, options, &out->worker_err);
    if (!begun || (out->worker_err.code == ERR_MISSING && !options->device))
        return 0;
    return err_set(err, (enum err_code)out->worker_err.code, "%s", out->worker_err.text);
}

static int open_compiler(struct environment *out, const struct environment_options *options, struct err *err)
{
    int rc = compiler_open_with(&out->compiler, options->worker, options->nvrtc, options->cache,
                                &out->compiler_err);

    if (rc && out->compiler_err.code != ERR_MISSING)
        return err_set(err, (enum err_code)out->compiler_err.code, "%s", out->compiler_err.text);
    return out->compiler && options->ahead ? compiler_prepare(out->compiler, out->jobs, err) : 0;
}

int environment_open(struct environment *out, const struct environment_options *options, struct err *err)
{
    struct worker *first = NULL;
    int rc, begun = 0;

    *out = (struct environment){.jobs = options->jobs ? options->jobs : environment_cores(),
                                .message = options->message,
                                .context = options->context};
    device_init(&out->device);
    if (!is_by_name(options) && !options->no_gpus)
        begun = begin_first(&first, options, &out->worker_err);
    rc = open_compiler(out, options, err);
    if (rc)
        worker_close(first);
    else
        rc = open_gpus(out, first, begun, options, err);
    if (!rc && options->elsewhere_count)
        rc = open_fleet(out, options, err);
    if (!rc)
        rc = choose_first(out, options, err);
    if (rc)
        environment_close(out);
    return rc;
}

void environment_close(struct environment *environment)
{
    fleet_close(environment->fleet);
    for (size_t i = 0; i < environment->gpu_count; i++) {
        worker_close(environment->gpus[i].worker);
        device_release(&environment->gpus[i].device);
    }
    for (size_t i = 0; i < environment->kind_count; i++)
        device_release(&environment->kinds[i]);
    free(environment->gpus);
    free(environment->kinds);
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

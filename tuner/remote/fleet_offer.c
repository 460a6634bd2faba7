/* What workers offer. */
#include "tuner/remote/fleeting.h"

#include "tuner/remote/exchange.h"
#include "tuner/remote/pace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_off(const struct fleet *fleet, const struct host *host, size_t gpu, double difference)
{
    char line[512];

    snprintf(line, sizeof line,
             "its GPU %zu (%.100s) is %.1f %% %s than others of its kind on the calibration kernel: it is "
             "set aside",
             gpu, host->gpus[gpu].device.name, 100 * fabs(difference), difference > 0 ? "slower" : "faster");
    fleet_say(fleet, host, line);
}

static void say_foreign(const struct fleet *fleet, const struct host *host, const struct device *device)
{
    char line[512];

    snprintf(line, sizeof line,
             "its GPU is of another kind (%.100s, this job measures on %.100s%s): it compiles only",
             device->name, fleet->kinds[0].name, fleet->kind_count > 1 ? " and others" : "");
    fleet_say(fleet, host, line);
}

static size_t kind_of(const struct fleet *fleet, const struct device *device)
{
    size_t k = 0;

    while (k < fleet->kind_count && !device_same_kind(device, &fleet->kinds[k]))
        k++;
    return k;
}

size_t host_measuring(const struct host *host, size_t kind)
{
    size_t n = 0;

    for (size_t g = 0; g < host->gpu_count; g++)
        n += host->gpus[g].measures && host->gpus[g].kind == kind;
    return n;
}

/* What it offers now, or offered before. */
static void note_most(struct host *host, size_t kind)
{
    struct host_work *work = &host->work[kind];
    const size_t gpus = host_measuring(host, kind);

    work->most_cores = host->cores > work->most_cores ? host->cores : work->most_cores;
    work->most_gpus = gpus > work->most_gpus ? gpus : work->most_gpus;
}

void host_begin_work(struct host *host, size_t kind)
{
    for (size_t g = 0; g < host->gpu_count; g++)
        if (host->gpus[g].kind == kind)
            host->gpus[g].waiting = 0;
    host->work[kind] = (struct host_work){0};
    note_most(host, kind);
}

/* Which of its GPUs measure for this job. */
static void choose_gpus(const struct fleet *fleet, struct host *host)
{
    size_t of_kinds = 0;

    for (size_t g = 0; g < host->gpu_count; g++) {
        struct host_gpu *gpu = &host->gpus[g];
        const size_t kind = kind_of(fleet, &gpu->device);
        const bool fits = kind < fleet->kind_count;
        const bool off = fits && pace_is_off(&gpu->pace, &fleet->usual[kind]);

        of_kinds += fits;
        gpu->kind = kind;
        gpu->measures = fits && !off && !gpu->failed;
        if (off)
            say_off(fleet, host, g, pace_difference(&gpu->pace, &fleet->usual[kind]));
    }
    for (size_t k = 0; k < fleet->kind_count; k++)
        note_most(host, k);
    if (fleet->kind_count && host->gpu_count && !of_kinds)
        say_foreign(fleet, host, &host->gpus[0].device);
}

void host_gpu_failed(struct host *host, size_t gpu)
{
    host->gpus[gpu].failed = true;
    host->gpus[gpu].measures = false;
}

void host_forget_gpus(struct host *host)
{
    for (size_t g = 0; g < host->gpu_count; g++)
        device_release(&host->gpus[g].device);
    free(host->gpus);
    host->gpus = NULL;
    host->gpu_count = 0;
}

int fleet_know_kinds(struct fleet *fleet, const struct device *kinds, const struct gpu_pace *usual,
                     size_t count, struct err *err)
{
    fleet->usual = calloc(count + 1, sizeof *fleet->usual);
    if (!fleet->usual)
        return err_memory(err);
    for (size_t i = 0; i < fleet->count; i++) {
        fleet->hosts[i].work = calloc(count + 1, sizeof *fleet->hosts[i].work);
        if (!fleet->hosts[i].work)
            return err_memory(err);
    }
    memcpy(fleet->usual, usual, count * sizeof *usual);
    fleet->kinds = kinds;
    fleet->kind_count = count;
    for (size_t i = 0; i < fleet->count; i++)
        if (fleet->hosts[i].up)
            choose_gpus(fleet, &fleet->hosts[i]);
    return 0;
}

bool fleet_may_measure(const struct fleet *fleet, size_t kind)
{
    for (size_t i = 0; i < fleet->count; i++)
        if (host_measuring(&fleet->hosts[i], kind) || fleet->links[i].state == LINK_RESTING ||
            fleet->links[i].state == LINK_STARTED)
            return true;
    return false;
}

static bool is_taken(const struct fleet *fleet, const struct host *host, const char *name)
{
    for (size_t i = 0; i < fleet->count; i++)
        if (&fleet->hosts[i] != host && !strcmp(fleet->hosts[i].name, name))
            return true;
    return false;
}

/* A number tells workers of one host apart, and from this machine; one that comes back keeps its own. */
static void name_host(const struct fleet *fleet, struct host *host, const char *name)
{
    char here[256] = "";
    unsigned number = 1;

    if (*host->name && !strcmp(host->link->host, name))
        return;
    if (!gethostname(here, sizeof here - 1))
        number += !strcmp(here, name);
    snprintf(host->link->host, sizeof host->link->host, "%s", name);
    do {
        if (number > 1)
            snprintf(host->name, sizeof host->name, "%.255s#%u", name, number);
        else
            snprintf(host->name, sizeof host->name, "%.255s", name);
        number++;
    } while (is_taken(fleet, host, host->name));
}

static int check_version(const struct fleet *fleet, struct host *host, const struct js_at *hello,
                         struct err *err)
{
    const char *version;
    struct js_at at;
    int64_t protocol;

    if (js_member(&at, hello, "version", err) || js_string(&version, &at, err) ||
        js_member(&at, hello, "protocol", err) || js_integer(&protocol, &at, err))
        return ERR_FORMAT;
    if (strcmp(version, fleet->options.version) || protocol != REMOTE_PROTOCOL)
        host->link->foreign = true;
    if (host->link->foreign)
        return err_set(err, ERR_FORMAT, "it is occutune %.40s (protocol %d), here is %s (protocol %d)",
                       version, (int)protocol, fleet->options.version, REMOTE_PROTOCOL);
    return 0;
}

/* Code of another compiler would be another variant's. */
static void check_compiler(const struct fleet *fleet, struct host *host, const struct js_at *hello)
{
    const char *here = fleet->options.nvrtc, *there = NULL;
    struct js_at at;
    char line[200];

    if (!js_find(&at, hello, "nvrtc") || js_string(&there, &at, NULL))
        host->cores = 0;
    if (!there || !here || !strcmp(here, there))
        return;
    host->cores = 0;
    snprintf(line, sizeof line, "it has NVRTC %.20s, here is %s: it compiles nothing", there, here);
    fleet_say(fleet, host, line);
}

static int take_gpu(struct host_gpu *out, const struct js_at *gpu, struct err *err)
{
    struct js_at at;

    device_init(&out->device);
    if (js_member(&at, gpu, "device", err) || device_from_json(&out->device, &at, err) ||
        js_member(&at, gpu, "arithmetic_s", err) || js_real(&out->pace.arithmetic_s, &at, err) ||
        js_member(&at, gpu, "memory_s", err) || js_real(&out->pace.memory_s, &at, err))
        return ERR_FORMAT;
    return 0;
}

static int take_gpus(struct host *host, const struct js_at *hello, struct err *err)
{
    enum { GPUS_MOST = 1024 };
    struct js_at list, at;
    int rc = js_member(&list, hello, "gpus", err) || js_expect(&list, JS_ARRAY, err) ? ERR_FORMAT : 0;
    const size_t count = rc ? 0 : js_count(&list);

    if (count > GPUS_MOST)
        return err_set(err, ERR_FORMAT, "it offers what no host has");
    host_forget_gpus(host);
    host->gpus = calloc(count + 1, sizeof *host->gpus);
    if (!host->gpus)
        return err_memory(err);
    for (size_t g = 0; g < count && !rc; g++) {
        at = js_element(&list, g);
        host->gpu_count = g + 1;
        rc = take_gpu(&host->gpus[g], &at, err);
    }
    return rc;
}

int host_take_hello(const struct fleet *fleet, struct host *host, const struct js_at *hello, struct err *err)
{
    enum { CORES_MOST = 65536 };
    const char *name;
    struct js_at at;
    uint64_t cores;
    int rc = check_version(fleet, host, hello, err);

    if (rc)
        return rc;
    if (js_member(&at, hello, "host", err) || js_string(&name, &at, err) ||
        js_member(&at, hello, "cores", err) || js_unsigned(&cores, &at, err))
        return ERR_FORMAT;
    if (!*name || strlen(name) > 255 || cores > CORES_MOST)
        return err_set(err, ERR_FORMAT, "it offers what no host has");
    rc = take_gpus(host, hello, err);
    if (rc)
        return rc;
    name_host(fleet, host, name);
    host->cores = (unsigned)cores;
    check_compiler(fleet, host, hello);
    choose_gpus(fleet, host);
    host->up = true;
    host->link->state = LINK_UP;
    host->link->answered = true;
    return 0;
}

/* What workers offer. */
#include "tuner/remote/fleeting.h"

#include "tuner/remote/exchange.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_kind(const struct device *a, const struct device *b)
{
    return a->sm == b->sm && !strcmp(a->name, b->name);
}

/* Which of its GPUs measure for this job. */
void host_choose_gpus(const struct fleet *fleet, struct host *host)
{
    const bool fits = fleet->measures && host->all_gpus && is_kind(&host->device, &fleet->kind);
    char line[512];

    host->gpus = fits ? host->all_gpus : 0;
    host->most_gpus = host->gpus > host->most_gpus ? host->gpus : host->most_gpus;
    if (!fleet->measures || !host->all_gpus || fits)
        return;
    snprintf(line, sizeof line,
             "its GPU is of another kind (%.100s, this job measures on %.100s): it compiles only",
             host->device.name, fleet->kind.name);
    fleet_say(fleet, host, line);
}

/* A number tells workers of one host apart, and from this machine. */
static void name_host(const struct fleet *fleet, struct host *host, const char *name)
{
    char here[256] = "";
    unsigned same = 1;
    size_t i;

    if (!gethostname(here, sizeof here - 1))
        same += !strcmp(here, name);
    for (i = 0; &fleet->hosts[i] != host; i++)
        same += !strcmp(fleet->links[i].host, name);
    snprintf(host->link->host, sizeof host->link->host, "%s", name);
    if (same > 1)
        snprintf(host->name, sizeof host->name, "%.255s#%u", name, same);
    else
        snprintf(host->name, sizeof host->name, "%.255s", name);
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

int host_take_hello(const struct fleet *fleet, struct host *host, const struct js_at *hello, struct err *err)
{
    enum { CORES_MOST = 65536, GPUS_MOST = 1024 };
    const char *name;
    struct js_at at;
    uint64_t cores, gpus;
    int rc = check_version(fleet, host, hello, err);

    if (rc)
        return rc;
    if (js_member(&at, hello, "host", err) || js_string(&name, &at, err) ||
        js_member(&at, hello, "cores", err) || js_unsigned(&cores, &at, err) ||
        js_member(&at, hello, "gpus", err) || js_unsigned(&gpus, &at, err))
        return ERR_FORMAT;
    if (!*name || strlen(name) > 255 || cores > CORES_MOST || gpus > GPUS_MOST)
        return err_set(err, ERR_FORMAT, "it offers what no host has");
    if (gpus && (js_member(&at, hello, "device", err) || device_from_json(&host->device, &at, err)))
        return ERR_FORMAT;
    name_host(fleet, host, name);
    host->cores = (unsigned)cores;
    host->all_gpus = gpus;
    check_compiler(fleet, host, hello);
    host_choose_gpus(fleet, host);
    host->most_cores = host->cores > host->most_cores ? host->cores : host->most_cores;
    host->up = true;
    host->link->state = LINK_UP;
    host->link->answered = true;
    return 0;
}

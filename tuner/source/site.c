#include "tuner/source/site.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool site_is_number(const char *device)
{
    return *device && strspn(device, "0123456789") == strlen(device);
}

void site_slug(char *out, size_t size, const char *name)
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

bool site_same_name(const char *a, const char *b)
{
    char slug_a[128], slug_b[128];

    site_slug(slug_a, sizeof slug_a, a);
    site_slug(slug_b, sizeof slug_b, b);
    return !strcmp(slug_a, slug_b);
}

unsigned site_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* Opens a worker for GPU `number`; keeps it if it is like the first. */
static int add_worker(struct site *site, int number, const char *executable, struct err *err)
{
    struct device device;
    struct worker *worker;
    int code = worker_open(&worker, number, executable, err);

    if (code)
        return code;
    device_init(&device);
    code = worker_describe(&device, worker, err);
    if (!code && site->worker_count == 0) {
        site->device = device;
        site->workers[site->worker_count++] = worker;
        return 0;
    }
    if (!code && device.sm == site->device.sm && !strcmp(device.name, site->device.name))
        site->workers[site->worker_count++] = worker;
    else
        worker_close(worker);
    device_release(&device);
    return code;
}

static int open_workers(struct site *site, const struct site_options *options, struct err *err)
{
    int count = 0, first = 0, number, code = worker_device_count(&count, options->worker, err);

    if (code)
        return code;
    if (options->device) {
        errno = 0;
        first = (int)strtol(options->device, NULL, 10);
        if (errno || first >= count)
            return err_set(err, ERR_MISSING, "there is no GPU %s: %d found", options->device, count);
        count = first + 1;
    }
    if (count == 0)
        return err_set(err, ERR_MISSING, "no GPU was found");
    site->workers = calloc((size_t)count, sizeof(struct worker *));
    if (!site->workers)
        return err_memory(err);
    for (number = first; number < count && !code; number++)
        code = add_worker(site, number, options->worker, err);
    return code;
}

int site_open(struct site *out, const struct site_options *options, struct err *err)
{
    const bool by_name = options->device && !site_is_number(options->device);
    int code = 0;

    *out = (struct site){.jobs = options->jobs ? options->jobs : site_cores()};
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
    if (code)
        site_close(out);
    return code;
}

void site_close(struct site *site)
{
    size_t i;

    for (i = 0; i < site->worker_count; i++)
        worker_close(site->workers[i]);
    free(site->workers);
    if (site->compiler)
        compiler_close(site->compiler);
    device_release(&site->device);
    *site = (struct site){0};
    device_init(&site->device);
}

const char *site_cache_directory(char *out, size_t size)
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

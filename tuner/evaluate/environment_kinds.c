#include "tuner/evaluate/environment_kinds.h"

#include "tuner/remote/fleet.h"
#include "tuner/remote/pace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int environment_add_kind(struct environment *environment, const struct device *device, struct err *err)
{
    struct device *larger;
    size_t k;
    int rc;

    for (k = 0; k < environment->kind_count; k++)
        if (device_same_kind(device, &environment->kinds[k]))
            return 0;
    larger = reallocarray(environment->kinds, k + 1, sizeof *larger);
    if (!larger)
        return err_memory(err);
    environment->kinds = larger;
    rc = device_copy(&larger[k], device, err);
    environment->kind_count += !rc;
    return rc;
}

int environment_find_kinds(struct environment *environment, bool named, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; !named && i < fleet_count(environment->fleet) && !rc; i++) {
        const struct host *host = fleet_host(environment->fleet, i);

        for (size_t g = 0; g < host->gpu_count && !rc; g++)
            rc = environment_add_kind(environment, &host->gpus[g].device, err);
    }
    return rc;
}

/* One that cannot be timed is no reason to end here: what is wrong with it shows when it measures. */
void environment_time_paces(struct environment *environment)
{
    for (size_t g = 0; g < environment->gpu_count; g++)
        if (!(environment->gpus[g].pace.arithmetic_s > 0))
            worker_pace(&environment->gpus[g].pace, environment->gpus[g].worker, NULL);
}

static size_t gpus_elsewhere(const struct environment *environment)
{
    size_t n = 0;

    for (size_t i = 0; i < fleet_count(environment->fleet); i++)
        n += fleet_host(environment->fleet, i)->gpu_count;
    return n;
}

/* Of the GPUs of a kind, here and elsewhere. */
static int usual_pace(struct gpu_pace *out, const struct environment *environment, const struct device *kind,
                      struct err *err)
{
    struct gpu_pace *paces = calloc(environment->gpu_count + gpus_elsewhere(environment) + 1, sizeof *paces);
    size_t n = 0;

    if (!paces)
        return err_memory(err);
    for (size_t g = 0; g < environment->gpu_count; g++)
        if (device_same_kind(&environment->gpus[g].device, kind))
            paces[n++] = environment->gpus[g].pace;
    for (size_t i = 0; i < fleet_count(environment->fleet); i++) {
        const struct host *host = fleet_host(environment->fleet, i);

        for (size_t g = 0; g < host->gpu_count; g++)
            if (device_same_kind(&host->gpus[g].device, kind))
                paces[n++] = host->gpus[g].pace;
    }
    *out = pace_usual(paces, n);
    free(paces);
    return 0;
}

int environment_tell_fleet(struct environment *environment, struct err *err)
{
    struct gpu_pace *usual;
    int rc = 0;

    if (!environment->fleet)
        return 0;
    usual = calloc(environment->kind_count + 1, sizeof *usual);
    if (!usual)
        return err_memory(err);
    for (size_t k = 0; k < environment->kind_count && !rc; k++)
        rc = usual_pace(&usual[k], environment, &environment->kinds[k], err);
    if (!rc)
        rc = fleet_know_kinds(environment->fleet, environment->kinds, usual, environment->kind_count, err);
    free(usual);
    return rc;
}

static void say_off(const struct environment *environment, const struct environment_gpu *gpu,
                    double difference)
{
    char text[512];

    if (!environment->message)
        return;
    snprintf(
        text, sizeof text,
        "GPU %d (%.100s) is %.1f %% %s than others of its kind on the calibration kernel: it is set aside",
        worker_number(gpu->worker), gpu->device.name, 100 * fabs(difference),
        difference > 0 ? "slower" : "faster");
    environment->message(environment->context, text);
}

int environment_choose(struct environment *environment, size_t kind, struct err *err)
{
    struct gpu_pace usual;
    int rc;

    device_release(&environment->device);
    environment->kind = kind;
    rc = device_copy(&environment->device, &environment->kinds[kind], err);
    if (!rc)
        rc = usual_pace(&usual, environment, &environment->device, err);
    if (rc)
        return rc;
    environment->worker_count = 0;
    for (size_t g = 0; g < environment->gpu_count; g++) {
        const struct environment_gpu *gpu = &environment->gpus[g];

        if (!device_same_kind(&gpu->device, &environment->device))
            continue;
        if (pace_is_off(&gpu->pace, &usual))
            say_off(environment, gpu, pace_difference(&gpu->pace, &usual));
        else
            environment->workers[environment->worker_count++] = gpu->worker;
    }
    return 0;
}

int environment_part(struct environment *out, const struct environment *environment, size_t kind,
                     struct err *err)
{
    int rc;

    *out = *environment;
    device_init(&out->device);
    out->workers = calloc(environment->gpu_count + 1, sizeof(struct worker *));
    rc = out->workers ? environment_choose(out, kind, err) : err_memory(err);
    if (rc)
        environment_part_release(out);
    return rc;
}

void environment_part_release(struct environment *part)
{
    device_release(&part->device);
    free(part->workers);
    *part = (struct environment){0};
    device_init(&part->device);
}

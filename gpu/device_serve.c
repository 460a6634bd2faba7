#include "gpu/device_serve.h"

#include "gpu/bench.h"
#include "gpu/clocks.h"
#include "gpu/device_request.h"
#include "gpu/energy.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int send_head(int fd, struct json *head, bool good, const struct part *parts, size_t part_count,
                     struct err *err)
{
    int rc = head && good ? message_send(fd, head, parts, part_count, (struct patience){.timeout_s = -1}, err)
                          : err_memory(err);

    js_free(head);
    return rc;
}

static int announce(void *context, enum stage stage, double within_s, struct err *err)
{
    struct json *head = js_new_object();
    bool good =
        head && !js_set_string(head, "stage", stage_text(stage)) && !js_set_real(head, "within_s", within_s);

    return send_head(*(int *)context, head, good, NULL, 0, err);
}

static int send_error(int fd, const struct err *problem, bool lost, struct err *err)
{
    struct json *head = js_new_object();
    bool good = head && !js_set_integer(head, "error", problem->code) &&
                !js_set_string(head, "text", problem->text) && !js_set_bool(head, "lost", lost);

    return send_head(fd, head, good, NULL, 0, err);
}

static int answer_describe(int fd, struct bench *bench, struct err *err)
{
    struct device device;
    struct json *head = js_new_object();
    int rc = gpu_describe(&device, bench->gpu, err);
    bool good = !rc && head && !js_set(head, "device", device_to_json(&device));

    device_release(&device);
    if (rc) {
        js_free(head);
        return rc;
    }
    return send_head(fd, head, good, NULL, 0, err);
}

static int read_power(struct power *out, struct bench *bench, double idle_s, int fd, struct err *err)
{
    int rc = measurer_nvml(&bench->measurer, err);

    if (rc)
        return rc;
    nvml_describe(out, bench->measurer.nvml);
    if (bench->clocks.sm_mhz)
        out->locked_sm_hz = 1e6 * bench->clocks.sm_mhz;
    if (bench->clocks.memory_mhz)
        out->locked_memory_hz = 1e6 * bench->clocks.memory_mhz;
    if (!(idle_s > 0))
        return 0;
    rc = announce(&fd, STAGE_PREPARE, 10 * idle_s + 30, err);
    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    return rc ? rc : energy_idle(out, bench->measurer.nvml, idle_s, err);
}

static int answer_forget(int fd, struct bench *bench, struct err *err)
{
    struct json *head = js_new_object();

    bench_forget(bench);
    return send_head(fd, head, head && !js_set_bool(head, "forgot", true), NULL, 0, err);
}

static int answer_power(int fd, struct bench *bench, const struct js_at *root, struct err *err)
{
    struct power power;
    struct js_at at;
    struct json *head;
    double idle_s = 0;
    int rc = js_member(&at, root, "idle_s", err) || js_real(&idle_s, &at, err) ? err->code : 0;

    power_init(&power);
    if (!rc)
        rc = read_power(&power, bench, idle_s, fd, err);
    if (rc)
        return rc;
    head = js_new_object();
    return send_head(fd, head, head && !js_set(head, "power", power_to_json(&power)), NULL, 0, err);
}

static int answer_copy(int fd, struct bench *bench, const struct js_at *root, struct err *err)
{
    struct json *head = js_new_object(), *list = js_new_array();
    uint64_t bytes = 0, count = 0;
    double seconds;
    struct js_at at;
    bool good = head && list;
    int rc = js_member(&at, root, "bytes", err) || js_unsigned(&bytes, &at, err) ||
                     js_member(&at, root, "count", err) || js_unsigned(&count, &at, err)
                 ? err->code
                 : 0;

    for (uint64_t i = 0; !rc && good && i < count; i++) {
        rc = bench_copy(&seconds, bench, (size_t)bytes, err);
        good = !rc && !js_append(list, js_new_real(seconds));
    }
    if (good) {
        good = !js_set(head, "seconds", list);
        list = NULL;
    }
    js_free(list);
    if (rc) {
        js_free(head);
        return rc;
    }
    return send_head(fd, head, good, NULL, 0, err);
}

static int answer_pace(int fd, struct bench *bench, struct err *err)
{
    struct gpu_pace pace;
    int rc = bench_pace(&pace, bench, err);
    struct json *head = rc ? NULL : js_new_object();
    bool good = head && !js_set_real(head, "arithmetic_s", pace.arithmetic_s) &&
                !js_set_real(head, "memory_s", pace.memory_s);

    return rc ? rc : send_head(fd, head, good, NULL, 0, err);
}

static int answer_trial(int fd, struct bench *bench, struct request *request, const struct js_at *root,
                        struct err *err)
{
    struct announcer announcer = {announce, &fd};
    struct trial trial = {0};
    struct js_at at;
    struct json *head;
    bool good;
    int rc = js_member(&at, root, "protocol", err);

    if (!rc)
        rc = protocol_from_json(&request->protocol, &at, err);
    if (!rc)
        rc = request_read_reference(request, root, err);
    if (!rc)
        rc = bench_trial(&trial, bench, &request->code, &request->launch, &request->reference,
                         &request->protocol, &announcer, err);
    if (!rc) {
        head = js_new_object();
        good = head && !js_set(head, "trial", trial_to_json(&trial)) &&
               !js_set_bool(head, "lost", gpu_lost(bench->gpu));
        rc = send_head(fd, head, good, NULL, 0, err);
    }
    trial_release(&trial);
    return rc;
}

static int answer_fill(int fd, struct bench *bench, const struct js_at *root, struct err *err)
{
    struct announcer announcer = {announce, &fd};
    struct json *head = js_new_object();
    struct launch launch;
    int rc;

    launch_init(&launch);
    rc = request_read_launch(&launch, root, err);
    if (!rc)
        rc = bench_fill(bench, &launch, &announcer, err);
    launch_release(&launch);
    if (rc) {
        js_free(head);
        return rc;
    }
    return send_head(fd, head, head && !js_set_bool(head, "filled", true), NULL, 0, err);
}

/* Names of the buffers asked for; borrowed from the message. */
static int read_names(char ***names, size_t *count, const struct js_at *root, struct err *err)
{
    struct js_at at;
    int rc = js_member(&at, root, "buffers", err);

    if (rc)
        return rc;
    *count = js_count(&at);
    *names = calloc(*count + 1, sizeof **names);
    if (!*names)
        return err_memory(err);
    for (size_t i = 0; !rc && i < *count; i++) {
        struct js_at element = js_element(&at, i);

        rc = js_string((const char **)&(*names)[i], &element, err);
    }
    return rc;
}

static int send_buffers(int fd, const struct part *parts, size_t count, struct err *err)
{
    struct json *head = js_new_object(), *sizes = js_new_array();
    bool good = head && sizes;

    for (size_t i = 0; good && i < count; i++)
        good = !js_append(sizes, js_new_integer((int64_t)parts[i].size));
    if (good)
        good = !js_set(head, "sizes", sizes);
    else
        js_free(sizes);
    return send_head(fd, head, good, parts, count, err);
}

static int answer_run(int fd, struct bench *bench, struct request *request, const struct js_at *root,
                      struct err *err)
{
    struct announcer announcer = {announce, &fd};
    double deadline_s = 0;
    char **names = NULL;
    struct part *parts;
    struct js_at at;
    size_t count = 0, i;
    int rc = js_member(&at, root, "deadline_s", err);

    if (!rc)
        rc = js_real(&deadline_s, &at, err);
    if (!rc)
        rc = read_names(&names, &count, root, err);
    parts = calloc(count + 1, sizeof *parts);
    if (!rc && !parts)
        rc = err_memory(err);
    if (!rc)
        rc = bench_run(parts, bench, &request->code, &request->launch, names, count, deadline_s, &announcer,
                       err);
    if (!rc)
        rc = send_buffers(fd, parts, count, err);
    for (i = 0; parts && i < count; i++)
        free((void *)parts[i].bytes);
    free(parts);
    free(names);
    return rc;
}

static int answer(int fd, struct bench *bench, const struct message *message, struct err *err)
{
    struct request request = {.message = message};
    struct js_at root = js_root(message->head, "request"), at;
    const char *what;
    int rc = js_member(&at, &root, "request", err);

    launch_init(&request.launch);
    launch_init(&request.reference_launch);
    if (!rc)
        rc = js_string(&what, &at, err);
    if (!rc && !strcmp(what, "describe"))
        return answer_describe(fd, bench, err);
    if (!rc && !strcmp(what, "forget"))
        return answer_forget(fd, bench, err);
    if (!rc)
        rc = bench_start(bench, err);
    if (!rc && !strcmp(what, "copy"))
        return answer_copy(fd, bench, &root, err);
    if (!rc && !strcmp(what, "power"))
        return answer_power(fd, bench, &root, err);
    if (!rc && !strcmp(what, "pace"))
        return answer_pace(fd, bench, err);
    if (!rc && !strcmp(what, "fill"))
        return answer_fill(fd, bench, &root, err);
    if (!rc)
        rc = request_read_code(&request.code, &request, &root, err);
    if (!rc)
        rc = request_read_launch(&request.launch, &root, err);
    if (!rc)
        rc = !strcmp(what, "trial") ? answer_trial(fd, bench, &request, &root, err)
                                    : answer_run(fd, bench, &request, &root, err);
    request_release(&request);
    return rc;
}

static int greet(int fd, const struct bench *bench, struct err *err)
{
    struct json *head = js_new_object();

    return send_head(fd, head, head && !js_set_integer(head, "devices", gpu_devices(bench->gpu)), NULL, 0,
                     err);
}

/* Nothing is held where nothing is to be locked. */
static int hold_clocks(struct process *out, struct bench *bench, const struct clock_setting *clocks,
                       struct err *err)
{
    char pci[32];
    int rc = 0;

    memset(out, 0, sizeof *out);
    bench->clocks = *clocks;
    if (clocks->sm_mhz || clocks->memory_mhz)
        rc = gpu_pci(pci, sizeof pci, bench->gpu, err) || clocks_hold(out, pci, clocks, err) ? err->code : 0;
    return rc;
}

/* NVML, opened by a thread: it takes 20 ms, and every run asks it for the limit of power. */
struct opening {
    char pci[32];
    struct nvml *nvml;
};

static void *open_nvml(void *argument)
{
    struct opening *opening = argument;

    nvml_open(&opening->nvml, opening->pci, NULL);
    return NULL;
}

/* What fails here fails again, and is said, when a request needs it. */
static void start_ahead(struct bench *bench)
{
    struct opening opening = {.nvml = NULL};
    pthread_t thread;
    const bool beside = !gpu_pci(opening.pci, sizeof opening.pci, bench->gpu, NULL) &&
                        !pthread_create(&thread, NULL, open_nvml, &opening);

    bench_start(bench, NULL);
    if (beside)
        pthread_join(thread, NULL);
    if (bench->started)
        bench->measurer.nvml = opening.nvml;
    else
        nvml_close(opening.nvml);
}

int device_serve(int fd, int device, const struct clock_setting *clocks, struct err *err)
{
    struct err problem = {0};
    struct process holder;
    struct bench bench;
    bool ahead = true;
    int rc;

    if (bench_open(&bench, device, &problem))
        return send_error(fd, &problem, true, err);
    if (hold_clocks(&holder, &bench, clocks, &problem)) {
        bench_close(&bench);
        return send_error(fd, &problem, true, err);
    }
    rc = greet(fd, &bench, err);
    while (!rc && !gpu_lost(bench.gpu)) {
        struct message message;

        rc = message_receive(&message, fd, (struct patience){.timeout_s = -1}, err);
        if (rc)
            break;
        err_clear(&problem);
        if (answer(fd, &bench, &message, &problem))
            rc = send_error(fd, &problem, gpu_lost(bench.gpu), err);
        message_release(&message);
        /* The controller, which knows the GPU now, compiles meanwhile. Of a GPU that only one process may use nothing is
         * taken before it is needed. */
        if (ahead && !bench.started && !gpu_is_exclusive(bench.gpu))
            start_ahead(&bench);
        ahead = false;
    }
    if (!gpu_lost(bench.gpu))
        bench_close(&bench);
    clocks_release(&holder);
    return rc;
}

int device_serve_count(int fd, struct err *err)
{
    struct json *head = js_new_object();
    int count, rc = gpu_count(&count, err);
    bool good = !rc && head && !js_set_integer(head, "count", count);

    if (rc) {
        js_free(head);
        return rc;
    }
    return send_head(fd, head, good, NULL, 0, err);
}

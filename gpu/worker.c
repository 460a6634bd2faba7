#include "gpu/worker.h"

#include "gpu/conversation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int worker_open(struct worker **out, int device, const char *executable, struct err *err)
{
    const struct clock_setting none = {0};

    return worker_open_clocked(out, device, &none, executable, err);
}

int worker_open_clocked(struct worker **out, int device, const struct clock_setting *clocks,
                        const char *executable, struct err *err)
{
    int rc = worker_begin(out, device, clocks, executable, err);

    if (!rc)
        rc = worker_wait(*out, err);
    if (rc) {
        worker_close(*out);
        *out = NULL;
    }
    return rc;
}

int worker_begin(struct worker **out, int device, const struct clock_setting *clocks, const char *executable,
                 struct err *err)
{
    struct worker *worker = calloc(1, sizeof *worker);
    int rc;

    *out = NULL;
    if (!worker)
        return err_memory(err);
    pthread_mutex_init(&worker->asking, NULL);
    worker->device = device;
    worker->clocks = *clocks;
    worker->executable = executable ? strdup(executable) : NULL;
    rc = executable && !worker->executable ? err_memory(err) : worker_launch(worker, err);
    if (rc)
        worker_close(worker);
    else
        *out = worker;
    return rc;
}

int worker_wait(struct worker *worker, struct err *err)
{
    return worker_start(worker, err);
}

void worker_close(struct worker *worker)
{
    if (!worker)
        return;
    process_stop(&worker->process);
    pthread_mutex_destroy(&worker->asking);
    free(worker->executable);
    free(worker);
}

int worker_devices(const struct worker *worker)
{
    return worker->devices;
}

int worker_number(const struct worker *worker)
{
    return worker->device;
}

int worker_device_count(int *out, const char *executable, struct err *err)
{
    struct process process;
    struct message message;
    struct js_at root, at;
    int64_t count = 0;
    int rc = process_start(&process, executable, "count", "0", err);

    *out = 0;
    if (rc)
        return rc;
    rc = message_receive(&message, process.fd,
                         (struct patience){.timeout_s = WORKER_START_S, .child = process.pid}, err);
    if (!rc) {
        root = js_root(message.head, "worker");
        rc = js_member(&at, &root, "count", err) || js_integer(&count, &at, err) ? err->code : 0;
        message_release(&message);
    } else {
        err_prefix(err, "the worker that counts the GPUs did not start");
    }
    process_stop(&process);
    *out = (int)count;
    return rc;
}

/* Sends a request without content and frees it; `built` is false where memory ended before. Where this is 0, *root is
 * the answer, and the caller releases *answer. */
static int request(struct message *answer, struct js_at *root, struct worker *worker, struct json *head,
                   bool built, struct err *err)
{
    struct silence silence;
    int rc = built ? worker_ask(answer, &silence, worker, head, NULL, 0, err) : err_memory(err);

    js_free(head);
    if (rc)
        return rc;
    *root = js_root(answer->head, "worker");
    rc = answer_error(root, err);
    if (rc)
        message_release(answer);
    return rc;
}

int worker_describe(struct device *out, struct worker *worker, struct err *err)
{
    struct json *head = js_new_object();
    const bool built = head && !js_set_string(head, "request", "describe");
    struct message answer;
    struct js_at root, at;
    int rc = request(&answer, &root, worker, head, built, err);

    device_init(out);
    if (rc)
        return rc;
    rc = js_member(&at, &root, "device", err);
    if (!rc)
        rc = device_from_json(out, &at, err);
    message_release(&answer);
    return rc;
}

int worker_power(struct power *out, struct worker *worker, double idle_s, struct err *err)
{
    struct json *head = js_new_object();
    const bool built =
        head && !js_set_string(head, "request", "power") && !js_set_real(head, "idle_s", idle_s);
    struct message answer;
    struct js_at root, at;
    int rc = request(&answer, &root, worker, head, built, err);

    power_init(out);
    if (rc)
        return rc;
    rc = js_member(&at, &root, "power", err);
    if (!rc)
        rc = power_from_json(out, &at, err);
    message_release(&answer);
    return rc;
}

int worker_forget(struct worker *worker, struct err *err)
{
    struct json *head = js_new_object();
    const bool built = head && !js_set_string(head, "request", "forget");
    struct message answer;
    struct js_at root;
    int rc = request(&answer, &root, worker, head, built, err);

    if (!rc)
        message_release(&answer);
    return rc;
}

void worker_fill(struct worker *worker, const struct json *launch)
{
    struct json *head = js_new_object();
    const bool built =
        head && !js_set_string(head, "request", "fill") && !js_set(head, "launch", js_copy(launch));
    struct message answer;
    struct js_at root;

    if (!request(&answer, &root, worker, head, built, NULL))
        message_release(&answer);
}

static int take_seconds(double *seconds, size_t count, const struct js_at *root, struct err *err)
{
    struct js_at list;
    int rc = js_member(&list, root, "seconds", err);

    if (!rc && js_count(&list) != count)
        rc = err_set(err, ERR_FORMAT, "the worker timed %zu copies of %zu", js_count(&list), count);
    for (size_t i = 0; !rc && i < count; i++) {
        struct js_at element = js_element(&list, i);

        rc = js_real(&seconds[i], &element, err);
    }
    return rc;
}

int worker_copy(double *seconds, size_t count, struct worker *worker, uint64_t bytes, struct err *err)
{
    struct json *head = js_new_object();
    const bool built = head && !js_set_string(head, "request", "copy") &&
                       !js_set_integer(head, "bytes", (int64_t)bytes) &&
                       !js_set_integer(head, "count", (int64_t)count);
    struct message answer;
    struct js_at root;
    int rc = request(&answer, &root, worker, head, built, err);

    if (rc)
        return rc;
    rc = take_seconds(seconds, count, &root, err);
    message_release(&answer);
    return rc;
}

int worker_pace(struct gpu_pace *out, struct worker *worker, struct err *err)
{
    struct json *head = js_new_object();
    const bool built = head && !js_set_string(head, "request", "pace");
    struct message answer;
    struct js_at root, at;
    int rc = request(&answer, &root, worker, head, built, err);

    *out = (struct gpu_pace){0};
    if (rc)
        return rc;
    if (js_member(&at, &root, "arithmetic_s", err) || js_real(&out->arithmetic_s, &at, err) ||
        js_member(&at, &root, "memory_s", err) || js_real(&out->memory_s, &at, err))
        rc = err->code;
    message_release(&answer);
    return rc;
}

static bool set_code(struct json *head, const struct code *code, const struct launch *launch)
{
    return !js_set_string(head, "entry", code->entry) &&
           !js_set_integer(head, "code_bytes", (int64_t)code->cubin_bytes) &&
           !js_set(head, "launch", launch_to_json(launch));
}

static bool set_reference(struct json *head, const struct reference *reference)
{
    struct json *object = js_new_object(), *files;
    int failed = 0;

    if (reference->code.cubin) {
        failed = !set_code(object, &reference->code, reference->launch);
    } else if (reference->file_count) {
        files = js_new_object();
        for (size_t i = 0; !failed && i < reference->file_count; i++)
            failed = js_set_string(files, reference->names[i], reference->paths[i]);
        failed |= js_set(object, "files", files);
    }
    return !(js_set(head, "reference", object) | failed);
}

static struct json *trial_request(const struct code *code, const struct launch *launch,
                                  const struct reference *reference, const struct protocol *protocol)
{
    struct json *head = js_new_object();

    return js_unless(js_set_string(head, "request", "trial") || !set_code(head, code, launch) ||
                         js_set(head, "protocol", protocol_to_json(protocol)) ||
                         (reference && !set_reference(head, reference)),
                     head);
}

/* A variant that hangs or takes the worker with it. What happens before it is even loaded is not its doing. */
static int blame_variant(struct trial *out, const struct silence *silence, int rc, struct err *err)
{
    char text[128];

    silence_text(text, sizeof text, silence, rc);
    if (strcmp(silence->stage, "load") && strcmp(silence->stage, "launch") &&
        strcmp(silence->stage, "measure"))
        return err_set(err, ERR_GPU, "%s: %s",
                       !strcmp(silence->stage, "reference") ? "the reference" : "a request", text);
    out->outcome = rc == ERR_STOPPED && !silence_from_outside(silence) ? OUTCOME_TIMEOUT : OUTCOME_RUNTIME;
    snprintf(out->message, sizeof out->message, "%s", text);
    return 0;
}

int worker_trial(struct trial *out, struct worker *worker, const struct code *code,
                 const struct launch *launch, const struct reference *reference,
                 const struct protocol *protocol, struct err *err)
{
    struct part parts[2] = {{code->cubin, code->cubin_bytes}, {NULL, 0}};
    struct json *head = trial_request(code, launch, reference, protocol);
    struct message answer;
    struct silence silence = {0};
    struct err talk = {0};
    struct js_at root, at;
    int rc;

    memset(out, 0, sizeof *out);
    if (!head)
        return err_memory(err);
    if (reference && reference->code.cubin)
        parts[1] = (struct part){reference->code.cubin, reference->code.cubin_bytes};
    rc = worker_ask(&answer, &silence, worker, head, parts, 2, &talk);
    js_free(head);
    if (rc && (rc == ERR_STOPPED || rc == ERR_SYSTEM) && *silence.stage)
        return blame_variant(out, &silence, rc, err);
    if (rc)
        return err_set(err, (enum err_code)rc, "%s", talk.text);
    root = js_root(answer.head, "worker");
    rc = answer_error(&root, err);
    if (!rc)
        rc = js_member(&at, &root, "trial", err);
    if (!rc)
        rc = trial_from_json(out, &at, err);
    message_release(&answer);
    return rc;
}

static struct json *run_request(const struct run_buffer *buffers, size_t buffer_count,
                                const struct code *code, const struct launch *launch, double deadline_s)
{
    struct json *head = js_new_object(), *names = js_new_array();
    int failed = 0;

    for (size_t i = 0; !failed && i < buffer_count; i++)
        failed = js_append(names, js_new_string(buffers[i].name));
    failed |= js_set(head, "buffers", names);
    return js_unless(failed || js_set_string(head, "request", "run") || !set_code(head, code, launch) ||
                         js_set_real(head, "deadline_s", deadline_s),
                     head);
}

/* Cuts the payload of an answer into the buffers asked for. */
static int take_buffers(struct run_buffer *buffers, size_t buffer_count, const struct message *answer,
                        struct err *err)
{
    struct js_at root = js_root(answer->head, "worker"), sizes;
    size_t used = 0, i;
    int rc = answer_error(&root, err);

    if (!rc)
        rc = js_member(&sizes, &root, "sizes", err);
    for (i = 0; !rc && i < buffer_count; i++) {
        struct js_at element = js_element(&sizes, i);
        uint64_t size;

        rc = i < js_count(&sizes) ? js_unsigned(&size, &element, err)
                                  : err_set(err, ERR_FORMAT, "the worker sent too few buffers");
        if (!rc && size > answer->payload_bytes - used)
            rc = err_set(err, ERR_FORMAT, "the worker sent too few bytes");
        if (rc)
            break;
        buffers[i].bytes = malloc(size + 1);
        if (!buffers[i].bytes)
            return err_memory(err);
        memcpy(buffers[i].bytes, answer->payload + used, size);
        buffers[i].size = size;
        used += size;
    }
    return rc;
}

int worker_run(struct run_buffer *buffers, size_t buffer_count, struct worker *worker,
               const struct code *code, const struct launch *launch, double deadline_s, struct err *err)
{
    struct part part = {code->cubin, code->cubin_bytes};
    struct json *head = run_request(buffers, buffer_count, code, launch, deadline_s);
    struct message answer;
    struct silence silence = {0};
    struct err talk = {0};
    char text[128];
    int rc;

    for (size_t i = 0; i < buffer_count; i++) {
        buffers[i].bytes = NULL;
        buffers[i].size = 0;
    }
    if (!head)
        return err_memory(err);
    rc = worker_ask(&answer, &silence, worker, head, &part, 1, &talk);
    js_free(head);
    if (rc == ERR_STOPPED || (rc == ERR_SYSTEM && *silence.stage)) {
        silence_text(text, sizeof text, &silence, rc);
        return err_set(err, rc == ERR_STOPPED ? ERR_STOPPED : ERR_GPU, "%s: %s", code->entry, text);
    }
    if (rc)
        return err_set(err, (enum err_code)rc, "%s", talk.text);
    rc = take_buffers(buffers, buffer_count, &answer, err);
    message_release(&answer);
    for (size_t i = 0; rc && i < buffer_count; i++) {
        free(buffers[i].bytes);
        buffers[i].bytes = NULL;
    }
    return rc;
}

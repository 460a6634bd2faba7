#include "gpu/worker.h"

#include "gpu/message.h"
#include "gpu/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
    START_TRIES = 3,
    KILLS_MOST = 6 /* of one trial, from outside: then something means it */
};
static const double start_s = 120; /* until a worker has found its GPU, and again until it has its context */
static const double grace_s = 30;  /* until it answers at all */

struct worker {
    struct process process; /* pid 0: to be started */
    int device;
    int devices;      /* that it sees */
    bool fresh;       /* may still be making its context */
    char *executable; /* or null */
};

/* What became of a conversation that did not end with an answer. */
struct silence {
    char stage[16]; /* the last stage announced, "" before the first */
    double within_s;
    int signal; /* that ended the worker; 0 when it ended by itself */
};

/* The error a worker sends instead of an answer. */
static int read_error(const struct js_at *root, struct err *err)
{
    struct js_at at;
    int64_t code;
    const char *text;

    if (!js_find(&at, root, "error"))
        return 0;
    if (js_integer(&code, &at, err) || js_member(&at, root, "text", err) || js_string(&text, &at, err))
        return err->code;
    return err_set(err, (enum err_code)code, "%s", text);
}

/* What a worker says of itself once it has found its GPU. */
static int read_greeting(struct worker *worker, const struct message *greeting, struct err *err)
{
    struct js_at root = js_root(greeting->head, "worker"), at;
    int64_t devices = 0;
    int rc = read_error(&root, err);

    if (!rc)
        rc = js_member(&at, &root, "devices", err) || js_integer(&devices, &at, err) ? err->code : 0;
    worker->devices = (int)devices;
    worker->fresh = true;
    return rc;
}

static int start_once(struct worker *worker, struct err *err)
{
    struct message greeting;
    char number[16];
    int rc;

    snprintf(number, sizeof number, "%d", worker->device);
    rc = process_start(&worker->process, worker->executable, "device", number, err);
    if (rc)
        return rc;
    rc = message_receive(&greeting, worker->process.fd, start_s, err);
    if (!rc) {
        rc = read_greeting(worker, &greeting, err);
        message_release(&greeting);
    } else {
        err_prefix(err, "the worker of GPU %d did not start", worker->device);
    }
    if (rc)
        process_kill(&worker->process);
    return rc;
}

/* One that dies before it has said a word may have been killed from outside: that is no reason to end a run.
 */
static int start(struct worker *worker, struct err *err)
{
    struct err why = {0};
    int tries, rc = ERR_SYSTEM;

    for (tries = 0; tries < START_TRIES && rc == ERR_SYSTEM; tries++) {
        err_clear(&why);
        rc = start_once(worker, &why);
    }
    return rc ? err_set(err, (enum err_code)rc, "%s", why.text) : 0;
}

int worker_open(struct worker **out, int device, const char *executable, struct err *err)
{
    struct worker *worker = calloc(1, sizeof *worker);
    int rc;

    *out = NULL;
    if (!worker)
        return err_memory(err);
    worker->device = device;
    worker->executable = executable ? strdup(executable) : NULL;
    rc = executable && !worker->executable ? err_memory(err) : start(worker, err);
    if (rc)
        worker_close(worker);
    else
        *out = worker;
    return rc;
}

void worker_close(struct worker *worker)
{
    if (!worker)
        return;
    process_stop(&worker->process);
    free(worker->executable);
    free(worker);
}

int worker_devices(const struct worker *worker)
{
    return worker->devices;
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
    rc = message_receive(&message, process.fd, start_s, err);
    if (!rc) {
        root = js_root(message.head, "worker");
        rc = js_member(&at, &root, "count", err) || js_integer(&count, &at, err) ? err->code : 0;
        message_release(&message);
    }
    process_stop(&process);
    *out = (int)count;
    return rc;
}

/* Notes a stage message; false when it is an answer. */
static bool note_stage(struct silence *silence, const struct message *message)
{
    struct js_at root = js_root(message->head, "worker"), at;
    const char *stage;

    if (!js_find(&at, &root, "stage") || js_string(&stage, &at, NULL))
        return false;
    snprintf(silence->stage, sizeof silence->stage, "%s", stage);
    return js_find(&at, &root, "within_s") && !js_real(&silence->within_s, &at, NULL);
}

/* Ends the worker when its answer says that its context is gone; the next request gets a fresh one. */
static void end_lost(struct worker *worker, const struct message *answer)
{
    struct js_at root = js_root(answer->head, "worker"), at;
    bool lost = false;

    if (js_find(&at, &root, "lost") && !js_bool(&lost, &at, NULL) && lost)
        process_kill(&worker->process);
}

/* Sends a request and waits for the answer as long as the worker keeps its promises. ERR_STOPPED: it broke
 * one; ERR_SYSTEM: it died; both tell more in `silence`, and the worker is gone. */
static int converse(struct message *answer, struct silence *silence, struct worker *worker,
                    const struct json *head, const struct part *parts, size_t part_count, struct err *err)
{
    int rc, status;

    *silence = (struct silence){.within_s = worker->fresh ? start_s : grace_s};
    rc = message_send(worker->process.fd, head, parts, part_count, err);
    while (!rc) {
        rc = message_receive(answer, worker->process.fd, silence->within_s, err);
        if (rc || !note_stage(silence, answer))
            break;
        message_release(answer);
    }
    if (rc) {
        status = process_kill(&worker->process);
        if (rc == ERR_SYSTEM && WIFSIGNALED(status))
            silence->signal = WTERMSIG(status);
        return rc;
    }
    if (*silence->stage)
        worker->fresh = false;
    end_lost(worker, answer);
    return 0;
}

/* The same with a worker that is started first if need be; one that died while idle is replaced. */
static int request(struct message *answer, struct silence *silence, struct worker *worker,
                   const struct json *head, const struct part *parts, size_t part_count, struct err *err)
{
    struct err talk = {0};
    bool fresh = !worker->process.pid;
    int rc = fresh ? start(worker, err) : 0;

    if (rc)
        return rc;
    rc = converse(answer, silence, worker, head, parts, part_count, &talk);
    if (rc == ERR_SYSTEM && !fresh && !*silence->stage) {
        err_clear(&talk);
        rc = start(worker, err);
        if (rc)
            return rc;
        rc = converse(answer, silence, worker, head, parts, part_count, &talk);
    }
    return rc ? err_set(err, (enum err_code)rc, "%s", talk.text) : 0;
}

static void tell_silence(char *out, size_t size, const struct silence *silence, int rc)
{
    if (rc == ERR_STOPPED)
        snprintf(out, size, "did not end within %g s", silence->within_s);
    else if (silence->signal)
        snprintf(out, size, "the worker was killed by signal %d (%s)", silence->signal,
                 strsignal(silence->signal));
    else
        snprintf(out, size, "the worker ended by itself");
}

int worker_describe(struct device *out, struct worker *worker, struct err *err)
{
    struct json *head = js_new_object();
    struct message answer;
    struct silence silence;
    struct js_at root, at;
    int rc = head && !js_set_string(head, "request", "describe") ? 0 : err_memory(err);

    device_init(out);
    if (!rc)
        rc = request(&answer, &silence, worker, head, NULL, 0, err);
    js_free(head);
    if (rc)
        return rc;
    root = js_root(answer.head, "worker");
    rc = read_error(&root, err);
    if (!rc)
        rc = js_member(&at, &root, "device", err);
    if (!rc)
        rc = device_from_json(out, &at, err);
    message_release(&answer);
    return rc;
}

static int take_seconds(double *seconds, size_t count, const struct message *answer, struct err *err)
{
    struct js_at root = js_root(answer->head, "worker"), list;
    int rc = read_error(&root, err);

    if (!rc)
        rc = js_member(&list, &root, "seconds", err);
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
    struct message answer;
    struct silence silence;
    int rc = head && !js_set_string(head, "request", "copy") &&
                     !js_set_integer(head, "bytes", (int64_t)bytes) &&
                     !js_set_integer(head, "count", (int64_t)count)
                 ? 0
                 : err_memory(err);

    if (!rc)
        rc = request(&answer, &silence, worker, head, NULL, 0, err);
    js_free(head);
    if (rc)
        return rc;
    rc = take_seconds(seconds, count, &answer, err);
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
    bool good = object != NULL;
    size_t i;

    if (good && reference->code.cubin) {
        good = set_code(object, &reference->code, reference->launch);
    } else if (good && reference->file_count) {
        files = js_new_object();
        for (i = 0; files && good && i < reference->file_count; i++)
            good = !js_set_string(files, reference->names[i], reference->paths[i]);
        good = !js_set(object, "files", files) && good;
    }
    if (!good) {
        js_free(object);
        return false;
    }
    return !js_set(head, "reference", object);
}

static struct json *trial_request(const struct code *code, const struct launch *launch,
                                  const struct reference *reference, const struct protocol *protocol)
{
    struct json *head = js_new_object();

    if (head && !js_set_string(head, "request", "trial") && set_code(head, code, launch) &&
        !js_set(head, "protocol", protocol_to_json(protocol)) &&
        (!reference || set_reference(head, reference)))
        return head;
    js_free(head);
    return NULL;
}

/* A variant that hangs or takes the worker with it. What happens before it is even loaded is not its doing.
 */
static int blame_variant(struct trial *out, const struct silence *silence, int rc, struct err *err)
{
    char text[128];

    tell_silence(text, sizeof text, silence, rc);
    if (strcmp(silence->stage, "load") && strcmp(silence->stage, "launch") &&
        strcmp(silence->stage, "measure"))
        return err_set(err, ERR_GPU, "%s: %s",
                       !strcmp(silence->stage, "reference") ? "the reference" : "a request", text);
    out->outcome = rc == ERR_STOPPED ? OUTCOME_TIMEOUT : OUTCOME_RUNTIME;
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
    int rc, kills = 0;

    memset(out, 0, sizeof *out);
    if (!head)
        return err_memory(err);
    if (reference && reference->code.cubin)
        parts[1] = (struct part){reference->code.cubin, reference->code.cubin_bytes};
    do { /* no kernel sends SIGKILL: it came from outside, and the trial is made again */
        err_clear(&talk);
        rc = request(&answer, &silence, worker, head, parts, 2, &talk);
    } while (rc == ERR_SYSTEM && silence.signal == SIGKILL && ++kills < KILLS_MOST);
    js_free(head);
    if (rc && (rc == ERR_STOPPED || rc == ERR_SYSTEM) && *silence.stage)
        return blame_variant(out, &silence, rc, err);
    if (rc)
        return err_set(err, (enum err_code)rc, "%s", talk.text);
    root = js_root(answer.head, "worker");
    rc = read_error(&root, err);
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
    size_t i;
    bool good = head && names;

    for (i = 0; good && i < buffer_count; i++)
        good = !js_append(names, js_new_string(buffers[i].name));
    good = good && !js_set_string(head, "request", "run") && set_code(head, code, launch) &&
           !js_set_real(head, "deadline_s", deadline_s);
    if (good) {
        good = !js_set(head, "buffers", names);
        names = NULL;
    }
    js_free(names);
    if (good)
        return head;
    js_free(head);
    return NULL;
}

/* Cuts the payload of an answer into the buffers asked for. */
static int take_buffers(struct run_buffer *buffers, size_t buffer_count, const struct message *answer,
                        struct err *err)
{
    struct js_at root = js_root(answer->head, "worker"), sizes;
    size_t used = 0, i;
    int rc = read_error(&root, err);

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
    size_t i;
    int rc;

    for (i = 0; i < buffer_count; i++) {
        buffers[i].bytes = NULL;
        buffers[i].size = 0;
    }
    if (!head)
        return err_memory(err);
    rc = request(&answer, &silence, worker, head, &part, 1, &talk);
    js_free(head);
    if (rc == ERR_STOPPED || (rc == ERR_SYSTEM && *silence.stage)) {
        tell_silence(text, sizeof text, &silence, rc);
        return err_set(err, rc == ERR_STOPPED ? ERR_STOPPED : ERR_GPU, "%s: %s", code->entry, text);
    }
    if (rc)
        return err_set(err, (enum err_code)rc, "%s", talk.text);
    rc = take_buffers(buffers, buffer_count, &answer, err);
    message_release(&answer);
    for (i = 0; rc && i < buffer_count; i++) {
        free(buffers[i].bytes);
        buffers[i].bytes = NULL;
    }
    return rc;
}

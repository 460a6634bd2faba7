#include "gpu/conversation.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

int answer_error(const struct js_at *root, struct err *err)
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
    int rc = answer_error(&root, err);

    if (!rc)
        rc = js_member(&at, &root, "devices", err) || js_integer(&devices, &at, err) ? err->code : 0;
    worker->devices = (int)devices;
    worker->fresh = true;
    return rc;
}

int worker_launch(struct worker *worker, struct err *err)
{
    char number[48];

    snprintf(number, sizeof number, "%d,%u,%u", worker->device, worker->clocks.sm_mhz,
             worker->clocks.memory_mhz);
    return process_start(&worker->process, worker->executable, "device", number, err);
}

/* `*outside`: it failed since the process died or was stopped before it had said a word. */
static int start_once(struct worker *worker, bool *outside, struct err *err)
{
    struct message greeting;
    int rc;

    *outside = false;
    rc = worker->process.pid ? 0 : worker_launch(worker, err);
    if (rc)
        return rc;
    rc = message_receive(&greeting, worker->process.fd,
                         (struct patience){.timeout_s = WORKER_START_S, .child = worker->process.pid}, err);
    if (!rc) {
        rc = read_greeting(worker, &greeting, err);
        message_release(&greeting);
    } else {
        err_prefix(err, "the worker of GPU %d did not start", worker->device);
        *outside = rc == ERR_SYSTEM || child_is_stopped(worker->process.pid);
    }
    if (rc)
        process_kill(&worker->process);
    return rc;
}

int worker_start(struct worker *worker, struct err *err)
{
    struct err why = {0};
    bool again = true;
    int tries, rc = 0;

    for (tries = 0; tries < START_TRIES && again; tries++) {
        err_clear(&why);
        rc = start_once(worker, &again, &why);
    }
    return rc ? err_set(err, (enum err_code)rc, "%s", why.text) : 0;
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

static struct patience patience_of(const struct worker *worker, const struct silence *silence)
{
    return (struct patience){.timeout_s = silence->within_s, .child = worker->process.pid};
}

static int converse(struct message *answer, struct silence *silence, struct worker *worker,
                    const struct json *head, const struct part *parts, size_t part_count, struct err *err)
{
    bool stopped;
    int rc, status;

    *silence = (struct silence){.within_s = worker->fresh ? WORKER_START_S : WORKER_GRACE_S};
    rc = message_send(worker->process.fd, head, parts, part_count, patience_of(worker, silence), err);
    while (!rc) {
        rc = message_receive(answer, worker->process.fd, patience_of(worker, silence), err);
        if (rc || !note_stage(silence, answer))
            break;
        message_release(answer);
    }
    if (rc) {
        stopped = child_is_stopped(worker->process.pid);
        status = process_kill(&worker->process);
        if (stopped)
            silence->signal = SIGSTOP;
        else if (rc == ERR_SYSTEM && WIFSIGNALED(status))
            silence->signal = WTERMSIG(status);
        return rc;
    }
    if (*silence->stage)
        worker->fresh = false;
    end_lost(worker, answer);
    return 0;
}

static int ask(struct message *answer, struct silence *silence, struct worker *worker,
               const struct json *head, const struct part *parts, size_t part_count, struct err *err)
{
    struct err talk = {0};
    bool started, again = true;
    int tries, rc = 0;

    for (tries = 0; tries < ASK_TRIES && again; tries++) {
        started = !worker->process.pid;
        rc = started ? worker_start(worker, err) : 0;
        if (rc)
            return rc;
        err_clear(&talk);
        rc = converse(answer, silence, worker, head, parts, part_count, &talk);
        again = (rc == ERR_SYSTEM || rc == ERR_STOPPED) &&
                (silence_from_outside(silence) || (!started && !*silence->stage));
    }
    return rc ? err_set(err, (enum err_code)rc, "%s", talk.text) : 0;
}

int worker_ask(struct message *answer, struct silence *silence, struct worker *worker,
               const struct json *head, const struct part *parts, size_t part_count, struct err *err)
{
    int rc;

    pthread_mutex_lock(&worker->asking);
    rc = ask(answer, silence, worker, head, parts, part_count, err);
    pthread_mutex_unlock(&worker->asking);
    return rc;
}

bool silence_from_outside(const struct silence *silence)
{
    return silence->signal == SIGKILL || silence->signal == SIGSTOP;
}

void silence_text(char *out, size_t size, const struct silence *silence, int rc)
{
    if (silence->signal == SIGSTOP)
        snprintf(out, size, "the worker was stopped by a signal, again and again");
    else if (rc == ERR_STOPPED)
        snprintf(out, size, "did not end within %g s", silence->within_s);
    else if (silence->signal)
        snprintf(out, size, "the worker was killed by signal %d (%s)", silence->signal,
                 strsignal(silence->signal));
    else
        snprintf(out, size, "the worker ended by itself");
}

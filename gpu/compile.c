#include "gpu/compile.h"

#include "base/file.h"
#include "base/json.h"
#include "gpu/compile_cache.h"
#include "gpu/compile_reply.h"
#include "gpu/compiler.h"
#include "gpu/message.h"
#include "gpu/sources.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of an option that names an architecture; null for other options. */
static const char *named_arch(const char *option)
{
    static const char *const names[] = {"-arch", "--gpu-architecture"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const size_t length = strlen(names[k]);

        if (!strncmp(option, names[k], length) && (option[length] == '=' || !option[length]))
            return option + length + (option[length] == '=');
    }
    return NULL;
}

/* The code is for the device at hand. An option may ask for the same with or without what only this
 * architecture has (-arch=sm_90a); NVRTC would make a mixture of two architectures. */
static int check_arch(const struct compile_request *request, struct err *err)
{
    const size_t prefix = strcspn(request->arch, "0123456789");
    const size_t length = prefix + strspn(request->arch + prefix, "0123456789");
    const bool variants = !strncmp(request->arch, "sm_", 3) && atoi(request->arch + 3) >= 90;

    for (size_t i = 0; i < request->option_count; i++) {
        const char *named = named_arch(request->options[i]), *suffix = named ? named + length : NULL;

        if (named && (strncmp(named, request->arch, length) ||
                      (*suffix && strcmp(suffix, "a") && strcmp(suffix, "f"))))
            return err_set(
                err, ERR_USAGE, "%s: the option %s: the code is compiled for %s: leave it out%s%.*s%s",
                request->source_path, request->options[i], request->arch, variants ? ", or write -arch=" : "",
                variants ? (int)length : 0, request->arch, variants ? "a" : "");
    }
    return 0;
}

static struct json *request_head(const struct compile_request *request)
{
    struct json *head = js_new_object(), *options = js_new_array();
    const char *arch = request->arch;
    int rc = 0;

    for (size_t i = 0; !rc && i < request->option_count; i++) {
        const char *named = named_arch(request->options[i]);

        if (named)
            arch = named;
        else
            rc = js_append(options, js_new_string(request->options[i]));
    }
    rc |= js_set(head, "options", options);
    return js_unless(rc || js_set_string(head, "path", request->source_path) ||
                         js_set_string(head, "name", request->name) || js_set_string(head, "arch", arch),
                     head);
}

static int fail_compile(struct compile_result *out, struct err *err, const char *format, double number)
{
    char text[128];

    snprintf(text, sizeof text, format, number);
    out->outcome = OUTCOME_COMPILE;
    out->diagnostic = strdup(text);
    return out->diagnostic ? 0 : err_memory(err);
}

static int fail_interrupted(struct compile_result *out, struct err *err)
{
    out->own_failure = true;
    return fail_compile(out, err, "was interrupted", 0);
}

/* A host that has much else to do, or sleeps, makes no compile fail that another day would have ended: the
 * deadline is of the compiler's own time, and the clock on the wall has this many times as long. */
enum { WALL_SHARE = 20, STOPPED_TRIES = 3 };

/* One exchange with a process. ERR_SYSTEM: it died; ERR_STOPPED: no answer in time, or interrupted before. */
static int converse(struct message *reply, struct compiler *compiler, struct work *work,
                    const struct process *process, const struct compile_request *request,
                    const struct part *source, struct err *err)
{
    const struct patience patience = {
        .timeout_s = WALL_SHARE * request->deadline_s, .child = process->pid, .core_s = request->deadline_s};
    struct json *head = request_head(request);
    int rc = head ? 0 : err_memory(err);

    if (!rc && !pool_hand_work(&compiler->pool, work, process))
        rc = ERR_STOPPED;
    if (!rc)
        rc = message_send(process->fd, head, source, 1, patience, err);
    if (!rc)
        rc = message_receive(reply, process->fd, patience, err);
    js_free(head);
    return rc;
}

/* No answer within the deadline: no verdict either, since another try may end otherwise. */
static int fail_late(struct compile_result *out, bool stopped, double deadline_s, struct err *err)
{
    out->own_failure = true;
    return fail_compile(out, err, stopped ? "was stopped by a signal" : "did not end within %g s",
                        deadline_s);
}

/* `tries` were made before, of which this one is independent: none of their processes is used again. */
static int run_compiler(struct compile_result *out, struct compiler *compiler,
                        const struct compile_request *request, const struct part *source, unsigned tries,
                        struct err *err)
{
    struct process process;
    struct message reply = {0};
    struct err talk = {0};
    struct work work;
    bool reused, stopped;
    int rc, status;

    pool_begin_work(&compiler->pool, &work, request->given_up);
    rc = pool_take(&process, &reused, &compiler->pool, tries > 0, err);
    if (rc) {
        pool_end_work(&compiler->pool, &work);
        return rc;
    }
    rc = converse(&reply, compiler, &work, &process, request, source, &talk);
    pool_end_work(&compiler->pool, &work);
    if (!rc && !work.interrupted)
        pool_give(&compiler->pool, &process);
    stopped = child_is_stopped(process.pid);
    status = process_kill(&process);
    if (!rc) {
        rc = compile_take_reply(out, &reply, request, err);
        message_release(&reply);
        return rc;
    }
    if (work.interrupted)
        return fail_interrupted(out, err);
    if (rc == ERR_STOPPED && stopped && tries + 1 < STOPPED_TRIES)
        return run_compiler(out, compiler, request, source, tries + 1, err);
    if (rc == ERR_STOPPED)
        return fail_late(out, stopped, request->deadline_s, err);
    if (rc != ERR_SYSTEM)
        return err_set(err, (enum err_code)rc, "%s", talk.text);
    if (reused) /* it may have died while it was idle: a fresh one tells */
        return run_compiler(out, compiler, request, source, tries + 1, err);
    out->own_failure = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; /* as where memory ends */
    return fail_compile(out, err, "the compiler crashed (signal %g)",
                        WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* What another try would give again. */
static bool is_verdict(const struct compile_result *result)
{
    return !result->own_failure && (result->outcome == OUTCOME_OK || result->compile_s > 0);
}

/* What is kept, or on its way to the disk. */
static bool find_kept(struct compile_result *out, struct compiler *compiler, struct key key)
{
    if (!(compiler->cache
              ? writer_find(out, &compiler->writer, key) || compile_cache_read(out, compiler->cache, key)
              : once_find(out, &compiler->once, key.low)))
        return false;
    if (!compile_result_unpack(out, NULL))
        return true;
    compile_result_release(out);
    return false;
}

bool compiler_find(struct compile_result *out, struct compiler *compiler, struct key sources)
{
    *out = (struct compile_result){0};
    return find_kept(out, compiler, key_text(sources, compiler->provenance));
}

void compiler_keep(struct compiler *compiler, struct key sources, struct compile_result *result)
{
    const struct key key = key_text(sources, compiler->provenance);

    if (is_verdict(result) && compiler->cache) {
        if (!writer_put(&compiler->writer, key, result))
            compiler_write(result, compiler, key);
    } else if (is_verdict(result)) {
        once_put(&compiler->once, key.low, result);
    }
}

/* Compiles what is no other call's to compile. A result is kept unless another try may end otherwise. */
static int compile_new(struct compile_result *out, struct compiler *compiler,
                       const struct compile_request *request, const struct part *source, struct key key,
                       struct err *err)
{
    int rc = 0;

    if (!find_kept(out, compiler, key)) {
        rc = run_compiler(out, compiler, request, source, 0, err);
        if (!rc && is_verdict(out) && compiler->cache)
            compiler_write(out, compiler, key);
        else if (!rc && is_verdict(out))
            once_keep(&compiler->once, key.low, out);
    }
    once_end(&compiler->once, key.low);
    return rc;
}

static int compile_source(struct compile_result *out, struct compiler *compiler,
                          const struct compile_request *request, const struct part *source, struct err *err)
{
    struct sources_hash hash;
    struct key key;

    if (sources_hash(&hash, request, source->bytes, err))
        return err->code;
    if (!hash.complete)
        return run_compiler(out, compiler, request, source, 0, err);
    key = key_text(hash.key, compiler->provenance);
    switch (once_begin(out, &compiler->once, key.low, request->given_up)) {
    case ONCE_KEPT:
        return compile_result_unpack(out, err);
    case ONCE_INTERRUPTED:
        return fail_interrupted(out, err);
    default:
        return compile_new(out, compiler, request, source, key, err);
    }
}

int compile_cubin(struct compile_result *out, struct compiler *compiler,
                  const struct compile_request *request, struct err *err)
{
    struct err local = {0};
    struct part source;
    char *text;
    int rc;

    memset(out, 0, sizeof *out);
    if (!err)
        err = &local;
    rc = check_arch(request, err);
    if (!rc)
        rc = file_read(&text, &source.size, request->source_path, err);
    if (rc)
        return rc;
    source.bytes = text;
    source.size++; /* with its zero */
    rc = compile_source(out, compiler, request, &source, err);
    free(text);
    if (rc)
        compile_result_release(out);
    return rc;
}

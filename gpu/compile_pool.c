#include "gpu/compile_pool.h"

#include "base/array.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const double start_s = 60; /* a compile process has this long to load NVRTC */
enum { START_TRIES = 3 };

struct idle {
    struct process process;
    bool greeted; /* its greeting was read: NVRTC is loaded */
};

void pool_init(struct pool *out, const char *worker, const char *library)
{
    memset(out, 0, sizeof *out);
    out->worker = worker;
    out->library = library;
    pthread_mutex_init(&out->lock, NULL);
}

void pool_release(struct pool *pool)
{
    while (pool->idle_count)
        process_kill(&pool->idle[--pool->idle_count].process);
    free(pool->idle);
    pthread_mutex_destroy(&pool->lock);
}

static int launch(struct process *out, const struct pool *pool, struct err *err)
{
    return process_start(out, pool->worker, "compile", pool->library, err);
}

/* Waits for the greeting. The process is ended where that fails. `*outside`: it failed since the
 * process died or was stopped before it had said a word, which something outside may have done. */
static int greet(struct message *greeting, bool *outside, struct process *process, struct err *err)
{
    struct js_at root, at;
    const char *tried;
    int rc = message_receive(greeting, process->fd,
                             (struct patience){.timeout_s = start_s, .child = process->pid}, err);

    *outside = rc == ERR_SYSTEM || (rc && child_is_stopped(process->pid));
    if (!rc) {
        root = js_root(greeting->head, "compiler");
        if (js_find(&at, &root, "missing") && !js_string(&tried, &at, err))
            rc = err_set(err, ERR_MISSING,
                         "no NVRTC library can be loaded; tried %s; set OCCUTUNE_NVRTC to one", tried);
        if (rc)
            message_release(greeting);
    } else {
        err_prefix(err, "the compile process did not start");
    }
    if (rc)
        process_kill(process);
    return rc;
}

int pool_start(struct process *out, struct message *greeting, const struct pool *pool, struct err *err)
{
    struct err why = {0};
    bool again = true;
    int tries, rc = 0;

    for (tries = 0; tries < START_TRIES && again; tries++) {
        err_clear(&why);
        again = false;
        rc = launch(out, pool, &why);
        if (!rc)
            rc = greet(greeting, &again, out, &why);
    }
    return rc ? err_set(err, (enum err_code)rc, "%s", why.text) : 0;
}

static void put_idle(struct pool *pool, struct process *process, bool greeted)
{
    pthread_mutex_lock(&pool->lock);
    if (!ARRAY_GROW(pool->idle, pool->idle_count, NULL)) {
        pool->idle[pool->idle_count++] = (struct idle){*process, greeted};
        process->pid = 0;
    }
    pthread_mutex_unlock(&pool->lock);
    process_kill(process);
}

int pool_prepare(struct pool *pool, size_t count, struct err *err)
{
    struct process process;
    size_t n;
    int rc = 0;

    pthread_mutex_lock(&pool->lock);
    n = pool->idle_count;
    pthread_mutex_unlock(&pool->lock);
    for (; n < count && !rc; n++) {
        rc = launch(&process, pool, err);
        if (!rc)
            put_idle(pool, &process, false);
    }
    return rc;
}

int pool_take(struct process *out, bool *reused, struct pool *pool, bool fresh, struct err *err)
{
    struct message greeting;
    struct idle idle = {0};
    bool outside;
    int rc = 0;

    pthread_mutex_lock(&pool->lock);
    if (!fresh && pool->idle_count)
        idle = pool->idle[--pool->idle_count];
    pthread_mutex_unlock(&pool->lock);
    *out = idle.process;
    *reused = idle.greeted;
    if (idle.greeted)
        return 0;
    *reused =
        out->pid && !greet(&greeting, &outside, out, NULL); /* else it died since it was started ahead */
    if (!*reused)
        rc = pool_start(out, &greeting, pool, err);
    if (!rc)
        message_release(&greeting);
    return rc;
}

void pool_give(struct pool *pool, struct process *process)
{
    put_idle(pool, process, true);
}

void pool_begin_work(struct pool *pool, struct work *work, const atomic_bool *given_up)
{
    *work = (struct work){.given_up = given_up};
    pthread_mutex_lock(&pool->lock);
    work->next = pool->at_work;
    pool->at_work = work;
    pthread_mutex_unlock(&pool->lock);
}

bool pool_hand_work(struct pool *pool, struct work *work, const struct process *process)
{
    bool interrupted;

    pthread_mutex_lock(&pool->lock);
    interrupted = work->interrupted;
    work->pid = process->pid;
    pthread_mutex_unlock(&pool->lock);
    return !interrupted;
}

void pool_end_work(struct pool *pool, const struct work *work)
{
    struct work **link;

    pthread_mutex_lock(&pool->lock);
    for (link = &pool->at_work; *link != work; link = &(*link)->next)
        ;
    *link = work->next;
    pthread_mutex_unlock(&pool->lock);
}

void pool_interrupt(struct pool *pool)
{
    struct work *work;

    pthread_mutex_lock(&pool->lock);
    for (work = pool->at_work; work; work = work->next) {
        if (work->given_up && !atomic_load(work->given_up))
            continue;
        work->interrupted = true;
        if (work->pid)
            kill(work->pid, SIGKILL);
    }
    pthread_mutex_unlock(&pool->lock);
}

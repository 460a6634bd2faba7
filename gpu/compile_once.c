#include "gpu/compile_once.h"

#include <stdlib.h>
#include <string.h>

struct once_code {
    bool under_way; /* by the first that asked for it */
    bool kept;      /* `result` is there */
    struct compile_result result;
    struct once_code *next; /* kept later */
};

void once_init(struct once *out, uint64_t limit)
{
    *out = (struct once){.limit = limit};
    out->end = &out->oldest;
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->ended, NULL);
}

void once_release(struct once *once)
{
    for (size_t i = 0; i < once->codes.capacity; i++) {
        struct once_code *code = once->codes.entries[i].value;

        if (code)
            compile_result_release(&code->result);
        free(code);
    }
    map_release(&once->codes);
    pthread_cond_destroy(&once->ended);
    pthread_mutex_destroy(&once->lock);
}

static uint64_t bytes_of(const struct compile_result *result)
{
    return (result->cubin ? result->cubin_bytes : 0) + result->packed_bytes +
           (result->log ? strlen(result->log) : 0);
}

/* One that cannot be noted is compiled all the same, perhaps more than once. */
static void note(struct once *once, uint64_t key, bool under_way)
{
    struct once_code *code = calloc(1, sizeof *code);

    if (code && map_put(&once->codes, key, code, NULL))
        free(code);
    else if (code)
        code->under_way = under_way;
}

/* Whether an interrupt came since `*interrupts` that is meant for who waits. Called with the lock. */
static bool is_interrupted(unsigned *interrupts, const struct once *once, const atomic_bool *given_up)
{
    const bool came = once->interrupts != *interrupts;

    *interrupts = once->interrupts;
    return came && (!given_up || atomic_load(given_up));
}

enum once_turn once_begin(struct compile_result *out, struct once *once, uint64_t key,
                          const atomic_bool *given_up)
{
    enum once_turn turn = ONCE_MINE;
    struct once_code *code;
    unsigned interrupts;
    bool interrupted = false;

    pthread_mutex_lock(&once->lock);
    interrupts = once->interrupts;
    code = map_find(&once->codes, key);
    while (code && code->under_way && !interrupted) {
        pthread_cond_wait(&once->ended, &once->lock);
        interrupted = is_interrupted(&interrupts, once, given_up);
    }
    if (interrupted)
        turn = ONCE_INTERRUPTED;
    else if (!code)
        note(once, key, true);
    else if (code->kept && compile_result_share(out, &code->result))
        turn = ONCE_KEPT;
    pthread_mutex_unlock(&once->lock);
    return turn;
}

/* Called with the lock. */
static void evict(struct once *once)
{
    struct once_code *code;

    while (once->bytes > once->limit) {
        code = once->oldest;
        once->oldest = code->next;
        once->bytes -= bytes_of(&code->result);
        code->kept = false;
        compile_result_release(&code->result);
    }
}

void once_keep(struct once *once, uint64_t key, struct compile_result *result)
{
    struct once_code *code;

    pthread_mutex_lock(&once->lock);
    code = map_find(&once->codes, key);
    if (code && !code->kept && bytes_of(result) <= once->limit &&
        compile_result_share(&code->result, result)) {
        code->kept = true;
        code->next = NULL;
        *once->end = code;
        once->end = &code->next;
        once->bytes += bytes_of(result);
        evict(once); /* this one, the youngest, stays */
    }
    pthread_mutex_unlock(&once->lock);
}

bool once_find(struct compile_result *out, struct once *once, uint64_t key)
{
    struct once_code *code;
    bool found;

    pthread_mutex_lock(&once->lock);
    code = map_find(&once->codes, key);
    found = code && code->kept && compile_result_share(out, &code->result);
    pthread_mutex_unlock(&once->lock);
    return found;
}

void once_put(struct once *once, uint64_t key, struct compile_result *result)
{
    pthread_mutex_lock(&once->lock);
    if (!map_find(&once->codes, key))
        note(once, key, false);
    pthread_mutex_unlock(&once->lock);
    once_keep(once, key, result);
}

void once_end(struct once *once, uint64_t key)
{
    struct once_code *code;

    pthread_mutex_lock(&once->lock);
    code = map_find(&once->codes, key);
    if (code)
        code->under_way = false;
    pthread_cond_broadcast(&once->ended);
    pthread_mutex_unlock(&once->lock);
}

void once_interrupt(struct once *once)
{
    pthread_mutex_lock(&once->lock);
    once->interrupts++;
    pthread_cond_broadcast(&once->ended);
    pthread_mutex_unlock(&once->lock);
}

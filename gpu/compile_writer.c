#include "gpu/compile_writer.h"

#include <stdlib.h>

struct writing {
    struct key key;
    struct compile_result result;
    struct writing *next;
};

void writer_init(struct writer *out, writer_write *write, void *context)
{
    *out = (struct writer){.write = write, .context = context};
    out->end = &out->first;
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->came, NULL);
    pthread_cond_init(&out->written, NULL);
}

void writer_release(struct writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    writer->ends = true;
    pthread_cond_signal(&writer->came);
    pthread_mutex_unlock(&writer->lock);
    if (writer->runs)
        pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->written);
    pthread_cond_destroy(&writer->came);
    pthread_mutex_destroy(&writer->lock);
}

static void free_writing(struct writing *writing)
{
    compile_result_release(&writing->result);
    free(writing);
}

/* The next to be written, which stays where it is found; null when it is to end and all is written. */
static struct writing *wait_for_next(struct writer *writer)
{
    struct writing *next;

    pthread_mutex_lock(&writer->lock);
    while (!writer->first && !writer->ends)
        pthread_cond_wait(&writer->came, &writer->lock);
    next = writer->first;
    pthread_mutex_unlock(&writer->lock);
    return next;
}

static void take_first(struct writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    writer->first = writer->first->next;
    if (!writer->first)
        writer->end = &writer->first;
    writer->count--;
    pthread_cond_signal(&writer->written);
    pthread_mutex_unlock(&writer->lock);
}

static void *write_all(void *argument)
{
    struct writer *writer = argument;
    struct writing *writing;

    while ((writing = wait_for_next(writer))) {
        writer->write(&writing->result, writer->context, writing->key);
        take_first(writer);
        free_writing(writing);
    }
    return NULL;
}

/* Called with the lock. */
static bool start(struct writer *writer)
{
    if (!writer->runs)
        writer->runs = !pthread_create(&writer->thread, NULL, write_all, writer);
    return writer->runs;
}

bool writer_put(struct writer *writer, struct key key, struct compile_result *result)
{
    struct writing *writing = calloc(1, sizeof *writing);
    bool good = writing && compile_result_share(&writing->result, result);

    if (!good) {
        free(writing);
        return false;
    }
    writing->key = key;
    pthread_mutex_lock(&writer->lock);
    good = start(writer);
    while (good && writer->count == WRITER_WAITING)
        pthread_cond_wait(&writer->written, &writer->lock);
    if (good) {
        *writer->end = writing;
        writer->end = &writing->next;
        writer->count++;
        pthread_cond_signal(&writer->came);
    }
    pthread_mutex_unlock(&writer->lock);
    if (!good)
        free_writing(writing);
    return good;
}

bool writer_find(struct compile_result *out, struct writer *writer, struct key key)
{
    struct writing *writing;
    bool found;

    pthread_mutex_lock(&writer->lock);
    for (writing = writer->first; writing && !key_equal(writing->key, key); writing = writing->next)
        continue;
    found = writing && compile_result_share(out, &writing->result);
    pthread_mutex_unlock(&writer->lock);
    return found;
}

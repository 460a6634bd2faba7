/* Writes what was compiled to the cache from a thread of its own, so that its callers wait for no disk. Part of gpu/compile,
 * which is how others see it. */
#ifndef GPU_COMPILE_WRITER_H
#define GPU_COMPILE_WRITER_H

#include "base/key.h"
#include "gpu/compile.h"

#include <pthread.h>

/* So many wait at most; a caller with more waits for the disk. */
enum { WRITER_WAITING = 256 };

typedef void writer_write(const struct compile_result *result, void *context, struct key key);

struct writer {
    writer_write *write;
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t came, written;
    pthread_t thread;
    bool runs, ends;
    struct writing *first, **end; /* the first is being written */
    size_t count;
};

/* The thread begins with the first writer_put() and ends with writer_release(), once all is written. */
void writer_init(struct writer *out, writer_write *write, void *context);
void writer_release(struct writer *writer);

/* False: memory or threads end, and nothing will be written. */
bool writer_put(struct writer *writer, struct key key, struct compile_result *result);

/* What is still to be written under `key`, `cached`. */
bool writer_find(struct compile_result *out, struct writer *writer, struct key key);

#endif

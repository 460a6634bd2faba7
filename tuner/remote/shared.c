#include "tuner/remote/shared.h"

#include "tuner/remote/exchange.h"

#include <stdlib.h>

/* Written so often, a stretch is more than one variant's own: that is written for its compile and for its trial. */
enum { OFTEN = 3 };

struct stretch {
    unsigned written;
    struct key key;
    struct js_line text; /* from its third time on */
};

void shared_release(struct shared *shared)
{
    for (size_t i = 0; i < shared->stretches.capacity; i++) {
        struct stretch *stretch = shared->stretches.entries[i].value;

        if (stretch)
            js_line_release(&stretch->text);
        free(stretch);
    }
    map_release(&shared->stretches);
    *shared = (struct shared){0};
}

static struct stretch *stretch_of(struct shared *shared, uint64_t hash, struct err *err)
{
    struct stretch *stretch = map_find(&shared->stretches, hash);

    if (stretch)
        return stretch;
    stretch = calloc(1, sizeof *stretch);
    if (!stretch) {
        err_memory(err);
        return NULL;
    }
    if (!map_put(&shared->stretches, hash, stretch, err))
        return stretch;
    free(stretch);
    return NULL;
}

static int make_text(struct stretch *stretch, shared_writer *write, const void *from, struct err *err)
{
    int rc;

    js_line_begin(&stretch->text);
    rc = write(&stretch->text, NULL, from, err);
    if (!rc)
        rc = js_line_end(&stretch->text, err);
    if (rc)
        js_line_begin(&stretch->text);
    stretch->key = key_bytes(stretch->text.text, stretch->text.length);
    return rc;
}

int shared_write(struct js_line *line, const char *key, struct host *host, struct shared *shared,
                 uint64_t hash, shared_writer *write, const void *from, struct err *err)
{
    struct stretch *stretch = stretch_of(shared, hash, err);
    int rc = stretch ? 0 : ERR_MEMORY;

    if (rc)
        return rc;
    stretch->written += stretch->written < OFTEN;
    if (stretch->written < OFTEN)
        return write(line, key, from, err);
    if (!stretch->text.length)
        rc = make_text(stretch, write, from, err);
    if (rc)
        return rc;
    host_give(host, stretch->key, stretch->text.text, stretch->text.length);
    content_write(line, key, stretch->key);
    return 0;
}

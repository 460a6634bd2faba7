/* Stretches of JSON that are the same in many requests: once they have come back they travel as contents, once to each
 * host, and requests name them by key. */
#ifndef TUNER_REMOTE_SHARED_H
#define TUNER_REMOTE_SHARED_H

#include "base/json_line.h"
#include "base/map.h"
#include "tuner/remote/fleet.h"

/* Writes what `from` is, as the member `key`. */
typedef int shared_writer(struct js_line *line, const char *key, const void *from, struct err *err);

/* What is in requests, by a hash of what it is made of. {0}: nothing yet. */
struct shared {
    struct map stretches; /* -> struct stretch */
};
void shared_release(struct shared *shared);

/* The member `key` of a request to a host: the stretch itself where it is rare, else the key of the content. `hash` tells
 * it from all others that are written here. */
int shared_write(struct js_line *line, const char *key, struct host *host, struct shared *shared,
                 uint64_t hash, shared_writer *write, const void *from, struct err *err);

#endif

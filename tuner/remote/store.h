/* What a worker was sent, by content; and as files in a folder of its own, which is all of its host's files that a
 * controller can name. */
#ifndef TUNER_REMOTE_STORE_H
#define TUNER_REMOTE_STORE_H

#include "base/err.h"
#include "base/key.h"
#include "base/map.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When contents take more, all are forgotten; the controller sends again what is asked for. */
#define STORE_BYTES_MOST (UINT64_C(1) << 30)

struct content {
    struct key key;
    unsigned char *bytes; /* with a zero behind it */
    size_t size;
};

struct store {
    char root[64];       /* the folder */
    int lock;            /* held on a file in it as long as this process lives; -1: none */
    struct map contents; /* low word of the key -> struct content */
    struct map written;  /* hash of the path -> itself: files that are there */
    uint64_t bytes;
};

/* Makes the folder, in TMPDIR or /tmp, and removes those that workers left there which were killed. ERR_SYSTEM. */
int store_open(struct store *out, struct err *err);
void store_close(struct store *store); /* and removes the folder */

int store_put(struct store *store, const void *bytes, size_t size, struct err *err);
const struct content *store_find(const struct store *store,
                                 struct key key); /* null: not here, or forgotten */

/* Writes a content as the file `path` below root/`folder`, unless it is there. ERR_USAGE where the path does not
 * begin with a slash, or has a part that is empty, "." or "..". */
int store_write(char out[PATH_MAX], struct store *store, const char *folder, const char *path,
                const struct content *content, struct err *err);

/* The same name without writing anything. */
int store_path(char out[PATH_MAX], const struct store *store, const char *folder, const char *path,
               struct err *err);

#endif

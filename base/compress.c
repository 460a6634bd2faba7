#include "base/compress.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Streams ------------------------------------------------------------------ */

/* Streams have no head and no sum of their own: what carries them has. */
enum { RAW_WINDOW = -15, MEMORY_LEVEL = 8 };

struct stream {
    z_stream z;
    int (*end)(z_streamp z);
};

void compress_stream_release(struct compress_stream *stream)
{
    struct stream *state = stream->state;

    if (state)
        state->end(&state->z);
    free(state);
    stream->state = NULL;
}

/* The state of a stream, begun at its first piece; null when memory ends. */
static z_stream *begin(struct compress_stream *stream, bool packs)
{
    struct stream *state = stream->state;

    if (state)
        return &state->z;
    state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->end = packs ? deflateEnd : inflateEnd;
    if ((packs ? deflateInit2(&state->z, stream->fast ? Z_BEST_SPEED : Z_BEST_SPEED + 2, Z_DEFLATED,
                              RAW_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY)
               : inflateInit2(&state->z, RAW_WINDOW)) != Z_OK) {
        free(state);
        return NULL;
    }
    stream->state = state;
    return &state->z;
}

int compress_pack_next(unsigned char **out, size_t *packed, struct compress_stream *stream, const void *bytes,
                       size_t size, struct err *err)
{
    enum { FLUSH_BYTES = 16 }; /* that a flush adds, at most */
    z_stream *z = begin(stream, true);
    const size_t capacity = z ? deflateBound(z, size) + FLUSH_BYTES : 0;

    *out = z ? malloc(capacity) : NULL;
    if (!*out)
        return err_memory(err);
    z->avail_in = 0;
    z->next_out = *out;
    z->avail_out = (unsigned)capacity;
    z->next_in = (unsigned char *)bytes;
    z->avail_in = (unsigned)size;
    if (deflate(z, Z_SYNC_FLUSH) != Z_OK || z->avail_in || !z->avail_out) {
        free(*out);
        *out = NULL;
        return err_set(err, ERR_SYSTEM, "the data cannot be compressed");
    }
    *packed = capacity - z->avail_out;
    return 0;
}

int compress_unpack_next(void *out, size_t size, struct compress_stream *stream, const void *packed,
                         size_t packed_size, struct err *err)
{
    z_stream *z = begin(stream, false);
    unsigned char more; /* a place for what must not come */
    int rc;

    if (!z)
        return err_memory(err);
    z->next_in = (unsigned char *)packed;
    z->avail_in = (unsigned)packed_size;
    z->next_out = out;
    z->avail_out = (unsigned)size;
    rc = inflate(z, Z_SYNC_FLUSH);
    if (rc == Z_OK && !z->avail_out && z->avail_in) { /* the flush's own bytes */
        z->next_out = &more;
        z->avail_out = 1;
        rc = inflate(z, Z_SYNC_FLUSH);
        if (!z->avail_out)
            rc = Z_DATA_ERROR;
        z->avail_out = 0;
    }
    if (rc == Z_MEM_ERROR)
        return err_memory(err);
    return (rc == Z_OK || rc == Z_BUF_ERROR) && !z->avail_out && !z->avail_in
               ? 0
               : err_set(err, ERR_FORMAT, "damaged compressed data");
}

int compress_pack(unsigned char **out, size_t *packed, const void *bytes, size_t size, struct err *err)
{
    uLongf capacity = compressBound((uLong)size);

    *out = malloc(capacity);
    if (!*out || compress2(*out, &capacity, bytes, (uLong)size, Z_DEFAULT_COMPRESSION) != Z_OK) {
        free(*out);
        *out = NULL;
        return err_memory(err);
    }
    *packed = capacity;
    return 0;
}

int compress_unpack(unsigned char **out, size_t size, const void *packed, size_t packed_size, struct err *err)
{
    uLongf got = (uLongf)size;
    uLong taken = (uLong)packed_size;
    int rc = Z_DATA_ERROR;

    *out = NULL;
    if (size <= packed_size * COMPRESS_MOST + 64) {
        *out = malloc(size + 1);
        if (!*out)
            return err_memory(err);
        rc = uncompress2(*out, &got, packed, &taken);
    }
    if (rc == Z_OK && got == size && taken == packed_size)
        return 0;
    free(*out);
    *out = NULL;
    return rc == Z_MEM_ERROR ? err_memory(err) : err_set(err, ERR_FORMAT, "damaged compressed data");
}

/* Files -------------------------------------------------------------------- */

static gzFile open_compressed(const char *path, struct err *err)
{
    FILE *file = file_open(path, err);
    const int descriptor = file ? dup(fileno(file)) : -1;
    gzFile compressed = descriptor >= 0 ? gzdopen(descriptor, "rb") : NULL;

    if (file)
        fclose(file);
    if (!compressed && descriptor >= 0)
        close(descriptor);
    if (file && !compressed)
        err_memory(err);
    return compressed;
}

static int read_failed(gzFile file, const char *path, struct err *err)
{
    int rc;

    gzerror(file, &rc);
    if (rc == Z_MEM_ERROR)
        return err_memory(err);
    if (rc == Z_ERRNO)
        return err_set(err, ERR_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    return err_set(err, ERR_FORMAT, "%s: cannot be read: damaged gzip data", path);
}

/* The rest of the file, which ends where a read gives less than asked for. */
static int read_rest(char **text, size_t *used, gzFile file, const char *path, size_t most, struct err *err)
{
    size_t capacity = 1 << 16;
    char *larger;
    int n;

    do {
        if (capacity > most)
            return err_set(err, ERR_USAGE, "%s: cannot be read: it is larger than %zu GiB", path, most >> 30);
        larger = realloc(*text, capacity + 1);
        if (!larger)
            return err_memory(err);
        *text = larger;
        n = gzread(file, *text + *used, (unsigned)(capacity - *used));
        if (n < 0)
            return read_failed(file, path, err);
        *used += (size_t)n;
        capacity *= 2;
    } while (*used == capacity / 2);
    (*text)[*used] = '\0';
    return 0;
}

int compress_read_file(char **text, size_t *length, bool *compressed, const char *path, size_t most,
                       struct err *err)
{
    struct err why = {0};
    gzFile file = open_compressed(path, &why);
    char *read = NULL;
    size_t used = 0;

    *text = NULL;
    if (file) {
        read_rest(&read, &used, file, path, most, &why);
        *compressed = !gzdirect(file);
        gzclose(file);
    }
    if (why.code) {
        free(read);
        return err_set(err, (enum err_code)why.code, "%s", why.text);
    }
    *text = read;
    *length = used;
    return 0;
}

#include "base/compress.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

int compress_pack(unsigned char **out, size_t *packed, const void *bytes, size_t size, struct err *err)
{
    uLongf used = compressBound(size);

    *out = malloc(used);
    if (!*out || compress2(*out, &used, bytes, size, Z_BEST_SPEED + 2) != Z_OK) {
        free(*out);
        *out = NULL;
        return err_memory(err);
    }
    *packed = used;
    return 0;
}

int compress_unpack(void *out, size_t size, const void *packed, size_t packed_size, struct err *err)
{
    uLongf used = size;
    const int rc = uncompress(out, &used, packed, packed_size);

    if (rc == Z_MEM_ERROR)
        return err_memory(err);
    return rc == Z_OK && used == size ? 0 : err_set(err, ERR_FORMAT, "damaged compressed data");
}

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
            return err_set(err, ERR_FORMAT, "%s: cannot be read: damaged gzip data", path);
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

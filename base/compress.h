/* Streams of compressed bytes (zlib), and files that may be compressed (gzip). */
#ifndef BASE_COMPRESS_H
#define BASE_COMPRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes never unpack to more than this many times as many: that is all zlib can do. */
enum { COMPRESS_MOST = 1040 };

/* A stream of pieces, each of which can be unpacked as soon as it is there: what came before is the dictionary of
 * what follows, so that pieces which are like one another take little. One stream for each direction, from its first
 * piece on; after an error it is of no use. Zeroed bytes are a stream that has not begun. */
struct compress_stream {
    void *state;
    bool fast; /* packs in less time, into more; set before the first piece */
};
void compress_stream_release(struct compress_stream *stream);

/* Packs `size` bytes; *out is malloc'ed. Unpacks into exactly `size` bytes at `out`: ERR_FORMAT where they are not
 * what was packed. */
int compress_pack_next(unsigned char **out, size_t *packed, struct compress_stream *stream, const void *bytes,
                       size_t size, struct err *err);
int compress_unpack_next(void *out, size_t size, struct compress_stream *stream, const void *packed,
                         size_t packed_size, struct err *err);

/* The same of one stretch of bytes alone, packed well; and into exactly `size` bytes, malloc'ed. */
int compress_pack(unsigned char **out, size_t *packed, const void *bytes, size_t size, struct err *err);
int compress_unpack(unsigned char **out, size_t size, const void *packed, size_t packed_size,
                    struct err *err);

/* Reads a file, unpacked where it is compressed, with a zero behind it; *text is malloc'ed. ERR_USAGE where it
 * cannot be read or holds more than `most` bytes, ERR_FORMAT where it is damaged. */
int compress_read_file(char **text, size_t *length, bool *compressed, const char *path, size_t most,
                       struct err *err);

#endif

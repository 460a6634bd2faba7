/* Compressed bytes (zlib), and files that may be compressed (gzip). */
#ifndef BASE_COMPRESS_H
#define BASE_COMPRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes never unpack to more than this many times as many: that is all zlib can do. */
enum { COMPRESS_MOST = 1040 };

/* Packs `size` bytes; *out is malloc'ed. */
int compress_pack(unsigned char **out, size_t *packed, const void *bytes, size_t size, struct err *err);

/* Unpacks into exactly `size` bytes at `out`. ERR_FORMAT where they are not what was packed. */
int compress_unpack(void *out, size_t size, const void *packed, size_t packed_size, struct err *err);

/* Reads a file, unpacked where it is compressed, with a zero behind it; *text is malloc'ed. ERR_USAGE where it
 * cannot be read or holds more than `most` bytes, ERR_FORMAT where it is damaged. */
int compress_read_file(char **text, size_t *length, bool *compressed, const char *path, size_t most,
                       struct err *err);

#endif

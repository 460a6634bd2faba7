/* Short messages, each packed as what it repeats of those before it (liblz4): in a tenth of the time that zlib takes for
 * one, and without anything to set up or to look at that does not come from the messages themselves.
 *
 * What is packed is a block of LZ4, whose matches may lie in the messages before. One of these for each direction of a
 * connection, from its first message on; after an error it is of no use. Zeroed bytes have seen nothing. */
#ifndef BASE_REPEATS_H
#define BASE_REPEATS_H

#include "base/err.h"

#include <stddef.h>

enum { REPEATS_MOST = 1 << 12 }; /* bytes of a message */

struct repeats {
    unsigned char *past; /* messages, one behind the other; when one does not fit it begins anew */
    size_t used;
    void *packing, *unpacking; /* liblz4's state; the one that was needed */
};
void repeats_release(struct repeats *repeats);

/* Where the next message of `size` bytes is to be written, which is to be packed then; null when memory ends. */
unsigned char *repeats_next(struct repeats *repeats, size_t size, struct err *err);

/* Packs the message that stands there into at most repeats_bound() bytes. Their number. */
size_t repeats_pack(unsigned char *out, struct repeats *repeats, size_t size);
size_t repeats_bound(size_t size);

/* *out is the message of exactly `size` bytes, until the next call. ERR_FORMAT: it is not what was packed. */
int repeats_unpack(const unsigned char **out, size_t size, struct repeats *repeats,
                   const unsigned char *packed, size_t packed_size, struct err *err);

#endif

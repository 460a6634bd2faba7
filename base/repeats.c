#include "base/repeats.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>

/* Both sides begin anew at the same messages. What a match reaches, 64 KiB back across the end of the past, never lies
 * where the message itself is unpacked, whatever the bytes say. */
enum { PAST_BYTES = (1 << 16) + 2 * REPEATS_MOST };

void repeats_release(struct repeats *repeats)
{
    free(repeats->past);
    LZ4_freeStream(repeats->packing);
    LZ4_freeStreamDecode(repeats->unpacking);
    *repeats = (struct repeats){0};
}

size_t repeats_bound(size_t size)
{
    return size <= LZ4_MAX_INPUT_SIZE ? (size_t)LZ4_compressBound((int)size) : SIZE_MAX;
}

static unsigned char *next(struct repeats *repeats, size_t size, struct err *err)
{
    if (!repeats->past)
        repeats->past = malloc(PAST_BYTES);
    if (!repeats->past) {
        err_memory(err);
        return NULL;
    }
    if (size > PAST_BYTES - repeats->used)
        repeats->used = 0;
    return repeats->past + repeats->used;
}

unsigned char *repeats_next(struct repeats *repeats, size_t size, struct err *err)
{
    if (!repeats->packing)
        repeats->packing = LZ4_createStream();
    if (!repeats->packing) {
        err_memory(err);
        return NULL;
    }
    return next(repeats, size, err);
}

size_t repeats_pack(unsigned char *out, struct repeats *repeats, size_t size)
{
    const char *message = (const char *)repeats->past + repeats->used;

    repeats->used += size;
    return (size_t)LZ4_compress_fast_continue(repeats->packing, message, (char *)out, (int)size,
                                              LZ4_compressBound((int)size), 1);
}

int repeats_unpack(const unsigned char **out, size_t size, struct repeats *repeats,
                   const unsigned char *packed, size_t packed_size, struct err *err)
{
    unsigned char *to;

    *out = NULL;
    if (size > REPEATS_MOST || packed_size > repeats_bound(size))
        return err_set(err, ERR_FORMAT, "a message of %zu bytes, packed %zu, is too long", size, packed_size);
    if (!repeats->unpacking)
        repeats->unpacking = LZ4_createStreamDecode();
    if (!repeats->unpacking)
        return err_memory(err);
    *out = to = next(repeats, size, err);
    if (!to)
        return ERR_MEMORY;
    repeats->used += size;
    if (LZ4_decompress_safe_continue(repeats->unpacking, (const char *)packed, (char *)to, (int)packed_size,
                                     (int)size) != (int)size)
        return err_set(err, ERR_FORMAT, "damaged compressed data");
    return 0;
}

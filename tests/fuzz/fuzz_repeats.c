/* Unpacks any bytes as messages of any sizes, one after another; and packs and unpacks the same bytes as messages. */
#include "fuzz.h"

#include "base/repeats.h"

#include <stdlib.h>
#include <string.h>

static void unpack_all(const uint8_t *bytes, size_t size)
{
    struct repeats repeats = {0};
    const unsigned char *got;

    while (size > 3) { /* of each: its size, and how many bytes it takes */
        const size_t claimed = bytes[0] | (size_t)bytes[1] << 8;
        const size_t taken = bytes[2] < size - 3 ? bytes[2] : size - 3;

        if (repeats_unpack(&got, claimed, &repeats, bytes + 3, taken, NULL))
            break;
        bytes += 3 + taken;
        size -= 3 + taken;
    }
    repeats_release(&repeats);
}

static void return_all(const uint8_t *bytes, size_t size)
{
    struct repeats sent = {0}, heard = {0};

    for (size_t length = 1; size; bytes += length, size -= length, length = length * 3 % 1009) {
        unsigned char *packed, *to;
        const unsigned char *got;
        size_t taken;

        length = length < size ? length : size;
        packed = malloc(repeats_bound(length));
        to = repeats_next(&sent, length, NULL);
        if (!packed || !to)
            abort();
        memcpy(to, bytes, length);
        taken = repeats_pack(packed, &sent, length);
        if (taken > repeats_bound(length) || repeats_unpack(&got, length, &heard, packed, taken, NULL) ||
            memcmp(got, bytes, length))
            abort();
        free(packed);
    }
    repeats_release(&sent);
    repeats_release(&heard);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    unpack_all(bytes, size);
    return_all(bytes, size);
    return 0;
}

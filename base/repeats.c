#include "base/repeats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAST_BYTES = 1 << 16, /* a distance has two bytes */
    SLOT_BITS = 12,
    MATCH_LEAST = 4,
    COUNT_MOST = 15 /* that a half of a token can say; more follows in bytes of their own */
};

void repeats_release(struct repeats *repeats)
{
    free(repeats->past);
    free(repeats->latest);
    *repeats = (struct repeats){0};
}

size_t repeats_bound(size_t size)
{
    return size + size / 255 + 16;
}

unsigned char *repeats_next(struct repeats *repeats, size_t size, struct err *err)
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

/* Packing ------------------------------------------------------------------ */

static uint32_t word_at(const unsigned char *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint32_t slot_of(uint32_t word)
{
    return word * UINT32_C(2654435761) >> (32 - SLOT_BITS);
}

/* Bytes that are the same at both places, up to the end of the second. */
static size_t count_alike(const unsigned char *a, const unsigned char *b, const unsigned char *end)
{
    const unsigned char *begin = b;

    while (end - b >= 8 && !memcmp(a, b, 8)) {
        a += 8;
        b += 8;
    }
    while (b < end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(b - begin);
}

static unsigned char *put_rest(unsigned char *to, size_t count)
{
    if (count < COUNT_MOST)
        return to;
    for (count -= COUNT_MOST; count >= 255; count -= 255)
        *to++ = 255;
    *to++ = (unsigned char)count;
    return to;
}

static unsigned half_of(size_t count)
{
    return count < COUNT_MOST ? (unsigned)count : COUNT_MOST;
}

/* Bytes as they are, and `more` beyond the least of a match. */
static unsigned char *put_plain(unsigned char *to, const unsigned char *bytes, size_t count, size_t more)
{
    *to++ = (unsigned char)(half_of(count) << 4 | half_of(more));
    to = put_rest(to, count);
    memcpy(to, bytes, count);
    return to + count;
}

static unsigned char *put_match(unsigned char *to, size_t distance, size_t more)
{
    *to++ = (unsigned char)distance;
    *to++ = (unsigned char)(distance >> 8);
    return put_rest(to, more);
}

/* Where the four bytes at `at` stand before it, or `at`. What was noted before the past began anew may lie behind it. */
static size_t find(const struct repeats *repeats, size_t at)
{
    const unsigned char *past = repeats->past;
    uint16_t *latest = &repeats->latest[slot_of(word_at(past + at))];
    const size_t found = *latest;

    *latest = (uint16_t)at;
    return found < at && word_at(past + found) == word_at(past + at) ? found : at;
}

size_t repeats_pack(unsigned char *out, struct repeats *repeats, size_t size)
{
    const unsigned char *past = repeats->past;
    const size_t end = repeats->used + size;
    size_t at = repeats->used, plain = at;
    unsigned char *to = out;

    if (!repeats->latest)
        repeats->latest = calloc((size_t)1 << SLOT_BITS, sizeof *repeats->latest);
    while (repeats->latest && end - at >= MATCH_LEAST) { /* without memory all stays as it is */
        const size_t found = find(repeats, at);
        size_t more;

        if (found == at) {
            at++;
            continue;
        }
        more = count_alike(past + found + MATCH_LEAST, past + at + MATCH_LEAST, past + end);
        to = put_plain(to, past + plain, at - plain, more);
        to = put_match(to, at - found, more);
        plain = at += MATCH_LEAST + more;
    }
    repeats->used = end;
    return (size_t)(put_plain(to, past + plain, end - plain, 0) - out);
}

/* Unpacking ---------------------------------------------------------------- */

struct source {
    const unsigned char *at, *end;
};

/* A count whose first half is known. False: it is not whole. */
static bool take_count(size_t *count, struct source *from)
{
    unsigned char more = 255;

    if (*count < COUNT_MOST)
        return true;
    while (more == 255 && from->at < from->end) {
        more = *from->at++;
        *count += more;
    }
    return more < 255;
}

/* A match may reach into what it makes. */
static unsigned char *repeat(unsigned char *to, size_t distance, size_t count)
{
    const unsigned char *from = to - distance;

    if (count <= distance)
        memcpy(to, from, count);
    else
        for (size_t i = 0; i < count; i++)
            to[i] = from[i];
    return to + count;
}

static bool take_plain(unsigned char **to, const unsigned char *end, struct source *from, size_t count)
{
    if (!take_count(&count, from) || count > (size_t)(from->end - from->at) || count > (size_t)(end - *to))
        return false;
    memcpy(*to, from->at, count);
    from->at += count;
    *to += count;
    return true;
}

static bool take_match(unsigned char **to, const unsigned char *begin, const unsigned char *end,
                       struct source *from, size_t count)
{
    size_t distance;

    if (from->end - from->at < 2)
        return false;
    distance = (size_t)from->at[0] | (size_t)from->at[1] << 8;
    from->at += 2;
    if (!take_count(&count, from) || !distance || distance > (size_t)(*to - begin) ||
        count + MATCH_LEAST > (size_t)(end - *to))
        return false;
    *to = repeat(*to, distance, count + MATCH_LEAST);
    return true;
}

int repeats_unpack(const unsigned char **out, size_t size, struct repeats *repeats,
                   const unsigned char *packed, size_t packed_size, struct err *err)
{
    struct source from = {packed, packed + packed_size};
    unsigned char *to = size <= REPEATS_MOST ? repeats_next(repeats, size, err) : NULL, *end;
    bool good = true, whole = false;

    *out = to;
    if (!to)
        return err_set(err, ERR_FORMAT, "a message of %zu bytes is too long", size);
    end = to + size;
    while (good && !whole && from.at < from.end) {
        const unsigned token = *from.at++;

        good = take_plain(&to, end, &from, token >> 4);
        whole = from.at == from.end;
        if (good && !whole)
            good = take_match(&to, repeats->past, end, &from, token & 15);
    }
    repeats->used += size;
    return good && whole && to == end ? 0 : err_set(err, ERR_FORMAT, "damaged compressed data");
}

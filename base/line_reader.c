#include "base/line_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a line without an end, before whoever has not all day is asked again. */
enum { READS_MOST = 64 };

int line_reader_open(struct line_reader *out, int fd, size_t most, struct err *err)
{
    /* Capacity for the newline of the longest line, which a zero replaces. */
    *out = (struct line_reader){.fd = fd, .most = most, .bytes = malloc(most + 1)};
    return out->bytes ? 0 : err_memory(err);
}

void line_reader_release(struct line_reader *reader)
{
    free(reader->bytes);
    *reader = (struct line_reader){0};
}

/* The bytes up to `length` after the first, and a newline behind them, have been looked at. */
static enum line_got take(struct line_reader *reader, size_t length, size_t newline)
{
    const bool skipped = reader->skips;

    reader->line = reader->bytes + reader->begin;
    reader->length = length;
    reader->bytes[reader->begin + length] = '\0';
    reader->begin += length + newline;
    reader->skips = false;
    return skipped ? LINE_LONG : LINE_WHOLE;
}

/* False where it takes more bytes to say. */
static bool take_buffered(enum line_got *out, struct line_reader *reader)
{
    const size_t have = reader->end - reader->begin;
    const char *newline = memchr(reader->bytes + reader->begin, '\n', have);

    if (newline)
        *out = take(reader, (size_t)(newline - reader->bytes) - reader->begin, 1);
    else if (!reader->ended)
        return false;
    else if (have || reader->skips)
        *out = take(reader, have, 0);
    else
        *out = LINE_END;
    return true;
}

/* The beginning of a line that cannot end within the limit is dropped. */
static void make_space(struct line_reader *reader)
{
    const size_t have = reader->end - reader->begin;

    memmove(reader->bytes, reader->bytes + reader->begin, have);
    reader->begin = 0;
    reader->end = have;
    if (have == reader->most + 1 || reader->skips) {
        reader->skips = true;
        reader->end = 0;
    }
}

enum line_got line_reader_next(struct line_reader *reader, int timeout_ms)
{
    struct pollfd in = {.fd = reader->fd, .events = POLLIN};
    enum line_got got;
    ssize_t size;
    int ready;

    for (unsigned reads = 0; !take_buffered(&got, reader); reads++) {
        make_space(reader);
        if (timeout_ms >= 0 && reads == READS_MOST)
            return LINE_NONE;
        ready = poll(&in, 1, timeout_ms);
        if (!ready)
            return LINE_NONE;
        if (ready < 0 && errno == EINTR)
            continue;
        size = read(reader->fd, reader->bytes + reader->end, reader->most + 1 - reader->end);
        if (size > 0)
            reader->end += (size_t)size;
        else if (!size || (errno != EINTR && errno != EAGAIN))
            reader->ended = true;
    }
    return got;
}

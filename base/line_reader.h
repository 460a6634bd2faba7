/* Lines that another program writes, read from a descriptor as they come; none is longer than a limit, so that no writer
 * takes up all memory.
 *
 * A last line may lack its newline. Zeroed bytes are closed lines. */
#ifndef BASE_LINE_READER_H
#define BASE_LINE_READER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum line_got {
    LINE_WHOLE, /* it stands in `line`, until the next call */
    LINE_LONG,  /* it is longer than `most`, and left out */
    LINE_NONE,  /* none has come within the time */
    LINE_END    /* there are no more */
};

struct line_reader {
    const char *line; /* without newline; a zero stands behind it */
    size_t length;
    /* The reader's own: */
    int fd;
    size_t most, begin, end; /* bytes that were read stand from `begin` to `end` */
    char *bytes;
    bool skips; /* what comes up to the next newline belongs to a line that is too long */
    bool ended;
};

int line_reader_open(struct line_reader *out, int fd, size_t most, struct err *err);
void line_reader_release(struct line_reader *reader);

/* Negative: waits as long as it takes; signals do not end the wait. Else it comes back in time, however many bytes of one line
 * come. */
enum line_got line_reader_next(struct line_reader *reader, int timeout_ms);

#endif

#include "tuner/cli/plain.h"

#include <stdbool.h>
#include <stdlib.h>

struct plain {
    FILE *to;
    bool begun; /* C2 came last, of a control character (U+0080 to U+009F) or another: it is held back */
};

static void put(struct plain *plain, unsigned char c)
{
    const bool begun = plain->begun;

    plain->begun = c == 0xc2;
    if (begun && c >= 0x80 && c < 0xa0) {
        fprintf(plain->to, "\\u%04x", c);
        return;
    }
    if (begun)
        putc(0xc2, plain->to);
    if (plain->begun)
        return;
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
        fprintf(plain->to, "\\u%04x", c);
    else
        putc(c, plain->to);
}

static ssize_t put_all(void *cookie, const char *bytes, size_t size)
{
    struct plain *plain = cookie;

    for (size_t i = 0; i < size; i++)
        put(plain, (unsigned char)bytes[i]);
    return fflush(plain->to) || ferror(plain->to) ? 0 : (ssize_t)size;
}

static int end(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *plain_open(FILE *to)
{
    const cookie_io_functions_t functions = {.write = put_all, .close = end};
    struct plain *plain = malloc(sizeof *plain);
    FILE *stream;

    if (!plain)
        return NULL;
    *plain = (struct plain){.to = to};
    stream = fopencookie(plain, "w", functions);
    if (!stream)
        free(plain);
    return stream;
}

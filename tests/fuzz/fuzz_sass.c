/* Decodes any words for every architecture; the text must end, operands must be within their arrays. */
#include "fuzz.h"

#include "model/sass/sass.h"

#include <stdlib.h>
#include <string.h>

static void check(const unsigned char *word, unsigned sm)
{
    char text[160], control[32];
    struct sass in;

    sass_decode(&in, word, 16, sm);
    sass_text(text, sizeof text, &in);
    sass_control_text(control, &in.control);
    if (!memchr(text, 0, sizeof text) || !memchr(control, 0, sizeof control) || in.op >= SASS_OP_COUNT ||
        in.destination_count > SASS_DESTINATIONS || in.source_count > SASS_SOURCES ||
        in.access_count > SASS_ACCESSES)
        abort();
    if (in.op != SASS_UNKNOWN && sass_issue_interval(&in) > 64)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const unsigned sms[] = {75, 80, 86, 89, 90, 100, 120, 0, 255};

    for (size_t at = 0; at + SASS_BYTES <= size; at += SASS_BYTES)
        for (size_t i = 0; i < sizeof sms / sizeof sms[0]; i++)
            check(bytes + at, sms[i]);
    return 0;
}

/* Reads any bytes as the JSON of a launch, as the worker gets it; what was read is written and read again
 * alike. */
#include "fuzz.h"

#include "launch/launch.h"

#include <stdlib.h>
#include <string.h>

/* As text; null when memory ends or it is no launch. Prepares it, too, where it is small. */
static char *read_and_write(const char *text, size_t size)
{
    struct json *document, *again;
    struct launch launch;
    struct js_at root;
    char *out = NULL;

    if (js_read_text(&document, text, size, "fuzz", NULL))
        return NULL;
    root = js_root(document, "fuzz");
    if (!launch_from_json(&launch, &root, NULL)) {
        again = launch_to_json(&launch);
        out = again ? js_text(again, JS_LINE) : NULL;
        js_free(again);
        launch_prepare(&launch, NULL);
        launch_release(&launch);
    }
    js_free(document);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *first = read_and_write((const char *)bytes, size), *second;

    if (!first)
        return 0;
    second = read_and_write(first, strlen(first));
    if (!second || strcmp(first, second))
        abort();
    free(first);
    free(second);
    return 0;
}

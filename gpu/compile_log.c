#include "gpu/compile_log.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does a line of the log tell an error, rather than a warning? As in "k.cu(3): error: ..." and "ptxas error
 * : ...". */
static bool tells_error(const char *line, size_t length)
{
    static const char word[] = " error";
    const size_t size = sizeof word - 1;
    size_t k;

    for (size_t i = 0; i + size < length; i++) {
        if (memcmp(line + i, word, size))
            continue;
        for (k = i + size; k < length && line[k] == ' '; k++)
            continue;
        if (k < length && line[k] == ':')
            return true;
    }
    return false;
}

char *compile_first_error(const char *log)
{
    const char *line = log, *found = NULL;

    while (*line) {
        size_t length = strcspn(line, "\n");

        if (tells_error(line, length)) {
            found = line;
            break;
        }
        if (!found && length)
            found = line;
        line += length + (line[length] == '\n');
    }
    return found ? strndup(found, strcspn(found, "\n")) : NULL;
}

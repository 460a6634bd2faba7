#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
    va_list args;

    if (!err)
        return code;
    if (err->code)
        return err->code;
    err->code = code;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

void err_prefix(struct err *err, const char *format, ...)
{
    char text[sizeof err->text];
    size_t used;
    va_list args;

    if (!err || !err->code)
        return;
    memcpy(text, err->text, sizeof text);
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", text);
}

int err_memory(struct err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory");
}

void err_clear(struct err *err)
{
    err->code = 0;
    err->text[0] = '\0';
}

#include "tuner/format/format.h"

#include "base/file.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

const struct format *const formats[] = {
#define FORMAT(name, file) &format_##name,
#include "tuner/format/formats.def"
#undef FORMAT
    NULL};

enum { FORMATS = sizeof formats / sizeof *formats - 1 };

static void list(char *out, size_t size, const char *mark, const char *last)
{
    const char *names[FORMATS];

    for (size_t i = 0; i < FORMATS; i++)
        names[i] = formats[i]->name;
    words_join(out, size, names, FORMATS, mark, last);
}

void format_choices(char *out, size_t size)
{
    list(out, size, " (default)", " or ");
}

int format_find(const struct format **out, const char *name, struct err *err)
{
    char names[FORMAT_NAMES_MAX];

    *out = formats[0];
    if (!name)
        return 0;
    for (size_t i = 0; i < FORMATS; i++)
        if (!strcmp(name, formats[i]->name)) {
            *out = formats[i];
            return 0;
        }
    list(names, sizeof names, "", ", ");
    return err_set(err, ERR_USAGE, "--format: %s is none of %s", name, names);
}

int format_text(char **out, size_t *size, const struct format *format, const struct format_input *in,
                struct err *err)
{
    FILE *stream;
    int rc;

    *out = NULL;
    if (format->reads_decision && !in->decision_count)
        return err_set(err, ERR_USAGE, "--format %s: needs a decision, and this is a journal", format->name);
    stream = open_memstream(out, size);
    if (!stream)
        return err_memory(err);
    rc = format->write(stream, in, err);
    if (!rc)
        return file_close_memory(stream, out, err);
    fclose(stream);
    free(*out);
    *out = NULL;
    return rc;
}

#include "tuner/cli/elsewhere.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

static size_t count_lines(const char *text)
{
    size_t n = 1;

    for (; text && *text; text++)
        n += *text == '\n';
    return n;
}

static void take_lines(struct elsewhere *out)
{
    char *line, *rest = out->text;

    while ((line = strsep(&rest, "\n"))) {
        line += strspn(line, " \t");
        line[strcspn(line, "\r")] = '\0';
        if (*line && *line != '#')
            out->commands[out->count++] = line;
    }
}

int elsewhere_read(struct elsewhere *out, const struct cli_args *args, struct err *err)
{
    const char *path = cli_text(args, "workers");
    size_t size;
    int code = path ? file_read(&out->text, &size, path, err) : 0;

    if (code)
        return code;
    out->commands = calloc(args->worker_count + count_lines(out->text), sizeof *out->commands);
    if (!out->commands)
        return err_memory(err);
    for (; out->count < args->worker_count; out->count++)
        out->commands[out->count] = args->workers[out->count];
    if (out->text)
        take_lines(out);
    if (path && out->count == args->worker_count)
        return err_set(err, ERR_USAGE, "--workers: %s: holds no command", path);
    return 0;
}

void elsewhere_release(struct elsewhere *elsewhere)
{
    free(elsewhere->commands);
    free(elsewhere->text);
    *elsewhere = (struct elsewhere){0};
}

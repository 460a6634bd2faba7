#include "tuner/cli/elsewhere.h"

#include "base/file.h"
#include "tuner/cli/slurm.h"

#include <stdlib.h>
#include <string.h>

enum { SLURM_MOST = 10000 };

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

static int take_slurm(struct elsewhere *out, struct err *err)
{
    int rc;

    out->of_slurm = calloc(out->slurm, sizeof(char *));
    if (!out->of_slurm)
        return err_memory(err);
    rc = slurm_commands(out->of_slurm, out->slurm, err);
    for (uint64_t i = 0; i < out->slurm && !rc; i++)
        out->commands[out->count++] = out->of_slurm[i];
    return rc;
}

int elsewhere_read(struct elsewhere *out, const struct cli_args *args, struct err *err)
{
    const char *path = cli_text(args, "workers");
    size_t size;
    int rc = path ? file_read(&out->text, &size, path, err) : 0;

    if (!rc)
        rc = cli_count(&out->slurm, args, "slurm", 1, SLURM_MOST, err);
    if (rc)
        return rc;
    out->commands = calloc(args->worker_count + count_lines(out->text) + out->slurm, sizeof *out->commands);
    if (!out->commands)
        return err_memory(err);
    for (; out->count < args->worker_count; out->count++)
        out->commands[out->count] = args->workers[out->count];
    if (out->text)
        take_lines(out);
    if (path && out->count == args->worker_count)
        return err_set(err, ERR_USAGE, "--workers: %s: holds no command", path);
    return out->slurm && slurm_is_inside() ? take_slurm(out, err) : 0;
}

void elsewhere_release(struct elsewhere *elsewhere)
{
    for (uint64_t i = 0; elsewhere->of_slurm && i < elsewhere->slurm; i++)
        free(elsewhere->of_slurm[i]);
    free(elsewhere->of_slurm);
    free(elsewhere->commands);
    free(elsewhere->text);
    *elsewhere = (struct elsewhere){0};
}

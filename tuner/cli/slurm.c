#include "tuner/cli/slurm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool slurm_is_inside(void)
{
    const char *job = getenv("SLURM_JOB_ID");

    return job && *job;
}

/* The path of this program, quoted for the shell. */
static int quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
    return fputc('\'', out) == EOF;
}

static int program_path(char out[PATH_MAX], struct err *err)
{
    const ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);

    if (n <= 0)
        return err_set(err, ERR_SYSTEM, "/proc/self/exe: %s", strerror(errno));
    out[n] = '\0';
    return 0;
}

/* Workers of an allocation ------------------------------------------------- */

static unsigned long number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text ? strtoul(text, NULL, 10) : 0;
}

/* The least of a list of numbers for each node, "16(x3),8". 0: it is not there. */
static unsigned long least_of(const char *variable)
{
    const char *text = getenv(variable);
    unsigned long least = ULONG_MAX, number;
    char *end;

    while (text && *text >= '0' && *text <= '9') {
        number = strtoul(text, &end, 10);
        least = number < least ? number : least;
        end += strcspn(end, ",");
        text = *end ? end + 1 : end;
    }
    return least == ULONG_MAX ? 0 : least;
}

/* With --exact a step has what it asks for to itself; --mem=0 leaves the memory to all of them. */
static char *command_of(const char *program, size_t index, size_t count)
{
    const unsigned long nodes = number_of("SLURM_JOB_NUM_NODES") ? number_of("SLURM_JOB_NUM_NODES") : 1;
    const unsigned long on_node = (count + nodes - 1) / nodes;
    const unsigned long cores = least_of("SLURM_JOB_CPUS_PER_NODE") / on_node;
    const unsigned long gpus = number_of("SLURM_GPUS_ON_NODE");
    const unsigned long own_gpus = gpus / on_node + (index / nodes < gpus % on_node);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int failed;

    if (!out)
        return NULL;
    fprintf(out,
            "exec srun --unbuffered --exact --mem=0 -N1 -n1 -w \"$(scontrol show hostnames | sed -n %lup)\" "
            "-c%lu",
            (unsigned long)index % nodes + 1, cores ? cores : 1);
    if (gpus)
        fprintf(out, own_gpus ? " --gres=gpu:%lu " : " --gres=none ", own_gpus);
    else
        fputc(' ', out);
    failed = quote(out, program);
    fprintf(out, " worker -j %lu", cores ? cores : 1); /* which not every Slurm binds its steps to */
    failed |= fclose(out) != 0;
    if (!failed)
        return text;
    free(text);
    return NULL;
}

int slurm_commands(char **commands, size_t count, struct err *err)
{
    char program[PATH_MAX];
    int rc = program_path(program, err);

    for (size_t i = 0; i < count && !rc; i++) {
        commands[i] = command_of(program, i, count);
        if (!commands[i])
            rc = err_memory(err);
    }
    return rc;
}

/* A job -------------------------------------------------------------------- */

/* The command line that this process was started with. */
static int put_command(FILE *out, struct err *err)
{
    FILE *words = fopen("/proc/self/cmdline", "re");
    char program[PATH_MAX], *word = NULL;
    size_t capacity = 0;
    bool first = true;
    int failed = 0;

    if (!words || program_path(program, err)) {
        if (words)
            fclose(words);
        return err_set(err, ERR_SYSTEM, "/proc/self/cmdline: %s", strerror(errno));
    }
    while (!failed && getdelim(&word, &capacity, '\0', words) > 0) {
        if (!first)
            fputc(' ', out);
        failed = quote(out, first ? program : word);
        first = false;
    }
    free(word);
    fclose(words);
    return failed ? err_memory(err) : 0;
}

static int make_script(char **script, size_t count, struct err *err)
{
    size_t size;
    FILE *out = open_memstream(script, &size);
    int rc;

    if (!out)
        return err_memory(err);
    fprintf(out, "#!/bin/sh\n#SBATCH --job-name=occutune --ntasks=%zu\nexec ", count);
    rc = put_command(out, err);
    fputc('\n', out);
    if (fclose(out) && !rc)
        rc = err_memory(err);
    return rc;
}

/* Runs sbatch, which reads the script from its standard input; the last line that it says. */
static int run_sbatch(char *answer, size_t size, const char *script, struct err *err)
{
    int said[2], status;
    char line[512];
    FILE *to, *from;

    if (pipe(said))
        return err_set(err, ERR_SYSTEM, "pipe: %s", strerror(errno));
    snprintf(line, sizeof line, "exec sbatch >&%d 2>&1 %d<&-", said[1], said[0]);
    to = popen(line, "w");
    close(said[1]);
    from = fdopen(said[0], "r");
    if (!from)
        close(said[0]);
    if (to)
        fputs(script, to);
    status = to ? pclose(to) : -1;
    snprintf(answer, size, "%s", "");
    while (from && fgets(line, sizeof line, from))
        snprintf(answer, size, "%.*s", (int)strcspn(line, "\n"), line);
    if (from)
        fclose(from);
    if (!status)
        return 0;
    return err_set(err, ERR_SYSTEM, "--slurm: no job could be submitted: %s",
                   *answer ? answer : "sbatch failed");
}

int slurm_submit(char *answer, size_t size, size_t count, struct err *err)
{
    char *script = NULL;
    int rc = make_script(&script, count, err);

    if (!rc)
        rc = run_sbatch(answer, size, script, err);
    free(script);
    return rc;
}

/* occutune worker: serves a controller on another host over standard input and output. */
#include "tuner/cli/cli.h"
#include "tuner/evaluate/environment.h"
#include "tuner/remote/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"jobs", 'j', "N", "cores that compile and predict (default: all)"},
    {"device", 0, "N", "number of the GPU that measures (default: all)"},
    {0},
};

/* Standard output belongs to the connection alone: what anything else prints there goes to standard error. */
static int take_output(int *out, struct err *err)
{
    *out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (*out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return err_set(err, ERR_SYSTEM, "standard output: %s", strerror(errno));
    return 0;
}

static int take_gpus(struct serve_gpu **out, const struct environment *environment, struct err *err)
{
    *out = calloc(environment->gpu_count + 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (size_t g = 0; g < environment->gpu_count; g++)
        (*out)[g] = (struct serve_gpu){environment->gpus[g].worker, &environment->gpus[g].device,
                                       environment->gpus[g].pace};
    return 0;
}

static int run_worker(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct environment environment;
    struct environment_options asked = {.device = cli_text(args, "device"), .ahead = true, .whole = true};
    struct serve_gpu *gpus;
    uint64_t jobs = 0;
    int out, rc;

    if (isatty(STDIN_FILENO))
        return err_set(err, ERR_USAGE,
                       "is started by a controller: occutune tune SPEC --worker 'ssh HOST occutune worker'");
    if (cli_count(&jobs, args, "jobs", 1, 1024, err))
        return ERR_USAGE;
    if (asked.device && !environment_is_number(asked.device))
        return err_set(err, ERR_USAGE, "--device: %s is no number of a GPU", asked.device);
    asked.jobs = (unsigned)jobs;
    rc = take_output(&out, err);
    if (!rc)
        rc = environment_open(&environment, &asked, err);
    if (rc)
        return CLI_FAILED;
    environment_time_paces(&environment);
    rc = take_gpus(&gpus, &environment, err);
    if (rc)
        return CLI_FAILED;
    rc = serve(&(struct serve_options){.in = STDIN_FILENO,
                                       .out = out,
                                       .version = OCCUTUNE_VERSION,
                                       .compiler = environment.compiler,
                                       .cores = environment.jobs,
                                       .gpus = gpus,
                                       .gpu_count = environment.gpu_count},
               err);
    if (rc)
        fprintf(cli->err, "%s: worker: %s\n", cli->program, err->text);
    fflush(cli->err);
    /* Nobody waits for what still runs on its threads, some of it for minutes; its processes end with this one. */
    _exit(rc ? CLI_FAILED : CLI_OK);
}

const struct cli_command command_worker = {
    "worker", "", "serves a controller on another host, which starts it", options, 0, 0, run_worker};

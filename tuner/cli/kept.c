#include "tuner/cli/kept.h"

#include <stdlib.h>
#include <string.h>

static void close_environment(struct environment *environment)
{
    if (environment)
        environment_close(environment);
    free(environment);
}

void kept_release(struct kept *kept)
{
    close_environment(kept->environment);
    kept->environment = NULL;
}

static const char *device_of(const struct environment_options *options)
{
    return options->device ? options->device : "";
}

/* Whether another command may find it useful: GPUs elsewhere and clocks belong to one run. */
static bool can_be_kept(const struct environment_options *options)
{
    return !options->elsewhere_count && !options->no_gpus && !options->clocks.sm_mhz &&
           !options->clocks.memory_mhz && options->ahead && options->whole &&
           strlen(device_of(options)) < sizeof((struct kept *)NULL)->device;
}

static bool is_what_is_kept(const struct kept *kept, const struct environment_options *options)
{
    return kept->environment && can_be_kept(options) && !strcmp(kept->device, device_of(options)) &&
           kept->jobs == options->jobs;
}

static int open_new(struct environment **out, const struct environment_options *options, struct err *err)
{
    struct environment *environment = calloc(1, sizeof *environment);
    int rc = environment ? environment_open(environment, options, err) : err_memory(err);

    if (rc)
        free(environment);
    else
        *out = environment;
    return rc;
}

int kept_lend(struct environment **out, struct cli *cli, const struct environment_options *options,
              struct err *err)
{
    struct kept *kept = cli->kept;
    int rc;

    *out = NULL;
    if (kept && can_be_kept(options) && !is_what_is_kept(kept, options))
        kept_release(kept);
    if (kept && is_what_is_kept(kept, options)) {
        kept->environment->message = options->message;
        kept->environment->context = options->context;
        *out = kept->environment;
        return kept->environment->kind_count ? environment_choose(kept->environment, 0, err) : 0;
    }
    rc = open_new(out, options, err);
    if (rc || !kept || !can_be_kept(options))
        return rc;
    kept->environment = *out;
    kept->jobs = options->jobs;
    strcpy(kept->device, device_of(options));
    return 0;
}

/* False where a worker does not answer: a fresh start is better than that. */
static bool forget_trials(const struct environment *environment)
{
    bool well = true;

    for (size_t g = 0; g < environment->gpu_count; g++)
        well &= !worker_forget(environment->gpus[g].worker, NULL);
    return well;
}

void kept_return(struct environment *environment, struct cli *cli, bool well)
{
    if (!environment)
        return;
    if (!cli->kept || cli->kept->environment != environment) {
        close_environment(environment);
        return;
    }
    environment->message = NULL;
    environment->context = NULL;
    if (!well || !forget_trials(environment))
        kept_release(cli->kept);
    else if (environment->compiler) /* some may have been ended in the midst of their work */
        compiler_prepare(environment->compiler, environment->jobs, NULL);
}

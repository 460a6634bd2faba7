/* occutune workers: who is there. */
#include "tuner/cli/cli.h"
#include "tuner/cli/elsewhere.h"
#include "tuner/cli/jobs.h"
#include "tuner/cli/slurm.h"
#include "tuner/remote/fleet.h"

static const struct cli_option options[] = {
    ELSEWHERE_OPTIONS,
    {"json", 0, NULL, "print JSON"},
    {0},
};

static void print_message(void *context, const char *text)
{
    struct cli *cli = context;

    fprintf(cli->err, "%s: %s\n", cli->program, text);
}

static size_t count_kind(const struct host *host, size_t gpu)
{
    size_t n = 0;

    for (size_t g = 0; g < host->gpu_count; g++)
        n += device_same_kind(&host->gpus[g].device, &host->gpus[gpu].device);
    return n;
}

static size_t first_of_kind(const struct host *host, size_t gpu)
{
    size_t g = 0;

    while (!device_same_kind(&host->gpus[g].device, &host->gpus[gpu].device))
        g++;
    return g;
}

/* Why a host is not there. */
static const char *reason(const struct host *host)
{
    return *host->reason ? host->reason : "it has not answered";
}

static void put_host(FILE *out, const struct host *host)
{
    if (!host->up) {
        fprintf(out, "%s: not there: %s\n", host->command, reason(host));
        return;
    }
    fprintf(out, "%s: %u cores", host->name, host->cores);
    for (size_t g = 0; g < host->gpu_count; g++)
        if (g == first_of_kind(host, g))
            fprintf(out, ", %zu x %s (sm_%u)", count_kind(host, g), host->gpus[g].device.name,
                    host->gpus[g].device.sm);
    fprintf(out, "\n");
}

static struct json *gpus_json(const struct host *host)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t g = 0; g < host->gpu_count && !failed; g++) {
        const struct host_gpu *gpu = &host->gpus[g];
        struct json *object = js_new_object();

        failed = !object || js_set_string(object, "gpu", gpu->device.name) ||
                 js_set_integer(object, "sm", gpu->device.sm) ||
                 js_set_real(object, "arithmetic_s", gpu->pace.arithmetic_s) ||
                 js_set_real(object, "memory_s", gpu->pace.memory_s);
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

static struct json *host_json(const struct host *host)
{
    struct json *object = js_new_object();
    int failed =
        !object || js_set_string(object, "command", host->command) | js_set_bool(object, "there", host->up);

    if (!failed && host->up)
        failed = js_set_string(object, "host", host->name) | js_set_integer(object, "cores", host->cores) |
                 js_set(object, "gpus", gpus_json(host));
    else if (!failed)
        failed = js_set_string(object, "reason", reason(host));
    return js_unless(failed, object);
}

static int put_json(struct cli *cli, const struct fleet *fleet, struct err *err)
{
    struct json *list = js_new_array();
    int failed = !list;

    for (size_t i = 0; i < fleet_count(fleet) && !failed; i++)
        failed = js_append(list, host_json(fleet_host(fleet, i)));
    return cli_print_json(cli, js_unless(failed, list), err);
}

static int run_workers(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct elsewhere elsewhere = {0};
    struct fleet *fleet = NULL;
    int status = CLI_OK, rc = elsewhere_read(&elsewhere, args, err);

    if (!rc && elsewhere.slurm && !slurm_is_inside())
        rc = err_set(err, ERR_USAGE, "--slurm: this is no allocation of Slurm's: salloc makes one");
    if (!rc && !elsewhere.count && !elsewhere.slurm && !cli_given(args, "workers")) {
        elsewhere_release(&elsewhere);
        if (!jobs_print(cli->out))
            fprintf(cli->out,
                    "no job with workers runs here; --worker, --workers and --slurm say whom to ask\n");
        return CLI_OK;
    }
    if (!rc && !elsewhere.count)
        rc = err_set(err, ERR_USAGE, "name workers with --worker, --workers or --slurm");
    if (!rc)
        rc = fleet_open(&fleet,
                        &(struct fleet_options){.commands = elsewhere.commands,
                                                .count = elsewhere.count,
                                                .version = OCCUTUNE_VERSION,
                                                .message = cli_given(args, "json") ? NULL : print_message,
                                                .context = cli},
                        err);
    for (size_t i = 0; i < fleet_count(fleet) && !rc; i++) {
        if (!cli_given(args, "json"))
            put_host(cli->out, fleet_host(fleet, i));
        if (!fleet_host(fleet, i)->up)
            status = CLI_FAILED;
    }
    if (!rc && cli_given(args, "json"))
        rc = put_json(cli, fleet, err);
    fleet_close(fleet);
    elsewhere_release(&elsewhere);
    return rc ? CLI_FAILED : status;
}

const struct cli_command command_workers = {"workers", "",         "lists workers on other hosts", options, 0,
                                            0,         run_workers};

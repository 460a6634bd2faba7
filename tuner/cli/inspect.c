#include "tuner/cli/cli.h"

#include "model/sass/cubin.h"
#include "model/sass/inspect.h"
#include "tuner/cli/choose.h"

static const struct cli_option options[] = {
    {"kernel", 'k', "NAME", "only this kernel"},
    {"listing", 'l', NULL, "list the instructions with their control fields"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

static int show_kernel(struct cli *cli, const struct cli_args *args, const struct cubin_kernel *kernel,
                       struct json *all, struct err *err)
{
    const bool listing = cli_given(args, "listing");
    struct json *object;
    int rc;

    if (!all) {
        fprintf(cli->out, "%s, %zu bytes of code\n", kernel->name, kernel->code_bytes);
        resources_print(cli->out, &kernel->resources);
        return inspect_text(cli->out, kernel, listing, err);
    }
    object = resources_json(&kernel->resources);
    rc = object ? inspect_json(object, kernel, listing, err) : err_memory(err);
    if (!rc)
        return js_append(all, object) ? err_memory(err) : 0;
    js_free(object);
    return rc;
}

static int run_inspect(struct cli *cli, const struct cli_args *args, struct err *err)
{
    const struct cubin_kernel *only = NULL;
    struct json *all = NULL;
    struct cubin cubin;
    int rc = cubin_read(&cubin, args->words[0], err);

    if (rc)
        return CLI_FAILED;
    if (cli_given(args, "kernel"))
        rc = cubin_find(&only, &cubin, cli_text(args, "kernel"), err);
    if (!rc && cli_given(args, "json") && (all = js_new_array()) == NULL)
        rc = err_memory(err);
    for (size_t k = 0; k < cubin.kernel_count && !rc; k++)
        if (!only || only == &cubin.kernels[k])
            rc = show_kernel(cli, args, &cubin.kernels[k], all, err);
    if (!rc && all)
        rc = cli_print_json(cli, all, err);
    else
        js_free(all);
    cubin_release(&cubin);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_inspect = {
    "inspect", "CUBIN",    "reads the resources and instructions of compiled kernels", options, 1,
    1,         run_inspect};

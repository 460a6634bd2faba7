#include "tuner/cli/cli.h"

#include "base/place.h"
#include "space/spec.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {"json", 0, NULL, "print JSON"},
    {0},
};

/* A kernel of the library is a folder with a spec. */
static int show_kernel(struct cli *cli, const char *library, const char *name, struct json *list,
                       struct err *err)
{
    char path[4096], sizes[256];
    struct json *object;
    struct spec spec;
    int rc;

    if (snprintf(path, sizeof path, "%s/%s/spec.json", library, name) >= (int)sizeof path ||
        access(path, F_OK))
        return 0;
    rc = spec_read(&spec, path, SPEC_SPACE, NULL, 0, err);
    if (rc)
        return rc;
    spec_problem_text(sizes, sizeof sizes, &spec, 0);
    if (!list)
        fprintf(cli->out, "%-20s %2zu parameters  %s\n", name, spec.parameter_count, sizes);
    object = list ? js_new_object() : NULL;
    if (list &&
        (js_set_string(object, "name", name) | js_set_string(object, "spec", path) |
         js_set_string(object, "problem", sizes) |
         js_set_integer(object, "parameters", (int64_t)spec.parameter_count) | js_append(list, object)))
        rc = err_memory(err);
    spec_release(&spec);
    return rc;
}

static int show_library(struct cli *cli, const char *library, struct json *list, struct err *err)
{
    struct dirent **entries = NULL;
    const int count = scandir(library, &entries, NULL, alphasort);
    int rc = count < 0 ? err_set(err, ERR_SYSTEM, "%s: cannot be read", library) : 0;

    for (int i = 0; i < count; i++) {
        if (!rc && entries[i]->d_name[0] != '.')
            rc = show_kernel(cli, library, entries[i]->d_name, list, err);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

static int run_kernels(struct cli *cli, const struct cli_args *args, struct err *err)
{
    const bool json = cli_given(args, "json");
    struct json *list = json ? js_new_array() : NULL;
    char library[4096];
    int rc = json && !list ? err_memory(err) : 0;

    if (!rc && !place_share(library, sizeof library, "kernels"))
        rc = err_set(err, ERR_MISSING,
                     "no kernel library, share/occutune/kernels, is beside or above the program: name the "
                     "folder share/occutune in OCCUTUNE_SHARE");
    if (!rc)
        rc = show_library(cli, library, list, err);
    if (!rc && json)
        return cli_print_json(cli, list, err) ? CLI_FAILED : CLI_OK;
    js_free(list);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_kernels = {
    "kernels", "", "lists the kernels of the library, which go by their names", options, 0, 0, run_kernels};

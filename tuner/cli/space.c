#include "tuner/cli/cli.h"

#include "space/configuration.h"
#include "space/space.h"
#include "tuner/strategy/order.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct cli_option options[] = {
    {"set", 0, "NAME=VALUE", "override a problem size; may be repeated"},
    {"sample", 0, "N", "show N configurations drawn at random (default 5)"},
    {"seed", 0, "S", "seed of the sample (default 0)"},
    {"list", 0, NULL, "list every valid configuration"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

struct view {
    struct cli *cli;
    const struct spec *spec;
    size_t problem;
    struct space *space;
    uint64_t sample, seed;
    bool list;
    unsigned *choices;
};

static uint64_t shown(const struct view *view)
{
    const uint64_t count = space_count(view->space);

    return view->list || view->sample > count ? count : view->sample;
}

/* The k-th configuration shown. */
static void pick(const struct view *view, uint64_t k)
{
    const uint64_t count = space_count(view->space);

    space_configuration(view->choices, view->space,
                        shown(view) == count ? k : search_permuted(k, count, view->seed));
}

/* A list may be of billions, and whoever reads it has closed the pipe. */
static bool is_unwanted(const struct view *view)
{
    return ferror(view->cli->out);
}

static void put_constraints(const struct view *view)
{
    struct space_removal removal;
    size_t c;

    for (c = 0; c < view->spec->constraint_count; c++) {
        removal = space_removed(view->space, c);
        fprintf(view->cli->out, "  %12" PRIu64 " removed by %s\n", removal.removed,
                expr_text(view->spec->constraints[c]));
        if (removal.undefined)
            fprintf(view->cli->out, "  %12" PRIu64 " of them without a value: %s\n", removal.undefined,
                    removal.reason);
    }
    if (view->spec->listed.given)
        fprintf(view->cli->out, "  %12" PRIu64 " removed by the list of configurations\n",
                space_removed(view->space, c).removed);
}

static int put_text(const struct view *view, struct err *err)
{
    FILE *out = view->cli->out;
    char sizes[256], *text;

    spec_problem_text(sizes, sizeof sizes, view->spec, view->problem);
    fprintf(out, "%s%s%s: %" PRIu64 " valid of %" PRIu64 " combinations of %zu parameter%s\n",
            view->spec->kernel.name ? view->spec->kernel.name : view->spec->path, *sizes ? " " : "", sizes,
            space_count(view->space), space_combinations(view->space), view->spec->parameter_count,
            view->spec->parameter_count == 1 ? "" : "s");
    put_constraints(view);
    for (uint64_t k = 0; k < shown(view) && !is_unwanted(view); k++) {
        pick(view, k);
        text = configuration_text(view->spec, view->choices);
        if (!text)
            return err_memory(err);
        fprintf(out, "  %s\n", text);
        free(text);
    }
    return 0;
}

static struct json *count_json(uint64_t count)
{
    return js_new_integer(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

static struct json *constraints_json(const struct view *view)
{
    struct json *list = js_new_array(), *object;
    struct space_removal removal;
    size_t c;
    int failed = !list;

    for (c = 0; c < view->spec->constraint_count && !failed; c++) {
        removal = space_removed(view->space, c);
        object = js_new_object();
        failed = !object || js_set_string(object, "constraint", expr_text(view->spec->constraints[c])) ||
                 js_set(object, "removed", count_json(removal.removed)) ||
                 js_set(object, "undefined", count_json(removal.undefined));
        failed |= js_append(list, object);
    }
    if (view->spec->listed.given && !failed) {
        object = js_new_object();
        failed = !object || js_set_string(object, "constraint", "configurations") ||
                 js_set(object, "removed", count_json(space_removed(view->space, c).removed));
        failed |= js_append(list, object);
    }
    return js_unless(failed, list);
}

static struct json *problem_json(const struct view *view)
{
    struct json *object = js_new_object(), *list = js_new_array();
    char sizes[256];
    int failed = !object || !list;

    for (uint64_t k = 0; k < shown(view) && !failed && !is_unwanted(view); k++) {
        pick(view, k);
        failed = js_append(list, configuration_json(view->spec, view->choices));
    }
    spec_problem_text(sizes, sizeof sizes, view->spec, view->problem);
    return js_unless(failed | js_set(object, view->list ? "configurations" : "sample", list) |
                         js_set_string(object, "problem", sizes) |
                         js_set(object, "combinations", count_json(space_combinations(view->space))) |
                         js_set(object, "valid", count_json(space_count(view->space))) |
                         js_set(object, "constraints", constraints_json(view)),
                     object);
}

static int show_problem(struct view *view, struct json *all, struct err *err)
{
    int rc = space_open(&view->space, view->spec, view->problem, err);

    if (rc)
        return rc;
    if (!all)
        rc = put_text(view, err);
    else if (js_append(all, problem_json(view)))
        rc = err_memory(err);
    space_close(view->space);
    return rc;
}

static int run_space(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct view view = {.cli = cli, .sample = 5, .list = cli_given(args, "list")};
    struct json *all = NULL;
    struct spec spec;
    int rc;

    if (cli_count(&view.sample, args, "sample", 0, 1000000, err) ||
        cli_count(&view.seed, args, "seed", 0, UINT64_MAX, err))
        return CLI_WRONG_USE;
    rc = spec_read(&spec, args->words[0], SPEC_SPACE, args->sets, args->set_count, err);
    if (rc)
        return CLI_WRONG_USE;
    view.spec = &spec;
    view.choices = calloc(spec.parameter_count, sizeof *view.choices);
    if (cli_given(args, "json"))
        all = js_new_array();
    if (!view.choices || (cli_given(args, "json") && !all))
        rc = err_memory(err);
    for (; view.problem < spec.problem_count && !rc; view.problem++)
        rc = show_problem(&view, all, err);
    if (!rc && all)
        rc = cli_print_json(cli, all, err);
    else
        js_free(all);
    free(view.choices);
    spec_release(&spec);
    return rc ? CLI_FAILED : CLI_OK;
}

const struct cli_command command_space = {
    "space", "SPEC", "counts the configurations of a spec and shows some", options, 1, 1, run_space};

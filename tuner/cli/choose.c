#include "tuner/cli/choose.h"

#include "base/place.h"
#include "base/units.h"
#include "space/configuration.h"
#include "space/space.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int choose_default(unsigned *choices, const struct spec *spec, struct err *err)
{
    struct space *space;
    uint64_t index;
    int rc = space_open(&space, spec, 0, err);

    if (!rc)
        rc = space_default(&index, space, err);
    if (!rc)
        space_configuration(choices, space, index);
    space_close(space);
    return rc;
}

int choose_configuration(unsigned *choices, const struct spec *spec, const struct cli_args *args,
                         struct err *err)
{
    size_t length = 1, used = 0, i;
    char *text;
    int rc;

    if (!args->config_count)
        return choose_default(choices, spec, err);
    for (i = 0; i < args->config_count; i++)
        length += strlen(args->configs[i]) + 1;
    text = calloc(1, length);
    if (!text)
        return err_memory(err);
    for (i = 0; i < args->config_count; i++)
        used += (size_t)snprintf(text + used, length - used, "%s%s", i ? "," : "", args->configs[i]);
    rc = configuration_parse(choices, spec, text, err);
    free(text);
    return rc;
}

bool choose_one_problem(const struct spec *spec)
{
    char first[256], other[256];

    spec_problem_text(first, sizeof first, spec, 0);
    for (size_t k = 1; k < spec->problem_count; k++) {
        spec_problem_text(other, sizeof other, spec, k);
        if (strcmp(first, other))
            return false;
    }
    return true;
}

void choose_remark_first(const struct cli *cli, const struct spec *spec)
{
    char sizes[256];

    spec_problem_text(sizes, sizeof sizes, spec, 0);
    if (!choose_one_problem(spec))
        fprintf(cli->err, "%s: %s: of %zu problems this is the first, %s: --set SIZE=VALUE takes another\n",
                cli->program, spec->path, spec->problem_count, sizes);
}

int choose_remark(const struct cli *cli, const struct spec *spec, const unsigned *choices, struct err *err)
{
    struct err why = {0};
    const int rc = configuration_check(spec, 0, choices, &why);

    if (rc == ERR_MEMORY)
        return err_memory(err);
    if (rc)
        fprintf(cli->err, "%s: %s: the configuration: %s; tuning passes it over\n", cli->program, spec->path,
                why.text);
    return 0;
}

/* Nothing is measured yet, so time and energy are any: what fails for all of them is meant. */
int choose_remark_metrics(const struct cli *cli, const struct spec *spec, struct err *err)
{
    static const struct spec_measured any = {1e-3, 1};
    char sizes[256];
    double value;

    for (size_t m = 0; m < spec->metric_count; m++)
        for (size_t p = 0; p < spec->problem_count; p++) {
            struct err why = {0};
            const int rc = spec_metric(&value, spec, m, p, spec_default(spec, p), any, &why);

            if (rc == ERR_MEMORY)
                return err_memory(err);
            if (!rc)
                continue;
            spec_problem_text(sizes, sizeof sizes, spec, p);
            fprintf(cli->err, "%s: %s: metrics.%s: %s%s%s; left out\n", cli->program, spec->path,
                    spec->metrics[m].name, why.text, *sizes ? " with " : "", sizes);
            break;
        }
    return 0;
}

int choose_output(const char *path, const char *name, const struct spec *spec, struct err *err)
{
    int rc = cli_check_unread(path, name, spec->kernel.path, spec->path, err);

    if (!rc)
        rc = cli_check_unread(path, name, spec->reference.kernel.path, spec->path, err);
    for (size_t i = 0; i < spec->reference.file_count && !rc; i++)
        rc = cli_check_unread(path, name, spec->reference.paths[i], spec->path, err);
    for (size_t i = 0; i < spec->argument_count && !rc; i++)
        rc = cli_check_unread(path, name, spec->arguments[i].fill.path, spec->path, err);
    return rc;
}

int choose_profile(struct device *out, const char *text, struct err *err)
{
    char profiles[4096];
    const bool found = place_share(profiles, sizeof profiles, "profiles");

    return device_load(out, text, found ? profiles : NULL, err);
}

int choose_device(struct device *out, const char *text, struct err *err)
{
    unsigned long sm;
    char *end;

    if (strncmp(text, "sm_", 3))
        return choose_profile(out, text, err);
    device_init(out);
    sm = strtoul(text + 3, &end, 10);
    if (end == text + 3 || *end || sm > 999)
        return err_set(err, ERR_USAGE, "%s is no architecture: write sm_90", text);
    snprintf(out->name, sizeof out->name, "%s", text);
    out->sm = (unsigned)sm;
    return device_limits_of(&out->limits, (unsigned)sm, err);
}

struct json *resources_json(const struct cubin_resources *resources)
{
    struct json *object = js_new_object();

    return js_unless(js_set_integer(object, "sm", resources->sm) |
                         js_set_integer(object, "registers", resources->registers) |
                         js_set_integer(object, "register_cap", resources->register_cap) |
                         js_set_integer(object, "shared_bytes", resources->shared_bytes) |
                         js_set_integer(object, "shared_reserved_bytes", resources->shared_reserved_bytes) |
                         js_set_integer(object, "local_bytes", resources->local_bytes) |
                         js_set_integer(object, "constant_bytes", resources->constant_bytes) |
                         js_set_integer(object, "barriers", resources->barriers) |
                         js_set_integer(object, "spill_instructions", resources->spill_instructions),
                     object);
}

void resources_print(FILE *out, const struct cubin_resources *resources)
{
    fprintf(out, "  architecture        sm_%u\n", resources->sm);
    fprintf(out, "  registers           %u per thread", resources->registers);
    if (resources->register_cap != CUBIN_REGISTERS_UNCAPPED)
        fprintf(out, ", capped at %u", resources->register_cap);
    fprintf(out, "\n  shared memory       %u bytes per block, and %u reserved\n", resources->shared_bytes,
            resources->shared_reserved_bytes);
    fprintf(out, "  local memory        %u bytes per thread, %u spill instructions\n", resources->local_bytes,
            resources->spill_instructions);
    fprintf(out, "  constant memory     %u bytes\n", resources->constant_bytes);
    fprintf(out, "  barriers            %u\n", resources->barriers);
    if (resources->max_threads[0])
        fprintf(out, "  launch bounds       %u x %u x %u threads\n", resources->max_threads[0],
                resources->max_threads[1], resources->max_threads[2]);
}

int choose_strategy(const struct strategy **out, const struct cli_args *args, struct err *err)
{
    char names[STRATEGY_NAMES_MAX];

    *out = strategy_find(cli_text(args, "strategy"));
    if (*out)
        return 0;
    strategy_names(names, sizeof names);
    return err_set(err, ERR_USAGE, "--strategy: %s is none of %s", cli_text(args, "strategy"), names);
}

static bool take_mhz(unsigned *out, const char **text)
{
    char *end;
    const unsigned long mhz = isdigit((unsigned char)**text) ? strtoul(*text, &end, 10) : 0;

    if (!mhz || mhz > 100000)
        return false;
    *out = (unsigned)mhz;
    *text = end;
    return true;
}

int choose_clocks(struct clock_setting *out, const struct cli_args *args, struct err *err)
{
    const char *given = cli_text(args, "clocks"), *text = given;

    *out = (struct clock_setting){0};
    if (!given)
        return 0;
    if (take_mhz(&out->sm_mhz, &text) &&
        (!*text || (*text++ == ',' && take_mhz(&out->memory_mhz, &text) && !*text)))
        return 0;
    return err_set(err, ERR_USAGE,
                   "--clocks: %s is no clock in MHz: write 1200, or 1200,2619 for the memory's too", given);
}

void energy_print(FILE *out, const struct record *record)
{
    char energy[32];

    if (!(record->energy_j > 0))
        return;
    units_energy(energy, record->energy_j);
    fprintf(out, "  energy      %s a launch, %.4g W\n", energy, record->power_w);
}

void recorded_print(FILE *out, const struct record *record)
{
    char parts[4][40];
    size_t n = 0, i;

    if (record->registers >= 0)
        snprintf(parts[n++], sizeof *parts, "%d registers", record->registers);
    if (record->shared_bytes >= 0)
        snprintf(parts[n++], sizeof *parts, "%d bytes of shared memory", record->shared_bytes);
    if (record->blocks_per_sm >= 0)
        snprintf(parts[n++], sizeof *parts, "%d blocks per SM", record->blocks_per_sm);
    if (record->occupancy >= 0)
        snprintf(parts[n++], sizeof *parts, "%.0f %% occupancy", record->occupancy * 100);
    for (i = 0; i < n; i++)
        fprintf(out, "%s%s%s", i ? ", " : "  resources   ", parts[i], i + 1 < n ? "" : "\n");
}

void remarks_print(const struct cli *cli, const struct journal *journal)
{
    char line[1024];

    for (unsigned k = 0; journal_remark(line, sizeof line, journal, k); k++)
        fprintf(cli->err, "%s: %s\n", cli->program, line);
}

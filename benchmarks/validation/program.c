#include "validation/program.h"

#include "base/heap.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>

static bool take(const struct program_option *option, const char *value)
{
    unsigned long number;
    char *end;

    if (option->flag)
        return *option->flag = true;
    if (option->text) {
        *option->text = value;
        return true;
    }
    errno = 0;
    number = strtoul(value, &end, 10);
    *option->number = (unsigned)number;
    return isdigit((unsigned char)*value) && !*end && !errno && number >= 1 && number <= UINT_MAX;
}

int program_options(int argc, char **argv, const struct program_option *options)
{
    struct option known[PROGRAM_OPTIONS_MAX + 1] = {{0}};
    int at, result;

    for (at = 0; at < PROGRAM_OPTIONS_MAX && options[at].name; at++)
        known[at] =
            (struct option){options[at].name, options[at].flag ? no_argument : required_argument, NULL, 0};
    optind = 0; /* from the start, whatever was read before */
    while ((result = getopt_long(argc, argv, "", known, &at)) == 0)
        if (!take(&options[at], optarg)) {
            fprintf(stderr, "%s: --%s takes a whole number, 1 or more: \"%s\"\n", argv[0], options[at].name,
                    optarg);
            return -1;
        }
    return result == -1 ? optind : -1;
}

int program_run(const char *program, const char *device,
                int (*work)(void *context, const struct machine *machine, struct err *err), void *context)
{
    struct device profile;
    struct machine machine;
    struct err err = {0};
    int rc;

    heap_keep();
    device_init(&profile);
    rc = device_load(&profile, device, "model/device/profiles", &err);
    if (!rc)
        rc = machine_init(&machine, &profile, &err);
    if (!rc) {
        rc = work(context, &machine, &err);
        machine_release(&machine);
    }
    device_release(&profile);
    if (rc)
        fprintf(stderr, "%s: %s\n", program, err.text);
    return rc ? 1 : 0;
}

int program_put_notes(FILE *out, const char *path, struct err *err)
{
    FILE *file = fopen(path, "r");
    char buffer[4096];
    size_t n;
    int failed;

    if (!file)
        return 0;
    fprintf(out, "\n");
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        fwrite(buffer, 1, n, out);
    failed = ferror(file);
    fclose(file);
    return failed ? err_set(err, ERR_SYSTEM, "%s: cannot be read", path) : 0;
}

#include "validation/program.h"

int program_run(const char *program, const char *device,
                int (*work)(void *context, const struct machine *machine, struct err *err), void *context)
{
    struct device profile;
    struct machine machine;
    struct err err = {0};
    int code;

    device_init(&profile);
    code = device_load(&profile, device, "model/devices", &err);
    if (!code)
        code = machine_init(&machine, &profile, &err);
    if (!code) {
        code = work(context, &machine, &err);
        machine_release(&machine);
    }
    device_release(&profile);
    if (code)
        fprintf(stderr, "%s: %s\n", program, err.text);
    return code ? 1 : 0;
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

/* occutune-worker: the process that holds a GPU, or compiles, for a controller that started it.
 *
 *   occutune-worker device N[,SM,MEMORY] | compile LIBRARY | count 0 | clocks PCI,SM,MEMORY
 *   and the controller's process id */
#include "gpu/clocks.h"
#include "gpu/compile_serve.h"
#include "gpu/device_serve.h"
#include "gpu/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int serve_device(const char *argument, struct err *err)
{
    struct clock_setting clocks = {0};
    int device = 0;

    sscanf(argument, "%d,%u,%u", &device, &clocks.sm_mhz, &clocks.memory_mhz);
    return device_serve(PROCESS_FD, device, &clocks, err);
}

static int serve(const char *what, const char *argument, struct err *err)
{
    if (!strcmp(what, "device"))
        return serve_device(argument, err);
    if (!strcmp(what, "compile"))
        return compile_serve(PROCESS_FD, argument, err);
    if (!strcmp(what, "count"))
        return device_serve_count(PROCESS_FD, err);
    if (!strcmp(what, "clocks"))
        return clocks_serve(PROCESS_FD, argument, err);
    return err_set(err, ERR_USAGE, "unknown task %s", what);
}

int main(int argc, char **argv)
{
    struct err err = {0};
    int rc = 0;

    if (argc != 4) {
        fprintf(stderr, "occutune-worker is started by occutune, not by hand\n");
        return 2;
    }
    if (strcmp(argv[1], "clocks")) /* that one has something to do when its controller is gone */
        rc = process_watch_controller(PROCESS_FD, (pid_t)atol(argv[3]), &err);
    if (!rc)
        rc = serve(argv[1], argv[2], &err);
    return rc ? 1 : 0;
}

/* occutune-worker: the process that holds a GPU, or compiles, for a controller that started it.
 *
 *   occutune-worker device N | compile LIBRARY | count 0     and the controller's process id */
#include "gpu/compile_serve.h"
#include "gpu/device_serve.h"
#include "gpu/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int serve(const char *what, const char *argument, struct err *err)
{
    if (!strcmp(what, "device"))
        return device_serve(PROCESS_FD, atoi(argument), err);
    if (!strcmp(what, "compile"))
        return compile_serve(PROCESS_FD, argument, err);
    if (!strcmp(what, "count"))
        return device_serve_count(PROCESS_FD, err);
    return err_set(err, ERR_USAGE, "unknown task %s", what);
}

int main(int argc, char **argv)
{
    struct err err = {0};
    int rc;

    if (argc != 4) {
        fprintf(stderr, "occutune-worker is started by occutune, not by hand\n");
        return 2;
    }
    rc = process_watch_controller(PROCESS_FD, (pid_t)atol(argv[3]), &err);
    if (!rc)
        rc = serve(argv[1], argv[2], &err);
    return rc ? 1 : 0;
}

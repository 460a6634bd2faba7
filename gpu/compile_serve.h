/* The compiling half of occutune-worker: loads NVRTC and answers compile requests until its controller is
 * gone.
 *
 * A compile runs in a process of its own because nothing else can be stopped: NVRTC asks its flow callback
 * neither within the front end nor within an optimisation pass, and a variant may keep either busy for ever. */
#ifndef GPU_COMPILE_SERVE_H
#define GPU_COMPILE_SERVE_H

#include "base/err.h"

/* Serves on socket `fd`. `library` is the NVRTC to load; "" looks where compile.h says. Returns when the
 * controller has closed its end. */
int compile_serve(int fd, const char *library, struct err *err);

#endif

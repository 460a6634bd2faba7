/* Clocks that are locked for a run, and let go of however it ends.
 *
 * A process of its own locks them and waits for the end of its socket: whoever holds the other end, the worker, may be
 * killed, and so may its controller. One such process at a time holds the clocks of a GPU; the next waits for it a while. */
#ifndef GPU_CLOCKS_H
#define GPU_CLOCKS_H

#include "gpu/power.h"
#include "gpu/process.h"

/* Locks the clocks of the GPU at `pci` until clocks_release() or the end of this process. ERR_USAGE where the driver refuses. */
int clocks_hold(struct process *out, const char *pci, const struct clock_setting *clocks, struct err *err);
void clocks_release(struct process *process); /* also pid 0; when it returns they are let go of */

/* The process that does it; `argument` is "PCI,SM,MEMORY". */
int clocks_serve(int fd, const char *argument, struct err *err);

#endif

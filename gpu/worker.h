/* The controller's side of a worker: one child process per GPU that holds the CUDA context and runs one
 * request at a time.
 *
 * The calls block; the controller makes them from the queue's GPU lane. A worker that dies or hangs is an
 * outcome of the trial it was running; the next call starts a fresh one by itself. The controller never loads
 * the CUDA driver. */
#ifndef GPU_WORKER_H
#define GPU_WORKER_H

#include "base/err.h"
#include "launch/launch.h"
#include "gpu/pace.h"
#include "gpu/power.h"
#include "gpu/trial.h"
#include "model/device/device.h"

#include <stddef.h>

struct worker;

/* Starts the worker executable (null: OCCUTUNE_WORKER, then libexec beside the running program) for CUDA
 * device number `device`. ERR_MISSING when there is no driver or no such device: the message says which. Its
 * context is made after the first request, which is best worker_describe: that needs none. */
int worker_open(struct worker **out, int device, const char *executable, struct err *err);
/* The same; as long as the worker lives, and no longer however it ends, clocks are locked. ERR_USAGE where the driver
 * refuses that. */
int worker_open_clocked(struct worker **out, int device, const struct clock_setting *clocks,
                        const char *executable, struct err *err);
/* worker_open_clocked in two steps, so that other things start meanwhile. Where waiting fails the worker is still the
 * caller's to close. */
int worker_begin(struct worker **out, int device, const struct clock_setting *clocks, const char *executable,
                 struct err *err);
int worker_wait(struct worker *worker, struct err *err);
int worker_devices(const struct worker *worker); /* the number of CUDA devices that it sees */
int worker_number(const struct worker *worker);  /* of its own */
void worker_close(struct worker *worker);        /* also null; ends the process */

/* The number of CUDA devices here; 0 without a driver. Asks a short-lived worker. */
int worker_device_count(int *out, const char *executable, struct err *err);

/* What this GPU is: its limits, name, clocks and driver, as a profile without calibrated values. */
int worker_describe(struct device *out, struct worker *worker, struct err *err);

/* Its power limit and clocks by NVML; where `idle_s` > 0 also the mean power over so many seconds in which nothing
 * runs. ERR_MISSING: no NVML, or a GPU that does not count its energy. */
int worker_power(struct power *out, struct worker *worker, double idle_s, struct err *err);

/* Frees the buffers that trials have left on the GPU; where one process alone may use the GPU, the context too. */
int worker_forget(struct worker *worker, struct err *err);

/* Makes the buffers of a launch, given as launch_to_json() has it, so that the first trial finds them. What fails here fails
 * again, and is said, in a trial. */
void worker_fill(struct worker *worker, const struct json *launch);

/* Loads, verifies and times one variant. `reference` (null: nothing is compared) may change between calls;
 * its results are kept on the device by content. Returns an error only for what is not the variant's doing:
 * no worker can be started, a buffer does not fit or its fill fails, the reference itself fails; all else is
 * the trial's outcome. */
int worker_trial(struct trial *out, struct worker *worker, const struct code *code,
                 const struct launch *launch, const struct reference *reference,
                 const struct protocol *protocol, struct err *err);

/* Runs a launch once, untimed and unverified, and returns the contents of the buffers named (malloc'ed, owned
 * by the caller, in the order asked). Outputs are zeros before. For microbenchmarks, tests and references. A
 * kernel that fails is ERR_GPU, one that does not end within `deadline_s` ERR_STOPPED. */
struct run_buffer {
    const char *name;
    unsigned char *bytes;
    size_t size;
};
int worker_run(struct run_buffer *buffers, size_t buffer_count, struct worker *worker,
               const struct code *code, const struct launch *launch, double deadline_s, struct err *err);

/* Seconds of each of `count` copies of `bytes` from one place of the GPU's memory to another by the driver's
 * own cuMemcpyDtoD. */
int worker_copy(double *seconds, size_t count, struct worker *worker, uint64_t bytes, struct err *err);

/* Times the calibration kernel: arithmetic in all threads of a full GPU, and a pass over four times as much memory
 * as L2 holds. Takes some tenths of a second, until the clock has settled. */
int worker_pace(struct gpu_pace *out, struct worker *worker, struct err *err);

#endif

/* The controller's side of a worker: one child process per GPU that holds the CUDA context and runs one request at a time.
 *
 * The calls block; the controller makes them from the queue's GPU lane. A worker that dies or hangs is an outcome of the trial
 * it was running; the next call starts a fresh one by itself. The controller never loads the CUDA driver. */
#ifndef GPU_WORKER_H
#define GPU_WORKER_H

#include "base/err.h"
#include "base/json.h"
#include "base/launch.h"
#include "base/outcome.h"
#include "model/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct worker;

/* Starts the worker executable (null: OCCUTUNE_WORKER, then libexec beside the running program) for CUDA device number
 * `device`. ERR_MISSING when there is no driver or no such device: the message says which. */
int worker_open(struct worker **out, int device, const char *executable, struct err *err);
void worker_close(struct worker *worker); /* also null; ends the process */

/* The number of CUDA devices here; 0 without a driver. Asks a short-lived worker. */
int worker_device_count(int *out, const char *executable, struct err *err);

/* What this GPU is: its limits, name, clocks and driver, as a profile without calibrated values. */
int worker_describe(struct device *out, struct worker *worker, struct err *err);

struct code {
    const unsigned char *cubin;
    size_t cubin_bytes;
    const char *entry; /* name of the kernel in the cubin */
};

/* What results are compared with: exactly one of a kernel, files, or (both absent) nothing. */
struct reference {
    struct code code;            /* cubin null: no kernel */
    const struct launch *launch; /* of the reference kernel; its buffers have the names of the variants' buffers */
    const char *const *names;    /* .npy files per buffer name, or null */
    const char *const *paths;
    size_t file_count;
};

enum cache_state { CACHE_WARM, CACHE_COLD };

/* How a trial is verified and timed; part of every record's identity (protocol_hash). */
struct protocol {
    enum cache_state cache;
    double relative, absolute;  /* |got - expected| <= absolute + relative * |expected|; NaN passes only where expected is NaN */
    unsigned samples_min, samples_max;
    double sample_s;            /* a sample lasts at least this long: short kernels run in graphs of many launches */
    double interval;            /* stop when the 95 % interval of the median is this narrow, relative to it */
    double deadline_s;          /* for the first launch; an endless kernel is killed with its worker */
    double give_up_s;           /* racing: after two samples a time above this ends the sampling; 0: never */
};
void protocol_init(struct protocol *protocol); /* the defaults of the README */
uint64_t protocol_hash(const struct protocol *protocol); /* give_up_s does not enter */

struct trial {
    enum outcome outcome;
    char message[512];          /* why, when not ok: "C[17]: got 0.5, expected 0.25", "write past the end of C", ... */
    double *samples_s;          /* owned; seconds of one launch, in order */
    size_t sample_count;
    size_t discarded;           /* samples dropped because the clock had left where it settled */
    unsigned launches;          /* launches per sample */
    double time_s;              /* median of the kept samples */
    double clock_hz;            /* true SM clock during the kept samples */
    bool throttled, gave_up;
    double error_max;           /* largest |got - expected| / (absolute + relative * |expected|) found; <= 1 passes */
    double verify_s, benchmark_s, total_s; /* host time spent */
    int registers, shared_bytes, local_bytes; /* the driver's own words, as an oracle */
};
void trial_release(struct trial *trial);

/* Loads, verifies and times one variant. `reference` may change between calls; its results are kept on the device by
 * content. Returns an error only when no worker can be started or memory ends; all else is the trial's outcome. */
int worker_trial(struct trial *out, struct worker *worker, const struct code *code, const struct launch *launch,
                 const struct reference *reference, const struct protocol *protocol, struct err *err);

/* Runs a launch once, untimed and unverified, and returns the contents of the buffers named (malloc'ed, owned by the caller,
 * in the order asked). For microbenchmarks, tests and references. */
struct run_buffer {
    const char *name;
    unsigned char *bytes;
    size_t size;
};
int worker_run(struct run_buffer *buffers, size_t buffer_count, struct worker *worker, const struct code *code,
               const struct launch *launch, double deadline_s, struct err *err);

#endif

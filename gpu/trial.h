/* What a trial is, how it is done, and what comes of it: the plain data that controller and worker exchange.
 *
 * kernel_s divides the worker's time: total_s - kernel_s is what trying the variant cost beyond running it. */
#ifndef GPU_TRIAL_H
#define GPU_TRIAL_H

#include "base/err.h"
#include "base/json_line.h"
#include "launch/launch.h"
#include "launch/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code {
    const unsigned char *cubin;
    size_t cubin_bytes;
    const char *entry; /* name of the kernel in the cubin */
};

/* What results are compared with: exactly one of a kernel, files, or (both absent) nothing. */
struct reference {
    struct code code; /* cubin null: no kernel */
    const struct launch
        *launch; /* of the reference kernel; its buffers have the names of the variants' buffers */
    const char *const *names; /* .npy files per buffer name, or null */
    const char *const *paths;
    size_t file_count;
};

enum cache_state { CACHE_WARM, CACHE_COLD };

/* How a trial is verified and timed; part of every record's identity (protocol_hash). */
struct protocol {
    enum cache_state cache;
    double relative, absolute; /* |got - expected| <= absolute + relative * |expected|; NaN passes only where
                                  expected is NaN */
    unsigned samples_min, samples_max;
    double sample_s;   /* a sample lasts at least this long: short kernels run in graphs of many launches */
    double interval;   /* stop when the 95 % interval of the median is this narrow, relative to it */
    double deadline_s; /* for the first launch; an endless kernel is killed with its worker */
    double give_up_s;  /* racing: after two samples a time above this ends the sampling; 0: never */
    double rival_s; /* the best so far: what is slower beyond doubt is timed less exactly; 0: none is known */
    double energy_s; /* energy is measured too, over at least so long; 0: it is not */
};
void protocol_init(struct protocol *protocol); /* the defaults of the README */

/* For a GPU at its limit of power: there the clock moves by several per cent within tens of milliseconds, and a
 * kernel is as fast as it is over many of them. */
void protocol_sustain(struct protocol *protocol);
uint64_t
protocol_hash(const struct protocol *
                  protocol); /* give_up_s, rival_s and energy_s do not enter: samples are as good with them */

struct trial {
    enum outcome outcome;
    char message[512]; /* why, when not ok: "C[17]: got 0.5, expected 0.25", "write past the end of C", ... */
    double *samples_s; /* owned; seconds of one launch, in order */
    size_t sample_count;
    size_t discarded;  /* samples dropped because the clock had left where it settled */
    unsigned launches; /* launches per sample */
    double time_s;     /* median of the kept samples */
    double clock_hz;   /* true SM clock during the kept samples */
    bool throttled, gave_up;
    double energy_j, power_w; /* of one launch; mean while launches followed each other; 0: not measured */
    double energy_window_s;   /* that they were measured over */
    double error_max; /* largest |got - expected| / (absolute + relative * |expected|) found; <= 1 passes */
    double verify_s, benchmark_s, total_s; /* host time spent in the worker, buffers and reference excepted */
    double kernel_s;                       /* of it, the time of the kernel's own launches */
    int registers, shared_bytes, local_bytes, blocks_per_sm; /* the driver's own words, as an oracle */
};
void trial_release(struct trial *trial);

/* Between controller and worker; null when memory ends. */
void protocol_write(struct js_line *line, const char *key, const struct protocol *protocol);
struct json *protocol_to_json(const struct protocol *protocol);
int protocol_from_json(struct protocol *out, const struct js_at *at, struct err *err);
struct json *trial_to_json(const struct trial *trial);
int trial_from_json(struct trial *out, const struct js_at *at, struct err *err);

#endif

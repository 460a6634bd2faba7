/* The worker's bench: a GPU with its buffers and measuring tools, on which one launch is run, or one variant
 * loaded, verified and timed. */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include "gpu/measure.h"
#include "gpu/message.h"
#include "gpu/pace.h"
#include "gpu/power.h"
#include "gpu/verify.h"

struct bench {
    struct gpu *gpu;
    bool started;
    struct clock_setting clocks; /* that are locked for it */
    struct kernels kernels;
    struct buffers buffers;
    struct verifier verifier;
    struct measurer measurer;
    struct wanted wanted;   /* results of the reference known by `reference_key` */
    uint64_t reference_key; /* 0: none yet */
};

/* Opening finds the GPU, no more; starting, which is done once and harmless then, makes it ready for the
 * rest. */
int bench_open(struct bench *out, int device, struct err *err);
int bench_start(struct bench *bench, struct err *err);
void bench_close(struct bench *bench);

/* Frees what trials have left on the GPU, all but the context; that too where no other process may have one meanwhile. */
void bench_forget(struct bench *bench);

/* A promise: the stage that begins now ends, or another begins, within so many seconds. */
enum stage { STAGE_PREPARE, STAGE_REFERENCE, STAGE_LOAD, STAGE_LAUNCH, STAGE_MEASURE, STAGE_COUNT };
const char *stage_text(enum stage stage);

struct announcer {
    int (*announce)(void *context, enum stage stage, double within_s, struct err *err);
    void *context;
};

/* worker.h says what these do. The launches are prepared on the way, hence not const. Failures of the variant
 * are in the trial; gpu_lost(bench->gpu) tells whether the process must end after it. */
struct bench_reference {
    struct code code;
    struct launch *launch; /* null: no kernel */
    char **names, **paths;
    size_t file_count;
    uint64_t key; /* hash of all the above; 0: no reference */
};

int bench_trial(struct trial *out, struct bench *bench, const struct code *code, struct launch *launch,
                const struct bench_reference *reference, const struct protocol *protocol,
                const struct announcer *announcer, struct err *err);

int bench_run(struct part *parts, struct bench *bench, const struct code *code, struct launch *launch,
              char *const *names, size_t name_count, double deadline_s, const struct announcer *announcer,
              struct err *err);

/* Makes the buffers of a launch, which later ones find. */
int bench_fill(struct bench *bench, struct launch *launch, const struct announcer *announcer,
               struct err *err);

/* Seconds that the driver's own copy of `bytes` takes from one place of the GPU's memory to another. */
int bench_copy(double *seconds, struct bench *bench, size_t bytes, struct err *err);

/* Seconds of the calibration kernel, once the clock has settled: see worker_pace(). */
int bench_pace(struct gpu_pace *out, struct bench *bench, struct err *err);

#endif

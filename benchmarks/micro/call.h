/* Launches of a microbenchmark. */
#ifndef MICRO_CALL_H
#define MICRO_CALL_H

#include "base/err.h"
#include "launch/launch.h"
#include "gpu/worker.h"

#include <stdbool.h>
#include <stdint.h>

struct micro;
struct micro_code;

/* A launch under construction: arguments in the kernel's order. Failures to allocate are remembered and come out of what
 * launches it, which releases it: call_run(), call_time(), micro_latency() and the like. */
struct call {
    struct launch launch;
    bool failed;
};
void call_init(struct call *call, unsigned blocks, unsigned threads, unsigned shared_bytes);
void call_int(struct call *call, int value);
void call_unsigned(struct call *call, unsigned value);
void call_long(struct call *call, uint64_t value);
/* Buffers of one name have one size throughout, so that the worker allocates them once: place for the stamps
 * of MICRO_WARPS warps an SM, for MICRO_SAMPLES samples an SM, for MICRO_SINK results an SM. */
enum { MICRO_WARPS = 128, MICRO_SAMPLES = 1024, MICRO_SINK = 32768 };
void call_spans(struct call *call, const struct micro *micro);
void call_samples(struct call *call, const struct micro *micro);
void call_sink(struct call *call, const char *name, const struct micro *micro); /* results nobody reads */
void call_in(struct call *call, const char *name, uint64_t floats);             /* floats from [1, 2) */
void call_halves(struct call *call, const char *name, uint64_t halves);         /* bfloat16 from [-1, 1) */
void call_zeros(struct call *call, const char *name, enum role role, uint64_t words); /* 32-bit zeros */
void call_out(struct call *call, const char *name, enum element_type type, uint64_t count);
void call_file(struct call *call, const char *name, enum element_type type, uint64_t count, const char *path);
void call_expression(struct call *call, const char *name, uint64_t words, const char *expression);
void call_symbol(struct call *call, const char *name, uint64_t words, const char *expression);

/* Runs once and returns the contents of buffer `name` (owned by the caller, `bytes` long as the kernel
 * declares). Without a worker ERR_MISSING. */
int call_run(void **out, const struct micro *micro, const struct micro_code *code, struct call *call,
             const char *name, struct err *err);
/* The same for two buffers of one launch. */
int call_run_two(void *out[2], const struct micro *micro, const struct micro_code *code, struct call *call,
                 const char *first, const char *second, struct err *err);

/* Times launches as trials do. Anything but OUTCOME_OK is ERR_GPU with its message. */
int call_time(struct trial *out, const struct micro *micro, const struct micro_code *code, struct call *call,
              double sample_s, struct err *err);

#endif

/* How a microbenchmark gets from its CUDA source to numbers: compile, check the code, launch through the
 * worker, take the stamps. What all of them share; calibrate.c holds the table of them. */
#ifndef MICRO_BENCH_H
#define MICRO_BENCH_H

#include "base/err.h"
#include "launch/launch.h"
#include "gpu/compile.h"
#include "gpu/worker.h"
#include "micro/body.h"
#include "micro/call.h"
#include "micro/reduce.h"
#include "model/sass/cubin.h"
#include "model/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a microbenchmark works with. Its results go into `device`. */
struct micro {
    struct worker *worker; /* null: code is compiled and checked, nothing runs */
    struct compiler *compiler;
    struct device *device;
    const char *directory; /* holds the sources; random cycles are written there */
    char arch[16];         /* "sm_90" */
    unsigned sms;          /* SMs to run on */
    bool full;             /* measure what nothing but people reads, too: device.def */
};

/* Code of a kernel that passed its check. */
struct micro_code {
    struct compile_result compiled;
    struct cubin_resources resources;
    struct sass_code sass;
};

enum { MICRO_OPTIONS = 10 };

/* What a loop round a timed body may add: its counter, its branch, and the outer loop that runs everything
 * twice. */
#define MICRO_LOOP                                                                                           \
    "IADD3 VIADD UIADD3 ISETP UISETP BRA LDC ULDC LDCU UMOV MOV IMAD.MOV BAR S2R NOP PLOP3 UPLOP3 IADD "     \
    "CS2R CALL"

struct micro_kernel {
    const char *file, *name;            /* "arithmetic.cu", "chain" */
    const char *options[MICRO_OPTIONS]; /* null-terminated */
    struct body body;                   /* parts null: not checked here */
};

/* Compiles and checks, with KERNEL_<name> defined: files of several kernels leave out the others where they are compiled
 * often. ERR_FORMAT names the instruction that was not meant, or the compiler's message. */
int micro_compile(struct micro_code *out, const struct micro *micro, const struct micro_kernel *kernel,
                  struct err *err);
void micro_code_release(struct micro_code *code);

/* Calls compile(context, 0) ... compile(context, count - 1) on all cores, ahead of a group that compiles the
 * same one after the other: their cubins wait in the compiler's cache. What fails there fails again when it
 * is needed. */
void micro_ahead(void (*compile)(const void *context, size_t index), const void *context, size_t count);

/* The usual ends. `micro_latency` runs a kernel that writes "samples" (32 a block, one block an SM) and gives
 * cycles per step; `micro_spans` one that writes "spans" and gives per-SM times (out[micro->sms]). */
int micro_latency(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                  struct call *call, double steps, const char *origin, struct err *err);
int micro_spans(struct sm_time *out, size_t *count, const struct micro *micro, const struct micro_code *code,
                struct call *call, struct err *err);

/* A throughput over SMs: `work` per warp / cycles, times the warps of the SM. `blocks` resident ones are
 * wanted on every SM; ERR_FORMAT where another number really was (Lemeire et al., eq. 2). */
int micro_rate(struct device_value *out, const struct micro *micro, const struct micro_code *code,
               struct call *call, double work, unsigned blocks, const char *origin, struct err *err);
/* The same for what all SMs share: the sustained figure is their mean, what one gets on average, since some
 * are nearer to it than others and a median would jump between the two. */
int micro_rate_shared(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                      struct call *call, double work, unsigned blocks, const char *origin, struct err *err);

/* Writes a cycle of `count` elements as a .npy file of uint32, and behind it `starts` elements that lie
 * evenly along it. Random (Sattolo), or each element followed by the next in memory. `path` must hold 1024
 * bytes. */
int micro_cycle(char *path, const struct micro *micro, size_t count, size_t starts, bool random,
                struct err *err);

/* Remembers why a value is missing, "shared_latency: ...", as a note of the profile, also where it was the GPU whose memory
 * ended. ERR_MEMORY where there is none left for the note. */
int micro_hole(const struct micro *micro, const char *what, struct err *why, struct err *err);

/* Runs the parts of a group, the `full` ones where all is to be measured; one that fails becomes a note and the others
 * go on. */
struct part {
    const char *name;
    int (*measure)(const struct micro *micro, struct err *err);
    bool full;
};
int micro_parts(const struct micro *micro, const struct part *parts, size_t count, struct err *err);

#endif

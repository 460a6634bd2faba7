/* A pretended GPU: 4 SMs at 1.5 GHz, host memory, a virtual clock that launches and copies advance.
 *
 * Its NVML (nvml.c), which is the same library, counts the energy of what is queued. What is queued is done at once but
 * for who asks an event once power was read: then it takes as long as it says.
 *
 * It runs the worker's own kernels from their real source, and test kernels by name: they stand in kernels.c,
 * each with what it does wrong. FAKE_NAME, FAKE_MAJOR and FAKE_SLOW make GPUs of other kinds and slower ones: lists
 * with a word for each GPU; FAKE_LIMITED one whose clock falls, FAKE_WARMS one whose kernels
 * take longer from then on. A module is any bytes. Not
 * thread-safe but for what loads code. The current context of a thread is any address. */
#ifndef TESTS_FAKE_FAKE_H
#define TESTS_FAKE_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_IDLE_WATTS = 50, FAKE_WATTS = 200, FAKE_HOT_WATTS = 600, FAKE_UPDATE_NS = 20000000 };
enum { FAKE_SMS = 4, FAKE_PARAMETERS = 9, FAKE_PARAMETER_BYTES = 128 };

/* What starting things costs on the virtual clock. */
enum {
    FAKE_LAUNCH_NS = 3000,
    FAKE_GRAPH_NS = 2000,
    FAKE_PAIR_NS = 600,
    FAKE_GAP_NS = 100,
    FAKE_COPY_NS = 1000
};

/* How a launch was asked for. */
struct fake_launch {
    unsigned cluster[3];
    bool cooperative, programmatic;
};

/* What stands in a tensor map here. */
struct fake_map {
    const void *address;
    unsigned rank, box[2];
    uint64_t dimensions[2], stride;
};

struct fake_state {
    uint64_t now_ns;
    bool hangs;             /* synchronizing never returns */
    int broken;             /* the sticky error, a CUresult; 0 none */
    unsigned block;         /* running now */
    struct fake_launch how; /* of the launch that runs now */
    unsigned launches;      /* of test kernels, in this process */
    uint64_t warm_since_ns; /* on the virtual clock; 0: it is not */
    unsigned contexts;      /* retained so far, in this process */
    unsigned modules;       /* loaded now, in this process; atomic */
    float factor;           /* the __constant__ variable "factor" */
    bool paced;             /* power is read: what is queued is done when the wall's clock says so too */
    uint64_t busy_until_ns; /* on the wall's clock: when all that was queued is done, if it is paced */
    double queued_joules;   /* of all that was queued, beyond those of idling */
    double watts;           /* of what was queued last, beyond those of idling */
    const char *locked;     /* memory of the host that is page-locked */
    size_t locked_bytes;
    int ordinal; /* of the GPU with the context */
    bool wide;   /* clusters of more than 8 thread blocks are allowed */
};
extern struct fake_state fake;

struct fake_kernel {
    const char *name;
    const char *parameters; /* i: 4 bytes, w: 8 bytes, s: a struct of 24, t: a tensor map */
    bool each_block;        /* called once for each block, not once for all */
    void (*run)(void **parameters);
    uint64_t duration_ns;
};

uint64_t fake_wall_ns(void);
uint64_t fake_cool_ns(void); /* until when the clock is the highest, on the virtual clock */

/* The word of a list in the environment that is GPU `ordinal`'s; the last word is that of all further ones. Null where
 * the list is not there. */
const char *fake_word(const char *list, int ordinal, size_t *length);

const struct fake_kernel *fake_find(const char *name);

#endif

/* The device profile: what a GPU is, what it allows, and what microbenchmarks found it can do.
 *
 * A profile is plain data with three sources: a worker that asks the driver (identity and limits), `occutune
 * calibrate` (calibrated values), or a JSON file. device.def lists everything it can hold. A profile may have
 * holes: a value that nobody measured is absent, not zero, and `notes` says why where there is a reason; the
 * model asks device_has() and refuses what it cannot know. */
#ifndef MODEL_DEVICE_H
#define MODEL_DEVICE_H

#include "base/err.h"
#include "base/json.h"
#include "launch/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_SCHEMA = 1, DEVICE_CARVEOUTS = 16, DEVICE_SUBPARTITIONS = 8 /* at most */ };
enum { DEVICE_POLICY_BURST = 64 /* bytes of a thread behind dram_copy_evict_first and _past_l1 */ };

/* Hard limits, from the driver or, for a GPU that is not here, from the tables of its architecture. Bytes,
 * counts, Hz; 0 means unknown, save for barriers_per_sm and shared_reserved. */
struct device_limits {
#define DEVICE_LIMIT(field, range, description) uint64_t field;
#include "model/device/device.def"
#undef DEVICE_LIMIT
    uint64_t carveouts[DEVICE_CARVEOUTS]; /* bytes of shared memory an SM can be set to, ascending */
    size_t carveout_count;
};

/* One calibrated number. `sustained` is the median of at least 25 runs and goes into estimates; `best` is the
 * most favourable ever seen and goes into bounds that must hold; `spread` is the interquartile range of the
 * runs. All in the unit that device.def states. */
struct device_value {
    bool known;
    double sustained, best, spread;
    char origin[64]; /* the microbenchmark; "published: SOURCE" for a number that others measured; "as on
                        PROFILE: ..." for one of another GPU */
};

/* Points in ascending x. */
struct device_curve {
    size_t count; /* 0: not measured */
    double *x, *y;
    char origin[64];
};

enum device_value_id {
#define DEVICE_VALUE(id, ...) DEVICE_##id,
#include "model/device/device.def"
#undef DEVICE_VALUE
    DEVICE_VALUE_COUNT
};

enum device_curve_id {
#define DEVICE_CURVE(id, ...) DEVICE_CURVE_##id,
#include "model/device/device.def"
#undef DEVICE_CURVE
    DEVICE_CURVE_COUNT
};

enum device_op_id {
#define DEVICE_OP(id, mnemonic) DEVICE_OP_##id,
#include "model/device/device.def"
#undef DEVICE_OP
    DEVICE_OP_COUNT
};

/* An operation as the pipes see it. */
struct device_op {
    struct device_value latency;    /* cycles from issue to issue of a dependent one, one warp */
    struct device_value ilp2, ilp4; /* the same per operation with two and with four independent chains */
    struct device_value interval;   /* cycles its pipe is busy with one warp instruction, per sub-partition */
    char pipe[24];                  /* operations with the same text were seen to share a pipe; "" unknown */
    struct device_curve
        roofline;       /* x: warps per SM, dependent chains; y: warp instructions per SM and cycle */
    double ridge_warps; /* first x within 5 % of the peak; 0 unknown */
};

/* Two operations interleaved one to one, all warps running. */
struct device_pair {
    enum device_op_id a, b;
    double cycles; /* per sub-partition, for one step of each */
};

/* An operation of the source, which becomes one machine instruction or many. */
struct device_source {
    char name[24];       /* "float divide" */
    bool fast;           /* with --use_fast_math */
    double instructions; /* machine instructions, of a routine only the call */
    bool calls;          /* a routine */
    double latency;      /* cycles from one to a dependent one, one warp */
    double interval;     /* cycles per warp and sub-partition, all warps */
};

struct device {
    char name[128];   /* "NVIDIA H200" */
    unsigned sm;      /* architecture, 90 for sm_90 */
    char driver[32];  /* version, "" unknown */
    char toolkit[32]; /* NVRTC that compiled the microbenchmarks, "" unknown */
    char date[16];    /* of the calibration, "2026-05-31"; "" never calibrated */
    char source[160]; /* where limits come from when no driver was asked: "published: ..."; else "" */
    struct device_limits limits;
    struct device_value values[DEVICE_VALUE_COUNT];
    struct device_op ops[DEVICE_OP_COUNT];
    struct device_curve curves[DEVICE_CURVE_COUNT];
    struct device_pair *pairs; /* the pipe map, as measured */
    size_t pair_count;
    struct device_source *sources;
    size_t source_count;
    char **notes; /* "shared_latency: instruction 7 is MOV, LDS was meant": why something is missing or
                     doubtful */
    size_t note_count;
};

void device_init(struct device *device); /* empty: nothing known */
void device_release(struct device *device);
int device_copy(struct device *out, const struct device *device, struct err *err);
bool device_same_kind(const struct device *a, const struct device *b); /* name and architecture */

/* Whether a value is known; its sustained and best figures, NaN when it is not. */
bool device_has(const struct device *device, enum device_value_id id);
double device_sustained(const struct device *device, enum device_value_id id);
double device_best(const struct device *device, enum device_value_id id);

/* The operation a mnemonic is measured as: itself ("FFMA", "MUFU.RCP"), else the nearest with fewer modifiers
 * ("LOP3.LUT" as LOP3, "IMAD.MOV.U32" as IMAD); -1 for one nobody measures. */
int device_op_find(const char *mnemonic);
const char *device_op_text(enum device_op_id id);

/* The curve's y at x by linear interpolation; the end points beyond its ends; NaN for an empty curve. */
double device_curve_at(const struct device_curve *curve, double x);
/* Replaces the points (copied). x must ascend strictly, and all be finite and not negative, since a curve
 * holds counts, bytes, shares, times and rates, also where the difference of two times was measured:
 * ERR_FORMAT. */
int device_curve_set(struct device_curve *curve, const double *x, const double *y, size_t count,
                     const char *origin, struct err *err);
void device_curve_release(struct device_curve *curve);
int device_note(struct device *device, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int device_pair_add(struct device *device, enum device_op_id a, enum device_op_id b, double cycles,
                    struct err *err);

int device_source_add(struct device *device, const struct device_source *source, struct err *err);

/* What device.def says: "dram_read", "B/s", the sentence, whether more is better. */
struct device_value_info {
    const char *name, *unit, *description;
    bool higher_is_better;
    bool full; /* nothing but people reads it: `calibrate --full` */
};
const struct device_value_info *device_value_info(enum device_value_id id);
struct device_curve_info {
    const char *name, *x, *y, *description;
    bool above_0; /* no x or y of a profile's is 0: rates, shares, what others are divided by */
    bool full;    /* see struct device_value_info */
};
const struct device_curve_info *device_curve_info(enum device_curve_id id);

/* Whether a value in a unit can be one at all, and the least and the most that can; a unit of no row of device.def has no
 * range. */
bool device_in_range(double *least, double *most, const char *unit, double value);

/* Names of the values that the model reads and the profile lacks; rates of products of matrices, which not every GPU has,
 * apart. Returns how many, at most DEVICE_VALUE_COUNT. */
size_t device_lacks(const char **names, const struct device *device);

/* True when any calibrated value or limit was published by others or is of another GPU, not measured on this
 * one: every output says so. */
bool device_is_published(const struct device *device);
bool device_is_calibrated(const struct device *device); /* at least one value or operation is known */

/* What every GPU of an architecture has in common: granules, carve-outs, largest block, warps per SM
 * (`sm_count` and what differs between products stays 0). ERR_USAGE names the known architectures. A worker
 * calls this first and then overwrites what the driver knows. */
int device_limits_of(struct device_limits *out, unsigned sm, struct err *err);

/* What code for compute capability `sm` is compiled for: "sm_86"; "sm_90a" where the architecture has
 * instructions that no later one runs (wgmma, setmaxnreg), since the code is for this device alone. */
enum { DEVICE_TARGET_BYTES = 16 };
void device_target(char out[DEVICE_TARGET_BYTES], unsigned sm);

/* Whether the device can launch it at all, whatever its size. Otherwise writes the reason, cut to `size`:
 * "arguments[2]: a tensor_map needs cp.async.bulk, which sm_80 does not have". */
bool device_can_launch(char *reason, size_t size, unsigned sm, const struct launch *launch);

/* ERR_MISSING, with its name, when a limit is 0 without which nobody can tell how many warps an SM holds. */
int device_need_occupancy(const struct device *device, struct err *err);

/* Reads a profile. Everything is checked: schema, names, units, ranges, curves; a wrong field is ERR_USAGE
 * with its path. `device_load` takes a path, or the name of a profile in `directory` ("nvidia-h200"), null
 * for none. */
int device_read(struct device *out, const char *path, struct err *err);
int device_load(struct device *out, const char *name_or_path, const char *directory, struct err *err);
/* For the protocol between controller and worker; null when memory ends. */
struct json *device_to_json(const struct device *device);
int device_from_json(struct device *out, const struct js_at *at, struct err *err);
/* Sorted keys, all or nothing. */
int device_write(const struct device *device, const char *path, struct err *err);
/* Hash of the whole profile: a part of the decision's signature. */
int device_hash(uint64_t *out, const struct device *device, struct err *err);

#endif

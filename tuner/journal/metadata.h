/* The head of a journal: whose results these are, and how they were measured. */
#ifndef TUNER_JOURNAL_METADATA_H
#define TUNER_JOURNAL_METADATA_H

#include "base/err.h"
#include "base/json.h"
#include "gpu/worker.h"
#include "model/device/device.h"
#include "space/spec.h"
#include "tuner/journal/journal.h"

/* Kernel Tuner's top-level keys and our object "occutune". The caller frees it. */
int metadata_new(struct json **out, const struct spec *spec, size_t problem, const struct device *device,
                 const struct power *power, const char *nvrtc, const struct protocol *protocol,
                 struct err *err);

/* The sizes of one problem as {"M": 4096, ...}; null when memory ends. */
struct json *metadata_problem(const struct spec *spec, size_t problem);

/* What a journal says of itself; texts are borrowed from it and "" when absent, but an absent device is "an
 * unnamed device". */
struct metadata {
    const char *device_name, *kernel_name, *nvrtc, *driver;
    const char *target; /* what the code was compiled for, "sm_90a"; before it was noted, the plain "sm_90" */
    bool device_named;
    char date[11]; /* "2026-11-20", "" unknown */
};
void metadata_read(struct metadata *out, const struct journal *journal);

/* The device profile in the head; ERR_MISSING when there is none (another tool's cache). */
int metadata_device(struct device *out, const struct journal *journal, struct err *err);

/* Another tool's journal names the sizes of its problem, and not what they are sizes of: true, and what is
 * doubtful in `out`, where one of them is none of the spec's. */
bool metadata_doubt(char *out, size_t size, const struct journal *journal, const struct spec *spec,
                    size_t problem);

/* Of the GPU, as far as the head says. */
void metadata_power(struct power *out, const struct journal *journal);

/* ERR_USAGE unless the journal is for this kernel, these parameters and (where it says so) this problem. */
int metadata_check(const struct journal *journal, const struct spec *spec, size_t problem, struct err *err);

#endif

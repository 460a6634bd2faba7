/* NVML, loaded at run time: the energy counter, power limits and clocks of one GPU. Nothing links it. */
#ifndef GPU_NVML_H
#define GPU_NVML_H

#include "base/err.h"
#include "gpu/power.h"

struct nvml;

/* The GPU at this PCI address ("0000:3B:00.0"). The library is OCCUTUNE_NVML, else libnvidia-ml.so.1. ERR_MISSING
 * where it, or the GPU in it, is not here. */
int nvml_open(struct nvml **out, const char *pci, struct err *err);
void nvml_close(struct nvml *nvml); /* also null */

/* Joules since the driver was loaded. ERR_MISSING: this GPU does not count them. */
int nvml_energy(double *joules, const struct nvml *nvml, struct err *err);

/* Limits and clocks as they are now; what NVML does not say stays NaN. */
void nvml_describe(struct power *out, const struct nvml *nvml);

/* Locks the clocks that are given. ERR_USAGE where the driver refuses (it takes administrator's rights), and nothing
 * is locked then. nvml_unlock() lets go of all that was locked, by whomever: NVML does not tell what a lock was before. */
int nvml_lock(const struct nvml *nvml, const struct clock_setting *clocks, struct err *err);
void nvml_unlock(const struct nvml *nvml, const struct clock_setting *clocks);

#endif

/* How much energy does a launch take? By the GPU's own counter, while launches follow each other without a gap.
 *
 * The counter changes some ten times a second, so that one launch, or a few, cannot be read from it. What is read is the
 * mean power between two of its changes, far enough apart and after the power has settled; times the time of a
 * launch in that stretch, that is the energy of one. The counter is the whole board's: its idle power is part of it.
 *
 * Launches that need something between them (buffers restored, the L2 flushed) are run with and without the kernel, and
 * the difference counts. */
#ifndef GPU_ENERGY_H
#define GPU_ENERGY_H

#include "gpu/nvml.h"
#include "gpu/plan.h"

/* Two changes of the counter, and what lay between them. */
struct energy_window {
    double began_s, ended_s; /* on the wall's clock */
    double began_joules, ended_joules;
    unsigned updates; /* changes since the first, the last included */
    double period_s;  /* of the plan's sample, while it was repeated; 0: nothing ran */
};

double energy_power_w(const struct energy_window *window);

/* Of one launch; `bare` (null: the launches follow each other with nothing between) is the same without the kernel. */
double energy_of_launch(const struct energy_window *window, const struct energy_window *bare,
                        unsigned launches);

/* Fills the trial's energy and power from at least `protocol->energy_s` of launches. ERR_MISSING: no counter. */
int energy_measure(struct trial *trial, const struct plan *plan, const struct nvml *nvml,
                   const struct protocol *protocol, measure_promise *promise, void *context, struct err *err);

/* Mean power of a GPU on which nothing runs, over at least `window_s`, and how often its counter changes. */
int energy_idle(struct power *out, const struct nvml *nvml, double window_s, struct err *err);

#endif

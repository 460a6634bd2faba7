/* How launches of a variant are queued for measuring: one by one, or many in a graph; each with its buffers made ready
 * before and between two events, or back to back. For measure.c and energy.c. */
#ifndef GPU_PLAN_H
#define GPU_PLAN_H

#include "gpu/measure.h"

struct plan {
    struct measurer *measurer;
    const struct subject *subject;
    bool isolated; /* an event pair around each launch, its buffers made ready before */
    bool cold;
    bool bare;         /* only what stands around the launches is queued: without the kernel */
    unsigned launches; /* in one sample */
    unsigned batch;    /* samples queued together */
    double expected_s; /* of one sample */
    gpu_graph graph;   /* null: launched directly */
};

int plan_build_graph(struct plan *plan, struct err *err);

/* Queues the launches of one sample. */
int plan_queue(const struct plan *plan, struct err *err);

#endif

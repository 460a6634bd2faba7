#include "gpu/plan.h"

/* What stands before each isolated launch. */
static int make_ready(const struct plan *plan, struct err *err)
{
    struct measurer *measurer = plan->measurer;
    struct gpu *gpu = measurer->buffers->gpu;
    int rc = binding_restore(plan->subject->binding, measurer->buffers, err);

    return rc || !plan->cold ? rc : gpu_set(gpu, measurer->flush, 0x5a, 2 * gpu_l2_bytes(gpu), err);
}

/* The launches of one sample, now or into the graph that is captured. */
static int queue_launches(const struct plan *plan, struct err *err)
{
    struct measurer *measurer = plan->measurer;
    struct gpu *gpu = measurer->buffers->gpu;
    int rc = 0;

    for (unsigned i = 0; !rc && i < plan->launches; i++) {
        if (plan->isolated)
            rc = make_ready(plan, err);
        if (!rc && plan->isolated)
            rc = gpu_record(gpu, measurer->events[2 * i], err);
        if (!rc && !plan->bare)
            rc = subject_launch(plan->subject, gpu, err);
        if (!rc && plan->isolated)
            rc = gpu_record(gpu, measurer->events[2 * i + 1], err);
    }
    return rc;
}

int plan_build_graph(struct plan *plan, struct err *err)
{
    struct gpu *gpu = plan->measurer->buffers->gpu;
    int rc = gpu_capture(gpu, err), ended;

    if (rc)
        return rc;
    rc = queue_launches(plan, err);
    ended = gpu_capture_end(&plan->graph, gpu, err);
    return rc ? rc : ended;
}

int plan_queue(const struct plan *plan, struct err *err)
{
    return plan->graph ? gpu_run_graph(plan->measurer->buffers->gpu, plan->graph, err)
                       : queue_launches(plan, err);
}

#include "gpu/energy.h"

#include "base/clock.h"

#include <math.h>
#include <unistd.h>

/* Each is queued while the one before runs: long enough for the host to come back in time, short beside a window. */
static const double chunk_s = 4e-3;
enum { CHUNKS_AHEAD = 3 };
static const double settle_share = 1. / 3; /* of the window, before it: power and clocks settle */
static const unsigned look_us = 200;       /* between two looks at the counter */
static const double silent_s = 3;          /* a counter that has not changed for so long does not count */
enum { PERIODS = 4 };                      /* of a long sample, at least, lie in a window */

double energy_power_w(const struct energy_window *window)
{
    return (window->ended_joules - window->began_joules) / (window->ended_s - window->began_s);
}

double energy_of_launch(const struct energy_window *window, const struct energy_window *bare,
                        unsigned launches)
{
    const double around = bare ? energy_power_w(bare) * bare->period_s : 0;

    return fmax(energy_power_w(window) * window->period_s - around, 0) / launches;
}

/* Looking at the counter --------------------------------------------------- */

struct watch {
    const struct nvml *nvml;
    double settled_s, window_s; /* when the window may begin; how long it is to be */
    double changed_s, joules;   /* the last change seen, and what the counter says since */
    bool begun, ended;
    struct energy_window window;
};

static int watch_begin(struct watch *watch, const struct nvml *nvml, double window_s, struct err *err)
{
    const double now_s = clock_wall_s();

    *watch = (struct watch){
        .nvml = nvml, .settled_s = now_s + settle_share * window_s, .window_s = window_s, .changed_s = now_s};
    return nvml_energy(&watch->joules, nvml, err);
}

/* The counter has changed, at `now_s`. */
static void note_change(struct watch *watch, double now_s, double joules)
{
    struct energy_window *window = &watch->window;

    watch->changed_s = now_s;
    watch->joules = joules;
    if (now_s < watch->settled_s)
        return;
    if (!watch->begun) {
        watch->begun = true;
        window->began_s = now_s;
        window->began_joules = joules;
        return;
    }
    window->updates++;
    window->ended_s = now_s;
    window->ended_joules = joules;
    watch->ended = now_s - window->began_s >= watch->window_s;
}

/* The moment of a change is known to within two looks: the middle between the two readings is taken. */
static int watch_look(struct watch *watch, struct err *err)
{
    double joules, before_s = clock_wall_s(), now_s;
    int rc = nvml_energy(&joules, watch->nvml, err);

    now_s = clock_wall_s();
    if (rc)
        return rc;
    if (joules != watch->joules)
        note_change(watch, (before_s + now_s) / 2, joules);
    else if (now_s - watch->changed_s > silent_s)
        return err_set(err, ERR_MISSING, "this GPU's counter of energy does not change within %g s",
                       silent_s);
    return 0;
}

int energy_idle(struct power *out, const struct nvml *nvml, double window_s, struct err *err)
{
    struct watch watch;
    int rc = watch_begin(&watch, nvml, window_s, err);

    while (!rc && !watch.ended) {
        usleep(look_us);
        rc = watch_look(&watch, err);
    }
    if (rc)
        return rc;
    out->idle_w = energy_power_w(&watch.window);
    out->counter_update_s = (watch.window.ended_s - watch.window.began_s) / watch.window.updates;
    return 0;
}

/* Launches without a gap --------------------------------------------------- */

struct stretch {
    const struct plan *plan;
    struct gpu *gpu;
    unsigned samples;                     /* in a chunk */
    gpu_event ends[CHUNKS_AHEAD];         /* of chunks, in turn */
    gpu_event from, to;                   /* around the window, nearly */
    unsigned long queued, done;           /* chunks */
    unsigned long queued_from, queued_to; /* at those events */
};

static int stretch_open(struct stretch *stretch, const struct plan *plan, struct err *err)
{
    int rc;

    *stretch = (struct stretch){.plan = plan, .gpu = plan->measurer->buffers->gpu};
    stretch->samples = (unsigned)fmax(1, ceil(chunk_s / plan->expected_s));
    rc = gpu_event_create(&stretch->from, stretch->gpu, err);
    if (!rc)
        rc = gpu_event_create(&stretch->to, stretch->gpu, err);
    for (int k = 0; k < CHUNKS_AHEAD && !rc; k++)
        rc = gpu_event_create(&stretch->ends[k], stretch->gpu, err);
    return rc;
}

static void stretch_close(struct stretch *stretch)
{
    for (int k = 0; k < CHUNKS_AHEAD; k++)
        gpu_event_free(stretch->gpu, stretch->ends[k]);
    gpu_event_free(stretch->gpu, stretch->from);
    gpu_event_free(stretch->gpu, stretch->to);
}

static int queue_chunk(struct stretch *stretch, struct err *err)
{
    int rc = 0;

    for (unsigned k = 0; k < stretch->samples && !rc; k++)
        rc = plan_queue(stretch->plan, err);
    if (!rc)
        rc = gpu_record(stretch->gpu, stretch->ends[stretch->queued % CHUNKS_AHEAD], err);
    stretch->queued++;
    return rc;
}

/* Keeps chunks queued behind the one that runs. */
static int keep_busy(struct stretch *stretch, struct err *err)
{
    bool done = true;
    int rc = 0;

    while (!rc && done && stretch->done < stretch->queued) {
        rc = gpu_event_done(&done, stretch->gpu, stretch->ends[stretch->done % CHUNKS_AHEAD], err);
        stretch->done += !rc && done;
    }
    while (!rc && stretch->queued - stretch->done < CHUNKS_AHEAD)
        rc = queue_chunk(stretch, err);
    return rc;
}

/* Marks where the window begins and ends among the chunks, as soon as that is known. */
static int mark(struct stretch *stretch, const struct watch *watch, struct err *err)
{
    if (watch->ended) {
        stretch->queued_to = stretch->queued;
        return gpu_record(stretch->gpu, stretch->to, err);
    }
    if (!watch->begun || stretch->queued_from)
        return 0;
    stretch->queued_from = stretch->queued;
    return gpu_record(stretch->gpu, stretch->from, err);
}

static int finish(struct energy_window *out, struct stretch *stretch, const struct watch *watch,
                  struct err *err)
{
    double elapsed_s;
    int rc = gpu_synchronize(stretch->gpu, err);

    if (!rc)
        rc = gpu_elapsed(&elapsed_s, stretch->gpu, stretch->from, stretch->to, err);
    if (rc)
        return rc;
    *out = watch->window;
    out->period_s = elapsed_s / (double)(stretch->queued_to - stretch->queued_from) / stretch->samples;
    return 0;
}

static int run_stretch(struct energy_window *out, struct stretch *stretch, const struct nvml *nvml,
                       double window_s, struct err *err)
{
    struct watch watch;
    int rc = keep_busy(stretch, err);

    if (!rc)
        rc = watch_begin(&watch, nvml, window_s, err);
    while (!rc && !watch.ended) {
        usleep(look_us);
        rc = keep_busy(stretch, err);
        if (!rc)
            rc = watch_look(&watch, err);
        if (!rc)
            rc = mark(stretch, &watch, err);
    }
    return rc ? rc : finish(out, stretch, &watch, err);
}

static int repeat(struct energy_window *out, const struct plan *plan, const struct nvml *nvml,
                  double window_s, struct err *err)
{
    struct stretch stretch;
    int rc = stretch_open(&stretch, plan, err);

    if (!rc)
        rc = run_stretch(out, &stretch, nvml, window_s, err);
    stretch_close(&stretch);
    return rc;
}

int energy_measure(struct trial *trial, const struct plan *plan, const struct nvml *nvml,
                   const struct protocol *protocol, measure_promise *promise, void *context, struct err *err)
{
    const double window_s = fmax(protocol->energy_s, PERIODS * plan->expected_s);
    const double within_s = protocol->deadline_s + 20 * (chunk_s + window_s) + 2 * silent_s;
    struct plan without = *plan;
    struct energy_window window, bare;
    int rc = promise(context, within_s, err);

    if (!rc)
        rc = repeat(&window, plan, nvml, window_s, err);
    without.bare = true;
    without.graph = NULL;
    if (!rc && plan->isolated) {
        rc = plan_build_graph(&without, err);
        if (!rc)
            rc = promise(context, within_s, err);
        if (!rc)
            rc = repeat(&bare, &without, nvml, window_s, err);
        gpu_graph_free(plan->measurer->buffers->gpu, without.graph);
    }
    if (rc)
        return rc;
    trial->energy_j = energy_of_launch(&window, plan->isolated ? &bare : NULL, plan->launches);
    trial->power_w = energy_power_w(&window);
    trial->energy_window_s = window.ended_s - window.began_s;
    return 0;
}

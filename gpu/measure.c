#include "gpu/measure.h"

#include "base/clock.h"
#include "base/stats.h"
#include "gpu/energy.h"
#include "gpu/measure_judge.h"
#include "gpu/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double short_s = 1e-3; /* kernels below are worth a second look before the samples are planned */
static const double brief_s = 10e-3;     /* longer kernels warm up by themselves */
static const double start_up_s = 100e-3; /* an idle GPU needs up to about this long to raise its clock */
static const double batch_s = 2e-3;      /* samples are queued together up to this long */

int subject_launch(const struct subject *subject, struct gpu *gpu, struct err *err)
{
    return gpu_launch(gpu, subject->function, subject->launch, subject->binding->parameters, err);
}

/* Chooses launches per sample and samples per batch from the duration of one launch. Isolated launches are timed each by
 * itself, so that a sample gains nothing by their number but an average; what stands before them takes as long again. */
static int make_plan(struct plan *plan, double duration_s, double sample_s, struct err *err)
{
    unsigned most = plan->isolated ? MEASURE_PAIRS : MEASURE_GRAPH;
    double wanted = ceil((plan->isolated ? sample_s / 2 : sample_s) / fmax(duration_s, 1e-6));

    plan->launches = wanted < 1 ? 1 : wanted > most ? most : (unsigned)wanted;
    plan->expected_s = plan->launches * fmax(duration_s, 1e-6);
    plan->batch = plan->isolated ? 1 : (unsigned)fmax(1, fmin(MEASURE_BATCH, batch_s / plan->expected_s));
    return plan->isolated || plan->launches > 1 ? plan_build_graph(plan, err) : 0;
}

/* Queues one sample between its clock stamps. */
static int queue_sample(const struct plan *plan, unsigned k, struct err *err)
{
    struct measurer *measurer = plan->measurer;
    struct gpu *gpu = measurer->buffers->gpu;
    size_t row = gpu_sm_count(gpu) * sizeof(struct stamp);
    int rc = kernels_stamp(measurer->buffers->kernels, measurer->stamps + 2 * k * row, err);

    if (!rc && !plan->isolated)
        rc = gpu_record(gpu, measurer->events[2 * k], err);
    if (!rc)
        rc = plan_queue(plan, err);
    if (!rc && !plan->isolated)
        rc = gpu_record(gpu, measurer->events[2 * k + 1], err);
    return rc ? rc : kernels_stamp(measurer->buffers->kernels, measurer->stamps + (2 * k + 1) * row, err);
}

/* Reads sample k: seconds of one launch, and adds what the launches took to `kernel_s`. */
static int read_sample(double *sample_s, double *kernel_s, const struct plan *plan, unsigned k,
                       struct err *err)
{
    const struct measurer *measurer = plan->measurer;
    unsigned first = plan->isolated ? 0 : k, pairs = plan->isolated ? plan->launches : 1, i;
    double excess = plan->isolated ? plan->launches * measurer->pair_excess_s
                    : plan->graph  ? measurer->graph_excess_s
                                   : measurer->direct_excess_s;
    double sum = 0, elapsed;
    int rc = 0;

    for (i = first; !rc && i < first + pairs; i++) {
        rc = gpu_elapsed(&elapsed, measurer->buffers->gpu, measurer->events[2 * i],
                         measurer->events[2 * i + 1], err);
        sum += elapsed;
    }
    *kernel_s += sum;
    *sample_s = fmax(sum - excess, 0) / plan->launches;
    return rc;
}

/* Takes `count` samples (at most a batch) with the clock during each. */
static int take_samples(double *samples_s, double *clock_hz, double *kernel_s, const struct plan *plan,
                        unsigned count, struct err *err)
{
    struct measurer *measurer = plan->measurer;
    struct gpu *gpu = measurer->buffers->gpu;
    unsigned sm_count = gpu_sm_count(gpu), k;
    size_t bytes = (size_t)2 * count * sm_count * sizeof(struct stamp);
    int rc = gpu_set(gpu, measurer->stamps, 0, bytes, err);

    for (k = 0; !rc && k < count; k++)
        rc = queue_sample(plan, k, err);
    if (!rc)
        rc = gpu_download(measurer->stamps_read, gpu, measurer->stamps, bytes, err);
    for (k = 0; !rc && k < count; k++) {
        const struct stamp *before = measurer->stamps_read + (size_t)2 * k * sm_count;

        rc = read_sample(&samples_s[k], kernel_s, plan, k, err);
        clock_hz[k] = measure_clock(before, before + sm_count, sm_count);
        if (clock_hz[k] > measurer->clock_top_hz)
            measurer->clock_top_hz = clock_hz[k];
    }
    return rc;
}

/* Times one launch by itself: good enough to plan with. */
static int estimate(double *duration_s, double *kernel_s, const struct plan *plan, struct err *err)
{
    struct plan once = *plan;
    double clock_hz;

    once.launches = 1;
    return take_samples(duration_s, &clock_hz, kernel_s, &once, 1, err);
}

/* Runs until the clock has settled, or is what the GPU has reached before; once at least. Where power limits it, samples follow
 * each other as closely as they will: with pauses between them less power is drawn, and the clock falls later. */
static int warm_up(double *kernel_s, const struct plan *plan, struct err *err)
{
    const double begin = clock_wall_s(), top_hz = plan->measurer->clock_top_hz;
    double previous = 0, clock_hz = 0, samples[MEASURE_BATCH], clocks_hz[MEASURE_BATCH];
    unsigned count = 1;
    int rc;

    do {
        previous = clock_hz;
        rc = take_samples(samples, clocks_hz, kernel_s, plan, count, err);
        clock_hz = clocks_hz[count - 1];
        count = measure_slowed(clock_hz, plan->measurer->clock_top_hz) ? plan->batch : 1;
    } while (!rc && !(top_hz > 0 && clock_hz >= (1 - measure_clock_tolerance) * top_hz) &&
             measure_warms(clock_wall_s() - begin, previous, clock_hz, plan->measurer->clock_top_hz));
    return rc;
}

/* Keeps the samples at the settled clock and draws the result from them. */
static int conclude(struct trial *trial, const struct measurer *measurer, const double *clock_hz,
                    struct err *err)
{
    size_t n = trial->sample_count, i, kept_count = 0;
    bool *kept = calloc(n + 1, sizeof *kept);
    double *values = calloc(2 * n + 1, sizeof *values);

    if (!kept || !values) {
        free(kept);
        free(values);
        return err_memory(err);
    }
    trial->throttled = measure_keep(kept, clock_hz, n);
    for (i = 0; i < n; i++)
        if (kept[i]) {
            values[kept_count] = trial->samples_s[i];
            values[n + kept_count++] = clock_hz[i];
        }
    trial->discarded = n - kept_count;
    trial->time_s = stats_median(values, kept_count);
    trial->clock_hz = stats_median(values + n, kept_count);
    trial->throttled |= measure_slowed(trial->clock_hz, measurer->clock_top_hz);
    free(kept);
    free(values);
    return 0;
}

/* Samples after which to look again. */
static unsigned next_goal(unsigned taken, const struct protocol *protocol, unsigned most)
{
    if (taken < 2)
        return 2;
    if (taken < MEASURE_BEHIND && MEASURE_BEHIND < protocol->samples_min && protocol->rival_s > 0)
        return MEASURE_BEHIND;
    return taken < protocol->samples_min ? protocol->samples_min : most;
}

static int sample_until_settled(struct trial *trial, double *clock_hz, const struct plan *plan,
                                const struct protocol *protocol, measure_promise *promise, void *context,
                                struct err *err)
{
    const unsigned most = measure_most(protocol, plan->expected_s);
    int rc = 0;

    while (!rc && trial->sample_count < most) {
        unsigned taken = (unsigned)trial->sample_count;
        unsigned left = next_goal(taken, protocol, most) - taken;
        unsigned n = left < plan->batch ? left : plan->batch;

        rc = promise(context, protocol->deadline_s + 20 * n * plan->expected_s, err);
        if (!rc)
            rc = take_samples(trial->samples_s + trial->sample_count, clock_hz + trial->sample_count,
                              &trial->kernel_s, plan, n, err);
        if (rc)
            break;
        trial->sample_count += n;
        trial->gave_up = measure_hopeless(trial->samples_s, clock_hz, trial->sample_count,
                                          plan->measurer->clock_top_hz, protocol->give_up_s);
        if (trial->gave_up || measure_settled(trial->samples_s, clock_hz, trial->sample_count,
                                              plan->measurer->clock_top_hz, protocol))
            break;
    }
    return rc;
}

static int measure_energy(struct trial *trial, const struct plan *plan, const struct protocol *protocol,
                          measure_promise *promise, void *context, struct err *err)
{
    int rc = measurer_nvml(plan->measurer, err);

    return rc ? rc : energy_measure(trial, plan, plan->measurer->nvml, protocol, promise, context, err);
}

int measure(struct trial *trial, struct measurer *measurer, const struct subject *subject,
            const struct protocol *protocol, measure_promise *promise, void *context, struct err *err)
{
    struct plan plan = {.measurer = measurer, .subject = subject, .cold = protocol->cache == CACHE_COLD};
    double duration_s = trial->time_s; /* of the first launch */
    double *clock_hz = calloc(protocol->samples_max, sizeof *clock_hz);
    int rc = 0;

    trial->samples_s = calloc(protocol->samples_max, sizeof *trial->samples_s);
    if (!clock_hz || !trial->samples_s)
        rc = err_memory(err);
    plan.isolated = plan.cold || binding_restores(subject->binding);
    if (!rc && plan.cold && !measurer->flush)
        rc = gpu_alloc(&measurer->flush, measurer->buffers->gpu, 2 * gpu_l2_bytes(measurer->buffers->gpu),
                       err);
    if (!rc) /* a few launches to plan and warm up with, none of them endless */
        rc = promise(context, protocol->deadline_s + 20 * (duration_s + protocol->sample_s), err);
    if (!rc && !(duration_s > short_s))
        rc = estimate(&duration_s, &trial->kernel_s, &plan, err);
    if (!rc)
        rc = make_plan(&plan, duration_s, protocol->sample_s, err);
    if (!rc && duration_s <= brief_s)
        rc = warm_up(&trial->kernel_s, &plan, err);
    trial->launches = plan.launches;
    if (!rc)
        rc = sample_until_settled(trial, clock_hz, &plan, protocol, promise, context, err);
    if (!rc)
        rc = conclude(trial, measurer, clock_hz, err);
    if (!rc && protocol->energy_s > 0 && !trial->gave_up)
        rc = measure_energy(trial, &plan, protocol, promise, context, err);
    gpu_graph_free(measurer->buffers->gpu, plan.graph);
    free(clock_hz);
    return rc;
}

/* The median duration of a sample of empty kernels, taken by this plan, and the clock meanwhile. */
static int time_empty(double *sample_s, double *settled_hz, struct plan *plan, double launches, bool graph,
                      struct err *err)
{
    double samples[MEASURE_BATCH], clock_hz[MEASURE_BATCH], spent = 0;
    unsigned count = plan->isolated ? 1 : MEASURE_BATCH;
    int rc = 0;

    plan->launches = (unsigned)launches;
    plan->graph = NULL;
    if (graph)
        rc = plan_build_graph(plan, err);
    if (!rc)
        rc = take_samples(samples, clock_hz, &spent, plan, count,
                          err); /* the first run of a graph uploads it */
    if (!rc)
        rc = take_samples(samples, clock_hz, &spent, plan, count, err);
    *sample_s = launches * stats_median(samples, count);
    *settled_hz = stats_median(clock_hz, count);
    gpu_graph_free(plan->measurer->buffers->gpu, plan->graph);
    return rc;
}

/* What starting a graph, a launch, an event pair adds to the time of a launch among many. */
static int calibrate(struct measurer *measurer, struct err *err)
{
    struct launch launch;
    struct binding binding = {0};
    struct subject subject = {measurer->buffers->kernels->empty, &launch, &binding};
    struct plan plan = {.measurer = measurer, .subject = &subject};
    const double top_hz = (double)gpu_clock_hz(measurer->buffers->gpu);
    double half = 0, whole = 0, direct = 0, pairs = 0, clock_hz = 0, each;
    double end = clock_wall_s() + start_up_s;
    int rc;

    launch_init(&launch);
    do
        rc = time_empty(&half, &clock_hz, &plan, MEASURE_GRAPH / 2, true, err);
    while (!rc && clock_wall_s() < end &&
           !(top_hz > 0 && clock_hz >= (1 - measure_clock_tolerance) * top_hz));
    if (!rc)
        rc = time_empty(&whole, &clock_hz, &plan, MEASURE_GRAPH, true, err);
    if (!rc)
        rc = time_empty(&direct, &clock_hz, &plan, 1, false, err);
    plan.isolated = true;
    if (!rc)
        rc = time_empty(&pairs, &clock_hz, &plan, MEASURE_PAIRS, true, err);
    each = (whole - half) / (MEASURE_GRAPH - MEASURE_GRAPH / 2);
    measurer->graph_excess_s = fmax(whole - MEASURE_GRAPH * each, 0);
    measurer->direct_excess_s = fmax(direct - each, 0);
    measurer->pair_excess_s = fmax(pairs / MEASURE_PAIRS - each, 0);
    return rc;
}

int measurer_open(struct measurer *out, struct buffers *buffers, struct err *err)
{
    size_t stamps = (size_t)2 * MEASURE_BATCH * gpu_sm_count(buffers->gpu), i;
    int rc;

    memset(out, 0, sizeof *out);
    out->buffers = buffers;
    out->stamps_read = calloc(stamps, sizeof *out->stamps_read);
    rc = out->stamps_read ? gpu_alloc(&out->stamps, buffers->gpu, stamps * sizeof(struct stamp), err)
                          : err_memory(err);
    for (i = 0; !rc && i < 2 * MEASURE_PAIRS; i++)
        rc = gpu_event_create(&out->events[i], buffers->gpu, err);
    return rc ? rc : calibrate(out, err);
}

int measurer_nvml(struct measurer *measurer, struct err *err)
{
    char pci[32];
    int rc = measurer->nvml ? 0 : gpu_pci(pci, sizeof pci, measurer->buffers->gpu, err);

    return rc || measurer->nvml ? rc : nvml_open(&measurer->nvml, pci, err);
}

void measurer_relax(struct measurer *measurer)
{
    gpu_free(measurer->buffers->gpu, measurer->flush);
    measurer->flush = 0;
}

void measurer_close(struct measurer *measurer)
{
    nvml_close(measurer->nvml);
    measurer->nvml = NULL;

    if (!measurer->buffers)
        return;
    for (size_t i = 0; i < 2 * MEASURE_PAIRS; i++)
        gpu_event_free(measurer->buffers->gpu, measurer->events[i]);
    gpu_free(measurer->buffers->gpu, measurer->stamps);
    gpu_free(measurer->buffers->gpu, measurer->flush);
    free(measurer->stamps_read);
    memset(measurer, 0, sizeof *measurer);
}

#include "baselines/pipeline.h"

#include <math.h>

double pipeline_peak(double cus, double units_per_cu, double clock_hz, double per_instruction)
{
    return cus * units_per_cu * clock_hz * per_instruction;
}

double pipeline_cpi_approximated(double per_second, double lanes, double cus, double clock_hz)
{
    return lanes * cus * clock_hz / per_second;
}

double pipeline_issue_latency(double lanes, double units)
{
    return lanes / units;
}

int pipeline_cpi_of(struct pipeline_cpi *out, const struct pipeline_run *run, struct err *err)
{
    double warps_per_group, items_per_warp;

    *out = (struct pipeline_cpi){0};
    if (!(run->runtime_s > 0 && run->instructions > 0 && run->items >= 1 && run->group_items >= 1 &&
          run->lanes >= 1 && run->cus >= 1))
        return err_set(err, ERR_USAGE, "%g items in groups of %g, %g instructions each, in %g s: nothing ran",
                       run->items, run->group_items, run->instructions, run->runtime_s);
    warps_per_group = ceil(run->group_items / run->lanes);
    items_per_warp = run->group_items / warps_per_group;
    out->groups = ceil(run->items / run->group_items);
    out->concurrent_groups =
        fmin(fmin(run->max_groups, out->groups), floor(run->max_warps / warps_per_group));
    if (run->local_bytes > 0)
        out->concurrent_groups = fmin(out->concurrent_groups, floor(run->max_local_bytes / run->local_bytes));
    if (!(out->concurrent_groups >= 1))
        return err_set(err, ERR_USAGE, "no work group of %g items and %g bytes fits a compute unit",
                       run->group_items, run->local_bytes);
    out->concurrent_warps = warps_per_group * out->concurrent_groups;
    out->warps = run->items / items_per_warp;
    out->runs = ceil(out->warps / run->cus / out->concurrent_warps);
    out->cycles_of_run = run->runtime_s / out->runs * run->clock_hz;
    out->instructions_of_run = run->instructions * run->group_items * out->concurrent_groups;
    out->per_warp = out->cycles_of_run / out->instructions_of_run * items_per_warp;
    out->approximated = pipeline_cpi_approximated(run->instructions * run->items / run->runtime_s,
                                                  items_per_warp, run->cus, run->clock_hz);
    return 0;
}

struct pipeline_latencies pipeline_latencies_of(const double *cpi, size_t n)
{
    struct pipeline_latencies l = {cpi[0], cpi[0]};
    size_t i;

    for (i = 1; i < n; i++) {
        l.issue = fmin(l.issue, cpi[i]);
        l.completion = fmax(l.completion, cpi[i]);
    }
    return l;
}

static double miss_ratio(double bytes, double cache_bytes)
{
    return bytes > cache_bytes ? 1 - cache_bytes / bytes : 0;
}

double pipeline_walk(double bytes, double hit, double miss, double cache_bytes)
{
    return hit + (miss - hit) * miss_ratio(bytes, cache_bytes);
}

/* Least squares of cycles = hit + (miss - hit) x ratio for a given cache size. */
static void fit_line(struct pipeline_walk_fit *out, const double *bytes, const double *cycles, size_t n,
                     double cache_bytes)
{
    double x = 0, y = 0, xx = 0, xy = 0, squares = 0, slope;
    size_t i;

    for (i = 0; i < n; i++) {
        const double ratio = miss_ratio(bytes[i], cache_bytes);

        x += ratio;
        y += cycles[i];
        xx += ratio * ratio;
        xy += ratio * cycles[i];
    }
    slope = (double)n * xx > x * x ? ((double)n * xy - x * y) / ((double)n * xx - x * x) : 0;
    out->hit = (y - slope * x) / (double)n;
    out->miss = out->hit + slope;
    out->cache_bytes = cache_bytes;
    for (i = 0; i < n; i++) {
        const double off = cycles[i] - pipeline_walk(bytes[i], out->hit, out->miss, cache_bytes);

        squares += off * off;
    }
    out->residual = sqrt(squares / (double)n);
}

int pipeline_walk_fit_of(struct pipeline_walk_fit *out, const double *bytes, const double *cycles, size_t n,
                         struct err *err)
{
    enum { STEPS = 200, ZOOMS = 6 };
    struct pipeline_walk_fit tried;
    double low = INFINITY, high = 0, centre;
    size_t i;
    int zoom, k;

    *out = (struct pipeline_walk_fit){.residual = INFINITY};
    for (i = 0; i < n; i++) {
        low = fmin(low, bytes[i]);
        high = fmax(high, bytes[i]);
    }
    if (n < 4 || !(low > 0) || !(high > low))
        return err_set(err, ERR_USAGE,
                       "%zu sizes from %g to %g bytes: four or more different ones are needed", n, low, high);
    low = log(low);
    high = log(high);
    for (zoom = 0; zoom < ZOOMS; zoom++) {
        for (k = 0; k <= STEPS; k++) {
            fit_line(&tried, bytes, cycles, n, exp(low + (high - low) * k / STEPS));
            if (tried.residual < out->residual)
                *out = tried;
        }
        centre = log(out->cache_bytes);
        high = centre + (high - low) / 20;
        low = 2 * centre - high;
    }
    return 0;
}

double pipeline_divergent_arms(unsigned threads, unsigned lanes, unsigned run, unsigned arms)
{
    const unsigned warps = (threads + lanes - 1) / lanes;
    unsigned long executed = 0;
    unsigned warp, arm, t;

    for (warp = 0; warp < warps; warp++)
        for (arm = 0; arm < arms; arm++)
            for (t = warp * lanes; t < (warp + 1) * lanes && t < threads; t++)
                if (t / run % arms == arm) {
                    executed++;
                    break;
                }
    return (double)executed / warps;
}

double pipeline_cycles(const struct pipeline_class *classes, size_t n, double warps)
{
    double busy[2] = {0, 0}, chain = 0;
    size_t i;

    for (i = 0; i < n; i++) {
        busy[classes[i].memory != 0] += warps * classes[i].count * classes[i].issue;
        chain += classes[i].dependent * classes[i].completion;
    }
    return fmax(fmax(busy[0], busy[1]), chain);
}

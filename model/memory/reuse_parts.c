#include "model/memory/reuse_parts.h"

#include "model/memory/reuse_again.h"

#include <math.h>

/* Of what a load asks for again, the share that its pass has asked for: where requests lie between, more than a pass has, it
 * is earlier ones that have; of what was seen to come back, *near says which share has fewer lines than a pass in between. */
static double within_pass(double *near, const struct reuse *reuse, size_t i)
{
    double requests = 0, lines = 0;

    for (size_t z = 0; z < reuse->reuse_regions.count; z++) {
        const struct phase *phase = &reuse->phases[reuse->loops[i] * reuse->reuse_regions.count + z];

        requests += phase->requests;
        lines += phase->lines;
    }
    *near = reuse_again_near(reuse, i, lines);
    return reuse->out->counts[i].between > requests ? requests / reuse->out->counts[i].between : 1;
}

struct reuse_parts reuse_parts_of(const struct reuse *reuse, size_t i)
{
    const struct traffic_count *count = &reuse->out->counts[i];
    const struct phase *phase = phase_of(reuse, i);
    const double again = fmax(count->sectors_once - count->own, 0), phase_again = phase->asked - phase->own;
    const double same = phase->lines > 0 ? phase->asked * (1 - phase_lines(phase) / phase->lines) : 0;
    const double share = phase_again > 0 ? again / phase_again : 0;
    struct reuse_parts parts = {.fresh = fmin(count->fresh, count->sectors_once)};
    double near;

    parts.shared = fmax(fmin(count->own, count->sectors_once) - parts.fresh, 0);
    parts.far = fmin(phase->far * share, again);
    parts.same = fmin(same * share, again - parts.far) * within_pass(&near, reuse, i);
    parts.same = fmin(parts.same, again * near);
    parts.last = again - parts.far - parts.same;
    return parts;
}
